// The command line as a user or a script meets it: exit codes, one JSON object, suggestions for mistyped words.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <streambuf>

#include "cli/commands.h"
#include "cli/progress.h"
#include "corpus/vault.h"

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

// Every subcommand against every kind of mistake that it can meet: one object with the error on stdout, exit code 2.
TEST(CliCommands, EveryCommandTellsEveryMistakeAsOneObject) {
  std::string base = ::testing::TempDir() + "/mistakes_" + std::to_string(::getpid());
  std::filesystem::create_directories(base);
  ASSERT_TRUE(real_file_system().write(base + "/broken.hv", "op broken(x: f32[N]) -> y: f32[N]\n  y = x + * 2\n"));
  ASSERT_TRUE(real_file_system().write(base + "/k.hip", "extern \"C\" void f() {}\n"));
  ASSERT_TRUE(real_file_system().write(base + "/torn.db", std::string(4096, 'x')));
  std::string op = source_file("ops/softmax.hv:softmax"), file = base + "/k.hip";
  struct Mistake {
    const char* what;
    std::string op;
    Arguments more;
  };
  const Mistake mistakes[] = {
      {"unknown file", base + "/none.hv", {}},
      {"unknown op", "sofftmax", {}},
      {"unknown op of a file", source_file("ops/softmax.hv:sofmax"), {}},
      {"syntax", base + "/broken.hv", {}},
      {"unknown case", op, {"--case", "lama"}},
      {"unknown gpu", op, {"--gpu", "mi301"}},
      {"no number", op, {"-D", "N=many"}},
      {"unknown size", op, {"-D", "Q=4"}},
      {"huge size", op, {"-D", "N=99999999999999999999"}},
      {"unknown dtype", op, {"-D", "T=f63"}},
      {"unknown option", op, {"--no-such-option"}},
  };
  auto check = [](Arguments arguments, const std::string& what) {
    arguments.push_back("--json");
    Ran ran = run(arguments);
    Json json = Json::parse(ran.out, nullptr, false);
    EXPECT_EQ(ran.code, kBadInput) << what << ": " << ran.out << ran.err;
    ASSERT_TRUE(json.is_object() && json.contains("error")) << what << ": " << ran.out << ran.err;
    EXPECT_FALSE(json["error"]["message"].get<std::string>().empty()) << what;
  };
  for (const Mistake& mistake : mistakes) {
    for (const char* command : {"show", "new-kernel", "optimize", "build"}) {
      Arguments arguments = {command, mistake.op};
      arguments.insert(arguments.end(), mistake.more.begin(), mistake.more.end());
      check(arguments, std::string(command) + ", " + mistake.what);
    }
    Arguments arguments = {"verify", file, "--op", mistake.op};
    arguments.insert(arguments.end(), mistake.more.begin(), mistake.more.end());
    check(arguments, std::string("verify, ") + mistake.what);
  }
  for (const char* action : {"ls", "export"}) {
    check({"vault", action, "--vault", base + "/none.db"}, std::string("no vault, ") + action);
    check({"vault", action, "--vault", base + "/torn.db"}, std::string("damaged vault, ") + action);
  }
  for (const char* action : {"show", "replay"}) {
    check({"vault", action, "1", "--vault", base + "/none.db"}, std::string("no vault, ") + action);
    check({"vault", action, "1", "--vault", base + "/torn.db"}, std::string("damaged vault, ") + action);
    check({"vault", action, "one", "--vault", base + "/none.db"}, std::string("no number, ") + action);
  }
  for (const char* command : {"build", "optimize"}) {
    check({command, op, "--out", base + "/k.hip/below"}, std::string(command) + ", no folder");
    check({command, op, "--device", "tpu:0", "--out", base + "/out", "--vault", base + "/v.db"}, "no device");
  }
  check({"build", op, "--schedule", base + "/none.txt"}, "no schedule");
  check({"show", op, "--schedule", base + "/none.txt"}, "no schedule");
  check({"show", op, "--show", "everything"}, "nothing to show");
  check({"verify", base + "/none.hip", "--op", op}, "no kernel");
  for (const char* command : {"ops", "gpus", "version", "doctor"}) check({command, "--nonsense"}, command);
  std::filesystem::remove_all(base);
}

TEST(CliCommands, HelpIsOneObjectToo) {
  for (const Arguments& arguments : std::vector<Arguments>{
           {"show", "--help", "--json"}, {"help", "optimize", "--json"}, {"vault", "--help", "--json"}}) {
    Ran ran = run(arguments);
    Json json = Json::parse(ran.out, nullptr, false);
    EXPECT_EQ(ran.code, kPass);
    ASSERT_TRUE(json.is_object()) << ran.out;
    EXPECT_NE(json["help"].get<std::string>().find("hipvault"), std::string::npos);
  }
}

TEST(CliCommands, AMistypedDecisionIsNamedWithTheNearest) {
  std::string path = ::testing::TempDir() + "/typo_" + std::to_string(::getpid()) + ".txt";
  ASSERT_TRUE(real_file_system().write(path, "sketch row_reduce\nrows_per_group 1\nwave 4\n"));
  Ran ran = run({"show", source_file("ops/softmax.hv:softmax"), "--show", "schedule", "--schedule", path});
  EXPECT_EQ(ran.code, kBadInput);
  EXPECT_NE(ran.err.find("did you mean `waves`?"), std::string::npos) << ran.err;
}

TEST(CliCommands, AVaultOfANewerProgramIsRefusedByEveryAction) {
  std::string path = ::testing::TempDir() + "/newer_" + std::to_string(::getpid()) + ".db";
  std::filesystem::remove(path);
  ASSERT_TRUE(corpus::Vault::open(path));
  Result<std::unique_ptr<corpus::Database>> database = corpus::Database::open(path, {});
  ASSERT_TRUE(database && (*database)->run("UPDATE meta SET value = '99' WHERE key = 'schema'"));
  for (const Arguments& arguments :
       std::vector<Arguments>{{"vault", "ls"}, {"vault", "export"}, {"vault", "show", "1"}, {"vault", "replay", "1"}}) {
    Arguments words = arguments;
    words.insert(words.end(), {"--vault", path});
    Ran ran = run(words);
    EXPECT_EQ(ran.code, kBadInput);
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find("schema 99"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("newer program"), std::string::npos) << ran.err;
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
