// The stand-alone file: its plan block reads back, its host half compiles against the HIP header's declarations, and
// its launcher does what the judge does with the same plan: resolve() says which kernels run, with which grid, block
// and arguments. The launcher runs here for real, on a HIP runtime of three functions that report each call.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>

#include "print/hip.h"
#include "support/op_library.h"
#include "support/printed_kernels.h"
#include "tile/passes.h"

namespace hipvault::print {
namespace {

// ---- printed files
// --------------------------------------------------------------------------------------------------------------

struct Printed {
  Plan plan;
  std::string text;
};

// The preferred decisions, but for those wished.
schedule::Schedule decide(const schedule::Task& task, const std::map<std::string, std::string>& wishes) {
  schedule::Schedule made;
  for (;;) {
    Result<schedule::Question> question = schedule::next_question(task, made);
    EXPECT_TRUE(question) << question.error().message;
    if (!question || question->name.empty()) return made;
    auto wish = wishes.find(question->name);
    made.push_back({question->name, wish == wishes.end() ? question->preferred : wish->second});
  }
}

Printed print_op(const std::string& op_text, const Sizes& sizes, const std::map<std::string, std::string>& wishes) {
  frontend::OpFileRef file = test::op_text(op_text);
  std::string name = frontend::op_names(file)[0];
  Result<ir::Program> program = frontend::instantiate(file, name, {}, DType::f8e4m3fnuz);
  EXPECT_TRUE(program) << program.error().message;
  schedule::Task task = test::task_of(*program, sizes);
  schedule::Schedule schedule = decide(task, wishes);
  Result<schedule::Lowered> lowered = schedule::lower(task, schedule);
  EXPECT_TRUE(lowered) << lowered.error().message;
  for (tile::Kernel& kernel : lowered->kernels) {
    EXPECT_NE(kernel.name, name);
    tile::PassContext context;
    context.arch = &target::arch_of(task.gpu);
    context.multiple_of = lowered->multiple_of[kernel.name];
    context.alignment = lowered->alignment[kernel.name];
    Status status = tile::run_passes(kernel, context);
    EXPECT_TRUE(status) << status.error().message;
  }
  FileInfo info{name + ", for tests", op_text, schedule::text(schedule) + "ends in \\", {"a promise"}};
  Result<std::string> text = print_file(lowered->plan, lowered->kernels, target::arch_of(task.gpu), info);
  EXPECT_TRUE(text) << text.error().message;
  return {lowered->plan, text.value_or("")};
}

const char* kTwice = "op twice(x: f32[N]) -> y: f32[N]\n  y = x * 2\n";
const char* kTotal = "op total(x: f32[B,N]) -> y: f32[B]\n  y = sum(x, N)\n";

Printed one_launch() { return print_op(kTwice, {{"N", 4096}}, {{"sketch", "pointwise"}}); }
Printed with_scalars() {
  return print_op(
      "op scaled(x: f32[A,B], s: float = 0.5, flip: bool = true) -> y: f32[A,B]\n  y = where(flip, s * x, x)\n",
      {{"A", 64}, {"B", 64}}, {{"sketch", "pointwise"}});
}
Printed split() {
  return print_op(kTotal, {{"B", 4}, {"N", 65536}},
                  {{"sketch", "row_reduce"}, {"residency", "reread"}, {"split", "4"}});
}

// ---- the host half
// --------------------------------------------------------------------------------------------------------------

struct Dim3 {
  uint32_t x, y, z;
};
struct Call {
  std::string kernel;
  Dim3 grid, block;
  std::vector<void*> args;  // what each argument points at, copied as 8 bytes
  std::vector<uint64_t> bits;
  size_t lds;
  char* cleared = nullptr;
  size_t bytes = 0;
};

const char* kRuntime =
    "\n#include <dlfcn.h>\n"
    "extern \"C\" void (*hv_on_launch)(const char*, dim3, dim3, void**, size_t) = nullptr;\n"
    "extern \"C\" void (*hv_on_clear)(void*, int, size_t) = nullptr;\n"
    "extern \"C\" hipError_t hipLaunchKernel(const void* f, dim3 g, dim3 b, void** args, size_t lds, hipStream_t) {\n"
    "  Dl_info info{};\n  dladdr(f, &info);\n  hv_on_launch(info.dli_sname ? info.dli_sname : \"?\", g, b, args, "
    "lds);\n"
    "  return hipSuccess;\n}\n"
    "extern \"C\" hipError_t hipMemsetAsync(void* to, int value, size_t bytes, hipStream_t) {\n"
    "  hv_on_clear(to, value, bytes);\n  return hipSuccess;\n}\n"
    "extern \"C\" hipError_t __hipPushCallConfiguration(dim3, dim3, size_t, hipStream_t) { return hipSuccess; }\n"
    "extern \"C\" hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*) { return hipSuccess; }\n"
    "extern \"C\" void** __hipRegisterFatBinary(const void*) { return nullptr; }\n"
    "extern \"C\" void __hipUnregisterFatBinary(void**) {}\n"
    "extern \"C\" int __hipRegisterFunction(void**, const void*, char*, const char*, unsigned, void*, void*, void*, "
    "void*, int*) {\n  return 0;\n}\n";

// Exit status of clang on the host half; a shared library is made when `library` is given.
int compile_host(const std::string& source, const std::string& library) {
  std::string path = "/tmp/hipvault-host-" + hash_hex(source) + "-" + std::to_string(getpid()) + ".hip";
  std::ofstream(path) << source;
  std::string command =
      "/usr/lib/llvm-22/bin/clang-22 -x hip --cuda-host-only -nogpuinc -nogpulib -std=c++17 -Wall "
      "-Werror -Wno-unused-function --offload-arch=gfx942 -I " +
      std::string(HIPVAULT_SOURCE_DIR) + "/test/support/fake_hip " + path;
  command += library.empty()
                 ? " -fsyntax-only"
                 : " -O0 -fPIC -shared -no-hip-rt -Xclang -fcuda-include-gpubinary -Xclang /dev/null -o " + library;
  int status = std::system(command.c_str());
  std::remove(path.c_str());
  return status;
}

TEST(PrintFile, TheHostHalfCompiles) {
  for (const Printed& printed : {one_launch(), with_scalars(), split()})
    EXPECT_EQ(compile_host(printed.text, ""), 0) << printed.plan.op << "\n" << printed.text;
}

std::vector<Call>* calls = nullptr;
const ResolvedPlan* expected_plan = nullptr;
std::vector<std::pair<void*, size_t>>* clears = nullptr;

void on_launch(const char* name, Dim3 grid, Dim3 block, void** args, size_t lds) {
  Call call{name, grid, block, {}, {}, lds};
  size_t at = calls->size();
  if (at < expected_plan->launches.size())
    for (size_t k = 0; k < expected_plan->launches[at].args.size(); ++k) {
      const ResolvedArg& arg = expected_plan->launches[at].args[k];
      bool pointer = arg.kind == KernelArg::Kind::buffer || arg.kind == KernelArg::Kind::workspace;
      uint64_t bits = 0;
      std::memcpy(&bits, args[k], pointer ? 8 : static_cast<size_t>(info(arg.dtype).bits / 8));
      call.bits.push_back(bits);
    }
  calls->push_back(call);
}
void on_clear(void* to, int value, size_t bytes) {
  EXPECT_EQ(value, 0);
  clears->push_back({to, bytes});
}

// The launcher of a printed file, as its user would call it.
class Library {
 public:
  explicit Library(const Printed& printed) : plan_(printed.plan) {
    path_ = "/tmp/hipvault-launcher-" + plan_.op + "-" + std::to_string(getpid()) + ".so";
    if (compile_host(printed.text + kRuntime, path_) == 0) handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) {
      ADD_FAILURE() << plan_.op << ": " << dlerror();
      return;
    }
    *static_cast<void (**)(const char*, Dim3, Dim3, void**, size_t)>(dlsym(handle_, "hv_on_launch")) = on_launch;
    *static_cast<void (**)(void*, int, size_t)>(dlsym(handle_, "hv_on_clear")) = on_clear;
  }
  ~Library() {
    if (handle_) dlclose(handle_);
    std::remove(path_.c_str());
  }
  explicit operator bool() const { return handle_ != nullptr; }
  size_t workspace(const std::vector<int64_t>& sizes) const {
    return reinterpret_cast<size_t (*)(const int64_t*)>(dlsym(handle_, (plan_.op + "_workspace").c_str()))(
        sizes.data());
  }
  int launch(const std::vector<void*>& buffers, const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
             void* workspace, size_t bytes) const {
    using Entry = int (*)(void* const*, const int64_t*, const int64_t*, void*, size_t, void*);
    return reinterpret_cast<Entry>(dlsym(handle_, plan_.op.c_str()))(buffers.data(), sizes.data(), strides.data(),
                                                                     workspace, bytes, nullptr);
  }

 private:
  const Plan& plan_;
  std::string path_;
  void* handle_ = nullptr;
};

struct Situation {
  std::vector<int64_t> sizes;
  std::vector<double> scalars;
  int64_t spread = 1;  // every stride is multiplied
  int64_t shift = 0;   // bytes from a multiple of 256
};

uint64_t bits_of(const ResolvedArg& arg, const std::vector<void*>& buffers, char* workspace, const Situation& s) {
  uint64_t bits = 0;
  float narrow = 0;
  switch (arg.kind) {
    case KernelArg::Kind::buffer:
      return reinterpret_cast<uint64_t>(buffers[static_cast<size_t>(arg.index)]);
    case KernelArg::Kind::workspace:
      return reinterpret_cast<uint64_t>(workspace + arg.offset);
    case KernelArg::Kind::integer:
      return arg.dtype == DType::i32 ? static_cast<uint32_t>(arg.value) : static_cast<uint64_t>(arg.value);
    case KernelArg::Kind::scalar:
      if (arg.dtype == DType::f64) return std::memcpy(&bits, &s.scalars[static_cast<size_t>(arg.index)], 8), bits;
      narrow = static_cast<float>(s.scalars[static_cast<size_t>(arg.index)]);
      return std::memcpy(&bits, &narrow, 4), bits;
  }
  return bits;
}

// Strides of packed tensors times the spread, and the names that resolve() knows them by.
std::vector<int64_t> strides_of(const Plan& plan, const Situation& s, Sizes& names) {
  for (size_t k = 0; k < plan.sizes.size(); ++k) names[plan.sizes[k]] = s.sizes[k];
  std::vector<int64_t> strides;
  for (const BufferSpec& buffer : plan.buffers) {
    std::vector<int64_t> own(buffer.shape.size(), 1);
    for (size_t d = buffer.shape.size(); d-- > 0;)
      own[d] = d + 1 == own.size() ? s.spread : own[d + 1] * *buffer.shape[d + 1].evaluate(names);
    for (size_t d = 0; d < own.size(); ++d) names[buffer.name + ".stride." + std::to_string(d)] = own[d];
    strides.insert(strides.end(), own.begin(), own.end());
    names[buffer.name + ".align"] = s.shift ? s.shift & -s.shift : 256;
  }
  return strides;
}

// Launches for real and by resolve(); returns the variant that ran.
std::string expect_as_resolved(const Library& library, const Plan& plan, const Situation& s) {
  Sizes names;
  std::vector<int64_t> strides = strides_of(plan, s, names), sizes = s.sizes;
  for (double scalar : s.scalars) {
    int64_t bits = 0;
    std::memcpy(&bits, &scalar, 8);
    sizes.push_back(bits);
  }
  Result<ResolvedPlan> resolved = resolve(plan, names);
  EXPECT_TRUE(resolved) << resolved.error().message;
  if (!resolved) return "";
  std::vector<void*> buffers;  // never read: any addresses will do
  for (size_t b = 0; b < plan.buffers.size(); ++b)
    buffers.push_back(reinterpret_cast<void*>((b + 1) * 0x10000000 + static_cast<size_t>(s.shift)));
  char* workspace = reinterpret_cast<char*>(0x7000000000);
  size_t enough = library.workspace(sizes);
  EXPECT_GE(static_cast<int64_t>(enough), resolved->workspace_bytes);
  std::vector<Call> made;
  std::vector<std::pair<void*, size_t>> cleared, expected_clears;
  calls = &made, clears = &cleared, expected_plan = &*resolved;
  EXPECT_EQ(library.launch(buffers, sizes, strides, workspace, enough), 0);
  std::vector<ResolvedLaunch> wanted;
  for (const ResolvedLaunch& launch : resolved->launches) {
    for (auto [offset, bytes] : launch.clear)
      expected_clears.push_back({workspace + offset, static_cast<size_t>(bytes)});
    if (launch.grid[0] && launch.grid[1] && launch.grid[2]) wanted.push_back(launch);
  }
  EXPECT_EQ(cleared, expected_clears);
  EXPECT_EQ(made.size(), wanted.size()) << plan.op;
  for (size_t k = 0; k < std::min(made.size(), wanted.size()); ++k) {
    EXPECT_EQ(made[k].kernel, wanted[k].kernel);
    EXPECT_EQ(made[k].grid.x, wanted[k].grid[0]);
    EXPECT_EQ(made[k].grid.y, wanted[k].grid[1]);
    EXPECT_EQ(made[k].grid.z, wanted[k].grid[2]);
    EXPECT_EQ(made[k].block.x, wanted[k].block);
    EXPECT_EQ(made[k].block.y * made[k].block.z, 1u);
    EXPECT_EQ(static_cast<int64_t>(made[k].lds), wanted[k].dynamic_lds);
    for (size_t a = 0; a < made[k].bits.size(); ++a)
      EXPECT_EQ(made[k].bits[a], bits_of(wanted[k].args[a], buffers, workspace, s))
          << wanted[k].kernel << " argument " << a << " " << wanted[k].args[a].name;
  }
  if (resolved->workspace_bytes > 0) EXPECT_EQ(library.launch(buffers, sizes, strides, workspace, 0), -2);
  return resolved->variant;
}

TEST(PrintFile, TheLauncherDoesWhatResolveSays) {
  Printed twice = one_launch(), scaled = with_scalars();
  Library one(twice), scalars(scaled);
  ASSERT_TRUE(one && scalars);
  std::set<std::string> variants;
  for (int64_t n : {int64_t{1}, int64_t{7}, int64_t{4096}, int64_t{1} << 20, int64_t{3} << 32})
    for (int64_t spread : {1, 3})
      for (int64_t shift : {0, 4, 16}) variants.insert(expect_as_resolved(one, twice.plan, {{n}, {}, spread, shift}));
  EXPECT_GE(variants.size(), 2u);  // the dispatch table was walked
  for (double s : {0.1, -3.5}) expect_as_resolved(scalars, scaled.plan, {{64, 65}, {s, 1}, 1, 0});
}

TEST(PrintFile, ASplitPlansWorkspaceLiesWhereResolveSays) {
  Printed total = split();
  Library library(total);
  ASSERT_TRUE(library);
  size_t with_workspace = 0;
  for (const Variant& variant : total.plan.variants) with_workspace += !variant.workspace.empty();
  EXPECT_GE(with_workspace, 1u) << total.text;
  for (int64_t rows : {1, 4, 33})
    for (int64_t columns : {1, 1000, 65536}) expect_as_resolved(library, total.plan, {{rows, columns}, {}, 1, 0});
}

// ---- the plan block
// -------------------------------------------------------------------------------------------------------------

TEST(PrintFile, ThePlanBlockReadsBack) {
  for (const Printed& printed : {one_launch(), with_scalars(), split()}) {
    Result<Plan> plan = plan_in_source(printed.text);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(to_json(*plan), to_json(printed.plan));
    for (const Variant& variant : plan->variants)
      for (const Launch& launch : variant.launches)
        EXPECT_NE(printed.text.find(" " + launch.kernel + "("), std::string::npos) << launch.kernel;
    EXPECT_NE(printed.text.find("extern \"C\" int " + plan->op + "(void* const* buffers"), std::string::npos);
    EXPECT_EQ(printed.text.find("\\\n"), std::string::npos);  // no comment swallows the next line
  }
}

const char* kPlan =
    R"({"op": "f", "sizes": ["N"], "buffers": [{"name": "x", "dtype": "f32", "role": "inout", "shape": ["N"]}], )"
    R"("variants": [{"name": "v", "launches": [{"kernel": "k", "grid": ["N", "1", "1"], "block": "64", )"
    R"("args": [{"buffer": "x"}]}]}]})";

TEST(PrintFile, APlanMayBeWrittenOverSeveralCommentLines) {
  std::string json = kPlan, source = "// by hand\n// hv-plan: ";
  for (char c : json) source += c == ',' ? std::string(",\n//   ") : std::string(1, c);
  Result<Plan> plan = plan_in_source(source + "\n__global__ void k(float* x) {}\n");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->op, "f");
  EXPECT_EQ(plan->variants[0].launches[0].kernel, "k");
}

void expect_refused(const std::string& source, const std::string& code, const std::string& words) {
  Result<Plan> plan = plan_in_source(source);
  ASSERT_FALSE(plan) << source;
  EXPECT_EQ(plan.error().code, code) << plan.error().message;
  EXPECT_NE(plan.error().message.find(words), std::string::npos) << plan.error().message;
}

TEST(PrintFile, RefusesSourcesWithoutAPlan) {
  expect_refused("", "print.no-plan", "the source has no `// hv-plan:` block");
  expect_refused("// a plan: {}\n__global__ void k() {}\n", "print.no-plan", "the source has no `// hv-plan:` block");
}

TEST(PrintFile, RefusesMalformedJsonAndTruncatedLines) {
  std::string json = kPlan;
  for (const std::string& source : {std::string("// hv-plan: {\"op\": f}\n"), std::string("// hv-plan:\n"),
                                    std::string("// hv-plan:"), "// hv-plan: " + json.substr(0, json.size() / 2),
                                    "// hv-plan: " + json.substr(0, json.size() / 2) + "\nint x;\n",
                                    "// hv-plan: " + json.substr(0, json.size() - 1) + "\n//\n"}) {
    Result<Plan> plan = plan_in_source(source);
    ASSERT_FALSE(plan) << source;
    EXPECT_NE(plan.error().message.find("the hv-plan block"), std::string::npos) << plan.error().message;
  }
  for (size_t length = 0; length < json.size(); ++length)
    EXPECT_FALSE(plan_in_source("// hv-plan: " + json.substr(0, length))) << length;
  EXPECT_TRUE(plan_in_source("// hv-plan: " + json));
}

TEST(PrintFile, RefusesJsonThatIsNoPlan) {
  expect_refused("// hv-plan: {\"op\": \"f\"}\n", "json.missing", "sizes");
  expect_refused("// hv-plan: {\"op\": \"f\", \"sizes\": [], \"buffers\": [], \"variants\": []}\n", "plan.empty",
                 "the plan has no variant");
}

TEST(PrintFile, AKernelWithTheOpsNameIsRefused) {
  Printed printed = one_launch();
  tile::Kernel kernel;
  kernel.name = "twice";
  Result<std::string> text = print_file(printed.plan, {kernel}, *target::find_arch("gfx942"), {});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "the kernel twice has the op's name, which is the C entry's");
}

}  // namespace
}  // namespace hipvault::print
