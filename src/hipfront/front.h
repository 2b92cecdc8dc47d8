#pragma once
// The stand-in for libamdhip64.so: what a HIP program sees of a GPU, over the simulator in the same process.
//
// Addresses. Every allocation is a region of the simulated memory that lies at the same address in the host program, so
// one pointer is valid on both sides: managed and pinned memory need no copies, and structures full of pointers can be
// passed as they are. Rejected: separate spaces with translation of kernel arguments, which cannot see pointers inside
// of memory.
//
// Order. Operations run when they are enqueued, in the order of the host program: one of the orders that streams allow.
// A stream only keeps a clock, so that events measure simulated time as if streams ran side by side.
//
// Faults. What checkers find is printed when the program ends and does not change its course. A trap, an assert or an
// instruction that is not modelled ends the context: the error sticks, as on a card.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "hipfront/include/hip/hip_runtime_api.h"
#include "isa/program.h"
#include "record/run.h"
#include "sim/simulator.h"
#include "target/target.h"

namespace hipvault::hipfront {

struct Module {
  std::shared_ptr<const isa::Program> program;
  sim::Region* image = nullptr;
  const isa::Symbol* find_variable(const std::string& name) const;
};

// What hipFunction_t points to.
struct Function {
  Module* module = nullptr;
  const isa::KernelInfo* kernel = nullptr;
};

struct Variable {
  std::string name;
  size_t size = 0;
};
struct ManagedVariable {
  void** pointer = nullptr;
  std::string name;
};

struct FatBinary {
  const char* image = nullptr;
  Module* module = nullptr;  // loaded when first needed
  std::string trouble;       // why it cannot be
  std::vector<ManagedVariable> managed;
};

enum class AllocationKind { device, managed, host, registered, image };
struct Allocation {
  AllocationKind kind = AllocationKind::device;
  size_t size = 0;
  unsigned flags = 0;
  sim::Region* region = nullptr;
  uint64_t offset = 0;  // in the region: not 0 for small ones that share a region
  bool shared = false;
  bool variable = false;  // a managed variable of the program
};

struct LaunchShape {
  dim3 grid, block;
  size_t dynamic_lds = 0;
  bool cooperative = false;
};

// One operation of a stream; gives its simulated time.
using Operation = std::function<hipError_t(double& microseconds)>;

}  // namespace hipvault::hipfront

// The opaque types of the API.
struct ihipStream_t {
  unsigned flags = 0;
  int priority = 0;
  double ready_us = 0;
  ihipGraph* capture = nullptr;
};
struct ihipEvent_t {
  unsigned flags = 0;
  bool recorded = false;
  double time_us = 0;
};
struct hipGraphNode {
  hipvault::hipfront::Operation operation;
};
struct ihipGraph {
  std::vector<std::unique_ptr<hipGraphNode>> nodes;
};
struct hipGraphExec {
  std::vector<hipvault::hipfront::Operation> operations;
};

namespace hipvault::hipfront {

class Front {
 public:
  static Front& get();

  // Every entry of the API: locked, refused after a sticky error, its error remembered.
  template <class Body>
  hipError_t call(Body body) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (sticky_ != hipSuccess) return sticky_;
    return remember(body());
  }
  hipError_t remember(hipError_t error);
  hipError_t take_last_error(bool reset);
  // Says which function or feature is missing, once each.
  hipError_t not_supported(const std::string& what);
  void say(const std::string& text);

  const target::Gpu& gpu() const { return gpu_; }
  const target::Arch& arch() const { return arch_; }

  // memory.cc
  hipError_t allocate(void** pointer, size_t size, AllocationKind kind, unsigned flags = 0);
  hipError_t release(void* pointer, std::initializer_list<AllocationKind> kinds);
  hipError_t register_host(void* pointer, size_t size, unsigned flags);
  // The allocation that holds this address, and its begin; null if none does.
  Allocation* find(const void* pointer, uint64_t* begin = nullptr);
  bool on_device(const void* pointer);  // device memory, not only accessible
  // False if [pointer, +size) begins in an allocation and runs out of it.
  bool fits(const void* pointer, size_t size);
  void mark_written(const void* pointer, size_t size, const void* source = nullptr);
  size_t memory_used() const { return used_; }
  void add_image(Module& module, sim::Region& region);
  sim::Memory& memory() { return memory_; }

  // modules.cc
  FatBinary* register_binary(const void* wrapper);
  void unregister_binary(FatBinary* binary);
  void register_function(FatBinary* binary, const void* host, const std::string& name);
  void register_variable(FatBinary* binary, const void* host, const std::string& name, size_t size);
  void register_managed(FatBinary* binary, void** pointer, const void* initial, const std::string& name, size_t size);
  Result<Module*> load_module(std::string_view image);
  void unload_module(Module* module);
  hipError_t find_function(const void* host, Function& function);
  hipError_t find_variable(const void* host, void** address, size_t* size);
  Function* keep_function(const Function& function);  // a handle that lives as long as the process
  bool known_module(const Module* module) const { return modules_.count(const_cast<Module*>(module)) != 0; }
  bool known_function(const Function* function) const { return functions_by_handle_.count(function) != 0; }

  // streams.cc
  ihipStream_t* stream(hipStream_t stream);  // null if it is none
  ihipStream_t* create_stream(unsigned flags, int priority);
  void destroy_stream(ihipStream_t* stream);
  hipError_t submit(hipStream_t stream, Operation operation);
  hipError_t run_now(ihipStream_t& stream, const Operation& operation);
  void wait(const ihipStream_t& stream);
  void wait_all();
  double& host_us() { return host_us_; }

  // launch.cc
  hipError_t launch(const Function& function, const LaunchShape& shape, void** arguments, void** extra,
                    hipStream_t stream);
  hipError_t check_shape(const Function& function, const LaunchShape& shape);
  int groups_per_cu(const Function& function, int64_t items, size_t dynamic_lds) const;

  std::vector<std::pair<dim3, std::pair<dim3, std::pair<size_t, hipStream_t>>>> configurations;

 private:
  Front();
  static void at_exit();
  void report();
  void print_findings();
  void find_leaks();
  void write_json(const std::string& path);

  hipError_t execute(const Function& function, const LaunchShape& shape, const std::string& arguments, double& us);
  hipError_t end_of_run(const RunResult& result, const Function& function);
  void print_output();
  sim::Region* output_buffer();
  void note_findings(const std::vector<Finding>& findings);

  std::recursive_mutex mutex_;
  target::Gpu gpu_;
  const target::Arch& arch_;
  int threads_ = 1;
  bool check_ = true;
  bool leaks_ = false;  // memory that is not freed is a finding; somebody else prints the findings
  hipError_t sticky_ = hipSuccess;
  std::set<std::string> said_;

  sim::Memory memory_;
  sim::Region* kernarg_ = nullptr;
  sim::Region* packet_ = nullptr;
  sim::Region* output_ = nullptr;
  sim::Region* pool_ = nullptr;  // of small allocations, when there are many
  uint64_t pool_used_ = 0;
  std::map<uint64_t, Allocation> allocations_;
  size_t used_ = 0;
  int64_t named_ = 0;

  std::set<std::unique_ptr<FatBinary>> binaries_;
  std::map<Module*, std::unique_ptr<Module>> modules_;
  std::map<const void*, std::pair<FatBinary*, std::string>> functions_;
  std::map<const void*, std::pair<FatBinary*, Variable>> variables_;
  std::map<std::pair<const Module*, std::string>, std::unique_ptr<Function>> handles_;
  std::set<const Function*> functions_by_handle_;
  Result<Module*> module_of(FatBinary& binary);

  std::set<ihipStream_t*> streams_;
  ihipStream_t default_stream_, thread_stream_;
  double host_us_ = 0;

  // For the report.
  struct KernelTotals {
    int64_t launches = 0, groups = 0, wave_instructions = 0;
    double device_us = 0;
  };
  std::map<std::string, KernelTotals> totals_;
  std::map<std::string, int64_t> instructions_;
  std::map<std::tuple<std::string, std::string, uint64_t>, Finding> findings_;
  double kernel_us_ = 0, copy_us_ = 0;

 public:
  void add_copy_time(double us) { copy_us_ += us; }
};

// The simulated time of a copy or fill of this many bytes.
double copy_time(const target::Gpu& gpu, size_t bytes, bool over_the_bus);

}  // namespace hipvault::hipfront
