#include "corpus/vault.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/hash.h"
#include "corpus/schema.h"

namespace hipvault::corpus {
namespace {

constexpr const char* kColumns =
    "a.id, a.campaign, a.agent, a.parent, a.op, a.op_hash, a.standard_hash, a.types, a.sizes, a.case_name, a.arch, "
    "a.gpu, a.device, "
    "a.cus, "
    "a.toolchain, a.generator, a.schedule, a.family, a.steps, a.reached, a.outcome, a.depth, a.reason, a.seconds, "
    "a.seeds, "
    "a.verdict, a.timing, a.time_us, a.source_hash, a.code_object_hash, a.created_us, o.file";

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// What our own tables hold is valid JSON; damage shows as an empty value and not as an exception.
Json parse(const std::string& text) { return Json::parse(text, nullptr, false); }

struct Condition {
  std::string sql;
  std::vector<std::string> texts;
};

void add_equal(Condition& condition, const char* column, const std::string& value) {
  if (value.empty()) return;
  condition.sql += fmt::format(" AND a.{} = ?", column);
  condition.texts.push_back(value);
}

Condition condition_of(const Filter& filter) {
  Condition condition{" WHERE 1", {}};
  add_equal(condition, "op", filter.op);
  add_equal(condition, "gpu", filter.gpu);
  add_equal(condition, "case_name", filter.case_name);
  add_equal(condition, "agent", filter.agent);
  add_equal(condition, "family", filter.family);
  add_equal(condition, "outcome", filter.outcome);
  add_equal(condition, "device", filter.device);
  if (!filter.types.empty()) add_equal(condition, "types", dump(Json(filter.types)));
  if (!filter.sizes.empty()) add_equal(condition, "sizes", dump(Json(filter.sizes)));
  if (filter.reached) condition.sql += fmt::format(" AND a.reached >= {}", static_cast<int>(*filter.reached));
  if (filter.campaign) condition.sql += fmt::format(" AND a.campaign = {}", *filter.campaign);
  return condition;
}

std::string select(const Condition& condition, const std::string& order, int64_t limit) {
  std::string sql = fmt::format("SELECT {} FROM attempts a JOIN ops o ON o.hash = a.op_hash{} ORDER BY {}", kColumns,
                                condition.sql, order);
  if (limit > 0) sql += fmt::format(" LIMIT {}", limit);
  return sql;
}

}  // namespace

Result<std::unique_ptr<Vault>> Vault::open(const std::string& path, const DatabaseOptions& options) {
  Result<std::unique_ptr<Database>> database = Database::open(path, options);
  if (!database) return fail(database.error());
  std::unique_ptr<Vault> vault(new Vault(std::move(*database)));
  Status ready = vault->migrate();
  if (!ready) return fail(ready.error());
  return vault;
}

Status Vault::migrate() {
  Result<Transaction> transaction = Transaction::begin(*database_);
  if (!transaction) return fail(transaction.error());
  Status made = database_->run(kSchema);
  if (!made) return made;
  Status version = database_->run(fmt::format("INSERT OR IGNORE INTO meta VALUES('schema', '{}')", kSchemaVersion));
  if (!version) return version;
  Result<Statement> query = database_->prepare("SELECT value FROM meta WHERE key = 'schema'");
  if (!query) return fail(query.error());
  Result<bool> row = query->step();
  if (!row) return fail(row.error());
  if (query->column_text(0) != std::to_string(kSchemaVersion))
    return fail("vault.schema",
                fmt::format("the vault has schema {}, this program knows {}", query->column_text(0), kSchemaVersion),
                "use the newer program, or another vault with --vault FILE");
  while (*row) {  // to the end, so that nothing is left open when the transaction ends
    row = query->step();
    if (!row) return fail(row.error());
  }
  return transaction->commit();
}

Result<int64_t> Vault::record(const Attempt& attempt) {
  std::lock_guard<std::mutex> lock(mutex_);
  Result<Transaction> transaction = Transaction::begin(*database_);
  if (!transaction) return fail(transaction.error());
  Result<std::string> op_hash = store_blob(attempt.op_text, "op");
  if (!op_hash) return fail(op_hash.error());
  Result<std::string> standard_hash = store_blob(attempt.standard, "op");
  if (!standard_hash) return fail(standard_hash.error());
  std::string source_hash;
  if (!attempt.source.empty()) {
    Result<std::string> stored = store_blob(attempt.source, "source");
    if (!stored) return fail(stored.error());
    source_hash = *stored;
  }
  Result<Statement> op = database_->prepare("INSERT OR IGNORE INTO ops(hash, name, file) VALUES(?, ?, ?)");
  if (!op) return fail(op.error());
  Status op_done = op->text(*op_hash).text(attempt.op).text(attempt.op_file).run();
  if (!op_done) return fail(op_done.error());
  Result<Statement> insert = database_->prepare(
      "INSERT INTO attempts(campaign, agent, parent, op, op_hash, standard_hash, types, sizes, case_name, arch, gpu, "
      "device, cus, "
      "toolchain, "
      "toolchain_hash, generator, schedule, family, steps, reached, outcome, depth, reason, seconds, seeds, verdict, "
      "timing, "
      "time_us, source_hash, code_object_hash, created_us) "
      "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  if (!insert) return fail(insert.error());
  insert->integer(attempt.campaign)
      .text(attempt.agent)
      .integer(attempt.parent)
      .text(attempt.op)
      .text(*op_hash)
      .text(*standard_hash);
  insert->text(dump(Json(attempt.types)))
      .text(dump(Json(attempt.sizes)))
      .text(attempt.case_name)
      .text(attempt.arch)
      .text(attempt.gpu);
  insert->text(attempt.device)
      .integer(attempt.cus)
      .text(attempt.toolchain)
      .text(hash_hex(attempt.toolchain))
      .text(attempt.generator);
  insert->text(attempt.schedule)
      .text(attempt.family)
      .text(dump(to_json(attempt.steps)))
      .integer(static_cast<int>(attempt.reached));
  insert->text(attempt.outcome)
      .text(attempt.depth)
      .text(attempt.reason)
      .text(dump(Json(attempt.seconds)))
      .text(dump(Json(attempt.seeds)));
  insert->text(dump(attempt.verdict)).text(dump(attempt.timing)).real_or_null(attempt.time_us);
  insert->text(source_hash).text(attempt.code_object_hash);
  insert->integer(attempt.created_us != 0 ? attempt.created_us : real_clock().unix_microseconds());
  Status done = insert->run();
  if (!done) return fail(done.error());
  int64_t id = database_->last_row();
  Status committed = transaction->commit();
  if (!committed) return fail(committed.error());
  return id;
}

Result<Attempt> Vault::read_row(Statement& row, bool with_texts) {
  Attempt a;
  int c = 0;
  a.id = row.column_integer(c++);
  a.campaign = row.column_integer(c++);
  a.agent = row.column_text(c++);
  a.parent = row.column_integer(c++);
  a.op = row.column_text(c++);
  std::string op_hash = row.column_text(c++), standard_hash = row.column_text(c++);
  Json types = parse(row.column_text(c++)), sizes = parse(row.column_text(c++));
  if (types.is_object()) a.types = types.get<std::map<std::string, std::string>>();
  if (sizes.is_object()) a.sizes = sizes.get<std::map<std::string, int64_t>>();
  a.case_name = row.column_text(c++);
  a.arch = row.column_text(c++);
  a.gpu = row.column_text(c++);
  a.device = row.column_text(c++);
  a.cus = static_cast<int>(row.column_integer(c++));
  a.toolchain = row.column_text(c++);
  a.generator = row.column_text(c++);
  a.schedule = row.column_text(c++);
  a.family = row.column_text(c++);
  Result<std::vector<Step>> steps = steps_from_json(parse(row.column_text(c++)));
  if (steps) a.steps = std::move(*steps);
  a.reached = static_cast<Reached>(row.column_integer(c++));
  a.outcome = row.column_text(c++);
  a.depth = row.column_text(c++);
  a.reason = row.column_text(c++);
  Json seconds = parse(row.column_text(c++)), seeds = parse(row.column_text(c++));
  if (seconds.is_object()) a.seconds = seconds.get<std::map<std::string, double>>();
  if (seeds.is_object()) a.seeds = seeds.get<std::map<std::string, uint64_t>>();
  a.verdict = parse(row.column_text(c++));
  a.timing = parse(row.column_text(c++));
  if (!row.column_is_null(c)) a.time_us = row.column_real(c);
  ++c;
  a.source_hash = row.column_text(c++);
  a.code_object_hash = row.column_text(c++);
  a.created_us = row.column_integer(c++);
  a.op_file = row.column_text(c++);
  if (!with_texts) return a;
  Result<std::string> op_text = load_blob(op_hash);
  if (!op_text) return fail(op_text.error());
  a.op_text = std::move(*op_text);
  Result<std::string> standard = load_blob(standard_hash);
  if (!standard) return fail(standard.error());
  a.standard = std::move(*standard);
  if (a.source_hash.empty()) return a;
  Result<std::string> source = load_blob(a.source_hash);
  if (!source) return fail(source.error());
  a.source = std::move(*source);
  return a;
}

Result<std::optional<Attempt>> Vault::find(int64_t id, bool with_texts) {
  Result<Statement> query = database_->prepare(select({fmt::format(" WHERE a.id = {}", id), {}}, "a.id", 1));
  if (!query) return fail(query.error());
  Result<bool> row = query->step();
  if (!row) return fail(row.error());
  if (!*row) return std::optional<Attempt>();
  Result<Attempt> attempt = read_row(*query, with_texts);
  if (!attempt) return fail(attempt.error());
  return std::optional<Attempt>(std::move(*attempt));
}

Result<Attempt> Vault::attempt(int64_t id) {
  std::lock_guard<std::mutex> lock(mutex_);
  Result<std::optional<Attempt>> found = find(id, true);
  if (!found) return fail(found.error());
  if (!*found)
    return fail("vault.no-attempt", fmt::format("the vault has no attempt {}", id),
                "`hipvault vault ls` lists the attempts");
  return std::move(**found);
}

Result<std::vector<Attempt>> Vault::list(const Filter& filter, bool with_texts) {
  std::lock_guard<std::mutex> lock(mutex_);
  Condition condition = condition_of(filter);
  std::string order = filter.order_by_time ? "a.time_us IS NULL, a.time_us, a.id" : "a.id DESC";
  Result<Statement> query = database_->prepare(select(condition, order, filter.limit));
  if (!query) return fail(query.error());
  for (const std::string& value : condition.texts) query->text(value);
  std::vector<Attempt> attempts;
  for (;;) {
    Result<bool> row = query->step();
    if (!row) return fail(row.error());
    if (!*row) return attempts;
    Result<Attempt> attempt = read_row(*query, with_texts);
    if (!attempt) return fail(attempt.error());
    attempts.push_back(std::move(*attempt));
  }
}

Result<std::vector<Attempt>> Vault::lineage(int64_t id) {
  std::vector<Attempt> line;
  Result<Attempt> first = attempt(id);
  if (!first) return fail(first.error());
  line.push_back(std::move(*first));
  std::lock_guard<std::mutex> lock(mutex_);
  while (line.back().parent != 0) {
    Result<std::optional<Attempt>> parent = find(line.back().parent, true);
    if (!parent) return fail(parent.error());
    if (!*parent || (*parent)->id >= line.back().id) break;  // parents are older: a damaged link ends the line
    line.push_back(std::move(**parent));
  }
  return line;
}

Result<std::optional<Attempt>> Vault::best(const Filter& filter) {
  Filter timed = filter;
  timed.reached = Reached::timed;
  timed.outcome = "pass";
  timed.order_by_time = true;
  timed.limit = 1;
  Result<std::vector<Attempt>> found = list(timed, true);
  if (!found) return fail(found.error());
  if (found->empty()) return std::optional<Attempt>();
  return std::optional<Attempt>(std::move(found->front()));
}

Result<int64_t> Vault::export_jsonl(const Filter& filter, const std::function<Status(const std::string&)>& sink) {
  std::lock_guard<std::mutex> lock(mutex_);
  Condition condition = condition_of(filter);
  Result<Statement> query = database_->prepare(select(condition, "a.id", filter.limit));
  if (!query) return fail(query.error());
  for (const std::string& value : condition.texts) query->text(value);
  int64_t lines = 0;
  for (;;) {
    Result<bool> row = query->step();
    if (!row) return fail(row.error());
    if (!*row) return lines;
    Result<Attempt> attempt = read_row(*query, true);
    if (!attempt) return fail(attempt.error());
    Status written = sink(dump(to_json(*attempt)) + "\n");
    if (!written) return fail(written.error());
    ++lines;
  }
}

Status Vault::save_judgement(int64_t id, const Attempt& judged) {
  std::lock_guard<std::mutex> lock(mutex_);
  Result<Statement> update = database_->prepare(
      "UPDATE attempts SET reached = ?, outcome = ?, depth = ?, reason = ?, verdict = ?, timing = ?, time_us = ?, "
      "seconds = ?, seeds = ?, toolchain = ?, toolchain_hash = ?, code_object_hash = ? WHERE id = ?");
  if (!update) return fail(update.error());
  update->integer(static_cast<int>(judged.reached)).text(judged.outcome).text(judged.depth).text(judged.reason);
  update->text(dump(judged.verdict)).text(dump(judged.timing)).real_or_null(judged.time_us);
  update->text(dump(Json(judged.seconds))).text(dump(Json(judged.seeds)));
  update->text(judged.toolchain).text(hash_hex(judged.toolchain));
  return update->text(judged.code_object_hash).integer(id).run();
}

}  // namespace hipvault::corpus
