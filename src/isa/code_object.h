#pragma once
// Reader of AMDGPU code objects (ELF64, OS/ABI AMDGPU_HSA, ABI version 3 or later): what a loader needs to launch a
// kernel, and what a person wants to know of it. It reads bytes that a candidate made, so everything malformed is a
// Diagnostic
// ("code-object.elf", "code-object.metadata", "code-object.descriptor", "code-object.relocation"), never a crash.
//
// Addresses are the ELF's own (a code object is linked at 0); the simulator adds the base at which it maps `image`.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hipvault::isa {

// One entry of `.args`: explicit arguments first ("by_value", "global_buffer", …), then hidden ones
// ("hidden_group_size_x").
struct KernelArgument {
  std::string name;
  std::string value_kind;
  std::string address_space;  // of pointers: "global", "constant", …
  int64_t offset = 0, size = 0;
  bool hidden() const { return value_kind.starts_with("hidden_"); }
};

// The 64 bytes at `<name>.kd`, LLVM AMDGPUUsage "Kernel Descriptor".
struct KernelDescriptor {
  int64_t group_segment_bytes = 0, private_segment_bytes = 0, kernarg_bytes = 0;
  int64_t entry_offset = 0;  // relative to the descriptor
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  uint16_t properties = 0, preload = 0;

  int float_mode() const { return static_cast<int>(rsrc1 >> 12 & 0xff); }  // as MODE[7:0]
  bool dx10_clamp() const { return rsrc1 >> 21 & 1; }
  bool fp16_overflow() const { return rsrc1 >> 26 & 1; }
  bool ieee_mode() const { return rsrc1 >> 23 & 1; }
  bool private_segment() const { return rsrc2 & 1; }
  int user_sgprs() const { return static_cast<int>(rsrc2 >> 1 & 31); }
  bool group_id(int axis) const { return rsrc2 >> (7 + axis) & 1; }
  bool group_info() const { return rsrc2 >> 10 & 1; }
  int item_id_axes() const { return static_cast<int>(rsrc2 >> 11 & 3); }       // 0: x only, 1: x y, 2: x y z
  int accum_offset() const { return static_cast<int>((rsrc3 & 63) + 1) * 4; }  // gfx90a and its successors
  bool user_private_buffer() const { return properties & 1; }
  bool user_dispatch_ptr() const { return properties >> 1 & 1; }
  bool user_queue_ptr() const { return properties >> 2 & 1; }
  bool user_kernarg_ptr() const { return properties >> 3 & 1; }
  bool user_dispatch_id() const { return properties >> 4 & 1; }
  bool user_flat_scratch() const { return properties >> 5 & 1; }
  bool user_private_size() const { return properties >> 6 & 1; }
  bool wave32() const { return properties >> 10 & 1; }
  int preload_dwords() const { return preload & 127; }
  int preload_offset_dwords() const { return preload >> 7; }
};

struct KernelInfo {
  std::string name;
  uint64_t descriptor_address = 0, entry_address = 0;
  KernelDescriptor descriptor;
  std::vector<KernelArgument> args;
  int64_t kernarg_bytes = 0, lds_bytes = 0, scratch_bytes = 0;  // static LDS; scratch per work-item
  int vgpr_count = 0, agpr_count = 0, sgpr_count = 0;  // vgpr_count is the total of both files where they are unified
  int vgpr_spills = 0, sgpr_spills = 0;
  int wave_size = 64;
  int max_group_size = 1024;
  bool uses_dynamic_stack = false;
};

struct Symbol {
  std::string name;
  uint64_t address = 0, size = 0;
  bool function = false;
};

struct Segment {
  uint64_t address = 0, size = 0;
  bool executable = false, writable = false;
};

// At load: the 64-bit word at `address` becomes base + addend.
struct Relocation {
  uint64_t address = 0;
  int64_t addend = 0;
};

struct LineRow {
  uint64_t address = 0;
  uint32_t file = 0, line = 0;  // line 0: no source here
};

struct CodeObject {
  uint32_t flags = 0;  // e_flags
  int mach = 0;        // its low byte: the arch, target::Arch::elf_mach
  int abi_version = 0;
  std::string image;  // the loaded segments from address 0, zero between them
  std::vector<Segment> segments;
  std::vector<Relocation> relocations;
  std::vector<Symbol> symbols;
  std::vector<KernelInfo> kernels;
  std::vector<std::string> files;  // base names
  std::vector<LineRow> lines;      // sorted by address

  const KernelInfo* find_kernel(const std::string& name) const;
  // "kernel.hip:41", or "" where the line table has nothing.
  std::string source_line(uint64_t address) const;
};

Result<CodeObject> read_code_object(std::string_view bytes);

}  // namespace hipvault::isa
