// Permutations of lanes by the vector unit: within rows of 16, across rows, halves of the wave.
#include "isa/lanes.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

// Lane l takes lane from(l) of the source; inactive source lanes count unless fetch-inactive is asked for, and then the
// destination keeps its value (op_sel[1], bound control, makes that a zero).
template <class From>
void permute(const Instruction& in, Wave& wave, From from) {
  alignas(64) u32 data[kLanes], r[kLanes];
  fetch_dwords(in.src[0], wave, 0, data);
  int options = in.decoded->modifiers.op_sel;
  bool fetch_inactive = options & 1, zero = options & 2;
  u64 exec = wave.exec(), write = exec;
  for (int l = 0; l < kLanes; ++l) {
    int source = from(l);
    bool valid = fetch_inactive || (exec >> source & 1);
    r[l] = valid ? data[source] : 0;
    if (!valid && !zero) write &= ~(u64{1} << l);
  }
  store_masked(wave.lanes(in.dst), r, write);
}

template <bool kOther>
void permute_row(const Instruction& in, Wave& wave) {
  u64 select = read_scalar32(in.src[1], wave) | static_cast<u64>(read_scalar32(in.src[2], wave)) << 32;
  permute(in, wave,
          [&](int l) { return ((l & ~15) ^ (kOther ? 16 : 0)) | static_cast<int>(select >> (4 * (l & 15)) & 15); });
}
template <bool kOther>
void permute_row_by_lane(const Instruction& in, Wave& wave) {
  alignas(64) u32 select[kLanes];
  fetch_dwords(in.src[1], wave, 0, select);
  permute(in, wave, [&](int l) { return ((l & ~15) ^ (kOther ? 16 : 0)) | static_cast<int>(select[l] & 15); });
}

// The two halves of a wave of 64 change places; a wave of 32 has no other half.
void exchange_halves(const Instruction& in, Wave& wave) {
  alignas(64) u32 data[kLanes], r[kLanes];
  fetch_dwords(in.src[0], wave, 0, data);
  int apart = wave.wave32 ? 0 : 32;
  for (int l = 0; l < kLanes; ++l) r[l] = data[l ^ apart];
  store_masked(wave.lanes(in.dst), r, wave.exec());
}

// Odd blocks of `size` lanes of the destination change places with even ones of the source.
template <int kSize>
void swap_blocks(const Instruction& in, Wave& wave) {
  u32* to = wave.lanes(in.dst);
  u32* from = wave.lanes(in.src[0].reg);
  u64 exec = wave.exec();
  for (int l = 0; l < kLanes; ++l) {
    if (l & kSize) continue;
    // Both lanes of an exchange have to be active for their own register.
    u32 high = to[l + kSize], low = from[l];
    if (exec >> (l + kSize) & 1) to[l + kSize] = low;
    if (exec >> l & 1) from[l] = high;
  }
}

constexpr InstructionClass kValu = InstructionClass::valu;

constexpr Operation kRows[] = {
    typed<[](u32 a, u32 b, u32 c) { return a ^ b ^ c; }>("v_permlane16_b32", &permute_row<false>),
    typed<[](u32 a, u32 b, u32 c) { return a ^ b ^ c; }>("v_permlanex16_b32", &permute_row<true>),
    typed<[](u32 a, u32 b) { return a ^ b; }>("v_permlane16_var_b32", &permute_row_by_lane<false>),
    typed<[](u32 a, u32 b) { return a ^ b; }>("v_permlanex16_var_b32", &permute_row_by_lane<true>),
    typed<[](u32 a) { return a; }>("v_permlane64_b32", &exchange_halves),
    typed<[](u32 a) { return a; }>("v_permlane16_swap_b32", &swap_blocks<16>).as(kValu, Fidelity::assumed),
    typed<[](u32 a) { return a; }>("v_permlane32_swap_b32", &swap_blocks<32>).as(kValu, Fidelity::assumed),
};

}  // namespace

std::span<const Operation> permlane_rows() { return kRows; }

}  // namespace hipvault::isa
