#include "isa/assemble.h"

#include "isa/llvm_mc.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace hipvault::isa {
namespace {

void keep_first(const llvm::SMDiagnostic& diagnostic, void* kept) {
  std::string& message = *static_cast<std::string*>(kept);
  if (message.empty() && diagnostic.getKind() == llvm::SourceMgr::DK_Error)
    message = diagnostic.getMessage().str() + " in \"" + diagnostic.getLineContents().str() + "\"";
}

Result<std::string> text_section(llvm::StringRef elf) {
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object =
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(elf, "assembled"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return fail("isa.assemble", "the assembler wrote no object file");
  }
  for (const llvm::object::SectionRef& section : (*object)->sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    llvm::Expected<llvm::StringRef> contents = section.getContents();
    if (*name == ".text" && contents) return contents->str();
    if (!contents) llvm::consumeError(contents.takeError());
  }
  return fail("isa.assemble", "the assembler wrote no code");
}

}  // namespace

Result<std::string> assemble(const std::string& text, const std::string& cpu, int wave_size) {
  LlvmMc* mc = open_llvm(cpu, wave_size);
  if (!mc) return fail("isa.assemble", "this LLVM cannot assemble for " + cpu);
  std::string problem;
  llvm::SourceMgr sources;
  sources.setDiagHandler(keep_first, &problem);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "text"), llvm::SMLoc());
  llvm::MCContext context(mc->triple, mc->assembly.get(), mc->registers.get(), mc->subtarget.get(), &sources,
                          &mc->options);
  std::unique_ptr<llvm::MCObjectFileInfo> info(mc->target->createMCObjectFileInfo(context, false));
  context.setObjectFileInfo(info.get());
  llvm::SmallString<1024> elf;
  llvm::raw_svector_ostream stream(elf);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      mc->target->createMCAsmBackend(*mc->subtarget, *mc->registers, mc->options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(mc->target->createMCCodeEmitter(*mc->instructions, context));
  std::unique_ptr<llvm::MCStreamer> streamer(mc->target->createMCObjectStreamer(
      mc->triple, context, std::move(backend), std::move(writer), std::move(emitter), *mc->subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *mc->assembly));
  std::unique_ptr<llvm::MCTargetAsmParser> target(
      mc->target->createMCAsmParser(*mc->subtarget, *parser, *mc->instructions, mc->options));
  if (!target) return fail("isa.assemble", "this LLVM cannot parse assembly of " + cpu);
  parser->setTargetParser(*target);
  if (parser->Run(false) || !problem.empty())
    return fail("isa.assemble", problem.empty() ? "the assembly is wrong" : problem);
  return text_section(elf);
}

}  // namespace hipvault::isa
