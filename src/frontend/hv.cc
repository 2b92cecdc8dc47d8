#include "frontend/hv.h"

#include <fmt/format.h>

#include "frontend/elaborate.h"
#include "frontend/syntax.h"

namespace hipvault::frontend {
namespace {

// The op asked for; without a name the only one, or the one that is called like the file.
Result<const OpSyntax*> find_op(const OpFile& file, const std::string& name) {
  std::vector<std::string> known;
  std::string stem = file.file_name.substr(file.file_name.find_last_of('/') + 1);
  stem = stem.substr(0, stem.find('.'));
  for (const OpSyntax& op : file.ops) known.push_back(op.name);
  for (const OpSyntax& op : file.ops)
    if (op.name == (name.empty() ? stem : name)) return &op;
  if (name.empty() && file.ops.size() == 1) return &file.ops[0];
  std::string list;
  for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
  Place place{file.file_name, 0, 0, 1, ""};
  if (known.empty()) return fail("hv.unknown", file.file_name + " has no ops", "", place);
  if (name.empty())
    return fail("hv.unknown", fmt::format("{} has several ops and none is named {}", file.file_name, stem),
                "name one of: " + list, place);
  return fail("hv.unknown", fmt::format("{} has no op named {}{}", file.file_name, name, did_you_mean(name, known)),
              "its ops are: " + list, place);
}

Status check_names(const OpFile& file) {
  std::map<std::string, int> seen;
  for (const FnSyntax& fn : file.functions) {
    std::vector<std::string> builtin = builtin_names();
    for (const std::string& name : builtin)
      if (name == fn.name)
        return fail("hv.name", fmt::format("{} is built in and cannot be defined", fn.name), "", place_of(fn.pos));
    if (seen[fn.name]++ > 0)
      return fail("hv.name", fmt::format("there are two functions named {}", fn.name), "", place_of(fn.pos));
  }
  seen.clear();
  for (const OpSyntax& op : file.ops)
    if (seen[op.name]++ > 0)
      return fail("hv.name", fmt::format("there are two ops named {}", op.name), "", place_of(op.pos));
  return {};
}

}  // namespace

Result<OpFileRef> parse_file(const std::string& text, const std::string& file_name, const std::string& standard) {
  Result<Parsed> library = parse_source(make_source(standard, "std.hv"));
  if (!library) return fail(library.error());
  Result<Parsed> parsed = parse_source(make_source(text, file_name));
  if (!parsed) return fail(parsed.error());
  auto file = std::make_shared<OpFile>();
  file->file_name = file_name;
  file->functions = std::move(parsed->functions);
  file->standard = std::move(library->functions);
  file->ops = std::move(parsed->ops);
  file->order = std::move(parsed->order);
  if (Status fine = check_names(*file); !fine) return fail(fine.error());
  return OpFileRef(file);
}

std::vector<std::string> op_names(const OpFileRef& file) {
  std::vector<std::string> names;
  for (const OpSyntax& op : file->ops) names.push_back(op.name);
  return names;
}

Result<std::vector<std::pair<std::string, std::vector<DType>>>> type_variables(const OpFileRef& file,
                                                                               const std::string& op, DType fp8) {
  Result<const OpSyntax*> found = find_op(*file, op);
  if (!found) return fail(found.error());
  std::vector<std::pair<std::string, std::vector<DType>>> variables;
  for (const TypeVariable& variable : (*found)->variables) {
    variables.emplace_back(variable.name, std::vector<DType>());
    for (const std::string& name : variable.dtypes) {
      std::optional<DType> dtype = name == "f8" ? fp8 : dtype_by_name(name);
      if (!dtype) return fail("hv.unknown", "there is no dtype named " + name, "", place_of(variable.pos));
      variables.back().second.push_back(*dtype);
    }
  }
  return variables;
}

Result<ir::Program> instantiate(const OpFileRef& file, const std::string& op, const std::map<std::string, DType>& types,
                                DType fp8) {
  Result<const OpSyntax*> found = find_op(*file, op);
  if (!found) return fail(found.error());
  return Elaborator(*file, **found, types, fp8).run();
}

}  // namespace hipvault::frontend
