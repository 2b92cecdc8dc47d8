#pragma once
// The op language (doc/op-language.md): text to tensor programs.
//
//   Result<OpFile> file = parse_file(text, "ops/softmax.hv", standard_library());
//   Result<ir::Program> program = instantiate(*file, "softmax", {{"T", DType::bf16}}, arch_fp8);
//
// Errors carry line, column, the line's text and say what was expected and what was found.

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/program.h"

namespace hipvault::frontend {

struct OpFile;  // the parsed text; opaque
using OpFileRef = std::shared_ptr<const OpFile>;

// `standard`: the text of ops/std.hv, whose functions are visible everywhere.
Result<OpFileRef> parse_file(const std::string& text, const std::string& file_name, const std::string& standard);

std::vector<std::string> op_names(const OpFileRef& file);

// The type variables of an op with their dtypes in order; the first is the default. `fp8`: as for instantiate().
Result<std::vector<std::pair<std::string, std::vector<DType>>>> type_variables(const OpFileRef& file,
                                                                               const std::string& op,
                                                                               DType fp8 = DType::f8e4m3fnuz);

// Expands functions, fixes type variables (missing ones take their first dtype), checks everything. `fp8` is what `f8`
// means on the arch. An empty `op` takes the file's only op, or the one that has the file's name.
Result<ir::Program> instantiate(const OpFileRef& file, const std::string& op, const std::map<std::string, DType>& types,
                                DType fp8);

// Canonical text of the whole file: parses back to the same.
std::string text(const OpFileRef& file);

}  // namespace hipvault::frontend
