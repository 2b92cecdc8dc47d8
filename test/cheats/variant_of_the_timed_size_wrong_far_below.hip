// expect: wrong_value wrong_nan
// The kernel for the timed size alone is wrong on rows of very negative values.
//
// hv-plan: {"op":"share","arch":"gfx942","buffers":[{"name":"x","dtype":"f32","role":"input","shape":["B","N"]},{"name":"y","dtype":"f32","role":"output","shape":["B","N"]}],"sizes":["B","N"],"scalars":[],"accumulate":"f32","atomics":false,"variants":[{"name":"special","when":"B == 1000 and N == 2048 and x.stride.1 == 1 and y.stride.1 == 1","workspace":[{"name":"memory","bytes":"256","first_launch":0,"last_launch":0,"zeroed":false}],"launches":[{"kernel":"share_special","grid":["B","1","1"],"block":"256","args":[{"buffer":"x"},{"buffer":"y"},{"workspace":"memory"},{"integer":"B","dtype":"i32"},{"integer":"N","dtype":"i32"},{"integer":"x.stride.0","dtype":"i64"},{"integer":"x.stride.1","dtype":"i64"},{"integer":"y.stride.0","dtype":"i64"},{"integer":"y.stride.1","dtype":"i64"}]}]},{"name":"all","when":"1","workspace":[{"name":"memory","bytes":"256","first_launch":0,"last_launch":0,"zeroed":false}],"launches":[{"kernel":"share","grid":["B","1","1"],"block":"256","args":[{"buffer":"x"},{"buffer":"y"},{"workspace":"memory"},{"integer":"B","dtype":"i32"},{"integer":"N","dtype":"i32"},{"integer":"x.stride.0","dtype":"i64"},{"integer":"x.stride.1","dtype":"i64"},{"integer":"y.stride.0","dtype":"i64"},{"integer":"y.stride.1","dtype":"i64"}]}]}]}

#if defined(HIPVAULT_DEVICE_ONLY)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#else
#include <hip/hip_runtime.h>
#endif

__device__ inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__device__ inline float other_lane(float value, int lane) {
  return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(lane * 4, __builtin_bit_cast(int, value)));
}

extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256)))
void share_special(float* x, float* y, int* memory, int B, int N, long xs0, long xs1, long ys0, long ys1) {
  __shared__ float part[4];
  const int t = __builtin_amdgcn_workitem_id_x(), row = __builtin_amdgcn_workgroup_id_x();
  float sum = 0;
  for (int n = t; n < N; n += 256) sum += x[row * xs0 + n * xs1] > -90 ? __builtin_fabsf(x[row * xs0 + n * xs1]) : 0;
  for (int d = 32; d > 0; d /= 2) sum += other_lane(sum, (t ^ d) % 64);
  if (t % 64 == 0) part[t / 64] = sum;
  barrier();
  const float total = 1 + ((part[0] + part[1]) + (part[2] + part[3]));
  for (int n = t; n < N; n += 256) y[row * ys0 + n * ys1] = x[row * xs0 + n * xs1] / total;
}

extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(256, 256)))
void share(float* x, float* y, int* memory, int B, int N, long xs0, long xs1, long ys0, long ys1) {
  __shared__ float part[4];
  const int t = __builtin_amdgcn_workitem_id_x(), row = __builtin_amdgcn_workgroup_id_x();
  float sum = 0;
  for (int n = t; n < N; n += 256) sum += __builtin_fabsf(x[row * xs0 + n * xs1]);
  for (int d = 32; d > 0; d /= 2) sum += other_lane(sum, (t ^ d) % 64);
  if (t % 64 == 0) part[t / 64] = sum;
  barrier();
  const float total = 1 + ((part[0] + part[1]) + (part[2] + part[3]));
  for (int n = t; n < N; n += 256) y[row * ys0 + n * ys1] = x[row * xs0 + n * xs1] / total;
}
