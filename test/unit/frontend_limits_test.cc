// Short files that mean huge programs are refused at the line that is too much, and no text crashes or hangs the
// reader.

#include <gtest/gtest.h>

#include <random>

#include "base/file_system.h"
#include "frontend/hv.h"

namespace hipvault::frontend {
namespace {

Result<ir::Program> read_op(const std::string& text) {
  Result<OpFileRef> file = parse_file(text, "f.hv", "");
  if (!file) return fail(file.error());
  return instantiate(*file, "f", {}, DType::f8e4m3fn);
}

// v1 = step(v0), v2 = step(v1), …
std::string chain(int length, const std::string& before, const std::string& after) {
  std::string text = "op f(x: f32[N]) -> y: f32[N]\n  v0 = x\n";
  for (int i = 0; i < length; ++i) {
    std::string v = "v" + std::to_string(i);
    text += "  v" + std::to_string(i + 1) + " = " + v + before + v + after + "\n";
  }
  return text + "  y = v" + std::to_string(length) + "\n";
}

TEST(Limits, DoublingIsRefusedAtTheLineThatIsTooMuch) {
  Result<ir::Program> program = read_op(chain(60, " + ", ""));
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, "hv.size");
  // v_k has 2^(k + 1) loads of x and as many indices and sums: over 100000 between k = 14 and k = 17.
  EXPECT_GE(program.error().place.line, 2 + 14);
  EXPECT_LE(program.error().place.line, 2 + 18);
}

TEST(Limits, ReductionsAreComputedOnceAndDoNotDouble) { EXPECT_TRUE(read_op(chain(60, " + sum(", ", N)"))); }

TEST(Limits, FunctionsThatDoubleAreRefused) {
  for (const char* body : {"(x)", "(x) + "}) {
    std::string text = "fn d0(x) = x + x\n";
    for (int i = 1; i < 40; ++i) {
      std::string inner = "d" + std::to_string(i - 1);
      bool twice = std::string(body) == "(x)";
      text += "fn d" + std::to_string(i) +
              "(x) = " + (twice ? inner + "(" + inner + "(x))" : inner + "(x) + " + inner + "(x + 1)") + "\n";
    }
    Result<ir::Program> program = read_op(text + "op f(x: f32[N]) -> y: f32[N]\n  y = d39(x)\n");
    ASSERT_FALSE(program) << body;
    EXPECT_EQ(program.error().code, "hv.size") << program.error().message;
  }
}

TEST(Limits, AnOpenBracketIsNamedWhereItStands) {
  Result<ir::Program> program = read_op("op f(x: f32[N]) -> y: f32[N]\n  a = (x + 1\n  b = a\n  y = b\n");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().place.line, 2);
  EXPECT_EQ(program.error().place.column, 7);
  EXPECT_NE(program.error().message.find("is not closed"), std::string::npos) << program.error().message;
}

TEST(Limits, BinaryTextIsNamedAsSuch) {
  Result<ir::Program> program = read_op(std::string("\x7f") + "ELF\x02");
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().message.find("0x7f"), std::string::npos) << program.error().message;
}

// Pieces of op files cut out, doubled and exchanged, and bytes flipped: read or refused, with a message and a place.
TEST(Limits, MutatedFilesAreReadOrRefused) {
  FileSystem& files = real_file_system();
  const std::string folder = std::string(HIPVAULT_SOURCE_DIR) + "/ops/";
  std::string standard = files.read(folder + "std.hv").value_or("");
  std::mt19937_64 random(20261201);
  for (const char* name : {"softmax.hv", "rms_norm.hv", "matmul.hv"}) {
    Result<std::string> seed = files.read(folder + name);
    if (!seed) continue;
    for (int round = 0; round < 300; ++round) {
      std::string text = *seed;
      for (int change = 0; change < 1 + round % 5; ++change) {
        size_t at = random() % text.size(), length = std::min<size_t>(random() % 40, text.size() - at);
        std::string piece = text.substr(at, length);
        switch (random() % 4) {
          case 0:
            text.erase(at, length);
            break;
          case 1:
            text.insert(random() % text.size(), piece);
            break;
          case 2:
            text[at] = static_cast<char>(random());
            break;
          default:
            text.insert(at, std::string(1, "()[]<>+-*=:,.?\"\n"[random() % 16]));
            break;
        }
        if (text.empty()) text = "x";
      }
      Result<OpFileRef> file = parse_file(text, "f.hv", standard);
      if (!file) {
        EXPECT_FALSE(file.error().message.empty());
        continue;
      }
      for (const std::string& op : op_names(*file)) {
        std::map<std::string, DType> types;
        Result<std::vector<std::pair<std::string, std::vector<DType>>>> variables =
            type_variables(*file, op, DType::f8e4m3fn);
        if (!variables) continue;
        for (const auto& [variable, dtypes] : *variables)
          if (!dtypes.empty()) types[variable] = dtypes[0];
        Result<ir::Program> program = instantiate(*file, op, types, DType::f8e4m3fn);
        if (!program) EXPECT_FALSE(program.error().message.empty());
      }
    }
  }
}

}  // namespace
}  // namespace hipvault::frontend
