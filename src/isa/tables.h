#pragma once
// The rows of meaning, a table a family. All encodings of an operation share its row; modifiers belong to the mechanism
// in lanes.h.

#include <span>
#include <string>

#include "isa/instruction.h"

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
std::span<const Operation> matrix_rows();

// Null if the operation is not modelled. Safe on all threads.
const Operation* find_operation(const std::string& mnemonic);

}  // namespace hipvault::isa
