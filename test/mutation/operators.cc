#include "mutation/operators.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace hipvault::mutation {
namespace {

struct Fault {
  const char* name;
  const char* pattern;      // one match is one mutant
  const char* replacement;  // of the match, with $1 …; "\n" alone: the line is emptied
};

// "#line" deletes the whole line. Patterns are tried at every position of a line, non-overlapping.
constexpr const char* kDeleteLine = "#line";
const Fault kFaults[] = {
    {"off-by-one bound", R"((\b\w+) < (\w+)\b(?!\s*\?))", "$1 <= $2"},
    {"off-by-one bound, short", R"((\b\w+) < ([A-Za-z]\w*)\b)", "$1 < $2 - 1"},
    {"missing mask on a load", R"(\b\w*inside\w* \? ([^:]+) : [^;,)]+)", "$1"},
    {"missing mask on a store", R"(if \(\w*inside\w*\) )", ""},
    {"half of a mask", R"((= )(\w*inside\w*) && (\w*inside\w*);)", "$1$2;"},
    {"other half of a mask", R"((= )(\w*inside\w*) && (\w*inside\w*);)", "$1$3;"},
    {"missing barrier", R"(^\s*(hv::barrier\(\)|__syncthreads\(\)|__builtin_amdgcn_s_barrier\(\));.*$)", kDeleteLine},
    {"wrong identity, sum", R"((fill<\d+>\(\w+, |carried\w*(\[r\])? = |: )0\.0f)", "$011.0f"},
    {"wrong identity, extreme", R"(-?__builtin_inff?\(\))", "0.0f"},
    {"swapped stride", R"(_stride_0\b(?=[\])) ]))", "_stride_1"},
    {"swapped stride, other way", R"(_stride_1\b(?=[\])) ]))", "_stride_0"},
    {"ignored stride", R"( \* \w+_stride_\d+)", ""},
    {"bf16 accumulator", R"((\w+(?:\[[^\]]+\])?) \+= ([^;]+);)", "$1 = (float)(__bf16)($1 + $2);"},
    {"accumulation overwritten", R"((\w+(?:\[[^\]]+\])?) \+= ([^;]+);)", "$1 = $2;"},
    {"accumulation dropped", R"(\w+(?:\[[^\]]+\])? \+= [^;]+;)", ";"},
    {"carried value lost", R"(carried\w*\[r\] \+ )", ""},
    {"wrong comparison", R"((\w+) > (\w+)( \?))", "$1 < $2$3"},
    {"wrong comparison, equal", R"((\w+) > (\w+)( \?))", "$1 >= $2$3"},
    {"other reduction, sum", R"(hv::Sum\b)", "hv::Max"},
    {"other reduction, max", R"(reduce<hv::Max)", "reduce<hv::Sum"},
    {"minus for plus", R"((\b[a-z]\w*(?:\[[^\]]+\])?) - (?=[a-z(]))", "$1 + "},
    {"factor dropped", R"((\b[a-z]\w*(?:\[[^\]]+\])?) \* ([a-z]\w*(?:\[[^\]]+\])?)(?=[;):]))", "$1"},
    {"divided for multiplied", R"(([a-z]\w*(?:\[[^\]]+\])?) / (?=[a-z]\w*\[?))", "$1 * "},
    {"low precision value", R"((const float \w+ = )([^;]+);)", "$1(float)(__bf16)($2);"},
    {"store left out", R"(^\s*(if \(\w+\) )?(\(?\w+( \+ [^)]*\))?|hv::store\w*[^;]*)\[[^\]]*stride[^;]*\] = [^;]+;$)",
     kDeleteLine},
    {"half the lanes store", R"(if \((\w*inside\w*)\) )", "if ($1 && thread % 2 == 0) "},
    {"first lane does not store", R"(if \((\w*inside\w*)\) )", "if ($1 && thread != 0) "},
    {"wrong loop step", R"((\w+) \+= (\d{2,})(l?)\))", "$1 += 2 * $2$3)"},
    {"loop starts late", R"(for \((int|i64) (\w+) = 0(l?); )", "for ($1 $2 = 1$3; "},
    {"loop ends early", R"(; r < (\d+); )", "; r < $1 - 1; "},
    {"wrong constant, lane", R"(thread % 64)", "thread % 32"},
    {"wrong constant, wave", R"(thread / 64)", "thread / 32"},
    {"wrong constant, stretch", R"(r \* (\d+))", "r * ($1 - 1)"},
    {"wrong constant, group", R"(program \* (\d+))", "program * ($1 - 1)"},
    {"shifted by one", R"((const (?:int|i64) \w+_i\d* = )([^;]+);)", "$1$2 + 1;"},
    {"row index lost", R"((\w+) \+ \w+_i\d* \* (\w+_stride_\d+))", "$1 + 0 * $2"},
    {"dropped reduction step", R"(^\s*value = Op::of\(value, dpp<\w+>\(value\)\);.*$)", kDeleteLine},
    {"wrong lane", R"((readlane\(\w+(?:\[k\])?, )63)", "$1$062"},
    {"wrong dpp pattern", R"(dpp<0x14[0-3]>)", "dpp<0xb1>"},
    {"LDS write left out", R"(^\s*(if \([^)]*\) )?\w*(parts|scratch|shared|part|lds|staged)\w*(\[[^\]]+\])+ = [^;]+;$)",
     kDeleteLine},
    {"LDS part written by the wrong lane", R"(if \(lane == (\d+)\))", "if (lane == $1 + 1)"},
    {"LDS part read from the wrong wave", R"((\w*(?:parts|scratch|shared|part)\w*)\[(\w+)\](?! =))", "$1[0]"},
    {"race on LDS", R"((\w*(?:parts|scratch|shared|part)\w*)\[(wave)\])", "$1[0]"},
    {"stale register", R"((\w+_v)\[r\] = )", "$1[0] = "},
    {"wrong element of a register tile", R"((\w+)\[r / (\d+)\])", "$1[0]"},
    {"exp left out", R"((hv::)?exp2?f?\(([^()]+)\))", "($2)"},
    {"maximum not subtracted", R"( - (\w*max\w*(?:\[[^\]]+\])?))", ""},
    {"wrong branch", R"((\w*inside\w*) \? ([^:;]+) : ([^;,)]+))", "$1 ? $3 : $2"},
};

bool host_begins(const std::string& line) {
  return line.find("!defined(HIPVAULT_DEVICE_ONLY)") != std::string::npos ||
         line.find("ndef HIPVAULT_DEVICE_ONLY") != std::string::npos;
}

// Which lines are device code that runs: from the first `__global__` or `namespace hv` on, until the host part.
std::vector<bool> mutable_lines(const std::vector<std::string>& lines) {
  std::vector<bool> allowed(lines.size(), false);
  bool device = false;
  for (size_t at = 0; at < lines.size(); ++at) {
    const std::string& line = lines[at];
    if (host_begins(line)) device = false;
    bool starts = line.find("__global__") != std::string::npos || line.rfind("namespace hv", 0) == 0;
    if (starts && line.find("#define") == std::string::npos) device = true;
    size_t first = line.find_first_not_of(' ');
    bool comment = first != std::string::npos && line.compare(first, 2, "//") == 0;
    bool signature = line.find("__restrict__") != std::string::npos || line.find("template") != std::string::npos;
    allowed[at] = device && !comment && !signature && first != std::string::npos && line[first] != '#';
  }
  return allowed;
}

std::string trimmed(const std::string& line) {
  size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first, 140);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// `$01` in a replacement is group 1 followed by a digit; std::regex reads it as group 01.
void mutate_line(const Fault& fault, const std::vector<std::string>& lines, size_t at, std::vector<Mutant>& made) {
  std::regex pattern(fault.pattern);
  const std::string& line = lines[at];
  for (std::sregex_iterator match(line.begin(), line.end(), pattern), end; match != end; ++match) {
    std::string changed;
    if (std::string(fault.replacement) != kDeleteLine) {
      changed = line.substr(0, static_cast<size_t>(match->position())) + match->format(fault.replacement) +
                line.substr(static_cast<size_t>(match->position() + match->length()));
    }
    if (changed == line) continue;
    std::vector<std::string> mutated = lines;
    mutated[at] = changed;
    made.push_back({fault.name, static_cast<int>(at) + 1, trimmed(line), trimmed(changed), joined(mutated)});
  }
}

}  // namespace

std::vector<Mutant> make_mutants(const std::string& source, int per_fault) {
  std::vector<std::string> lines;
  std::istringstream stream(source);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::vector<bool> allowed = mutable_lines(lines);
  std::vector<Mutant> kept;
  for (const Fault& fault : kFaults) {
    std::vector<Mutant> all;
    for (size_t at = 0; at < lines.size(); ++at) {
      if (allowed[at]) mutate_line(fault, lines, at, all);
    }
    size_t wanted = std::min(all.size(), static_cast<size_t>(per_fault));
    for (size_t pick = 0; pick < wanted; ++pick) kept.push_back(std::move(all[pick * all.size() / wanted]));
  }
  return kept;
}

std::vector<std::string> fault_names() {
  std::vector<std::string> names;
  for (const Fault& fault : kFaults) names.push_back(fault.name);
  return names;
}

}  // namespace hipvault::mutation
