#include "isa/metadata.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/BinaryFormat/MsgPackReader.h"

namespace hipvault::isa {
namespace {

using llvm::msgpack::DocNode;
using llvm::msgpack::Type;

tl::unexpected<Diagnostic> metadata_error(const std::string& why) {
  return fail("code-object.metadata", "the metadata of the code object is malformed: " + why);
}

// LLVM's document reader trusts its input: a map whose key is not a scalar ends the process. So the bytes are walked
// first: whole, nested in balance, every key a string, nothing behind.
bool well_formed(const std::string& note) {
  struct Level {
    uint64_t left = 0;  // nodes still to come
    bool map = false;
  };
  llvm::msgpack::Reader reader{llvm::StringRef(note)};
  std::vector<Level> stack = {{1, false}};
  while (!stack.empty()) {
    if (stack.back().left == 0) {
      stack.pop_back();
      continue;
    }
    bool key = stack.back().map && stack.back().left % 2 == 0;
    --stack.back().left;
    llvm::msgpack::Object object;
    llvm::Expected<bool> more = reader.read(object);
    if (!more) return llvm::consumeError(more.takeError()), false;
    if (!*more || (key && object.Kind != Type::String)) return false;
    if (object.Kind == Type::Extension || object.Kind == Type::Binary || stack.size() > 64) return false;
    if (object.Kind == Type::Map) stack.push_back({uint64_t{object.Length} * 2, true});
    if (object.Kind == Type::Array) stack.push_back({object.Length, false});
  }
  return true;
}

// The field's node, or null. Accessors of DocNode do not check types, so nothing is read here without asking first.
DocNode* find(DocNode& map, const char* field) {
  if (!map.isMap()) return nullptr;
  auto& entries = map.getMap();
  auto at = entries.find(field);
  return at == entries.end() ? nullptr : &at->second;
}

std::string text(DocNode& map, const char* field) {
  DocNode* node = find(map, field);
  return node && node->isString() ? node->getString().str() : "";
}

constexpr int64_t kMissing = -1;

int64_t number(DocNode& map, const char* field, int64_t otherwise = kMissing) {
  DocNode* node = find(map, field);
  if (!node) return otherwise;
  if (node->getKind() == Type::UInt) return static_cast<int64_t>(node->getUInt() & 0x7fffffff);
  if (node->getKind() == Type::Int && node->getInt() >= 0) return node->getInt() & 0x7fffffff;
  return kMissing;
}

bool flag(DocNode& map, const char* field) {
  DocNode* node = find(map, field);
  return node && node->getKind() == Type::Boolean && node->getBool();
}

Result<std::vector<KernelArgument>> read_arguments(DocNode& kernel, const std::string& name) {
  std::vector<KernelArgument> args;
  DocNode* list = find(kernel, ".args");
  if (!list) return args;
  if (!list->isArray()) return metadata_error(".args of " + name + " is not a list");
  for (DocNode& entry : list->getArray()) {
    KernelArgument arg{text(entry, ".name"), text(entry, ".value_kind"), text(entry, ".address_space"),
                       number(entry, ".offset"), number(entry, ".size")};
    if (arg.value_kind.empty() || arg.offset < 0 || arg.size < 0)
      return metadata_error("an argument of " + name + " lacks .value_kind, .offset or .size");
    args.push_back(std::move(arg));
  }
  return args;
}

Result<KernelInfo> read_kernel(DocNode& node) {
  KernelInfo kernel;
  kernel.name = text(node, ".name");
  std::string symbol = text(node, ".symbol");
  if (symbol.ends_with(".kd")) kernel.name = symbol.substr(0, symbol.size() - 3);
  if (kernel.name.empty()) return metadata_error("a kernel has no .symbol");
  Result<std::vector<KernelArgument>> args = read_arguments(node, kernel.name);
  if (!args) return fail(args.error());
  kernel.args = std::move(*args);
  kernel.kernarg_bytes = number(node, ".kernarg_segment_size");
  kernel.lds_bytes = number(node, ".group_segment_fixed_size");
  kernel.scratch_bytes = number(node, ".private_segment_fixed_size");
  kernel.vgpr_count = static_cast<int>(number(node, ".vgpr_count"));
  kernel.agpr_count = static_cast<int>(number(node, ".agpr_count", 0));
  kernel.sgpr_count = static_cast<int>(number(node, ".sgpr_count"));
  kernel.vgpr_spills = static_cast<int>(number(node, ".vgpr_spill_count", 0));
  kernel.sgpr_spills = static_cast<int>(number(node, ".sgpr_spill_count", 0));
  kernel.wave_size = static_cast<int>(number(node, ".wavefront_size", 64));
  kernel.max_group_size = static_cast<int>(number(node, ".max_flat_workgroup_size", 1024));
  kernel.uses_dynamic_stack = flag(node, ".uses_dynamic_stack");
  bool whole = kernel.kernarg_bytes >= 0 && kernel.lds_bytes >= 0 && kernel.scratch_bytes >= 0 &&
               kernel.vgpr_count >= 0 && kernel.agpr_count >= 0 && kernel.sgpr_count >= 0 && kernel.max_group_size > 0;
  if (!whole || (kernel.wave_size != 32 && kernel.wave_size != 64))
    return metadata_error("a resource field of kernel " + kernel.name + " is missing or no number");
  for (const KernelArgument& arg : kernel.args)
    if (arg.offset + arg.size > kernel.kernarg_bytes)
      return metadata_error("an argument of " + kernel.name + " lies outside the kernarg segment");
  return kernel;
}

}  // namespace

Result<std::vector<KernelInfo>> read_metadata(const std::string& note) {
  llvm::msgpack::Document document;
  if (!well_formed(note) || !document.readFromBlob(note, false)) return metadata_error("it is not msgpack");
  DocNode* list = find(document.getRoot(), "amdhsa.kernels");
  if (!list || !list->isArray()) return metadata_error("amdhsa.kernels is missing");
  std::vector<KernelInfo> kernels;
  for (DocNode& node : list->getArray()) {
    Result<KernelInfo> kernel = read_kernel(node);
    if (!kernel) return fail(kernel.error());
    kernels.push_back(std::move(*kernel));
  }
  return kernels;
}

}  // namespace hipvault::isa
