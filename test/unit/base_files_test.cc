#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <set>
#include <thread>

#include "base/file_system.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/random.h"
#include "base/result.h"
#include "base/thread_pool.h"

namespace hipvault {
namespace {

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/hipvault-test-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

TEST(FileSystem, WritesReadsListsAndRemoves) {
  Folder folder;
  FileSystem& files = real_file_system();
  ASSERT_TRUE(files.make_directories(folder.path + "/a/b").has_value());
  std::string content("line\n\0binary", 12);
  ASSERT_TRUE(files.write(folder.path + "/a/x", content).has_value());
  EXPECT_EQ(content, *files.read(folder.path + "/a/x"));
  EXPECT_EQ((std::vector<std::string>{"b", "x"}), *files.list(folder.path + "/a"));
  ASSERT_TRUE(files.remove(folder.path + "/a").has_value());
  EXPECT_FALSE(files.exists(folder.path + "/a"));
}

TEST(FileSystem, AnErrorNamesThePathAndTheReason) {
  Result<std::string> missing = real_file_system().read("/nowhere/file");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ("cannot read /nowhere/file: No such file or directory", missing.error().message);
}

// A write that the system cuts short (as a full disk does) leaves the old content and no litter.
TEST(FileSystem, AFailedWriteKeepsTheOldVersion) {
  Folder folder;
  FileSystem& files = real_file_system();
  std::string path = folder.path + "/x";
  ASSERT_TRUE(files.write(path, "old").has_value());
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small{4096, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  Status status = files.write(path, std::string(100000, 'n'));
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(status.has_value());
  EXPECT_NE(std::string::npos, status.error().message.find("cannot write " + path));
  EXPECT_EQ("old", *files.read(path));
  EXPECT_EQ((std::vector<std::string>{"x"}), *files.list(folder.path));
}

TEST(FileSystem, TwoWritersNeverMixTheirBytes) {
  Folder folder;
  std::string path = folder.path + "/x", a(50000, 'a'), b(60000, 'b');
  real_file_system().write(path, a).has_value();
  std::thread first([&] {
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(real_file_system().write(path, a).has_value());
  });
  std::thread second([&] {
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(real_file_system().write(path, b).has_value());
  });
  for (int i = 0; i < 50; ++i) {
    std::string seen = *real_file_system().read(path);
    EXPECT_TRUE(seen == a || seen == b);
  }
  first.join();
  second.join();
}

TEST(Diagnostic, DrawsTheCaretUnderThePlace) {
  Diagnostic diagnostic{
      "hv.syntax", "expected ')' but found ','", "close the call", {"ops/x.hv", 3, 9, 2, "  y = f(x,, 1)"}};
  EXPECT_EQ(
      "ops/x.hv:3:9: error: expected ')' but found ',' [hv.syntax]\n    y = f(x,, 1)\n          ^^\nhint: close the "
      "call",
      render(diagnostic));
}

TEST(Json, ErrorsNameTheSubjectAndTheField) {
  EXPECT_NE(std::string::npos,
            parse_json("{\"a\": ", "plan.json").error().message.find("plan.json: not valid JSON at byte"));
  Json object = {{"a", "text"}};
  EXPECT_EQ("the plan: the field \"b\" is missing", json_field<int>(object, "b", "the plan").error().message);
  EXPECT_EQ("the plan: the field \"a\" has the wrong type", json_field<int>(object, "a", "the plan").error().message);
}

// xxHash's own published vector: XXH3 128 bits of the empty input with seed 0.
TEST(Hash, IsXxh3) {
  EXPECT_EQ("99aa06d3014798d86001c324468d497f", hash_hex(""));
  EXPECT_NE(hash_hex("a"), hash_hex("b"));
}

// splitmix64 with seed 1234567: the first outputs given by its authors' reference (prng.di.unimi.it, splitmix64.c).
TEST(Random, IsSplitmix64) {
  Random random(1234567);
  EXPECT_EQ(6457827717110365317ull, random.next());
  EXPECT_EQ(3203168211198807973ull, random.next());
}

TEST(Random, BoundsHoldAndMomentsAreThoseOfTheDistribution) {
  Random random(7);
  std::set<int64_t> seen;
  double sum = 0, squares = 0;
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; ++i) {
    seen.insert(random.between(-2, 2));
    double x = random.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_EQ((std::set<int64_t>{-2, -1, 0, 1, 2}), seen);
  EXPECT_NEAR(0, sum / kDraws, 5 / std::sqrt(kDraws));
  EXPECT_NEAR(1, squares / kDraws, 5 * std::sqrt(2.0 / kDraws));
}

TEST(ParallelFor, DoesEveryItemOnce) {
  for (int threads : {1, 3}) {
    std::vector<std::atomic<int>> done(1000);
    parallel_for(1000, threads, [&](int64_t i) { ++done[static_cast<size_t>(i)]; });
    for (std::atomic<int>& count : done) EXPECT_EQ(1, count.load());
  }
}

}  // namespace
}  // namespace hipvault
