#include "record/dtype.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.h"

namespace hipvault {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr std::array<DTypeInfo, 21> kTypes = {{
    {DType::f64, "f64", 64, true, true, 52, 1.7976931348623157e308, 2.2250738585072014e-308},
    {DType::f32, "f32", 32, true, true, 23, 3.4028234663852886e38, 1.1754943508222875e-38},
    {DType::f16, "f16", 16, true, true, 10, 65504.0, 6.103515625e-05},
    {DType::bf16, "bf16", 16, true, true, 7, 3.3895313892515355e38, 1.1754943508222875e-38},
    {DType::f8e4m3fn, "f8e4m3fn", 8, true, true, 3, 448.0, 0.015625},
    {DType::f8e4m3fnuz, "f8e4m3fnuz", 8, true, true, 3, 240.0, 0.0078125},
    {DType::f8e5m2, "f8e5m2", 8, true, true, 2, 57344.0, 6.103515625e-05},
    {DType::f8e5m2fnuz, "f8e5m2fnuz", 8, true, true, 2, 57344.0, 3.0517578125e-05},
    {DType::f4, "f4", 4, true, true, 1, 6.0, 1.0},
    {DType::e8m0, "e8m0", 8, true, false, 0, 1.7014118346046923e38, 5.877471754111438e-39},
    {DType::i64, "i64", 64, false, true, 0, 9223372036854775807.0, 0},
    {DType::i32, "i32", 32, false, true, 0, 2147483647.0, 0},
    {DType::i16, "i16", 16, false, true, 0, 32767.0, 0},
    {DType::i8, "i8", 8, false, true, 0, 127.0, 0},
    {DType::i4, "i4", 4, false, true, 0, 7.0, 0},
    {DType::u64, "u64", 64, false, false, 0, 18446744073709551615.0, 0},
    {DType::u32, "u32", 32, false, false, 0, 4294967295.0, 0},
    {DType::u16, "u16", 16, false, false, 0, 65535.0, 0},
    {DType::u8, "u8", 8, false, false, 0, 255.0, 0},
    {DType::u4, "u4", 4, false, false, 0, 15.0, 0},
    {DType::boolean, "bool", 8, false, false, 0, 1.0, 0},
}};

// A float format of at most 16 bits with sign, exponent and fraction fields.
struct SmallFloat {
  int exponent_bits, mantissa_bits, bias;
  bool has_infinity;   // all-ones exponent is infinity and NaN, as in IEEE
  bool nan_is_zero80;  // FNUZ: the bit pattern of -0 is the only NaN
  bool has_nan;
};

SmallFloat small_float(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {5, 10, 15, true, false, true};
    case DType::bf16:
      return {8, 7, 127, true, false, true};
    case DType::f8e4m3fn:
      return {4, 3, 7, false, false, true};
    case DType::f8e4m3fnuz:
      return {4, 3, 8, false, true, true};
    case DType::f8e5m2:
      return {5, 2, 15, true, false, true};
    case DType::f8e5m2fnuz:
      return {5, 2, 16, false, true, true};
    case DType::f4:
      return {2, 1, 1, false, false, false};
    default:
      CHECK(false) << "not a small float: " << name(dtype);
  }
  return {};
}

double decode_small(const SmallFloat& format, uint32_t bits) {
  uint32_t mantissa_mask = (1u << format.mantissa_bits) - 1, exponent_mask = (1u << format.exponent_bits) - 1;
  uint32_t sign = bits >> (format.exponent_bits + format.mantissa_bits);
  uint32_t exponent = (bits >> format.mantissa_bits) & exponent_mask, mantissa = bits & mantissa_mask;
  double s = sign ? -1.0 : 1.0;
  if (format.nan_is_zero80 && sign && exponent == 0 && mantissa == 0) return std::nan("");
  if (format.has_infinity && exponent == exponent_mask) return mantissa ? std::nan("") : s * kInf;
  // e4m3fn keeps the all-ones exponent for values and gives up only all-ones fraction as NaN.
  if (format.has_nan && !format.has_infinity && !format.nan_is_zero80 && exponent == exponent_mask &&
      mantissa == mantissa_mask)
    return std::nan("");
  if (exponent == 0) return s * std::ldexp(mantissa, 1 - format.bias - format.mantissa_bits);
  return s * std::ldexp(mantissa | (1u << format.mantissa_bits),
                        static_cast<int>(exponent) - format.bias - format.mantissa_bits);
}

uint32_t encode_nan(const SmallFloat& format) {
  int magnitude_bits = format.exponent_bits + format.mantissa_bits;
  if (!format.has_nan) return 0;
  if (format.nan_is_zero80) return 1u << magnitude_bits;
  if (!format.has_infinity) return (1u << magnitude_bits) - 1;
  return (((1u << format.exponent_bits) - 1) << format.mantissa_bits) | (1u << (format.mantissa_bits - 1));
}

// Rounds |value| to a multiple of the format's spacing at that magnitude, ties to even. Exact: the quotient has at most
// 53 bits, and nearbyint in the default mode is ties-to-even.
double round_magnitude(const SmallFloat& format, double magnitude) {
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent, m in [0.5, 1)
  int lowest = 1 - format.bias;
  int spacing = std::max(exponent - 1, lowest) - format.mantissa_bits;
  return std::ldexp(std::nearbyint(std::ldexp(magnitude, -spacing)), spacing);
}

uint32_t encode_small(const SmallFloat& format, double max_finite, bool saturate, double value) {
  if (std::isnan(value)) return encode_nan(format);
  uint32_t sign = std::signbit(value) ? 1u : 0u;
  int magnitude_bits = format.exponent_bits + format.mantissa_bits;
  double magnitude = std::isinf(value) ? kInf : round_magnitude(format, std::fabs(value));
  if (magnitude > max_finite) {
    if (!saturate) return (sign << magnitude_bits) | (((1u << format.exponent_bits) - 1) << format.mantissa_bits);
    magnitude = max_finite;
  }
  if (magnitude == 0) return format.nan_is_zero80 ? 0u : sign << magnitude_bits;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  int biased = exponent - 1 + format.bias;
  uint32_t bits;
  if (biased <= 0) {
    bits = static_cast<uint32_t>(std::ldexp(magnitude, format.bias - 1 + format.mantissa_bits));
  } else {
    double fraction = std::ldexp(magnitude, -(exponent - 1)) - 1.0;
    bits = (static_cast<uint32_t>(biased) << format.mantissa_bits) |
           static_cast<uint32_t>(std::ldexp(fraction, format.mantissa_bits));
  }
  return (sign << magnitude_bits) | bits;
}

uint32_t encode_e8m0(double value) {
  if (std::isnan(value) || value < 0) return 0xff;
  if (value == 0) return 0;
  if (std::isinf(value)) return 0xfe;
  int exponent = 0;
  double m = std::frexp(value, &exponent);  // value = 2m * 2^(exponent-1)
  int power = exponent - 1;
  // Nearest power of two; the midpoint 1.5 * 2^p goes to the even exponent code.
  if (m > 0.75 || (m == 0.75 && ((power + 127) & 1))) ++power;
  return static_cast<uint32_t>(std::min(254, std::max(0, power + 127)));
}

template <class T>
T load(const void* data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}
template <class T>
void store(void* data, int64_t index, T value) {
  std::memcpy(static_cast<char*>(data) + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

uint32_t load_bits(int bits, const void* data, int64_t index) {
  if (bits == 16) return load<uint16_t>(data, index);
  if (bits == 8) return load<uint8_t>(data, index);
  uint8_t byte = load<uint8_t>(data, index / 2);
  return index % 2 ? byte >> 4 : byte & 15;
}

void store_bits(int bits, void* data, int64_t index, uint32_t value) {
  if (bits == 16) return store<uint16_t>(data, index, static_cast<uint16_t>(value));
  if (bits == 8) return store<uint8_t>(data, index, static_cast<uint8_t>(value));
  uint8_t byte = load<uint8_t>(data, index / 2);
  byte = static_cast<uint8_t>(index % 2 ? (byte & 15) | (value << 4) : (byte & 0xf0) | (value & 15));
  store<uint8_t>(data, index / 2, byte);
}

bool saturates(DType dtype) { return dtype != DType::f16 && dtype != DType::bf16; }

}  // namespace

std::span<const DTypeInfo> all_dtypes() { return kTypes; }

const DTypeInfo& info(DType dtype) {
  const DTypeInfo& row = kTypes[static_cast<size_t>(dtype)];
  CHECK(row.dtype == dtype) << "dtype table out of order at " << row.name;
  return row;
}

std::optional<DType> dtype_by_name(std::string_view name) {
  for (const DTypeInfo& row : kTypes)
    if (name == row.name) return row.dtype;
  return std::nullopt;
}

int64_t bytes_of(DType dtype, int64_t count) { return (count * info(dtype).bits + 7) / 8; }

double decode(DType dtype, const void* data, int64_t index) {
  switch (dtype) {
    case DType::f64:
      return load<double>(data, index);
    case DType::f32:
      return load<float>(data, index);
    case DType::e8m0: {
      uint32_t bits = load<uint8_t>(data, index);
      return bits == 0xff ? std::nan("") : std::ldexp(1.0, static_cast<int>(bits) - 127);
    }
    case DType::u64:
      return static_cast<double>(load<uint64_t>(data, index));
    default:
      break;
  }
  if (!info(dtype).is_float) return static_cast<double>(decode_int(dtype, data, index));
  return decode_small(small_float(dtype), load_bits(info(dtype).bits, data, index));
}

int64_t decode_int(DType dtype, const void* data, int64_t index) {
  switch (dtype) {
    case DType::i64:
    case DType::u64:
      return load<int64_t>(data, index);
    case DType::i32:
      return load<int32_t>(data, index);
    case DType::i16:
      return load<int16_t>(data, index);
    case DType::i8:
      return load<int8_t>(data, index);
    case DType::u32:
      return load<uint32_t>(data, index);
    case DType::u16:
      return load<uint16_t>(data, index);
    case DType::u8:
    case DType::boolean:
      return load<uint8_t>(data, index);
    case DType::u4:
      return load_bits(4, data, index);
    case DType::i4:
      return static_cast<int32_t>(load_bits(4, data, index) << 28) >> 28;
    default:
      CHECK(false) << "decode_int of " << name(dtype);
  }
  return 0;
}

void encode(DType dtype, void* data, int64_t index, double value) {
  switch (dtype) {
    case DType::f64:
      return store<double>(data, index, value);
    case DType::f32:
      return store<float>(data, index, static_cast<float>(value));
    case DType::e8m0:
      return store<uint8_t>(data, index, static_cast<uint8_t>(encode_e8m0(value)));
    case DType::u64:
      return store<uint64_t>(data, index, static_cast<uint64_t>(value));
    default:
      break;
  }
  if (!info(dtype).is_float) return encode_int(dtype, data, index, static_cast<int64_t>(value));
  store_bits(info(dtype).bits, data, index,
             encode_small(small_float(dtype), info(dtype).max_finite, saturates(dtype), value));
}

void encode_int(DType dtype, void* data, int64_t index, int64_t value) {
  switch (info(dtype).bits) {
    case 64:
      return store<int64_t>(data, index, value);
    case 32:
      return store<int32_t>(data, index, static_cast<int32_t>(value));
    case 4:
      return store_bits(4, data, index, static_cast<uint32_t>(value) & 15);
    default:
      return store_bits(info(dtype).bits, data, index,
                        static_cast<uint32_t>(dtype == DType::boolean ? value != 0 : value));
  }
}

double round_to(DType dtype, double value) {
  uint64_t storage = 0;
  encode(dtype, &storage, 0, value);
  return decode(dtype, &storage, 0);
}

}  // namespace hipvault
