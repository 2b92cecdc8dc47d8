#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "ir/interpret_impl.h"

namespace hipvault::ir {
V Interpreter::Impl::eval_reduce(const Node& node) {
  int64_t key = 0;
  size_t entry = 0;
  if (node.memo) {
    // A reduction over a scan's state holds for one step: the generation is part of its key.
    key = node.memo->key(env_) + (node.uses_state ? generation_ * node.memo->total : 0);
    entry = static_cast<size_t>(key & node.memo->mask);
    if (node.memo->keys[entry] == key) return node.memo->values[entry];
  }
  V value;
  switch (node.reduction) {
    case Reduction::sum:
      value = node.walk[0].empty() ? reduce_sum(node, false) : reduce_products(node);
      break;
    case Reduction::mean:
      value = reduce_sum(node, true);
      break;
    case Reduction::prod:
      value = reduce_prod(node);
      break;
    case Reduction::max:
    case Reduction::min:
      value = reduce_extreme(node);
      break;
    case Reduction::any:
    case Reduction::all:
      value = reduce_logical(node);
      break;
    case Reduction::argmax:
    case Reduction::argmin:
      value = reduce_position(node);
      break;
  }
  if (node.memo && !failed()) node.memo->keys[entry] = key, node.memo->values[entry] = value;
  return value;
}

V Interpreter::Impl::reduce_sum(const Node& node, bool mean) {
  const Node& body = *node.args[0];
  if (mean && node.count == 0) return wrong("ir.empty", "the mean of no values"), V{};
  if (node.type == ValueType::integer) {
    int64_t sum = 0;
    double e = 0;
    walk(node.over, node.over_extents, [&] {
      V x = eval(body);
      if (__builtin_add_overflow(sum, x.i, &sum)) wrong("ir.integer", "an integer overflow in a sum");
      e += x.e;
      return true;
    });
    return integer_value(sum, e);
  }
  ExactSum sum;
  double e = 0, magnitude = 0;
  walk(node.over, node.over_extents, [&] {
    V x = eval(body);
    sum.add(x.r);
    magnitude += std::fabs(x.r);
    e += x.e;
    return true;
  });
  double n = static_cast<double>(node.count);
  V total = Scalars::finish(sum.value(), e + (n > 1 ? scalars_.u * scalars_.growth(n) * magnitude : 0), e);
  total = scalars_.overflowing_sum(total, magnitude + e);
  return mean ? scalars_.div(total, real_value(n)) : total;
}

// Operands are exact, so the errors come to u·Σ|xy| for the products and the sum's own.
V Interpreter::Impl::reduce_products(const Node& node) {
  const Node* factor[2] = {node.args[0]->args[0], node.args[0]->args[1]};
  int64_t start[2];
  for (int side = 0; side < 2; ++side) {
    start[side] = factor[side]->view->tensor->offset;
    for (size_t axis = 0; axis < factor[side]->args.size(); ++axis) {
      int slot = factor[side]->index_slots[axis];
      bool walked = std::find(node.over.begin(), node.over.end(), slot) != node.over.end();
      if (!walked) start[side] += env_[static_cast<size_t>(slot)] * factor[side]->strides[axis];
    }
  }
  ExactSum sum;
  double magnitude = 0;
  std::vector<int64_t> index(node.over.size(), 0);
  size_t last = node.over.size() - 1;
  for (int64_t done = 0; done < node.count; done += node.over_extents[last]) {
    int64_t a = start[0], b = start[1];
    for (size_t i = 0; i < last; ++i) a += index[i] * node.walk[0][i], b += index[i] * node.walk[1][i];
    for (int64_t k = 0; k < node.over_extents[last]; ++k) {
      double product = factor[0]->view->at(a).r * factor[1]->view->at(b).r;
      sum.add(product);
      magnitude += std::fabs(product);
      a += node.walk[0][last], b += node.walk[1][last];
    }
    for (size_t axis = last; axis-- > 0;) {
      if (++index[axis] < node.over_extents[axis]) break;
      index[axis] = 0;
    }
  }
  double n = static_cast<double>(node.count);
  double e = scalars_.u * magnitude * (1 + (n > 1 ? scalars_.growth(n) : 0)) + n * scalars_.tiny;
  return scalars_.overflowing_sum(Scalars::finish(sum.value(), e, 0), magnitude);
}

V Interpreter::Impl::reduce_prod(const Node& node) {
  const Node& body = *node.args[0];
  if (node.type == ValueType::integer) {
    V product = integer_value(1);
    walk(node.over, node.over_extents, [&] {
      V x = eval(body);
      const char* why = "";
      if (!integer_operation(Op::mul, product, x, product, why))
        wrong("ir.integer", "an integer overflow in a product");
      return true;
    });
    return product;
  }
  V product = real_value(1);
  walk(node.over, node.over_extents, [&] {
    product = scalars_.mul(product, eval(body));
    return true;
  });
  return product;
}

V Interpreter::Impl::reduce_extreme(const Node& node) {
  const Node& body = *node.args[0];
  bool largest = node.reduction == Reduction::max;
  if (node.type != ValueType::real) {
    if (node.count == 0)
      return wrong("ir.empty", fmt::format("the {} of no integers", reduction_name(node.reduction))), V{};
    V best;
    bool first = true, unsure = false;
    walk(node.over, node.over_extents, [&] {
      V x = eval(body);
      unsure = unsure || x.e > 0;
      if (first || (largest ? x.i > best.i : x.i < best.i)) best = x;
      first = false;
      return true;
    });
    if (!unsure || failed()) return integer_value(best.i);
    std::vector<int64_t> others;
    double e = 0;
    if (!possible_extremes(node, others)) e = kInfinity;
    for (int64_t other : others) e = std::max(e, std::fabs(static_cast<double>(other) - best.r));
    return integer_value(best.i, e);
  }
  double sign = largest ? 1 : -1;
  double best = -kInfinity, low = -kInfinity, high = -kInfinity;
  bool nan = false;
  walk(node.over, node.over_extents, [&] {
    V x = eval(body);
    double r = sign * x.r;
    nan = nan || std::isnan(r);
    best = std::max(best, r);
    low = std::max(low, r - x.e);
    high = std::max(high, r + x.e);
    return !nan;
  });
  if (nan) return real_value(std::nan(""));
  double e = high == best && low == best ? 0 : std::max(high - best, best - low);
  return real_value(sign * best, std::isnan(e) ? kInfinity : e);
}

V Interpreter::Impl::reduce_logical(const Node& node) {
  bool any = node.reduction == Reduction::any;
  bool found = false, unsure = false;  // found: a value that settles it
  bool settled = false;
  walk(node.over, node.over_extents, [&] {
    V x = eval(*node.args[0]);
    bool settles = any ? x.i != 0 : x.i == 0;
    found = found || settles;
    unsure = unsure || x.e > 0;
    settled = settled || (settles && x.e == 0);
    return !settled;
  });
  return integer_value(any ? found : !found, unsure && !settled ? 1 : 0);
}

// The first NaN, else the lowest position of the largest (smallest). Positions that are as good within the errors widen
// the bound; which of them are right, accepts_position() says.
V Interpreter::Impl::reduce_position(const Node& node) {
  if (node.count == 0)
    return wrong("ir.empty", fmt::format("the {} of no values", reduction_name(node.reduction))), V{};
  double sign = node.reduction == Reduction::argmax ? 1 : -1;
  bool exact_integers = node.args[0]->type != ValueType::real;
  int64_t position = 0, best_position = 0;
  V best;
  double low = -kInfinity;
  bool nan = false, unsure = false, first = true;
  walk(node.over, node.over_extents, [&] {
    V x = eval(*node.args[0]);
    nan = std::isnan(x.r);
    bool better =
        first || nan || (exact_integers ? (sign > 0 ? x.i > best.i : x.i < best.i) : sign * x.r > sign * best.r);
    if (better) best = x, best_position = position;
    low = std::max(low, sign * x.r - x.e);
    unsure = unsure || x.e > 0;
    first = false;
    ++position;
    return !nan;
  });
  if (nan || !unsure) return integer_value(best_position);
  position = 0;
  double e = 0;
  walk(node.over, node.over_extents, [&] {
    V x = eval(*node.args[0]);
    if (x.e > 0 && sign * x.r + x.e >= low) e = std::max(e, std::fabs(static_cast<double>(position - best_position)));
    ++position;
    return true;
  });
  return integer_value(best_position, e);
}

}  // namespace hipvault::ir
