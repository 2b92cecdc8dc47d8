// Cooperative groups: block, tiles, coalesced lanes, the whole grid.
#include "check.h"
#include <hip/hip_cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void tiles(int* out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int v = cg::reduce(tile, (int)block.thread_rank(), cg::plus<int>());
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = v;
  if (block.thread_rank() % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    if (active.thread_rank() == 0) out[8] = active.size();
    int last = active.shfl((int)block.thread_rank(), active.size() - 1);
    if (block.thread_rank() == 3) out[9] = last;
  }
}
__global__ void across(int* x, int n) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  x[i] = i;
  grid.sync();
  int v = x[(i + n / 2) % n];
  grid.sync();
  x[i] = v;
}
int main() {
  int* out = to_device(std::vector<int>(10));
  tiles<<<1, 32>>>(out);
  std::vector<int> v = to_host(out, 10);
  EXPECT(v[0] == 120 && v[1] == 376 && v[8] == 11 && v[9] == 30);
  int n = 12 * 128;
  int* x;
  HIP(hipMalloc(&x, n * 4));
  void* args[] = {&x, &n};
  HIP(hipLaunchCooperativeKernel(across, dim3(12), dim3(128), args, 0, 0));
  std::vector<int> y = to_host(x, n);
  for (int i = 0; i < n; ++i) EXPECT(y[i] == (i + n / 2) % n);
  EXPECT_ERROR(hipLaunchCooperativeKernel(across, dim3(1000000), dim3(1024), args, 0, 0), hipErrorCooperativeLaunchTooLarge);
}
