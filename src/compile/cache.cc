// One file an entry: a magic word, the hash of what follows, then the packed output. Writes are atomic
// (base/file_system), so two processes may share a folder; the hash catches what the disk damages.

#include "compile/cache.h"

#include "base/hash.h"
#include "base/json.h"
#include "compile/headers.h"
#include "compile/pack.h"

namespace hipvault::compile {
namespace {

constexpr std::string_view kMagic = "hipvault compile cache 1\n";
constexpr size_t kHashSize = 32;

Json to_json(const KernelResources& kernel) {
  return {{"kernel", kernel.kernel},
          {"vgprs", kernel.vgprs},
          {"agprs", kernel.agprs},
          {"sgprs", kernel.sgprs},
          {"vgpr_spills", kernel.vgpr_spills},
          {"sgpr_spills", kernel.sgpr_spills},
          {"lds_bytes", kernel.lds_bytes},
          {"scratch_bytes", kernel.scratch_bytes},
          {"kernarg_bytes", kernel.kernarg_bytes},
          {"max_group_size", kernel.max_group_size},
          {"wave_size", kernel.wave_size},
          {"occupancy", kernel.occupancy}};
}

// The entry passed its hash, so its fields are ours; value() still gives defaults for what is not there.
KernelResources resources_from_json(const Json& json) {
  KernelResources kernel;
  kernel.kernel = json.value("kernel", "");
  kernel.vgprs = json.value("vgprs", 0);
  kernel.agprs = json.value("agprs", 0);
  kernel.sgprs = json.value("sgprs", 0);
  kernel.vgpr_spills = json.value("vgpr_spills", 0);
  kernel.sgpr_spills = json.value("sgpr_spills", 0);
  kernel.lds_bytes = json.value("lds_bytes", int64_t{0});
  kernel.scratch_bytes = json.value("scratch_bytes", int64_t{0});
  kernel.kernarg_bytes = json.value("kernarg_bytes", int64_t{0});
  kernel.max_group_size = json.value("max_group_size", 0);
  kernel.wave_size = json.value("wave_size", 64);
  kernel.occupancy = json.value("occupancy", 0);
  return kernel;
}

std::string to_entry(const CompileOutput& output) {
  Json kernels = Json::array();
  for (const KernelResources& kernel : output.kernels) kernels.push_back(to_json(kernel));
  // Diagnostics may hold any byte of the source, so they stay out of the JSON.
  std::string body = pack(
      {output.ok ? "1" : "0", output.code_object, output.hash, output.diagnostics, output.toolchain, kernels.dump()});
  return std::string(kMagic) + hash_hex(body) + body;
}

std::optional<CompileOutput> from_entry(std::string_view entry) {
  if (!entry.starts_with(kMagic) || entry.size() < kMagic.size() + kHashSize) return std::nullopt;
  entry.remove_prefix(kMagic.size());
  std::string_view hash = entry.substr(0, kHashSize), body = entry.substr(kHashSize);
  std::vector<std::string> parts;
  if (hash_hex(body) != hash || !unpack(body, parts) || parts.size() != 6) return std::nullopt;
  Result<Json> kernels = parse_json(parts[5], "cache entry");
  if (!kernels) return std::nullopt;
  CompileOutput output;
  output.ok = parts[0] == "1";
  output.code_object = parts[1];
  output.hash = parts[2];
  output.diagnostics = parts[3];
  output.toolchain = parts[4];
  for (const Json& kernel : *kernels) output.kernels.push_back(resources_from_json(kernel));
  output.cached = true;
  return output;
}

}  // namespace

Cache::Cache(FileSystem& files, std::string directory) : files_(files), directory_(std::move(directory)) {}

std::string Cache::path(const std::string& key) const { return directory_ + "/" + key.substr(0, 2) + "/" + key; }

std::optional<CompileOutput> Cache::find(const std::string& key) {
  if (directory_.empty() || !files_.exists(path(key))) return std::nullopt;
  Result<std::string> entry = files_.read(path(key));
  if (!entry) return std::nullopt;
  std::optional<CompileOutput> output = from_entry(*entry);
  if (!output) (void)files_.remove(path(key));
  return output;
}

Status Cache::store(const std::string& key, const CompileOutput& output) {
  if (directory_.empty()) return {};
  if (Status made = files_.make_directories(directory_ + "/" + key.substr(0, 2)); !made) return made;
  return files_.write(path(key), to_entry(output));
}

std::string cache_key(const CompileRequest& request, const std::vector<std::string>& words,
                      const std::string& toolchain) {
  std::string headers;
  for (const ShippedHeader& header : shipped_headers()) headers += header.text;
  return hash_hex(pack({hash_hex(headers), request.source, request.file_name, request.arch, pack(request.flags),
                        pack(words), toolchain, std::string(kMagic)}));
}

}  // namespace hipvault::compile
