#pragma once
// The device's memory as a run sees it: one region per buffer, each in the middle of its own 64-GiB slot of the address
// space, so that the slot of any address is a shift away, and an index that runs off a buffer by less than 4 GiB is
// still known to belong to it.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hipvault::sim {

constexpr uint64_t kFirstSlot = uint64_t{1} << 44;
constexpr int kSlotBits = 36;
constexpr uint64_t kSlotMargin = uint64_t{1} << 32;
// Base of the descriptor through which older archs reach scratch by buffer instructions; no buffer lies there.
constexpr uint64_t kScratchDescriptor = uint64_t{1} << 40;
constexpr uint64_t kSharedAperture = uint64_t{1} << 48, kPrivateAperture = uint64_t{2} << 48;

// Zero-filled pages that cost nothing until touched; cleared by dropping them.
class LazyPages {
 public:
  LazyPages() = default;
  explicit LazyPages(size_t bytes, uint64_t at = 0);  // at a host address, if given and free; else data() is null
  LazyPages(LazyPages&& other) noexcept;
  LazyPages& operator=(LazyPages&& other) noexcept;
  ~LazyPages();
  static LazyPages borrowed(uint8_t* data);  // of somebody else
  uint8_t* data() const { return data_; }
  void clear();

 private:
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

struct Region {
  std::string name;
  uint64_t base = 0;
  uint64_t size = 0;
  LazyPages pages;                          // `size` bytes and some slack
  uint64_t valid_begin = 0, valid_end = 0;  // offsets a kernel may touch
  bool writable = false;
  bool track_initialised = false;
  std::vector<uint8_t> initialised;  // by byte, if tracked
  std::vector<uint8_t> written;      // by byte, if asked for
  bool check_races = false;
  LazyPages dword_cells, byte_cells;                 // shadow.h
  bool has_byte_cells = false;                       // a small access has happened
  bool has_dword_cells = false;                      // another one has
  std::vector<uint64_t> lines_loaded, lines_stored;  // bit per 128-byte line, if counted

  uint8_t* at(uint64_t offset) const { return pages.data() + offset; }
  void assign(std::string_view bytes, size_t padded_size);  // new content and size, zeros after the content
  uint64_t* dword_cell(uint64_t offset) const { return reinterpret_cast<uint64_t*>(dword_cells.data()) + offset / 4; }
  uint64_t* byte_cell(uint64_t offset) const { return reinterpret_cast<uint64_t*>(byte_cells.data()) + offset; }
};

class Memory {
 public:
  // Regions keep their place. A region larger than `bytes` holds them again and again, or zeros if there are none.
  Region& add(std::string name, std::string_view bytes, bool writable, size_t size = 0);
  Region* find(uint64_t address) {
    uint64_t slot = (address - kFirstSlot) >> kSlotBits;
    return slot < regions_.size() ? regions_[slot].get() : borrowed_.empty() ? nullptr : find_borrowed(address);
  }
  std::vector<std::unique_ptr<Region>>& regions() { return regions_; }

  // A region whose bytes lie at its own address in this process too, so that host and device share pointers; null if
  // there is no room. With `watched`, checkers see it; what is not `initialised` must be written before it is read.
  Region* place(std::string name, size_t size, bool initialised, bool watched);
  // Its bytes go back to the system; the addresses are taken again only when all others are in use.
  void vacate(Region& region);

  // Memory of the host program at its own address (hipHostRegister). Not checked for what was written or for races.
  Region& borrow(std::string name, uint8_t* host, size_t size);
  void give_back(uint8_t* host);

 private:
  Region* find_borrowed(uint64_t address);

  std::vector<std::unique_ptr<Region>> regions_;
  std::map<uint64_t, std::unique_ptr<Region>> borrowed_;  // by address
  std::vector<Region*> vacated_;
};

}  // namespace hipvault::sim
