// Where results go is looked at before the work is done.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "base/file_system.h"
#include "cli/commands.h"

namespace hipvault::cli {
namespace {

TEST(CliOutputs, AnUnusableFolderIsToldBeforeTheWork) {
  std::string base = ::testing::TempDir() + "/unusable_" + std::to_string(::getpid());
  std::filesystem::remove_all(base);
  std::filesystem::create_directories(base + "/taken/kernel.hip");
  ASSERT_TRUE(real_file_system().write(base + "/file", "in the way"));
  std::string op = std::string(HIPVAULT_SOURCE_DIR) + "/ops/softmax.hv:softmax";
  for (const char* command : {"build", "optimize"}) {
    for (const char* out : {"/file", "/file/below", "/taken"}) {
      std::ostringstream text, err;
      Io io{text, err, false, &real_file_system()};
      int code = run_cli({command, op, "--out", base + out, "--vault", base + "/v.db"}, io);
      EXPECT_EQ(code, kBadInput) << command << out;
      EXPECT_NE(err.str().find("[io]"), std::string::npos) << err.str();
      EXPECT_FALSE(std::filesystem::exists(base + "/v.db")) << "work was done before the folder was looked at";
    }
  }
  std::filesystem::remove_all(base);
}

}  // namespace
}  // namespace hipvault::cli
