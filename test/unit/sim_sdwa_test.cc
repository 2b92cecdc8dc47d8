// SDWA: every selection of the sources and of the destination, with sign extension and the three fates of the rest of
// the destination, as inline assembly against a host loop written from the ISA document: select, operate, place.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "support/hip_kernels.h"
#include "support/sim_run.h"

namespace hipvault {
namespace {

using test::SimRun;
using test::summary;

constexpr const char* kParts[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
constexpr int kShift[] = {0, 8, 16, 24, 0, 16, 0}, kWidth[] = {8, 8, 8, 8, 16, 16, 32};
constexpr const char* kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};

uint32_t selected(uint32_t value, int part, bool sign) {
  int left = 32 - kShift[part] - kWidth[part], right = 32 - kWidth[part];
  uint32_t top = value << left;
  return sign ? static_cast<uint32_t>(static_cast<int32_t>(top) >> right) : top >> right;
}

uint32_t placed(uint32_t result, uint32_t old, int part, int unused) {
  if (kWidth[part] == 32) return result;
  uint32_t out = unused == 2 ? old : 0;
  bool ones = unused == 1 && (result >> (kWidth[part] - 1) & 1);
  for (int bit = kShift[part]; bit < 32; ++bit) {
    int from = bit - kShift[part];
    bool inside = from < kWidth[part];
    if (!inside && unused == 2) continue;
    bool set = inside ? result >> from & 1 : ones;
    out = (out & ~(1u << bit)) | static_cast<uint32_t>(set) << bit;
  }
  return out;
}

enum class Format { one_source, two_sources, carry, compare };
struct Op {
  const char* mnemonic;
  Format format;
  bool integer;  // takes sext; else -|x|
  int bits;      // of an operand
  uint32_t (*host)(uint32_t a, uint32_t b);
};

int16_t i16(uint32_t x) { return static_cast<int16_t>(x); }
uint16_t u16(uint32_t x) { return static_cast<uint16_t>(x); }

uint32_t f16_product(uint32_t a, uint32_t b) {
  uint16_t x = u16(a), y = u16(b), z;
  _Float16 f, g;
  std::memcpy(&f, &x, 2), std::memcpy(&g, &y, 2);
  _Float16 product = static_cast<_Float16>(static_cast<float>(f) * static_cast<float>(g));
  std::memcpy(&z, &product, 2);
  return z;
}

const Op kOps[] = {
    {"v_mov_b32", Format::one_source, true, 32, [](uint32_t a, uint32_t) { return a; }},
    {"v_not_b32", Format::one_source, true, 32, [](uint32_t a, uint32_t) { return ~a; }},
    {"v_cvt_f32_u32", Format::one_source, true, 32,
     [](uint32_t a, uint32_t) {
       float f = static_cast<float>(a);
       uint32_t bits;
       std::memcpy(&bits, &f, 4);
       return bits;
     }},
    {"v_and_b32", Format::two_sources, true, 32, [](uint32_t a, uint32_t b) { return a & b; }},
    {"v_add_u32", Format::two_sources, true, 32, [](uint32_t a, uint32_t b) { return a + b; }},
    {"v_lshlrev_b32", Format::two_sources, true, 32, [](uint32_t a, uint32_t b) { return b << (a & 31); }},
    {"v_mul_u32_u24", Format::two_sources, true, 32,
     [](uint32_t a, uint32_t b) { return (a & 0xffffff) * (b & 0xffffff); }},
    {"v_sub_u16", Format::two_sources, true, 16, [](uint32_t a, uint32_t b) { return uint32_t{u16(a - b)}; }},
    {"v_max_i16", Format::two_sources, true, 16,
     [](uint32_t a, uint32_t b) { return uint32_t{u16(static_cast<uint32_t>(std::max(i16(a), i16(b))))}; }},
    {"v_mul_f16", Format::two_sources, false, 16, f16_product},
    {"v_add_co_u32", Format::carry, true, 32, [](uint32_t a, uint32_t b) { return a + b; }},
    {"v_cmp_lt_i16", Format::compare, true, 16, [](uint32_t a, uint32_t b) { return uint32_t{i16(a) < i16(b)}; }},
    {"v_cmp_eq_u16", Format::compare, true, 16, [](uint32_t a, uint32_t b) { return uint32_t{u16(a) == u16(b)}; }},
    {"v_cmp_gt_i32", Format::compare, true, 32,
     [](uint32_t a, uint32_t b) { return uint32_t{static_cast<int32_t>(a) > static_cast<int32_t>(b)}; }},
    {"v_cmp_lt_u32", Format::compare, true, 32, [](uint32_t a, uint32_t b) { return uint32_t{a < b}; }},
};

struct Case {
  int src0 = 6, src1 = 6, dst = 6, unused = 0;
  bool modified0 = false, modified1 = false;  // sext(x), or -|x| of floats
};

// All pairs of source selections and all pairs of (destination, rest of it); the others take turns meanwhile. What the
// upper half of a whole 16-bit result holds is another matter than selection, and left out.
std::vector<Case> cases_of(const Op& op) {
  bool compare = op.format == Format::compare;
  std::vector<Case> cases;
  for (int turn = 0; turn < 2 * 49; ++turn) {
    Case c{turn / 7 % 7, turn % 7, turn % 7, turn / 7 % 3, turn % 2 != 0, turn / 2 % 2 != 0};
    if (op.format == Format::one_source) c.src1 = 6;
    if (compare) c.dst = 6, c.unused = 0;
    if (op.bits == 16 && !compare && c.dst == 6) c.dst = turn / 7 % 6;
    cases.push_back(c);
  }
  return cases;
}

std::string operand(const Op& op, const char* name, bool modified) {
  if (!modified) return name;
  return op.integer ? std::string("sext(") + name + ")" : std::string("-|") + name + "|";
}

std::string assembly(const Op& op, const Case& c) {
  bool one = op.format == Format::one_source, compare = op.format == Format::compare;
  std::string text = std::string(op.mnemonic) + "_sdwa ";
  text += compare ? "vcc" : op.format == Format::carry ? "%0, vcc" : "%0";
  text += ", " + operand(op, "%1", c.modified0);
  if (!one) text += ", " + operand(op, "%2", c.modified1);
  if (!compare) text += std::string(" dst_sel:") + kParts[c.dst] + " dst_unused:" + kUnused[c.unused];
  text += std::string(" src0_sel:") + kParts[c.src0];
  if (!one) text += std::string(" src1_sel:") + kParts[c.src1];
  return compare ? text + "\\n s_nop 1\\n v_cndmask_b32_e64 %0, 0, 1, vcc" : text;
}

std::string kernel_of(const Op& op, const std::vector<Case>& cases) {
  std::string text = std::string("extern \"C\" __global__ void k_") + op.mnemonic +
                     "(const u32* a, const u32* b, const u32* old, u32* out) {\n"
                     "u32 x = a[TID], y = b[TID], z = old[TID], r; out += TID;\n";
  for (const Case& c : cases)
    text += "r = z; asm volatile(\"" + assembly(op, c) +
            "\" : \"+v\"(r) : \"v\"(x), \"v\"(y) : \"vcc\"); *out = r; out += 64;\n";
  return text + "}\n";
}

uint32_t source_value(const Op& op, uint32_t raw, int part, bool modified) {
  uint32_t value = selected(raw, part, modified && op.integer);
  return modified && !op.integer ? value | 0x8000 : value;
}

TEST(SimSdwa, EverySelectionOfSourcesAndDestination) {
  std::string source;
  for (const Op& op : kOps) source += kernel_of(op, cases_of(op));
  std::string code = test::compile_kernels(source);
  Random random(7);
  std::vector<uint32_t> a(64), b(64), old(64);
  for (std::vector<uint32_t>* v : {&a, &b, &old})
    for (uint32_t& x : *v) x = static_cast<uint32_t>(random.next());
  for (size_t l = 0; l < 64; l += 4) b[l] = a[l], b[l + 1] = a[l + 1] << 8;  // so that equal parts occur
  for (const Op& op : kOps) {
    std::vector<Case> cases = cases_of(op);
    SimRun run(code, std::string("k_") + op.mnemonic);
    run.input(a).input(b).input(old).output<uint32_t>(64 * cases.size());
    ASSERT_EQ(summary(run.launch(1, 64)), "completed") << op.mnemonic;
    std::vector<uint32_t> out = run.values<uint32_t>(3);
    int wrong = 0;
    for (size_t i = 0; i < cases.size() && wrong < 3; ++i)
      for (size_t l = 0; l < 64 && wrong < 3; ++l) {
        const Case& c = cases[i];
        uint32_t x = source_value(op, a[l], c.src0, c.modified0), y = source_value(op, b[l], c.src1, c.modified1);
        bool nan = op.bits == 16 && !op.integer && ((x & 0x7fff) > 0x7c00 || (y & 0x7fff) > 0x7c00);
        if (nan) continue;  // payloads
        uint32_t expected = placed(op.host(x, y), old[l], c.dst, c.unused);
        if (out[64 * i + l] == expected) continue;
        ++wrong;
        ADD_FAILURE() << assembly(op, c) << ": of " << std::hex << a[l] << " and " << b[l] << " over " << old[l]
                      << " is " << out[64 * i + l] << ", expected " << expected;
      }
  }
}

}  // namespace
}  // namespace hipvault
