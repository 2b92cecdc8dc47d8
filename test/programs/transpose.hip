// Two-dimensional blocks and static LDS.
#include "check.h"
__global__ __launch_bounds__(256) void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
  if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void places(int* out) {
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int item = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + item] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.z;
}
int main() {
  int rows = 75, columns = 130;
  std::vector<float> in(rows * columns);
  for (int i = 0; i < rows * columns; ++i) in[i] = i;
  float *din = to_device(in), *dout;
  HIP(hipMalloc(&dout, in.size() * sizeof(float)));
  transpose<<<dim3((columns + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(din, dout, rows, columns);
  std::vector<float> out = to_host(dout, in.size());
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) EXPECT(out[x * rows + y] == in[y * columns + x]);
  dim3 grid(2, 3, 4), block(5, 3, 7);
  int* d = to_device(std::vector<int>(24 * 105));
  places<<<grid, block>>>(d);
  std::vector<int> p = to_host(d, 24 * 105);
  for (int b = 0; b < 24; ++b)
    for (int i = 0; i < 105; ++i) EXPECT(p[b * 105 + i] == i % 5 + 10 * (i / 5 % 3) + 100 * (i / 15) + 1000 * (b / 6));
}
