#pragma once
// Compiler: HIP source text to a code object, in a disposable worker process, cached by content.

#include <memory>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/result.h"

namespace hipvault::compile {

struct CompileRequest {
  std::string source;                    // stands alone: only the headers of headers.cc can be included
  std::string file_name = "kernel.hip";  // for diagnostics and the line table
  std::string arch;                      // "gfx942"
  std::vector<std::string> flags;        // from an allow-list: -O0…-O3, -D…, -mllvm options the generator uses
  bool line_table = true;                // findings name source lines by it; about a tenth of the time
  double deadline_s = 60;
};

// Resource use of one kernel, read from the code object's metadata and descriptor.
struct KernelResources {
  std::string kernel;
  int vgprs = 0, agprs = 0, sgprs = 0, vgpr_spills = 0, sgpr_spills = 0;
  int64_t lds_bytes = 0, scratch_bytes = 0, kernarg_bytes = 0;
  int max_group_size = 0, wave_size = 64;
  int occupancy = 0;  // waves per SIMD at max_group_size
};

struct CompileOutput {
  bool ok = false;
  std::string code_object;  // ELF bytes; empty unless ok
  std::string hash;         // of code_object
  std::string diagnostics;  // everything the compiler said, whole
  std::vector<KernelResources> kernels;
  std::string toolchain;  // "clang 22.1.8 (built in)" or "clang at PATH: version"; part of every cache key
  double seconds = 0;     // of one core, 0 when cached
  bool cached = false;
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  // A Diagnostic for our own trouble (missing toolchain, no worker, cache unwritable); a source that does not compile
  // is an output with ok = false.
  virtual Result<CompileOutput> compile(const CompileRequest& request) = 0;
  virtual std::string toolchain() = 0;
};

struct CompilerOptions {
  std::string cache_directory;        // empty: no cache
  std::string clang_path;             // empty: the built-in clang; else a program
  FileSystem* file_system = nullptr;  // for the cache; null: the machine's own
};
Result<std::unique_ptr<Compiler>> make_compiler(const CompilerOptions& options);

}  // namespace hipvault::compile
