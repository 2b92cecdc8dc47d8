// hipvault_mutate [--ops FOLDER] [--per-fault N] [--threads N] [--json OUT] [--depth quick|full] FILES…
//
// How good is the judge? Plants one fault at a time into kernels that pass (each FILE is a HIP source with its plan),
// and counts which mutants it catches. A mutant whose machine code equals the original's is equivalent and dropped; one
// that does not compile says nothing and is dropped too. What remains is killed or survives; survivors are listed with
// the line.
//
// test/mutation/equivalent.txt lists mutants whose machine code differs but which compute the same, with the reason:
//
//   op | fault | part of the line before | part of the line after | reason
//
// `*` stands for any op. A survivor that matches a line in all four is counted as "proven equivalent", and shown with
// the reason.
//
// Exit status: 0 if every original passes and no mutant survives, 1 otherwise, 2 for bad usage.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include "base/clock.h"
#include "base/json.h"
#include "base/thread_pool.h"
#include "mutation/operators.h"
#include "support/hip_candidate.h"

namespace hipvault::mutation {
namespace {

struct Options {
  std::string ops = std::string(HIPVAULT_SOURCE_DIR) + "/ops", json;
  int per_fault = 4, threads = 2;
  verify::Depth depth = verify::Depth::full;
  std::vector<std::string> files;
};

// One line of equivalent.txt.
struct Equivalent {
  std::string op, fault, before, after, reason;
};

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(" \t"));
  text.erase(text.find_last_not_of(" \t\r") + 1);
  return text;
}

std::vector<Equivalent> known_equivalents() {
  std::vector<Equivalent> known;
  std::istringstream lines(test::text_of_file(std::string(HIPVAULT_SOURCE_DIR) + "/test/mutation/equivalent.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields;
    for (size_t begin = 0; fields.size() < 4 && begin != std::string::npos;) {
      size_t end = line.find(" | ", begin);
      fields.push_back(trimmed(line.substr(begin, end == std::string::npos ? end : end - begin)));
      begin = end == std::string::npos ? end : end + 3;
      if (fields.size() == 4 && begin != std::string::npos) fields.push_back(trimmed(line.substr(begin)));
    }
    if (fields.size() == 5 && !fields[4].empty())
      known.push_back({fields[0], fields[1], fields[2], fields[3], fields[4]});
  }
  return known;
}

struct Fate {
  std::string state;  // "killed", "survived", "equivalent", "not compiled", "trouble"
  std::string how;    // outcome and message
};

// What the machine executes: the bytes of the sections that are loaded, without names and line tables.
std::string machine_code(const std::string& elf) {
  std::string code;
  auto number = [&](size_t at, int bytes) {
    uint64_t value = 0;
    if (at + static_cast<size_t>(bytes) <= elf.size()) std::memcpy(&value, elf.data() + at, static_cast<size_t>(bytes));
    return value;
  };
  uint64_t sections = number(0x28, 8), size = number(0x3a, 2), count = number(0x3c, 2), names = number(0x3e, 2);
  uint64_t strings = number(sections + names * size + 0x18, 8);
  for (uint64_t at = 0; at < count; ++at) {
    uint64_t header = sections + at * size;
    std::string name = elf.c_str() + std::min<uint64_t>(strings + number(header, 4), elf.size());
    if (name != ".text" && name != ".rodata") continue;
    uint64_t offset = number(header + 0x18, 8), length = number(header + 0x20, 8);
    if (offset <= elf.size()) code += name + elf.substr(offset, length);
  }
  return code;
}

class FileRun {
 public:
  FileRun(const Options& options, std::string file) : options_(options), file_(std::move(file)) {}

  // False, with words on stderr, if the original cannot be judged or does not pass.
  bool run(Json& report) {
    source_ = test::text_of_file(file_);
    Result<Plan> plan = print::plan_in_source(source_);
    if (!plan) return complain(plan.error());
    plan_ = *plan;
    Result<ir::Program> program = test::program_of(plan_, options_.ops);
    if (!program) return complain(program.error());
    judge_ = std::make_unique<verify::Judge>(*program);
    if (!judge_original()) return false;
    mutants_ = make_mutants(source_, options_.per_fault);
    fates_.resize(mutants_.size());
    std::atomic<int> thread{0};
    parallel_for(options_.threads, options_.threads, [&](int64_t) { work(thread++); });
    describe(report);
    return true;
  }

  size_t count(const std::string& state) const {
    return static_cast<size_t>(
        std::count_if(fates_.begin(), fates_.end(), [&](const Fate& fate) { return fate.state == state; }));
  }

 private:
  bool complain(const Diagnostic& why) const {
    std::fprintf(stderr, "%s: %s\n", file_.c_str(), render(why).c_str());
    return false;
  }

  verify::JudgeOptions judging(verify::Depth depth) const {
    verify::JudgeOptions options;
    options.depth = depth;
    options.seed = 20261130;  // the same inputs for all mutants: references are paid for once
    return options;
  }

  bool judge_original() {
    Result<std::unique_ptr<test::HipTrial>> trial = test::HipTrial::open("mi300x", plan_.arch);
    if (!trial) return complain(trial.error());
    Result<compile::CompileOutput> compiled = (*trial)->compile(source_);
    if (!compiled) return complain(compiled.error());
    if (!compiled->ok)
      return complain({"mutate.original", "the original does not compile: " + compiled->diagnostics, "", {}});
    original_ = machine_code(compiled->code_object);
    Result<Verdict> verdict = (*trial)->judge(*judge_, plan_, compiled->code_object, judging(options_.depth));
    if (!verdict) return complain(verdict.error());
    if (!verdict->passed())
      return complain({"mutate.original", "the original does not pass: " + verdict->message, "", {}});
    std::printf("%s: original passes (%s)\n", file_.c_str(), verdict->message.c_str());
    std::fflush(stdout);
    return true;
  }

  void work(int) {
    Result<std::unique_ptr<test::HipTrial>> trial = test::HipTrial::open("mi300x", plan_.arch);
    for (size_t at = next_++; at < mutants_.size(); at = next_++) {
      fates_[at] = trial ? fate_of(mutants_[at], **trial) : Fate{"trouble", trial.error().message};
      show(at);
    }
  }

  Fate fate_of(const Mutant& mutant, test::HipTrial& trial) {
    Result<compile::CompileOutput> compiled = trial.compile(mutant.source);
    if (!compiled) return {"trouble", compiled.error().message};
    if (!compiled->ok) return {"not compiled", ""};
    std::string code = machine_code(compiled->code_object);
    if (code == original_) return {"equivalent", ""};
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!seen_.insert(code).second) return {"equivalent", "same code as another mutant"};
    }
    for (verify::Depth depth : {verify::Depth::quick, options_.depth}) {
      Result<Verdict> verdict = trial.judge(*judge_, plan_, compiled->code_object, judging(depth));
      if (!verdict) return {"trouble", verdict.error().message};
      if (!verdict->passed()) return {"killed", std::string(name(verdict->outcome)) + ": " + verdict->message};
    }
    for (const Equivalent& known : known_equivalents()) {
      if ((known.op == "*" || known.op == plan_.op) && known.fault == mutant.fault &&
          mutant.before.find(known.before) != std::string::npos && mutant.after.find(known.after) != std::string::npos)
        return {"proven equivalent", known.reason};
    }
    return {"survived", ""};
  }

  // At once: a run takes an hour, and a survivor is worth looking at while it goes on.
  void show(size_t at) {
    const Mutant& mutant = mutants_[at];
    const Fate& fate = fates_[at];
    if (fate.state != "survived" && fate.state != "trouble" && fate.state != "proven equivalent") return;
    std::lock_guard<std::mutex> lock(mutex_);
    std::printf("  %s: %s, line %d\n    - %s\n    + %s\n%s", fate.state.c_str(), mutant.fault.c_str(), mutant.line,
                mutant.before.c_str(), mutant.after.c_str(),
                fate.how.empty() ? "" : ("    " + fate.how + "\n").c_str());
    std::fflush(stdout);
  }

  void describe(Json& report) const {
    Json mutants = Json::array();
    for (size_t at = 0; at < mutants_.size(); ++at) {
      const Mutant& mutant = mutants_[at];
      mutants.push_back({{"fault", mutant.fault},
                         {"line", mutant.line},
                         {"before", mutant.before},
                         {"after", mutant.after},
                         {"state", fates_[at].state},
                         {"how", fates_[at].how}});
    }
    std::printf("  killed %zu, survived %zu, proven equivalent %zu, same code %zu, not compiled %zu, trouble %zu\n",
                count("killed"), count("survived"), count("proven equivalent"), count("equivalent"),
                count("not compiled"), count("trouble"));
    std::fflush(stdout);
    report.push_back({{"file", file_}, {"op", plan_.op}, {"mutants", mutants}});
  }

  const Options& options_;
  std::string file_, source_, original_;
  Plan plan_;
  std::unique_ptr<verify::Judge> judge_;
  std::vector<Mutant> mutants_;
  std::vector<Fate> fates_;
  std::atomic<size_t> next_{0};
  std::mutex mutex_;
  std::set<std::string> seen_;
};

bool read_options(int argc, char** argv, Options& options) {
  for (int at = 1; at < argc; ++at) {
    std::string word = argv[at];
    bool has_value = at + 1 < argc;
    if (word == "--ops" && has_value) {
      options.ops = argv[++at];
    } else if (word == "--json" && has_value) {
      options.json = argv[++at];
    } else if (word == "--per-fault" && has_value) {
      options.per_fault = std::max(1, std::atoi(argv[++at]));
    } else if (word == "--threads" && has_value) {
      options.threads = std::max(1, std::atoi(argv[++at]));
    } else if (word == "--depth" && has_value) {
      options.depth = std::string(argv[++at]) == "quick" ? verify::Depth::quick : verify::Depth::full;
    } else if (word.rfind("--", 0) == 0) {
      return false;
    } else {
      options.files.push_back(word);
    }
  }
  return !options.files.empty();
}

int run(const Options& options) {
  Json report = Json::array();
  size_t killed = 0, survived = 0, failed = 0;
  double started = real_clock().seconds();
  for (const std::string& file : options.files) {
    FileRun one(options, file);
    if (!one.run(report)) ++failed;
    killed += one.count("killed");
    survived += one.count("survived");
  }
  std::printf("%zu non-equivalent mutants: %zu killed, %zu survived; %zu originals not accepted; %.0f s\n",
              killed + survived, killed, survived, failed, real_clock().seconds() - started);
  if (!options.json.empty()) {
    std::ofstream(options.json)
        << Json{{"killed", killed}, {"survived", survived}, {"originals_refused", failed}, {"files", report}}.dump(1)
        << "\n";
  }
  return survived == 0 && failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hipvault::mutation

int main(int argc, char** argv) {
  hipvault::mutation::Options options;
  if (!hipvault::mutation::read_options(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: hipvault_mutate [--ops FOLDER] [--per-fault N] [--threads N] [--depth quick|full] [--json "
                 "OUT] FILES…\n");
    return 2;
  }
  return hipvault::mutation::run(options);
}
