#include "sim/findings.h"

namespace hipvault::sim {

const char* name(FindingKind kind) {
  constexpr const char* kNames[] = {"out-of-bounds", "uninitialised-read", "race",         "barrier-divergence",
                                    "misaligned",    "read-only-write",    "missing-wait", "hazard"};
  return kNames[static_cast<int>(kind)];
}

bool FindingBook::note(FindingKind kind, const Site& site, uint64_t lanes) {
  auto [at, fresh] = entries_.try_emplace({site.instruction, kind});
  if (!fresh) {
    ++at->second.finding.count;
    return false;
  }
  const isa::Decoded& decoded =
      site.program->decoded[std::min<size_t>(site.instruction, site.program->decoded.size() - 1)];
  Finding& f = at->second.finding;
  at->second.group = site.group;
  f.kind = name(kind);
  f.kernel = *site.kernel;
  f.source = site.program->object.source_line(decoded.address);
  f.instruction = decoded.text;
  f.pc = decoded.address - site.entry;
  f.group = site.group_at;
  f.wave = site.wave;
  f.lanes = lanes;
  return true;
}

void FindingBook::describe(FindingKind kind, const Site& site, std::string message, int other_wave,
                           int64_t other_instruction) {
  Finding& f = entries_.at({site.instruction, kind}).finding;
  f.message = std::move(message);
  f.other_wave = other_wave;
  if (other_instruction < 0 || other_instruction >= static_cast<int64_t>(site.program->decoded.size())) return;
  const isa::Decoded& other = site.program->decoded[static_cast<size_t>(other_instruction)];
  f.other_source = site.program->object.source_line(other.address);
  f.message += "; the other side is `" + other.text + "`";
}

void FindingBook::merge(const FindingBook& other) {
  for (const auto& [key, entry] : other.entries_) {
    auto [at, fresh] = entries_.try_emplace(key, entry);
    if (fresh) continue;
    int64_t total = at->second.finding.count + entry.finding.count;
    if (entry.group < at->second.group) at->second = entry;
    at->second.finding.count = total;
  }
}

std::vector<Finding> FindingBook::findings() const {
  std::vector<Finding> all;
  for (const auto& [key, entry] : entries_) all.push_back(entry.finding);
  return all;
}

}  // namespace hipvault::sim
