#include "isa/code_object.h"

#include <algorithm>
#include <cstring>

#include "isa/line_table.h"
#include "isa/metadata.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"

namespace hipvault::isa {
namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;
constexpr uint64_t kMaxImageBytes = 256u << 20;

tl::unexpected<Diagnostic> elf_error(const std::string& why) {
  return fail("code-object.elf", "not a code object that can be loaded: " + why,
              "give the ELF that clang --offload-arch=… or lld writes for amdgcn-amd-amdhsa");
}

template <class T>
std::string take_error(llvm::Expected<T>& value) {
  return llvm::toString(value.takeError());
}

Status check_header(const Elf& elf, CodeObject& object) {
  const auto& header = elf.getHeader();
  if (header.e_machine != llvm::ELF::EM_AMDGPU) return elf_error("its machine is not AMDGPU");
  if (header.e_ident[llvm::ELF::EI_OSABI] != llvm::ELF::ELFOSABI_AMDGPU_HSA) return elf_error("its OS/ABI is not HSA");
  if (header.e_type != llvm::ELF::ET_DYN) return elf_error("it is not linked (a shared object is expected)");
  object.abi_version = header.e_ident[llvm::ELF::EI_ABIVERSION];
  if (object.abi_version < llvm::ELF::ELFABIVERSION_AMDGPU_HSA_V5)
    return elf_error("code object version " + std::to_string(object.abi_version + 2) + " is older than 5");
  object.flags = header.e_flags;
  object.mach = static_cast<int>(object.flags & llvm::ELF::EF_AMDGPU_MACH);
  return {};
}

Status load_segments(const Elf& elf, std::string_view bytes, CodeObject& object) {
  auto headers = elf.program_headers();
  if (!headers) return elf_error(take_error(headers));
  for (const auto& header : *headers) {
    if (header.p_type != llvm::ELF::PT_LOAD) continue;
    uint64_t begin = header.p_vaddr, size = header.p_memsz, from = header.p_offset, stored = header.p_filesz;
    if (stored > size || from > bytes.size() || stored > bytes.size() - from)
      return elf_error("a segment lies outside the file");
    if (begin > kMaxImageBytes || size > kMaxImageBytes - begin)
      return elf_error("it wants more than 256 MiB of image");
    if (object.image.size() < begin + size) object.image.resize(begin + size);
    std::memcpy(object.image.data() + begin, bytes.data() + from, stored);
    object.segments.push_back(
        {begin, size, (header.p_flags & llvm::ELF::PF_X) != 0, (header.p_flags & llvm::ELF::PF_W) != 0});
  }
  if (object.segments.empty()) return elf_error("it has no loadable segment");
  return {};
}

Status read_symbols(const Elf& elf, CodeObject& object) {
  auto sections = elf.sections();
  if (!sections) return elf_error(take_error(sections));
  for (const auto& section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_DYNSYM && section.sh_type != llvm::ELF::SHT_SYMTAB) continue;
    auto symbols = elf.symbols(&section);
    if (!symbols) return elf_error(take_error(symbols));
    auto strings = elf.getStringTableForSymtab(section);
    if (!strings) return elf_error(take_error(strings));
    for (const auto& symbol : *symbols) {
      auto name = symbol.getName(*strings);
      if (!name) return elf_error(take_error(name));
      if (name->empty() || symbol.st_shndx == llvm::ELF::SHN_UNDEF) continue;
      object.symbols.push_back({name->str(), symbol.st_value, symbol.st_size, symbol.getType() == llvm::ELF::STT_FUNC});
    }
  }
  std::sort(object.symbols.begin(), object.symbols.end(),
            [](const Symbol& a, const Symbol& b) { return a.name < b.name; });
  object.symbols.erase(
      std::unique(object.symbols.begin(), object.symbols.end(),
                  [](const Symbol& a, const Symbol& b) { return a.name == b.name && a.address == b.address; }),
      object.symbols.end());
  return {};
}

// The address a relocation's symbol has; an undefined symbol is an error that names it.
Result<uint64_t> relocation_symbol(const Elf& elf, const Elf::Elf_Shdr& section, uint32_t index) {
  if (index == 0) return 0;
  auto table = elf.getSection(section.sh_link);
  if (!table) return elf_error(take_error(table));
  auto symbol = elf.getSymbol(*table, index);
  if (!symbol) return elf_error(take_error(symbol));
  auto strings = elf.getStringTableForSymtab(**table);
  if (!strings) return elf_error(take_error(strings));
  auto name = (*symbol)->getName(*strings);
  if (!name) return elf_error(take_error(name));
  if ((*symbol)->st_shndx == llvm::ELF::SHN_UNDEF)
    return fail("code-object.relocation", "the symbol " + name->str() + " is used but not defined",
                "link the code that defines it");
  return (*symbol)->st_value;
}

Status read_relocations(const Elf& elf, CodeObject& object) {
  auto sections = elf.sections();
  if (!sections) return elf_error(take_error(sections));
  for (const auto& section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_RELA || !(section.sh_flags & llvm::ELF::SHF_ALLOC)) continue;
    auto entries = elf.relas(section);
    if (!entries) return elf_error(take_error(entries));
    for (const auto& entry : *entries) {
      uint32_t type = entry.getType(false);
      if (type != llvm::ELF::R_AMDGPU_RELATIVE64 && type != llvm::ELF::R_AMDGPU_ABS64)
        return fail("code-object.relocation", "relocation type " + std::to_string(type) + " is not modelled");
      Result<uint64_t> symbol =
          relocation_symbol(elf, section, type == llvm::ELF::R_AMDGPU_ABS64 ? entry.getSymbol(false) : 0);
      if (!symbol) return fail(symbol.error());
      if (entry.r_offset > object.image.size() || object.image.size() - entry.r_offset < 8)
        return elf_error("a relocation lies outside the image");
      object.relocations.push_back(
          {entry.r_offset, static_cast<int64_t>(*symbol + static_cast<uint64_t>(entry.r_addend))});
    }
  }
  return {};
}

template <class T>
T read_at(const std::string& bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

tl::unexpected<Diagnostic> descriptor_error(const std::string& kernel, const std::string& why) {
  return fail("code-object.descriptor", "kernel " + kernel + ": " + why);
}

Status read_descriptor(const CodeObject& object, KernelInfo& kernel) {
  auto symbol = std::find_if(object.symbols.begin(), object.symbols.end(),
                             [&](const Symbol& s) { return s.name == kernel.name + ".kd"; });
  if (symbol == object.symbols.end())
    return descriptor_error(kernel.name, "its descriptor " + kernel.name + ".kd is missing");
  uint64_t at = symbol->address;
  if (at > object.image.size() || object.image.size() - at < 64)
    return descriptor_error(kernel.name, "its descriptor lies outside the image");
  KernelDescriptor& d = kernel.descriptor;
  d.group_segment_bytes = read_at<uint32_t>(object.image, at);
  d.private_segment_bytes = read_at<uint32_t>(object.image, at + 4);
  d.kernarg_bytes = read_at<uint32_t>(object.image, at + 8);
  d.entry_offset = read_at<int64_t>(object.image, at + 16);
  d.rsrc3 = read_at<uint32_t>(object.image, at + 44);
  d.rsrc1 = read_at<uint32_t>(object.image, at + 48);
  d.rsrc2 = read_at<uint32_t>(object.image, at + 52);
  d.properties = read_at<uint16_t>(object.image, at + 56);
  d.preload = read_at<uint16_t>(object.image, at + 58);
  kernel.descriptor_address = at;
  kernel.entry_address = at + static_cast<uint64_t>(d.entry_offset);
  for (const Segment& s : object.segments)
    if (s.executable && kernel.entry_address >= s.address && kernel.entry_address < s.address + s.size) return {};
  return descriptor_error(kernel.name, "its entry lies outside the code");
}

Result<std::string> metadata_note(const Elf& elf) {
  auto headers = elf.program_headers();
  if (!headers) return elf_error(take_error(headers));
  for (const auto& header : *headers) {
    if (header.p_type != llvm::ELF::PT_NOTE) continue;
    llvm::Error error = llvm::Error::success();
    std::string found;
    for (const auto& note : elf.notes(header, error))
      if (note.getName() == "AMDGPU" && note.getType() == llvm::ELF::NT_AMDGPU_METADATA) {
        llvm::StringRef text = note.getDescAsStringRef(header.p_align < 4 ? 4 : header.p_align);
        found = text.str();
      }
    if (error) return elf_error(llvm::toString(std::move(error)));
    if (!found.empty()) return found;
  }
  return fail("code-object.metadata", "the code object has no AMDGPU metadata note",
              "compile it for amdgcn-amd-amdhsa, code object version 5 or later");
}

Status read_kernels(const Elf& elf, CodeObject& object) {
  Result<std::string> note = metadata_note(elf);
  if (!note) return fail(note.error());
  Result<std::vector<KernelInfo>> kernels = read_metadata(*note);
  if (!kernels) return fail(kernels.error());
  object.kernels = std::move(*kernels);
  for (KernelInfo& kernel : object.kernels)
    if (Status ok = read_descriptor(object, kernel); !ok) return ok;
  return {};
}

void read_lines(const Elf& elf, CodeObject& object) {
  auto sections = elf.sections();
  if (!sections) return llvm::consumeError(sections.takeError());
  DebugSections debug;
  for (const auto& section : *sections) {
    auto name = elf.getSectionName(section);
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (!name->starts_with(".debug_") || (section.sh_flags & llvm::ELF::SHF_COMPRESSED)) continue;
    auto content = elf.getSectionContents(section);
    if (!content) {
      llvm::consumeError(content.takeError());
      continue;
    }
    debug.emplace_back(name->drop_front(1).str(),
                       std::string(reinterpret_cast<const char*>(content->data()), content->size()));
  }
  read_line_table(debug, object);
}

}  // namespace

const KernelInfo* CodeObject::find_kernel(const std::string& name) const {
  for (const KernelInfo& kernel : kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

std::string CodeObject::source_line(uint64_t address) const {
  auto after = std::upper_bound(lines.begin(), lines.end(), address,
                                [](uint64_t a, const LineRow& row) { return a < row.address; });
  if (after == lines.begin()) return "";
  const LineRow& row = *std::prev(after);
  if (row.line == 0 || row.file >= files.size()) return "";
  return files[row.file] + ":" + std::to_string(row.line);
}

Result<CodeObject> read_code_object(std::string_view bytes) {
  llvm::StringRef view(bytes.data(), bytes.size());
  if (bytes.size() < sizeof(llvm::ELF::Elf64_Ehdr) || !view.starts_with("\x7f"
                                                                        "ELF"))
    return elf_error("it does not begin with an ELF header");
  if (bytes[4] != llvm::ELF::ELFCLASS64 || bytes[5] != llvm::ELF::ELFDATA2LSB)
    return elf_error("it is not a 64-bit little-endian ELF");
  std::string aligned(bytes);  // LLVM reads records in place; a string's storage is aligned enough for them
  auto elf = Elf::create(aligned);
  if (!elf) return elf_error(take_error(elf));
  CodeObject object;
  if (Status ok = check_header(*elf, object); !ok) return fail(ok.error());
  if (Status ok = load_segments(*elf, bytes, object); !ok) return fail(ok.error());
  if (Status ok = read_symbols(*elf, object); !ok) return fail(ok.error());
  if (Status ok = read_relocations(*elf, object); !ok) return fail(ok.error());
  if (Status ok = read_kernels(*elf, object); !ok) return fail(ok.error());
  read_lines(*elf, object);
  return object;
}

}  // namespace hipvault::isa
