// The CPU execution of a tile program, written plainly: every value is a vector of elements in row-major order, see
// tile/element.h for what an element is. It shares nothing with layouts or the printer.

#include "tile/interpret.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/check.h"
#include "tile/element.h"

namespace hipvault::tile {
namespace {

struct Extents {
  explicit Extents(const std::vector<int32_t>& shape) : shape(shape), stride(shape.size(), 1) {
    for (size_t d = shape.size(); d-- > 1;) stride[d - 1] = stride[d] * shape[d];
  }
  int64_t coordinate(int64_t at, size_t d) const { return at / stride[d] % shape[d]; }
  const std::vector<int32_t>& shape;
  std::vector<int64_t> stride;
};

class Program {
 public:
  Program(const Kernel& kernel, const std::array<int64_t, 3>& grid, const std::array<int64_t, 3>& id,
          const Memory& memory)
      : kernel_(kernel), grid_(grid), id_(id), memory_(memory), values_(kernel.values.size()) {}

  void run() { block(kernel_.body); }

 private:
  Tile& at(ValueId value) { return values_[static_cast<size_t>(value)]; }
  const Type& type(ValueId value) const { return kernel_.type(value); }

  std::vector<ValueId> block(const Block& block) {
    for (const Operation& op : block.ops) {
      if (op.code == OpCode::yield) return op.operands;
      operation(op);
    }
    return {};
  }

  void operation(const Operation& op) {
    try {
      dispatch(op);
    } catch (Fault& fault) {
      if (fault.message.find(" in: ") == std::string::npos) fault.message += describe(op);
      throw;
    }
  }

  std::string describe(const Operation& op) const {
    std::string out = std::string(" in: ") + op_name(op.code);
    if (op.attrs.buffer >= 0) out += " buffer=" + kernel_.buffers[static_cast<size_t>(op.attrs.buffer)].name;
    for (ValueId operand : op.operands) out += fmt::format(" %{}", operand);
    return out + fmt::format(" (program {},{},{})", id_[0], id_[1], id_[2]);
  }

  Tile filled(const Type& type, Element element) const { return Tile(static_cast<size_t>(elements(type)), element); }

  void dispatch(const Operation& op) {
    if (op_group(op.code) == OpGroup::value) return elementwise(op);
    switch (op.code) {
      case OpCode::constant: {
        DType dtype = type(op.results[0]).dtype;
        at(op.results[0]) = filled(type(op.results[0]),
                                   {rounded(is_real(dtype) ? dtype : DType::f64, op.attrs.number), op.attrs.integer});
        return;
      }
      case OpCode::argument:
        return argument(op);
      case OpCode::program_id:
        at(op.results[0]) = {{0, id_[static_cast<size_t>(op.attrs.axis)]}};
        return;
      case OpCode::num_programs:
        at(op.results[0]) = {{0, grid_[static_cast<size_t>(op.attrs.axis)]}};
        return;
      case OpCode::range: {
        Tile out;
        for (int32_t k = 0; k < type(op.results[0]).shape[0]; ++k) out.push_back({0, k});
        at(op.results[0]) = std::move(out);
        return;
      }
      case OpCode::splat:
        at(op.results[0]) = filled(type(op.results[0]), at(op.operands[0])[0]);
        return;
      case OpCode::expand_dims:
      case OpCode::reshape:
      case OpCode::convert_layout:
        at(op.results[0]) = at(op.operands[0]);
        return;
      case OpCode::broadcast:
      case OpCode::permute:
        return move_elements(op);
      case OpCode::load:
        return load(op);
      case OpCode::store:
        return store(op);
      case OpCode::atomic:
        return atomic(op);
      case OpCode::lds_alloc:
        at(op.results[0]) = filled(type(op.results[0]), {std::nan(""), -1});
        return;
      case OpCode::lds_store:
        at(op.operands[0]) = at(op.operands[1]);
        return;
      case OpCode::lds_load:
        at(op.results[0]) = at(op.operands[0]);
        return;
      case OpCode::barrier:
        return;
      case OpCode::reduce:
        return reduce(op);
      case OpCode::scan:
        return scan(op);
      case OpCode::dot:
        return dot(op);
      case OpCode::gather:
        return gather(op);
      case OpCode::sort:
        return sort(op);
      case OpCode::for_loop:
        return for_loop(op);
      case OpCode::if_else: {
        std::vector<ValueId> yielded = block(op.regions[at(op.operands[0])[0].whole ? 0 : 1]);
        for (size_t k = 0; k < op.results.size(); ++k) at(op.results[k]) = at(yielded[k]);
        return;
      }
      default:
        throw Fault{std::string("no meaning of ") + op_name(op.code)};
    }
  }

  void argument(const Operation& op) {
    for (size_t k = 0; k < kernel_.scalars.size(); ++k) {
      if (kernel_.scalars[k].name != op.attrs.name) continue;
      double value = memory_.scalars[k];
      at(op.results[0]) = {is_real(kernel_.scalars[k].dtype) ? Element{rounded(kernel_.scalars[k].dtype, value), 0}
                                                             : Element{0, static_cast<int64_t>(value)}};
    }
  }

  // ---- elementwise
  // -------------------------------------------------------------------------------------------------------

  void elementwise(const Operation& op) {
    const Type& result = type(op.results[0]);
    Tile out(static_cast<size_t>(elements(result)));
    for (size_t e = 0; e < out.size(); ++e) {
      Element in[3];
      for (size_t k = 0; k < op.operands.size(); ++k) in[k] = at(op.operands[k])[e];
      out[e] = element(op, in, result.dtype);
    }
    at(op.results[0]) = std::move(out);
  }

  Element element(const Operation& op, const Element* in, DType result) const {
    DType dtype = type(op.operands.back()).dtype;
    bool real = is_real(dtype);
    switch (op.code) {
      case OpCode::select:
        return in[0].whole ? in[1] : in[2];
      case OpCode::cast:
        return cast_element(in[0], dtype, result);
      case OpCode::bitcast:
        return bits_as(in[0], dtype, result);
      case OpCode::isnan:
        return {0, std::isnan(in[0].real)};
      case OpCode::isinf:
        return {0, std::isinf(in[0].real)};
      case OpCode::fma:
        return {rounded(dtype, dtype == DType::f64 ? std::fma(in[0].real, in[1].real, in[2].real)
                                                   : static_cast<double>(std::fma(static_cast<long double>(in[0].real),
                                                                                  in[1].real, in[2].real))),
                0};
      default:
        break;
    }
    if (op.operands.size() == 1)
      return real ? Element{rounded(dtype, real_unary(op.code, in[0].real)), 0}
                  : Element{0, cut(dtype, whole_unary(op.code, dtype, in[0].whole))};
    std::optional<bool> order =
        real                  ? compare(op.code, in[0].real, in[1].real)
        : dtype == DType::u64 ? compare(op.code, static_cast<uint64_t>(in[0].whole), static_cast<uint64_t>(in[1].whole))
                              : compare(op.code, in[0].whole, in[1].whole);
    if (order) return {0, *order};
    return real ? Element{rounded(dtype, real_binary(op.code, in[0].real, in[1].real)), 0}
                : Element{0, cut(dtype, whole_binary(op.code, dtype, in[0].whole, in[1].whole))};
  }

  static Element read(DType dtype, const void* data, int64_t index) {
    return is_real(dtype) ? Element{decode(dtype, data, index), 0} : Element{0, decode_int(dtype, data, index)};
  }
  static void write(DType dtype, void* data, int64_t index, const Element& element) {
    is_real(dtype) ? encode(dtype, data, index, element.real) : encode_int(dtype, data, index, element.whole);
  }
  static Element bits_as(const Element& element, DType from, DType to) {
    uint64_t bytes = 0;
    write(from, &bytes, 0, element);
    return read(to, &bytes, 0);
  }

  // ---- shapes
  // ------------------------------------------------------------------------------------------------------------

  void move_elements(const Operation& op) {
    const Type &from = type(op.operands[0]), &to = type(op.results[0]);
    Extents source(from.shape), target(to.shape);
    Tile out(static_cast<size_t>(elements(to)));
    for (size_t e = 0; e < out.size(); ++e) {
      int64_t where = 0;
      for (size_t d = 0; d < to.shape.size(); ++d) {
        size_t s = op.code == OpCode::permute ? static_cast<size_t>(op.attrs.axes[d]) : d;
        if (from.shape[s] != 1) where += target.coordinate(static_cast<int64_t>(e), d) * source.stride[s];
      }
      out[e] = at(op.operands[0])[static_cast<size_t>(where)];
    }
    at(op.results[0]) = std::move(out);
  }

  // ---- memory
  // ------------------------------------------------------------------------------------------------------------

  // The element's place, in elements from the start of the bytes.
  int64_t place(const Operation& op, int64_t offset) const {
    size_t b = static_cast<size_t>(op.attrs.buffer);
    int64_t bits = info(kernel_.buffers[b].dtype).bits, bit = memory_.base[b] * 8 + offset * bits;
    int64_t size = static_cast<int64_t>(memory_.buffers[b]->size()) * 8;
    if (bit < 0 || bit + bits > size)
      throw Fault{fmt::format("element {} is outside the buffer of {} bytes", offset, memory_.buffers[b]->size())};
    return bit;
  }
  void* address(const Operation& op, int64_t bit) const {
    return memory_.buffers[static_cast<size_t>(op.attrs.buffer)]->data() + bit / 8;
  }
  Element read_at(const Operation& op, int64_t offset) const {
    int64_t bit = place(op, offset);
    return read(kernel_.buffers[static_cast<size_t>(op.attrs.buffer)].dtype, address(op, bit), bit % 8 / 4);
  }
  void write_at(const Operation& op, int64_t offset, const Element& element) const {
    int64_t bit = place(op, offset);
    write(kernel_.buffers[static_cast<size_t>(op.attrs.buffer)].dtype, address(op, bit), bit % 8 / 4, element);
  }

  void load(const Operation& op) {
    Tile out(static_cast<size_t>(elements(type(op.results[0]))));
    for (size_t e = 0; e < out.size(); ++e) {
      bool inside = op.operands.size() < 2 || at(op.operands[1])[e].whole;
      if (inside)
        out[e] = read_at(op, at(op.operands[0])[e].whole);
      else if (op.operands.size() > 2)
        out[e] = at(op.operands[2])[e];
    }
    at(op.results[0]) = std::move(out);
  }

  void store(const Operation& op) {
    const Tile& value = at(op.operands[1]);
    for (size_t e = 0; e < value.size(); ++e)
      if (op.operands.size() < 3 || at(op.operands[2])[e].whole) write_at(op, at(op.operands[0])[e].whole, value[e]);
  }

  void atomic(const Operation& op) {
    DType dtype = type(op.operands[1]).dtype;
    Tile out(at(op.operands[1]).size());
    for (size_t e = 0; e < out.size(); ++e) {
      if (op.operands.size() > 2 && !at(op.operands[2])[e].whole) continue;
      out[e] = read_at(op, at(op.operands[0])[e].whole);
      const Element& value = at(op.operands[1])[e];
      write_at(op, at(op.operands[0])[e].whole,
               op.attrs.kind == Kind::exchange ? value : combined(op.attrs.kind, dtype, out[e], value));
    }
    at(op.results[0]) = std::move(out);
  }

  // ---- across a tile
  // -----------------------------------------------------------------------------------------------------

  static Element combined(Kind kind, DType dtype, const Element& a, const Element& b) {
    OpCode code = OpCode::add;
    switch (kind) {
      case Kind::prod:
        code = OpCode::mul;
        break;
      case Kind::max:
        code = OpCode::maximum;
        break;
      case Kind::min:
        code = OpCode::minimum;
        break;
      case Kind::logical_and:
        code = OpCode::bit_and;
        break;
      case Kind::logical_or:
        code = OpCode::bit_or;
        break;
      default:
        break;
    }
    if (is_real(dtype)) return {rounded(dtype, real_binary(code, a.real, b.real)), 0};
    return {0, cut(dtype, whole_binary(code, dtype, a.whole, b.whole))};
  }

  // Whether (value, index) b comes before a.
  static bool is_better(Kind kind, DType dtype, const Element& a, int64_t a_index, const Element& b, int64_t b_index) {
    bool a_nan = is_real(dtype) && std::isnan(a.real), b_nan = is_real(dtype) && std::isnan(b.real);
    if (a_nan != b_nan) return b_nan;
    int order = is_real(dtype)        ? (b.real > a.real) - (b.real < a.real)
                : dtype == DType::u64 ? (static_cast<uint64_t>(b.whole) > static_cast<uint64_t>(a.whole)) -
                                            (static_cast<uint64_t>(b.whole) < static_cast<uint64_t>(a.whole))
                                      : (b.whole > a.whole) - (b.whole < a.whole);
    if (kind == Kind::argmin) order = -order;
    return a_nan || order == 0 ? b_index < a_index : order > 0;
  }

  // Calls f(line number, element of the first, stride) for every line along the axis.
  template <class F>
  void for_lines(const Type& shape, int axis, F f) const {
    auto d = static_cast<size_t>(axis);
    Extents extents(shape.shape);
    int64_t stride = extents.stride[d], extent = shape.shape[d], lines = elements(shape) / extent;
    for (int64_t line = 0; line < lines; ++line)
      f(static_cast<size_t>(line), line / stride * stride * extent + line % stride, stride);
  }

  void reduce(const Operation& op) {
    const Type& source = type(op.operands[0]);
    int64_t extent = source.shape[static_cast<size_t>(op.attrs.axis)];
    bool arg = op.attrs.kind == Kind::argmax || op.attrs.kind == Kind::argmin;
    Tile out(static_cast<size_t>(elements(source) / extent)), index(out.size());
    for_lines(source, op.attrs.axis, [&](size_t line, int64_t first, int64_t stride) {
      const Tile& value = at(op.operands[0]);
      if (arg) {
        const Tile& positions = at(op.operands[1]);
        size_t best = static_cast<size_t>(first);
        for (int64_t k = 1; k < extent; ++k) {
          auto next = static_cast<size_t>(first + k * stride);
          if (is_better(op.attrs.kind, source.dtype, value[best], positions[best].whole, value[next],
                        positions[next].whole))
            best = next;
        }
        out[line] = value[best];
        index[line] = positions[best];
        return;
      }
      Tile tree;
      for (int64_t k = 0; k < extent; ++k) tree.push_back(value[static_cast<size_t>(first + k * stride)]);
      for (size_t count = tree.size(); count > 1; count /= 2)
        for (size_t k = 0; k < count / 2; ++k)
          tree[k] = combined(op.attrs.kind, source.dtype, tree[k], tree[k + count / 2]);
      out[line] = tree[0];
    });
    at(op.results[0]) = std::move(out);
    if (arg) at(op.results[1]) = std::move(index);
  }

  void scan(const Operation& op) {
    const Type& source = type(op.operands[0]);
    int64_t extent = source.shape[static_cast<size_t>(op.attrs.axis)];
    Tile out = at(op.operands[0]);
    for_lines(source, op.attrs.axis, [&](size_t, int64_t first, int64_t stride) {
      for (int64_t k = 1; k < extent; ++k) {
        int64_t here = op.attrs.reverse ? extent - 1 - k : k, before = op.attrs.reverse ? here + 1 : here - 1;
        Element& element = out[static_cast<size_t>(first + here * stride)];
        element = combined(op.attrs.kind, source.dtype, out[static_cast<size_t>(first + before * stride)], element);
      }
    });
    at(op.results[0]) = std::move(out);
  }

  void dot(const Operation& op) {
    const Type &a = type(op.operands[0]), &c = type(op.operands[2]);
    int64_t rows = c.shape[0], columns = c.shape[1], depth = a.shape[1];
    Tile out = at(op.operands[2]);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        Element& sum = out[static_cast<size_t>(i * columns + j)];
        double real = sum.real;
        for (int64_t k = 0; k < depth; ++k) {
          const Element &x = at(op.operands[0])[static_cast<size_t>(i * depth + k)],
                        &y = at(op.operands[1])[static_cast<size_t>(k * columns + j)];
          if (is_real(c.dtype))
            real = rounded(c.dtype, real + x.real * y.real);
          else
            sum.whole = cut(c.dtype, sum.whole + x.whole * y.whole);
        }
        sum.real = real;
      }
    at(op.results[0]) = std::move(out);
  }

  void gather(const Operation& op) {
    const Type &source = type(op.operands[0]), &result = type(op.results[0]);
    Extents from(source.shape), to(result.shape);
    auto axis = static_cast<size_t>(op.attrs.axis);
    Tile out(static_cast<size_t>(elements(result)));
    for (size_t e = 0; e < out.size(); ++e) {
      int64_t index = at(op.operands[1])[e].whole, where = index * from.stride[axis];
      if (index < 0 || index >= source.shape[axis])
        throw Fault{fmt::format("index {} is outside {}", index, source.shape[axis])};
      for (size_t d = 0; d < result.shape.size(); ++d)
        if (d != axis) where += to.coordinate(static_cast<int64_t>(e), d) * from.stride[d];
      out[e] = at(op.operands[0])[static_cast<size_t>(where)];
    }
    at(op.results[0]) = std::move(out);
  }

  void sort(const Operation& op) {
    const Type& key = type(op.operands[0]);
    int64_t extent = key.shape[static_cast<size_t>(op.attrs.axis)];
    std::vector<Tile> out;
    for (ValueId operand : op.operands) out.push_back(at(operand));
    for_lines(key, op.attrs.axis, [&](size_t, int64_t first, int64_t stride) {
      std::vector<int64_t> order;
      for (int64_t k = 0; k < extent; ++k) order.push_back(first + k * stride);
      const Tile& keys = at(op.operands[0]);
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        // `max` order puts the larger and NaN first, which is descending.
        const Element &x = keys[static_cast<size_t>(a)], &y = keys[static_cast<size_t>(b)];
        return op.attrs.descending ? is_better(Kind::argmax, key.dtype, y, 0, x, 0)
                                   : is_better(Kind::argmax, key.dtype, x, 0, y, 0);
      });
      for (size_t k = 0; k < out.size(); ++k)
        for (int64_t j = 0; j < extent; ++j)
          out[k][static_cast<size_t>(first + j * stride)] =
              at(op.operands[k])[static_cast<size_t>(order[static_cast<size_t>(j)])];
    });
    for (size_t k = 0; k < out.size(); ++k) at(op.results[k]) = std::move(out[k]);
  }

  void for_loop(const Operation& op) {
    int64_t low = at(op.operands[0])[0].whole, high = at(op.operands[1])[0].whole, step = at(op.operands[2])[0].whole;
    if (step <= 0) throw Fault{fmt::format("a loop with step {}", step)};
    const Block& body = op.regions[0];
    std::vector<Tile> carried;
    for (size_t k = 3; k < op.operands.size(); ++k) carried.push_back(at(op.operands[k]));
    for (int64_t i = low; i < high; i += step) {
      at(body.args[0]) = {{0, i}};
      for (size_t k = 0; k < carried.size(); ++k) at(body.args[k + 1]) = std::move(carried[k]);
      std::vector<ValueId> yielded = block(body);
      for (size_t k = 0; k < carried.size(); ++k) carried[k] = at(yielded[k]);
    }
    for (size_t k = 0; k < carried.size(); ++k) at(op.results[k]) = std::move(carried[k]);
  }

  const Kernel& kernel_;
  const std::array<int64_t, 3>&grid_, id_;
  const Memory& memory_;
  std::vector<Tile> values_;
};

}  // namespace

Status interpret(const Kernel& kernel, const std::array<int64_t, 3>& grid, const Memory& memory) {
  CHECK(memory.buffers.size() == kernel.buffers.size() && memory.base.size() == kernel.buffers.size())
      << "buffers of " << kernel.name;
  CHECK(memory.scalars.size() == kernel.scalars.size()) << "scalars of " << kernel.name;
  for (int64_t z = 0; z < grid[2]; ++z)
    for (int64_t y = 0; y < grid[1]; ++y)
      for (int64_t x = 0; x < grid[0]; ++x) {
        try {
          std::array<int64_t, 3> id = {x, y, z};
          Program(kernel, grid, id, memory).run();
        } catch (const Fault& fault) {
          return fail("tile.interpret", "kernel " + kernel.name + ": " + fault.message);
        }
      }
  return {};
}

}  // namespace hipvault::tile
