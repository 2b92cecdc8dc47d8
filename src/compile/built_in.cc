#include "compile/built_in.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>

#include "compile/headers.h"
#include "compile/link.h"
#include "jail/workers.h"

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace hipvault::compile {
namespace {

using llvm::vfs::InMemoryFileSystem;

std::vector<const char*> pointers(const std::vector<std::string>& words) {
  std::vector<const char*> list;
  for (const std::string& word : words) list.push_back(word.c_str());
  return list;
}

llvm::IntrusiveRefCntPtr<InMemoryFileSystem> source_files(const std::string& name, const std::string& source) {
  llvm::IntrusiveRefCntPtr<InMemoryFileSystem> files = llvm::makeIntrusiveRefCnt<InMemoryFileSystem>();
  files->setCurrentWorkingDirectory("/");
  files->addFile("/" + name, 0, llvm::MemoryBuffer::getMemBuffer(source, name));
  for (const ShippedHeader& header : shipped_headers()) {
    files->addFile(std::string(kIncludeFolder) + "/" + header.path, 0,
                   llvm::MemoryBuffer::getMemBuffer(header.text, header.path));
  }
  return files;
}

// The invocation, with problems of the words themselves told to `say`.
bool read_words(clang::CompilerInvocation& invocation, const std::vector<std::string>& words, llvm::raw_ostream& say) {
  clang::DiagnosticOptions options;
  clang::TextDiagnosticPrinter printer(say, options);
  clang::DiagnosticsEngine diagnostics(clang::DiagnosticIDs::create(), options, &printer, false);
  return clang::CompilerInvocation::CreateFromArgs(invocation, pointers(words), diagnostics, "clang");
}

bool set_llvm_options(const std::vector<std::string>& words, llvm::raw_ostream& say) {
  llvm::cl::ResetAllOptionOccurrences();
  std::vector<const char*> list = pointers(words);
  return llvm::cl::ParseCommandLineOptions(static_cast<int>(list.size()), list.data(), "", &say);
}

// Assembly text is what the driver of the GPU takes (PTX); there is nothing to link.
bool wants_text(const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), "-S") != words.end();
}

bool compile_object(const std::string& file, const std::string& source, const std::vector<std::string>& words,
                    llvm::raw_ostream& say, llvm::SmallVector<char, 0>& object) {
  std::shared_ptr<clang::CompilerInvocation> invocation = std::make_shared<clang::CompilerInvocation>();
  if (!read_words(*invocation, words, say)) return false;
  clang::CompilerInstance compiler(invocation);
  compiler.setVirtualFileSystem(source_files(file, source));
  compiler.createDiagnostics(new clang::TextDiagnosticPrinter(say, compiler.getDiagnosticOpts()));
  compiler.setVerboseOutputStream(say);
  compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(object));
  clang::EmitObjAction object_action;
  clang::EmitAssemblyAction text_action;
  return wants_text(words) ? compiler.ExecuteAction(text_action) : compiler.ExecuteAction(object_action);
}

}  // namespace

void initialise_llvm() {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmPrinter();
  LLVMInitializeAMDGPUAsmParser();  // inline assembly in candidates
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { jail::end_out_of_memory(); });
}

std::string built_in_version() { return CLANG_VERSION_STRING; }

BuiltInOutput compile_in_memory(const std::string& file, const std::string& source,
                                const std::vector<std::string>& cc1_words, const std::vector<std::string>& llvm_words) {
  BuiltInOutput output;
  llvm::raw_string_ostream say(output.diagnostics);
  llvm::SmallVector<char, 0> object;
  if (!set_llvm_options(llvm_words, say) || !compile_object(file, source, cc1_words, say, object)) return output;
  if (wants_text(cc1_words)) {
    output.code_object.assign(object.data(), object.size());
    output.ok = true;
    return output;
  }
  output.ok = link_object({object.data(), object.size()}, output.code_object, output.diagnostics);
  return output;
}

}  // namespace hipvault::compile
