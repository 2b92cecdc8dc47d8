#pragma once
// The vault: every attempt that was ever made, in one SQLite file. Write-ahead logging and a busy timeout let several
// runs share a vault; an attempt and the blobs it needs are one transaction, so a kill or a full disk loses at most the
// attempt being written and never leaves half of one.
//
// Sources and op texts are blobs: zstd, named by the hash of their content, stored once however often they recur.
//
//   Result<std::unique_ptr<Vault>> vault = Vault::open(".hipvault/vault.db");
//   Result<int64_t> id = (*vault)->record(attempt);
//   (*vault)->list({.op = "softmax", .reached = Reached::timed, .order_by_time = true});

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "corpus/attempt.h"
#include "corpus/sqlite.h"

namespace hipvault::corpus {

constexpr int kSchemaVersion = 1;

struct Filter {
  std::string op{}, gpu{}, case_name{}, agent{}, family{}, outcome{}, device{};  // "": any
  std::optional<Reached> reached{};                                              // at least this far
  std::optional<int64_t> campaign{};
  std::map<std::string, std::string> types{};  // all equal, when not empty
  std::map<std::string, int64_t> sizes{};      // all equal, when not empty
  bool order_by_time = false;                  // fastest first; else newest first
  int64_t limit = 0;                           // 0: all
};

// A search that can be taken up again: who runs it, how much of its budget it used.
struct Campaign {
  int64_t id = 0;
  std::string key{};    // hash of op, types, sizes, gpu, device, toolchain, generator and pins
  std::string owner{};  // of the process that runs it; "" when it ended
  std::string state{};  // "running", "done"
  double seconds = 0;   // of search, over all its runs
  int64_t trials = 0;
  uint64_t seed = 0;
  Json settings{};  // for people: op, case, gpu, budget, pins
  int64_t created_us = 0;
};

class Vault {
 public:
  // Makes the file and its tables if they are missing. An existing file of a newer schema is refused.
  static Result<std::unique_ptr<Vault>> open(const std::string& path, const DatabaseOptions& options = {});

  Result<int64_t> record(const Attempt& attempt);  // the new id
  Result<Attempt> attempt(int64_t id);             // with source and op text
  Result<std::vector<Attempt>> list(const Filter& filter, bool with_texts = false);
  Result<std::vector<Attempt>> lineage(int64_t id);           // the attempt, its parent, …, the first
  Result<std::optional<Attempt>> best(const Filter& filter);  // fastest attempt that was timed and passed
  // One JSON line an attempt, oldest first, streamed. The sink's error ends the export.
  Result<int64_t> export_jsonl(const Filter& filter, const std::function<Status(const std::string& line)>& sink);

  // Replaces what the attempt `id` reached by a deeper judgement: outcome, verdict, seeds, timing, seconds, code
  // object.
  Status save_judgement(int64_t id, const Attempt& judged);

  Result<int64_t> start_campaign(const Campaign& campaign);
  Result<std::optional<Campaign>> unfinished_campaign(const std::string& key);  // newest with state running
  // Takes a campaign over from a dead owner; false if somebody else was faster.
  Result<bool> adopt_campaign(int64_t id, const std::string& old_owner, const std::string& new_owner);
  Status save_campaign(const Campaign& campaign);

  Result<std::string> put_blob(std::string_view bytes, const std::string& kind);  // its hash
  Result<std::string> blob(const std::string& hash);

 private:
  explicit Vault(std::unique_ptr<Database> database) : database_(std::move(database)) {}
  Status migrate();
  Result<std::string> store_blob(std::string_view bytes, const std::string& kind);
  Result<std::string> load_blob(const std::string& hash);
  Result<Attempt> read_row(Statement& row, bool with_texts);
  Result<std::optional<Attempt>> find(int64_t id, bool with_texts);

  std::mutex mutex_;
  std::unique_ptr<Database> database_;
};

}  // namespace hipvault::corpus
