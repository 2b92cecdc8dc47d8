// A vault on a file system that is really full, and one that may only be read.

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>

#include "base/file_system.h"
#include "corpus/vault.h"

namespace hipvault::corpus {
namespace {

// A file system of one MiB; empty `path` if this process may not mount.
class SmallDisk {
 public:
  SmallDisk() {
    std::string folder = ::testing::TempDir() + "/small_disk_" + std::to_string(::getpid());
    std::filesystem::create_directories(folder);
    if (::mount("none", folder.c_str(), "tmpfs", 0, "size=1m") == 0) path = folder;
  }
  ~SmallDisk() {
    if (!path.empty() && ::umount(path.c_str()) == 0) std::filesystem::remove(path);
  }
  std::string path;
};

Attempt attempt_number(int number) {
  Attempt a;
  a.agent = "filler";
  a.op = "add";
  a.op_text = "op add(x: f32[N]) -> y: f32[N]\n  y = x + x\n";
  for (int i = 0; i < 2000; ++i) a.source += std::to_string(number * 7919 + i * 104729) + " ";
  return a;
}

// Records until the first error; how many were kept.
size_t fill(Vault& vault, Diagnostic& error) {
  for (int i = 0; i < 5000; ++i) {
    Result<int64_t> id = vault.record(attempt_number(i));
    if (id) continue;
    error = id.error();
    return static_cast<size_t>(i);
  }
  return 5000;
}

TEST(CorpusFullDisk, SaysSoKeepsWhatWasWrittenAndGoesOnWhenThereIsRoom) {
  SmallDisk disk;
  if (disk.path.empty()) GTEST_SKIP() << "no right to mount a small file system here";
  std::string ballast = disk.path + "/ballast";
  ASSERT_TRUE(real_file_system().write(ballast, std::string(300 << 10, 'b')));
  size_t written = 0;
  {
    Result<std::unique_ptr<Vault>> vault = Vault::open(disk.path + "/vault.db");
    ASSERT_TRUE(vault) << render(vault.error());
    Diagnostic error;
    written = fill(**vault, error);
    ASSERT_GT(written, 0u);
    ASSERT_LT(written, 5000u) << "the disk never filled";
    EXPECT_TRUE(error.code == "vault.full" || error.code == "vault.io") << error.code << ": " << error.message;
    EXPECT_NE((error.message + error.hint).find("full"), std::string::npos) << error.message << " / " << error.hint;
    Result<std::vector<Attempt>> kept = (*vault)->list({}, true);
    ASSERT_TRUE(kept) << render(kept.error());
    EXPECT_EQ(kept->size(), written);
  }
  std::filesystem::remove(ballast);
  Result<std::unique_ptr<Vault>> vault = Vault::open(disk.path + "/vault.db");
  ASSERT_TRUE(vault) << render(vault.error());
  EXPECT_EQ((*vault)->list({}, true)->size(), written);
  Result<int64_t> after = (*vault)->record(attempt_number(9999));
  EXPECT_TRUE(after) << render(after.error());
}

TEST(CorpusFullDisk, AVaultThatMayOnlyBeReadSaysSo) {
  SmallDisk disk;
  if (disk.path.empty()) GTEST_SKIP() << "no right to mount a small file system here";
  ASSERT_TRUE(Vault::open(disk.path + "/vault.db"));
  ASSERT_EQ(::mount("none", disk.path.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr), 0);
  Result<std::unique_ptr<Vault>> vault = Vault::open(disk.path + "/vault.db");
  ASSERT_FALSE(vault);
  EXPECT_TRUE(vault.error().code == "vault.read-only" || vault.error().code == "vault.open") << vault.error().code;
  EXPECT_NE(vault.error().hint.find("written"), std::string::npos)
      << vault.error().message << " / " << vault.error().hint;
}

}  // namespace
}  // namespace hipvault::corpus
