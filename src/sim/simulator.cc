#include "sim/simulator.h"
#include "isa/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <set>
#include <thread>

#include "base/random.h"
#include "sim/group.h"
#include "sim/hazards.h"
#include "sim/kernarg.h"
#include "sim/unwritten.h"

namespace hipvault::sim {
namespace {

using Seconds = std::chrono::duration<double>;
using SteadyClock = std::chrono::steady_clock;

constexpr int64_t kDefaultSteps = 20'000'000'000;
constexpr int64_t kSlice = 400'000;           // wave-instructions before another group gets its turn on a host thread
constexpr size_t kResidentGroups = 64;        // of one host thread, when groups wait for each other
constexpr size_t kMaxRaceBytes = 256u << 20;  // larger buffers are not checked for races

constexpr int64_t kMaxScratchBytes = 256 << 20, kMaxGroups = 1 << 26;

// Decoding costs more than running a small kernel, and a judge runs one code object many times: the last few programs
// of this process are kept. Compared byte for byte, so that no forged hash can pass one kernel for another.
Result<std::shared_ptr<const isa::Program>> load_remembered(const std::string& bytes, const std::string& cpu) {
  struct Known {
    std::string bytes, cpu;
    std::shared_ptr<const isa::Program> program;
  };
  constexpr size_t kRemembered = 8, kLargest = 1 << 20;
  static std::mutex mutex;
  static std::list<Known> known;
  std::lock_guard<std::mutex> lock(mutex);
  for (auto at = known.begin(); at != known.end(); ++at) {
    if (at->bytes != bytes || at->cpu != cpu) continue;
    known.splice(known.begin(), known, at);
    return known.front().program;
  }
  Result<std::shared_ptr<const isa::Program>> program = isa::load_program(bytes, cpu);
  if (!program || bytes.size() > kLargest) return program;
  known.push_front({bytes, cpu, *program});
  if (known.size() > kRemembered) known.pop_back();
  return program;
}

// One run: programs, memory, results.
class Simulation {
 public:
  Simulation(const RunRequest& request, const target::Gpu& gpu)
      : request_(request), arch_(target::arch_of(gpu)), start_(SteadyClock::now()) {}
  Simulation(const RunRequest& request, const target::Gpu& gpu, const Residence& residence)
      : request_(request), arch_(target::arch_of(gpu)), start_(SteadyClock::now()), memory_(*residence.memory) {
    programs_.push_back(residence.program);
    image_bases_.push_back(residence.image_base);
    kernarg_ = residence.kernarg;
    packet_ = residence.packet;
    addresses_.hidden = residence.hidden;
    resident_ = true;
  }

  RunResult run() {
    if ((resident_ || (load() && place_buffers())) && prepare())
      for (size_t i = 0; i < request_.plan.launches.size() && ok(); ++i) launch(request_.plan.launches[i]);
    finish();
    return std::move(result_);
  }

 private:
  bool ok() const { return result_.run.status == RunStatus::completed; }
  bool end(RunStatus status, std::string message) {
    result_.run.status = status;
    result_.run.message = std::move(message);
    return false;
  }

  bool load() {
    for (const std::string& bytes : request_.code_objects) {
      Result<std::shared_ptr<const isa::Program>> program = load_remembered(bytes, arch_.name);
      if (!program) return end(RunStatus::launch_refused, program.error().message);
      if ((*program)->object.mach != arch_.elf_mach)
        return end(RunStatus::launch_refused, fmt::format("the code object is for another arch (e_flags {:#x}) than {}",
                                                          (*program)->object.flags, arch_.name));
      programs_.push_back(*program);
    }
    for (const auto& program : programs_) {
      std::string image = program->object.image;
      uint64_t base = kFirstSlot + (memory_.regions().size() << kSlotBits) + kSlotMargin;
      for (const isa::Relocation& r : program->object.relocations) {
        uint64_t value = base + static_cast<uint64_t>(r.addend);
        std::memcpy(image.data() + r.address, &value, 8);
      }
      bool writable = std::any_of(program->object.segments.begin(), program->object.segments.end(),
                                  [](const isa::Segment& s) { return s.writable; });
      image_bases_.push_back(memory_.add("the code object", image, writable).base);
    }
    return true;
  }

  void track(Region& region, bool initialised) {
    if (request_.check && !initialised) {
      region.track_initialised = true;
      region.initialised.assign(region.size + 64, 0);
    }
    if (request_.check && region.writable && region.size <= kMaxRaceBytes) {
      region.check_races = true;
      region.dword_cells = LazyPages((region.size + 64) * 2);
      region.byte_cells = LazyPages((region.size + 64) * 8);
    }
  }

  bool place_buffers() {
    for (const BufferRequest& buffer : request_.buffers) {
      int64_t size = std::max(buffer.size, static_cast<int64_t>(buffer.data.size()));
      if (buffer.valid_begin < 0 || buffer.valid_end < buffer.valid_begin || buffer.valid_end > size ||
          size >= static_cast<int64_t>(kSlotMargin))
        return end(RunStatus::launch_refused, "the valid bytes of buffer " + buffer.name + " do not lie in its data");
      Region& region = memory_.add(buffer.name, buffer.data, buffer.writable, static_cast<size_t>(size));
      region.valid_begin = static_cast<uint64_t>(buffer.valid_begin);
      region.valid_end = static_cast<uint64_t>(buffer.valid_end);
      track(region, buffer.initialised);
      if (!request_.only_groups.empty() && buffer.read_back) region.written.assign(region.size + 64, 0);
      buffers_.push_back(&region);
      addresses_.buffers.push_back(region.base + static_cast<uint64_t>(buffer.first_byte));
    }
    if (request_.plan.workspace_bytes < 0 || request_.plan.workspace_bytes >= static_cast<int64_t>(kSlotMargin))
      return end(RunStatus::launch_refused,
                 fmt::format("a workspace of {} bytes is not possible", request_.plan.workspace_bytes));
    Region& workspace =
        memory_.add("the workspace",
                    std::string(static_cast<size_t>(std::min<int64_t>(request_.plan.workspace_bytes, 1 << 20)),
                                static_cast<char>(request_.workspace_poison)),
                    true, static_cast<size_t>(request_.plan.workspace_bytes));
    track(workspace, false);
    workspace_ = &workspace;
    addresses_.workspace = workspace.base;
    kernarg_ = &memory_.add("the kernel arguments", "", false);
    packet_ = &memory_.add("the dispatch packet", std::string(64, '\0'), false);
    return true;
  }

  bool prepare() {
    addresses_.shared_base = kSharedAperture;
    addresses_.private_base = kPrivateAperture;
    steps_left_ = request_.step_budget > 0 ? request_.step_budget : kDefaultSteps;
    return true;
  }

  bool clear_workspace(const ResolvedLaunch& request) {
    for (auto [offset, size] : request.clear) {
      if (offset < 0 || size < 0 || offset + size > request_.plan.workspace_bytes)
        return end(RunStatus::launch_refused, "the plan clears bytes outside of its workspace");
      std::fill_n(workspace_->at(static_cast<uint64_t>(offset)), size, 0);
      if (workspace_->track_initialised) std::fill_n(workspace_->initialised.begin() + offset, size, 1);
    }
    return true;
  }

  // Limits of the gpu and of the kernel's own launch bounds.
  std::string refusal(const isa::KernelInfo& kernel, const ResolvedLaunch& request, int64_t lds, int64_t waves) const {
    if (request.block < 1 || request.block_y < 1 || request.block_z < 1 || request.items() > arch_.max_group_size)
      return fmt::format("a work-group of {} work-items; {} allows {}", request.items(), arch_.name,
                         arch_.max_group_size);
    if (request.items() > kernel.max_group_size)
      return fmt::format("a work-group of {} work-items; {} was compiled for at most {}", request.items(), kernel.name,
                         kernel.max_group_size);
    if (request.dynamic_lds < 0 || lds > arch_.lds_bytes)
      return fmt::format("{} needs {} bytes of LDS; {} has {} a work-group", kernel.name, lds, arch_.name,
                         arch_.lds_bytes);
    int granule = std::max(1, arch_.vgpr_granule);
    int64_t registers = (kernel.vgpr_count + granule - 1) / granule * granule,
            per_simd = (waves + arch_.simds_per_cu - 1) / arch_.simds_per_cu;
    if (registers * per_simd > arch_.vgpr_pool)
      return fmt::format("{} needs {} vector registers for each of {} waves a SIMD; {} has {}", kernel.name, registers,
                         per_simd, arch_.name, arch_.vgpr_pool);
    if (std::find(arch_.wave_sizes.begin(), arch_.wave_sizes.end(), kernel.wave_size) == arch_.wave_sizes.end())
      return fmt::format("waves of {} lanes; {} has none", kernel.wave_size, arch_.name);
    if (kernel.scratch_bytes * waves * isa::kLanes > kMaxScratchBytes)
      return fmt::format("{} needs {} bytes of scratch a work-item; at most 256 MiB a work-group are modelled",
                         kernel.name, kernel.scratch_bytes);
    for (int64_t size : request.grid)
      if (size < 0 || size > INT32_MAX) return "a grid of more than 2^31 work-groups along an axis";
    return "";
  }

  void launch(const ResolvedLaunch& request) {
    SteadyClock::time_point begin = SteadyClock::now();
    size_t at = 0;
    const isa::KernelInfo* kernel = nullptr;
    for (size_t i = 0; i < programs_.size() && !kernel; ++i)
      kernel = programs_[at = i]->object.find_kernel(request.kernel);
    if (!kernel) return void(end(RunStatus::launch_refused, "no code object has a kernel named " + request.kernel));
    int64_t lds = kernel->lds_bytes + request.dynamic_lds,
            waves = (request.items() + kernel->wave_size - 1) / kernel->wave_size;
    if (std::string why = refusal(*kernel, request, lds, waves); !why.empty())
      return void(end(RunStatus::launch_refused, why));
    if (kernel->wave_size != programs_[at]->wave_size)
      return void(end(RunStatus::not_modelled, "not modelled: a code object whose kernels have different wave sizes"));
    if (!programs_[at]->at(kernel->entry_address))
      return void(end(RunStatus::launch_refused, "no instruction begins at the entry of " + kernel->name));
    if (!clear_workspace(request)) return;
    Result<std::string> block = make_kernarg(*kernel, request, request_, addresses_);
    if (!block) return void(end(RunStatus::launch_refused, block.error().message));
    place_arguments(*kernel, request, *block, image_bases_[at]);
    Launch launch;
    launch.program = programs_[at].get();
    launch.kernel = kernel;
    launch.request = &request;
    launch.arch = &arch_;
    launch.memory = &memory_;
    launch.image_base = image_bases_[at];
    launch.kernarg = kernarg_->base;
    launch.dispatch_packet = packet_->base;
    launch.lds_bytes = lds;
    launch.waves = static_cast<int>(waves);
    launch.wave_size = kernel->wave_size;
    launch.check = request_.check;
    launch.exact = request_.exact;
    launch.count_lines = request_.count_lines;
    launch.poison = request_.workspace_poison;
    launch.order_seed = request_.wave_order_seed;
    launch.deadline = start_ + std::chrono::duration_cast<SteadyClock::duration>(
                                   Seconds(request_.deadline_s > 0 ? request_.deadline_s : 1e9));
    std::shared_ptr<const WaitPlan> waits = request_.check ? wait_plan_of(programs_[at]) : nullptr;
    if (waits && waits->watch) launch.waits = waits.get();
    run_groups(launch, begin, request_.check ? *hazards_of(programs_[at]) : Hazards(),
               request_.check ? *unwritten_reads_of(programs_[at]) : UnwrittenReads());
  }

  // Hazards of the code that ran; they are the same for every wave.
  void note_hazards(const Launch& launch, const Hazards& hazards, const std::vector<int64_t>& executed) {
    for (const Hazard& h : hazards) {
      auto ran = [&](uint32_t i) { return i < executed.size() && executed[i] > 0; };
      if (!ran(h.first) || !ran(h.second) || !std::all_of(h.between.begin(), h.between.end(), ran)) continue;
      Site site{launch.program, &launch.kernel->name, launch.kernel->entry_address, h.second, 0, {}, 0};
      if (book(*launch.program).note(FindingKind::hazard, site, 0))
        book(*launch.program)
            .describe(FindingKind::hazard, site,
                      fmt::format("{} after {} wait states, {} are needed (s_nop)", h.what, h.present, h.needed), -1,
                      h.first);
    }
  }

  // Loads of arguments may be wider than the block; the bytes behind it are zero and belong to it.
  void place_arguments(const isa::KernelInfo& kernel, const ResolvedLaunch& request, const std::string& block,
                       uint64_t image_base) {
    kernarg_->assign(block, block.size() + 64);
    kernarg_->valid_end = kernarg_->size;
    std::string packet = make_dispatch_packet(kernel, request, image_base + kernel.descriptor_address, kernarg_->base);
    packet_->assign(packet, packet.size());
  }

  std::vector<int64_t> groups_to_run(int64_t total) const {
    std::vector<int64_t> groups;
    if (request_.only_groups.empty()) {
      groups.resize(static_cast<size_t>(total));
      for (size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<int64_t>(i);
    } else {
      std::set<int64_t> wanted(request_.only_groups.begin(), request_.only_groups.end());
      for (int64_t g : wanted)
        if (g >= 0 && g < total) groups.push_back(g);
    }
    // Hardware starts groups in order but they run past each other: shuffled within windows of what is resident.
    if (request_.wave_order_seed) {
      Random random(request_.wave_order_seed);
      for (size_t begin = 0; begin < groups.size(); begin += kResidentGroups) {
        size_t count = std::min(kResidentGroups, groups.size() - begin);
        for (size_t i = count; i > 1; --i) std::swap(groups[begin + i - 1], groups[begin + random.below(i)]);
      }
    }
    return groups;
  }

  void note_unwritten(const Launch& launch, const UnwrittenReads& unwritten, const std::vector<int64_t>& executed) {
    for (const UnwrittenRead& read : unwritten) {
      if (read.instruction >= executed.size() || !executed[read.instruction]) continue;
      Site site{launch.program, &launch.kernel->name, launch.kernel->entry_address, read.instruction, 0, {}, 0};
      if (book(*launch.program).note(FindingKind::uninitialised_read, site, 0))
        book(*launch.program)
            .describe(FindingKind::uninitialised_read, site,
                      fmt::format("it reads {}, which nothing has written", read.registers));
    }
  }

  void run_groups(Launch& launch, SteadyClock::time_point begin, const Hazards& hazards,
                  const UnwrittenReads& unwritten) {
    const ResolvedLaunch& request = *launch.request;
    int64_t total = request.grid[0] * request.grid[1] * request.grid[2];
    LaunchProfile profile = profile_of(launch, total);
    if (total > kMaxGroups && request_.only_groups.empty())
      return void(end(RunStatus::launch_refused, fmt::format("{} work-groups are too many to execute", total)));
    std::vector<int64_t> groups = total == 0 ? std::vector<int64_t>() : groups_to_run(total);
    FenceClock fences(total);
    std::atomic<bool> stop{false};
    launch.fences = &fences;
    launch.stop = &stop;
    launch.steps_left = &steps_left_;
    launch.threads = std::max(1, std::min(request_.threads, static_cast<int>(std::min<size_t>(groups.size(), 256))));
    begin_launch(launch);
    Counters counters;
    std::atomic<size_t> next{0};
    std::mutex mutex;
    auto work = [&] { run_on_thread(launch, groups, next, mutex, counters); };
    std::vector<std::thread> pool;
    for (int t = 1; t < launch.threads; ++t) pool.emplace_back(work);
    work();
    for (std::thread& thread : pool) thread.join();
    note_hazards(launch, hazards, counters.executed);
    note_unwritten(launch, unwritten, counters.executed);
    record_counts(*launch.program, counters, profile);
    profile.seconds = Seconds(SteadyClock::now() - begin).count();
    result_.run.launches.push_back(std::move(profile));
  }

  // Groups run one after the other; one that has used its slice and may be waiting for another shares the thread with
  // new ones.
  void run_on_thread(const Launch& launch, const std::vector<int64_t>& groups, std::atomic<size_t>& next,
                     std::mutex& mutex, Counters& counters) {
    std::vector<std::unique_ptr<Group>> resident, idle;
    bool more = true;
    while (more || !resident.empty()) {
      if (more && resident.size() < kResidentGroups) {
        size_t i = next.fetch_add(1);
        more = i < groups.size();
        if (more) {
          if (idle.empty()) idle.push_back(std::make_unique<Group>(launch));
          resident.push_back(std::move(idle.back()));
          idle.pop_back();
          resident.back()->start(groups[i]);
        }
      }
      for (size_t i = 0; i < resident.size();) {
        GroupState state = resident[i]->run(kSlice);
        if (state == GroupState::running) {
          ++i;
          continue;
        }
        if (state == GroupState::stopped) more = false;
        idle.push_back(std::move(resident[i]));
        resident.erase(resident.begin() + static_cast<int64_t>(i));
      }
    }
    std::lock_guard<std::mutex> lock(mutex);
    for (const std::unique_ptr<Group>& group : idle) {
      book(*launch.program).merge(group->book());
      counters.add(group->counters());
      if (group->stop_status() != RunStatus::completed && ok()) end(group->stop_status(), group->stop_message());
    }
  }

  FindingBook& book(const isa::Program& program) { return books_[&program]; }

  void begin_launch(const Launch& launch) {
    for (const std::unique_ptr<Region>& region : memory_.regions()) {
      if (region->check_races) {
        region->dword_cells.clear();
        region->byte_cells.clear();
        region->has_byte_cells = region->has_dword_cells = false;
      }
      size_t words = launch.count_lines ? region->size / 128 / 64 + 2 : 0;
      region->lines_loaded.assign(words, 0);
      region->lines_stored.assign(words, 0);
    }
  }

  LaunchProfile profile_of(const Launch& launch, int64_t total) const {
    LaunchProfile profile;
    profile.kernel = launch.kernel->name;
    profile.groups = total;
    profile.block = launch.request->items();
    profile.lds_bytes = launch.lds_bytes;
    profile.vgprs = launch.kernel->vgpr_count - launch.kernel->agpr_count;
    profile.agprs = launch.kernel->agpr_count;
    profile.sgprs = launch.kernel->sgpr_count;
    profile.scratch_bytes = static_cast<int>(launch.kernel->scratch_bytes);
    return profile;
  }

  void record_counts(const isa::Program& program, const Counters& counters, LaunchProfile& profile) {
    for (int c = 0; c < isa::kInstructionClasses; ++c)
      profile.instructions[isa::name(static_cast<isa::InstructionClass>(c))] = 0;
    for (size_t i = 0; i < program.decoded.size() && i < counters.executed.size(); ++i) {
      const isa::Operation* operation = program.instructions[i].operation;
      if (!counters.executed[i] || !operation) continue;
      profile.instructions[isa::name(operation->instruction_class)] += counters.executed[i];
      if (operation->matrix) profile.mfma_cycles += counters.executed[i] * isa::matrix_row(*operation).cycles;
      constexpr const char* kNames[] = {"exact", "approximate", "assumed"};
      fidelity_[kNames[static_cast<int>(operation->fidelity)]].insert(program.decoded[i].mnemonic);
    }
    profile.groups_run = counters.groups;
    profile.waves_run = counters.waves;
    profile.bytes_loaded = counters.bytes_loaded;
    profile.bytes_stored = counters.bytes_stored;
    profile.lines_loaded = counters.lines_loaded;
    profile.lines_stored = counters.lines_stored;
    profile.lds_bytes_moved = counters.lds_bytes_moved;
    profile.lds_conflict_cycles = counters.lds_conflict_cycles;
    auto lines = [](const std::vector<uint64_t>& words) {
      int64_t count = 0;
      for (uint64_t word : words) count += std::popcount(word);
      return count * 128;
    };
    for (const std::unique_ptr<Region>& region : memory_.regions()) {
      profile.unique_bytes_loaded += lines(region->lines_loaded);
      profile.unique_bytes_stored += lines(region->lines_stored);
    }
  }

  static std::vector<std::pair<int64_t, int64_t>> ranges(const std::vector<uint8_t>& written, size_t size) {
    std::vector<std::pair<int64_t, int64_t>> found;
    for (size_t i = 0; i < size; ++i) {
      if (!written[i]) continue;
      size_t begin = i;
      while (i < size && written[i]) ++i;
      found.emplace_back(static_cast<int64_t>(begin), static_cast<int64_t>(i));
    }
    return found;
  }

  void finish() {
    Run& run = result_.run;
    for (const auto& program : programs_)
      for (Finding& finding : book(*program).findings()) run.findings.push_back(std::move(finding));
    for (const auto& [how, mnemonics] : fidelity_) run.fidelity[how].assign(mnemonics.begin(), mnemonics.end());
    result_.buffers.resize(request_.buffers.size());
    result_.written.resize(request_.buffers.size());
    for (size_t i = 0; i < buffers_.size() && ok(); ++i) {
      if (!request_.buffers[i].read_back) continue;
      result_.buffers[i].assign(reinterpret_cast<const char*>(buffers_[i]->at(0)), buffers_[i]->size);
      if (!buffers_[i]->written.empty()) result_.written[i] = ranges(buffers_[i]->written, buffers_[i]->size);
    }
    run.seconds = Seconds(SteadyClock::now() - start_).count();
  }

  const RunRequest& request_;
  const target::Arch& arch_;
  SteadyClock::time_point start_;
  RunResult result_;
  std::vector<std::shared_ptr<const isa::Program>> programs_;
  std::vector<uint64_t> image_bases_;
  Memory own_memory_;
  Memory& memory_ = own_memory_;
  bool resident_ = false;
  std::vector<Region*> buffers_;
  Region* workspace_ = nullptr;
  Region* kernarg_ = nullptr;
  Region* packet_ = nullptr;
  ArgumentAddresses addresses_;
  std::atomic<int64_t> steps_left_{0};
  std::map<const isa::Program*, FindingBook> books_;
  std::map<std::string, std::set<std::string>> fidelity_;
};

}  // namespace

RunResult run(const RunRequest& request, const target::Gpu& gpu) { return Simulation(request, gpu).run(); }

RunResult run_resident(const RunRequest& request, const target::Gpu& gpu, const Residence& residence) {
  return Simulation(request, gpu, residence).run();
}

}  // namespace hipvault::sim
