// Floating point: contraction is off, because a generated kernel says `fma` where it means one and the judge's error
// model counts roundings; denormals stay as the arch has them; unsafe fp atomics are on, for native float atomics
// without a compare-and-swap loop.

#include "compile/arguments.h"

#include <algorithm>

#include "compile/headers.h"
#include "target/target.h"

namespace hipvault::compile {
namespace {

// LLVM options that schedules use. An option that can read or write files does not belong here.
constexpr const char* kLlvmOptions[] = {
    "-amdgpu-kernarg-preload-count",
    "-amdgpu-early-inline-all",
    "-amdgpu-function-calls",
    "-amdgpu-schedule-metric-bias",
    "-amdgpu-use-amdgpu-trackers",
    "-amdgpu-igrouplp-exact-solver",
    "-amdgpu-atomic-optimizer-strategy",
    "-amdgpu-mfma-vgpr-form",
    "-enable-post-misched",
    "-unroll-threshold",
    "-slp-threshold",
};

bool plain_word(const std::string& text, const char* extra) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [extra](unsigned char c) {
    return std::isalnum(c) || c == '_' || std::string_view(extra).find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool allowed_llvm_option(const std::string& option) {
  std::string name = option.substr(0, option.find('='));
  if (option.size() > name.size() && !plain_word(option.substr(name.size() + 1), "-.,")) return false;
  return std::any_of(std::begin(kLlvmOptions), std::end(kLlvmOptions),
                     [&](const char* known) { return name == known; });
}

tl::unexpected<Diagnostic> refuse(const std::string& flag) {
  std::string options;
  for (const char* option : kLlvmOptions) options += std::string(options.empty() ? "" : ", ") + option;
  return fail("compile.flag", "the compiler flag \"" + flag + "\" is not on the list of allowed ones",
              "allowed: -O0 -O1 -O2 -O3, -DNAME[=VALUE], and -mllvm with one of " + options);
}

}  // namespace

Result<Flags> read_flags(const CompileRequest& request) {
  if (!target::find_arch(request.arch)) {
    std::string known;
    for (const target::Arch& arch : target::all_archs()) known += (known.empty() ? "" : ", ") + arch.name;
    return fail("compile.arch", "there is no arch named \"" + request.arch + "\"", "known: " + known);
  }
  Flags flags;
  flags.line_table = request.line_table;
  for (size_t i = 0; i < request.flags.size(); ++i) {
    const std::string& flag = request.flags[i];
    if (flag.size() == 3 && flag.starts_with("-O") && flag[2] >= '0' && flag[2] <= '3') {
      flags.optimisation = flag;
    } else if (flag.starts_with("-D") && plain_word(flag.substr(2, flag.find('=') - 2), "")) {
      flags.defines.push_back(flag);
    } else if (flag == "-mllvm" && i + 1 < request.flags.size() && allowed_llvm_option(request.flags[i + 1])) {
      flags.llvm.push_back(request.flags[++i]);
    } else {
      return refuse(flag == "-mllvm" && i + 1 < request.flags.size() ? "-mllvm " + request.flags[i + 1] : flag);
    }
  }
  return flags;
}

namespace {

bool is_nvptx(const std::string& arch) {
  const target::Arch* known = target::find_arch(arch);
  return known && known->triple.starts_with("nvptx");
}

std::vector<std::string> amdgcn_words(const std::string& arch) {
  return {"-triple",
          "amdgcn-amd-amdhsa",
          "-target-cpu",
          arch,
          "-emit-obj",
          "-x",
          "hip",
          "-fhip-new-launch-api",
          "-mrelocation-model",
          "pic",
          "-pic-level",
          "2",
          "-fapply-global-visibility-to-externs",
          "-fhalf-no-semantic-interposition",
          "-fatomic-ignore-denormal-mode",
          "-faddrsig"};
}

// PTX as text. 7.8 is the first version that knows sm_90: drivers since CUDA 11.8 take it.
std::vector<std::string> nvptx_words(const std::string& arch) {
  return {"-triple", "nvptx64-nvidia-cuda", "-target-cpu", arch, "-target-feature", "+ptx78", "-S", "-x",
          "cuda",    "-mrelocation-model",  "static"};
}

}  // namespace

std::vector<std::string> cc1_arguments(const std::string& arch, const Flags& flags, const std::string& file) {
  std::vector<std::string> words = is_nvptx(arch) ? nvptx_words(arch) : amdgcn_words(arch);
  for (const char* word : {"-aux-triple",
                           "x86_64-pc-linux-gnu",
                           "-aux-target-cpu",
                           "x86-64",
                           "-main-file-name",
                           file.c_str(),
                           "-std=gnu++20",
                           "-fcuda-is-device",
                           "-fcuda-allow-variadic-functions",
                           "-fno-threadsafe-statics",
                           "-fvisibility=hidden",
                           "-mframe-pointer=none",
                           "-mconstructor-aliases",
                           "-fno-rounding-math",
                           "-ffp-contract=off",
                           "-fno-autolink",
                           "-fgnuc-version=4.2.1",
                           "-clear-ast-before-backend",
                           "-disable-llvm-verifier",
                           "-discard-value-names",
                           "-disable-free",
                           "-ferror-limit",
                           "19",
                           "-Wall",
                           "-Wno-unused-parameter",
                           "-DHIPVAULT_DEVICE_ONLY=1"})
    words.push_back(word);
  words.push_back(flags.optimisation);
  if (flags.line_table && !is_nvptx(arch)) {
    words.insert(words.end(), {"-debug-info-kind=line-tables-only", "-dwarf-version=5", "-debugger-tuning=gdb",
                               "-fdebug-compilation-dir=/"});
  }
  if (flags.optimisation >= "-O2") words.insert(words.end(), {"-vectorize-loops", "-vectorize-slp"});
  words.insert(words.end(), flags.defines.begin(), flags.defines.end());
  words.insert(words.end(), {"-internal-isystem", kIncludeFolder, file});
  return words;
}

std::vector<std::string> llvm_arguments(const Flags& flags) {
  std::vector<std::string> words = {"clang (LLVM options)", "-amdgpu-internalize-symbols"};
  words.insert(words.end(), flags.llvm.begin(), flags.llvm.end());
  return words;
}

std::vector<std::string> driver_arguments(const std::string& arch, const Flags& flags) {
  std::vector<std::string> words = {
      "-x",
      "hip",
      "--offload-device-only",
      "--no-gpu-bundle-output",
      "--offload-arch=" + arch,
      "-nogpuinc",
      "-nogpulib",
      "-std=gnu++20",
      flags.optimisation,
      flags.line_table ? "-gline-tables-only" : "-g0",
      "-ffp-contract=off",
      "-munsafe-fp-atomics",
      "-Wall",
      "-Wno-unused-parameter",
      "-DHIPVAULT_DEVICE_ONLY=1",
  };
  words.insert(words.end(), flags.defines.begin(), flags.defines.end());
  for (const std::string& option : flags.llvm) words.insert(words.end(), {"-mllvm", option});
  return words;
}

std::string plain_file_name(const std::string& name) {
  std::string plain = name.substr(name.rfind('/') + 1);
  for (char& c : plain) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '.') c = '_';
  }
  return plain.empty() || plain[0] == '-' || plain[0] == '.' ? "kernel.hip" : plain;
}

}  // namespace hipvault::compile
