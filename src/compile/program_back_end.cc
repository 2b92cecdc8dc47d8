// Another clang as a program (`--cc PATH`): slower, but the user's own compiler. It runs confined where namespaces
// work. The source comes in on stdin and the code object goes out on stdout, so that nothing outside a temporary folder
// is written; what clang says goes to stderr.

#include <filesystem>

#include "base/subprocess.h"
#include "compile/back_end.h"
#include "jail/workers.h"

namespace hipvault::compile {
namespace {

// $0 is the file name, "$@" the compiler and its words.
constexpr const char* kScript = R"(
d=$(mktemp -d) && cd "$d" || exit 125
cat > "$0" && "$@" -o out.co "$0" 1>&2
s=$?
[ $s = 0 ] && cat out.co
cd / && rm -rf "$d"
exit $s)";

SubprocessRequest confined_request(const std::string& clang, std::vector<std::string> argv, double deadline_s) {
  // The folder above bin/ holds the libraries and the linker of a clang that is not installed under /usr.
  std::vector<std::string> folders = {std::filesystem::path(clang).parent_path().parent_path().string()};
  if (folders[0].empty() || folders[0] == "/" || folders[0] == "/usr") folders.clear();
  SubprocessRequest request;
  request.argv = jail::confined(std::move(argv), folders);
  request.environment = {"LANG=C", "PATH=/usr/bin:/bin", "HOME=/tmp"};
  request.output_cap = int64_t{256} << 20;
  request.deadline_s = deadline_s;
  return request;
}

class ProgramBackEnd : public BackEnd {
 public:
  ProgramBackEnd(std::string clang, std::string version) : clang_(std::move(clang)), version_(std::move(version)) {}

  std::string toolchain() const override { return "clang at " + clang_ + ": " + version_; }

  std::vector<std::string> words(const std::string& arch, const Flags& flags, const std::string&) const override {
    return driver_arguments(arch, flags);
  }

  Result<BackEndOutput> compile(const CompileRequest& request, const Flags& flags, const std::string& file) override {
    std::vector<std::string> argv = {"/bin/sh", "-c", kScript, file, clang_};
    std::vector<std::string> driver = driver_arguments(request.arch, flags);
    argv.insert(argv.end(), driver.begin(), driver.end());
    SubprocessRequest child = confined_request(clang_, std::move(argv), request.deadline_s);
    child.input = request.source;
    Result<SubprocessResult> ended = run_subprocess(child);
    if (!ended) return fail(ended.error());
    BackEndOutput result;
    result.seconds = ended->seconds;
    result.lasting = ended->end == SubprocessEnd::exited && !ended->truncated;
    result.output.ok = result.lasting && ended->code == 0 && !ended->output.empty();
    result.output.diagnostics = ended->errors;
    if (result.output.ok) result.output.code_object = std::move(ended->output);
    if (!result.lasting) result.output.diagnostics += "hipvault: the compiler did not end by itself\n";
    return result;
  }

 private:
  std::string clang_, version_;
};

tl::unexpected<Diagnostic> missing(const std::string& path, const std::string& why) {
  return fail("toolchain.missing", "cannot use " + path + " as a compiler: " + why,
              "give --cc the path of a clang for AMDGPU (apt-get install clang-22 lld-22), or leave --cc out for the "
              "built-in one");
}

}  // namespace

Result<std::unique_ptr<BackEnd>> make_program_back_end(const std::string& clang_path) {
  std::error_code error;
  std::string clang = std::filesystem::canonical(clang_path, error).string();
  if (error) return missing(clang_path, error.message());
  Result<SubprocessResult> said = run_subprocess(confined_request(clang, {clang, "--version"}, 30));
  if (!said) return missing(clang_path, said.error().message);
  std::string version = said->output.substr(0, said->output.find('\n'));
  if (said->end != SubprocessEnd::exited || said->code != 0 || version.find("clang") == std::string::npos) {
    return missing(clang_path, "`--version` does not name a clang" + (said->errors.empty() ? "" : ": " + said->errors));
  }
  return std::make_unique<ProgramBackEnd>(clang, version);
}

}  // namespace hipvault::compile
