// Registration, launches, modules, occupancy.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "hipfront/bundle.h"
#include "hipfront/front.h"

using namespace hipvault;
using namespace hipvault::hipfront;

namespace {

Front& front() { return Front::get(); }

hipError_t launch_by_host(const void* host, dim3 grid, dim3 block, void** args, size_t lds, hipStream_t stream,
                          bool cooperative) {
  Function function;
  if (hipError_t error = front().find_function(host, function); error != hipSuccess) return error;
  return front().launch(function, {grid, block, lds, cooperative}, args, nullptr, stream);
}

hipError_t launch_by_handle(hipFunction_t handle, const LaunchShape& shape, hipStream_t stream, void** args,
                            void** extra) {
  const Function* function = reinterpret_cast<const Function*>(handle);
  if (!front().known_function(function)) return hipErrorInvalidHandle;
  if (args && extra) return hipErrorInvalidValue;
  return front().launch(*function, shape, args, extra, stream);
}

hipError_t record(hipEvent_t event, hipStream_t stream) { return event ? hipEventRecord(event, stream) : hipSuccess; }

hipError_t load(hipModule_t* module, std::string_view image) {
  if (!module) return hipErrorInvalidValue;
  Result<Module*> loaded = front().load_module(image);
  if (!loaded) {
    front().say(render(loaded.error()));
    return loaded.error().code == "fat.arch" ? hipErrorNoBinaryForGpu : hipErrorInvalidImage;
  }
  *module = reinterpret_cast<hipModule_t>(*loaded);
  return hipSuccess;
}

hipError_t active_blocks(int* blocks, const Function& function, int block, size_t lds) {
  if (!blocks || block <= 0) return hipErrorInvalidValue;
  *blocks = front().groups_per_cu(function, block, lds);
  return hipSuccess;
}

hipError_t potential_block(int* grid, int* block, const Function& function, size_t lds, int limit) {
  if (!grid || !block) return hipErrorInvalidValue;
  int most = std::min(function.kernel->max_group_size, front().arch().max_group_size);
  if (limit > 0) most = std::min(most, limit);
  int best = 0, best_waves = -1, wave = function.kernel->wave_size;
  for (int items = most / wave * wave; items > 0; items -= wave) {
    int waves = front().groups_per_cu(function, items, lds) * items / wave;
    if (waves > best_waves) best = items, best_waves = waves;
  }
  *block = best;
  *grid = best ? front().groups_per_cu(function, best, lds) * front().gpu().cus : 0;
  return hipSuccess;
}

hipError_t attributes_of(hipFuncAttributes* attributes, const Function& function) {
  const isa::KernelInfo& kernel = *function.kernel;
  *attributes = hipFuncAttributes{};
  attributes->localSizeBytes = static_cast<size_t>(kernel.scratch_bytes);
  attributes->sharedSizeBytes = static_cast<size_t>(kernel.lds_bytes);
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(front().arch().lds_bytes - kernel.lds_bytes);
  attributes->maxThreadsPerBlock = kernel.max_group_size;
  attributes->numRegs = kernel.vgpr_count;
  return hipSuccess;
}

}  // namespace

extern "C" {

void** __hipRegisterFatBinary(const void* data) { return reinterpret_cast<void**>(front().register_binary(data)); }
void __hipUnregisterFatBinary(void** binary) { front().unregister_binary(reinterpret_cast<FatBinary*>(binary)); }
void __hipRegisterFunction(void** binary, const void* host, char*, const char* name, unsigned, void*, void*, void*,
                           void*, int*) {
  front().register_function(reinterpret_cast<FatBinary*>(binary), host, name);
}
void __hipRegisterVar(void** binary, void* host, char*, char* name, int, size_t size, int, int) {
  front().register_variable(reinterpret_cast<FatBinary*>(binary), host, name, size);
}
void __hipRegisterManagedVar(void* binary, void** pointer, void* initial, const char* name, size_t size, unsigned) {
  front().register_managed(reinterpret_cast<FatBinary*>(binary), pointer, initial, name, size);
}
void __hipRegisterTexture(void**, void*, char*, char*, int, int, int) {
  (void)front().not_supported("a texture reference");
}
void __hipRegisterSurface(void**, void*, char*, char*, int, int) { (void)front().not_supported("a surface reference"); }

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds, hipStream_t stream) {
  front().configurations.push_back({grid, {block, {lds, stream}}});
  return hipSuccess;
}
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* lds, hipStream_t* stream) {
  auto& stack = front().configurations;
  if (stack.empty()) return hipErrorMissingConfiguration;
  *grid = stack.back().first, *block = stack.back().second.first;
  *lds = stack.back().second.second.first, *stream = stack.back().second.second.second;
  stack.pop_back();
  return hipSuccess;
}

hipError_t hipLaunchKernel(const void* host, dim3 grid, dim3 block, void** args, size_t lds, hipStream_t stream) {
  return front().call([&] { return launch_by_host(host, grid, block, args, lds, stream, false); });
}
hipError_t hipLaunchKernel_spt(const void* host, dim3 grid, dim3 block, void** args, size_t lds, hipStream_t stream) {
  return hipLaunchKernel(host, grid, block, args, lds, stream ? stream : hipStreamPerThread);
}
hipError_t hipLaunchCooperativeKernel(const void* host, dim3 grid, dim3 block, void** args, unsigned lds,
                                      hipStream_t stream) {
  return front().call([&] { return launch_by_host(host, grid, block, args, lds, stream, true); });
}
hipError_t hipExtLaunchKernel(const void* host, dim3 grid, dim3 block, void** args, size_t lds, hipStream_t stream,
                              hipEvent_t start, hipEvent_t stop, int) {
  return front().call([&] {
    if (hipError_t error = record(start, stream); error != hipSuccess) return error;
    if (hipError_t error = launch_by_host(host, grid, block, args, lds, stream, false); error != hipSuccess)
      return error;
    return record(stop, stream);
  });
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                 unsigned by, unsigned bz, unsigned lds, hipStream_t stream, void** args,
                                 void** extra) {
  return front().call([&] {
    return launch_by_handle(function, {dim3(gx, gy, gz), dim3(bx, by, bz), lds, false}, stream, args, extra);
  });
}
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                            unsigned by, unsigned bz, unsigned lds, hipStream_t stream, void** args) {
  return front().call([&] {
    return launch_by_handle(function, {dim3(gx, gy, gz), dim3(bx, by, bz), lds, true}, stream, args, nullptr);
  });
}
hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t x, uint32_t y, uint32_t z, uint32_t bx,
                                    uint32_t by, uint32_t bz, size_t lds, hipStream_t stream, void** args, void** extra,
                                    hipEvent_t start, hipEvent_t stop, uint32_t) {
  return front().call([&]() -> hipError_t {
    if (!bx || !by || !bz) return hipErrorInvalidConfiguration;
    if (x % bx || y % by || z % bz) return front().not_supported("hipExtModuleLaunchKernel with a partial last group");
    if (hipError_t error = record(start, stream); error != hipSuccess) return error;
    LaunchShape shape{dim3(x / bx, y / by, z / bz), dim3(bx, by, bz), lds, false};
    if (hipError_t error = launch_by_handle(function, shape, stream, args, extra); error != hipSuccess) return error;
    return record(stop, stream);
  });
}
hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t x, uint32_t y, uint32_t z, uint32_t bx,
                                    uint32_t by, uint32_t bz, size_t lds, hipStream_t stream, void** args, void** extra,
                                    hipEvent_t start, hipEvent_t stop) {
  return hipExtModuleLaunchKernel(function, x, y, z, bx, by, bz, lds, stream, args, extra, start, stop, 0);
}

hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* host) {
  return front().call([&] {
    Function function;
    if (!attributes) return hipErrorInvalidValue;
    if (hipError_t error = front().find_function(host, function); error != hipSuccess) return error;
    return attributes_of(attributes, function);
  });
}
hipError_t hipFuncSetAttribute(const void* host, hipFuncAttribute attribute, int value) {
  return front().call([&] {
    Function function;
    if (hipError_t error = front().find_function(host, function); error != hipSuccess) return error;
    bool lds = attribute == hipFuncAttributeMaxDynamicSharedMemorySize;
    return lds && value + function.kernel->lds_bytes > front().arch().lds_bytes ? hipErrorInvalidValue : hipSuccess;
  });
}
hipError_t hipFuncSetCacheConfig(const void*, hipFuncCache_t) { return hipSuccess; }
hipError_t hipFuncSetSharedMemConfig(const void*, hipSharedMemConfig) { return hipSuccess; }
hipError_t hipGetFuncBySymbol(hipFunction_t* handle, const void* host) {
  return front().call([&] {
    Function function;
    if (!handle) return hipErrorInvalidValue;
    if (hipError_t error = front().find_function(host, function); error != hipSuccess) return error;
    *handle = reinterpret_cast<hipFunction_t>(front().keep_function(function));
    return hipSuccess;
  });
}
hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute, hipFunction_t handle) {
  return front().call([&] {
    const Function* function = reinterpret_cast<const Function*>(handle);
    if (!value || !front().known_function(function)) return hipErrorInvalidValue;
    hipFuncAttributes all;
    (void)attributes_of(&all, *function);
    switch (attribute) {
      case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = all.maxThreadsPerBlock;
        break;
      case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(all.sharedSizeBytes);
        break;
      case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = static_cast<int>(all.localSizeBytes);
        break;
      case HIP_FUNC_ATTRIBUTE_NUM_REGS:
        *value = all.numRegs;
        break;
      case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = all.maxDynamicSharedSizeBytes;
        break;
      default:
        *value = 0;
    }
    return hipSuccess;
  });
}
const char* hipKernelNameRef(const hipFunction_t handle) {
  const Function* function = reinterpret_cast<const Function*>(handle);
  return front().known_function(function) ? function->kernel->name.c_str() : "";
}
const char* hipKernelNameRefByPtr(const void* host, hipStream_t) {
  Function function;
  return front().find_function(host, function) == hipSuccess ? function.kernel->name.c_str() : "";
}

hipError_t hipModuleLoad(hipModule_t* module, const char* file) {
  return front().call([&]() -> hipError_t {
    if (!file) return hipErrorInvalidValue;
    std::ifstream in(file, std::ios::binary);
    if (!in) return hipErrorFileNotFound;
    std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    return load(module, bytes);
  });
}
hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  return front().call([&]() -> hipError_t {
    if (!image) return hipErrorInvalidValue;
    const char* bytes = static_cast<const char*>(image);
    return load(module, {bytes, image_size(bytes)});
  });
}
hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned, hipJitOption*, void**) {
  return hipModuleLoadData(module, image);
}
hipError_t hipModuleUnload(hipModule_t module) {
  return front().call([&] {
    Module* known = reinterpret_cast<Module*>(module);
    if (!front().known_module(known)) return hipErrorInvalidHandle;
    front().unload_module(known);
    return hipSuccess;
  });
}
hipError_t hipModuleGetFunction(hipFunction_t* handle, hipModule_t module, const char* name) {
  return front().call([&] {
    Module* known = reinterpret_cast<Module*>(module);
    if (!handle || !name) return hipErrorInvalidValue;
    if (!front().known_module(known)) return hipErrorInvalidHandle;
    Function function{known, known->program->object.find_kernel(name)};
    if (!function.kernel) return hipErrorNotFound;
    *handle = reinterpret_cast<hipFunction_t>(front().keep_function(function));
    return hipSuccess;
  });
}
hipError_t hipModuleGetGlobal(hipDeviceptr_t* device, size_t* size, hipModule_t module, const char* name) {
  return front().call([&] {
    Module* known = reinterpret_cast<Module*>(module);
    if (!name) return hipErrorInvalidValue;
    if (!front().known_module(known)) return hipErrorInvalidHandle;
    const isa::Symbol* symbol = known->find_variable(name);
    if (!symbol) return hipErrorNotFound;
    if (device) *device = reinterpret_cast<void*>(known->image->base + symbol->address);
    if (size) *size = symbol->size;
    return hipSuccess;
  });
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int block, size_t lds) {
  return front().call([&] {
    Function function;
    if (hipError_t error = front().find_function(host, function); error != hipSuccess) return error;
    return active_blocks(blocks, function, block, lds);
  });
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host, int block, size_t lds,
                                                                 unsigned) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, host, block, lds);
}
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* host, size_t lds, int limit) {
  return front().call([&] {
    Function function;
    if (hipError_t error = front().find_function(host, function); error != hipSuccess) return error;
    return potential_block(grid, block, function, lds, limit);
  });
}
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t handle, int block,
                                                              size_t lds) {
  return front().call([&] {
    const Function* function = reinterpret_cast<const Function*>(handle);
    return front().known_function(function) ? active_blocks(blocks, *function, block, lds) : hipErrorInvalidHandle;
  });
}
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, hipFunction_t handle, int block,
                                                                       size_t lds, unsigned) {
  return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, handle, block, lds);
}
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* block, hipFunction_t handle, size_t lds, int limit) {
  return front().call([&] {
    const Function* function = reinterpret_cast<const Function*>(handle);
    return front().known_function(function) ? potential_block(grid, block, *function, lds, limit)
                                            : hipErrorInvalidHandle;
  });
}
}
