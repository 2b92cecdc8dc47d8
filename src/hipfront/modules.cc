// Fat binaries register when the program starts; their code is decoded when something of it is first used, so that a
// program for another arch can still print its help.

#include <fmt/format.h>

#include <cstring>

#include "hipfront/bundle.h"
#include "hipfront/front.h"

namespace hipvault::hipfront {

const isa::Symbol* Module::find_variable(const std::string& name) const {
  for (const isa::Symbol& symbol : program->object.symbols)
    if (symbol.name == name && !symbol.function) return &symbol;
  return nullptr;
}

FatBinary* Front::register_binary(const void* wrapper) {
  struct Wrapper {
    uint32_t magic, version;
    const char* image;
    void* unused;
  };
  const Wrapper* w = static_cast<const Wrapper*>(wrapper);
  auto binary = std::make_unique<FatBinary>();
  constexpr uint32_t kMagic = 0x48495046;  // "HIPF"
  if (w && w->magic == kMagic)
    binary->image = w->image;
  else
    binary->trouble = "a fat binary without the mark of HIP";
  return binaries_.insert(std::move(binary)).first->get();
}

void Front::unregister_binary(FatBinary* binary) {
  for (auto at = functions_.begin(); at != functions_.end();)
    at = at->second.first == binary ? functions_.erase(at) : std::next(at);
  for (auto at = variables_.begin(); at != variables_.end();)
    at = at->second.first == binary ? variables_.erase(at) : std::next(at);
  for (auto at = binaries_.begin(); at != binaries_.end(); ++at)
    if (at->get() == binary) return void(binaries_.erase(at));
}

void Front::register_function(FatBinary* binary, const void* host, const std::string& name) {
  functions_[host] = {binary, name};
}

void Front::register_variable(FatBinary* binary, const void* host, const std::string& name, size_t size) {
  variables_[host] = {binary, {name, size}};
}

void Front::register_managed(FatBinary* binary, void** pointer, const void* initial, const std::string& name,
                             size_t size) {
  if (allocate(pointer, size, AllocationKind::managed) != hipSuccess) return;
  if (Allocation* allocation = find(*pointer)) allocation->variable = true;
  if (initial) std::memcpy(*pointer, initial, size);
  binary->managed.push_back({pointer, name});
  variables_[pointer] = {binary, {name, size}};
}

Result<Module*> Front::load_module(std::string_view image) {
  Result<std::string> code = code_object_for(image, arch_.name);
  if (!code) return fail(code.error());
  Result<std::shared_ptr<const isa::Program>> program = isa::load_program(*code, arch_.name);
  if (!program) return fail(program.error());
  if ((*program)->object.mach != arch_.elf_mach)
    return fail("fat.arch", fmt::format("the code object is for another arch (e_flags {:#x}) than {}",
                                        (*program)->object.flags, arch_.name));
  auto module = std::make_unique<Module>();
  module->program = *program;
  std::string bytes = (*program)->object.image;
  sim::Region* region = memory_.place("the code object", std::max<size_t>(bytes.size(), 1), true, check_);
  if (!region) return fail("fat.memory", "no simulated memory is left for the code object");
  for (const isa::Relocation& r : (*program)->object.relocations) {
    uint64_t value = region->base + static_cast<uint64_t>(r.addend);
    if (r.address + 8 <= bytes.size()) std::memcpy(bytes.data() + r.address, &value, 8);
  }
  std::memcpy(region->at(0), bytes.data(), bytes.size());
  add_image(*module, *region);
  Module* loaded = module.get();
  modules_[loaded] = std::move(module);
  return loaded;
}

void Front::unload_module(Module* module) {
  for (auto at = handles_.begin(); at != handles_.end();) {
    if (at->first.first != module) {
      ++at;
      continue;
    }
    functions_by_handle_.erase(at->second.get());
    at = handles_.erase(at);
  }
  release(reinterpret_cast<void*>(module->image->base), {AllocationKind::image});
  modules_.erase(module);
}

Result<Module*> Front::module_of(FatBinary& binary) {
  if (binary.module) return binary.module;
  if (!binary.trouble.empty()) return fail("fat.format", binary.trouble);
  size_t size = binary.image ? image_size(binary.image) : 0;
  Result<Module*> module = load_module({binary.image, size});
  if (!module) {
    binary.trouble = module.error().message;
    say(render(module.error()));
    return module;
  }
  binary.module = *module;
  for (const ManagedVariable& variable : binary.managed)
    if (const isa::Symbol* symbol = (*module)->find_variable(variable.name))
      std::memcpy((*module)->image->at(symbol->address), variable.pointer, sizeof(void*));
  return module;
}

hipError_t Front::find_function(const void* host, Function& function) {
  auto at = functions_.find(host);
  if (at == functions_.end()) return hipErrorInvalidDeviceFunction;
  Result<Module*> module = module_of(*at->second.first);
  if (!module) return hipErrorNoBinaryForGpu;
  function.module = *module;
  function.kernel = (*module)->program->object.find_kernel(at->second.second);
  return function.kernel ? hipSuccess : hipErrorInvalidDeviceFunction;
}

hipError_t Front::find_variable(const void* host, void** address, size_t* size) {
  auto at = variables_.find(host);
  if (at == variables_.end()) return hipErrorInvalidSymbol;
  auto& [binary, variable] = at->second;
  Result<Module*> module = module_of(*binary);
  if (!module) return hipErrorNoBinaryForGpu;
  for (const ManagedVariable& managed : binary->managed)
    if (managed.pointer == host) {
      if (address) *address = *managed.pointer;
      if (size) *size = variable.size;
      return hipSuccess;
    }
  const isa::Symbol* symbol = (*module)->find_variable(variable.name);
  if (!symbol) return hipErrorInvalidSymbol;
  if (address) *address = reinterpret_cast<void*>((*module)->image->base + symbol->address);
  if (size) *size = symbol->size ? symbol->size : variable.size;
  return hipSuccess;
}

Function* Front::keep_function(const Function& function) {
  std::unique_ptr<Function>& handle = handles_[{function.module, function.kernel->name}];
  if (!handle) handle = std::make_unique<Function>(function);
  functions_by_handle_.insert(handle.get());
  return handle.get();
}

}  // namespace hipvault::hipfront
