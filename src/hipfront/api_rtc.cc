// hiprtc: the source goes to a temporary folder, clang makes a code object of it. Name expressions become references to
// the kernels in the source; their lowered names are found among the code object's kernels by demangling.

#include <cxxabi.h>
#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include "base/subprocess.h"
#include "hipfront/front.h"
#include "hipfront/include/hip/hiprtc.h"
#include "hipfront/toolchain.h"
#include "isa/code_object.h"

namespace fs = std::filesystem;
using namespace hipvault;
using namespace hipvault::hipfront;

struct _hiprtcProgram {
  std::string source, name, code, log;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> expressions;
  std::map<std::string, std::string> lowered;
  bool compiled = false;
};

namespace {

// "ns::scale<float>" out of "void ns::scale<float>(float*, int)".
std::string demangled_name(const std::string& mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  if (!text) return mangled;
  std::string name = text;
  std::free(text);
  name = name.substr(0, name.find('('));
  size_t space = name.rfind(' ', name.find('<'));
  return space == std::string::npos ? name : name.substr(space + 1);
}

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '&'; });
  return text;
}

void find_lowered_names(_hiprtcProgram& program) {
  Result<isa::CodeObject> object = isa::read_code_object(program.code);
  if (!object) return;
  for (const std::string& expression : program.expressions)
    for (const isa::KernelInfo& kernel : object->kernels)
      if (without_spaces(demangled_name(kernel.name)) == without_spaces(expression))
        program.lowered[expression] = kernel.name;
}

std::string source_of(const _hiprtcProgram& program) {
  std::string text = "#include <hip/hip_runtime.h>\n#line 1\n" + program.source + "\n";
  int number = 0;
  for (const std::string& expression : program.expressions) {
    std::string name = expression.substr(expression.find_first_not_of("& "));
    text += "__attribute__((used)) static auto hiprtc_name_" + std::to_string(number++) + " = &" + name + ";\n";
  }
  return text;
}

hiprtcResult compile_in(const fs::path& folder, _hiprtcProgram& program, int count, const char* const* options) {
  std::string file = fs::path(program.name.empty() ? "program.hip" : program.name).filename().string();
  if (fs::path(file).extension() != ".hip") file += ".hip";
  std::ofstream(folder / file) << source_of(program);
  for (const auto& [name, text] : program.headers) {
    fs::path path = folder / fs::path(name).relative_path().lexically_normal();
    if (path.lexically_relative(folder).string().starts_with("..")) return HIPRTC_ERROR_INVALID_INPUT;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    std::ofstream(path) << text;
  }
  CcRequest request;
  request.archs = {Front::get().arch().name};
  for (int i = 0; i < count; ++i)
    if (!std::string_view(options[i]).starts_with("--gpu-architecture") &&
        !std::string_view(options[i]).starts_with("--offload-arch"))
      request.arguments.push_back(options[i]);
  fs::path code = folder / "code.hsaco";
  for (const std::string& word : {std::string("--offload-device-only"), std::string("--no-gpu-bundle-output"),
                                  "-I" + folder.string(), (folder / file).string(), std::string("-o"), code.string()})
    request.arguments.push_back(word);
  Result<std::vector<std::string>> words = cc_command(request);
  SubprocessRequest process;
  process.environment = tool_environment();
  if (words) process.argv = *words;
  Result<SubprocessResult> result = words ? run_subprocess(process) : fail(words.error());
  if (!result) return program.log = render(result.error()), HIPRTC_ERROR_INTERNAL_ERROR;
  program.log = result->errors;
  if (result->end != SubprocessEnd::exited || result->code != 0) return HIPRTC_ERROR_COMPILATION;
  std::ifstream in(code, std::ios::binary);
  program.code.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  program.compiled = true;
  find_lowered_names(program);
  return HIPRTC_SUCCESS;
}

}  // namespace

extern "C" {

const char* hiprtcGetErrorString(hiprtcResult result) {
  constexpr const char* kNames[] = {"HIPRTC_SUCCESS",
                                    "HIPRTC_ERROR_OUT_OF_MEMORY",
                                    "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                    "HIPRTC_ERROR_INVALID_INPUT",
                                    "HIPRTC_ERROR_INVALID_PROGRAM",
                                    "HIPRTC_ERROR_INVALID_OPTION",
                                    "HIPRTC_ERROR_COMPILATION",
                                    "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                    "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                    "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                    "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                    "HIPRTC_ERROR_INTERNAL_ERROR"};
  return result >= 0 && result < static_cast<int>(std::size(kNames)) ? kNames[result] : "unknown";
}
hiprtcResult hiprtcVersion(int* major, int* minor) {
  if (!major || !minor) return HIPRTC_ERROR_INVALID_INPUT;
  *major = HIP_VERSION_MAJOR, *minor = HIP_VERSION_MINOR;
  return HIPRTC_SUCCESS;
}
hiprtcResult hiprtcCreateProgram(hiprtcProgram* program, const char* source, const char* name, int headers,
                                 const char* const* texts, const char* const* names) {
  if (!program || !source || headers < 0 || (headers && (!texts || !names))) return HIPRTC_ERROR_INVALID_INPUT;
  *program = new _hiprtcProgram;
  (*program)->source = source, (*program)->name = name ? name : "";
  for (int i = 0; i < headers; ++i) (*program)->headers.emplace_back(names[i], texts[i]);
  return HIPRTC_SUCCESS;
}
hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count, const char* const* options) {
  if (!program) return HIPRTC_ERROR_INVALID_PROGRAM;
  std::string folder = (fs::temp_directory_path() / "hiprtc-XXXXXX").string();
  if (!::mkdtemp(folder.data())) return HIPRTC_ERROR_INTERNAL_ERROR;
  hiprtcResult result = compile_in(folder, *program, count, options);
  std::error_code error;
  fs::remove_all(folder, error);
  return result;
}
hiprtcResult hiprtcDestroyProgram(hiprtcProgram* program) {
  if (!program || !*program) return HIPRTC_ERROR_INVALID_INPUT;
  delete *program;
  *program = nullptr;
  return HIPRTC_SUCCESS;
}
hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t* size) {
  if (!program || !size) return HIPRTC_ERROR_INVALID_INPUT;
  *size = program->code.size();
  return program->compiled ? HIPRTC_SUCCESS : HIPRTC_ERROR_INVALID_PROGRAM;
}
hiprtcResult hiprtcGetCode(hiprtcProgram program, char* code) {
  if (!program || !code) return HIPRTC_ERROR_INVALID_INPUT;
  std::memcpy(code, program->code.data(), program->code.size());
  return program->compiled ? HIPRTC_SUCCESS : HIPRTC_ERROR_INVALID_PROGRAM;
}
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t* size) {
  if (!program || !size) return HIPRTC_ERROR_INVALID_INPUT;
  *size = program->log.empty() ? 0 : program->log.size() + 1;
  return HIPRTC_SUCCESS;
}
hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char* log) {
  if (!program || !log) return HIPRTC_ERROR_INVALID_INPUT;
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return HIPRTC_SUCCESS;
}
hiprtcResult hiprtcAddNameExpression(hiprtcProgram program, const char* expression) {
  if (!program || !expression) return HIPRTC_ERROR_INVALID_INPUT;
  if (program->compiled) return HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  program->expressions.push_back(expression);
  return HIPRTC_SUCCESS;
}
hiprtcResult hiprtcGetLoweredName(hiprtcProgram program, const char* expression, const char** name) {
  if (!program || !expression || !name) return HIPRTC_ERROR_INVALID_INPUT;
  if (!program->compiled) return HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  auto at = program->lowered.find(expression);
  if (at == program->lowered.end()) return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *name = at->second.c_str();
  return HIPRTC_SUCCESS;
}
}
