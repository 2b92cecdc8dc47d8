#pragma once
// Reader of *.insn files; README.md beside this file defines them. It knows nothing of the simulator, so that another
// runner can put the same tests on a GPU.

#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace hipvault::test {

// One expected dword: exact, within some steps of the last place of an f32 or f16, any NaN of a type, or anything.
struct ExpectedWord {
  enum class Kind { exact, near32, near16, nan32, nan16, nan64, any } kind = Kind::exact;
  uint32_t bits = 0;
  uint32_t steps = 0;

  static int64_t ordered(uint32_t bits, int width) {
    int64_t magnitude = bits & ((uint64_t{1} << (width - 1)) - 1);
    return bits >> (width - 1) & 1 ? -magnitude : magnitude;
  }
  bool accepts(uint32_t got) const {
    switch (kind) {
      case Kind::exact:
        return got == bits;
      case Kind::near32:
        return std::abs(ordered(got, 32) - ordered(bits, 32)) <= steps;
      case Kind::near16:
        return got >> 16 == bits >> 16 && std::abs(ordered(got & 0xffff, 16) - ordered(bits & 0xffff, 16)) <= steps;
      case Kind::nan32:
        return (got & 0x7fffffff) > 0x7f800000;
      case Kind::nan16:  // in the low half; the high half is as given
        return (got & 0x7fff) > 0x7c00 && got >> 16 == bits;
      case Kind::nan64:  // the upper dword
        return (got & 0x7fffffff) >= 0x7ff80000;
      case Kind::any:
        return true;
    }
    return false;
  }
};

struct InsnTest {
  std::string name, section;
  int line = 0;
  std::vector<std::string> archs;
  std::vector<int> waves;
  std::string code;                 // assembly, one instruction a line
  std::map<int, uint32_t> scalars;  // initial state
  std::map<int, std::vector<uint32_t>> vectors;
  uint64_t exec = ~uint64_t{0}, vcc = 0;
  uint32_t m0 = 0, mode = 0x3f0, scc = 0;
  std::vector<uint32_t> lds, memory;
  int memory_pointer = -1, memory_vector = -1;
  std::map<int, std::vector<ExpectedWord>> expect_scalars, expect_vectors;  // of a wave: repeated over the lanes
  std::optional<uint64_t> expect_exec, expect_vcc;
  std::optional<uint32_t> expect_scc, expect_m0;
  std::vector<ExpectedWord> expect_lds, expect_memory;
};

class InsnReader {
 public:
  // Problems are collected with their line; a file with problems has no tests.
  explicit InsnReader(const std::string& path) {
    std::ifstream file(path);
    if (!file) problems.push_back("cannot be opened");
    std::string text;
    while (std::getline(file, text)) {
      ++line_;
      read_line(text);
    }
    if (open_) complain("the last test has no end");
  }
  std::vector<InsnTest> tests;
  std::vector<std::string> problems;

 private:
  void complain(const std::string& why) { problems.push_back("line " + std::to_string(line_) + ": " + why); }
  static std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text.substr(0, text.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
  }
  uint64_t number(const std::string& word) {
    size_t used = 0;
    uint64_t value = 0;
    try {
      value = std::stoull(word, &used, 0);
    } catch (const std::exception&) {
    }
    if (used != word.size()) complain("\"" + word + "\" is no number");
    return value;
  }
  ExpectedWord expected(const std::string& word) {
    ExpectedWord e;
    if (word == "_") return e.kind = ExpectedWord::Kind::any, e;
    if (word == "nan64") return e.kind = ExpectedWord::Kind::nan64, e;
    if (word == "nan32") return e.kind = ExpectedWord::Kind::nan32, e;
    if (word.starts_with("nan16")) {
      e.kind = ExpectedWord::Kind::nan16;
      if (word.size() > 5) e.bits = static_cast<uint32_t>(number(word.substr(5)));
      return e;
    }
    size_t wave = word.find('~');
    e.bits = static_cast<uint32_t>(number(word.substr(0, wave)));
    if (wave == std::string::npos) return e;
    std::string steps = word.substr(wave + 1);
    bool half = steps.ends_with("h");
    if (half) steps.pop_back();
    e.kind = half ? ExpectedWord::Kind::near16 : ExpectedWord::Kind::near32;
    e.steps = static_cast<uint32_t>(number(steps));
    return e;
  }
  template <class Value>
  std::vector<Value> values(const std::vector<std::string>& words, size_t from) {
    std::vector<Value> list;
    for (size_t i = from; i < words.size(); ++i) {
      if constexpr (std::is_same_v<Value, ExpectedWord>)
        list.push_back(expected(words[i]));
      else
        list.push_back(static_cast<uint32_t>(number(words[i])));
    }
    return list;
  }

  void read_line(const std::string& text) {
    std::vector<std::string> words = words_of(text);
    if (words.empty()) return;
    const std::string& key = words[0];
    if (key == "test" && words.size() == 2) {
      open_ = true, in_expect_ = false;
      test_ = InsnTest();
      test_.name = words[1], test_.line = line_, test_.archs = archs_, test_.waves = waves_, test_.section = section_;
    } else if (key == "arch") {
      (open_ ? test_.archs : archs_).assign(words.begin() + 1, words.end());
    } else if (key == "wave") {
      std::vector<int>& waves = open_ ? test_.waves : waves_;
      waves.clear();
      for (size_t i = 1; i < words.size(); ++i) waves.push_back(static_cast<int>(number(words[i])));
    } else if (key == "section") {
      (open_ ? test_.section : section_) = text.substr(text.find("section") + 8);
    } else if (!open_) {
      complain("\"" + key + "\" outside of a test");
    } else if (key == "run") {
      test_.code += text.substr(text.find("run") + 3) + "\n";
    } else if (key == "expect") {
      in_expect_ = true;
    } else if (key == "end") {
      if (test_.code.empty() || test_.archs.empty()) complain("a test without instructions or archs");
      tests.push_back(test_);
      open_ = false;
    } else {
      in_expect_ ? read_expectation(words) : read_state(words);
    }
  }
  void read_state(const std::vector<std::string>& words) {
    const std::string& key = words[0];
    if (words.size() < 2) return complain("\"" + key + "\" without a value");
    uint64_t one = key == "memory" ? 0 : number(words[1]);
    if (key == "s" && words.size() == 3)
      test_.scalars[static_cast<int>(one)] = static_cast<uint32_t>(number(words[2]));
    else if (key == "v" && words.size() > 2)
      test_.vectors[static_cast<int>(one)] = values<uint32_t>(words, 2);
    else if (key == "exec")
      test_.exec = one;
    else if (key == "vcc")
      test_.vcc = one;
    else if (key == "scc")
      test_.scc = static_cast<uint32_t>(one);
    else if (key == "m0")
      test_.m0 = static_cast<uint32_t>(one);
    else if (key == "mode")
      test_.mode = static_cast<uint32_t>(one);
    else if (key == "lds")
      test_.lds = values<uint32_t>(words, 1);
    else if (key == "memory" && words.size() > 2 && (words[1][0] == 's' || words[1][0] == 'v')) {
      (words[1][0] == 's' ? test_.memory_pointer : test_.memory_vector) = static_cast<int>(number(words[1].substr(1)));
      test_.memory = values<uint32_t>(words, 2);
    } else
      complain("\"" + key + "\" is not known here");
  }
  void read_expectation(const std::vector<std::string>& words) {
    const std::string& key = words[0];
    if (words.size() < 2) return complain("\"" + key + "\" without a value");
    if (key == "s")
      test_.expect_scalars[static_cast<int>(number(words[1]))] = values<ExpectedWord>(words, 2);
    else if (key == "v")
      test_.expect_vectors[static_cast<int>(number(words[1]))] = values<ExpectedWord>(words, 2);
    else if (key == "exec")
      test_.expect_exec = number(words[1]);
    else if (key == "vcc")
      test_.expect_vcc = number(words[1]);
    else if (key == "scc")
      test_.expect_scc = static_cast<uint32_t>(number(words[1]));
    else if (key == "m0")
      test_.expect_m0 = static_cast<uint32_t>(number(words[1]));
    else if (key == "lds")
      test_.expect_lds = values<ExpectedWord>(words, 1);
    else if (key == "memory")
      test_.expect_memory = values<ExpectedWord>(words, 1);
    else
      complain("\"" + key + "\" is not known here");
  }

  int line_ = 0;
  bool open_ = false, in_expect_ = false;
  std::vector<std::string> archs_;
  std::vector<int> waves_ = {0};
  std::string section_;
  InsnTest test_;
};

}  // namespace hipvault::test
