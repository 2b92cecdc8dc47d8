// Content-addressed texts: zstd level 3 (a 6 kB kernel becomes about 2 kB in 30 us), keyed by the hash of the plain
// bytes.

#include <zstd.h>

#include "base/hash.h"
#include "corpus/vault.h"

namespace hipvault::corpus {
namespace {

Result<std::string> compress(std::string_view bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3);
  if (ZSTD_isError(size)) return fail("vault.zstd", std::string("cannot compress: ") + ZSTD_getErrorName(size));
  packed.resize(size);
  return packed;
}

Result<std::string> decompress(std::string_view packed, size_t size) {
  std::string bytes(size, '\0');
  size_t got = ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) || got != size)
    return fail("vault.corrupt", "a stored text does not unpack", "the vault file is damaged");
  return bytes;
}

}  // namespace

Result<std::string> Vault::store_blob(std::string_view bytes, const std::string& kind) {
  std::string hash = hash_hex(bytes);
  Result<Statement> find = database_->prepare("SELECT 1 FROM blobs WHERE hash = ?");
  if (!find) return fail(find.error());
  Result<bool> there = find->text(hash).step();
  if (!there) return fail(there.error());
  if (*there) return hash;
  Result<std::string> packed = compress(bytes);
  if (!packed) return fail(packed.error());
  Result<Statement> insert =
      database_->prepare("INSERT OR IGNORE INTO blobs(hash, kind, size, zstd) VALUES(?, ?, ?, ?)");
  if (!insert) return fail(insert.error());
  Status done = insert->text(hash).text(kind).integer(static_cast<int64_t>(bytes.size())).bytes(*packed).run();
  if (!done) return fail(done.error());
  return hash;
}

Result<std::string> Vault::load_blob(const std::string& hash) {
  Result<Statement> find = database_->prepare("SELECT size, zstd FROM blobs WHERE hash = ?");
  if (!find) return fail(find.error());
  Result<bool> there = find->text(hash).step();
  if (!there) return fail(there.error());
  if (!*there) return fail("vault.missing", "the vault has no content " + hash);
  Result<std::string> bytes = decompress(find->column_text(1), static_cast<size_t>(find->column_integer(0)));
  if (bytes && hash_hex(*bytes) != hash)
    return fail("vault.corrupt", "content " + hash + " does not match its name", "the vault file is damaged");
  return bytes;
}

Result<std::string> Vault::put_blob(std::string_view bytes, const std::string& kind) {
  std::lock_guard<std::mutex> lock(mutex_);
  return store_blob(bytes, kind);
}

Result<std::string> Vault::blob(const std::string& hash) {
  std::lock_guard<std::mutex> lock(mutex_);
  return load_blob(hash);
}

}  // namespace hipvault::corpus
