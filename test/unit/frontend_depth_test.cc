// Expressions that would overflow the stack of whatever walks them are refused with a place.

#include <gtest/gtest.h>

#include "frontend/hv.h"

namespace hipvault::frontend {
namespace {

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Depth, HostileExpressionsAreRefused) {
  const std::string bodies[] = {repeated("(", 200000) + "x" + repeated(")", 200000), repeated("-", 300000) + "x",
                                "x" + repeated(" + x", 200000), "x" + repeated("**x", 100000),
                                repeated("not ", 100000) + "true"};
  for (const std::string& body : bodies) {
    Result<OpFileRef> file = parse_file("op f(x: f32[N]) -> y: f32[N]\n  y = " + body + "\n", "f.hv", "");
    ASSERT_FALSE(file.has_value());
    EXPECT_NE(std::string::npos, file.error().message.find("too long or nested too deeply")) << file.error().message;
    EXPECT_EQ(2, file.error().place.line);
  }
}

TEST(Depth, OrdinaryNestingIsRead) {
  std::string body = repeated("(", 100) + "x" + repeated(")", 100) + repeated(" + x", 300);
  EXPECT_TRUE(parse_file("op f(x: f32[N]) -> y: f32[N]\n  y = " + body + "\n", "f.hv", "").has_value());
}

}  // namespace
}  // namespace hipvault::frontend
