#pragma once
// Which generator made a kernel: a version for people and a hash of the sources that decide about the text of kernels
// (ir, frontend, tile, schedule, print, hiplib), made by the build. Part of the keys of vault and campaigns: a schedule
// is only the same kernel under the same generator.

#include <string>

namespace hipvault::engine {

std::string generator_version();  // "0.1.0+4f1c02d9a6b3e871"
std::string product_version();    // "0.1.0"

}  // namespace hipvault::engine
