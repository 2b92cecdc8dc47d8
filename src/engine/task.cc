#include "engine/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "engine/suggest.h"
#include "ir/verify.h"

namespace hipvault::engine {
namespace {

struct OpSource {
  std::string file, text, standard, op;
};

bool ends_with(const std::string& text, const std::string& tail) {
  return text.size() >= tail.size() && text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

std::string read_or_empty(FileSystem& files, const std::string& path) {
  Result<std::string> text = files.read(path);
  return text ? *text : "";
}

// The functions that are visible in every file: std.hv beside the op, else of the library.
std::string standard_for(const std::string& op_file, FileSystem& files) {
  std::string beside = (std::filesystem::path(op_file).parent_path() / "std.hv").string();
  if (files.exists(beside)) return read_or_empty(files, beside);
  std::string library = library_folder(files);
  return library.empty() ? "" : read_or_empty(files, library + "/std.hv");
}

std::vector<std::string> library_files(FileSystem& files) {
  std::vector<std::string> paths;
  std::string library = library_folder(files);
  if (library.empty()) return paths;
  Result<std::vector<std::string>> names = files.list(library);
  if (!names) return paths;
  for (const std::string& name : *names)
    if (ends_with(name, ".hv") && name != "std.hv") paths.push_back(library + "/" + name);
  return paths;
}

// A bare name: the file of that name, else the file that holds an op of that name.
Result<OpSource> find_in_library(const std::string& name, FileSystem& files) {
  std::vector<std::string> known;
  std::string library = library_folder(files);
  std::string own_file = library + "/" + name + ".hv";
  if (!library.empty() && files.exists(own_file))
    return OpSource{own_file, read_or_empty(files, own_file), standard_for(own_file, files), ""};
  for (const OpEntry& entry : list_ops(files)) {
    if (entry.name == name)
      return OpSource{entry.file, read_or_empty(files, entry.file), standard_for(entry.file, files), name};
    if (!entry.name.empty()) known.push_back(entry.name);
  }
  return fail("op.unknown", "there is no op named \"" + name + "\"",
              "give an op file (ops/softmax.hv) or the name of an op; " + known_words(name, known));
}

Result<OpSource> read_op(const std::string& argument, FileSystem& files) {
  std::string path = argument, op;
  size_t colon = argument.rfind(".hv:");
  if (colon != std::string::npos) {
    path = argument.substr(0, colon + 3);
    op = argument.substr(colon + 4);
  }
  if (!ends_with(path, ".hv") && path.find('/') == std::string::npos) return find_in_library(path, files);
  Result<std::string> text = files.read(path);
  if (!text) return fail(text.error().code, text.error().message, "`hipvault ops` lists the ops of the library");
  return OpSource{path, *text, standard_for(path, files), op};
}

std::vector<std::string> case_names(const ir::Program& program) {
  std::vector<std::string> names;
  for (const ir::Case& one : program.cases) names.push_back(one.name);
  return names;
}

const ir::Case* find_case(const ir::Program& program, const std::string& name) {
  for (const ir::Case& one : program.cases)
    if (one.name == name) return &one;
  return nullptr;
}

// "N=1024" and its like, sorted into what they define.
struct Defines {
  std::map<std::string, DType> types;
  std::map<std::string, std::string> numbers;
};

Result<Defines> split_defines(const std::vector<std::string>& defines,
                              const std::vector<std::pair<std::string, std::vector<DType>>>& variables, DType fp8) {
  Defines result;
  for (const std::string& define : defines) {
    size_t equal = define.find('=');
    if (equal == std::string::npos || equal == 0 || equal + 1 == define.size())
      return fail("size.syntax", "\"" + define + "\" defines nothing", "write -D NAME=VALUE: -D N=1024, -D T=bf16");
    std::string name = define.substr(0, equal), value = define.substr(equal + 1);
    const std::vector<DType>* allowed = nullptr;
    for (const auto& [variable, dtypes] : variables)
      if (variable == name) allowed = &dtypes;
    if (allowed == nullptr) {
      result.numbers[name] = value;
      continue;
    }
    std::optional<DType> dtype = value == "f8" ? std::optional<DType>(fp8) : dtype_by_name(value);
    std::vector<std::string> known;
    for (DType one : *allowed) known.push_back(hipvault::name(one));
    if (!dtype || std::find(allowed->begin(), allowed->end(), *dtype) == allowed->end())
      return fail("dtype.unknown", "the op takes no " + name + "=" + value, known_words(value, known));
    result.types[name] = *dtype;
  }
  return result;
}

std::vector<std::string> known_numbers(const ir::Program& program) {
  std::vector<std::string> names;
  for (const ir::Dim& dim : program.dims)
    if (dim.free) names.push_back(dim.name);
  for (const ir::IntParam& param : program.int_params) names.push_back(param.name);
  for (const ir::ScalarParam& param : program.scalar_params) names.push_back(param.name);
  return names;
}

Status apply_number(const ir::Program& program, const std::string& name, const std::string& value, Sizes& sizes,
                    std::map<std::string, double>& scalars) {
  char* end = nullptr;
  for (const ir::ScalarParam& param : program.scalar_params) {
    if (param.name != name) continue;
    scalars[name] = value == "true" ? 1 : value == "false" ? 0 : std::strtod(value.c_str(), &end);
    if (end != nullptr && *end != '\0') return fail("size.syntax", "\"" + value + "\" is no number for " + name);
    return {};
  }
  std::vector<std::string> known = known_numbers(program);
  if (std::find(known.begin(), known.end(), name) == known.end())
    return fail("size.unknown", "the op " + program.name + " has no size or parameter named \"" + name + "\"",
                known_words(name, known));
  errno = 0;
  sizes[name] = std::strtoll(value.c_str(), &end, 10);
  if (value.empty() || *end != '\0') return fail("size.syntax", "\"" + value + "\" is no whole number for " + name);
  if (errno == ERANGE) return fail("size.syntax", value + " is too large for " + name, "sizes have 63 bits");
  return {};
}

size_t count_agreeing(const ir::Program& program, const std::map<std::string, DType>& dtypes) {
  return static_cast<size_t>(
      std::count_if(program.tensors.begin(), program.tensors.end(), [&](const ir::Tensor& tensor) {
        auto wanted = dtypes.find(tensor.name);
        return wanted != dtypes.end() && wanted->second == tensor.dtype;
      }));
}

// Each type variable that `fixed` does not hold becomes the allowed dtype under which most tensors have theirs.
void choose_types(const frontend::OpFileRef& file, const std::string& op,
                  const std::vector<std::pair<std::string, std::vector<DType>>>& variables, const Defines& fixed,
                  const std::map<std::string, DType>& dtypes, DType fp8, std::map<std::string, DType>& types) {
  for (const auto& [variable, allowed] : variables) {
    if (fixed.types.contains(variable)) continue;
    size_t most = 0;
    for (DType dtype : allowed) {
      std::map<std::string, DType> tried = types;
      tried[variable] = dtype;
      Result<ir::Program> program = frontend::instantiate(file, op, tried, fp8);
      if (!program || count_agreeing(*program, dtypes) <= most) continue;
      most = count_agreeing(*program, dtypes);
      types[variable] = dtype;
    }
  }
}

std::string name_of_sizes(const std::map<std::string, std::string>& numbers, const Defines& defines) {
  std::string text;
  for (const auto& [name, value] : numbers) text += (text.empty() ? "" : "_") + name + value;
  for (const auto& [name, dtype] : defines.types) text += (text.empty() ? "" : "_") + name + hipvault::name(dtype);
  return text;
}

// Refuses sizes whose tensors do not fit into the GPU, before anything multiplies them: N=2^63-1 has no byte count. An
// extent of 0 counts as 1, because strides are products of the others.
Status check_memory(const ir::Program& program, const Sizes& sizes, const target::Gpu& gpu) {
  double bytes = 0;
  for (const ir::Tensor& tensor : program.tensors) {
    double elements = 1;
    for (const IntExpr& axis : tensor.shape) {
      Result<int64_t> extent = axis.evaluate(sizes);
      if (!extent) return fail(extent.error());
      elements *= static_cast<double>(std::max<int64_t>(*extent, 1));
    }
    bytes += elements * info(tensor.dtype).bits / 8;
  }
  if (bytes <= static_cast<double>(gpu.memory_bytes)) return {};
  constexpr double kGiB = 1 << 30;
  return fail("size.memory",
              fmt::format("the tensors of {} have {:.4g} GiB at these sizes, and {} has {:.4g} GiB of memory",
                          program.name, bytes / kGiB, gpu.name, static_cast<double>(gpu.memory_bytes) / kGiB),
              "choose smaller sizes: another --case or -D");
}

// The case asked for, with -D on top of it.
Result<verify::SizedCase> choose_case(const ir::Program& program, const TaskRequest& request, const Defines& defines) {
  ir::Case chosen;
  bool sizes_only = request.case_name.empty() && !defines.numbers.empty();
  if (!sizes_only && !program.cases.empty()) {
    const ir::Case* found = request.case_name.empty() ? &program.cases.front() : find_case(program, request.case_name);
    if (found == nullptr) {
      return fail("case.unknown", "the op " + program.name + " has no case named \"" + request.case_name + "\"",
                  known_words(request.case_name, case_names(program)));
    }
    chosen = *found;
  } else if (!request.case_name.empty()) {
    return fail("case.unknown", "the op " + program.name + " has no cases",
                "give its sizes: " + join(known_numbers(program), "=…, ") + "=…");
  }
  std::string changed = name_of_sizes(defines.numbers, defines);
  std::string name = chosen.name.empty() ? changed : chosen.name + (changed.empty() ? "" : "." + changed);
  for (const auto& [number, value] : defines.numbers) {
    Status applied = apply_number(program, number, value, chosen.sizes, chosen.scalars);
    if (!applied) return fail(applied.error());
  }
  for (const std::string& open : chosen.open) {
    if (!chosen.sizes.contains(open))
      return fail("case.open", "the case " + chosen.name + " leaves " + open + " to run time",
                  "choose one to be fast at: -D " + open + "=…");
  }
  Result<verify::SizedCase> sized =
      verify::make_case(program, name.empty() ? "default" : name, chosen.sizes, chosen.scalars);
  if (!sized) return fail(sized.error());
  if (defines.numbers.empty()) {  // strides are noted for the case's own sizes
    sized->strides = chosen.strides;
    sized->offsets = chosen.offsets;
  }
  return sized;
}

}  // namespace

std::map<std::string, std::string> LoadedTask::types() const {
  std::map<std::string, std::string> result;
  for (const auto& [variable, dtype] : task.program.types) result[variable] = hipvault::name(dtype);
  return result;
}

Result<LoadedTask> load_task_from_text(const std::string& op_text, const std::string& op_file,
                                       const std::string& standard, const std::string& op, const TaskRequest& request) {
  Result<target::Gpu> gpu = target::find_gpu(request.gpu);
  if (!gpu) return fail(gpu.error());
  DType fp8 = target::arch_of(*gpu).fp8;
  Result<frontend::OpFileRef> file = frontend::parse_file(op_text, op_file, standard);
  if (!file) return fail(file.error());
  std::vector<std::string> names = frontend::op_names(*file);
  if (!op.empty() && std::find(names.begin(), names.end(), op) == names.end())
    return fail("op.unknown", op_file + " has no op named \"" + op + "\"", known_words(op, names));
  // Twice: the cases stand in the program, and the case chooses the dtypes.
  Result<ir::Program> program = frontend::instantiate(*file, op, {}, fp8);
  if (!program) return fail(program.error());
  Result<std::vector<std::pair<std::string, std::vector<DType>>>> variables =
      frontend::type_variables(*file, program->name);
  if (!variables) return fail(variables.error());
  Result<Defines> defines = split_defines(request.defines, *variables, fp8);
  if (!defines) return fail(defines.error());
  const ir::Case* wanted = find_case(*program, request.case_name);
  if (request.case_name.empty() && defines->numbers.empty() && !program->cases.empty())
    wanted = &program->cases.front();
  std::map<std::string, DType> types = wanted == nullptr ? std::map<std::string, DType>() : wanted->types;
  for (const auto& [variable, dtype] : defines->types) types[variable] = dtype;
  if (request.case_name.empty())
    choose_types(*file, program->name, *variables, *defines, request.tensor_dtypes, fp8, types);
  program = frontend::instantiate(*file, program->name, types, fp8);
  if (!program) return fail(program.error());
  Status legal = ir::verify(*program);
  if (!legal) return fail(legal.error());

  LoadedTask loaded;
  loaded.op_file = op_file;
  loaded.op_text = op_text;
  loaded.standard = standard;
  loaded.op_name = program->name;
  Result<verify::SizedCase> timed = choose_case(*program, request, *defines);
  if (!timed) return fail(timed.error());
  Status fits = check_memory(*program, timed->sizes, *gpu);
  if (!fits) return fail(fits.error());
  loaded.timed = std::move(*timed);
  loaded.case_name = loaded.timed.name;
  loaded.task.normal = ir::normalise(*program);
  loaded.task.program = std::move(*program);
  loaded.task.sizes = loaded.timed.sizes;
  loaded.task.gpu = std::move(*gpu);
  return loaded;
}

Result<LoadedTask> load_task(const TaskRequest& request, FileSystem& files) {
  Result<target::Gpu> gpu = target::find_gpu(request.gpu);
  if (!gpu) return fail(gpu.error());
  Result<OpSource> source = read_op(request.op, files);
  if (!source) return fail(source.error());
  return load_task_from_text(source->text, source->file, source->standard, source->op, request);
}

std::string library_folder(FileSystem& files) {
  if (files.exists("ops")) return "ops";
  std::error_code error;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  for (std::filesystem::path folder = program.parent_path(); !error && folder != folder.root_path();
       folder = folder.parent_path()) {
    std::string ops = (folder / "ops").string();
    if (files.exists(ops + "/std.hv")) return ops;
  }
  return "";
}

std::vector<OpEntry> list_ops(FileSystem& files) {
  std::vector<OpEntry> entries;
  for (const std::string& path : library_files(files)) {
    Result<frontend::OpFileRef> file =
        frontend::parse_file(read_or_empty(files, path), path, standard_for(path, files));
    if (!file) {
      entries.push_back({"", path, {}, render(file.error())});
      continue;
    }
    for (const std::string& name : frontend::op_names(*file)) {
      Result<ir::Program> program = frontend::instantiate(*file, name, {}, DType::f8e4m3fnuz);
      if (!program) entries.push_back({"", path, {}, render(program.error())});
      if (program) entries.push_back({name, path, case_names(*program), ""});
    }
  }
  return entries;
}

}  // namespace hipvault::engine
