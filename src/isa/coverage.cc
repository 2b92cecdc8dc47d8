#include "isa/coverage.h"

#include <algorithm>
#include <map>
#include <set>

#include "isa/opcodes.h"
#include "isa/program.h"
#include "target/target.h"

namespace hipvault::isa {
namespace {

// What a compute kernel cannot use: images and samplers, ray tracing, exports, attribute interpolation, streamout.
bool is_out_of_scope(const std::string& mnemonic) {
  for (const char* prefix : {"image_", "exp", "export", "v_interp", "lds_direct", "lds_param", "ds_direct_load",
                             "ds_param_load", "ds_bvh_", "ds_ordered_count", "s_ttracedata", "ds_append", "ds_consume"})
    if (mnemonic.starts_with(prefix) && !(mnemonic.starts_with("exp") && mnemonic != "exp" && mnemonic != "export"))
      return true;
  return mnemonic == "s_wait_bvhcnt" || mnemonic == "s_wait_samplecnt" || mnemonic == "s_wait_expcnt";
}

// Buffer accesses that report pages which are not there: part of sparse textures.
bool is_texture(const OpcodeSample& sample) { return sample.text.ends_with(" tfe"); }

struct Tally {
  bool bound = true;
  std::string example, why;
};

void count_program(const Program& program, std::map<std::string, Tally>& tallies) {
  for (size_t i = 0; i < program.decoded.size(); ++i) {
    const Decoded& decoded = program.decoded[i];
    std::vector<std::string> names = {decoded.mnemonic};
    for (const Decoded& part : decoded.parts) names.push_back(part.mnemonic);
    if (!decoded.parts.empty()) names.erase(names.begin());
    for (const std::string& name : names) {
      Tally& tally = tallies[name];
      if (tally.example.empty()) tally.example = decoded.text;
      if (program.problems[i].empty() || !tally.bound) continue;
      tally.bound = false;
      tally.example = decoded.text;
      tally.why = program.problems[i];
    }
  }
}

}  // namespace

Result<Coverage> coverage_of(const std::string& name) {
  const target::Arch* arch = target::find_arch(name);
  if (!arch) return fail("target.unknown-gpu", "there is no arch named \"" + name + "\"");
  Coverage coverage;
  coverage.arch = name;
  coverage.wave_sizes = arch->wave_sizes;
  std::map<std::string, Tally> tallies;
  std::set<std::string> opcodes;
  for (int wave_size : arch->wave_sizes) {
    Result<std::vector<OpcodeSample>> samples = list_opcodes(name, wave_size);
    if (!samples) return fail(samples.error());
    // What follows the start of gfx9's indexing mode is refused for standing there: it comes last.
    std::stable_partition(samples->begin(), samples->end(), [](const OpcodeSample& sample) {
      return sample.text.find("s_set_gpr_idx_on") == std::string::npos;
    });
    std::erase_if(*samples, is_texture);
    std::string code;
    for (const OpcodeSample& sample : *samples) code += sample.bytes, opcodes.insert(sample.opcode);
    Result<std::shared_ptr<const Program>> program = program_of_code(code, name, wave_size);
    if (!program) return fail(program.error());
    count_program(**program, tallies);
  }
  coverage.encodings = static_cast<int>(opcodes.size());
  coverage.mnemonics = static_cast<int>(tallies.size());
  for (const auto& [mnemonic, tally] : tallies) {
    if (is_out_of_scope(mnemonic))
      coverage.out_of_scope_names.push_back(mnemonic);
    else if (tally.bound)
      ++coverage.modelled, coverage.modelled_names.push_back(mnemonic);
    else
      coverage.missing.push_back({mnemonic, tally.example, tally.why});
  }
  coverage.out_of_scope = static_cast<int>(coverage.out_of_scope_names.size());
  return coverage;
}

Result<std::vector<Coverage>> coverage_of_all() {
  std::vector<Coverage> all;
  for (const target::Arch& arch : target::simulated_archs()) {
    Result<Coverage> one = coverage_of(arch.name);
    if (!one) return fail(one.error());
    all.push_back(std::move(*one));
  }
  return all;
}

}  // namespace hipvault::isa
