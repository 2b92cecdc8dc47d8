// Devices, contexts, errors. There is one device; contexts are handles without content.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "hipfront/front.h"

using namespace hipvault::hipfront;

namespace {

Front& front() { return Front::get(); }

constexpr int kBusId = 0xc1;
int the_context;
hipCtx_t context() { return reinterpret_cast<hipCtx_t>(&the_context); }

// "gfx942" -> 9, 4: the digits between gfx and the last two.
std::pair<int, int> capability() {
  const std::string& name = front().arch().name;
  std::string digits = name.substr(3);
  return {std::atoi(digits.substr(0, digits.size() - 2).c_str()), digits[digits.size() - 2] - '0'};
}

void fill_properties(hipDeviceProp_tR0600& p) {
  const hipvault::target::Gpu& gpu = front().gpu();
  const hipvault::target::Arch& arch = front().arch();
  std::memset(static_cast<void*>(&p), 0, sizeof p);
  std::snprintf(p.name, sizeof p.name, "%s", gpu.title.c_str());
  std::snprintf(p.uuid.bytes, sizeof p.uuid.bytes, "GPU-simulated");
  std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s", arch.name.c_str());
  int wave = arch.wave_sizes[0], threads = arch.max_waves_per_simd * arch.simds_per_cu * wave;
  p.totalGlobalMem = static_cast<size_t>(gpu.memory_bytes);
  p.sharedMemPerBlock = p.sharedMemPerMultiprocessor = p.maxSharedMemoryPerMultiProcessor =
      static_cast<size_t>(arch.lds_bytes);
  p.sharedMemPerBlockOptin = p.sharedMemPerBlock;
  p.regsPerBlock = p.regsPerMultiprocessor = arch.vgpr_pool * wave * arch.simds_per_cu;
  p.warpSize = wave;
  p.memPitch = INT32_MAX;
  p.maxThreadsPerBlock = arch.max_group_size;
  for (int& n : p.maxThreadsDim) n = arch.max_group_size;
  p.maxGridSize[0] = INT32_MAX, p.maxGridSize[1] = p.maxGridSize[2] = 65536;
  p.clockRate = static_cast<int>(gpu.clock_mhz * 1000);
  p.totalConstMem = INT32_MAX;
  std::tie(p.major, p.minor) = capability();
  p.textureAlignment = p.texturePitchAlignment = p.surfaceAlignment = 256;
  p.multiProcessorCount = gpu.cus;
  p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.managedMemory = 1;
  p.hostRegisterSupported = p.canUseHostPointerForRegisteredMem = p.concurrentManagedAccess = 1;
  p.cooperativeLaunch = p.streamPrioritiesSupported = p.isLargeBar = p.directManagedMemAccessFromHost = 1;
  p.pciBusID = kBusId;
  p.asyncEngineCount = 2;
  p.memoryClockRate = 1000000;
  p.memoryBusWidth = static_cast<int>(gpu.peak_bandwidth * 8 / 2e9);
  p.l2CacheSize = static_cast<int>(gpu.l2_bytes);
  p.maxThreadsPerMultiProcessor = threads;
  p.maxBlocksPerMultiProcessor = threads / wave;
  p.clockInstructionRate = 100000;
  p.singleToDoublePrecisionPerfRatio = 1;
  std::memset(static_cast<void*>(&p.arch), 0xff, sizeof p.arch);
  p.arch.hasSurfaceFuncs = p.arch.hasDynamicParallelism = 0;
}

hipError_t attribute(int* value, hipDeviceAttribute_t which) {
  hipDeviceProp_tR0600 p;
  fill_properties(p);
  const std::pair<hipDeviceAttribute_t, long long> known[] = {
      {hipDeviceAttributeCanMapHostMemory, 1},
      {hipDeviceAttributeCanUseHostPointerForRegisteredMem, 1},
      {hipDeviceAttributeClockRate, p.clockRate},
      {hipDeviceAttributeComputeMode, 0},
      {hipDeviceAttributeConcurrentKernels, 1},
      {hipDeviceAttributeConcurrentManagedAccess, 1},
      {hipDeviceAttributeCooperativeLaunch, 1},
      {hipDeviceAttributeDirectManagedMemAccessFromHost, 1},
      {hipDeviceAttributeL2CacheSize, p.l2CacheSize},
      {hipDeviceAttributeComputeCapabilityMajor, p.major},
      {hipDeviceAttributeComputeCapabilityMinor, p.minor},
      {hipDeviceAttributeManagedMemory, 1},
      {hipDeviceAttributeMaxBlocksPerMultiProcessor, p.maxBlocksPerMultiProcessor},
      {hipDeviceAttributeMaxBlockDimX, p.maxThreadsDim[0]},
      {hipDeviceAttributeMaxBlockDimY, p.maxThreadsDim[1]},
      {hipDeviceAttributeMaxBlockDimZ, p.maxThreadsDim[2]},
      {hipDeviceAttributeMaxGridDimX, p.maxGridSize[0]},
      {hipDeviceAttributeMaxGridDimY, p.maxGridSize[1]},
      {hipDeviceAttributeMaxGridDimZ, p.maxGridSize[2]},
      {hipDeviceAttributeMaxThreadsPerBlock, p.maxThreadsPerBlock},
      {hipDeviceAttributeMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
      {hipDeviceAttributeMaxPitch, static_cast<long long>(p.memPitch)},
      {hipDeviceAttributeMemoryBusWidth, p.memoryBusWidth},
      {hipDeviceAttributeMemoryClockRate, p.memoryClockRate},
      {hipDeviceAttributeMultiprocessorCount, p.multiProcessorCount},
      {hipDeviceAttributePhysicalMultiProcessorCount, p.multiProcessorCount},
      {hipDeviceAttributePciBusId, p.pciBusID},
      {hipDeviceAttributeMaxRegistersPerBlock, p.regsPerBlock},
      {hipDeviceAttributeMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
      {hipDeviceAttributeMaxSharedMemoryPerBlock, static_cast<long long>(p.sharedMemPerBlock)},
      {hipDeviceAttributeSharedMemPerBlockOptin, static_cast<long long>(p.sharedMemPerBlock)},
      {hipDeviceAttributeSharedMemPerMultiprocessor, static_cast<long long>(p.sharedMemPerBlock)},
      {hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, static_cast<long long>(p.sharedMemPerBlock)},
      {hipDeviceAttributeStreamPrioritiesSupported, 1},
      {hipDeviceAttributeTextureAlignment, 256},
      {hipDeviceAttributeTotalConstantMemory, INT32_MAX},
      {hipDeviceAttributeTotalGlobalMem, INT32_MAX},
      {hipDeviceAttributeUnifiedAddressing, 1},
      {hipDeviceAttributeWarpSize, p.warpSize},
      {hipDeviceAttributeMemoryPoolsSupported, 0},
      {hipDeviceAttributeHostRegisterSupported, 1},
      {hipDeviceAttributeIsLargeBar, 1},
      {hipDeviceAttributeAsyncEngineCount, 2},
      {hipDeviceAttributeWallClockRate, 100000},
      {hipDeviceAttributeClockInstructionRate, 100000},
      {hipDeviceAttributeFineGrainSupport, 1},
  };
  *value = 0;
  for (const auto& [name, number] : known)
    if (name == which) *value = static_cast<int>(number);
  return hipSuccess;
}

template <class Body>
hipError_t on_device(int device, Body body) {
  return front().call([&]() -> hipError_t { return device == 0 ? body() : hipErrorInvalidDevice; });
}

template <class T>
hipError_t give(T* to, T value) {
  return front().call([&] {
    if (!to) return hipErrorInvalidValue;
    *to = value;
    return hipSuccess;
  });
}

}  // namespace

extern "C" {

hipError_t hipInit(unsigned flags) {
  return front().call([&] { return flags ? hipErrorInvalidValue : hipSuccess; });
}
hipError_t hipDriverGetVersion(int* version) { return give(version, HIP_VERSION); }
hipError_t hipRuntimeGetVersion(int* version) { return give(version, HIP_VERSION); }
hipError_t hipGetDeviceCount(int* count) { return give(count, 1); }
hipError_t hipGetDevice(int* device) { return give(device, 0); }
hipError_t hipSetDevice(int device) {
  return on_device(device, [] { return hipSuccess; });
}
hipError_t hipSetValidDevices(int*, int) { return hipSuccess; }
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  return on_device(ordinal, [&] { return device ? (*device = 0, hipSuccess) : hipErrorInvalidValue; });
}
hipError_t hipDeviceGetName(char* name, int length, hipDevice_t device) {
  return on_device(device, [&] {
    if (!name || length <= 0) return hipErrorInvalidValue;
    std::snprintf(name, static_cast<size_t>(length), "%s", front().gpu().title.c_str());
    return hipSuccess;
  });
}
hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  return on_device(device, [&] {
    if (!uuid) return hipErrorInvalidValue;
    std::snprintf(uuid->bytes, sizeof uuid->bytes, "GPU-simulated");
    return hipSuccess;
  });
}
hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
  return on_device(device, [&] {
    if (!major || !minor) return hipErrorInvalidValue;
    std::tie(*major, *minor) = capability();
    return hipSuccess;
  });
}
hipError_t hipDeviceGetPCIBusId(char* id, int length, int device) {
  return on_device(device, [&] {
    if (!id || length <= 0) return hipErrorInvalidValue;
    std::snprintf(id, static_cast<size_t>(length), "0000:%02x:00.0", kBusId);
    return hipSuccess;
  });
}
hipError_t hipDeviceGetByPCIBusId(int* device, const char* id) {
  return front().call([&] {
    if (!device || !id) return hipErrorInvalidValue;
    if (fmt::format("0000:{:02x}:00.0", kBusId) != id) return hipErrorInvalidDevice;
    *device = 0;
    return hipSuccess;
  });
}
hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
  return on_device(device, [&] {
    if (!bytes) return hipErrorInvalidValue;
    *bytes = static_cast<size_t>(front().gpu().memory_bytes);
    return hipSuccess;
  });
}
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600* properties, int device) {
  return on_device(device, [&] {
    if (!properties) return hipErrorInvalidValue;
    fill_properties(*properties);
    return hipSuccess;
  });
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t which, int device) {
  return on_device(device, [&] { return value ? attribute(value, which) : hipErrorInvalidValue; });
}
hipError_t hipChooseDeviceR0600(int* device, const hipDeviceProp_tR0600*) { return give(device, 0); }
hipError_t hipDeviceSynchronize() {
  return front().call([] {
    front().wait_all();
    return hipSuccess;
  });
}
hipError_t hipCtxSynchronize() { return hipDeviceSynchronize(); }
hipError_t hipDeviceReset() { return hipDeviceSynchronize(); }
hipError_t hipGetDeviceFlags(unsigned* flags) { return give(flags, 0u); }
hipError_t hipSetDeviceFlags(unsigned) { return hipSuccess; }
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) { return hipSuccess; }
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config) { return give(config, hipFuncCachePreferNone); }
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig) { return hipSuccess; }
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config) {
  return give(config, hipSharedMemBankSizeFourByte);
}
hipError_t hipDeviceGetLimit(size_t* value, hipLimit_t limit) {
  constexpr size_t kLimits[] = {16384, 1 << 20, 64 << 20};
  return front().call([&] {
    if (!value) return hipErrorInvalidValue;
    if (limit < hipLimitStackSize || limit > hipLimitMallocHeapSize) return hipErrorUnsupportedLimit;
    *value = kLimits[limit];
    return hipSuccess;
  });
}
hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t) {
  return front().call([&] {
    return limit < hipLimitStackSize || limit > hipLimitMallocHeapSize ? hipErrorUnsupportedLimit : hipSuccess;
  });
}
hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 1;
  if (greatest) *greatest = -1;
  return hipSuccess;
}
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return on_device(device, [&] { return peer == 0 && can ? (*can = 0, hipSuccess) : hipErrorInvalidDevice; });
}
hipError_t hipDeviceEnablePeerAccess(int, unsigned) {
  return front().call([] { return hipErrorInvalidDevice; });
}
hipError_t hipDeviceDisablePeerAccess(int) {
  return front().call([] { return hipErrorInvalidDevice; });
}
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* to, hipDevice_t) { return give(to, context()); }
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t) { return hipSuccess; }
hipError_t hipCtxCreate(hipCtx_t* to, unsigned, hipDevice_t device) {
  return on_device(device, [&] { return to ? (*to = context(), hipSuccess) : hipErrorInvalidValue; });
}
hipError_t hipCtxDestroy(hipCtx_t) { return hipSuccess; }
hipError_t hipCtxSetCurrent(hipCtx_t) { return hipSuccess; }
hipError_t hipCtxGetCurrent(hipCtx_t* to) { return give(to, context()); }
hipError_t hipCtxPushCurrent(hipCtx_t) { return hipSuccess; }
hipError_t hipCtxPopCurrent(hipCtx_t* to) { return to ? give(to, context()) : hipSuccess; }
hipError_t hipCtxGetDevice(hipDevice_t* device) { return give(device, 0); }
hipError_t hipProfilerStart() { return hipSuccess; }
hipError_t hipProfilerStop() { return hipSuccess; }

hipError_t hipGetLastError() { return front().take_last_error(true); }
hipError_t hipExtGetLastError() { return front().take_last_error(true); }
hipError_t hipPeekAtLastError() { return front().take_last_error(false); }
}
