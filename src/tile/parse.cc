// Reads the text form of a tile program back (tile/text.cc says what it looks like). One pass over the lines, one
// cursor a line; every error names the line, what was expected there and what stands there instead:
//
//   line 3: expected a type such as f32[4,16] after `:`, found `f33[4]`
//
// What is read is syntax: names of operations, arguments and buffers must exist, layouts must fit their tiles, but
// types and SSA are left to verify(). A matrix instruction is found by its mnemonic among all archs; one mnemonic means
// the same layout wherever it exists. Values that no line defines (passes leave such holes) come back as unused f32
// scalars.

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "tile/program.h"

namespace hipvault::tile {
namespace {

constexpr int64_t kMostValues = 1 << 20;  // far beyond any kernel; a typing error must not take the memory
constexpr int kDeepest = 64;              // regions inside regions

struct Line {
  std::string text;
  int number = 0;
};

// Reads one line. The first failure is kept; all later reads give empty values, so that callers test once a line.
class Cursor {
 public:
  explicit Cursor(const Line& line) : line_(line) { skip_blanks(); }

  bool failed() const { return problem_.has_value(); }
  const Diagnostic& problem() const { return *problem_; }
  bool at_end() const { return at_ >= line_.text.size(); }
  bool sees(const std::string& words) const { return line_.text.compare(at_, words.size(), words) == 0; }
  size_t position() const { return at_; }
  void back_to(size_t position) { at_ = position; }

  void expect(const std::string& what) {
    if (problem_) return;
    std::string found = at_end() ? "the end of the line" : "`" + line_.text.substr(at_, 40) + "`";
    Place place{"", line_.number, static_cast<int>(at_) + 1, 1, line_.text};
    problem_ =
        Diagnostic{"tile.syntax", "line " + std::to_string(line_.number) + ": expected " + what + ", found " + found,
                   "", std::move(place)};
  }
  bool take(const std::string& words) {
    if (problem_ || !sees(words)) return false;
    at_ += words.size();
    skip_blanks();
    return true;
  }
  void need(const std::string& words, const std::string& where) {
    if (!take(words)) expect("`" + words + "` " + where);
  }
  // Characters up to a blank or one of `stops`.
  std::string word(const std::string& what, const std::string& stops = " ,:(){}=*") {
    size_t end = std::min(line_.text.find_first_of(stops, at_), line_.text.size());
    if (problem_ || end == at_) return expect(what), "";
    std::string found = line_.text.substr(at_, end - at_);
    at_ = end;
    skip_blanks();
    return found;
  }
  int64_t integer(const std::string& what, int64_t low, int64_t high) {
    int64_t value = 0;
    const char* first = line_.text.data() + std::min(at_, line_.text.size());
    auto [end, error] = std::from_chars(first, line_.text.data() + line_.text.size(), value);
    if (problem_ || error != std::errc() || value < low || value > high) return expect(what), low;
    at_ += static_cast<size_t>(end - first);
    skip_blanks();
    return value;
  }
  double number(const std::string& what) {
    size_t start = at_;
    std::string digits = word(what, " ");
    char* end = nullptr;
    double value = std::strtod(digits.c_str(), &end);
    if (!problem_ && *end != '\0') return at_ = start, expect(what), 0;
    return value;
  }

 private:
  void skip_blanks() {
    while (at_ < line_.text.size() && line_.text[at_] == ' ') ++at_;
  }

  const Line& line_;
  size_t at_ = 0;
  std::optional<Diagnostic> problem_;
};

DType read_dtype(Cursor& in) {
  size_t start = in.position();
  std::optional<DType> dtype = dtype_by_name(in.word("a dtype such as f32", " ,:(){}=*["));
  if (!dtype) in.back_to(start), in.expect("a dtype such as f32");
  return dtype.value_or(DType::f32);
}

Type read_type(Cursor& in) {
  Type type;
  type.lds = in.take("lds ");
  type.dtype = read_dtype(in);
  if (!in.take("[")) return type;
  do {
    type.shape.push_back(static_cast<int32_t>(in.integer("an extent of at least 1", 1, INT32_MAX)));
  } while (in.take(","));
  in.need("]", "after the extents");
  return type;
}

Coords read_basis(Cursor& in, const std::vector<int32_t>& shape) {
  Coords basis;
  in.need("(", "of a basis");
  for (size_t d = 0; d < shape.size() && !in.failed(); ++d) {
    if (d) in.need(",", "between coordinates, one a dimension");
    basis.push_back(static_cast<int32_t>(in.integer("a coordinate inside the tile", 0, shape[d] - 1)));
  }
  in.need(")", "after the coordinates, one a dimension");
  return basis;
}

std::vector<Coords> read_bases(Cursor& in, const std::string& label, const std::vector<int32_t>& shape) {
  std::vector<Coords> bases;
  in.need(label + "=[", "in a layout");
  while (!in.failed() && !in.sees("]")) {
    if (bases.size() == 16) in.expect("`]`: more than 16 bits of " + label);
    bases.push_back(read_basis(in, shape));
  }
  in.need("]", "after the bases");
  return bases;
}

Layout read_layout(Cursor& in, const std::vector<int32_t>& shape) {
  Layout layout;
  for (int32_t extent : shape)
    if (extent & (extent - 1)) in.expect("a tile with extents of powers of two before a layout");
  layout.shape = shape;
  in.need("{", "before a layout");
  layout.reg = read_bases(in, "reg", shape);
  layout.lane = read_bases(in, "lane", shape);
  layout.wave = read_bases(in, "wave", shape);
  in.need("}", "after a layout");
  return layout;
}

const target::MatrixOp* find_matrix(const std::string& mnemonic) {
  for (const target::Arch& arch : target::all_archs())
    for (const target::MatrixOp& op : arch.matrix_ops)
      if (op.mnemonic == mnemonic) return &op;
  return nullptr;
}

struct Defined {
  ValueId id = -1;
  std::string hint;
};

class Parser {
 public:
  explicit Parser(const std::string& text) {
    size_t at = 0;
    for (int number = 1; at < text.size(); ++number) {
      size_t end = std::min(text.find('\n', at), text.size());
      std::string line = text.substr(at, end - at);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.find_first_not_of(' ') != std::string::npos) lines_.push_back({line, number});
      at = end + 1;
    }
    lines_.push_back({"", lines_.empty() ? 1 : lines_.back().number + 1});
  }

  Result<Kernel> run() {
    kernel_.comment = comments();
    head();
    if (!problem_) block(kernel_.body, 0);
    if (!problem_ && !at_end()) {
      Cursor in(line());
      in.expect("an operation");
      keep(in);
    }
    if (problem_) return tl::unexpected(*problem_);
    return std::move(kernel_);
  }

 private:
  bool at_end() const { return at_ + 1 >= lines_.size(); }
  const Line& line() const { return lines_[at_]; }
  void keep(const Cursor& in) {
    if (in.failed() && !problem_) problem_ = in.problem();
  }
  void need_end(Cursor& in) {
    if (!in.at_end()) in.expect("the end of the line");
  }

  // The `# …` lines here, as the lines of one comment.
  std::string comments() {
    std::string words;
    bool any = false;
    for (; !at_end(); ++at_) {
      size_t start = line().text.find_first_not_of(' ');
      if (line().text[start] != '#') break;
      std::string rest = line().text.substr(start + 1);
      words += (any ? "\n" : "") + (rest.starts_with(" ") ? rest.substr(1) : rest);
      any = true;
    }
    return words;
  }

  void argument(Cursor& in) {
    std::string name = in.word("the name of an argument", " ,:(){}=*");
    in.need(":", "after the argument's name");
    DType dtype = read_dtype(in);
    if (!in.take("*")) return kernel_.scalars.push_back({name, dtype});
    if (!kernel_.scalars.empty()) in.expect("a scalar: buffers stand before scalars");
    bool writable = in.take("writable"), readable = !in.take("unreadable");
    kernel_.buffers.push_back({name, dtype, writable, readable});
  }

  void head() {
    Cursor in(line());
    in.need("kernel ", "at the start of a tile program");
    kernel_.name = in.word("the kernel's name");
    in.need("(", "before the arguments");
    if (!in.sees(")")) do {
        argument(in);
      } while (in.take(","));
    in.need(")", "or `,` after an argument");
    in.need("waves ", "after the arguments");
    kernel_.waves = static_cast<int>(in.integer("a number of waves, 1 to 32", 1, 32));
    if (in.take("wave_size ")) kernel_.wave_size = static_cast<int>(in.integer("32 or 64", 32, 64));
    if (kernel_.wave_size % 32) in.expect("32 or 64 before this");
    if (in.take("waves_per_eu ")) kernel_.waves_per_eu = static_cast<int>(in.integer("1 to 32", 1, 32));
    need_end(in);
    keep(in);
    ++at_;
  }

  ValueId value_id(Cursor& in) {
    in.need("%", "before a value's number");
    ValueId id = static_cast<ValueId>(in.integer("a value's number", 0, kMostValues));
    if (!in.failed() && static_cast<size_t>(id) >= kernel_.values.size())
      kernel_.values.resize(static_cast<size_t>(id) + 1);
    return id;
  }
  Defined defined(Cursor& in) {
    Defined value{value_id(in), ""};
    if (in.take(".")) value.hint = in.word("the value's name", " ,:{}=");
    return value;
  }
  void typed(Cursor& in, const Defined& value) {
    if (in.failed()) return;
    ValueInfo info{read_type(in), value.hint, std::nullopt};
    if (in.sees("{")) info.layout = read_layout(in, info.type.shape);
    if (!in.failed()) kernel_.values[static_cast<size_t>(value.id)] = std::move(info);
  }

  using ReadAttr = void (*)(Parser&, Cursor&, Attrs&);
  struct AttrRow {
    const char* name;
    ReadAttr read;
  };
  static const AttrRow kAttrs[];

  void buffer(Cursor& in, Attrs& attrs) {
    size_t start = in.position();
    std::string name = in.word("a buffer of the kernel", " ");
    for (size_t b = 0; b < kernel_.buffers.size(); ++b)
      if (kernel_.buffers[b].name == name) attrs.buffer = static_cast<int>(b);
    if (attrs.buffer < 0) in.back_to(start), in.expect("a buffer of the kernel");
  }
  // Its shape is the result's, which stands at the end of the line: read again from there.
  static void layout_later(Cursor& in, size_t& layout_at) {
    layout_at = in.position();
    while (!in.failed() && !in.at_end() && !in.take("}")) in.word("a layout", "}");
  }

  void attributes(Cursor& in, Attrs& attrs, size_t& layout_at) {
    while (!in.failed() && !in.at_end() && !in.sees("%") && !in.sees(":")) {
      size_t start = in.position();
      std::string name = in.word("an attribute, operands or `:`");
      if (!in.take("=")) in.back_to(start), in.expect("an attribute, operands or `:`");
      if (name == "layout") {
        layout_later(in, layout_at);
        continue;
      }
      const AttrRow* row = std::find_if(kAttrs, kAttrs + kAttrCount, [&](const AttrRow& r) { return name == r.name; });
      if (row == kAttrs + kAttrCount)
        in.back_to(start), in.expect("an attribute");
      else
        row->read(*this, in, attrs);
    }
  }

  std::vector<Defined> results(Cursor& in) {
    std::vector<Defined> values;
    if (!in.sees("%")) return values;
    do {
      values.push_back(defined(in));
    } while (in.take(","));
    in.need("=", "after the results");
    return values;
  }

  void operation(Operation& op) {
    Cursor in(line());
    std::vector<Defined> values = results(in);
    for (const Defined& value : values) op.results.push_back(value.id);
    size_t start = in.position(), layout_at = std::string::npos;
    std::optional<OpCode> code = op_by_name(in.word("an operation"));
    if (!code) in.back_to(start), in.expect("an operation");
    op.code = code.value_or(OpCode::constant);
    attributes(in, op.attrs, layout_at);
    if (in.sees("%")) do {
        op.operands.push_back(value_id(in));
      } while (in.take(","));
    for (size_t k = 0; k < values.size(); ++k) {
      in.need(k ? "," : ":", k ? "and the next result's type" : "and the result's type");
      typed(in, values[k]);
    }
    need_end(in);
    if (layout_at != std::string::npos && !in.failed()) attach_layout(in, op, layout_at);
    keep(in);
    ++at_;
  }

  void attach_layout(Cursor& in, Operation& op, size_t layout_at) {
    if (op.results.empty()) return in.expect("a result: a layout has its shape");
    in.back_to(layout_at);
    op.attrs.layout = read_layout(in, kernel_.type(op.results[0]).shape);
  }

  bool opens_region() const {
    size_t start = line().text.find_first_not_of(' ');
    return !at_end() && line().text[start] == '{';
  }
  bool closes_region() const {
    size_t start = line().text.find_first_not_of(' ');
    return !at_end() && line().text[start] == '}';
  }

  void region(Block& block_out, int depth) {
    Cursor in(line());
    in.need("{", "before a region");
    while (!in.failed() && !in.at_end()) {
      if (!block_out.args.empty()) in.need(",", "between the region's arguments");
      Defined value = defined(in);
      in.need(":", "and the argument's type");
      typed(in, value);
      block_out.args.push_back(value.id);
    }
    if (depth >= kDeepest) in.expect("fewer regions inside regions");
    keep(in);
    ++at_;
    if (!problem_) block(block_out, depth + 1);
    if (problem_) return;
    Cursor end(line());
    end.need("}", "after the region's operations");
    need_end(end);
    keep(end);
    ++at_;
  }

  void block(Block& out, int depth) {
    while (!problem_) {
      std::string comment = comments();
      if (at_end() || closes_region()) return;
      Operation op;
      op.comment = std::move(comment);
      operation(op);
      while (!problem_ && opens_region()) {
        op.regions.emplace_back();
        region(op.regions.back(), depth);
      }
      out.ops.push_back(std::move(op));
    }
  }

  static constexpr size_t kAttrCount = 12;

  std::vector<Line> lines_;  // and an empty one behind the last
  size_t at_ = 0;
  Kernel kernel_;
  std::optional<Diagnostic> problem_;
};

const Parser::AttrRow Parser::kAttrs[Parser::kAttrCount] = {
    {"number", [](Parser&, Cursor& in, Attrs& a) { a.number = in.number("a number"); }},
    {"integer", [](Parser&, Cursor& in, Attrs& a) { a.integer = in.integer("an integer", INT64_MIN, INT64_MAX); }},
    {"name", [](Parser&, Cursor& in, Attrs& a) { a.name = in.word("an argument's name", " "); }},
    {"buffer", [](Parser& parser, Cursor& in, Attrs& a) { parser.buffer(in, a); }},
    {"axis", [](Parser&, Cursor& in, Attrs& a) { a.axis = static_cast<int>(in.integer("an axis", -64, 64)); }},
    {"axes",
     [](Parser&, Cursor& in, Attrs& a) {
       do {
         a.axes.push_back(static_cast<int>(in.integer("an axis", 0, 64)));
       } while (in.take(","));
     }},
    {"kind",
     [](Parser&, Cursor& in, Attrs& a) {
       size_t start = in.position();
       std::optional<Kind> kind = kind_by_name(in.word("a kind such as sum"));
       if (!kind) in.back_to(start), in.expect("a kind such as sum");
       a.kind = kind.value_or(Kind::none);
     }},
    {"reverse", [](Parser&, Cursor& in, Attrs& a) { a.reverse = in.integer("0 or 1", 0, 1) == 1; }},
    {"descending", [](Parser&, Cursor& in, Attrs& a) { a.descending = in.integer("0 or 1", 0, 1) == 1; }},
    {"vector", [](Parser&, Cursor& in, Attrs& a) { a.vector = static_cast<int>(in.integer("1 to 64", 1, 64)); }},
    {"nontemporal", [](Parser&, Cursor& in, Attrs& a) { a.nontemporal = in.integer("0 or 1", 0, 1) == 1; }},
    {"matrix",
     [](Parser&, Cursor& in, Attrs& a) {
       size_t start = in.position();
       a.matrix = find_matrix(in.word("a matrix instruction", " "));
       if (!a.matrix) in.back_to(start), in.expect("a matrix instruction of a known arch");
     }},
};

}  // namespace

Result<Kernel> parse_kernel(const std::string& text) { return Parser(text).run(); }

}  // namespace hipvault::tile
