// The CUDA driver (libcuda.so.1). Declarations follow the CUDA driver API reference; the names ending in _v2 are what
// its header maps the plain names to.

#include <dlfcn.h>
#include <fmt/format.h>

#include "device/gpu_driver.h"

namespace hipvault::device {
namespace {

using CuResult = int;
constexpr CuResult kOutOfMemory = 2, kNotFound = 500;

// CUdevice_attribute
constexpr int kClockRate = 13, kMultiprocessors = 16, kL2Bytes = 38, kMajor = 75, kMinor = 76;

struct CudaCalls {
  CuResult (*init)(unsigned) = nullptr;
  CuResult (*driver_version)(int*) = nullptr;
  CuResult (*device_count)(int*) = nullptr;
  CuResult (*device_get)(int*, int) = nullptr;
  CuResult (*device_name)(char*, int, int) = nullptr;
  CuResult (*device_attribute)(int*, int, int) = nullptr;
  CuResult (*total_memory)(size_t*, int) = nullptr;
  CuResult (*retain_context)(void**, int) = nullptr;
  CuResult (*set_context)(void*) = nullptr;
  CuResult (*load)(void**, const void*, unsigned, int*, void**) = nullptr;
  CuResult (*unload)(void*) = nullptr;
  CuResult (*function)(void**, void*, const char*) = nullptr;
  CuResult (*allocate)(uint64_t*, size_t) = nullptr;
  CuResult (*release)(uint64_t) = nullptr;
  CuResult (*to_device)(uint64_t, const void*, size_t) = nullptr;
  CuResult (*to_host)(void*, uint64_t, size_t) = nullptr;
  CuResult (*copy)(uint64_t, uint64_t, size_t) = nullptr;
  CuResult (*fill)(uint64_t, unsigned char, size_t) = nullptr;
  CuResult (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                     void**) = nullptr;
  CuResult (*synchronise)() = nullptr;
  CuResult (*make_event)(void**, unsigned) = nullptr;
  CuResult (*drop_event)(void*) = nullptr;
  CuResult (*record)(void*, void*) = nullptr;
  CuResult (*elapsed)(float*, void*, void*) = nullptr;
  CuResult (*error_name)(CuResult, const char**) = nullptr;
  CuResult (*error_text)(CuResult, const char**) = nullptr;
};

// False: the library lacks the call.
template <class F>
bool bind(void* library, const char* name, F& call) {
  call = reinterpret_cast<F>(dlsym(library, name));
  return call != nullptr;
}

bool bind_all(void* library, CudaCalls& c) {
  return bind(library, "cuInit", c.init) && bind(library, "cuDriverGetVersion", c.driver_version) &&
         bind(library, "cuDeviceGetCount", c.device_count) && bind(library, "cuDeviceGet", c.device_get) &&
         bind(library, "cuDeviceGetName", c.device_name) && bind(library, "cuDeviceGetAttribute", c.device_attribute) &&
         bind(library, "cuDeviceTotalMem_v2", c.total_memory) &&
         bind(library, "cuDevicePrimaryCtxRetain", c.retain_context) &&
         bind(library, "cuCtxSetCurrent", c.set_context) && bind(library, "cuModuleLoadDataEx", c.load) &&
         bind(library, "cuModuleUnload", c.unload) && bind(library, "cuModuleGetFunction", c.function) &&
         bind(library, "cuMemAlloc_v2", c.allocate) && bind(library, "cuMemFree_v2", c.release) &&
         bind(library, "cuMemcpyHtoD_v2", c.to_device) && bind(library, "cuMemcpyDtoH_v2", c.to_host) &&
         bind(library, "cuMemcpyDtoD_v2", c.copy) && bind(library, "cuMemsetD8_v2", c.fill) &&
         bind(library, "cuLaunchKernel", c.launch) && bind(library, "cuCtxSynchronize", c.synchronise) &&
         bind(library, "cuEventCreate", c.make_event) && bind(library, "cuEventDestroy_v2", c.drop_event) &&
         bind(library, "cuEventRecord", c.record) && bind(library, "cuEventElapsedTime", c.elapsed) &&
         bind(library, "cuGetErrorName", c.error_name) && bind(library, "cuGetErrorString", c.error_text);
}

tl::unexpected<Diagnostic> missing(const std::string& why) {
  return fail("gpu.missing", "no CUDA device can be used: " + why,
              "install NVIDIA's driver (nvidia-smi must list the GPU), or use --device sim, which needs none");
}

class CudaDriver : public GpuDriver {
 public:
  explicit CudaDriver(const CudaCalls& calls) : calls_(calls) {}

  Status open(int number) {
    int count = 0, device = 0;
    if (CuResult r = calls_.init(0)) return missing("cuInit says " + words(r));
    if (CuResult r = calls_.device_count(&count)) return missing(words(r));
    if (number < 0 || number >= count) return missing(fmt::format("device {} of {} was asked for", number, count));
    void* context = nullptr;
    if (CuResult r = calls_.device_get(&device, number)) return missing(words(r));
    if (CuResult r = calls_.retain_context(&context, device)) return missing(words(r));
    if (CuResult r = calls_.set_context(context)) return missing(words(r));
    char title[256] = {};
    size_t memory = 0;
    calls_.device_name(title, sizeof title - 1, device);
    calls_.total_memory(&memory, device);
    calls_.driver_version(&facts_.driver_version);
    facts_.title = title;
    facts_.memory_bytes = static_cast<int64_t>(memory);
    facts_.arch = fmt::format("sm_{}{}", attribute(kMajor, device), attribute(kMinor, device));
    facts_.units = attribute(kMultiprocessors, device);
    facts_.l2_bytes = attribute(kL2Bytes, device);
    facts_.clock_mhz = attribute(kClockRate, device) / 1000.0;
    return {};
  }

  GpuFacts facts() const override { return facts_; }

  Result<GpuHandle> load_module(const std::string& code) override {
    constexpr int kErrorLog = 5, kErrorLogBytes = 6;  // CUjit_option
    std::string log(16384, '\0');
    int options[] = {kErrorLog, kErrorLogBytes};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
    void* module = nullptr;
    if (CuResult r = calls_.load(&module, code.c_str(), 2, options, values))
      return fail("gpu.load", "the driver does not take the code: " + words(r) + ": " + log.c_str(),
                  "is it for this GPU (" + facts_.arch + ")?");
    return module;
  }
  void unload_module(GpuHandle module) override { calls_.unload(module); }

  Result<GpuHandle> find_kernel(GpuHandle module, const std::string& name) override {
    void* kernel = nullptr;
    CuResult r = calls_.function(&kernel, module, name.c_str());
    if (r == kNotFound) return fail("gpu.no-kernel", "the code has no kernel named " + name);
    if (r) return fail("gpu.function", words(r));
    return kernel;
  }

  Result<GpuAddress> allocate(int64_t bytes) override {
    uint64_t address = 0;
    CuResult r = calls_.allocate(&address, static_cast<size_t>(bytes));
    if (r == kOutOfMemory)
      return fail("gpu.memory", fmt::format("the GPU has no {} bytes left", bytes), "choose smaller sizes");
    if (r) return fail("gpu.allocate", words(r));
    return address;
  }
  void release(GpuAddress address) override { calls_.release(address); }

  Status write(GpuAddress to, const void* from, int64_t bytes) override {
    return done("gpu.write", bytes ? calls_.to_device(to, from, static_cast<size_t>(bytes)) : 0);
  }
  Status read(void* to, GpuAddress from, int64_t bytes) override {
    return done("gpu.read", bytes ? calls_.to_host(to, from, static_cast<size_t>(bytes)) : 0);
  }
  Status copy(GpuAddress to, GpuAddress from, int64_t bytes) override {
    return done("gpu.copy", bytes ? calls_.copy(to, from, static_cast<size_t>(bytes)) : 0);
  }
  Status fill(GpuAddress to, uint8_t value, int64_t bytes) override {
    return done("gpu.fill", bytes ? calls_.fill(to, value, static_cast<size_t>(bytes)) : 0);
  }

  Status launch(const GpuLaunch& l) override {
    std::vector<uint64_t> arguments = l.arguments;
    std::vector<void*> pointers;
    for (uint64_t& argument : arguments) pointers.push_back(&argument);
    return done("gpu.launch", calls_.launch(l.kernel, l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1],
                                            l.block[2], l.dynamic_lds, nullptr, pointers.data(), nullptr));
  }
  Status synchronise() override { return done("gpu.run", calls_.synchronise()); }

  Result<GpuHandle> make_event() override {
    void* event = nullptr;
    if (CuResult r = calls_.make_event(&event, 0)) return fail("gpu.event", words(r));
    return event;
  }
  void drop_event(GpuHandle event) override { calls_.drop_event(event); }
  Status record(GpuHandle event) override { return done("gpu.event", calls_.record(event, nullptr)); }
  Result<double> microseconds(GpuHandle begin, GpuHandle end) override {
    float milliseconds = 0;
    if (CuResult r = calls_.elapsed(&milliseconds, begin, end)) return fail("gpu.event", words(r));
    return 1000.0 * static_cast<double>(milliseconds);
  }

 private:
  int attribute(int which, int device) const {
    int value = 0;
    calls_.device_attribute(&value, which, device);
    return value;
  }

  std::string words(CuResult r) const {
    const char *name = nullptr, *text = nullptr;
    calls_.error_name(r, &name);
    calls_.error_text(r, &text);
    return fmt::format("{} ({})", name ? name : std::to_string(r), text ? text : "no text");
  }

  Status done(const char* code, CuResult r) const {
    if (r) return fail(code, words(r));
    return {};
  }

  CudaCalls calls_;
  GpuFacts facts_;
};

}  // namespace

Result<std::unique_ptr<GpuDriver>> open_cuda_driver(int number) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return missing(std::string("libcuda.so.1 cannot be opened: ") + dlerror());
  CudaCalls calls;
  if (!bind_all(library, calls)) return missing("libcuda.so.1 lacks a call that is needed; it is older than CUDA 11");
  auto driver = std::make_unique<CudaDriver>(calls);
  Status open = driver->open(number);
  if (!open) return fail(open.error());
  return driver;
}

}  // namespace hipvault::device
