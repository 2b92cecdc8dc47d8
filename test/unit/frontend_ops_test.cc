// Every op file of the library: what is printed reads back to the same, for each dtype, as syntax and as a program.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "frontend/hv.h"
#include "ir/verify.h"

namespace hipvault::frontend {
namespace {

std::string read(const std::string& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string standard() { return read(HIPVAULT_SOURCE_DIR "/ops/std.hv"); }

std::vector<std::string> op_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(HIPVAULT_SOURCE_DIR "/ops"))
    if (entry.path().extension() == ".hv") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

OpFileRef parse_or_fail(const std::string& text, const std::string& name) {
  Result<OpFileRef> file = parse_file(text, name, standard());
  if (file) return *file;
  ADD_FAILURE() << render(file.error());
  return nullptr;
}

// The n-th choice of dtypes: every variable takes its n-th dtype (or its last).
std::map<std::string, DType> choose(const OpFileRef& file, const std::string& op, size_t n, bool& any) {
  std::map<std::string, DType> types;
  auto variables = type_variables(file, op);
  any = n == 0;
  if (!variables) return types;
  for (const auto& [name, dtypes] : *variables) {
    types[name] = dtypes[std::min(n, dtypes.size() - 1)];
    any = any || n < dtypes.size();
  }
  return types;
}

void check_program(const ir::Program& program) {
  Status lawful = ir::verify(program);
  EXPECT_TRUE(lawful) << render(lawful.error());
  std::string text = ir::text(program);
  OpFileRef again = parse_or_fail(text, program.name + ".hv");
  if (!again) return;
  Result<ir::Program> second = instantiate(again, program.name, program.types, DType::f8e4m3fnuz);
  ASSERT_TRUE(second) << render(second.error()) << "\n" << text;
  EXPECT_EQ(ir::text(*second), text);
  EXPECT_EQ(second->cases.size(), program.cases.size());
  EXPECT_EQ(second->policy.nan_propagates, program.policy.nan_propagates) << text;
  EXPECT_EQ(second->policy.order_fixed, program.policy.order_fixed) << text;
  EXPECT_EQ(second->policy.accumulate, program.policy.accumulate) << text;
}

void check_normal_form(const ir::Program& program) {
  ir::Program normal = ir::normalise(program);
  Status lawful = ir::verify(normal);
  EXPECT_TRUE(lawful) << render(lawful.error()) << "\n" << ir::text(normal);
  for (const ir::Stage& stage : normal.stages) {
    if (!stage.value) continue;
    int reductions = 0;
    ir::visit(stage.value, [&](const ir::Expr& e) { reductions += e.op == ir::Op::reduce; });
    bool root = stage.kind == ir::Stage::Kind::map && stage.value->op == ir::Op::reduce;
    EXPECT_EQ(reductions, root ? 1 : 0) << stage.outputs[0].name << " of " << program.name;
  }
  EXPECT_EQ(ir::text(ir::normalise(normal)), ir::text(normal)) << "normalise is not idempotent";
  check_program(normal);
}

TEST(OpLibrary, PrintsAndReadsBack) {
  for (const std::string& path : op_files()) {
    OpFileRef file = parse_or_fail(read(path), path);
    if (!file) continue;
    std::string printed = text(file);
    OpFileRef again = parse_or_fail(printed, path);
    if (again) EXPECT_EQ(text(again), printed) << path;
  }
}

// What is printed means the same: the same type variables with all their dtypes, and for each choice the same program,
// policies included.
TEST(OpLibrary, PrintedFilesMeanTheSame) {
  for (const std::string& path : op_files()) {
    OpFileRef file = parse_or_fail(read(path), path);
    OpFileRef again = file ? parse_or_fail(text(file), path) : nullptr;
    if (!again) continue;
    ASSERT_EQ(op_names(again), op_names(file)) << path;
    for (const std::string& op : op_names(file)) {
      ASSERT_EQ(*type_variables(again, op), *type_variables(file, op)) << path << " " << op;
      bool any = true;
      for (size_t n = 0; any; ++n) {
        std::map<std::string, DType> types = choose(file, op, n, any);
        Result<ir::Program> first = instantiate(file, op, types, DType::f8e4m3fnuz);
        Result<ir::Program> second = instantiate(again, op, types, DType::f8e4m3fnuz);
        ASSERT_TRUE(first && second) << path << " " << op;
        EXPECT_EQ(ir::text(*first), ir::text(*second)) << path << " " << op;
        EXPECT_EQ(first->policy.nan_propagates, second->policy.nan_propagates) << op;
        EXPECT_EQ(first->policy.order_fixed, second->policy.order_fixed) << op;
        EXPECT_EQ(first->policy.accumulate, second->policy.accumulate) << op;
      }
    }
  }
}

TEST(OpLibrary, ProgramsPrintAndReadBack) {
  for (const std::string& path : op_files()) {
    OpFileRef file = parse_or_fail(read(path), path);
    if (!file) continue;
    for (const std::string& op : op_names(file)) {
      bool any = true;
      for (size_t n = 0; any; ++n) {
        std::map<std::string, DType> types = choose(file, op, n, any);
        if (!any) break;
        Result<ir::Program> program = instantiate(file, op, types, DType::f8e4m3fnuz);
        EXPECT_TRUE(program) << render(program.error());
        if (!program) break;
        check_program(*program);
        check_normal_form(*program);
      }
    }
  }
}

TEST(OpLibrary, CasesBind) {
  for (const std::string& path : op_files()) {
    OpFileRef file = parse_or_fail(read(path), path);
    if (!file) continue;
    for (const std::string& op : op_names(file)) {
      Result<ir::Program> program = instantiate(file, op, {}, DType::f8e4m3fnuz);
      if (!program) continue;
      for (const ir::Case& one : program->cases) {
        if (!one.open.empty()) continue;
        Result<Sizes> sizes = ir::bind_sizes(*program, one.sizes);
        EXPECT_TRUE(sizes) << op << " case " << one.name << ": " << render(sizes.error());
      }
    }
  }
}

}  // namespace
}  // namespace hipvault::frontend
