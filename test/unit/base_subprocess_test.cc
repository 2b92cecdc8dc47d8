#include "base/subprocess.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "support/process_count.h"

namespace hipvault {
namespace {

SubprocessRequest shell(const std::string& script) {
  SubprocessRequest request;
  request.argv = {"sh", "-c", script};
  request.environment = tool_environment();
  return request;
}

TEST(Subprocess, GivesBackBothStreamsAndTheExitStatus) {
  SubprocessRequest request = shell("cat; echo oops >&2; exit 3");
  request.input = std::string(300000, 'x');  // more than a pipe holds
  Result<SubprocessResult> result = run_subprocess(request);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->end, SubprocessEnd::exited);
  EXPECT_EQ(result->code, 3);
  EXPECT_EQ(result->output, request.input);
  EXPECT_EQ(result->errors, "oops\n");
}

TEST(Subprocess, NamesTheSignal) {
  Result<SubprocessResult> result = run_subprocess(shell("kill -SEGV $$"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, SubprocessEnd::signalled);
  EXPECT_EQ(result->code, SIGSEGV);
}

TEST(Subprocess, SaysWhyAProgramDoesNotStart) {
  SubprocessRequest request;
  request.argv = {"/nowhere/clang"};
  Result<SubprocessResult> result = run_subprocess(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "subprocess.start");
  EXPECT_EQ(result.error().message, "cannot start /nowhere/clang: No such file or directory");
}

TEST(Subprocess, KillsTheWholeGroupAtTheDeadline) {
  int before = test::child_processes();
  SubprocessRequest request = shell("trap '' TERM; (sleep 1000) & sleep 1000");
  request.deadline_s = 0.1;
  Result<SubprocessResult> result = run_subprocess(request);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, SubprocessEnd::deadline);
  EXPECT_EQ(test::child_processes(), before);
  EXPECT_EQ(test::processes_with_argument("sleep", "1000"), 0);
}

TEST(Subprocess, DoesNotWaitForWhatTheProgramLeftBehind) {
  SubprocessRequest request = shell("sleep 999 & echo done");
  Result<SubprocessResult> result = run_subprocess(request);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, SubprocessEnd::exited);
  EXPECT_EQ(result->output, "done\n");
  EXPECT_EQ(test::processes_with_argument("sleep", "999"), 0);
}

TEST(Subprocess, CapsWhatItKeeps) {
  SubprocessRequest request = shell("head -c 5000000 /dev/zero");
  request.output_cap = 1000;
  Result<SubprocessResult> result = run_subprocess(request);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output.size(), 1000u);
  EXPECT_TRUE(result->truncated);
  EXPECT_EQ(result->code, 0);
}

TEST(Subprocess, InheritsNoEnvironment) {
  ::setenv("HIPVAULT_SECRET", "sesame", 1);
  Result<SubprocessResult> result = run_subprocess(shell("env"));
  ::unsetenv("HIPVAULT_SECRET");
  ASSERT_TRUE(result);
  EXPECT_NE(result->output.find("LANG=C"), std::string::npos);
  EXPECT_EQ(result->output.find("sesame"), std::string::npos);
}

TEST(Subprocess, LeavesNoDescriptorsOrProcesses) {
  int fds = test::open_descriptors(), children = test::child_processes();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(run_subprocess(shell("true")));
  EXPECT_EQ(test::open_descriptors(), fds);
  EXPECT_EQ(test::child_processes(), children);
}

}  // namespace
}  // namespace hipvault
