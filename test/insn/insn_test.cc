// Runs test/insn/*.insn on the simulated wave: one GoogleTest a file, over all archs and wave sizes that a test names.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "insn/insn_file.h"
#include "isa/assemble.h"
#include "isa/coverage.h"
#include "isa/decode.h"
#include "sim/snippet.h"

namespace hipvault::test {
namespace {

std::string hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "%#x", value);
  return text;
}

std::string compare(const std::string& what, const std::vector<ExpectedWord>& expected,
                    const std::vector<uint32_t>& got) {
  for (size_t i = 0; i < got.size() && !expected.empty(); ++i) {
    const ExpectedWord& e = expected[i % expected.size()];
    if (!e.accepts(got[i]))
      return what + "[" + std::to_string(i) + "] is " + hex(got[i]) + ", expected " + hex(e.bits) +
             (e.kind == ExpectedWord::Kind::exact ? "" : " (not exactly)");
  }
  return "";
}

std::string bytes_of(const std::vector<uint32_t>& words) {
  return std::string(reinterpret_cast<const char*>(words.data()), words.size() * 4);
}
std::vector<uint32_t> words_of(const std::string& bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

sim::Snippet snippet_of(const InsnTest& test, int wave_size) {
  sim::Snippet snippet;
  snippet.wave_size = wave_size;
  snippet.scalars = test.scalars, snippet.vectors = test.vectors;
  snippet.exec = test.exec, snippet.vcc = test.vcc, snippet.scc = test.scc != 0;
  snippet.m0 = test.m0, snippet.mode = test.mode;
  snippet.lds = bytes_of(test.lds), snippet.memory = bytes_of(test.memory);
  snippet.memory_pointer = test.memory_pointer, snippet.memory_vector = test.memory_vector;
  return snippet;
}

// "" or the first difference.
std::string run_one(const InsnTest& test, const target::Arch& arch, int wave_size) {
  Result<std::string> code = isa::assemble(test.code, arch.name, wave_size);
  if (!code) return code.error().message;
  sim::Snippet snippet = snippet_of(test, wave_size);
  snippet.code = *code;
  Result<sim::SnippetResult> result = sim::run_snippet(snippet, arch);
  if (!result) return result.error().message;
  uint64_t lanes = wave_size == 32 ? 0xffffffff : ~uint64_t{0};
  std::string wrong;
  auto note = [&](const std::string& text) {
    if (wrong.empty()) wrong = text;
  };
  for (const auto& [reg, expected] : test.expect_vectors)
    if (static_cast<size_t>(reg) < result->vectors.size())
      note(compare("v" + std::to_string(reg), expected, result->vectors[static_cast<size_t>(reg)]));
    else
      note("v" + std::to_string(reg) + " is not used");
  for (const auto& [reg, expected] : test.expect_scalars)
    note(compare("s" + std::to_string(reg), expected, {result->scalars[static_cast<size_t>(reg)]}));
  auto mask = [&](const char* what, const std::optional<uint64_t>& expected, uint64_t got) {
    if (expected && (*expected & lanes) != got) note(std::string(what) + " is " + std::to_string(got));
  };
  mask("exec", test.expect_exec, result->exec);
  mask("vcc", test.expect_vcc, result->vcc);
  if (test.expect_scc && *test.expect_scc != result->scc) note("scc is " + std::to_string(result->scc));
  if (test.expect_m0 && *test.expect_m0 != result->m0) note("m0 is " + hex(result->m0));
  if (!test.expect_lds.empty()) note(compare("lds", test.expect_lds, words_of(result->lds)));
  if (!test.expect_memory.empty()) note(compare("memory", test.expect_memory, words_of(result->memory)));
  return wrong;
}

std::vector<std::filesystem::path> insn_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(HIPVAULT_SOURCE_DIR "/test/insn"))
    if (entry.path().extension() == ".insn") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class InsnFile : public ::testing::Test {
 public:
  explicit InsnFile(std::filesystem::path path) : path_(std::move(path)) {}
  void TestBody() override {
    InsnReader reader(path_.string());
    for (const std::string& problem : reader.problems) ADD_FAILURE() << path_.filename().string() << " " << problem;
    int runs = 0, wrong = 0;
    for (const InsnTest& test : reader.tests)
      for (const std::string& name : test.archs) {
        const target::Arch* arch = target::find_arch(name);
        ASSERT_TRUE(arch) << name;
        for (int wave_size : arch->wave_sizes) {
          bool wanted = test.waves.empty() || test.waves[0] == 0 ||
                        std::find(test.waves.begin(), test.waves.end(), wave_size) != test.waves.end();
          if (!wanted) continue;
          ++runs;
          std::string why = run_one(test, *arch, wave_size);
          if (!why.empty() && ++wrong <= 25)
            ADD_FAILURE() << path_.filename().string() << ":" << test.line << " " << test.name << " on " << name
                          << ", waves of " << wave_size << ": " << why << "\n"
                          << test.code;
        }
      }
    EXPECT_EQ(wrong, 0) << "of " << runs << " runs";
    std::printf("%s: %zu tests, %d runs\n", path_.filename().c_str(), reader.tests.size(), runs);
  }

 private:
  std::filesystem::path path_;
};

// Every modelled mnemonic of an arch occurs in a test for it; what does not is listed, and the list holds nothing else.
TEST(InsnCoverage, EveryModelledMnemonicHasATest) {
  std::map<std::string, std::set<std::string>> tested;
  for (const std::filesystem::path& path : insn_files())
    for (const InsnTest& test : InsnReader(path.string()).tests)
      for (const std::string& arch : test.archs) {
        std::istringstream lines(test.code);
        for (std::string line; std::getline(lines, line);) {
          isa::Decoded decoded = isa::parse_instruction(line);
          for (const isa::Decoded& part : decoded.parts) tested[arch].insert(part.mnemonic);
          tested[arch].insert(decoded.mnemonic);
        }
      }
  std::set<std::string> listed, missing;
  std::ifstream list(HIPVAULT_SOURCE_DIR "/test/insn/untested.txt");
  for (std::string line; std::getline(list, line);)
    if (!line.empty() && line[0] != '#') listed.insert(line);
  for (const target::Arch& arch : target::simulated_archs()) {
    Result<isa::Coverage> coverage = isa::coverage_of(arch.name);
    ASSERT_TRUE(coverage);
    for (const std::string& mnemonic : coverage->modelled_names)
      if (!tested[arch.name].contains(mnemonic)) missing.insert(arch.name + " " + mnemonic);
  }
  for (const std::string& one : missing) EXPECT_TRUE(listed.contains(one)) << one << " has no test";
  for (const std::string& one : listed) EXPECT_TRUE(missing.contains(one)) << one << " is tested or not modelled";
}

}  // namespace
}  // namespace hipvault::test

int main(int argc, char** argv) {
  for (const std::filesystem::path& path : hipvault::test::insn_files())
    ::testing::RegisterTest("Insn", path.stem().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [path]() -> ::testing::Test* { return new hipvault::test::InsnFile(path); });
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
