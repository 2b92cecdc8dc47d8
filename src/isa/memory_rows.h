#pragma once
// What the tables of memory operations are made of.

#include "isa/numbers.h"

namespace hipvault::isa {

inline void go_to_machine(const Instruction& in, Wave& wave) { wave.machine->access_memory(in, wave); }

constexpr Operation memory_row(const char* mnemonic, InstructionClass c, MemoryAccess access) {
  Operation op = custom(mnemonic, &go_to_machine, c);
  op.memory = access;
  return op;
}
constexpr Operation load(const char* mnemonic, Space space, int bytes, bool sign = false, bool keep = false,
                         bool high = false) {
  MemoryAccess m;
  m.space = space, m.kind = AccessKind::load, m.bytes = static_cast<uint8_t>(bytes), m.sign_extend = sign,
  m.keep_other_half = keep, m.high = high;
  InstructionClass c = space == Space::lds      ? InstructionClass::lds
                       : space == Space::scalar ? InstructionClass::smem
                                                : InstructionClass::vmem_load;
  return memory_row(mnemonic, c, m);
}
constexpr Operation store(const char* mnemonic, Space space, int bytes, bool high = false) {
  MemoryAccess m;
  m.space = space, m.kind = AccessKind::store, m.bytes = static_cast<uint8_t>(bytes), m.high = high;
  return memory_row(mnemonic, space == Space::lds ? InstructionClass::lds : InstructionClass::vmem_store, m);
}
constexpr Operation to_lds(const char* mnemonic, Space space, int bytes, bool sign = false) {
  Operation op = load(mnemonic, space, bytes, sign);
  op.memory.kind = AccessKind::load_to_lds;
  return op;
}
constexpr Operation two(Operation op, int elements_apart) {
  op.memory.elements = 2;
  op.memory.stride = static_cast<uint8_t>(elements_apart);
  return op;
}
constexpr Operation atomic(const char* mnemonic, Space space, int bytes, AtomicFunction f, bool compares = false,
                           bool returns = false) {
  MemoryAccess m;
  m.space = space, m.kind = AccessKind::atomic, m.bytes = static_cast<uint8_t>(bytes), m.atomic = f,
  m.compares = compares, m.returns = returns;
  return memory_row(mnemonic, space == Space::lds ? InstructionClass::lds : InstructionClass::atomic, m);
}

// ---- what atomics do to a cell
// ----------------------------------------------------------------------------------------------

template <class T, auto F>
u64 on_ints(u64 old, u64 data, u64) {
  return static_cast<u64>(static_cast<std::make_unsigned_t<T>>(F(static_cast<T>(old), static_cast<T>(data))));
}
template <class T>
constexpr AtomicFunction kAdd = on_ints<T, [](T a, T b) { return static_cast<T>(a + b); }>;
template <class T>
constexpr AtomicFunction kSub = on_ints<T, [](T a, T b) { return static_cast<T>(a - b); }>;
template <class T>
constexpr AtomicFunction kReverseSub = on_ints<T, [](T a, T b) { return static_cast<T>(b - a); }>;
template <class T>
constexpr AtomicFunction kMin = on_ints<T, [](T a, T b) { return a < b ? a : b; }>;
template <class T>
constexpr AtomicFunction kMax = on_ints<T, [](T a, T b) { return a > b ? a : b; }>;
template <class T>
constexpr AtomicFunction kAnd = on_ints<T, [](T a, T b) { return static_cast<T>(a & b); }>;
template <class T>
constexpr AtomicFunction kOr = on_ints<T, [](T a, T b) { return static_cast<T>(a | b); }>;
template <class T>
constexpr AtomicFunction kXor = on_ints<T, [](T a, T b) { return static_cast<T>(a ^ b); }>;
template <class T>
constexpr AtomicFunction kInc = on_ints<T, [](T a, T b) { return a >= b ? T(0) : static_cast<T>(a + 1); }>;
template <class T>
constexpr AtomicFunction kDec = on_ints<T, [](T a, T b) { return a == 0 || a > b ? b : static_cast<T>(a - 1); }>;
template <class T>
constexpr AtomicFunction kSwap = on_ints<T, [](T, T b) { return b; }>;
inline u64 compare_swap(u64 old, u64 data, u64 compare) { return old == compare ? data : old; }
inline u64 compare_swap_f32(u64 old, u64 data, u64 compare) {
  return std::bit_cast<f32>(static_cast<u32>(old)) == std::bit_cast<f32>(static_cast<u32>(compare)) ? data : old;
}

template <auto F>
u64 on_f32(u64 old, u64 data, u64) {
  return std::bit_cast<u32>(F(std::bit_cast<f32>(static_cast<u32>(old)), std::bit_cast<f32>(static_cast<u32>(data))));
}
template <auto F>
u64 on_f64(u64 old, u64 data, u64) {
  return std::bit_cast<u64>(F(std::bit_cast<f64>(old), std::bit_cast<f64>(data)));
}
constexpr AtomicFunction kAddF32 = on_f32<[](f32 a, f32 b) { return a + b; }>;
constexpr AtomicFunction kMinF32 = on_f32<[](f32 a, f32 b) { return b < a || a != a ? b : a; }>;
constexpr AtomicFunction kMaxF32 = on_f32<[](f32 a, f32 b) { return b > a || a != a ? b : a; }>;
constexpr AtomicFunction kAddF64 = on_f64<[](f64 a, f64 b) { return a + b; }>;
constexpr AtomicFunction kMinF64 = on_f64<[](f64 a, f64 b) { return b < a || a != a ? b : a; }>;
constexpr AtomicFunction kMaxF64 = on_f64<[](f64 a, f64 b) { return b > a || a != a ? b : a; }>;

inline f32 half_value(u64 bits) { return static_cast<f32>(std::bit_cast<f16>(static_cast<u16>(bits))); }
inline u64 half_bits(f32 value) { return std::bit_cast<u16>(static_cast<f16>(value)); }
inline u64 add_pk_f16(u64 old, u64 data, u64) {
  return half_bits(half_value(old) + half_value(data)) | half_bits(half_value(old >> 16) + half_value(data >> 16))
                                                             << 16;
}
inline f32 brain_value(u64 bits) { return std::bit_cast<f32>(static_cast<u32>(bits & 0xffff) << 16); }
inline u64 brain_bits(f32 value) {
  u32 bits = std::bit_cast<u32>(value);
  if (value != value) return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
inline u64 add_pk_bf16(u64 old, u64 data, u64) {
  return brain_bits(brain_value(old) + brain_value(data)) | brain_bits(brain_value(old >> 16) + brain_value(data >> 16))
                                                                << 16;
}

}  // namespace hipvault::isa
