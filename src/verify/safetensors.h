#pragma once
// Reads one tensor of a safetensors file: 8 bytes header length, a JSON header {name: {dtype, shape, data_offsets}},
// data.

#include "base/result.h"
#include "record/tensor.h"

namespace hipvault::verify {

// Contiguous. Error: unreadable file, broken header, no such tensor (the known ones are listed), or a dtype without a
// counterpart.
Result<HostTensor> read_safetensor(const std::string& path, const std::string& tensor);

}  // namespace hipvault::verify
