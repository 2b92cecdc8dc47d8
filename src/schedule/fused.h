#pragma once
// Questions about the normal form that sketches of fused maps share: what is read how, through stages put in place.

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "ir/program.h"
#include "schedule/schedule.h"

namespace hipvault::schedule {

const ir::Stage* stage_of(const ir::Program& program, const std::string& output);

// All loads of tensors that computing the expression needs, pointwise stages put in place; `args` are as written in the
// stage that loads.
void visit_loads(const ir::Program& program, const ir::ExprRef& expr, const std::function<void(const ir::Expr&)>& f);

// Names of reductions that computing the expression needs, directly or through pointwise stages.
std::set<std::string> reductions_read(const ir::Program& program, const ir::ExprRef& expr);

// Whether the indices are exactly these dimensions, in order.
bool indexed_by(const ir::Expr& load, const std::vector<std::string>& dims);

// "a scan", "a sort" … for refusals; empty for maps.
std::string kind_words(const ir::Stage& stage);
// Why fused maps cannot write a result of the program: empty if they can.
std::string why_not_stored(const ir::Program& program);

// Why the program is not fused maps into stored results; empty: it is.
std::string why_not_maps(const ir::Program& program);

int widest_bits(const ir::Program& program);
int narrowest_bits(const ir::Program& program);
std::string element_name(const ir::Program& program, int bits);  // a dtype of that width, as it occurs

int64_t next_power_of_two(int64_t value);

}  // namespace hipvault::schedule
