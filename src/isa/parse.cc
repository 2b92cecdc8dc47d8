// Text of one instruction -> Decoded. Example:
//   v_add_f32_dpp v1, v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf   ->  mnemonic v_add_f32, encoding dpp, operands v1
//   v2 v3
// Operands are split at commas outside brackets; what follows an operand after a space is a modifier.

#include <charconv>
#include <cstdlib>
#include <map>

#include "isa/decode.h"

namespace hipvault::isa {
namespace {

using Pieces = std::vector<std::string_view>;

// Splits at `separator` outside of () and [].
Pieces split(std::string_view text, char separator) {
  Pieces pieces;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : separator;
    depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    if (i < text.size() && (c != separator || depth > 0)) continue;
    if (i > begin) pieces.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return pieces;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// `-|v1|` style wrappers: strips prefix and suffix if both are there.
bool unwrap(std::string_view& text, std::string_view prefix, std::string_view suffix) {
  if (text.size() < prefix.size() + suffix.size() || !text.starts_with(prefix) || !text.ends_with(suffix)) return false;
  text = text.substr(prefix.size(), text.size() - prefix.size() - suffix.size());
  return true;
}

std::optional<int64_t> parse_int(std::string_view text) {
  bool negative = take_prefix(text, "-");
  bool hex = take_prefix(text, "0x");
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return static_cast<int64_t>(negative ? 0 - value : value);
}

const std::map<std::string_view, std::pair<int, int>>& named_registers() {
  static const std::map<std::string_view, std::pair<int, int>> names = {{"vcc", {kVcc, 2}},
                                                                        {"vcc_lo", {kVcc, 1}},
                                                                        {"vcc_hi", {kVcc + 1, 1}},
                                                                        {"exec", {kExec, 2}},
                                                                        {"exec_lo", {kExec, 1}},
                                                                        {"exec_hi", {kExec + 1, 1}},
                                                                        {"m0", {kM0, 1}},
                                                                        {"null", {kNull, 1}},
                                                                        {"flat_scratch", {kFlatScratch, 2}},
                                                                        {"flat_scratch_lo", {kFlatScratch, 1}},
                                                                        {"flat_scratch_hi", {kFlatScratch + 1, 1}},
                                                                        {"xnack_mask", {kXnackMask, 2}},
                                                                        {"xnack_mask_lo", {kXnackMask, 1}},
                                                                        {"xnack_mask_hi", {kXnackMask + 1, 1}}};
  return names;
}

bool is_special(std::string_view text) {
  return text == "scc" || text == "vccz" || text == "execz" || text.starts_with("src_");
}

// "v5", "v[4:7]", "s[0:1]", "a3", "ttmp4", "vcc".
bool parse_register(std::string_view text, DecodedOperand& operand) {
  auto named = named_registers().find(text);
  if (named != named_registers().end()) {
    operand.kind = OperandKind::scalar;
    operand.first = named->second.first;
    operand.count = named->second.second;
    return true;
  }
  int base = 0, limit = 256;
  if (take_prefix(text, "ttmp"))
    operand.kind = OperandKind::scalar, base = kTtmp, limit = 16;
  else if (take_prefix(text, "s"))
    operand.kind = OperandKind::scalar, limit = 106;
  else if (take_prefix(text, "v"))
    operand.kind = OperandKind::vector;
  else if (take_prefix(text, "a"))
    operand.kind = OperandKind::vector, operand.accumulator = true;
  else
    return false;
  if (text.ends_with(".l") || text.ends_with(".h")) {
    operand.half = text.back() == 'l' ? 1 : 2;
    text.remove_suffix(2);
  }
  int64_t last = 0;
  if (unwrap(text, "[", "]")) {
    size_t colon = text.find(':');
    std::optional<int64_t> from = parse_int(text.substr(0, colon));
    std::optional<int64_t> to = colon == std::string_view::npos ? from : parse_int(text.substr(colon + 1));
    if (!from || !to) return false;
    operand.first = static_cast<int>(*from), last = *to;
  } else {
    std::optional<int64_t> index = text.empty() || text[0] == '-' ? std::nullopt : parse_int(text);
    if (!index || text.starts_with("0x")) return false;
    operand.first = static_cast<int>(*index), last = *index;
  }
  if (operand.first < 0 || last < operand.first || last >= limit) return false;
  operand.count = static_cast<int>(last) - operand.first + 1;
  operand.first += base;
  return true;
}

bool parse_number(std::string_view text, DecodedOperand& operand) {
  if (unwrap(text, "lit64(", ")") || unwrap(text, "lit(", ")")) {
  }
  if (std::optional<int64_t> value = parse_int(text)) {
    operand.kind = OperandKind::integer;
    operand.integer = *value;
    return true;
  }
  if (text.empty() || text.find('.') == std::string_view::npos) return false;
  std::string copy(text);
  char* end = nullptr;
  operand.floating = std::strtod(copy.c_str(), &end);
  operand.kind = OperandKind::floating;
  return *end == 0;
}

bool parse_operand(std::string_view text, DecodedOperand& operand) {
  operand.text = std::string(text);
  if (text == "off") return operand.kind = OperandKind::off, true;
  if (parse_number(text, operand)) return true;
  if (unwrap(text, "neg(", ")"))
    operand.negate = true;
  else if (take_prefix(text, "-"))
    operand.negate = true;
  if (unwrap(text, "|", "|") || unwrap(text, "abs(", ")")) operand.absolute = true;
  if (unwrap(text, "sext(", ")")) operand.sign_extend = true;
  if (is_special(text)) return operand.kind = OperandKind::special, operand.text = std::string(text), true;
  if (parse_register(text, operand)) return true;
  if (parse_number(text, operand)) return true;
  return operand.kind = OperandKind::other, text.find('(') != std::string_view::npos;
}

// "[0,1,1]" -> mask, bit i = entry i.
bool parse_mask(std::string_view text, int& mask) {
  if (!unwrap(text, "[", "]")) return false;
  mask = 0;
  int bit = 0;
  for (std::string_view piece : split(text, ',')) {
    if (trim(piece) != "0" && trim(piece) != "1") return false;
    mask |= (trim(piece) == "1") << bit++;
  }
  return bit <= 4;
}

bool parse_quad_perm(std::string_view text, int& value, int bits) {
  if (!unwrap(text, "[", "]")) return false;
  value = 0;
  int at = 0;
  for (std::string_view piece : split(text, ',')) {
    std::optional<int64_t> lane = parse_int(trim(piece));
    if (!lane || *lane < 0 || *lane >= 1 << bits) return false;
    value |= static_cast<int>(*lane) << at;
    at += bits;
  }
  return at == bits << bits;
}

bool parse_sub_dword(std::string_view text, SubDword& value) {
  static const std::map<std::string_view, SubDword> names = {{"BYTE_0", SubDword::byte_0}, {"BYTE_1", SubDword::byte_1},
                                                             {"BYTE_2", SubDword::byte_2}, {"BYTE_3", SubDword::byte_3},
                                                             {"WORD_0", SubDword::word_0}, {"WORD_1", SubDword::word_1},
                                                             {"DWORD", SubDword::dword}};
  auto at = names.find(text);
  if (at == names.end()) return false;
  value = at->second;
  return true;
}

bool parse_flag(std::string_view text, Modifiers& m) {
  static const std::map<std::string_view, bool Modifiers::*> flags = {
      {"clamp", &Modifiers::clamp}, {"sc0", &Modifiers::sc0}, {"sc1", &Modifiers::sc1},
      {"nt", &Modifiers::nt},       {"gds", &Modifiers::gds}, {"offen", &Modifiers::offen},
      {"idxen", &Modifiers::idxen}, {"lds", &Modifiers::lds}, {"tfe", &Modifiers::tfe},
      {"glc", &Modifiers::sc0},     {"scc", &Modifiers::sc1}, {"slc", &Modifiers::nt},
      {"dlc", &Modifiers::nt},      {"nv", &Modifiers::nt}};
  auto at = flags.find(text);
  if (at != flags.end()) return m.*(at->second) = true;
  if (text == "row_mirror") return m.dpp = DppKind::row_mirror, true;
  if (text == "row_half_mirror") return m.dpp = DppKind::row_half_mirror, true;
  return false;
}

bool parse_named_int(std::string_view key, int64_t value, Modifiers& m) {
  static const std::map<std::string_view, DppKind> controls = {
      {"row_shl", DppKind::row_shl},     {"row_shr", DppKind::row_shr},     {"row_ror", DppKind::row_ror},
      {"wave_shl", DppKind::wave_shl},   {"wave_rol", DppKind::wave_rol},   {"wave_shr", DppKind::wave_shr},
      {"wave_ror", DppKind::wave_ror},   {"row_bcast", DppKind::row_bcast}, {"row_newbcast", DppKind::row_newbcast},
      {"row_share", DppKind::row_share}, {"row_xmask", DppKind::row_xmask}};
  static const std::map<std::string_view, int Modifiers::*> numbers = {
      {"row_mask", &Modifiers::row_mask},  {"bank_mask", &Modifiers::bank_mask}, {"offset0", &Modifiers::offset0},
      {"offset1", &Modifiers::offset1},    {"cbsz", &Modifiers::cbsz},           {"abid", &Modifiers::abid},
      {"blgp", &Modifiers::blgp},          {"byte_sel", &Modifiers::byte_sel},   {"bitop3", &Modifiers::bitop3},
      {"index_key", &Modifiers::index_key}};
  auto control = controls.find(key);
  if (control != controls.end()) return m.dpp = control->second, m.dpp_value = static_cast<int>(value), true;
  auto number = numbers.find(key);
  if (number != numbers.end()) return m.*(number->second) = static_cast<int>(value), true;
  if (key == "offset") return m.offset = value, true;
  if (key == "bound_ctrl") return m.bound_ctrl = true;
  if (key == "fi") return m.fetch_inactive = value != 0, true;
  if (key == "mul" && (value == 2 || value == 4)) return m.omod = value == 2 ? 1 : 2, true;
  if (key == "div" && value == 2) return m.omod = 3, true;
  return false;
}

bool parse_unused(std::string_view text, int& value) {
  value = text == "UNUSED_PAD" ? 0 : text == "UNUSED_SEXT" ? 1 : 2;
  return text.starts_with("UNUSED_");
}

// Cache policy has no effect on values, but for atomics, where it says that the old value comes back, and for scopes
// wider than the work-group, which order accesses (sc1 on archs that print it so).
bool parse_policy(std::string_view key, std::string_view value, Modifiers& m) {
  if (key == "th") {
    if (value.starts_with("TH_ATOMIC") && value.find("RETURN") != std::string_view::npos) m.sc0 = true;
    return value.starts_with("TH_");
  }
  if (key == "scope") {
    if (value != "SCOPE_CU") m.sc1 = true;
    return value.starts_with("SCOPE_");
  }
  if (key == "format") return m.format = std::string(value), true;
  return false;
}

bool parse_modifier(std::string_view text, Modifiers& m) {
  if (parse_flag(text, m)) return true;
  size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  std::string_view key = text.substr(0, colon), value = text.substr(colon + 1);
  if (key == "op_sel") return parse_mask(value, m.op_sel);
  if (key == "op_sel_hi") return parse_mask(value, m.op_sel_hi);
  if (key == "neg_lo") return parse_mask(value, m.neg_lo);
  if (key == "neg_hi") return parse_mask(value, m.neg_hi);
  if (key == "neg") return parse_mask(value, m.neg);
  if (key == "quad_perm") return m.dpp = DppKind::quad_perm, parse_quad_perm(value, m.dpp_value, 2);
  if (key == "dpp8") return m.dpp = DppKind::dpp8, parse_quad_perm(value, m.dpp_value, 3);
  if (key == "dst_sel") return m.sdwa = true, parse_sub_dword(value, m.dst_sel);
  if (key == "src0_sel") return m.sdwa = true, parse_sub_dword(value, m.src_sel[0]);
  if (key == "src1_sel") return m.sdwa = true, parse_sub_dword(value, m.src_sel[1]);
  if (key == "dst_unused") return m.sdwa = true, parse_unused(value, m.dst_unused);
  if (parse_policy(key, value, m)) return true;
  if (key == "offset" && value.starts_with("swizzle("))
    return m.offset_text = true, m.swizzle = std::string(value), true;
  std::optional<int64_t> number = parse_int(value);
  return number && parse_named_int(key, *number, m);
}

void split_mnemonic(std::string_view token, Decoded& decoded) {
  for (std::string_view suffix : {"_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp"})
    if (token.ends_with(suffix)) {
      decoded.encoding = std::string(suffix.substr(1));
      token.remove_suffix(suffix.size());
      break;
    }
  decoded.mnemonic = std::string(token);
}

// Counters, hints and messages: their operands have no effect on what is computed.
bool has_free_text(std::string_view mnemonic) {
  for (std::string_view prefix : {"s_waitcnt", "s_wait_", "s_sendmsg", "s_delay_alu", "s_clause", "s_prefetch",
                                  "s_buffer_prefetch", "s_set_vgpr", "s_version"})
    if (mnemonic.starts_with(prefix)) return !mnemonic.starts_with("s_sendmsg_rtn");
  return false;
}

// "v_dual_mul_f32 v0, v1, v2 :: v_dual_cndmask_b32 v3, v4, v5": each half is an instruction of its own; the select
// reads VCC without saying so.
Decoded parse_pair(std::string_view text, size_t middle) {
  Decoded decoded;
  decoded.text = std::string(text);
  for (std::string_view half : {text.substr(0, middle), text.substr(middle + 4)}) {
    Decoded part = parse_instruction(half);
    if (part.mnemonic == "v_dual_cndmask_b32" && part.operands.size() == 3) {
      DecodedOperand vcc;
      parse_register("vcc_lo", vcc);
      part.operands.push_back(std::move(vcc));
    }
    if (!part.problem.empty()) decoded.problem = part.problem;
    decoded.parts.push_back(std::move(part));
  }
  decoded.mnemonic = decoded.parts[0].mnemonic;
  return decoded;
}

}  // namespace

Decoded parse_instruction(std::string_view text) {
  Decoded decoded;
  text = trim(text);
  if (size_t middle = text.find(" :: "); middle != std::string_view::npos) return parse_pair(text, middle);
  decoded.text = std::string(text);
  for (char& c : decoded.text)
    if (c == '\t') c = ' ';
  size_t end = text.find_first_of(" \t");
  split_mnemonic(text.substr(0, end), decoded);
  if (end == std::string_view::npos || has_free_text(decoded.mnemonic)) return decoded;
  for (std::string_view piece : split(text.substr(end), ',')) {
    bool first = true;
    for (std::string_view token : split(trim(piece), ' ')) {
      DecodedOperand operand;
      if (parse_modifier(token, decoded.modifiers)) {
      } else if (first && parse_operand(token, operand))
        decoded.operands.push_back(std::move(operand));
      else if (decoded.problem.empty())
        decoded.problem = "\"" + std::string(token) + "\" is not understood";
      first = false;
    }
  }
  if (text.find("/*") != std::string_view::npos) decoded.problem = "it has a comment";
  return decoded;
}

}  // namespace hipvault::isa
