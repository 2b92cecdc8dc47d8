#include <unordered_map>

#include "base/check.h"
#include "isa/matrix.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

using Index = std::unordered_map<std::string, std::vector<const Operation*>>;

void add_rows(std::span<const Operation> rows, Index& index) {
  for (const Operation& operation : rows) {
    std::vector<const Operation*>& same = index[operation.mnemonic];
    for (const Operation* other : same) CHECK(other->only != operation.only) << "two rows for " << operation.mnemonic;
    same.push_back(&operation);
  }
}

// Dual-issue halves mean what the instruction of the same name does.
void add_aliases(Index& index) {
  for (const Alias& alias : aliases()) {
    auto at = index.find(alias.row);
    CHECK(at != index.end()) << alias.name << " is another name of " << alias.row << ", which has no row";
    std::vector<const Operation*> rows = at->second;
    bool fresh = index.emplace(alias.name, std::move(rows)).second;
    CHECK(fresh) << alias.name << " has a row of its own and another name";
  }
}

Index make_index() {
  Index index;
  for (std::span<const Operation> rows :
       {vector_move_rows(),  vector_int_rows(),   vector_int16_rows(),  vector_wide_rows(),   vector_float_rows(),
        vector_trans_rows(), vector_half_rows(),  vector_double_rows(), division_rows(),      convert_rows(),
        float8_rows(),       compare_int_rows(),  compare_float_rows(), packed_rows(),        cross_lane_rows(),
        scalar_rows(),       scalar_tied_rows(),  control_rows(),       memory_rows(),        lds_rows(),
        extremum_rows(),     byte_rows(),         dot_rows(),           true_half_rows(),     permlane_rows(),
        relative_rows(),     scalar_float_rows(), scalar_wide_rows(),   scale_convert_rows(), late_memory_rows()})
    add_rows(rows, index);
  add_aliases(index);
  return index;
}

bool holds(Only only, const target::Arch& arch) {
  switch (only) {
    case Only::everywhere:
      return true;
    case Only::fnuz_float8:
      return !arch.ocp_float8;
    case Only::ocp_float8:
      return arch.ocp_float8;
  }
  return false;
}

}  // namespace

const Operation* find_operation(const std::string& mnemonic, const target::Arch& arch) {
  if (const Operation* operation = find_matrix_operation(mnemonic, arch)) return operation;
  static const Index index = make_index();
  auto at = index.find(mnemonic);
  if (at == index.end()) {
    constexpr std::string_view kDual = "v_dual_";
    return mnemonic.starts_with(kDual) ? find_operation("v_" + mnemonic.substr(kDual.size()), arch) : nullptr;
  }
  for (const Operation* operation : at->second)
    if (holds(operation->only, arch)) return operation;
  return nullptr;
}

}  // namespace hipvault::isa
