// Random kernels, compiled by clang for the host and for the device: what the simulated GPU leaves in memory must be
// what the host left, bit for bit. A kernel that differs is made smaller as long as it still does, and printed.
//
//   test_differential [--count N] [--seed S] [--per-file N] [--arch NAME] [--minimise 0] [--first N] [--level 0…3]

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include "differential/random_kernel.h"
#include "sim/simulator.h"
#include "support/hip_kernels.h"
#include "target/target.h"

namespace hipvault::test {
namespace {

struct Target {
  const char* arch;
  const char* gpu;
  int wave;
};
constexpr Target kTargets[] = {{"gfx942", "mi300x", 64},
                               {"gfx90a", "mi250x", 64},
                               {"gfx950", "mi355x", 64},
                               {"gfx1201", "r9700", 32},
                               {"gfx1201", "r9700", 64}};

using HostKernel = void (*)(const uint32_t*, uint32_t*, uint64_t*, float*, uint32_t*);

struct Outputs {
  std::vector<uint32_t> sums, out;
  std::vector<uint64_t> wide;
  std::vector<float> fsum;
  explicit Outputs(const RandomKernel& k)
      : sums(kSums, 5),
        out(static_cast<size_t>(k.block * k.groups * kStateWords), 0),
        wide(kSums, 77),
        fsum(kSums, 1) {}
};

std::vector<uint32_t> inputs(uint64_t seed) {
  Random random(seed);
  std::vector<uint32_t> in(kInputWords);
  for (uint32_t& word : in) {
    word = static_cast<uint32_t>(random.next());
    if (random.below(4) == 0) word &= 0xff;
    if (random.below(16) == 0) word = 0;
  }
  return in;
}

// A file of kernels, compiled for both sides. "" or why it could not be.
class Compiled {
 public:
  std::string code_object;

  std::string compile(const std::vector<RandomKernel>& kernels, const Target& target, const std::string& level) {
    std::string source = kRandomPrelude;
    for (const RandomKernel& kernel : kernels) source += kernel.text();
    char folder[] = "/tmp/hipvault-differential-XXXXXX";
    if (!mkdtemp(folder)) return "no temporary folder";
    base_ = folder;
    std::ofstream(base_ + "/k.hip") << source;
    std::string clang = "/usr/lib/llvm-22/bin/clang-22 ",
                both = " -w -ffp-contract=off -DWAVE=" + std::to_string(target.wave);
    std::string device =
        clang + "-x hip --cuda-device-only -nogpuinc -nogpulib --no-gpu-bundle-output --offload-arch=" + target.arch +
        (target.wave == 64 && std::string(target.arch) == "gfx1201" ? " -mwavefrontsize64 " : " ") + level + both +
        " -DDEVICE " + base_ + "/k.hip -o " + base_ + "/k.co";
    std::string host = clang + "-x c++ -O0 -march=native -Xclang -ffloat16-excess-precision=none -fPIC -shared" + both +
                       " " + base_ + "/k.hip -o " + base_ + "/k.so";
    if (std::system((device + " 2>" + base_ + "/log").c_str()))
      return "the device compiler failed: " + read_file(base_ + "/log");
    if (std::system((host + " 2>" + base_ + "/log").c_str()))
      return "the host compiler failed: " + read_file(base_ + "/log");
    code_object = read_file(base_ + "/k.co");
    library_ = dlopen((base_ + "/k.so").c_str(), RTLD_NOW);
    return library_ ? "" : std::string("dlopen: ") + dlerror();
  }
  HostKernel host(const std::string& name) const { return reinterpret_cast<HostKernel>(dlsym(library_, name.c_str())); }
  ~Compiled() {
    if (library_) dlclose(library_);
    for (const char* file : {"/k.hip", "/k.co", "/k.so", "/log"}) std::remove((base_ + file).c_str());
    if (!base_.empty()) rmdir(base_.c_str());
  }

 private:
  std::string base_;
  void* library_ = nullptr;
};

template <class T>
BufferRequest buffer(const char* name, const std::vector<T>& data, bool writable) {
  BufferRequest b;
  b.name = name;
  b.data.assign(reinterpret_cast<const char*>(data.data()), data.size() * sizeof(T));
  b.valid_end = static_cast<int64_t>(b.data.size());
  b.writable = b.read_back = writable;
  return b;
}

template <class T>
std::string difference(const char* what, const std::vector<T>& expected, const std::string& bytes) {
  std::vector<T> got(expected.size());
  if (bytes.size() != got.size() * sizeof(T)) return std::string(what) + " did not come back";
  std::memcpy(static_cast<void*>(got.data()), bytes.data(), bytes.size());
  for (size_t i = 0; i < got.size(); ++i)
    if (std::memcmp(&got[i], &expected[i], sizeof(T)) != 0) {
      char text[160];
      uint64_t a = 0, b = 0;
      std::memcpy(&a, &got[i], sizeof(T));
      std::memcpy(&b, &expected[i], sizeof(T));
      std::snprintf(text, sizeof text, "%s[%zu] is %#llx, the host has %#llx", what, i,
                    static_cast<unsigned long long>(a), static_cast<unsigned long long>(b));
      return text;
    }
  return "";
}

std::string run_kernel(const Compiled& compiled, const RandomKernel& kernel, const Target& target, uint64_t seed) {
  std::vector<uint32_t> in = inputs(seed);
  Outputs host(kernel), start(kernel);
  compiled.host(kernel.name)(in.data(), host.sums.data(), host.wide.data(), host.fsum.data(), host.out.data());
  RunRequest request;
  request.gpu = target.gpu;
  request.code_objects = {compiled.code_object};
  request.buffers = {buffer("in", in, false), buffer("sums", start.sums, true), buffer("wide", start.wide, true),
                     buffer("fsum", start.fsum, true), buffer("out", start.out, true)};
  ResolvedLaunch launch;
  launch.kernel = kernel.name;
  launch.grid = {kernel.groups, 1, 1};
  launch.block = kernel.block;
  for (int i = 0; i < 5; ++i) {
    ResolvedArg arg;
    arg.kind = KernelArg::Kind::buffer;
    arg.index = i;
    launch.args.push_back(arg);
  }
  request.plan.launches = {launch};
  request.step_budget = 200'000'000;
  request.wave_order_seed = seed;
  RunResult result = sim::run(request, *target::find_gpu(target.gpu));
  if (result.run.status != RunStatus::completed)
    return std::string(name(result.run.status)) + ": " + result.run.message;
  for (const Finding& f : result.run.findings)
    return "a finding where nothing is wrong: " + f.kind + " `" + f.instruction + "` " + f.message;
  std::string why = difference("out", host.out, result.buffers[4]);
  if (why.empty()) why = difference("sums", host.sums, result.buffers[1]);
  if (why.empty()) why = difference("wide", host.wide, result.buffers[2]);
  if (why.empty()) why = difference("fsum", host.fsum, result.buffers[3]);
  return why;
}

// Also a kernel that the compiler rejects fails: it must not get smaller into that.
std::string run_alone(const RandomKernel& kernel, const Target& target, const std::string& level, uint64_t seed) {
  Compiled compiled;
  std::string why = compiled.compile({kernel}, target, level);
  return why.empty() ? run_kernel(compiled, kernel, target, seed) : "";
}

RandomKernel minimise(RandomKernel kernel, const Target& target, const std::string& level, uint64_t seed) {
  int left = 150;
  for (bool smaller = true; smaller && left > 0;) {
    smaller = false;
    for (const RandomKernel& candidate : shrink(kernel)) {
      if (--left <= 0) break;
      if (run_alone(candidate, target, level, seed).empty()) continue;
      kernel = candidate;
      smaller = true;
      break;
    }
  }
  return kernel;
}

struct Options {
  int count = 1000, per_file = 25;
  uint64_t seed = 1;
  std::string arch;
  int minimise = 1, first = 0, level = -1;  // the number of the first kernel; -O, if given
};

class Campaign {
 public:
  explicit Campaign(const Options& options) : options_(options) {
    for (const Target& target : kTargets)
      if (options.arch.empty() || options.arch == target.arch) targets_.push_back(target);
  }
  int run() {
    if (targets_.empty()) return std::fprintf(stderr, "there is no arch %s\n", options_.arch.c_str()), 2;
    std::thread other([this] { work(); });
    work();
    other.join();
    std::printf("%d kernels, %d differ\n", done_.load(), failures_.load());
    return failures_.load() ? 1 : 0;
  }

 private:
  void work() {
    for (int file = next_++; file * options_.per_file < options_.count; file = next_++) run_file(file);
  }
  void run_file(int file) {
    const Target& target = targets_[static_cast<size_t>(file) % targets_.size()];
    constexpr const char* kLevels[] = {"-O3", "-O2", "-O1", "-O0"};
    std::string level = kLevels[file / static_cast<int>(targets_.size()) % 8 == 7 ? 3 : file % 3];
    if (options_.level >= 0) level = "-O" + std::to_string(options_.level);
    std::vector<RandomKernel> kernels;
    std::vector<uint64_t> seeds;
    for (int i = file * options_.per_file; i < options_.count && i < (file + 1) * options_.per_file; ++i) {
      seeds.push_back(options_.seed * 1'000'003 + static_cast<uint64_t>(i + options_.first));
      kernels.push_back(make_random_kernel(seeds.back(), "kernel" + std::to_string(i + options_.first)));
    }
    Compiled compiled;
    if (std::string why = compiled.compile(kernels, target, level); !why.empty())
      return report(kernels[0], target, level, seeds[0], why, false);
    for (size_t i = 0; i < kernels.size(); ++i) {
      std::string why = run_kernel(compiled, kernels[i], target, seeds[i]);
      ++done_;
      if (known_.contains(std::to_string(seeds[i]) + " " + target.arch + " " + level)) {
        std::printf("known: seed %llu on %s: %s\n", static_cast<unsigned long long>(seeds[i]), target.arch,
                    why.empty() ? "agrees now; take it off known_differences.txt" : why.c_str());
        failures_ += why.empty();
        continue;
      }
      if (!why.empty()) report(kernels[i], target, level, seeds[i], why, true);
    }
  }
  void report(const RandomKernel& kernel, const Target& target, const std::string& level, uint64_t seed,
              const std::string& why, bool smaller) {
    smaller = smaller && options_.minimise;
    int number = ++failures_;
    if (number > 5) return;
    RandomKernel small = smaller ? minimise(kernel, target, level, seed) : kernel;
    std::string now = smaller ? run_alone(small, target, level, seed) : why;
    std::lock_guard<std::mutex> lock(mutex_);
    std::printf("%s (seed %llu) on %s, waves of %d, %s: %s\n", kernel.name.c_str(),
                static_cast<unsigned long long>(seed), target.arch, target.wave, level.c_str(), why.c_str());
    if (smaller) std::printf("smaller: %s\n%s\n", now.c_str(), small.text().c_str());
  }

  // "seed arch level" of differences whose cause is not found yet.
  static std::set<std::string> read_known() {
    std::set<std::string> known;
    std::ifstream file(HIPVAULT_SOURCE_DIR "/test/differential/known_differences.txt");
    for (std::string line; std::getline(file, line);)
      if (!line.empty() && line[0] != '#') known.insert(line);
    return known;
  }

  Options options_;
  const std::set<std::string> known_ = read_known();
  std::vector<Target> targets_;
  std::atomic<int> next_{0}, done_{0}, failures_{0};
  std::mutex mutex_;
};

}  // namespace
}  // namespace hipvault::test

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  hipvault::test::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string key = argv[i];
    if (key == "--count")
      options.count = std::atoi(argv[i + 1]);
    else if (key == "--per-file")
      options.per_file = std::max(1, std::atoi(argv[i + 1]));
    else if (key == "--seed")
      options.seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (key == "--first")
      options.first = std::atoi(argv[i + 1]);
    else if (key == "--level")
      options.level = std::atoi(argv[i + 1]) & 3;
    else if (key == "--minimise")
      options.minimise = std::atoi(argv[i + 1]);
    else if (key == "--arch")
      options.arch = argv[i + 1];
    else
      return std::fprintf(stderr,
                          "unknown option %s; known: --count --per-file --seed --arch --minimise --first --level\n",
                          argv[i]),
             2;
  }
  return hipvault::test::Campaign(options).run();
}
