#pragma once
// The tables of the vault. A change of meaning raises kSchemaVersion and adds a step to Vault::migrate.

namespace hipvault::corpus {

inline constexpr const char* kSchema = R"sql(
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS blobs (
  hash TEXT PRIMARY KEY, kind TEXT NOT NULL, size INTEGER NOT NULL, zstd BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS ops (
  hash TEXT PRIMARY KEY REFERENCES blobs(hash), name TEXT NOT NULL, file TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS campaigns (
  id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, owner TEXT NOT NULL, state TEXT NOT NULL,
  seconds REAL NOT NULL, trials INTEGER NOT NULL, seed TEXT NOT NULL, settings TEXT NOT NULL, created_us INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS campaigns_by_key ON campaigns(key, state);
CREATE TABLE IF NOT EXISTS attempts (
  id INTEGER PRIMARY KEY AUTOINCREMENT, campaign INTEGER NOT NULL, agent TEXT NOT NULL, parent INTEGER NOT NULL,
  op TEXT NOT NULL, op_hash TEXT NOT NULL REFERENCES ops(hash), standard_hash TEXT NOT NULL, types TEXT NOT NULL, sizes TEXT NOT NULL,
  case_name TEXT NOT NULL, arch TEXT NOT NULL, gpu TEXT NOT NULL, device TEXT NOT NULL, cus INTEGER NOT NULL,
  toolchain TEXT NOT NULL, toolchain_hash TEXT NOT NULL, generator TEXT NOT NULL,
  schedule TEXT NOT NULL, family TEXT NOT NULL, steps TEXT NOT NULL,
  reached INTEGER NOT NULL, outcome TEXT NOT NULL, depth TEXT NOT NULL, reason TEXT NOT NULL,
  seconds TEXT NOT NULL, seeds TEXT NOT NULL, verdict TEXT NOT NULL, timing TEXT NOT NULL, time_us REAL,
  source_hash TEXT NOT NULL, code_object_hash TEXT NOT NULL, created_us INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS attempts_by_op ON attempts(op, gpu, reached, time_us);
CREATE INDEX IF NOT EXISTS attempts_by_campaign ON attempts(campaign);
)sql";

}  // namespace hipvault::corpus
