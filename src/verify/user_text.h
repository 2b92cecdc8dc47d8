#pragma once
// Whether the text that was judged is the text that users compile.
//
// The judge compiles a file with HIPVAULT_DEVICE_ONLY defined: the launcher and the HIP headers are left out. A file
// could compute something else without the macro. Compiling it both ways needs headers that need not be installed, and
// compares what two compilers made; so the text itself is held to a form in which both are the same kernels:
//
//   - a condition on the macro stands outside of every bracket (not inside a kernel)
//   - before the last kernel, the users' branch holds only #include lines, the judge's only the three #defines of
//     __global__, __device__ and __shared__ as attributes (or #include lines)
//   - after the last kernel, the users' branch defines no kernel

#include "base/result.h"

namespace hipvault::verify {

// Error "verify.user-text": names the line and what to do.
Status same_for_users(const std::string& source);

}  // namespace hipvault::verify
