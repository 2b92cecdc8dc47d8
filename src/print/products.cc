// Matrix products: one matrix instruction for every (row tile, column tile, k tile) of the wave's share.

#include <fmt/format.h>

#include "base/check.h"
#include "print/kernel_printer.h"

namespace hipvault::print {

using tile::Operation;
using tile::ValueId;

namespace {

// What the builtin takes for `count` elements of the type.
std::string operand_text(DType dtype, int count) {
  const char* element = nullptr;
  switch (dtype) {
    case DType::f16:
      element = "f16";
      break;
    case DType::bf16:
      element = "short";
      break;
    case DType::f32:
      element = "float";
      break;
    case DType::f64:
      element = "double";
      break;
    case DType::i32:
      element = "int";
      break;
    default:
      return count == 8 ? "long" : "hv::Vector<int, 4>";  // 8-bit types travel as whole words
  }
  return count == 1 ? element : fmt::format("hv::Vector<{}, {}>", element, count);
}

int tiles_along(const tile::Layout& layout, size_t element_bits, size_t axis) {
  int tiles = 1;
  for (size_t b = element_bits; b < layout.reg.size(); ++b)
    if (layout.reg[b][axis]) tiles *= 2;
  return tiles;
}

}  // namespace

void KernelPrinter::dot(const Operation& op) {
  const target::MatrixOp& matrix = *op.attrs.matrix;
  ValueId result = op.results[0];
  size_t a_bits = matrix.map_a.element_bits.size(), b_bits = matrix.map_b.element_bits.size(),
         c_bits = matrix.map_c.element_bits.size();
  const tile::Layout &a = *value_info(op.operands[0]).layout, &c = *value_info(result).layout;
  int rows = tiles_along(c, c_bits, 0), columns = tiles_along(c, c_bits, 1), depth = tiles_along(a, a_bits, 1);
  std::string a_array = as_array(op.operands[0], "a"), b_array = as_array(op.operands[1], "b"),
              c_array = as_array(op.operands[2], "sums");
  std::string name = name_of(result, "product");
  line(declare_array(result, name));
  storage_[static_cast<size_t>(result)] = {Storage::array, {name}};
  int a_size = 1 << a_bits, b_size = 1 << b_bits, c_size = 1 << c_bits;
  std::string c_type = operand_text(matrix.c, c_size);
  auto packed = [](const std::string& type, const std::string& array, const std::string& at) {
    return fmt::format("hv::packed<{}>({} + {})", type, array, at);
  };
  std::string at_c = fmt::format("(i * {} + j) * {}", columns, c_size);
  line("#pragma unroll");
  line(fmt::format("for (int i = 0; i < {}; ++i) {{", rows));
  line("#pragma unroll");
  line(fmt::format("  for (int j = 0; j < {}; ++j) {{", columns));
  line(fmt::format("    {} sum = {};", c_type, packed(c_type, c_array, at_c)));
  line("#pragma unroll");
  line(fmt::format("    for (int k = 0; k < {}; ++k) {{", depth));
  line(fmt::format("      const auto a_part = {};",
                   packed(operand_text(matrix.a, a_size), a_array, fmt::format("(i * {} + k) * {}", depth, a_size))));
  line(fmt::format("      const auto b_part = {};",
                   packed(operand_text(matrix.b, b_size), b_array, fmt::format("(k * {} + j) * {}", columns, b_size))));
  line(fmt::format("      sum = {}(a_part, b_part, sum, 0, 0, 0);", matrix.builtin));
  line("    }");
  line(fmt::format("    hv::unpack({} + {}, sum);", name, at_c));
  line("  }");
  line("}");
}

}  // namespace hipvault::print
