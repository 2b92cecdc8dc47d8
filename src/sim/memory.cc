#include "sim/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace hipvault::sim {

LazyPages::LazyPages(size_t bytes, uint64_t at) : bytes_(bytes == 0 ? 1 : bytes) {
  int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);
  void* pages = mmap(reinterpret_cast<void*>(at), bytes_, PROT_READ | PROT_WRITE, how, -1, 0);
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
  if (data_ && bytes_) munmap(data_, bytes_);
}
LazyPages LazyPages::borrowed(uint8_t* data) {
  LazyPages pages;
  pages.data_ = data;
  return pages;
}
void LazyPages::clear() {
  if (data_ && bytes_) madvise(data_, bytes_, MADV_DONTNEED);
}

namespace {

constexpr size_t kSlack = 64;  // wide moves at the end of a buffer stay inside
constexpr size_t kPage = 4096;

// Maps the content over the region page by page, so that repeats cost memory only where they are written. False when
// the content does not fill whole pages or the system refuses.
bool map_repeats(uint8_t* to, size_t size, std::string_view content) {
  if (content.size() % kPage != 0) return false;
  int file = memfd_create("repeats", MFD_CLOEXEC);
  if (file < 0) return false;
  bool good = ::write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  size_t whole = size / content.size() * content.size();
  for (size_t at = 0; good && at < whole; at += content.size())
    good = mmap(to + at, content.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) != MAP_FAILED;
  ::close(file);
  if (good) std::memcpy(to + whole, content.data(), size - whole);
  return good;
}

void fill(uint8_t* to, size_t size, std::string_view content) {
  CHECK(to != nullptr) << "no memory for a buffer of " << size << " bytes";
  if (content.empty()) return;
  if (size > content.size() && map_repeats(to, size, content)) return;
  for (size_t at = 0; at < size; at += content.size())
    std::memcpy(to + at, content.data(), std::min(content.size(), size - at));
}

}  // namespace

void Region::assign(std::string_view bytes, size_t padded_size) {
  pages = LazyPages(padded_size + kSlack);
  size = padded_size;
  fill(pages.data(), bytes.size(), bytes);
}

Region& Memory::add(std::string name, std::string_view bytes, bool writable, size_t size) {
  size = std::max(size, bytes.size());
  CHECK(size < kSlotMargin) << "a buffer of " << size << " bytes";
  auto region = std::make_unique<Region>();
  region->name = std::move(name);
  region->base = kFirstSlot + (regions_.size() << kSlotBits) + kSlotMargin;
  region->size = size;
  region->pages = LazyPages(size + kSlack);
  fill(region->pages.data(), size, bytes);
  region->valid_end = size;
  region->writable = writable;
  regions_.push_back(std::move(region));
  return *regions_.back();
}

Region* Memory::place(std::string name, size_t size, bool initialised, bool watched) {
  constexpr size_t kMostSlots = 1000;               // below where programs and libraries are mapped
  constexpr size_t kMostWatched = size_t{1} << 30;  // the shadows are as large
  constexpr size_t kMostRaced = size_t{256} << 20;  // and eight times larger
  if (size > (size_t{1} << kSlotBits) - 2 * kSlotMargin) return nullptr;
  if (regions_.size() >= kMostSlots && vacated_.empty()) return nullptr;
  Region* region = nullptr;
  if (regions_.size() < kMostSlots) {
    region = &add("", "", true);
  } else {
    region = vacated_.front();
    vacated_.erase(vacated_.begin());
  }
  region->pages = LazyPages();
  region->pages = LazyPages(size + kSlack, region->base);
  if (!region->pages.data()) {
    vacated_.push_back(region);
    return nullptr;
  }
  region->name = std::move(name);
  region->size = region->valid_end = size;
  region->valid_begin = 0;
  region->track_initialised = watched && !initialised && size <= kMostWatched;
  region->initialised.assign(region->track_initialised ? size + kSlack : 0, 0);
  region->check_races = watched && size <= kMostRaced;
  region->dword_cells = LazyPages(region->check_races ? (size + kSlack) * 2 : 0);
  region->byte_cells = LazyPages(region->check_races ? (size + kSlack) * 8 : 0);
  region->has_byte_cells = region->has_dword_cells = false;
  return region;
}

void Memory::vacate(Region& region) {
  region.name = "memory that was freed (" + region.name + ")";
  region.size = region.valid_end = 0;
  region.track_initialised = region.check_races = false;
  region.initialised.clear();
  region.pages = LazyPages(kSlack);
  region.dword_cells = LazyPages();
  region.byte_cells = LazyPages();
  vacated_.push_back(&region);
}

Region& Memory::borrow(std::string name, uint8_t* host, size_t size) {
  std::unique_ptr<Region>& region = borrowed_[reinterpret_cast<uint64_t>(host)];
  region = std::make_unique<Region>();
  region->name = std::move(name);
  region->base = reinterpret_cast<uint64_t>(host);
  region->size = region->valid_end = size;
  region->pages = LazyPages::borrowed(host);
  region->writable = true;
  return *region;
}

void Memory::give_back(uint8_t* host) { borrowed_.erase(reinterpret_cast<uint64_t>(host)); }

Region* Memory::find_borrowed(uint64_t address) {
  auto after = borrowed_.upper_bound(address);
  if (after == borrowed_.begin()) return nullptr;
  Region& region = *std::prev(after)->second;
  return address - region.base < region.size ? &region : nullptr;
}

}  // namespace hipvault::sim
