#include "verify/safetensors.h"

#include <cstring>

#include "base/file_system.h"
#include "base/json.h"

namespace hipvault::verify {
namespace {

struct TypeRow {
  const char* name;
  DType dtype;
};
constexpr TypeRow kTypes[] = {
    {"F64", DType::f64},      {"F32", DType::f32},          {"F16", DType::f16},        {"BF16", DType::bf16},
    {"I64", DType::i64},      {"I32", DType::i32},          {"I16", DType::i16},        {"I8", DType::i8},
    {"U64", DType::u64},      {"U32", DType::u32},          {"U16", DType::u16},        {"U8", DType::u8},
    {"BOOL", DType::boolean}, {"F8_E4M3", DType::f8e4m3fn}, {"F8_E5M2", DType::f8e5m2},
};

Result<DType> type_by_name(const std::string& name, const std::string& path) {
  for (const TypeRow& row : kTypes) {
    if (name == row.name) return row.dtype;
  }
  return fail("verify.safetensors", path + ": the dtype " + name + " has no counterpart");
}

Result<Json> read_header(const std::string& content, const std::string& path) {
  uint64_t length = 0;
  if (content.size() < 8) return fail("verify.safetensors", path + " is too short for a safetensors file");
  std::memcpy(&length, content.data(), 8);
  if (length > content.size() - 8) return fail("verify.safetensors", path + ": the header is longer than the file");
  return parse_json(content.substr(8, length), path);
}

std::string known_names(const Json& header) {
  std::string names;
  for (const auto& [name, entry] : header.items()) {
    if (name != "__metadata__") names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

}  // namespace

Result<HostTensor> read_safetensor(const std::string& path, const std::string& tensor) {
  Result<std::string> content = real_file_system().read(path);
  if (!content) return fail(content.error());
  Result<Json> header = read_header(*content, path);
  if (!header) return fail(header.error());
  if (!header->is_object() || !header->contains(tensor)) {
    return fail("verify.safetensors", path + " has no tensor \"" + tensor + "\"", "it holds: " + known_names(*header));
  }
  const Json& entry = header->at(tensor);
  Result<std::string> type = json_field<std::string>(entry, "dtype", path);
  Result<std::vector<int64_t>> shape = json_field<std::vector<int64_t>>(entry, "shape", path);
  Result<std::vector<uint64_t>> range = json_field<std::vector<uint64_t>>(entry, "data_offsets", path);
  if (!type) return fail(type.error());
  if (!shape) return fail(shape.error());
  if (!range) return fail(range.error());
  Result<DType> dtype = type_by_name(*type, path);
  if (!dtype) return fail(dtype.error());
  uint64_t length = 0;
  std::memcpy(&length, content->data(), 8);
  uint64_t data = 8 + length;
  HostTensor made{tensor, *dtype, *shape, contiguous_strides(*shape), 0, {}};
  bool fits = range->size() == 2 && (*range)[0] <= (*range)[1] && (*range)[1] <= content->size() - data;
  for (int64_t extent : *shape) fits = fits && extent >= 0;
  if (!fits || static_cast<int64_t>((*range)[1] - (*range)[0]) != bytes_of(*dtype, made.elements())) {
    return fail("verify.safetensors", path + ": the data range of " + tensor + " does not fit its shape");
  }
  made.bytes = content->substr(data + (*range)[0], (*range)[1] - (*range)[0]);
  return made;
}

}  // namespace hipvault::verify
