#pragma once
// Cooperative groups: grid, block, tiles of a wave, the coalesced lanes.

#include <hip/hip_runtime.h>

extern "C" __attribute__((device)) void __hv_grid_barrier(unsigned groups);

namespace cooperative_groups {

class thread_group {
 public:
  __HV_DEV unsigned size() const { return size_; }
  __HV_DEV unsigned num_threads() const { return size_; }
  __HV_DEV unsigned thread_rank() const { return rank_; }
  __HV_DEV bool is_valid() const { return true; }
  __attribute__((device)) __attribute__((convergent)) void sync() const {
    if (kind_ == block_)
      __syncthreads();
    else
      __syncwarp();
  }

 public:
  enum kind { grid_, block_, tile_, coalesced_ };
  __HV_DEV thread_group(kind k, unsigned size, unsigned rank, unsigned long long mask)
      : kind_(k), size_(size), rank_(rank), mask_(mask) {}
  kind kind_;
  unsigned size_, rank_;
  unsigned long long mask_;
};

__HV_DEV unsigned __hv_block_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__HV_DEV unsigned __hv_block_size() { return blockDim.x * blockDim.y * blockDim.z; }
__HV_DEV unsigned __hv_grid_groups() { return gridDim.x * gridDim.y * gridDim.z; }
__HV_DEV unsigned __hv_group_rank() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }

class grid_group : public thread_group {
 public:
  __HV_DEV grid_group()
      : thread_group(grid_, __hv_grid_groups() * __hv_block_size(),
                     __hv_group_rank() * __hv_block_size() + __hv_block_rank(), 0) {}
  __attribute__((device)) __attribute__((convergent)) void sync() const {
    __threadfence();
    __syncthreads();
    if (__hv_block_rank() == 0) __hv_grid_barrier(__hv_grid_groups());
    __syncthreads();
    __threadfence();
  }
  __HV_DEV dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __HV_DEV unsigned block_rank() const { return __hv_group_rank(); }
  __HV_DEV unsigned num_blocks() const { return __hv_grid_groups(); }
};
__HV_DEV grid_group this_grid() { return grid_group(); }

class thread_block : public thread_group {
 public:
  __HV_DEV thread_block() : thread_group(block_, __hv_block_size(), __hv_block_rank(), 0) {}
  __attribute__((device)) __attribute__((convergent)) static void sync() { __syncthreads(); }
  static __HV_DEV unsigned size() { return __hv_block_size(); }
  static __HV_DEV unsigned num_threads() { return __hv_block_size(); }
  static __HV_DEV unsigned thread_rank() { return __hv_block_rank(); }
  static __HV_DEV dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static __HV_DEV dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static __HV_DEV dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static __HV_DEV dim3 dim_threads() { return group_dim(); }
};
__HV_DEV thread_block this_thread_block() { return thread_block(); }

template <unsigned Size, class Parent = void>
class thread_block_tile : public thread_group {
 public:
  __HV_DEV thread_block_tile()
      : thread_group(tile_, Size, __hv_block_rank() % Size,
                     (Size == 64 ? ~0ull : (1ull << Size % 64) - 1) << (__lane_id() / Size * Size)) {}
  template <class Other>
  __HV_DEV thread_block_tile(const thread_block_tile<Size, Other>&) : thread_block_tile() {}
  static __HV_DEV constexpr unsigned size() { return Size; }
  static __HV_DEV constexpr unsigned num_threads() { return Size; }
  static __HV_DEV unsigned thread_rank() { return __hv_block_rank() % Size; }
  static __HV_DEV unsigned meta_group_rank() { return __hv_block_rank() / Size; }
  static __HV_DEV unsigned meta_group_size() { return (__hv_block_size() + Size - 1) / Size; }
  __attribute__((device)) __attribute__((convergent)) static void sync() { __syncwarp(); }
  template <class T>
  __HV_DEV T shfl(T v, int source) const {
    return __shfl(v, source, Size);
  }
  template <class T>
  __HV_DEV T shfl_up(T v, unsigned delta) const {
    return __shfl_up(v, delta, Size);
  }
  template <class T>
  __HV_DEV T shfl_down(T v, unsigned delta) const {
    return __shfl_down(v, delta, Size);
  }
  template <class T>
  __HV_DEV T shfl_xor(T v, unsigned mask) const {
    return __shfl_xor(v, mask, Size);
  }
  __HV_DEV unsigned long long ballot(int p) const { return (__ballot(p) & mask_) >> (__lane_id() / Size * Size); }
  __HV_DEV int any(int p) const { return ballot(p) != 0; }
  __HV_DEV int all(int p) const { return ballot(!p) == 0; }
  template <class T>
  __HV_DEV unsigned long long match_any(T v) const {
    return __match_any_sync(mask_, v) >> (__lane_id() / Size * Size);
  }
};
template <unsigned Size, class Parent>
__HV_DEV thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}
__HV_DEV thread_group tiled_partition(const thread_group& parent, unsigned size) {
  unsigned begin = __lane_id() / size * size;
  unsigned long long mask = (size == 64 ? ~0ull : (1ull << size) - 1) << begin;
  return thread_group(thread_group::tile_, size, parent.thread_rank() % size, mask);
}

class coalesced_group : public thread_group {
 public:
  __HV_DEV explicit coalesced_group(unsigned long long mask)
      : thread_group(coalesced_, static_cast<unsigned>(__builtin_popcountll(mask)),
                     static_cast<unsigned>(__builtin_popcountll(mask & ((1ull << __lane_id()) - 1))), mask) {}
  __attribute__((device)) __attribute__((convergent)) void sync() const { __syncwarp(); }
  template <class T>
  __HV_DEV T shfl(T v, int source) const {
    return __hv_from_lane(v, lane_of(source));
  }
  template <class T>
  __HV_DEV T shfl_up(T v, unsigned delta) const {
    int from = static_cast<int>(rank_) - static_cast<int>(delta);
    return __hv_from_lane(v, lane_of(from < 0 ? static_cast<int>(rank_) : from));
  }
  template <class T>
  __HV_DEV T shfl_down(T v, unsigned delta) const {
    unsigned from = rank_ + delta;
    return __hv_from_lane(v, lane_of(static_cast<int>(from >= size_ ? rank_ : from)));
  }
  __HV_DEV unsigned long long ballot(int p) const {
    unsigned long long all = __ballot(p), mine = 0;
    for (unsigned i = 0; i < size_; ++i) mine |= (all >> lane_of(static_cast<int>(i)) & 1) << i;
    return mine;
  }
  __HV_DEV int any(int p) const { return (__ballot(p) & mask_) != 0; }
  __HV_DEV int all(int p) const { return (__ballot(p) & mask_) == mask_; }

 private:
  __HV_DEV int lane_of(int rank) const {
    unsigned long long left = mask_;
    for (int i = 0; i < rank; ++i) left &= left - 1;
    return left ? __builtin_ctzll(left) : 0;
  }
};
__HV_DEV coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <class Group>
__HV_DEV void sync(const Group& group) {
  group.sync();
}
template <class Group>
__HV_DEV unsigned thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
__HV_DEV unsigned group_size(const Group& group) {
  return group.size();
}

template <class T>
struct plus {
  __HV_DEV T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  __HV_DEV T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  __HV_DEV T operator()(T a, T b) const { return a < b ? b : a; }
};
template <unsigned Size, class Parent, class T, class F>
__HV_DEV T reduce(const thread_block_tile<Size, Parent>& tile, T v, F f) {
#pragma unroll
  for (unsigned step = Size / 2; step; step /= 2) v = f(v, tile.shfl_xor(v, step));
  return v;
}

}  // namespace cooperative_groups
