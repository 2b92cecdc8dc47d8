#include "tile/element.h"

namespace hipvault::tile {

// Keeps the bits that the type has.
int64_t cut(DType dtype, int64_t value) {
  if (dtype == DType::boolean) return value != 0;
  int bits = info(dtype).bits;
  if (bits == 64) return value;
  uint64_t low = static_cast<uint64_t>(value) << (64 - bits);
  return info(dtype).is_signed ? static_cast<int64_t>(low) >> (64 - bits) : static_cast<int64_t>(low >> (64 - bits));
}

double rounded(DType dtype, double value) { return dtype == DType::f64 ? value : round_to(dtype, value); }

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

double real_unary(OpCode code, double a) {
  switch (code) {
    case OpCode::neg:
      return -a;
    case OpCode::abs:
      return std::fabs(a);
    case OpCode::exp:
      return std::exp(a);
    case OpCode::exp2:
    case OpCode::exp2_flush:
      return std::exp2(a);
    case OpCode::expm1:
      return std::expm1(a);
    case OpCode::log:
      return std::log(a);
    case OpCode::log2:
      return std::log2(a);
    case OpCode::log1p:
      return std::log1p(a);
    case OpCode::sqrt:
      return std::sqrt(a);
    case OpCode::rsqrt:
      return 1 / std::sqrt(a);
    case OpCode::rcp:
      return 1 / a;
    case OpCode::sin:
      return std::sin(a);
    case OpCode::cos:
      return std::cos(a);
    case OpCode::tan:
      return std::tan(a);
    case OpCode::tanh:
      return std::tanh(a);
    case OpCode::erf:
      return std::erf(a);
    case OpCode::floor:
      return std::floor(a);
    case OpCode::ceil:
      return std::ceil(a);
    case OpCode::round:
      return std::nearbyint(a);
    case OpCode::trunc:
      return std::trunc(a);
    case OpCode::sign:
      return std::isnan(a) ? a : (a > 0) - (a < 0);
    default:
      break;
  }
  throw Fault{std::string("no meaning of ") + op_name(code) + " on floats"};
}

double real_binary(OpCode code, double a, double b) {
  switch (code) {
    case OpCode::add:
      return a + b;
    case OpCode::sub:
      return a - b;
    case OpCode::mul:
      return a * b;
    case OpCode::div:
      return a / b;
    case OpCode::floordiv:
      return std::floor(a / b);
    case OpCode::mod: {
      double r = std::fmod(a, b);
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
    case OpCode::pow:
      return std::pow(a, b);
    case OpCode::atan2:
      return std::atan2(a, b);
    case OpCode::minimum:
      return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmin(a, b);
    case OpCode::maximum:
      return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmax(a, b);
    default:
      break;
  }
  throw Fault{std::string("no meaning of ") + op_name(code) + " on floats"};
}

static int64_t power(int64_t base, int64_t exponent) {
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (; exponent > 0; exponent >>= 1, factor *= factor)
    if (exponent & 1) result *= factor;
  return static_cast<int64_t>(result);
}

int64_t whole_unary(OpCode code, DType dtype, int64_t a) {
  switch (code) {
    case OpCode::neg:
      return static_cast<int64_t>(-static_cast<uint64_t>(a));
    case OpCode::abs:
      return a < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : a;
    case OpCode::sign:
      return (a > 0) - (a < 0);
    case OpCode::bit_not:
      return dtype == DType::boolean ? !a : ~a;
    default:
      break;
  }
  throw Fault{std::string("no meaning of ") + op_name(code) + " on integers"};
}

int64_t whole_binary(OpCode code, DType dtype, int64_t a, int64_t b) {
  auto u = [](int64_t value) { return static_cast<uint64_t>(value); };
  bool wide = dtype == DType::u64;
  switch (code) {
    case OpCode::add:
      return static_cast<int64_t>(u(a) + u(b));
    case OpCode::sub:
      return static_cast<int64_t>(u(a) - u(b));
    case OpCode::mul:
      return static_cast<int64_t>(u(a) * u(b));
    case OpCode::floordiv:
    case OpCode::mod: {
      if (b == 0) throw Fault{"an integer division by zero"};
      if (wide) return static_cast<int64_t>(code == OpCode::mod ? u(a) % u(b) : u(a) / u(b));
      int64_t q = floor_div(a, b);
      return code == OpCode::mod ? a - q * b : q;
    }
    case OpCode::pow:
      return power(a, b);
    case OpCode::minimum:
      return wide ? static_cast<int64_t>(std::min(u(a), u(b))) : std::min(a, b);
    case OpCode::maximum:
      return wide ? static_cast<int64_t>(std::max(u(a), u(b))) : std::max(a, b);
    case OpCode::bit_and:
      return a & b;
    case OpCode::bit_or:
      return a | b;
    case OpCode::bit_xor:
      return a ^ b;
    case OpCode::shift_left:
      return static_cast<int64_t>(u(a) << (b & 63));
    case OpCode::shift_right:
      return info(dtype).is_signed ? a >> (b & 63) : static_cast<int64_t>(u(a) >> (b & 63));
    case OpCode::mul_high_u32:
      return static_cast<int64_t>(u(a) * u(b) >> 32);
    default:
      break;
  }
  throw Fault{std::string("no meaning of ") + op_name(code) + " on integers"};
}

Element cast_element(const Element& a, DType from, DType to) {
  Element out;
  if (is_real(to)) {
    double value = is_real(from)        ? a.real
                   : from == DType::u64 ? static_cast<double>(static_cast<uint64_t>(a.whole))
                                        : static_cast<double>(a.whole);
    out.real = rounded(to, value);
  } else if (to == DType::boolean) {
    out.whole = is_real(from) ? a.real != 0 : a.whole != 0;
  } else if (is_real(from)) {
    double value = std::trunc(a.real);
    double low = info(to).is_signed ? -info(to).max_finite - 1 : 0, high = info(to).max_finite;
    out.whole = std::isnan(value)                      ? 0
                : value <= low                         ? cut(to, static_cast<int64_t>(low))
                : value >= high && info(to).bits == 64 ? INT64_MAX
                                                       : static_cast<int64_t>(std::min(value, high));
  } else {
    out.whole = cut(to, a.whole);
  }
  return out;
}

}  // namespace hipvault::tile
