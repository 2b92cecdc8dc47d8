#include "base/random.h"

#include <sys/random.h>

#include "base/check.h"

namespace hipvault {

uint64_t entropy() {
  uint64_t bits = 0;
  ssize_t got = getrandom(&bits, sizeof bits, 0);
  CHECK(got == sizeof bits) << "getrandom gave " << got << " bytes";
  return bits;
}

}  // namespace hipvault
