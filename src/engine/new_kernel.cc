// The template of `hipvault new-kernel OP`. It compiles and runs as it is, and fails the judgement, because it writes
// nothing: what is left to do is the mathematics.

#include <fmt/format.h>

#include "engine/foreign.h"

namespace hipvault::engine {
namespace {

const char* storage_type(DType dtype) {
  switch (info(dtype).bits) {
    case 64:
      return dtype == DType::f64 ? "double" : "long";
    case 32:
      return dtype == DType::f32 ? "float" : "int";
    case 16:
      return dtype == DType::f16 ? "_Float16" : dtype == DType::bf16 ? "__bf16" : "short";
    default:
      return "unsigned char";
  }
}

Plan template_plan(const LoadedTask& task) {
  const ir::Program& program = task.task.program;
  Plan plan;
  plan.op = program.name;
  plan.arch = task.task.gpu.arch;
  for (const ir::Tensor& tensor : program.tensors)
    plan.buffers.push_back({tensor.name, tensor.dtype, tensor.role, tensor.shape});
  for (const ir::Dim& dim : program.dims)
    if (dim.free) plan.sizes.push_back(dim.name);
  for (const ir::IntParam& param : program.int_params) plan.sizes.push_back(param.name);
  for (const ir::ScalarParam& param : program.scalar_params) plan.scalars.push_back({param.name, DType::f64});
  Launch launch;
  launch.kernel = program.name + "_kernel";
  IntExpr elements(1);
  for (const IntExpr& axis : program.results().front()->shape) elements = elements * axis;
  launch.grid[0] = cdiv(elements, IntExpr(256));
  for (const BufferSpec& buffer : plan.buffers)
    launch.args.push_back({KernelArg::Kind::buffer, buffer.name, IntExpr(), DType::i32});
  for (const std::string& size : plan.sizes)
    launch.args.push_back({KernelArg::Kind::integer, size, IntExpr::name(size), DType::i64});
  for (const BufferSpec& buffer : plan.buffers) {
    for (size_t axis = 0; axis < buffer.shape.size(); ++axis) {
      std::string name = fmt::format("{}.stride.{}", buffer.name, axis);
      launch.args.push_back({KernelArg::Kind::integer, name, IntExpr::name(name), DType::i64});
    }
  }
  for (const ScalarSpec& scalar : plan.scalars)
    launch.args.push_back({KernelArg::Kind::scalar, scalar.name, IntExpr(), DType::f32});
  Variant variant;
  variant.name = "all";
  variant.launches.push_back(std::move(launch));
  plan.variants.push_back(std::move(variant));
  return plan;
}

std::string argument_text(const KernelArg& arg, const Plan& plan) {
  if (arg.kind == KernelArg::Kind::buffer) {
    for (const BufferSpec& buffer : plan.buffers) {
      if (buffer.name == arg.name)
        return fmt::format("{}{}* {}", buffer.role == Role::input ? "const " : "", storage_type(buffer.dtype),
                           arg.name);
    }
  }
  std::string name = arg.name;
  for (char& c : name)
    if (c == '.') c = '_';
  return (arg.kind == KernelArg::Kind::scalar ? "float " : "long ") + name;
}

std::string commented(const std::string& text) {
  std::string result = "// ";
  for (char c : text) {
    result += c;
    if (c == '\n') result += "// ";
  }
  while (!result.empty() && (result.back() == ' ' || result.back() == '/' || result.back() == '\n')) result.pop_back();
  return result + "\n";
}

}  // namespace

Result<std::string> new_kernel(const LoadedTask& task) {
  Plan plan = template_plan(task);
  const Launch& launch = plan.variants[0].launches[0];
  std::string arguments;
  for (const KernelArg& arg : launch.args) arguments += (arguments.empty() ? "" : ",\n    ") + argument_text(arg, plan);
  std::string elements;
  for (const IntExpr& axis : task.task.program.results().front()->shape)
    elements += (elements.empty() ? "(" : " * (") + axis.text() + ")";
  std::string text = commented("A kernel for this op, to be written:\n\n" + ir::text(task.task.program));
  text +=
      "//\n// The plan says how it is launched: grid, block and arguments, as expressions of sizes and strides (in "
      "elements). Change it\n"
      "// together with the kernel. Judge it:  hipvault verify FILE.hip --op " +
      task.op_file + "\n";
  text += "//\n// hv-plan: " + to_json(plan).dump() + "\n\n";
  text +=
      "#if defined(HIPVAULT_DEVICE_ONLY)\n#define __global__ __attribute__((global))\n#else\n#include "
      "<hip/hip_runtime.h>\n#endif\n\n";
  text += "extern \"C\" __global__ void " + launch.kernel + "(\n    " + arguments + ") {\n";
  text += "  long i = 256L * __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_workitem_id_x();\n";
  text += fmt::format("  if (i >= {}) return;\n", elements.empty() ? "1" : elements);
  text += "  // Compute element i of " + task.task.program.results().front()->name + " here.\n}\n";
  return text;
}

}  // namespace hipvault::engine
