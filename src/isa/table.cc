#include <unordered_map>

#include "base/check.h"
#include "isa/tables.h"

namespace hipvault::isa {
namespace {

using Index = std::unordered_map<std::string, const Operation*>;

Index make_index() {
  Index index;
  for (std::span<const Operation> rows :
       {vector_move_rows(),  vector_int_rows(),  vector_int16_rows(),  vector_wide_rows(), vector_float_rows(),
        vector_trans_rows(), vector_half_rows(), vector_double_rows(), division_rows(),    convert_rows(),
        float8_rows(),       compare_int_rows(), compare_float_rows(), packed_rows(),      cross_lane_rows(),
        scalar_rows(),       scalar_tied_rows(), control_rows(),       memory_rows(),      lds_rows(),
        matrix_rows()})
    for (const Operation& operation : rows) {
      bool fresh = index.emplace(operation.mnemonic, &operation).second;
      CHECK(fresh) << "two rows for " << operation.mnemonic;
    }
  return index;
}

}  // namespace

const Operation* find_operation(const std::string& mnemonic) {
  static const Index index = make_index();
  auto at = index.find(mnemonic);
  return at == index.end() ? nullptr : at->second;
}

}  // namespace hipvault::isa
