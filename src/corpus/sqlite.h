#pragma once
// A thin owner around SQLite: statements that bind and read by position, errors as Diagnostics that say what to do.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace hipvault::corpus {

class Statement {
 public:
  Statement(sqlite3* database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // Parameters, in order of the question marks.
  Statement& text(std::string_view value);
  Statement& bytes(std::string_view value);
  Statement& integer(int64_t value);
  Statement& real(double value);
  Statement& null();
  Statement& real_or_null(const std::optional<double>& value);

  Result<bool> step();  // true: a row is there
  Status run();         // to the end, rows ignored; then ready for new parameters

  std::string column_text(int column) const;
  int64_t column_integer(int column) const;
  double column_real(int column) const;
  bool column_is_null(int column) const;

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_;
  int next_ = 1;
};

struct DatabaseOptions {
  int busy_timeout_ms = 30000;  // how long a writer waits for another process
  int64_t max_bytes = 0;        // refuse to grow beyond this; 0: no limit
};

class Database {
 public:
  static Result<std::unique_ptr<Database>> open(const std::string& path, const DatabaseOptions& options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Status run(const std::string& sql);  // one or several statements without parameters
  Result<Statement> prepare(const std::string& sql);
  int64_t last_row() const;
  int64_t changes() const;

 private:
  Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  sqlite3* handle_;
  std::string path_;
};

// BEGIN IMMEDIATE … COMMIT; rolled back unless commit() was called and held.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(other.database_) { other.database_ = nullptr; }
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Status commit();

 private:
  explicit Transaction(Database* database) : database_(database) {}
  Database* database_;
};

}  // namespace hipvault::corpus
