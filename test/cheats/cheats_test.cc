// Every HIP source in test/cheats/ is compiled, run on the simulated GPU and judged; its first line says what the judge
// must answer: `// expect: wrong_value wrong_nan` is met by either. Honest controls expect `pass`. Adding a cheat adds
// a file.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "support/hip_candidate.h"

namespace hipvault::test {
namespace {

const std::string kFolder = std::string(HIPVAULT_SOURCE_DIR) + "/test/cheats";

std::vector<std::string> cheat_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".hip") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> expected_outcomes(const std::string& source) {
  std::string line = source.substr(0, source.find('\n')), prefix = "// expect: ", word;
  std::vector<std::string> outcomes;
  std::istringstream words(line.rfind(prefix, 0) == 0 ? line.substr(prefix.size()) : "");
  while (words >> word) outcomes.push_back(word);
  return outcomes;
}

class HipCheat : public testing::TestWithParam<std::string> {
 protected:
  // One judge for all: the references are the same.
  static void SetUpTestSuite() {
    Result<Plan> plan = print::plan_in_source(text_of_file(kFolder + "/honest.hip"));
    ASSERT_TRUE(plan) << plan.error().message;
    std::string standard = text_of_file(std::string(HIPVAULT_SOURCE_DIR) + "/ops/std.hv");
    Result<frontend::OpFileRef> file = frontend::parse_file(text_of_file(kFolder + "/share.hv"), "share.hv", standard);
    ASSERT_TRUE(file) << render(file.error());
    Result<ir::Program> program = frontend::instantiate(*file, "share", {}, DType::f8e4m3fnuz);
    ASSERT_TRUE(program) << render(program.error());
    judge_ = std::make_unique<verify::Judge>(*program);
  }
  static void TearDownTestSuite() { judge_.reset(); }
  static std::unique_ptr<verify::Judge> judge_;
};
std::unique_ptr<verify::Judge> HipCheat::judge_;

TEST_P(HipCheat, GetsTheVerdictItDeserves) {
  std::string source = text_of_file(kFolder + "/" + GetParam() + ".hip");
  std::vector<std::string> expected = expected_outcomes(source);
  ASSERT_FALSE(expected.empty()) << "the first line must say `// expect: OUTCOME …`";
  Result<Plan> plan = print::plan_in_source(source);
  ASSERT_TRUE(plan) << plan.error().message;
  Result<std::unique_ptr<HipTrial>> trial = HipTrial::open("mi300x", "gfx942");
  ASSERT_TRUE(trial) << trial.error().message;
  Result<compile::CompileOutput> compiled = (*trial)->compile(source);
  ASSERT_TRUE(compiled) << compiled.error().message;
  ASSERT_TRUE(compiled->ok) << compiled->diagnostics;
  verify::JudgeOptions options;
  options.case_name = "llama";
  options.timed_sizes = {{"B", 1000}, {"N", 2048}};
  options.seed = 20261130;
  Result<Verdict> verdict = (*trial)->judge(*judge_, *plan, compiled->code_object, options);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_NE(std::find(expected.begin(), expected.end(), hipvault::name(verdict->outcome)), expected.end())
      << hipvault::name(verdict->outcome) << ": " << verdict->message;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, HipCheat, testing::ValuesIn(cheat_names()),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

}  // namespace
}  // namespace hipvault::test
