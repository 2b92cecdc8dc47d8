#include "engine/generator.h"

#include "generator_hash.h"  // written by the build: cmake/generator_hash.cmake

namespace hipvault::engine {

std::string product_version() { return "0.1.0"; }
std::string generator_version() { return product_version() + "+" + HIPVAULT_GENERATOR_HASH; }

}  // namespace hipvault::engine
