#include "sim/memory.h"

#include <sys/mman.h>

#include <utility>

#include "base/check.h"

namespace hipvault::sim {

LazyPages::LazyPages(size_t bytes) : bytes_(bytes == 0 ? 1 : bytes) {
  void* pages = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  data_ = pages == MAP_FAILED ? nullptr : static_cast<uint8_t*>(pages);
  // First touches of 4-KiB pages cost more than the checks themselves on streaming kernels.
  if (data_ && bytes_ >= (4u << 20)) madvise(data_, bytes_, MADV_HUGEPAGE);
}
LazyPages::LazyPages(LazyPages&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
LazyPages& LazyPages::operator=(LazyPages&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}
LazyPages::~LazyPages() {
  if (data_) munmap(data_, bytes_);
}
void LazyPages::clear() {
  if (data_) madvise(data_, bytes_, MADV_DONTNEED);
}

Region& Memory::add(std::string name, std::string_view bytes, bool writable) {
  CHECK(bytes.size() < kSlotMargin) << "a buffer of " << bytes.size() << " bytes";
  auto region = std::make_unique<Region>();
  region->name = std::move(name);
  region->base = kFirstSlot + (regions_.size() << kSlotBits) + kSlotMargin;
  region->size = bytes.size();
  region->bytes.reserve(bytes.size() + 64);
  region->bytes.assign(bytes.begin(), bytes.end());
  region->valid_end = bytes.size();
  region->writable = writable;
  regions_.push_back(std::move(region));
  return *regions_.back();
}

}  // namespace hipvault::sim
