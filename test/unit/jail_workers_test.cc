// Hostile jobs against the jail, each in both ways of starting a zygote: exec'd through bubblewrap, and plain fork.

#include "jail/workers.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "support/process_count.h"

namespace hipvault::jail {
namespace {

std::string outcome_of(long result) { return result < 0 ? std::string("refused: ") + std::strerror(errno) : "done"; }

std::string fork_bomb() {
  int children = 0;
  for (int i = 0; i < 1000; ++i) children += ::fork() > 0;
  return std::to_string(children) + " children";
}

std::string connect_out() {
  int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return outcome_of(fd);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(80);
  ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  return outcome_of(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address));
}

std::string count_in_threads() {
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int i = 1; i <= 8; ++i) threads.emplace_back([&sum, i] { sum += i; });
  for (std::thread& thread : threads) thread.join();
  return std::to_string(sum.load());
}

std::string exec_shell() {
  char* argv[] = {const_cast<char*>("sh"), nullptr};
  return outcome_of(::execve("/bin/sh", argv, nullptr));
}

std::string spin_without_mercy() {
  ::signal(SIGTERM, SIG_IGN);
  for (;;) ::usleep(1000);
}

std::string hog_memory() {
  std::vector<std::string> blocks;
  for (;;) blocks.emplace_back(std::string(16 << 20, 'x'));
}

std::string crash() {
  ::signal(SIGSEGV, SIG_DFL);  // a sanitizer has a handler of its own
  ::raise(SIGSEGV);
  return "";
}

std::string environment() {
  std::string all;
  for (char** entry = environ; entry && *entry; ++entry) all += std::string(*entry) + "\n";
  return all;
}

std::string leave_a_value() {
  static int value = 0;
  return std::to_string(++value);
}

std::string print_and_die() {
  std::fprintf(stderr, "LLVM ERROR: Cannot select\n");
  std::abort();
}

std::string handle(std::string_view request) {
  static const std::map<std::string, std::string (*)()> jobs = {
      {"fork", fork_bomb},
      {"connect", connect_out},
      {"threads", count_in_threads},
      {"exec", exec_shell},
      {"spin", spin_without_mercy},
      {"memory", hog_memory},
      {"crash", crash},
      {"environment", environment},
      {"value", leave_a_value},
      {"print", print_and_die},
      {"read", [] { return outcome_of(::open("/etc/passwd", O_RDONLY)); }},
      {"write", [] { return outcome_of(::open("/tmp/hipvault-jail-test", O_WRONLY | O_CREAT, 0600)); }},
      {"ptrace", [] { return outcome_of(::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr)); }},
      {"kill", [] { return outcome_of(::kill(::getppid(), SIGKILL)); }},
      {"kill all", [] { return outcome_of(::kill(-1, SIGKILL)); }},
      {"large", [] { return std::string(8 << 20, 'y'); }},
      {"exit", []() -> std::string { ::_exit(7); }},
  };
  auto job = jobs.find(std::string(request.substr(0, request.find(':'))));
  return job == jobs.end() ? "echo " + std::string(request) : job->second();
}

const Kind kTestKind{"test", nullptr, handle};
Kind broken_kind() {
  return {"broken",
          [] {
            std::fprintf(stderr, "no compiler in this house\n");
            std::_Exit(1);
          },
          handle};
}

Workers& workers(bool confined) {
  static Workers* plain = new Workers(kTestKind);  // started before main() calls use_own_program()
  static Workers* inside = new Workers(kTestKind);
  return confined ? *inside : *plain;
}

class Jail : public testing::TestWithParam<bool> {
 protected:
  Outcome run(const std::string& request, Limits limits = {}) {
    Result<Outcome> outcome = workers(GetParam()).run(request, limits);
    EXPECT_TRUE(outcome) << render(outcome.error());
    return outcome ? *outcome : Outcome{End::exited, -1, "", "", 0};
  }
  void expect_refused(const std::string& request) {
    Outcome outcome = run(request);
    EXPECT_EQ(outcome.end, End::finished) << describe(outcome, {}) << outcome.errors;
    EXPECT_EQ(outcome.result, "refused: Operation not permitted") << request;
  }
};

TEST_P(Jail, HandlesARequest) {
  EXPECT_EQ(run("hello").result, "echo hello");
  EXPECT_EQ(run("").result, "echo ");
  std::string large(5 << 20, 'z');
  EXPECT_EQ(run(large).result, "echo " + large);
}

TEST_P(Jail, RefusesWhatAComputationDoesNotNeed) {
  for (const char* job : {"read", "write", "connect", "exec", "ptrace", "kill", "kill all"}) expect_refused(job);
  EXPECT_EQ(::access("/tmp/hipvault-jail-test", F_OK), -1);
}

TEST_P(Jail, AForkBombHasNoChildren) { EXPECT_EQ(run("fork").result, "0 children"); }

TEST_P(Jail, ThreadsWork) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  if (!GetParam()) GTEST_SKIP() << "its runtime starts no threads in a plain fork of a program with threads";
#endif
#endif
  EXPECT_EQ(run("threads").result, "36");
}

TEST_P(Jail, SecretsOfTheEnvironmentStayOutside) {
  if (!GetParam()) GTEST_SKIP() << "a plain fork shares the memory of its parent";
  EXPECT_EQ(run("environment").result.find("sesame"), std::string::npos);
}

TEST_P(Jail, AChildLeavesNothingToTheNext) {
  EXPECT_EQ(run("value").result, "1");
  EXPECT_EQ(run("value").result, "1");
}

TEST_P(Jail, KillsAtTheDeadlineWhateverTheChildIgnores) {
  Limits limits;
  limits.deadline_s = 0.1;
  Outcome outcome = run("spin", limits);
  EXPECT_EQ(outcome.end, End::deadline);
  EXPECT_EQ(describe(outcome, limits), "killed at the deadline of 0.1 s");
}

TEST_P(Jail, NamesCrashesAndExits) {
  Outcome crashed = run("crash");
  EXPECT_EQ(crashed.end, End::crashed);
  EXPECT_EQ(crashed.signal, SIGSEGV);
  EXPECT_EQ(describe(crashed, {}), "crashed: Segmentation fault");
  Outcome left = run("exit");
  EXPECT_EQ(left.end, End::exited);
  EXPECT_EQ(left.signal, 7);
}

TEST_P(Jail, KeepsWhatTheChildPrinted) {
  Outcome outcome = run("print");
  EXPECT_EQ(outcome.end, End::crashed);
  EXPECT_NE(outcome.errors.find("LLVM ERROR: Cannot select"), std::string::npos);
}

TEST_P(Jail, CapsTheResult) {
  Limits limits;
  limits.result_bytes = 1 << 20;
  EXPECT_EQ(run("large", limits).end, End::result_too_large);
  limits.result_bytes = 16 << 20;
  EXPECT_EQ(run("large", limits).result.size(), size_t{8} << 20);
}

TEST_P(Jail, CapsMemory) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers need the address space";
#endif
#endif
  Limits limits;
  limits.memory_bytes = int64_t{256} << 20;
  Outcome outcome = run("memory", limits);
  EXPECT_EQ(outcome.end, End::out_of_memory) << describe(outcome, limits) << outcome.errors;
}

TEST_P(Jail, TakesJobsOfManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        std::string request = "thread " + std::to_string(t) + " job " + std::to_string(i);
        Result<Outcome> outcome = workers(GetParam()).run(request, {});
        right += outcome && outcome->result == "echo " + request;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 80);
}

TEST_P(Jail, TwoHundredKillsLeakNothing) {
  test::adopt_orphans();
  run("warm");
  int fds = test::open_descriptors(), children = test::child_processes();
  int processes = test::descendants();
  Limits limits;
  limits.deadline_s = 0.005;
  for (int i = 0; i < 200; ++i) ASSERT_EQ(run("spin", limits).end, End::deadline);
  EXPECT_EQ(test::open_descriptors(), fds);
  EXPECT_EQ(test::child_processes(), children);
  EXPECT_EQ(test::descendants(), processes);
}

INSTANTIATE_TEST_SUITE_P(Zygote, Jail, testing::Values(true, false),
                         [](const testing::TestParamInfo<bool>& info) { return info.param ? "confined" : "forked"; });

TEST(JailZygote, IsStartedAgainWhenItIsLost) {
  Workers own(kTestKind);
  ASSERT_EQ(own.run("a", {})->result, "echo a");
  ASSERT_EQ(::kill(test::newest_child(), SIGKILL), 0);
  Result<Outcome> outcome = own.run("b", {});
  ASSERT_TRUE(outcome) << render(outcome.error());
  EXPECT_EQ(outcome->result, "echo b");
}

TEST(JailZygote, ThatCannotStartSaysWhy) {
  Workers broken(broken_kind());
  Result<Outcome> outcome = broken.run("a", {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, "jail.no-worker");
  EXPECT_NE(outcome.error().message.find("no compiler in this house"), std::string::npos) << outcome.error().message;
}

TEST(JailZygote, EndsWithItsWorkers) {
  int children = test::child_processes(), fds = test::open_descriptors();
  {
    Workers own(kTestKind);
    ASSERT_TRUE(own.start());
    EXPECT_EQ(test::child_processes(), children + 1);
  }
  EXPECT_EQ(test::child_processes(), children);
  EXPECT_EQ(test::open_descriptors(), fds);
}

TEST(JailLayers, AreFiveAndSayWhatIsMissing) {
  std::vector<Layer> list = layers();
  ASSERT_EQ(list.size(), 5u);
  for (const Layer& layer : list) EXPECT_FALSE(layer.detail.empty()) << layer.name;
  EXPECT_TRUE(list[2].live) << list[2].detail;
}

}  // namespace
}  // namespace hipvault::jail

int main(int argc, char** argv) {
  using namespace hipvault::jail;
  const Kind kinds[] = {kTestKind, broken_kind()};
  if (argc > 1 && std::string(argv[1]) == "__zygote") return zygote_main(argc, argv, kinds);
  testing::InitGoogleTest(&argc, argv);
  ::setenv("HIPVAULT_SECRET", "sesame", 1);
  if (!workers(false).start()) return 1;
  use_own_program();
  return RUN_ALL_TESTS();
}
