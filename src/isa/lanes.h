#pragma once
// The one mechanism behind most rows: a lambda on one lane becomes a whole-wave handler, and the lambda's signature
// says how operands are read, which constants they take and where results go.
//
//   row<[](f32 a, f32 b) { return a * b; }>("v_mul_f32")
//   row<[](u32 a, u32 b, bool c) { return c ? b : a; }>("v_cndmask_b32")     bool: a lane mask operand
//   row<[](f32 a, f32 b) { return a < b; }>("v_cmp_lt_f32")                   bool result: a lane mask
//   row<[](u32 a, u32 b, bool& carry) { … }>("v_add_co_u32")                  bool&: a second result, a lane mask
//
// Cost: operands that are plain vector registers are read in place; anything else (scalars, constants, abs, neg,
// halves, SDWA) is first put into a 64-lane array. The loop has no branches and no aliasing, so it vectorises; exec is
// applied when the result is stored. Rejected: a per-lane switch over operand kinds (measured 2-12 times slower in a
// prototype), and a template per combination of operand kinds (code size, no gain that could be measured).

#include <bit>
#include <cmath>
#include <cstring>
#include <tuple>
#include <type_traits>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "isa/instruction.h"

namespace hipvault::isa {

using u8 = uint8_t;
using i8 = int8_t;
using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;
using f16 = _Float16;
using f32 = float;
using f64 = double;

// Registers are read as whatever the operation says.
template <class T>
struct Aliasing {
  using type = T;
};
template <>
struct Aliasing<u32> {
  typedef u32 type __attribute__((may_alias));
};
template <>
struct Aliasing<i32> {
  typedef i32 type __attribute__((may_alias));
};
template <>
struct Aliasing<f32> {
  typedef f32 type __attribute__((may_alias));
};
template <class T>
using Aliased = typename Aliasing<T>::type;

struct LaneId {
  u32 value;
};  // an argument that is the lane's number, not an operand
struct Half2 {
  u32 bits;
};  // two 16-bit halves
struct Pair32 {
  u64 bits;
};  // two dwords of packed f32 operations

template <class T>
constexpr ValueType value_type() {
  if constexpr (std::is_same_v<T, u32>)
    return ValueType::u32;
  else if constexpr (std::is_same_v<T, i32>)
    return ValueType::i32;
  else if constexpr (std::is_same_v<T, f32>)
    return ValueType::f32;
  else if constexpr (std::is_same_v<T, u16>)
    return ValueType::u16;
  else if constexpr (std::is_same_v<T, i16>)
    return ValueType::i16;
  else if constexpr (std::is_same_v<T, f16>)
    return ValueType::f16;
  else if constexpr (std::is_same_v<T, u64>)
    return ValueType::u64;
  else if constexpr (std::is_same_v<T, i64>)
    return ValueType::i64;
  else if constexpr (std::is_same_v<T, f64>)
    return ValueType::f64;
  else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, bool&>)
    return ValueType::mask;
  else if constexpr (std::is_same_v<T, Half2>)
    return ValueType::packed16;
  else if constexpr (std::is_same_v<T, Pair32>)
    return ValueType::packed32;
  else
    return ValueType::none;
}

// ---- scalars
// ----------------------------------------------------------------------------------------------------------

u64 read_special(const Source& source, const Wave& wave);

inline u64 read_scalar64(const Source& source, const Wave& wave) {
  if (source.kind == OperandKind::scalar) return wave.pair(source.reg);
  if (source.kind == OperandKind::integer) return source.value;
  return read_special(source, wave);
}
inline u32 read_scalar32(const Source& source, const Wave& wave) {
  if (source.kind == OperandKind::scalar) return wave.sgpr[source.reg];
  if (source.kind == OperandKind::integer) return static_cast<u32>(source.value);
  return static_cast<u32>(read_special(source, wave));
}

// A lane mask operand: 32 bits in waves of 32 lanes.
inline u64 read_mask(const Source& source, const Wave& wave) {
  return wave.wave32 ? read_scalar32(source, wave) : read_scalar64(source, wave);
}

// ---- masks
// --------------------------------------------------------------------------------------------------------------

inline void expand_mask(u64 mask, u32* out) {
#if defined(__AVX512F__)
  for (int i = 0; i < 4; ++i)
    _mm512_storeu_si512(out + 16 * i, _mm512_maskz_set1_epi32(static_cast<__mmask16>(mask >> (16 * i)), -1));
#else
  for (int l = 0; l < kLanes; ++l) out[l] = 0u - static_cast<u32>(mask >> l & 1);
#endif
}
inline u64 collect_mask(const u32* in) {
  u64 mask = 0;
#if defined(__AVX512F__)
  for (int i = 0; i < 4; ++i) {
    __m512i v = _mm512_loadu_si512(in + 16 * i);
    mask |= static_cast<u64>(_mm512_test_epi32_mask(v, v)) << (16 * i);
  }
#else
  for (int l = 0; l < kLanes; ++l) mask |= static_cast<u64>(in[l] != 0) << l;
#endif
  return mask;
}
inline void store_masked(u32* to, const u32* from, u64 exec) {
  if (exec == ~u64{0}) {
    std::memcpy(to, from, kLanes * 4);
    return;
  }
#if defined(__AVX512F__)
  for (int i = 0; i < 4; ++i)
    _mm512_mask_storeu_epi32(to + 16 * i, static_cast<__mmask16>(exec >> (16 * i)), _mm512_loadu_si512(from + 16 * i));
#else
  alignas(64) u32 mask[kLanes];
  expand_mask(exec, mask);
  for (int l = 0; l < kLanes; ++l) to[l] = (from[l] & mask[l]) | (to[l] & ~mask[l]);
#endif
}

// ---- reading operands
// -----------------------------------------------------------------------------------------------------

// Raw dwords of a source, with SDWA selection applied; abs and neg come after, by type.
void fetch_dwords(const Source& source, const Wave& wave, int dword, u32* out);
void modify_f32(const Source& source, const Wave& wave, u32* out);
void fetch64(const Source& source, const Wave& wave, u64* out);
void fetch16(const Source& source, const Wave& wave, u16* out);
void fetch_half2(const Source& source, const Wave& wave, u32* out);
void fetch_pair32(const Source& source, const Wave& wave, u64* out);
inline const u32* lane_ids() {
  alignas(64) static constexpr struct Ids {
    u32 id[kLanes];
    constexpr Ids() : id() {
      for (u32 l = 0; l < kLanes; ++l) id[l] = l;
    }
  } ids;
  return ids.id;
}

template <class T>
struct Fetch {
  alignas(64) Aliased<T> temp[kLanes];
  const Aliased<T>* get(const Source& source, const Wave& wave) {
    if constexpr (sizeof(T) == 4) {
      bool slow = source.modifiers || (std::is_same_v<T, f32> && wave.flush_f32);
      if (source.kind == OperandKind::vector && !slow)
        return reinterpret_cast<const Aliased<T>*>(wave.lanes(source.reg));
      u32* raw = reinterpret_cast<u32*>(temp);
      fetch_dwords(source, wave, 0, raw);
      if (slow) modify_f32(source, wave, raw);
    } else if constexpr (sizeof(T) == 8) {
      fetch64(source, wave, reinterpret_cast<u64*>(temp));
    } else {
      fetch16(source, wave, reinterpret_cast<u16*>(temp));
    }
    return temp;
  }
  T at(const Aliased<T>* lanes, int l) { return lanes[l]; }
};
template <>
struct Fetch<bool> {
  alignas(64) u32 temp[kLanes];
  const u32* get(const Source& source, const Wave& wave) {
    expand_mask(read_mask(source, wave), temp);
    return temp;
  }
  bool at(const u32* lanes, int l) { return lanes[l] != 0; }
};
template <>
struct Fetch<Half2> {
  alignas(64) u32 temp[kLanes];
  const u32* get(const Source& source, const Wave& wave) {
    fetch_half2(source, wave, temp);
    return temp;
  }
  Half2 at(const u32* lanes, int l) { return {lanes[l]}; }
};
template <>
struct Fetch<Pair32> {
  alignas(64) u64 temp[kLanes];
  const u64* get(const Source& source, const Wave& wave) {
    fetch_pair32(source, wave, temp);
    return temp;
  }
  Pair32 at(const u64* lanes, int l) { return {lanes[l]}; }
};
template <>
struct Fetch<LaneId> {
  const u32* get(const Source&, const Wave&) { return lane_ids(); }
  LaneId at(const u32* lanes, int l) { return {lanes[l]}; }
};

// ---- storing results
// --------------------------------------------------------------------------------------------------------

void finish_f32(const Instruction& in, const Wave& wave, f32* values);  // omod, clamp, flush
void finish_f64(const Instruction& in, const Wave& wave, f64* values);
void finish_f16(const Instruction& in, const Wave& wave, u16* values);
void commit32(const Instruction& in, Wave& wave, const u32* values);
void commit64(const Instruction& in, Wave& wave, const u64* values);
void commit16(const Instruction& in, Wave& wave, const u16* values);
void commit_mask(const Instruction& in, Wave& wave, u64 mask);

template <class R>
void commit(const Instruction& in, Wave& wave, Aliased<R>* r) {
  if constexpr (std::is_same_v<R, f32>) {
    if (in.float_output || wave.flush_f32) finish_f32(in, wave, reinterpret_cast<f32*>(r));
  }
  if constexpr (std::is_same_v<R, f64>) {
    if (in.float_output || wave.flush_wide_out) finish_f64(in, wave, r);
  }
  if constexpr (std::is_same_v<R, f16>) {
    if (in.float_output || wave.flush_wide_out) finish_f16(in, wave, reinterpret_cast<u16*>(r));
  }
  if constexpr (sizeof(R) == 4) {
    if (in.dst_select != SubDword::dword)
      commit32(in, wave, reinterpret_cast<const u32*>(r));
    else
      store_masked(wave.lanes(in.dst), reinterpret_cast<const u32*>(r), wave.exec());
  } else if constexpr (sizeof(R) == 8) {
    commit64(in, wave, reinterpret_cast<const u64*>(r));
  } else {
    commit16(in, wave, reinterpret_cast<const u16*>(r));
  }
}

// ---- lambda to handler
// --------------------------------------------------------------------------------------------------------

template <class F>
struct Signature;
template <class R, class... A>
struct Signature<R (*)(A...)> {
  using Result = R;
  static constexpr int count = sizeof...(A);
  using Args = std::tuple<std::remove_reference_t<A>...>;
  static constexpr bool has_flag = (std::is_same_v<A, bool&> || ...);
  static constexpr ValueType types[sizeof...(A) + 1] = {
      (std::is_same_v<A, bool&> ? ValueType::none : value_type<A>())...};
};
template <auto F>
using SignatureOf = Signature<decltype(+F)>;

// Position among the operands of argument i: lane numbers and flags take none.
template <class S>
constexpr int operand_of(int argument) {
  int at = 0;
  for (int i = 0; i < argument; ++i) at += S::types[i] != ValueType::none;
  return at;
}

template <auto F, class R, class... A, size_t... I>
[[gnu::always_inline]] inline void run_lanes(const Instruction& in, Wave& wave, std::index_sequence<I...>) {
  using S = SignatureOf<F>;
  std::tuple<Fetch<A>...> fetch;
  auto lanes = std::make_tuple(std::get<I>(fetch).get(in.src[operand_of<S>(I)], wave)...);
  if constexpr (S::has_flag) {
    alignas(64) u32 flags[kLanes];
    alignas(64) Aliased<R> r[kLanes];
    for (int l = 0; l < kLanes; ++l) {
      bool flag = false;
      r[l] = F(std::get<I>(fetch).at(std::get<I>(lanes), l)..., flag);
      flags[l] = flag;
    }
    u64 mask = collect_mask(flags) & wave.exec();
    commit<R>(in, wave, r);
    wave.set_mask(in.dst2, mask);
  } else if constexpr (std::is_same_v<R, bool>) {
    alignas(64) u32 flags[kLanes];
    for (int l = 0; l < kLanes; ++l) flags[l] = F(std::get<I>(fetch).at(std::get<I>(lanes), l)...);
    commit_mask(in, wave, collect_mask(flags));
  } else if constexpr (std::is_same_v<R, Half2> || std::is_same_v<R, Pair32>) {
    using Bits = std::conditional_t<std::is_same_v<R, Half2>, u32, u64>;
    alignas(64) Bits r[kLanes];
    for (int l = 0; l < kLanes; ++l) r[l] = F(std::get<I>(fetch).at(std::get<I>(lanes), l)...).bits;
    if constexpr (sizeof(Bits) == 4)
      store_masked(wave.lanes(in.dst), r, wave.exec());
    else
      commit64(in, wave, r);
  } else {
    alignas(64) Aliased<R> r[kLanes];
    for (int l = 0; l < kLanes; ++l) r[l] = F(std::get<I>(fetch).at(std::get<I>(lanes), l)...);
    commit<R>(in, wave, r);
  }
}

template <auto F, class S>
struct VectorHandler;
template <auto F, class R, class... A>
struct VectorHandler<F, R (*)(A...)> {
  static void execute(const Instruction& in, Wave& wave) {
    run_lanes<F, R, A...>(in, wave, std::index_sequence_for<A...>{});
  }
};
// The flag is the last argument.
template <auto F, class R, class A>
struct VectorHandler<F, R (*)(A, bool&)> {
  static void execute(const Instruction& in, Wave& wave) { run_lanes<F, R, A>(in, wave, std::index_sequence_for<A>{}); }
};
template <auto F, class R, class A, class B>
struct VectorHandler<F, R (*)(A, B, bool&)> {
  static void execute(const Instruction& in, Wave& wave) {
    run_lanes<F, R, A, B>(in, wave, std::index_sequence_for<A, B>{});
  }
};
template <auto F, class R, class A, class B, class C>
struct VectorHandler<F, R (*)(A, B, C, bool&)> {
  static void execute(const Instruction& in, Wave& wave) {
    run_lanes<F, R, A, B, C>(in, wave, std::index_sequence_for<A, B, C>{});
  }
};

// The flag is the last argument.
template <auto F, class R, class A, class B, class C, class D>
struct VectorHandler<F, R (*)(A, B, C, D, bool&)> {
  static void execute(const Instruction& in, Wave& wave) {
    run_lanes<F, R, A, B, C, D>(in, wave, std::index_sequence_for<A, B, C, D>{});
  }
};

template <auto F>
constexpr Operation row(const char* mnemonic) {
  using S = SignatureOf<F>;
  Operation op;
  op.mnemonic = mnemonic;
  op.execute = &VectorHandler<F, decltype(+F)>::execute;
  op.results[0] = value_type<typename S::Result>();
  if (S::has_flag) op.results[1] = ValueType::mask;
  int at = 0;
  for (int i = 0; i < S::count; ++i)
    if (S::types[i] != ValueType::none) op.sources[at++] = S::types[i];
  bool wide = op.results[0] == ValueType::f64;
  for (ValueType type : op.sources) wide = wide || type == ValueType::f64;
  op.instruction_class = wide ? InstructionClass::valu64 : InstructionClass::valu;
  bool packed = op.results[0] == ValueType::packed16 || op.results[0] == ValueType::packed32;
  for (ValueType type : op.sources) packed = packed || type == ValueType::packed16;
  op.flags = packed ? kPacked : 0;
  return op;
}

// Types of a lambda's arguments, with a handler that does its own work: for operations whose operands are ordinary.
template <auto F>
constexpr Operation typed(const char* mnemonic, Execute execute) {
  Operation op = row<F>(mnemonic);
  op.execute = execute;
  return op;
}

// Handlers that do their own reading of operands.
constexpr Operation custom(const char* mnemonic, Execute execute, InstructionClass c = InstructionClass::valu) {
  Operation op;
  op.mnemonic = mnemonic;
  op.execute = execute;
  op.instruction_class = c;
  op.flags = kFreeOperands;
  return op;
}

}  // namespace hipvault::isa
