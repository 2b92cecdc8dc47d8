#include "corpus/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/check.h"

namespace hipvault::corpus {
namespace {

std::string file_of(sqlite3* database) {
  const char* name = database == nullptr ? nullptr : sqlite3_db_filename(database, "main");
  return name == nullptr || *name == '\0' ? "the vault" : std::string("the vault ") + name;
}

// What went wrong in words, and what the user can do about it.
tl::unexpected<Diagnostic> sqlite_error(sqlite3* database, int code, const std::string& path = "") {
  std::string where = path.empty() ? file_of(database) : "the vault " + path;
  std::string why = database == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database);
  switch (code & 0xff) {
    case SQLITE_FULL:
      return fail("vault.full", where + " cannot grow: " + why,
                  "free some space on that disk, or choose another vault with --vault FILE; everything recorded before "
                  "is kept");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail("vault.busy", where + " is locked by another process: " + why,
                  "wait for the other run to end, or use another --vault FILE");
    case SQLITE_CANTOPEN:
      return fail("vault.open", "cannot open " + where + ": " + why, "check that the folder exists and can be written");
    case SQLITE_READONLY:
      return fail("vault.read-only", where + " cannot be written: " + why,
                  "see that the file and its folder can be written, or use another --vault FILE");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return fail("vault.corrupt", where + " is not a vault or is damaged: " + why,
                  "move the file away; a new one is made");
    case SQLITE_IOERR:
      return fail("vault.io", "reading or writing " + where + " failed: " + why,
                  "check the disk; a full disk can show as this too");
    default:
      return fail("vault.sql", where + ": " + why);
  }
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), statement_(other.statement_), next_(other.next_) {
  other.statement_ = nullptr;
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::text(std::string_view value) {
  sqlite3_bind_text(statement_, next_++, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
  return *this;
}
Statement& Statement::bytes(std::string_view value) {
  sqlite3_bind_blob64(statement_, next_++, value.data(), value.size(), SQLITE_TRANSIENT);
  return *this;
}
Statement& Statement::integer(int64_t value) {
  sqlite3_bind_int64(statement_, next_++, value);
  return *this;
}
Statement& Statement::real(double value) {
  sqlite3_bind_double(statement_, next_++, value);
  return *this;
}
Statement& Statement::null() {
  sqlite3_bind_null(statement_, next_++);
  return *this;
}
Statement& Statement::real_or_null(const std::optional<double>& value) { return value ? real(*value) : null(); }

Result<bool> Statement::step() {
  int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  auto error = sqlite_error(database_, code);
  sqlite3_reset(statement_);
  return error;
}

Status Statement::run() {
  for (;;) {
    Result<bool> row = step();
    if (!row) return fail(row.error());
    if (!*row) break;
  }
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  next_ = 1;
  return {};
}

std::string Statement::column_text(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  int size = sqlite3_column_bytes(statement_, column);
  return data == nullptr ? "" : std::string(static_cast<const char*>(data), static_cast<size_t>(size));
}
int64_t Statement::column_integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::column_real(int column) const { return sqlite3_column_double(statement_, column); }
bool Statement::column_is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

Result<std::unique_ptr<Database>> Database::open(const std::string& path, const DatabaseOptions& options) {
  sqlite3* handle = nullptr;
  int code = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX,
                             nullptr);
  std::unique_ptr<Database> database(new Database(handle, path));
  if (code != SQLITE_OK) return sqlite_error(handle, code, path);
  sqlite3_busy_timeout(handle, options.busy_timeout_ms);
  Status set = database->run("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;");
  if (!set) return fail(set.error());
  if (options.max_bytes > 0) {
    Status limit = database->run(fmt::format("PRAGMA max_page_count={}", options.max_bytes / 4096));
    if (!limit) return fail(limit.error());
  }
  return database;
}

Database::~Database() { sqlite3_close_v2(handle_); }

Status Database::run(const std::string& sql) {
  int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return sqlite_error(handle_, code, path_);
  return {};
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(handle_, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return sqlite_error(handle_, code, path_);
  return Statement(handle_, statement);
}

int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_); }
int64_t Database::changes() const { return sqlite3_changes(handle_); }

Result<Transaction> Transaction::begin(Database& database) {
  Status begun = database.run("BEGIN IMMEDIATE");
  if (!begun) return fail(begun.error());
  return Transaction(&database);
}

Transaction::~Transaction() {
  if (database_ != nullptr) (void)database_->run("ROLLBACK");  // what failed is already reported; the old state stands
}

Status Transaction::commit() {
  CHECK(database_ != nullptr) << "a transaction is committed once";
  Status done = database_->run("COMMIT");
  if (done) database_ = nullptr;
  return done;
}

}  // namespace hipvault::corpus
