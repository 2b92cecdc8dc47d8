#include "compile/resources.h"

#include <sstream>

#include "isa/code_object.h"
#include "target/target.h"

namespace hipvault::compile {
namespace {

KernelResources resources_of(const isa::KernelInfo& kernel, const target::Arch& arch) {
  KernelResources resources;
  resources.kernel = kernel.name;
  resources.agprs = kernel.agpr_count;
  // The metadata counts both files together, the accumulators after the arch registers.
  resources.vgprs = kernel.vgpr_count - kernel.agpr_count;
  resources.sgprs = kernel.sgpr_count;
  resources.vgpr_spills = kernel.vgpr_spills;
  resources.sgpr_spills = kernel.sgpr_spills;
  resources.lds_bytes = kernel.lds_bytes;
  resources.scratch_bytes = kernel.scratch_bytes;
  resources.kernarg_bytes = kernel.kernarg_bytes;
  resources.max_group_size = kernel.max_group_size;
  resources.wave_size = kernel.wave_size;
  resources.occupancy =
      target::occupancy(arch, resources.vgprs, resources.agprs, kernel.lds_bytes, kernel.max_group_size);
  return resources;
}

// What PTX says of its kernels; registers are given out when the driver makes machine code of it.
//
//   .visible .entry softmax_kernel(        // -- Begin function …
//   .maxntid 256
//   .shared .align 4 .b8 parts[128];
std::vector<KernelResources> resources_of_ptx(const std::string& text, const target::Arch& arch) {
  std::vector<KernelResources> kernels;
  int64_t shared = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    size_t entry = line.find(".entry "), threads = line.find(".maxntid "), array = line.find(".shared ");
    if (entry != std::string::npos) {
      KernelResources kernel;
      kernel.kernel = line.substr(entry + 7, line.find('(', entry) - entry - 7);
      kernel.max_group_size = arch.max_group_size;
      kernel.wave_size = arch.wave_sizes.front();
      kernels.push_back(kernel);
    } else if (threads != std::string::npos && !kernels.empty()) {
      kernels.back().max_group_size = std::atoi(line.c_str() + threads + 9);
    } else if (array != std::string::npos && line.find('[') != std::string::npos) {
      shared += std::atoll(line.c_str() + line.find('[') + 1);  // of bytes; of the module, not of one kernel
    }
  }
  for (KernelResources& kernel : kernels) kernel.lds_bytes = shared;
  return kernels;
}

}  // namespace

Result<std::vector<KernelResources>> read_resources(const std::string& code_object, const std::string& arch_name) {
  const target::Arch* arch = target::find_arch(arch_name);
  if (arch && arch->triple.starts_with("nvptx")) return resources_of_ptx(code_object, *arch);
  Result<isa::CodeObject> object = isa::read_code_object(code_object);
  if (!object) return fail(object.error());
  if (!arch || object->mach != arch->elf_mach) return fail("compile.arch", "the code object is not for " + arch_name);
  std::vector<KernelResources> kernels;
  for (const isa::KernelInfo& kernel : object->kernels) kernels.push_back(resources_of(kernel, *arch));
  return kernels;
}

}  // namespace hipvault::compile
