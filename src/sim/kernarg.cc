#include "sim/kernarg.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <map>

namespace hipvault::sim {
namespace {

void put(std::string& block, int64_t offset, uint64_t value, int64_t size) {
  std::memcpy(block.data() + offset, &value, static_cast<size_t>(std::min<int64_t>(size, 8)));
}

tl::unexpected<Diagnostic> mismatch(const std::string& kernel, const std::string& why) {
  return fail("sim.arguments", "kernel " + kernel + ": " + why, "make the plan's args match the kernel's parameters");
}

// Bits and bytes of a plan argument.
Result<std::pair<uint64_t, int64_t>> argument_bits(const ResolvedArg& arg, const RunRequest& request,
                                                   const ArgumentAddresses& addresses) {
  using Kind = KernelArg::Kind;
  auto index = static_cast<size_t>(arg.index);
  switch (arg.kind) {
    case Kind::buffer:
      if (index >= addresses.buffers.size())
        return fail("sim.arguments", "the plan names a buffer that the request does not have");
      return std::pair{addresses.buffers[index], int64_t{8}};
    case Kind::workspace:
      return std::pair{addresses.workspace + static_cast<uint64_t>(arg.offset), int64_t{8}};
    case Kind::integer:
      if (arg.dtype == DType::i32)
        return std::pair{static_cast<uint64_t>(static_cast<uint32_t>(arg.value)), int64_t{4}};
      return std::pair{static_cast<uint64_t>(arg.value), int64_t{8}};
    case Kind::scalar:
      if (index >= request.scalars.size())
        return fail("sim.arguments", "the plan names a scalar that the request does not have");
      if (arg.dtype == DType::f32)
        return std::pair{uint64_t{std::bit_cast<uint32_t>(static_cast<float>(request.scalars[index]))}, int64_t{4}};
      return std::pair{std::bit_cast<uint64_t>(request.scalars[index]), int64_t{8}};
  }
  return fail("sim.arguments", "an argument of unknown kind");
}

// What hidden arguments hold; names not listed (hostcall, heap, queues, printf) are zero.
std::map<std::string, uint64_t> hidden_values(const ResolvedLaunch& launch, const ArgumentAddresses& addresses) {
  return {{"hidden_block_count_x", static_cast<uint64_t>(launch.grid[0])},
          {"hidden_block_count_y", static_cast<uint64_t>(launch.grid[1])},
          {"hidden_block_count_z", static_cast<uint64_t>(launch.grid[2])},
          {"hidden_group_size_x", static_cast<uint64_t>(launch.block)},
          {"hidden_group_size_y", static_cast<uint64_t>(launch.block_y)},
          {"hidden_group_size_z", static_cast<uint64_t>(launch.block_z)},
          {"hidden_grid_dims", launch.grid[2] * launch.block_z > 1   ? 3u
                               : launch.grid[1] * launch.block_y > 1 ? 2u
                                                                     : 1u},
          {"hidden_dynamic_lds_size", static_cast<uint64_t>(launch.dynamic_lds)},
          {"hidden_private_base", addresses.private_base >> 32},
          {"hidden_shared_base", addresses.shared_base >> 32}};
}

}  // namespace

Result<std::string> make_kernarg(const isa::KernelInfo& kernel, const ResolvedLaunch& launch, const RunRequest& request,
                                 const ArgumentAddresses& addresses) {
  std::string block(static_cast<size_t>(kernel.kernarg_bytes), '\0');
  std::map<std::string, uint64_t> hidden = hidden_values(launch, addresses);
  for (const auto& [name, value] : addresses.hidden) hidden[name] = value;
  bool raw = !launch.raw_args.empty();
  if (raw) std::memcpy(block.data(), launch.raw_args.data(), std::min(block.size(), launch.raw_args.size()));
  size_t next = 0, wanted = 0;
  for (const isa::KernelArgument& arg : kernel.args) {
    if (arg.hidden()) {
      auto at = hidden.find(arg.value_kind);
      put(block, arg.offset, at == hidden.end() ? 0 : at->second, arg.size);
      continue;
    }
    if (raw) continue;
    if (arg.value_kind == "dynamic_shared_pointer")
      return mismatch(kernel.name, "dynamic LDS pointers as arguments are not modelled");
    ++wanted;
    if (next >= launch.args.size()) continue;
    const ResolvedArg& given = launch.args[next++];
    Result<std::pair<uint64_t, int64_t>> bits = argument_bits(given, request, addresses);
    if (!bits) return fail(bits.error());
    if (arg.size != bits->second)
      return mismatch(kernel.name, fmt::format("argument {} ({}) has {} bytes in the kernel and {} in the plan", wanted,
                                               given.name.empty() ? arg.name : given.name, arg.size, bits->second));
    put(block, arg.offset, bits->first, arg.size);
  }
  if (!raw && wanted != launch.args.size())
    return mismatch(kernel.name, fmt::format("it takes {} arguments, the plan gives {}", wanted, launch.args.size()));
  return block;
}

std::string make_dispatch_packet(const isa::KernelInfo& kernel, const ResolvedLaunch& launch, uint64_t kernel_object,
                                 uint64_t kernarg) {
  std::string packet(64, '\0');
  put(packet, 0, 2, 2);  // kernel dispatch
  put(packet, 2, 3, 2);
  put(packet, 4, static_cast<uint64_t>(launch.block), 2);
  put(packet, 6, static_cast<uint64_t>(launch.block_y), 2);
  put(packet, 8, static_cast<uint64_t>(launch.block_z), 2);
  put(packet, 12, static_cast<uint64_t>(launch.grid[0] * launch.block), 4);
  put(packet, 16, static_cast<uint64_t>(launch.grid[1] * launch.block_y), 4);
  put(packet, 20, static_cast<uint64_t>(launch.grid[2] * launch.block_z), 4);
  put(packet, 24, static_cast<uint64_t>(kernel.scratch_bytes), 4);
  put(packet, 28, static_cast<uint64_t>(kernel.lds_bytes + launch.dynamic_lds), 4);
  put(packet, 32, kernel_object, 8);
  put(packet, 40, kernarg, 8);
  return packet;
}

}  // namespace hipvault::sim
