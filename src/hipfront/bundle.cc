#include "hipfront/bundle.h"

#include <fmt/format.h>
#include <zstd.h>

#include <cstring>

namespace hipvault::hipfront {
namespace {

constexpr std::string_view kBundle = "__CLANG_OFFLOAD_BUNDLE__", kCompressed = "CCOB",
                           kElf =
                               "\x7f"
                               "ELF";
constexpr uint64_t kMostEntries = 256, kMostBytes = uint64_t{1} << 32;

template <class T>
T number(std::string_view bytes, size_t at) {
  T value{};
  if (at + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

struct Entry {
  std::string triple;
  std::string_view bytes;
};

tl::unexpected<Diagnostic> malformed(const std::string& why) {
  return fail("fat.format", "the device code is not an offload bundle or a code object: " + why,
              "compile the program with `hipvault cc` or hipcc");
}

Result<std::vector<Entry>> entries_of(std::string_view bundle) {
  uint64_t count = number<uint64_t>(bundle, kBundle.size());
  if (count > kMostEntries) return malformed(fmt::format("it claims {} entries", count));
  std::vector<Entry> entries;
  size_t at = kBundle.size() + 8;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t offset = number<uint64_t>(bundle, at), size = number<uint64_t>(bundle, at + 8),
             length = number<uint64_t>(bundle, at + 16);
    if (length > 4096 || at + 24 + length > bundle.size()) return malformed("its table is cut off");
    if (offset > bundle.size() || size > bundle.size() - offset)
      return malformed(fmt::format("entry {} lies outside of it", i));
    entries.push_back({std::string(bundle.substr(at + 24, length)), bundle.substr(offset, size)});
    at += 24 + length;
  }
  return entries;
}

// Header of a compressed bundle: magic, u16 version, u16 method, then sizes of 32 bits (version 2) or 64 (version 3).
Result<std::string> decompress(std::string_view image) {
  uint16_t version = number<uint16_t>(image, 4), method = number<uint16_t>(image, 6);
  size_t header = version == 1 ? 20 : version == 2 ? 24 : 32;
  uint64_t size = version == 1   ? number<uint32_t>(image, 8)
                  : version == 2 ? number<uint32_t>(image, 12)
                                 : number<uint64_t>(image, 16);
  if (version < 1 || version > 3) return malformed(fmt::format("version {} of compression is not known", version));
  if (method != 1) return malformed("it is compressed with zlib; only zstd is read");
  if (size > kMostBytes || image.size() < header) return malformed("its header is damaged");
  std::string plain(size, '\0');
  size_t got = ZSTD_decompress(plain.data(), plain.size(), image.data() + header, image.size() - header);
  if (ZSTD_isError(got) || got != size) return malformed("its zstd data is damaged");
  return plain;
}

// "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+" -> "gfx942:sramecc+"
std::string arch_part(const std::string& triple) {
  if (!triple.starts_with("hip")) return "";
  size_t at = triple.find("--");
  if (at == std::string::npos) at = triple.rfind('-') == std::string::npos ? 0 : triple.rfind('-') - 1;
  return triple.substr(std::min(triple.size(), at + 2));
}

}  // namespace

size_t image_size(const char* image) {
  if (std::memcmp(image, kElf.data(), kElf.size()) == 0) {
    std::string_view header(image, 64);
    return number<uint64_t>(header, 40) + uint64_t{number<uint16_t>(header, 58)} * number<uint16_t>(header, 60);
  }
  if (std::memcmp(image, kCompressed.data(), kCompressed.size()) == 0) {
    std::string_view header(image, 32);
    uint16_t version = number<uint16_t>(header, 4);
    return version == 2 ? number<uint32_t>(header, 8) : version == 3 ? number<uint64_t>(header, 8) : 0;
  }
  if (std::memcmp(image, kBundle.data(), kBundle.size()) != 0) return 0;
  uint64_t count = 0, size = 0;
  std::memcpy(&count, image + kBundle.size(), 8);
  const char* at = image + kBundle.size() + 8;
  for (uint64_t i = 0; i < count && i < kMostEntries; ++i) {
    uint64_t entry[3];
    std::memcpy(entry, at, sizeof entry);
    if (entry[2] > 4096 || entry[0] > kMostBytes || entry[1] > kMostBytes) return 0;
    size = std::max(size, entry[0] + entry[1]);
    at += 24 + entry[2];
  }
  return std::max<size_t>(size, static_cast<size_t>(at - image));
}

Result<std::vector<std::string>> archs_in(std::string_view image) {
  std::string plain;
  if (image.starts_with(kCompressed)) {
    Result<std::string> bytes = decompress(image);
    if (!bytes) return fail(bytes.error());
    plain = *bytes, image = plain;
  }
  if (!image.starts_with(kBundle)) return malformed("it begins with something else");
  Result<std::vector<Entry>> entries = entries_of(image);
  if (!entries) return fail(entries.error());
  std::vector<std::string> archs;
  for (const Entry& entry : *entries)
    if (std::string arch = arch_part(entry.triple); !arch.empty()) archs.push_back(arch);
  return archs;
}

Result<std::string> code_object_for(std::string_view image, const std::string& arch) {
  if (image.starts_with(kElf)) return std::string(image);
  std::string plain;
  if (image.starts_with(kCompressed)) {
    Result<std::string> bytes = decompress(image);
    if (!bytes) return fail(bytes.error());
    plain = *bytes, image = plain;
  }
  if (!image.starts_with(kBundle)) return malformed("it begins with something else");
  Result<std::vector<Entry>> entries = entries_of(image);
  if (!entries) return fail(entries.error());
  std::string known;
  for (const Entry& entry : *entries) {
    std::string name = arch_part(entry.triple);
    if (name.empty()) continue;
    if (name.substr(0, name.find(':')) == arch && name.find("xnack+") == std::string::npos)
      return std::string(entry.bytes);
    known += (known.empty() ? "" : ", ") + name;
  }
  return fail("fat.arch",
              "the program has no code for " + arch + "; it has code for " + (known.empty() ? "none" : known),
              "compile it with `hipvault cc --offload-arch=" + arch + "` or run it on a gpu of that arch with --gpu");
}

}  // namespace hipvault::hipfront
