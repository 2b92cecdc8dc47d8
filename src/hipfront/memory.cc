#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "hipfront/front.h"

namespace hipvault::hipfront {
namespace {

constexpr uint64_t kAlignment = 256;
constexpr size_t kManyAllocations = 600;  // after which small ones share a region
constexpr size_t kSmall = 1 << 16, kPool = 64 << 20;

const char* word(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::device:
      return "hipMalloc";
    case AllocationKind::managed:
      return "hipMallocManaged";
    case AllocationKind::host:
      return "hipHostMalloc";
    case AllocationKind::registered:
      return "hipHostRegister";
    case AllocationKind::image:
      return "code object";
  }
  return "";
}

}  // namespace

hipError_t Front::allocate(void** pointer, size_t size, AllocationKind kind, unsigned flags) {
  if (!pointer) return hipErrorInvalidValue;
  *pointer = nullptr;
  if (size == 0) return hipSuccess;
  bool counts = kind != AllocationKind::host;
  if (size > SIZE_MAX / 2 || (counts && size > static_cast<size_t>(gpu_.memory_bytes) - used_))
    return hipErrorOutOfMemory;
  Allocation allocation{kind, size, flags, nullptr, 0, false};
  if (allocations_.size() > kManyAllocations && size <= kSmall) {
    if (!pool_ || pool_used_ + size > kPool) {
      pool_ = memory_.place("small allocations", kPool, true, check_);
      pool_used_ = 0;
      if (!pool_) return hipErrorOutOfMemory;
    }
    allocation.region = pool_, allocation.offset = pool_used_, allocation.shared = true;
    pool_used_ += (size + kAlignment - 1) / kAlignment * kAlignment;
  } else {
    std::string name = fmt::format("{} #{} of {} bytes", word(kind), ++named_, size);
    // What the host writes through its own pointer is not seen: only device memory is watched for reads before writes.
    allocation.region = memory_.place(name, size, kind != AllocationKind::device, check_);
    if (!allocation.region) return hipErrorOutOfMemory;
  }
  if (counts) used_ += size;
  uint64_t at = allocation.region->base + allocation.offset;
  allocations_[at] = allocation;
  *pointer = reinterpret_cast<void*>(at);
  return hipSuccess;
}

hipError_t Front::release(void* pointer, std::initializer_list<AllocationKind> kinds) {
  if (!pointer) return hipSuccess;
  auto at = allocations_.find(reinterpret_cast<uint64_t>(pointer));
  if (at == allocations_.end() || std::find(kinds.begin(), kinds.end(), at->second.kind) == kinds.end())
    return hipErrorInvalidValue;
  Allocation allocation = at->second;
  allocations_.erase(at);
  if (allocation.kind == AllocationKind::registered) {
    memory_.give_back(static_cast<uint8_t*>(pointer));
    return hipSuccess;
  }
  if (allocation.kind != AllocationKind::host) used_ -= allocation.size;
  if (!allocation.shared) memory_.vacate(*allocation.region);
  return hipSuccess;
}

hipError_t Front::register_host(void* pointer, size_t size, unsigned flags) {
  if (!pointer || size == 0) return hipErrorInvalidValue;
  if (find(pointer)) return hipErrorHostMemoryAlreadyRegistered;
  sim::Region& region = memory_.borrow(fmt::format("hipHostRegister #{} of {} bytes", ++named_, size),
                                       static_cast<uint8_t*>(pointer), size);
  allocations_[reinterpret_cast<uint64_t>(pointer)] = {AllocationKind::registered, size, flags, &region, 0, false};
  return hipSuccess;
}

void Front::add_image(Module& module, sim::Region& region) {
  module.image = &region;
  allocations_[region.base] = {AllocationKind::image, region.size, 0, &region, 0, false};
}

Allocation* Front::find(const void* pointer, uint64_t* begin) {
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  auto at = std::prev(after);
  if (address - at->first >= at->second.size) return nullptr;
  if (begin) *begin = at->first;
  return &at->second;
}

bool Front::on_device(const void* pointer) {
  Allocation* allocation = find(pointer);
  return allocation && (allocation->kind == AllocationKind::device || allocation->kind == AllocationKind::image);
}

bool Front::fits(const void* pointer, size_t size) {
  uint64_t begin = 0;
  Allocation* allocation = find(pointer, &begin);
  if (allocation) return reinterpret_cast<uint64_t>(pointer) - begin + size <= allocation->size;
  // An address of ours that is not allocated (any more).
  return !memory_.find(reinterpret_cast<uint64_t>(pointer));
}

// Copies carry over what their source had not written.
void Front::mark_written(const void* pointer, size_t size, const void* source) {
  Allocation* to = find(pointer);
  if (!to || !to->region->track_initialised) return;
  uint8_t* flags = to->region->initialised.data() + (reinterpret_cast<uint64_t>(pointer) - to->region->base);
  Allocation* from = source ? find(source) : nullptr;
  if (from && from->region->track_initialised)
    std::memmove(flags, from->region->initialised.data() + (reinterpret_cast<uint64_t>(source) - from->region->base),
                 size);
  else
    std::memset(flags, 1, size);
}

double copy_time(const target::Gpu& gpu, size_t bytes, bool over_the_bus) {
  constexpr double kBusRate = 55e9, kStartUs = 2;  // what PCIe 5 x16 reaches; an assumption, not validated
  double rate = over_the_bus ? kBusRate : std::max(1e9, gpu.achievable_copy / 2);
  return kStartUs + static_cast<double>(bytes) / rate * 1e6;
}

}  // namespace hipvault::hipfront
