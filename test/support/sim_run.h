#pragma once
// Running one kernel on the simulator from a test, in a line:
//
//   SimRun run(code, "vadd");
//   run.input(a).input(b).output<float>(n).value(n).launch(groups, block);
//   EXPECT_EQ(run.values<float>(2)[5], …);

#include <cstring>
#include <vector>

#include "sim/simulator.h"
#include "target/target.h"

namespace hipvault::test {

class SimRun {
 public:
  SimRun(std::string code_object, std::string kernel, const std::string& gpu = "mi300x") {
    request_.gpu = gpu;
    request_.code_objects = {std::move(code_object)};
    launch_.kernel = std::move(kernel);
  }
  template <class T>
  SimRun& buffer(const T* data, size_t count, bool writable, bool initialised) {
    BufferRequest b;
    b.name = "buffer " + std::to_string(request_.buffers.size());
    b.data.assign(reinterpret_cast<const char*>(data), count * sizeof(T));
    b.valid_end = static_cast<int64_t>(b.data.size());
    b.writable = writable, b.initialised = initialised, b.read_back = writable;
    ResolvedArg arg;
    arg.kind = KernelArg::Kind::buffer;
    arg.index = static_cast<int>(request_.buffers.size());
    launch_.args.push_back(arg);
    request_.buffers.push_back(std::move(b));
    return *this;
  }
  template <class T>
  SimRun& input(const std::vector<T>& data) {
    return buffer(data.data(), data.size(), false, true);
  }
  template <class T>
  SimRun& inout(const std::vector<T>& data) {
    return buffer(data.data(), data.size(), true, true);
  }
  template <class T>
  SimRun& output(size_t count) {
    std::vector<T> poison(count);
    std::memset(static_cast<void*>(poison.data()), 0xa5, count * sizeof(T));
    return buffer(poison.data(), count, true, false);
  }
  SimRun& value(int64_t value, DType dtype = DType::i32) {
    ResolvedArg arg;
    arg.kind = KernelArg::Kind::integer;
    arg.value = value, arg.dtype = dtype;
    launch_.args.push_back(arg);
    return *this;
  }
  SimRun& workspace(int64_t bytes) {
    request_.plan.workspace_bytes = bytes;
    ResolvedArg arg;
    arg.kind = KernelArg::Kind::workspace;
    launch_.args.push_back(arg);
    return *this;
  }
  RunRequest& request() { return request_; }
  const Run& launch(int64_t groups, int64_t block, int64_t dynamic_lds = 0) {
    return launch(std::array<int64_t, 3>{groups, 1, 1}, block, dynamic_lds);
  }
  const Run& launch(std::array<int64_t, 3> grid, int64_t block, int64_t dynamic_lds = 0) {
    launch_.grid = grid;
    launch_.block = block, launch_.dynamic_lds = dynamic_lds;
    request_.plan.launches = {launch_};
    result_ = sim::run(request_, *target::find_gpu(request_.gpu));
    return result_.run;
  }
  const RunResult& result() const { return result_; }
  template <class T>
  std::vector<T> values(size_t buffer) const {
    const std::string& bytes = result_.buffers.at(buffer);
    std::vector<T> out(bytes.size() / sizeof(T));
    std::memcpy(static_cast<void*>(out.data()), bytes.data(), out.size() * sizeof(T));
    return out;
  }

 private:
  RunRequest request_;
  ResolvedLaunch launch_;
  RunResult result_;
};

// "completed", or why not, with all findings: what a failed expectation should show.
inline std::string summary(const Run& run) {
  std::string text = name(run.status);
  if (!run.message.empty()) text += ": " + run.message;
  for (const Finding& f : run.findings)
    text +=
        "\n  " + f.kind + " " + f.source + " `" + f.instruction + "` x" + std::to_string(f.count) + ": " + f.message;
  return text;
}

}  // namespace hipvault::test
