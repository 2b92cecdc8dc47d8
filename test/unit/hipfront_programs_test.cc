// Whole HIP programs: each of test/programs compiles with `hipvault cc`'s command line and runs on the simulated GPU as
// a process of its own. The programs check themselves; `// expect:` lines must stand in their output, `// findings:`
// kinds in the report.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/json.h"
#include "hipfront/bundle.h"
#include "support/hip_program.h"

namespace hipvault::hipfront {
namespace {

using namespace hipvault::test;

std::vector<std::string> marked(const std::string& source, const std::string& mark) {
  std::vector<std::string> found;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(mark)) found.push_back(line.substr(mark.size()));
  return found;
}

const char* const kArch = "gfx942";

class Programs : public testing::TestWithParam<std::string> {};

TEST_P(Programs, Passes) {
  std::string name = GetParam();
  fs::path source = kPrograms / (name + ".hip"), program = work_folder() / name;
  SubprocessResult compiled = compile({"-std=c++17", source.string(), "-o", program.string()}, {kArch});
  ASSERT_EQ(compiled.code, 0) << compiled.errors;
  SubprocessResult ran = run_program(program, "mi300x");
  EXPECT_EQ(ran.end, SubprocessEnd::exited);
  EXPECT_EQ(ran.code, 0) << ran.output << ran.errors;
  std::string text = read(source);
  for (const std::string& line : marked(text, "// expect: "))
    EXPECT_NE(ran.output.find(line), std::string::npos) << line << "\nis missing in\n" << ran.output;
  std::vector<std::string> findings = marked(text, "// findings: ");
  if (findings.empty()) {
    EXPECT_EQ(ran.errors.find(" in _Z"), std::string::npos) << ran.errors;
  } else {
    std::istringstream kinds(findings[0]);
    for (std::string kind; kinds >> kind;)
      EXPECT_NE(ran.errors.find(kind + " in "), std::string::npos) << kind << "\nis missing in\n" << ran.errors;
  }
}

std::vector<std::string> program_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kPrograms))
    if (entry.path().extension() == ".hip" && entry.path().stem() != "module") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, Programs, testing::ValuesIn(program_names()),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

TEST(Modules, PlainCodeObjectsBundlesAndCompressedBundlesLoad) {
  std::string source = (kPrograms / "module.hip").string();
  fs::path program = work_folder() / "module";
  // Code for two archs in one program: the one of the gpu is taken.
  SubprocessResult compiled = compile({source, "-o", program.string()}, {"gfx90a", kArch});
  ASSERT_EQ(compiled.code, 0) << compiled.errors;
  struct Form {
    const char* name;
    std::vector<std::string> options;
  };
  for (const Form& form :
       {Form{"plain.hsaco", {"--offload-device-only", "--no-gpu-bundle-output"}},
        Form{"bundle.hipfb", {"--offload-device-only", "--gpu-bundle-output"}},
        Form{"packed.hipfb", {"--offload-device-only", "--gpu-bundle-output", "--offload-compress"}}}) {
    fs::path module = work_folder() / form.name;
    std::vector<std::string> arguments = form.options;
    arguments.insert(arguments.end(), {source, "-o", module.string()});
    SubprocessResult made = compile(arguments, {kArch});
    ASSERT_EQ(made.code, 0) << form.name << made.errors;
    SubprocessResult ran = run_program(program, "mi300x", {module.string()});
    EXPECT_EQ(ran.code, 0) << form.name << "\n" << ran.output << ran.errors;
  }
}

TEST(Run, AProgramForAnotherArchIsToldWhich) {
  fs::path program = work_folder() / "for_mi300x";
  SubprocessResult compiled = compile({(kPrograms / "vector_add.hip").string(), "-o", program.string()}, {kArch});
  ASSERT_EQ(compiled.code, 0) << compiled.errors;
  SubprocessResult ran = run_program(program, "mi250x");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.errors.find("no code for gfx90a; it has code for gfx942"), std::string::npos) << ran.errors;
  EXPECT_NE(ran.output.find("hipErrorNoBinaryForGpu"), std::string::npos) << ran.output;
}

// One wave of 64 adds: the counts can be made by hand.
TEST(Run, JsonHasTimeCountsAndFindings) {
  fs::path program = work_folder() / "faulty_json", json = work_folder() / "faulty.json";
  SubprocessResult compiled = compile({(kPrograms / "faulty.hip").string(), "-o", program.string()}, {kArch});
  ASSERT_EQ(compiled.code, 0) << compiled.errors;
  run_program(program, "mi300x", {}, json.string());
  Result<Json> report = parse_json(read(json), "report");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ((*report)["gpu"], "mi300x");
  EXPECT_EQ((*report)["launches"], 2);
  EXPECT_GT((*report)["device_us"].get<double>(), 0);
  EXPECT_GT((*report)["wave_instructions"].get<int64_t>(), 4);
  EXPECT_EQ((*report)["kernels"].size(), 2u);
  ASSERT_EQ((*report)["findings"].size(), 2u);
  EXPECT_EQ((*report)["findings"][0]["source"], "faulty.hip:4");
}

// The waves of an RDNA gpu have 32 lanes; the same sources hold.
TEST(Run, OtherGpusRunTheSamePrograms) {
  struct Case {
    const char* gpu;
    const char* arch;
  };
  for (const Case& c : {Case{"mi250x", "gfx90a"}, Case{"mi355x", "gfx950"}, Case{"r9700", "gfx1201"}})
    for (const char* name : {"vector_add", "reduction", "transpose", "print"}) {
      fs::path program = work_folder() / (std::string(name) + c.gpu);
      std::string source = (kPrograms / (std::string(name) + ".hip")).string();
      SubprocessResult compiled = compile({"-std=c++17", source, "-o", program.string()}, {c.arch});
      ASSERT_EQ(compiled.code, 0) << compiled.errors;
      SubprocessResult ran = run_program(program, c.gpu);
      EXPECT_EQ(ran.code, 0) << name << " on " << c.gpu << "\n" << ran.output << ran.errors;
    }
}

TEST(Bundle, MalformedBytesAreTypedErrors) {
  auto code = [](std::string_view bytes) {
    Result<std::string> object = code_object_for(bytes, kArch);
    return object ? std::string() : object.error().code;
  };
  std::string magic = "__CLANG_OFFLOAD_BUNDLE__";
  auto word = [](uint64_t n) { return std::string(reinterpret_cast<const char*>(&n), 8); };
  EXPECT_EQ(code(""), "fat.format");
  EXPECT_EQ(code("hello"), "fat.format");
  EXPECT_EQ(code(magic + word(1'000'000)), "fat.format");
  EXPECT_EQ(code(magic + word(1) + word(0) + word(8)), "fat.format");
  EXPECT_EQ(code(magic + word(1) + word(~0ull) + word(8) + word(4) + "hip-"), "fat.format");
  EXPECT_EQ(code("CCOB" + std::string(40, '\1')), "fat.format");
  std::string other = "hipv4-amdgcn-amd-amdhsa--gfx90a";
  EXPECT_EQ(code(magic + word(1) + word(0) + word(4) + word(other.size()) + other), "fat.arch");
  std::string mine = "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-";
  Result<std::string> found = code_object_for(magic + word(1) + word(0) + word(5) + word(mine.size()) + mine, kArch);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, "__CLA");
}

}  // namespace
}  // namespace hipvault::hipfront
