#pragma once
// Compiles printed device code as its user would in device-only mode, with clang as a program.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "base/check.h"
#include "base/hash.h"
#include "print/hiplib.h"

namespace hipvault::test {

// The code object of printed kernels (without preamble and library: both are added), for gfx942.
inline std::string compile_printed(const std::string& kernels, const std::string& flags = "-O3 -g1") {
  std::string source = print::device_preamble() + print::hiplib_for(kernels) + kernels;
  std::string base = "/tmp/hipvault-printed-" + hash_hex(source + flags) + "-" + std::to_string(getpid());
  std::ofstream(base + ".hip") << source;
  std::string command =
      "/usr/lib/llvm-22/bin/clang-22 -x hip --cuda-device-only -nogpuinc -nogpulib --no-gpu-bundle-output "
      "-DHIPVAULT_DEVICE_ONLY -Wall -Werror -Wno-unused-function --offload-arch=gfx942 " +
      flags + " " + base + ".hip -o " + base + ".co";
  int status = std::system(command.c_str());
  CHECK(status == 0) << command;
  std::ifstream file(base + ".co", std::ios::binary);
  std::string code((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::remove((base + ".hip").c_str());
  std::remove((base + ".co").c_str());
  return code;
}

}  // namespace hipvault::test
