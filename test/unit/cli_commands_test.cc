// The command line as a user or a script meets it: exit codes, one JSON object, suggestions for mistyped words.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <streambuf>

#include "cli/commands.h"
#include "cli/progress.h"

namespace hipvault::cli {
namespace {

struct Ran {
  int code = 0;
  std::string out, err;
};

Ran run(const Arguments& arguments) {
  std::ostringstream out, err;
  Io io{out, err, false, &real_file_system()};
  int code = run_cli(arguments, io);
  return {code, out.str(), err.str()};
}

std::string source_file(const std::string& name) { return std::string(HIPVAULT_SOURCE_DIR) + "/" + name; }

TEST(CliCommands, UnknownCommandSuggestsTheNearest) {
  Ran ran = run({"optimise"});
  EXPECT_EQ(ran.code, kBadInput);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("did you mean \"optimize\"?"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("verify"), std::string::npos);  // and the known ones
}

TEST(CliCommands, HelpNamesEveryCommandAndEachHasOptions) {
  Ran all = run({"help"});
  EXPECT_EQ(all.code, kPass);
  for (const Command& command : all_commands()) {
    EXPECT_NE(all.out.find(command.name), std::string::npos) << command.name;
    if (std::string(command.name) == "help") continue;
    Ran one = run({command.name, "--help"});
    EXPECT_EQ(one.code, kPass) << command.name;
    EXPECT_FALSE(one.out.empty()) << command.name;
  }
}

TEST(CliCommands, JsonIsOneObjectAlsoForErrors) {
  for (const Arguments& arguments : std::vector<Arguments>{{"gpus", "--json"},
                                                           {"version", "--json"},
                                                           {"help", "--json"},
                                                           {"nonsense", "--json"},
                                                           {"optimize", "--json"},
                                                           {"optimize", "no_such_op", "--json"},
                                                           {"optimize", "softmax", "--budget", "soon", "--json"},
                                                           {"vault", "ls", "--vault", "/nonexistent/v.db", "--json"},
                                                           {"vault", "--json"}}) {
    Ran ran = run(arguments);
    Json json = Json::parse(ran.out, nullptr, false);
    EXPECT_TRUE(json.is_object()) << ran.out;
    EXPECT_EQ(json.contains("error"), ran.code != kPass) << ran.out;
    EXPECT_EQ(ran.err, "") << ran.err;
  }
}

// A stream whose disk is full.
class FullDisk : public std::streambuf {
 protected:
  int overflow(int) override { return traits_type::eof(); }
};

TEST(CliCommands, AFullStdoutIsNoticed) {
  for (const Arguments& arguments : std::vector<Arguments>{{"gpus"}, {"gpus", "--json"}, {"help"}}) {
    FullDisk disk;
    std::ostream out(&disk);
    std::ostringstream err;
    Io io{out, err, false, &real_file_system()};
    EXPECT_EQ(run_cli(arguments, io), kBadInput);
    EXPECT_NE(err.str().find("stdout"), std::string::npos) << err.str();
  }
}

TEST(CliCommands, DevicesAndFoldersAreNotRead) {
  for (const char* path : {"/dev/zero", "/dev"}) {
    Ran ran = run({"show", path});
    EXPECT_EQ(ran.code, kBadInput) << path;
    EXPECT_NE(ran.err.find(path), std::string::npos) << ran.err;
  }
}

TEST(CliCommands, BadUsageIsTwoAndSaysWhatToDo) {
  Ran budget = run({"optimize", source_file("ops/softmax.hv"), "--budget", "60parsecs"});
  EXPECT_EQ(budget.code, kBadInput);
  EXPECT_NE(budget.err.find("200trials"), std::string::npos) << budget.err;
  Ran option = run({"optimize", source_file("ops/softmax.hv"), "--fast"});
  EXPECT_EQ(option.code, kBadInput);
  EXPECT_NE(option.err.find("--fast"), std::string::npos) << option.err;
  Ran fix = run({"optimize", source_file("ops/softmax.hv"), "--fix", "waves"});
  EXPECT_EQ(fix.code, kBadInput);
  EXPECT_NE(fix.err.find("NAME=VALUE"), std::string::npos) << fix.err;
}

TEST(CliCommands, UnknownCaseGpuAndSizeListTheKnownOnes) {
  std::string op = source_file("ops/softmax.hv:softmax");
  Ran gpu = run({"show", op, "--gpu", "mi300"});
  EXPECT_EQ(gpu.code, kBadInput);
  EXPECT_NE(gpu.err.find("mi300x"), std::string::npos) << gpu.err;
  Ran named = run({"show", op, "--case", "lama"});
  EXPECT_EQ(named.code, kBadInput);
  EXPECT_NE(named.err.find("did you mean \"llama\"?"), std::string::npos) << named.err;
  EXPECT_NE(named.err.find("batch1"), std::string::npos) << named.err;
  Ran size = run({"show", op, "-D", "M=4"});
  EXPECT_EQ(size.code, kBadInput);
  EXPECT_NE(size.err.find("known: B, N"), std::string::npos) << size.err;
  Ran dtype = run({"show", op, "-D", "T=f64"});
  EXPECT_EQ(dtype.code, kBadInput);
  EXPECT_NE(dtype.err.find("bf16"), std::string::npos) << dtype.err;
}

TEST(CliCommands, SyntaxErrorShowsTheLineAndACaret) {
  std::string path = ::testing::TempDir() + "/broken_" + std::to_string(::getpid()) + ".hv";
  ASSERT_TRUE(real_file_system().write(path, "op broken(x: f32[N]) -> y: f32[N]\n  y = x + * 2\n"));
  Ran ran = run({"show", path});
  EXPECT_EQ(ran.code, kBadInput);
  EXPECT_NE(ran.err.find(":2:11: error:"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("\n            ^"), std::string::npos) << ran.err;
}

TEST(CliCommands, NewKernelHasThePlanInItsSourceAndIsNotOverwritten) {
  std::string path = ::testing::TempDir() + "/template_" + std::to_string(::getpid()) + ".hip";
  std::filesystem::remove(path);
  Ran first = run({"new-kernel", source_file("ops/softmax.hv:softmax"), "--out", path});
  EXPECT_EQ(first.code, kPass) << first.err;
  Result<std::string> text = real_file_system().read(path);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("// hv-plan: {"), std::string::npos);
  EXPECT_NE(text->find("__global__ void softmax_kernel("), std::string::npos);
  EXPECT_EQ(run({"new-kernel", source_file("ops/softmax.hv:softmax"), "--out", path}).code, kBadInput);
}

TEST(CliProgress, PlainLinesOnlyForWhatIsNew) {
  std::ostringstream out, err;
  Io io{out, err, false, nullptr};
  ProgressLine line(io, {.seconds = 60.0, .trials = {}});
  search::Progress progress;
  progress.phase = "search";
  progress.seconds = 1;
  progress.best_us = 12.5;
  progress.new_best = true;
  line.show(progress);
  progress.new_best = false;
  for (int i = 0; i < 5; ++i) line.show(progress);
  std::string text = err.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_NE(text.find("12.50 us"), std::string::npos) << text;
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace hipvault::cli
