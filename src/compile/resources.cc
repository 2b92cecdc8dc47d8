#include "compile/resources.h"

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

}  // namespace

Result<std::vector<KernelResources>> read_resources(const std::string& code_object, const std::string& arch_name) {
  const target::Arch* arch = target::find_arch(arch_name);
  Result<isa::CodeObject> object = isa::read_code_object(code_object);
  if (!object) return fail(object.error());
  if (!arch || object->mach != arch->elf_mach) return fail("compile.arch", "the code object is not for " + arch_name);
  std::vector<KernelResources> kernels;
  for (const isa::KernelInfo& kernel : object->kernels) kernels.push_back(resources_of(kernel, *arch));
  return kernels;
}

}  // namespace hipvault::compile
