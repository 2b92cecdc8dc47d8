#pragma once
// Small HIP kernels for tests: compiled by clang as a program, independent of our own compile room.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>

#include "base/check.h"
#include "base/hash.h"

namespace hipvault::test {

// What a kernel source may use without writing it.
inline const char* kKernelPrelude = R"(
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
typedef unsigned char u8; typedef signed char i8; typedef unsigned short u16; typedef short i16;
typedef unsigned int u32; typedef int i32; typedef unsigned long u64; typedef long i64;
typedef _Float16 f16; typedef __bf16 bf16;
#define TID ((int)__builtin_amdgcn_workitem_id_x())
#define BID ((int)__builtin_amdgcn_workgroup_id_x())
#define GID(block) (BID * (block) + TID)
#define SYNC() do { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); } while (0)
)";

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The code object of `body` behind the prelude.
inline std::string compile_kernels(const std::string& body, const std::string& flags = "-O3 -g1",
                                   const std::string& arch = "gfx942") {
  std::string base = "/tmp/hipvault-test-" + hash_hex(body + flags + arch) + "-" + std::to_string(getpid());
  std::ofstream(base + ".hip") << kKernelPrelude << "#line 1 \"kernel.hip\"\n" << body;
  std::string command =
      "/usr/lib/llvm-22/bin/clang-22 -x hip --cuda-device-only -nogpuinc -nogpulib --no-gpu-bundle-output "
      "--offload-arch=" +
      arch + " " + flags + " " + base + ".hip -o " + base + ".co";
  int status = std::system(command.c_str());
  CHECK(status == 0) << command;
  std::string code = read_file(base + ".co");
  std::remove((base + ".hip").c_str());
  std::remove((base + ".co").c_str());
  return code;
}

}  // namespace hipvault::test
