// `hipvault check`: faulty programs are found with place, both sides and exit code 73, good ones end as they end.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/commands.h"
#include "support/hip_program.h"

namespace hipvault::cli {
namespace {

using namespace hipvault::test;

struct Checked {
  int code = -1;
  std::string text;
  Json report;
};

Checked check(const std::string& name) {
  fs::path program = work_folder() / name, json = work_folder() / (name + ".json");
  SubprocessResult compiled =
      compile({"-std=c++17", (kPrograms / (name + ".hip")).string(), "-o", program.string()}, {"gfx942"});
  EXPECT_EQ(compiled.code, 0) << compiled.errors;
  std::ostringstream out, err;
  Io io{out, err, false, &real_file_system()};
  Checked checked;
  checked.code = run_cli({"check", "--json", json.string(), "--threads", "2", program.string()}, io);
  checked.text = err.str();
  checked.report = Json::parse(read(json), nullptr, false);
  return checked;
}

bool says(const Checked& checked, const std::string& text) { return checked.text.find(text) != std::string::npos; }

TEST(Check, FindingsOfAFaultyProgram) {
  Checked checked = check("faulty");
  EXPECT_EQ(checked.code, 73) << checked.text;
  EXPECT_TRUE(says(checked, "out-of-bounds: ")) << checked.text;
  EXPECT_TRUE(says(checked, "in past_the_end") || says(checked, "past_the_end")) << checked.text;
  EXPECT_TRUE(says(checked, " at faulty.hip:4, instruction `global_store_dword")) << checked.text;
  EXPECT_TRUE(says(checked, "group (0, 0, 0), wave 0, lanes 0x")) << checked.text;
  EXPECT_TRUE(says(checked, "uninitialised-read: ")) << checked.text;
  // Two buffers of 256 bytes are never freed.
  EXPECT_TRUE(says(checked, "hipvault check: 4 findings")) << checked.text;
  EXPECT_EQ(checked.report["findings"].size(), 4u);
}

TEST(Check, MissingWaitsAndHazardsNameBothSides) {
  Checked checked = check("hand_written");
  EXPECT_EQ(checked.code, 73) << checked.text;
  EXPECT_TRUE(says(checked, "missing-wait: ")) << checked.text;
  EXPECT_TRUE(says(checked, "s_waitcnt vmcnt(0) is missing")) << checked.text;
  EXPECT_TRUE(says(checked, "the other side is `global_load_dword")) << checked.text;
  EXPECT_TRUE(says(checked, "other side: hand_written.hip:6")) << checked.text;
  EXPECT_TRUE(says(checked, "hazard: ")) << checked.text;
  EXPECT_TRUE(says(checked, "hipvault check: 2 findings")) << checked.text;
}

TEST(Check, LeaksAreFindings) {
  Checked checked = check("leaking");
  EXPECT_EQ(checked.code, 73) << checked.text;
  EXPECT_TRUE(says(checked, "leak: 256 bytes at ")) << checked.text;
  EXPECT_TRUE(says(checked, "hipMalloc #")) << checked.text;
  EXPECT_TRUE(says(checked, "hipHostMalloc #")) << checked.text;
  EXPECT_TRUE(says(checked, "hipvault check: 2 findings")) << checked.text;
}

TEST(Check, AGoodProgramIsSilentAndKeepsItsCode) {
  Checked checked = check("vector_add");
  EXPECT_EQ(checked.code, 0) << checked.text;
  EXPECT_EQ(checked.text, "hipvault check: 0 findings\n");
  EXPECT_EQ(checked.report["findings"], Json::array());
}

TEST(Check, OurOwnCodes) {
  std::ostringstream out, err;
  Io io{out, err, false, &real_file_system()};
  EXPECT_EQ(run_cli({"check"}, io), 2);
  EXPECT_EQ(run_cli({"check", "--gpu", "mi1", "./prog"}, io), 72);
  find_pieces();
  EXPECT_EQ(run_cli({"check", "/nonexistent/program"}, io), 70);
}

}  // namespace
}  // namespace hipvault::cli
