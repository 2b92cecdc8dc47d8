// What cannot be read to its end is refused before it is read, and messages stay short whatever they quote.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/file_system.h"

namespace hipvault {
namespace {

std::string error_of(const std::string& path) {
  Result<std::string> read = real_file_system().read(path);
  return read ? "" : read.error().message;
}

TEST(Limits, DevicesPipesAndFoldersAreRefused) {
  EXPECT_NE(error_of("/dev/zero").find("a device or a pipe"), std::string::npos);
  EXPECT_NE(error_of("/").find("Is a directory"), std::string::npos);
  std::string pipe = ::testing::TempDir() + "/pipe_" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(error_of(pipe).find("a device or a pipe"), std::string::npos);  // and does not wait for a writer
  ::unlink(pipe.c_str());
}

TEST(Limits, HugeFilesAreRefusedWithTheLimit) {
  std::string path = ::testing::TempDir() + "/huge_" + std::to_string(::getpid());
  ASSERT_TRUE(real_file_system().write(path, "x"));
  EXPECT_EQ(error_of(path), "");
  std::filesystem::resize_file(path, (uint64_t{16} << 20) + 1);
  EXPECT_NE(error_of(path).find("at most 16 MiB"), std::string::npos) << error_of(path);
  std::filesystem::remove(path);
}

TEST(Limits, LongLinesShowAWindowWithTheCaretUnderThePlace) {
  std::string line = std::string(5000, 'a') + "!" + std::string(5000, 'b');
  std::string text = render({"c", "m", "", Place{"f", 1, 5001, 1, line}});
  EXPECT_LT(text.size(), 400u);
  size_t first = text.find("\n  ") + 3, second = text.find("\n  ", first) + 3;
  std::string shown = text.substr(first, second - 3 - first), carets = text.substr(second);
  // "…" has three bytes and one column.
  EXPECT_EQ(shown.find('!') - 2, carets.find('^')) << text;
}

TEST(Limits, ShortLinesAreShownWholeWithTheCaretInItsColumn) {
  EXPECT_EQ(render({"c", "m", "h", Place{"f", 3, 5, 2, "y = ab"}}), "f:3:5: error: m [c]\n  y = ab\n      ^^\nhint: h");
}

TEST(Limits, MessagesAreShortenedAndPrintable) {
  EXPECT_LT(render({"c", std::string(100000, 'x'), std::string(100000, 'y'), {}}).size(), 1400u);
  EXPECT_EQ(render({"", "a\x01\x1b[2J", "", {}}), "error: a??[2J");
}

}  // namespace
}  // namespace hipvault
