R"hiplib(// Combining values across the lanes of a wave of 64. Lanes trade values through DPP where the hardware has a pattern, which
// the compiler folds into the arithmetic, and through the LDS crossbar where it has none.
//@ dpp
// The value of the lane that DPP pattern `Pattern` names, word by word.
template <int Pattern, class T> __device__ inline T dpp(T value) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  unsigned words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
  for (int k = 0; k < kWords; ++k) words[k] = __builtin_amdgcn_update_dpp(words[k], words[k], Pattern, 0xf, 0xf, false);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
//@ lane_value
// The value of lane `from`, which may differ from lane to lane.
template <class T> __device__ inline T lane_value(T value, int from) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  unsigned words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
  for (int k = 0; k < kWords; ++k) words[k] = __builtin_amdgcn_ds_bpermute(from * 4, words[k]);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
//@ last_lane
// The value of lane 63, for all.
template <class T> __device__ inline T last_lane(T value) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  unsigned words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
  for (int k = 0; k < kWords; ++k) words[k] = __builtin_amdgcn_readlane(words[k], 63);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
//@ swizzle
// The value of lane (lane ^ Mask), Mask < 32.
template <int Mask, class T> __device__ inline T swizzle(T value) {
  constexpr int kWords = (sizeof(T) + 3) / 4;
  unsigned words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
  for (int k = 0; k < kWords; ++k) words[k] = __builtin_amdgcn_ds_swizzle(words[k], Mask << 10 | 0x1f);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
//@ lane_xor
// The value of the lane whose number differs in bit `Bit`.
template <int Bit, class T> __device__ inline T lane_xor(T value, int lane) {
  if constexpr (Bit == 0) return dpp<0xb1>(value);              // quad_perm [1,0,3,2]
  if constexpr (Bit == 1) return dpp<0x4e>(value);              // quad_perm [2,3,0,1]
  if constexpr (Bit == 2) return dpp<0x1b>(dpp<0x141>(value));  // i ^ 7, then i ^ 3
  if constexpr (Bit == 3) return dpp<0x128>(value);             // rotated by 8 in rows of 16
  if constexpr (Bit == 4) return swizzle<16>(value);
  return lane_value(value, lane ^ 32);
}
//@ wave_reduce
// Over all 64 lanes; every lane gets the result. Mirrors make each row of 16 agree, then rows are handed on, and lane 63
// has everything.
template <class Op, class T> __device__ inline T wave_reduce(T value) {
  value = Op::of(value, dpp<0xb1>(value));
  value = Op::of(value, dpp<0x4e>(value));
  value = Op::of(value, dpp<0x141>(value));  // row_half_mirror
  value = Op::of(value, dpp<0x140>(value));  // row_mirror
  value = Op::of(value, dpp<0x142>(value));  // row_bcast:15
  value = Op::of(value, dpp<0x143>(value));  // row_bcast:31
  return last_lane(value);
}
//@ Sum
struct Sum {
  template <class T> static __device__ inline T of(T a, T b) { return a + b; }
};
//@ Prod
struct Prod {
  template <class T> static __device__ inline T of(T a, T b) { return a * b; }
};
//@ Max
struct Max {
  template <class T> static __device__ inline T of(T a, T b) { return maximum(a, b); }
};
//@ Min
struct Min {
  template <class T> static __device__ inline T of(T a, T b) { return minimum(a, b); }
};
//@ And
struct And {
  template <class T> static __device__ inline T of(T a, T b) { return a & b; }
};
//@ Or
struct Or {
  template <class T> static __device__ inline T of(T a, T b) { return a | b; }
};
//@ Best
// A value and where it stands.
template <class T, class I> struct Best {
  T value;
  I index;
};
//@ ArgMax
// The larger value; NaN before all others; ties and several NaNs to the lower position.
struct ArgMax {
  template <class B> static __device__ inline B of(B a, B b) {
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    const bool equal = a.value == b.value || (a_nan && b_nan);
    const bool take_b = equal ? b.index < a.index : b_nan || (!a_nan && b.value > a.value);
    return take_b ? b : a;
  }
};
//@ ArgMin
struct ArgMin {
  template <class B> static __device__ inline B of(B a, B b) {
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    const bool equal = a.value == b.value || (a_nan && b_nan);
    const bool take_b = equal ? b.index < a.index : b_nan || (!a_nan && b.value < a.value);
    return take_b ? b : a;
  }
};
//@ lane_reduce
// Over the lane bits set in Bits; lanes that differ only in them get the same result.
template <class Op, int Bits, class T> __device__ inline T lane_reduce(T value, int lane) {
  if constexpr (Bits == 63) return wave_reduce<Op>(value);
  if constexpr (Bits & 1) value = Op::of(value, lane_xor<0>(value, lane));
  if constexpr (Bits & 2) value = Op::of(value, lane_xor<1>(value, lane));
  // Once all lanes of a quad agree, a mirror is as good as a flipped bit, and one instruction shorter.
  if constexpr ((Bits & 7) == 7) value = Op::of(value, dpp<0x141>(value));
  else if constexpr (Bits & 4) value = Op::of(value, lane_xor<2>(value, lane));
  if constexpr (Bits & 8) value = Op::of(value, lane_xor<3>(value, lane));
  if constexpr (Bits & 16) value = Op::of(value, lane_xor<4>(value, lane));
  if constexpr (Bits & 32) value = Op::of(value, lane_xor<5>(value, lane));
  return value;
}
//@ lane_scan
// Inclusive scan over groups of 2^Bits neighbouring lanes; Reverse starts at the last.
template <class Op, int Bits, bool Reverse, class T> __device__ inline T lane_scan(T value, int lane) {
  const int place = Reverse ? (1 << Bits) - 1 - (lane & ((1 << Bits) - 1)) : lane & ((1 << Bits) - 1);
#pragma unroll
  for (int step = 1; step < 1 << Bits; step *= 2) {
    const T other = lane_value(value, Reverse ? lane + step : lane - step);
    if (place >= step) value = Op::of(other, value);
  }
  return value;
}
)hiplib"
