// lld reads its inputs by path and writes its output to a path, but a sealed child can open nothing. Two doors are
// left: with `-o -` it writes to descriptor 1, where an anonymous file stands in; and its only way to read an input is
// llvm::MemoryBuffer::getFile, which the link of our programs redirects (`-Wl,--wrap`, a plain feature of linkers) to
// wrapped_get_file below. Only lld's static library is redirected; libLLVM and libclang-cpp are not.

#include "compile/link.h"

#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/MemoryBuffer.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/unique_fd.h"

LLD_HAS_DRIVER(elf)

namespace hipvault::compile {

using FileResult = llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>;

FileResult real_get_file(
    const llvm::Twine& path, bool text, bool terminated, bool is_volatile,
    std::optional<llvm::Align>
        alignment) asm("__real__ZN4llvm12MemoryBuffer7getFileERKNS_5TwineEbbbSt8optionalINS_5AlignEE");

namespace {

constexpr const char* kObjectName = "kernel.o";  // as lld's messages name it
std::string_view current_object;

// Sends descriptor 1 to an anonymous file while it lives.
class CapturedOutput {
 public:
  CapturedOutput() : saved_(::dup(1)), file_(::memfd_create("code-object", MFD_CLOEXEC)) { ::dup2(file_.get(), 1); }
  ~CapturedOutput() { ::dup2(saved_.get(), 1); }
  std::string take() {
    llvm::outs().flush();
    std::string bytes(static_cast<size_t>(std::max<off_t>(::lseek(file_.get(), 0, SEEK_END), 0)), '\0');
    ::lseek(file_.get(), 0, SEEK_SET);
    if (read_fully(file_.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) bytes.clear();
    return bytes;
  }

 private:
  UniqueFd saved_, file_;
};

}  // namespace

FileResult wrapped_get_file(
    const llvm::Twine& path, bool text, bool terminated, bool is_volatile,
    std::optional<llvm::Align>
        alignment) asm("__wrap__ZN4llvm12MemoryBuffer7getFileERKNS_5TwineEbbbSt8optionalINS_5AlignEE");
FileResult wrapped_get_file(const llvm::Twine& path, bool text, bool terminated, bool is_volatile,
                            std::optional<llvm::Align> alignment) {
  if (path.str() != kObjectName) return real_get_file(path, text, terminated, is_volatile, alignment);
  return llvm::MemoryBuffer::getMemBufferCopy({current_object.data(), current_object.size()}, kObjectName);
}

bool link_object(std::string_view object, std::string& code_object, std::string& diagnostics) {
  const char* words[] = {
      "ld.lld", "-m", "elf64_amdgpu", "--no-undefined", "-shared", "--no-dependent-libraries", "--threads=1",
      "-o",     "-",  kObjectName};
  current_object = object;
  llvm::raw_string_ostream say(diagnostics);
  CapturedOutput output;
  bool linked = lld::elf::link(words, say, say, false, false);
  lld::CommonLinkerContext::destroy();
  code_object = linked ? output.take() : "";
  if (linked && code_object.empty()) say << "ld.lld: the output could not be kept\n";
  return !code_object.empty();
}

}  // namespace hipvault::compile
