#pragma once
// From what a user types (an op file, a case, sizes, a gpu) to a task: the op with concrete dtypes, all sizes, the gpu.
//
//   load_task({.op = "ops/softmax.hv", .case_name = "llama", .gpu = "mi300x"}, real_file_system())

#include <map>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/result.h"
#include "frontend/hv.h"
#include "schedule/schedule.h"
#include "verify/cases.h"

namespace hipvault::engine {

struct TaskRequest {
  std::string op{};                    // "ops/softmax.hv", "ops/softmax.hv:log_softmax", "softmax" (looked up in ops/)
  std::string case_name{};             // "": the op's first case, unless sizes are given
  std::vector<std::string> defines{};  // "N=1024", "T=bf16", "scale=0.5"
  std::string gpu = "mi300x";
  // Dtypes of tensors as a kernel's plan has them, by name: where neither the case asked for nor a define says what a
  // type variable is, it is what makes the op's tensors these.
  std::map<std::string, DType> tensor_dtypes{};
};

struct LoadedTask {
  schedule::Task task;
  std::string op_file, op_text, standard;  // as read
  std::string op_name, case_name;
  verify::SizedCase timed;  // the sizes, scalars and strides to be fast at

  std::map<std::string, std::string> types() const;  // type variable -> dtype
};

Result<LoadedTask> load_task(const TaskRequest& request, FileSystem& files);

// The same from texts, as the vault keeps them. `op`: the op's name in the file.
Result<LoadedTask> load_task_from_text(const std::string& op_text, const std::string& op_file,
                                       const std::string& standard, const std::string& op, const TaskRequest& request);

// The op library: ./ops, or the one beside the program's build folder. "" if neither is there.
std::string library_folder(FileSystem& files);

struct OpEntry {
  std::string name, file;
  std::vector<std::string> cases;
  std::string problem;  // why the file does not parse; then `name` is empty
};
std::vector<OpEntry> list_ops(FileSystem& files);

}  // namespace hipvault::engine
