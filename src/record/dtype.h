#pragma once
// Element types of tensors, and the exact meaning of their bits on the host. Rule 13 of the op language lists them.
// The simulator has its own conversions (it knows no tensors); tests compare the two over all bit patterns.
//
// Rounding is to nearest even. fp8 and fp4 saturate to the largest finite value; NaN becomes the format's NaN (fp4 has
// none: encode gives +0). FNUZ formats have no -0 and one NaN (0x80). e8m0 is 2^(bits-127), 0xff is NaN.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hipvault {

enum class DType : uint8_t {
  f64,
  f32,
  f16,
  bf16,
  f8e4m3fn,
  f8e4m3fnuz,
  f8e5m2,
  f8e5m2fnuz,
  f4,
  e8m0,
  i64,
  i32,
  i16,
  i8,
  i4,
  u64,
  u32,
  u16,
  u8,
  u4,
  boolean,
};

struct DTypeInfo {
  DType dtype;
  const char* name;  // as in the op language
  int bits;          // storage; bool is 8
  bool is_float;
  bool is_signed;
  int mantissa_bits;  // floats: explicit fraction bits
  double max_finite;  // floats: largest finite; integers: largest value (as double)
  double min_normal;  // floats only
};

std::span<const DTypeInfo> all_dtypes();
const DTypeInfo& info(DType dtype);
inline const char* name(DType dtype) { return info(dtype).name; }
inline bool is_float(DType dtype) { return info(dtype).is_float; }
std::optional<DType> dtype_by_name(std::string_view name);  // not "f8", which depends on the arch

// Bytes of `count` consecutive elements; 4-bit types round up to whole bytes.
int64_t bytes_of(DType dtype, int64_t count);

// Element `index` of packed data. 4-bit types pack two a byte, low nibble first. Integers of 64 bits lose bits beyond
// 2^53 through decode(); use decode_int for them.
double decode(DType dtype, const void* data, int64_t index);
int64_t decode_int(DType dtype, const void* data, int64_t index);  // integer types and bool; u64 as its bit pattern
void encode(DType dtype, void* data, int64_t index, double value);
void encode_int(DType dtype, void* data, int64_t index, int64_t value);

// The value after one rounding to `dtype`, as a double.
double round_to(DType dtype, double value);

}  // namespace hipvault
