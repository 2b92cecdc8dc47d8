#pragma once
// A lambda on scalars becomes a handler of the scalar unit; it takes SCC by reference where it writes or reads it.

#include "isa/lanes.h"

namespace hipvault::isa {

template <class T>
T scalar_operand(const Source& source, const Wave& wave) {
  if constexpr (std::is_same_v<T, f32>) {
    u32 bits = read_scalar32(source, wave);
    if (source.modifiers & kAbsolute) bits &= 0x7fffffff;
    if (source.modifiers & kNegate) bits ^= 0x80000000;
    if (wave.flush_f32_in && !(bits & 0x7f800000)) bits &= 0x80000000;
    return std::bit_cast<f32>(bits);
  } else if constexpr (std::is_same_v<T, f16>) {
    u32 bits = read_scalar32(source, wave) >> (source.modifiers & kHigh ? 16 : 0);
    if (source.modifiers & kAbsolute) bits &= 0x7fff;
    if (source.modifiers & kNegate) bits ^= 0x8000;
    if (wave.flush_wide_in && !(bits & 0x7c00)) bits &= 0x8000;
    return std::bit_cast<f16>(static_cast<u16>(bits));
  } else if constexpr (sizeof(T) == 8) {
    return static_cast<T>(read_scalar64(source, wave));
  } else {
    return static_cast<T>(read_scalar32(source, wave));
  }
}
template <class R>
void scalar_result(const Instruction& in, Wave& wave, R value) {
  if (in.dst == kNull) return;
  if constexpr (std::is_same_v<R, f32>) {
    u32 bits = std::bit_cast<u32>(value);
    if (wave.flush_f32_out && !(bits & 0x7f800000)) bits &= 0x80000000;
    wave.sgpr[in.dst] = bits;
  } else if constexpr (std::is_same_v<R, f16>) {
    u32 bits = std::bit_cast<u16>(value);
    wave.sgpr[in.dst] = wave.flush_wide_out && !(bits & 0x7c00) ? bits & 0x8000 : bits;
  } else if constexpr (sizeof(R) == 8)
    wave.set_pair(in.dst, static_cast<u64>(value));
  else
    wave.sgpr[in.dst] = static_cast<u32>(value);
}

template <auto F, class S>
struct ScalarHandler;
template <auto F, class R, class... A>
struct ScalarHandler<F, R (*)(A...)> {
  template <size_t... I>
  static void run(const Instruction& in, Wave& wave, std::index_sequence<I...>) {
    auto argument = [&]<class T>(std::type_identity<T>, size_t i) -> decltype(auto) {
      if constexpr (std::is_same_v<T, bool&>)
        return (wave.scc);
      else
        return scalar_operand<T>(in.src[i], wave);
    };
    if constexpr (std::is_void_v<R>)
      F(argument(std::type_identity<A>{}, I)...);
    else
      scalar_result<R>(in, wave, F(argument(std::type_identity<A>{}, I)...));
  }
  static void execute(const Instruction& in, Wave& wave) { run(in, wave, std::index_sequence_for<A...>{}); }
};

template <auto F>
constexpr Operation scalar(const char* mnemonic) {
  using S = SignatureOf<F>;
  Operation op;
  op.mnemonic = mnemonic;
  op.execute = &ScalarHandler<F, decltype(+F)>::execute;
  op.instruction_class = InstructionClass::salu;
  if constexpr (!std::is_void_v<typename S::Result>) op.results[0] = value_type<typename S::Result>();
  int at = 0;
  for (int i = 0; i < S::count; ++i)
    if (S::types[i] != ValueType::none) op.sources[at++] = S::types[i];
  return op;
}

template <class T>
void write_exec(Wave& wave, T value) {
  if constexpr (sizeof(T) == 8)
    wave.set_pair(kExec, value);
  else
    wave.sgpr[kExec] = value;
}

// d = exec; exec = F(source, exec).
template <auto F, class T = u64>
constexpr Operation saveexec(const char* mnemonic) {
  Operation op = scalar<[](T a) { return a; }>(mnemonic);
  op.execute = [](const Instruction& in, Wave& wave) {
    T source = scalar_operand<T>(in.src[0], wave), old = static_cast<T>(wave.exec());
    T next = static_cast<T>(F(source, old));
    scalar_result<T>(in, wave, old);
    write_exec<T>(wave, next);
    wave.scc = next != 0;
  };
  return op;
}

// exec = F(source, exec); d = exec.
template <auto F, class T = u64>
constexpr Operation wrexec(const char* mnemonic) {
  Operation op = scalar<[](T a) { return a; }>(mnemonic);
  op.execute = [](const Instruction& in, Wave& wave) {
    T next = static_cast<T>(F(scalar_operand<T>(in.src[0], wave), static_cast<T>(wave.exec())));
    write_exec<T>(wave, next);
    scalar_result<T>(in, wave, next);
    wave.scc = next != 0;
  };
  return op;
}

}  // namespace hipvault::isa
