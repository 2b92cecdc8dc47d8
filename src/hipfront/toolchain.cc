#include "hipfront/toolchain.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace hipvault::hipfront {
namespace {

namespace fs = std::filesystem;

// Beside the program hipvault; in a HIP program (hiprtc) where the stand-in itself was loaded from.
Result<fs::path> pieces() {
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path() / "hip";
  Dl_info self;
  if (!fs::exists(folder, error) && ::dladdr(reinterpret_cast<const void*>(&pieces), &self) && self.dli_fname)
    folder = fs::canonical(self.dli_fname, error).parent_path().parent_path();
  if (const char* set = std::getenv("HIPVAULT_HIP_DIR")) folder = set;
  for (const char* piece : {"include/hip/hip_runtime.h", "lib/libamdhip64.so", "lib/hipvault_device.bc"})
    if (!fs::exists(folder / piece, error))
      return fail("hip.files", (folder / piece).string() + " is missing", "build the target hipvault again");
  return folder;
}

std::string find_clang() {
  std::error_code error;
  for (const char* name : {"clang++-22", "/usr/lib/llvm-22/bin/clang++"}) {
    if (name[0] == '/' && fs::exists(name, error)) return name;
    std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
    for (size_t at = 0; at < path.size();) {
      size_t end = std::min(path.find(':', at), path.size());
      if (fs::exists(path.substr(at, end - at) + "/" + name, error)) return path.substr(at, end - at) + "/" + name;
      at = end + 1;
    }
  }
  return "";
}

// clang's own headers: include/ beside its libraries.
std::string resource_headers(const std::string& clang) {
  std::error_code error;
  fs::path root = fs::canonical(clang, error).parent_path().parent_path();
  return (root / "lib/clang/22/include").string();
}

bool is_source(const std::string& word) {
  std::string ending = fs::path(word).extension();
  constexpr const char* kEndings[] = {".hip", ".cu", ".cpp", ".cc", ".cxx", ".C", ".c"};
  return word[0] != '-' &&
         std::any_of(std::begin(kEndings), std::end(kEndings), [&](const char* e) { return ending == e; });
}

bool has(const std::vector<std::string>& words, const std::string& begin) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return word.starts_with(begin); });
}

// Options whose value is the next word, which then is no source.
bool takes_value(const std::string& word) {
  constexpr const char* kSuch[] = {"-o", "-I",      "-isystem", "-include", "-D",  "-L",
                                   "-l", "-Xclang", "-mllvm",   "-MF",      "-MT", "-x"};
  return std::any_of(std::begin(kSuch), std::end(kSuch), [&](const char* option) { return word == option; });
}

}  // namespace

Result<std::vector<std::string>> cc_command(const CcRequest& request) {
  Result<fs::path> folder = pieces();
  if (!folder) return fail(folder.error());
  std::string clang = find_clang();
  if (clang.empty()) return fail("toolchain.clang", "clang++-22 is missing", "apt-get install clang-22 lld-22");
  std::error_code error;
  if (!fs::exists(fs::canonical(clang, error).parent_path() / "clang-offload-bundler", error))
    return fail("toolchain.bundler", "clang-offload-bundler is missing beside " + clang,
                "apt-get install clang-tools-22");
  std::vector<std::string> words = {clang};
  for (const std::string& arch : request.archs) words.push_back("--offload-arch=" + arch);
  std::string headers = resource_headers(clang);
  if (request.rocm.empty()) {
    for (const std::string& word :
         {std::string("-nogpuinc"), "-isystem" + headers + "/cuda_wrappers", std::string("-include"),
          std::string("__clang_hip_runtime_wrapper.h"), "-isystem" + (*folder / "include").string(),
          "--hip-device-lib-path=" + (*folder / "lib").string(), std::string("--hip-device-lib=hipvault_device.bc")})
      words.push_back(word);
  } else {
    words.push_back("--rocm-path=" + request.rocm);
  }
  words.push_back("-D__HIP_PLATFORM_AMD__=1");
  if (!has(request.arguments, "-O")) words.push_back("-O3");
  if (!has(request.arguments, "-g")) words.push_back("-gline-tables-only");  // findings name source lines
  bool as_hip = false;
  for (size_t i = 0; i < request.arguments.size(); ++i) {
    const std::string& word = request.arguments[i];
    bool value = i > 0 && takes_value(request.arguments[i - 1]);
    bool source = !value && is_source(word), input = !value && word[0] != '-';
    if (source && !as_hip) words.insert(words.end(), {"-x", "hip"}), as_hip = true;
    if (input && !source && as_hip) words.insert(words.end(), {"-x", "none"}), as_hip = false;
    words.push_back(word);
  }
  bool links = true;
  for (const char* stop :
       {"-c", "-S", "-E", "-fsyntax-only", "-emit-llvm", "--genco", "--offload-device-only", "--cuda-device-only"})
    links = links && std::find(request.arguments.begin(), request.arguments.end(), stop) == request.arguments.end();
  if (!links) return words;
  std::string library = (*folder / "lib").string();
  for (const std::string& word :
       {std::string("-no-hip-rt"), "-L" + library, std::string("-lamdhip64"), "-Wl,-rpath," + library})
    words.push_back(word);
  return words;
}

Result<std::vector<std::string>> run_environment(const RunOptions& options) {
  Result<fs::path> folder = pieces();
  if (!folder) return fail(folder.error());
  const char* old = std::getenv("LD_LIBRARY_PATH");
  std::vector<std::string> environment = {
      "LD_LIBRARY_PATH=" + (*folder / "lib").string() + (old && *old ? ":" + std::string(old) : ""),
      "HIPVAULT_GPU=" + options.gpu,
      "HIPVAULT_RUN_JSON=" + options.json,
      std::string("HIPVAULT_CHECK=") + (options.check ? "1" : "0"),
      std::string("HIPVAULT_LEAKS=") + (options.leaks ? "1" : "0"),
      "HIPVAULT_THREADS=" + std::to_string(options.threads)};
  return environment;
}

}  // namespace hipvault::hipfront
