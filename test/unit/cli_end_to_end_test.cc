// The whole path, as a user runs it: optimize a small op, look into the vault, replay an attempt, verify the kernel
// that came out, and refuse one that was tampered with. A handful of trials; the simulator and the compiler are the
// real ones.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "cli/commands.h"

namespace hipvault::cli {
namespace {

class CliEndToEnd : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = ::testing::TempDir() + "/end_to_end_" + std::to_string(::getpid());
    std::filesystem::remove_all(folder());
    std::filesystem::create_directories(folder());
    optimized() = run({"optimize", op(), "--case", "small", "--gpu", "mi300x", "--budget", "6trials", "--seed", "7",
                       "--json", "--out", folder() + "/out"});
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder()); }

  struct Ran {
    int code = -1;
    Json json;
    std::string text;
  };
  static std::string& folder() {
    static std::string path;
    return path;
  }
  static Ran& optimized() {
    static Ran ran;
    return ran;
  }
  static std::string op() { return std::string(HIPVAULT_SOURCE_DIR) + "/ops/softmax.hv"; }
  static Ran run(Arguments arguments) {
    std::ostringstream out, err;
    Io io{out, err, false, &real_file_system()};
    arguments.insert(arguments.end(), {"--vault", folder() + "/vault.db"});
    if (arguments[0] == "optimize" || arguments[0] == "verify")
      arguments.insert(arguments.end(), {"--cache", folder() + "/cache"});
    int code = run_cli(arguments, io);
    return {code, Json::parse(out.str(), nullptr, false), out.str() + err.str()};
  }
};

TEST_F(CliEndToEnd, OptimizeGivesAJudgedKernelWithItsReport) {
  const Ran& ran = optimized();
  ASSERT_EQ(ran.code, kPass) << ran.text;
  EXPECT_EQ(ran.json["verdict"], "pass");
  EXPECT_EQ(ran.json["device"], "sim");
  EXPECT_EQ(ran.json["trials"]["proposed"], 6);
  EXPECT_GT(ran.json["time_us"].get<double>(), 0);
  EXPECT_LE(ran.json["roofline_fraction"].get<double>(), 1);
  EXPECT_EQ(ran.json["baseline"]["kind"], "default_schedule");
  for (const char* name : {"kernel.hip", "kernel.hsaco", "schedule.txt", "plan.json", "report.json", "report.html"})
    EXPECT_TRUE(std::filesystem::file_size(folder() + "/out/" + name) > 0) << name;
}

TEST_F(CliEndToEnd, EveryAttemptReplays) {
  ASSERT_EQ(optimized().code, kPass);
  Ran list = run({"vault", "ls", "--json"});
  ASSERT_EQ(list.code, kPass) << list.text;
  EXPECT_GE(list.json["attempts"].size(), 6u);
  int replayed = 0;
  for (const Json& attempt : list.json["attempts"]) {
    if (attempt["reached"] != "timed" || replayed == 2) continue;
    Ran ran = run({"vault", "replay", std::to_string(attempt["id"].get<int64_t>()), "--json", "--cache", ""});
    EXPECT_EQ(ran.code, kPass) << ran.text;
    EXPECT_EQ(ran.json["same_source"], true) << ran.text;
    EXPECT_EQ(ran.json["same_code_object"], true) << ran.text;
    EXPECT_EQ(ran.json["same_verdict"], true) << ran.text;
    ++replayed;
  }
  EXPECT_EQ(replayed, 2);
}

TEST_F(CliEndToEnd, ItsOwnKernelPassesAsAForeignOneAndATamperedOneDoesNot) {
  ASSERT_EQ(optimized().code, kPass);
  Ran own = run({"verify", folder() + "/out/kernel.hip", "--op", op(), "--case", "small", "--quick", "--json"});
  EXPECT_EQ(own.code, kPass) << own.text;
  EXPECT_EQ(own.json["verdict"], "pass");
  EXPECT_EQ(own.json["verdict_depth"], "quick");
  Ran kept = run({"vault", "ls", "--agent", "verify", "--json"});
  ASSERT_EQ(kept.json["attempts"].size(), 1u) << kept.text;
  EXPECT_EQ(kept.json["attempts"][0]["id"], own.json["attempt"]);
  EXPECT_EQ(kept.json["attempts"][0]["kind"], "verify");
  EXPECT_EQ(kept.json["attempts"][0]["verdict_depth"], "quick");
  Ran table = run({"vault", "ls", "--agent", "verify"});
  EXPECT_NE(table.text.find("pass (quick)"), std::string::npos) << table.text;
  Ran again = run({"vault", "replay", std::to_string(own.json["attempt"].get<int64_t>()), "--json", "--cache", ""});
  EXPECT_EQ(again.code, kBadInput) << again.text;
  EXPECT_EQ(again.json["error"]["code"], "vault.foreign");
  std::ostringstream out, err;
  Io io{out, err, false, &real_file_system()};
  ASSERT_EQ(run_cli({"new-kernel", op(), "--out", folder() + "/template.hip"}, io), kPass) << err.str();
  Ran wrong = run({"verify", folder() + "/template.hip", "--op", op(), "--quick", "--json"});
  EXPECT_EQ(wrong.code, kNotPass) << wrong.text;
  EXPECT_EQ(wrong.json["verdict"], "not_written");
  EXPECT_FALSE(wrong.json["cases"].empty());
}

TEST_F(CliEndToEnd, CompilerErrorsNameTheUsersFile) {
  std::ostringstream out, err;
  Io io{out, err, false, &real_file_system()};
  std::string path = folder() + "/mine.hip";
  ASSERT_EQ(run_cli({"new-kernel", op(), "--out", path}, io), kPass) << err.str();
  Result<std::string> source = real_file_system().read(path);
  ASSERT_TRUE(source && real_file_system().write(path, *source + "\nint broken = nonsense;\n"));
  Ran ran = run({"verify", path, "--op", op(), "--quick", "--json"});
  EXPECT_EQ(ran.code, kNotPass) << ran.text;
  EXPECT_EQ(ran.json["verdict"], "compile_failed") << ran.text;
  EXPECT_NE(ran.text.find("mine.hip:"), std::string::npos) << ran.text;
  EXPECT_EQ(ran.text.find("kernel.hip"), std::string::npos) << ran.text;
}

TEST_F(CliEndToEnd, KernelWithoutAPlanIsBadInput) {
  ASSERT_TRUE(real_file_system().write(folder() + "/bare.hip", "extern \"C\" void f() {}\n"));
  Ran ran = run({"verify", folder() + "/bare.hip", "--op", op(), "--json"});
  EXPECT_EQ(ran.code, kBadInput);
  EXPECT_NE(ran.json["error"]["hint"].get<std::string>().find("new-kernel"), std::string::npos) << ran.text;
}

}  // namespace
}  // namespace hipvault::cli
