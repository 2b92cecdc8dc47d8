#include "differential/random_kernel.h"

namespace hipvault::test {

const char* const kRandomPrelude = R"(
typedef unsigned char u8; typedef unsigned short u16; typedef short i16; typedef unsigned int u32; typedef int i32;
typedef unsigned long long u64; typedef long long i64; typedef _Float16 f16; typedef float f32; typedef double f64;
#ifdef DEVICE
#define LANE static __attribute__((device))
#define SEPARATE __attribute__((noinline))
#define SYNC() do { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); } while (0)
#define UPDATE(op, p, v) (void)__hip_atomic_fetch_##op(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define UPDATE_LDS(op, p, v) (void)__hip_atomic_fetch_##op(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP)
#if WAVE == 64
#define BALLOT(c) __builtin_amdgcn_ballot_w64(c)
#else
#define BALLOT(c) ((u64)__builtin_amdgcn_ballot_w32(c))
#endif
#else
#define LANE static inline
#define SEPARATE
template <class T> static T do_add(T a, T b) { return a + b; }
template <class T> static T do_min(T a, T b) { return a < b ? a : b; }
template <class T> static T do_max(T a, T b) { return a > b ? a : b; }
template <class T> static T do_and(T a, T b) { return a & b; }
template <class T> static T do_or(T a, T b) { return a | b; }
template <class T> static T do_xor(T a, T b) { return a ^ b; }
#define UPDATE(op, p, v) (*(p) = do_##op(*(p), v))
#define UPDATE_LDS(op, p, v) UPDATE(op, p, v)
#endif
struct State { u32 u[3]; i32 i[3]; u64 m[2]; i64 l[2]; f32 f[3]; f64 d[2]; f16 h[2]; u16 w[2]; u8 b[2]; };
struct Ctx { int tid, bid; const u32* in; u32* sums; u64* wide; f32* fsum; u32* acc; };
LANE u32 bits(f32 x) { return x != x ? 0x7fc00000u : __builtin_bit_cast(u32, x); }
LANE u64 bits(f64 x) { return x != x ? 0x7ff8000000000000ull : __builtin_bit_cast(u64, x); }
// clang 22 makes (f16)(a * b) of f32 a v_fma_mixlo_f16 that adds +0, which loses the sign of a zero: not looked at.
LANE f16 unsigned_zero(f16 x) { return x == (f16)0.0 ? (f16)0.0 : x; }
LANE u32 bits(f16 x) { return x != x ? 0x7e00u : (u32)__builtin_bit_cast(u16, unsigned_zero(x)); }
#ifdef DEVICE
// clang 22 drops the other uses of a DPP move that it merges into one of them: the result is made opaque.
LANE u32 dpp(u32 x) { asm volatile("" : "+v"(x)); return x; }
// clang 22 divides a known number of 32 bits as if it had 24 when the remainder is small: numerators are not known.
template <class T> LANE T opaque(T x) { asm volatile("" : "+v"(x)); return x; }
#else
template <class T> LANE T opaque(T x) { return x; }
#endif
LANE i32 to_i32(f64 x) { return x != x ? 0 : x > 2e9 ? 2000000000 : x < -2e9 ? -2000000000 : (i32)x; }
LANE u32 to_u32(f32 x) { return x != x ? 0u : x > 4e9f ? 4000000000u : x < 0 ? 0u : (u32)x; }
LANE i64 to_i64(f64 x) { return x != x ? 0 : x > 9e18 ? 9000000000000000000ll : x < -9e18 ? -9000000000000000000ll : (i64)x; }
LANE void start(State& s, const Ctx& c) {
  const u32* p = c.in + (c.tid * 7 + c.bid * 31) % 200;
  for (int k = 0; k < 3; ++k) { s.u[k] = p[k]; s.i[k] = (i32)p[k + 3]; s.f[k] = (f32)(i32)p[k + 6] * (k == 0 ? 1.0f : 0x1p-20f); }
  for (int k = 0; k < 2; ++k) {
    s.m[k] = p[k + 9] | (u64)p[k + 11] << 32; s.l[k] = (i64)(p[k + 13] | (u64)p[k + 15] << 32); s.d[k] = (f64)(i32)p[k + 17] * (k ? 1e-3 : 1e6);
    s.h[k] = (f16)((f32)(i16)p[k + 19] * 0x1p-6f); s.w[k] = (u16)p[k + 21]; s.b[k] = (u8)p[k + 23];
  }
}
LANE void finish(const State& s, u32* out) {
  int n = 0;
  for (int k = 0; k < 3; ++k) { out[n++] = s.u[k]; out[n++] = (u32)s.i[k]; out[n++] = bits(s.f[k]); }
  for (int k = 0; k < 2; ++k) {
    out[n++] = (u32)s.m[k]; out[n++] = (u32)(s.m[k] >> 32); out[n++] = (u32)s.l[k]; out[n++] = (u32)((u64)s.l[k] >> 32);
    out[n++] = (u32)bits(s.d[k]); out[n++] = (u32)(bits(s.d[k]) >> 32); out[n++] = bits(s.h[k]);
    out[n++] = s.w[k] | (u32)s.b[k] << 16;
  }
  out[n++] = 0;
}
)";

namespace {

enum class Type { u32, i32, u64, i64, f32, f64, f16, u16, u8 };
constexpr Type kTypes[] = {Type::u32, Type::i32, Type::u64, Type::i64, Type::f32,
                           Type::f64, Type::f16, Type::u16, Type::u8};

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  RandomKernel make(const std::string& name) {
    RandomKernel kernel;
    kernel.name = name;
    constexpr int kBlocks[] = {64, 64, 32, 96, 128, 256};
    kernel.block = kBlocks[below(6)];
    int phases = 2 + below(4);
    for (int i = 0; i < phases; ++i) {
      kernel.phases.push_back(compute());
      if (i + 1 < phases) kernel.phases.push_back(exchange());
    }
    return kernel;
  }

 private:
  int below(int n) { return static_cast<int>(random_.below(static_cast<uint64_t>(n))); }
  bool chance(int percent) { return below(100) < percent; }
  std::string number(int n) { return std::to_string(n); }

  static bool is_float(Type t) { return t == Type::f32 || t == Type::f64 || t == Type::f16; }
  static const char* name(Type t) {
    constexpr const char* kNames[] = {"u32", "i32", "u64", "i64", "f32", "f64", "f16", "u16", "u8"};
    return kNames[static_cast<int>(t)];
  }
  std::string variable(Type t) {
    constexpr const char* kFields[] = {"u", "i", "m", "l", "f", "d", "h", "w", "b"};
    int count = t == Type::u32 || t == Type::i32 || t == Type::f32 ? 3 : 2;
    return std::string("s.") + kFields[static_cast<int>(t)] + "[" + number(below(count)) + "]";
  }
  Type any_type() { return kTypes[below(9)]; }

  std::string constant(Type t) {
    constexpr const char* kInts[] = {"0", "1", "2", "7", "31", "100", "255", "0x7fff", "0x12345", "0x7fffffff"};
    constexpr const char* kFloats[] = {"0.0", "1.0", "-1.0", "0.5", "3.25", "1e-3", "-2.0", "1000.0", "0.1"};
    if (is_float(t)) return std::string("(") + name(t) + ")" + kFloats[below(9)];
    return std::string("(") + name(t) + ")" + kInts[below(10)];
  }
  std::string leaf(Type t) {
    if (chance(20)) return constant(t);
    if (chance(10) && !is_float(t)) return std::string("(") + name(t) + ")" + (chance(50) ? "c.tid" : "c.bid");
    if (chance(10) && loops_ > 0 && !is_float(t)) return std::string("(") + name(t) + ")k" + number(below(loops_));
    if (chance(8) && t == Type::u32) return "c.in[" + leaf(Type::u32) + " & 255]";
    return variable(t);
  }

  // An expression of type t; small integers wrap by a cast.
  std::string expression(Type t, int depth) {
    if (depth <= 0) return leaf(t);
    if (chance(12)) return convert(t, depth - 1);
    if (chance(8))
      return "(" + condition(depth - 1) + " ? " + expression(t, depth - 1) + " : " + expression(t, depth - 1) + ")";
    std::string a = expression(t, depth - 1), b = expression(t, depth - 1);
    return is_float(t) ? float_operation(t, a, b, depth) : int_operation(t, a, b);
  }
  std::string float_operation(Type t, const std::string& a, const std::string& b, int depth) {
    std::string suffix = t == Type::f32 ? "f" : "", type = name(t);
    int what = below(t == Type::f16 ? 7 : 11);
    switch (what) {
      case 0:
      case 1:
        return "(" + type + ")(" + a + " + " + b + ")";
      case 2:
        return "(" + type + ")(" + a + " - " + b + ")";
      case 3:
      case 4:
        return "(" + type + ")(" + a + " * " + b + ")";
      case 5:
        return "(" + type + ")(-" + a + ")";
      case 6:
        return "(" + a + " < " + b + " ? " + a + " : " + b + ")";
      case 7:
        return "(" + a + " / " + b + ")";
      case 8:
        return "__builtin_fma" + suffix + "(" + a + ", " + b + ", " + expression(t, depth - 1) + ")";
      case 9:
        return "__builtin_sqrt" + suffix + "(__builtin_fabs" + suffix + "(" + a + "))";
      default: {
        constexpr const char* kRounds[] = {"__builtin_floor", "__builtin_ceil", "__builtin_trunc", "__builtin_fabs",
                                           "__builtin_rint"};
        return std::string(kRounds[below(5)]) + suffix + "(" + a + ")";
      }
    }
  }
  std::string int_operation(Type t, const std::string& a, const std::string& b) {
    bool wide = t == Type::u64 || t == Type::i64, sign = t == Type::i32 || t == Type::i64;
    std::string type = name(t), as_unsigned = wide ? "u64" : "u32";
    auto wrap = [&](const std::string& e) { return "(" + type + ")(" + e + ")"; };
    auto u = [&](const std::string& e) { return "(" + as_unsigned + ")" + e; };
    std::string shift = u(b) + (wide ? " & 63" : " & 31");
    switch (below(19)) {
      case 0:
      case 1:
        return wrap(u(a) + " + " + u(b));
      case 2:
        return wrap(u(a) + " - " + u(b));
      case 3:
      case 4:
        return wrap(u(a) + " * " + u(b));
      case 5:
        return wrap(a + " & " + b);
      case 6:
        return wrap(a + " | " + b);
      case 7:
        return wrap(a + " ^ " + b);
      case 8:
        return wrap(u(a) + " << (" + shift + ")");
      case 9:
        return wrap(a + " >> (" + (t == Type::u16 || t == Type::u8 ? u(b) + " & 7" : shift) + ")");
      case 10:
        return wrap((t == Type::u32 || t == Type::i32 ? "opaque(" + a + ")" : a) + (chance(50) ? " / (" : " % (") +
                    "(" + b + " & (" + type + ")0x7fff) | (" + type + ")1)");
      case 11:
        return "(" + a + " < " + b + " ? " + a + " : " + b + ")";
      case 12:
        return wrap(sign ? u(a) + " * 3 + " + u(b) : "~" + a);
      case 13:
        return wide ? wrap("__builtin_popcountll(" + u(a) + ")") : wrap("__builtin_popcount(" + u(a) + ")");
      case 14:
        return wide ? wrap("__builtin_clzll(" + u(a) + " | 1)") : wrap("__builtin_clz(" + u(a) + " | 1)");
      case 15:
        return wide ? wrap("__builtin_ctzll(" + u(a) + " | 0x100)") : wrap("__builtin_ctz(" + u(a) + " | 0x100)");
      case 16:
        return wide ? wrap("__builtin_bitreverse64(" + u(a) + ")") : wrap("__builtin_bitreverse32(" + u(a) + ")");
      case 17:
        return wide ? wrap("__builtin_rotateleft64(" + u(a) + ", " + u(b) + " & 63)")
                    : wrap("__builtin_rotateleft32(" + u(a) + ", " + u(b) + " & 31)");
      default:
        return wide ? wrap("(u64)(u32)" + a + " * (u32)" + b)
                    : wrap("(u32)((u64)(u32)" + a + " * (u32)" + b + " >> 32)");
    }
  }
  std::string convert(Type t, int depth) {
    Type from = any_type();
    std::string e = expression(from, depth), type = name(t);
    if (from == Type::f16) e = "unsigned_zero(" + e + ")";
    if (is_float(t) && is_float(from)) return "(" + type + ")" + e;
    if (is_float(t)) return t == Type::f16 ? "(f16)(f32)(" + e + ")" : "(" + type + ")(" + e + ")";
    if (!is_float(from)) return "(" + type + ")(" + e + ")";
    if (chance(25)) return "(" + type + ")bits(" + e + ")";
    std::string wide = "(f64)(" + e + ")";
    if (t == Type::u32) return "to_u32((f32)" + e + ")";
    if (t == Type::i64 || t == Type::u64) return "(" + type + ")to_i64(" + wide + ")";
    return "(" + type + ")to_i32(" + wide + ")";
  }
  std::string condition(int depth) {
    constexpr const char* kOps[] = {"<", "<=", ">", ">=", "==", "!="};
    if (chance(15)) return "((" + expression(Type::u32, depth) + ") & " + number(1 << below(6)) + ")";
    Type t = any_type();
    std::string one = "(" + expression(t, depth) + " " + kOps[below(6)] + " " + expression(t, depth) + ")";
    if (depth > 0 && chance(15)) return "(" + one + (chance(50) ? " && " : " || ") + condition(depth - 1) + ")";
    return one;
  }

  Statement line(std::string text) {
    Statement s;
    s.text = std::move(text);
    return s;
  }
  Statement assignment() {
    Type t = any_type();
    return line(variable(t) + " = " + expression(t, 1 + below(3)) + ";");
  }
  Statement update() {
    constexpr const char* kOps[] = {"add", "and", "or", "xor", "min", "max"};
    std::string at = "[(" + expression(Type::u32, 1) + ") & 63]";
    // One operation a kernel and array: mixed ones would depend on the order.
    switch (below(4)) {
      case 0:
        return line("UPDATE(" + std::string(kOps[sum_op_]) + ", &c.sums" + at + ", " + expression(Type::u32, 1) + ");");
      case 1:
        return line("UPDATE(" + std::string(kOps[wide_op_]) + ", &c.wide" + at + ", " + expression(Type::u64, 1) +
                    ");");
      case 2:
        return line("UPDATE(add, &c.fsum" + at + ", (f32)((" + expression(Type::u32, 1) + ") & 15));");
      default:
        return line("UPDATE_LDS(" + std::string(kOps[lds_op_]) + ", &c.acc[(" + expression(Type::u32, 1) + ") & 15], " +
                    expression(Type::u32, 1) + ");");
    }
  }
  Statement array() {
    Type t = any_type();
    std::string type = name(t), id = "q" + number(arrays_++);
    Statement s;
    s.block = true;
    s.text = "";
    s.body.push_back(line(type + " " + id + "[8];\n  for (int z = 0; z < 8; ++z) " + id + "[z] = (" + type + ")(" +
                          (is_float(t) ? "" : "(u64)") + expression(t, 1) + " + (" + type + ")z);"));
    s.body.push_back(line(id + "[(" + expression(Type::u32, 1) + ") & 7] = " + expression(t, 1) + ";"));
    s.body.push_back(line(variable(t) + " = " + id + "[(" + expression(Type::u32, 1) + ") & 7];"));
    return s;
  }
  Statement statement(int depth) {
    int what = below(100);
    if (depth > 0 && what < 18) {
      Statement s;
      s.block = true;
      s.text = "if (" + condition(2) + ")";
      s.body = statements(depth - 1);
      if (chance(50)) s.otherwise = statements(depth - 1);
      return s;
    }
    if (depth > 0 && what < 30) {
      Statement s;
      s.block = true;
      std::string k = "k" + number(loops_),
                  limit = chance(50) ? number(1 + below(5)) : "(int)((" + expression(Type::u32, 1) + ") & 3) + 1";
      s.text = "for (int " + k + " = 0, n" + k + " = " + limit + "; " + k + " < n" + k + "; ++" + k + ")";
      ++loops_;
      s.body = statements(depth - 1);
      if (chance(20)) s.body.push_back(line("if (" + condition(1) + ") " + (chance(50) ? "break;" : "continue;")));
      --loops_;
      return s;
    }
    if (what < 36) return array();
    if (what < 46) return update();
    return assignment();
  }
  std::vector<Statement> statements(int depth) {
    std::vector<Statement> list;
    for (int n = 1 + below(4); n > 0; --n) list.push_back(statement(depth));
    return list;
  }
  Phase compute() {
    Phase phase;
    phase.separate = chance(15);
    phase.code = statements(2);
    return phase;
  }

  // `e` is the phase's index expression; w: lanes of a wave, t: the lane's number in the group.
  Phase exchange() {
    Phase phase;
    phase.index = expression(Type::u32, 1);
    std::string from = "u[" + number(below(3)) + "]", to = "u[" + number(below(3)) + "]";
    switch (below(6)) {
      case 0:  // through LDS
        phase.device =
            "SYNC(); lds[c.tid] = s." + from + "; SYNC(); { u32 got = lds[$ % BLOCK]; SYNC(); s." + to + " = got; }";
        phase.host =
            "for (int t = 0; t < BLOCK; ++t) lds[t] = all[t]." + from + "; EACH(all[t]." + to + " = lds[$ % BLOCK]);";
        break;
      case 1:  // lanes by computed number
        phase.device = "s." + to + " = (u32)__builtin_amdgcn_ds_bpermute((i32)($ % LANES) * 4, (i32)s." + from + ");";
        phase.host = "SNAPSHOT(" + from + "); EACH(all[t]." + to +
                     " = shuffled(old, BLOCK, t / WAVE * WAVE + (int)($ % LANES)));";
        break;
      case 2: {  // DPP within rows of 16: shifts, rotations, quads
        int shift = 1 + below(15);
        bool rotate = chance(50);
        std::string control = number((rotate ? 0x120 : 0x110) + shift);
        phase.device = "s." + to + " = dpp((u32)__builtin_amdgcn_update_dpp(0, (i32)s." + from + ", " + control +
                       ", 15, 15, true));";
        std::string source = rotate ? "(t & ~15) + ((t - " + number(shift) + ") & 15)"
                                    : "((t & 15) >= " + number(shift) + " ? t - " + number(shift) + " : -1)";
        phase.host = "SNAPSHOT(" + from + "); EACH(all[t]." + to + " = shuffled(old, BLOCK, " + source + "));";
        break;
      }
      case 3: {
        int control = below(256);
        phase.device = "s." + to + " = dpp((u32)__builtin_amdgcn_update_dpp(0, (i32)s." + from + ", " +
                       number(control) + ", 15, 15, true));";
        phase.host = "SNAPSHOT(" + from + "); EACH(all[t]." + to + " = shuffled(old, BLOCK, (t & ~3) + (" +
                     number(control) + " >> (2 * (t & 3)) & 3)));";
        break;
      }
      case 4:  // ballots
        phase.device = "s.m[0] += BALLOT(($ & 1) != 0);";
        phase.host =
            "u64 votes[16] = {}; EACH(votes[t / WAVE] |= (u64)($ & 1) << (t % WAVE)); EACH(all[t].m[0] += votes[t / "
            "WAVE]);";
        break;
      default:  // sums in LDS
        phase.device = "SYNC(); s." + to + " += c.acc[$ & 15]; SYNC();";
        phase.host = "EACH(all[t]." + to + " += acc[$ & 15]);";
    }
    return phase;
  }

  Random random_;
  int loops_ = 0, arrays_ = 0;
  int sum_op_ = below(6), wide_op_ = below(6), lds_op_ = below(6);
};

void print(const std::vector<Statement>& list, int depth, std::string& out) {
  std::string pad(static_cast<size_t>(2 * depth), ' ');
  for (const Statement& s : list) {
    if (!s.block) {
      out += pad + s.text + "\n";
      continue;
    }
    out += pad + s.text + " {\n";
    print(s.body, depth + 1, out);
    out += pad + "}";
    if (!s.otherwise.empty()) {
      out += " else {\n";
      print(s.otherwise, depth + 1, out);
      out += pad + "}";
    }
    out += "\n";
  }
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

void shrink_list(std::vector<Statement>& list, const RandomKernel& whole, std::vector<RandomKernel>& smaller) {
  for (size_t i = 0; i < list.size(); ++i) {
    Statement kept = list[i];
    list.erase(list.begin() + static_cast<int64_t>(i));
    smaller.push_back(whole);
    list.insert(list.begin() + static_cast<int64_t>(i), kept);
    if (!list[i].block || list[i].text.empty()) continue;
    if (!kept.otherwise.empty()) {
      list[i].otherwise.clear();
      smaller.push_back(whole);
      list[i] = kept;
    }
    shrink_list(list[i].body, whole, smaller);
    shrink_list(list[i].otherwise, whole, smaller);
  }
}

}  // namespace

std::string RandomKernel::text() const {
  std::string out, device, host, size = std::to_string(block);
  for (size_t i = 0; i < phases.size(); ++i) {
    const Phase& p = phases[i];
    std::string f = name + "_" + std::to_string(i);
    if (p.device.empty()) {
      out += std::string("LANE ") + (p.separate ? "SEPARATE " : "") + "void " + f + "(State& s, const Ctx& c) {\n";
      print(p.code, 1, out);
      out += "}\n";
      device += "  " + f + "(s, c);\n";
      host += "    for (int t = 0; t < " + size + "; ++t) " + f + "(all[t], ctx(t));\n";
      continue;
    }
    out += "LANE u32 " + f + "(const State& s, const Ctx& c) { return " + p.index + "; }\n";
    std::string d = p.device, h = p.host;
    replace_all(d, "$", f + "(s, c)");
    replace_all(h, "$", f + "(was[t], ctx(t))");
    // A lane that the last wave does not have must not be asked for: what it holds is not defined.
    std::string lanes = block % 64 == 0 ? "WAVE" : "32";
    replace_all(d, "LANES", lanes);
    replace_all(h, "LANES", lanes);
    replace_all(d, "BLOCK", size);
    replace_all(h, "BLOCK", size);
    device += "  " + d + "\n";
    host += "    { for (int t = 0; t < " + size + "; ++t) was[t] = all[t]; " + h + " }\n";
  }
  out += "#ifdef DEVICE\nextern \"C\" __attribute__((global)) void " + name +
         "(const u32* in, u32* sums, u64* wide, f32* fsum, u32* out) {\n"
         "  __attribute__((shared)) u32 lds[" +
         size +
         "];\n  __attribute__((shared)) u32 acc[16];\n"
         "  Ctx c = {(int)__builtin_amdgcn_workitem_id_x(), (int)__builtin_amdgcn_workgroup_id_x(), in, sums, wide, "
         "fsum, acc};\n"
         "  if (c.tid < 16) acc[c.tid] = 5;\n  SYNC();\n  State s;\n  start(s, c);\n" +
         device + "  finish(s, out + (c.bid * " + size + " + c.tid) * 26);\n}\n#else\nextern \"C\" void " + name +
         "(const u32* in, u32* sums, u64* wide, f32* fsum, u32* out) {\n"
         "  for (int bid = 0; bid < " +
         std::to_string(groups) +
         "; ++bid) {\n    static State all[1024], was[1024];\n"
         "    u32 lds[1024], acc[16], old[1024];\n    (void)lds; (void)old;\n    for (u32& a : acc) a = 5;\n"
         "    auto ctx = [&](int t) { return Ctx{t, bid, in, sums, wide, fsum, acc}; };\n"
         "#define EACH(x) for (int t = 0; t < " +
         size + "; ++t) x\n#define SNAPSHOT(v) for (int t = 0; t < " + size +
         "; ++t) old[t] = all[t].v\n"
         "    auto shuffled = [](const u32* from, int block, int l) { return l < 0 || l >= block ? 0u : from[l]; };\n"
         "    (void)shuffled;\n    for (int t = 0; t < " +
         size + "; ++t) start(all[t], ctx(t));\n" + host + "    for (int t = 0; t < " + size +
         "; ++t) finish(all[t], out + (bid * " + size +
         " + t) * 26);\n"
         "#undef EACH\n#undef SNAPSHOT\n  }\n}\n#endif\n";
  return out;
}

RandomKernel make_random_kernel(uint64_t seed, const std::string& name) { return Maker(seed).make(name); }

std::vector<RandomKernel> shrink(const RandomKernel& kernel) {
  std::vector<RandomKernel> smaller;
  RandomKernel whole = kernel;
  for (size_t i = 0; i < whole.phases.size(); ++i) {
    Phase kept = whole.phases[i];
    whole.phases.erase(whole.phases.begin() + static_cast<int64_t>(i));
    smaller.push_back(whole);
    whole.phases.insert(whole.phases.begin() + static_cast<int64_t>(i), kept);
  }
  for (Phase& phase : whole.phases) shrink_list(phase.code, whole, smaller);
  return smaller;
}

}  // namespace hipvault::test
