#pragma once
// The rows of meaning, a table a family. All encodings of an operation share its row; modifiers belong to the mechanism
// in lanes.h.

#include <span>
#include <string>

#include "isa/instruction.h"
#include "target/target.h"

namespace hipvault::isa {

std::span<const Operation> vector_move_rows();
std::span<const Operation> vector_int_rows();
std::span<const Operation> vector_int16_rows();
std::span<const Operation> vector_wide_rows();    // 64-bit integers, carries
std::span<const Operation> vector_float_rows();   // f32
std::span<const Operation> vector_trans_rows();   // transcendentals of f32, f16, f64
std::span<const Operation> vector_half_rows();    // f16
std::span<const Operation> vector_double_rows();  // f64
std::span<const Operation> division_rows();
std::span<const Operation> convert_rows();
std::span<const Operation> float8_rows();
std::span<const Operation> compare_int_rows();
std::span<const Operation> compare_float_rows();
std::span<const Operation> packed_rows();
std::span<const Operation> cross_lane_rows();
std::span<const Operation> scalar_rows();
std::span<const Operation> scalar_tied_rows();  // read-modify-write, 16-bit constants
std::span<const Operation> control_rows();
std::span<const Operation> memory_rows();
std::span<const Operation> lds_rows();
std::span<const Operation> extremum_rows();  // minimum/maximum of all kinds
std::span<const Operation> byte_rows();      // sums of differences, interpolation, saturation of bytes
std::span<const Operation> dot_rows();
std::span<const Operation> true_half_rows();  // moves and logic of 16 bits
std::span<const Operation> permlane_rows();
std::span<const Operation> relative_rows();  // registers chosen by M0
std::span<const Operation> scalar_float_rows();
std::span<const Operation> scalar_wide_rows();    // 64-bit sums, lane-mask forms, bit tricks
std::span<const Operation> scale_convert_rows();  // block-scaled formats
std::span<const Operation> late_memory_rows();

// Another name of a row: what newer archs call the same operation.
struct Alias {
  const char* name;
  const char* row;
};
std::span<const Alias> aliases();

// Null if the operation is not modelled on that arch. Safe on all threads.
const Operation* find_operation(const std::string& mnemonic, const target::Arch& arch);

}  // namespace hipvault::isa
