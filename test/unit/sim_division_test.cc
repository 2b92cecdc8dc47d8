// Division and square root as clang expands them, on every arch, against the host's IEEE results on random bits. The
// number of operands is HIPVAULT_DIVISIONS (the slow ctest entry sets millions).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/random.h"
#include "support/hip_kernels.h"
#include "support/sim_run.h"

namespace hipvault {
namespace {

constexpr std::pair<const char*, const char*> kArchs[] = {
    {"gfx90a", "mi250x"}, {"gfx942", "mi300x"}, {"gfx950", "mi355x"}, {"gfx1201", "r9700"}};

size_t operand_count() {
  const char* text = std::getenv("HIPVAULT_DIVISIONS");
  size_t count = text ? std::strtoull(text, nullptr, 10) : 1 << 14;
  return (count + 255) / 256 * 256;
}

// Random bits; every third pair has close exponents, so that quotients are ordinary numbers, and every seventh is near
// the denormals.
template <class T, class Bits>
void fill(std::vector<T>& a, std::vector<T>& b, uint64_t seed) {
  Random random(seed);
  constexpr int kFraction = sizeof(T) == 4 ? 23 : 52;
  constexpr Bits kField = (Bits{1} << (sizeof(T) * 8 - 1 - kFraction)) - 1;
  for (size_t i = 0; i < a.size(); ++i) {
    Bits x = static_cast<Bits>(random.next()), y = static_cast<Bits>(random.next());
    Bits keep = ~(kField << kFraction);
    if (i % 3 == 0) y = (y & keep) | (x & (kField << kFraction));
    if (i % 7 == 0) x = (x & keep) | static_cast<Bits>(random.below(40)) << kFraction;
    std::memcpy(&a[i], &x, sizeof x);
    std::memcpy(&b[i], &y, sizeof y);
  }
}

template <class T>
int count_wrong(const char* what, const std::vector<T>& got, const std::vector<T>& expected) {
  int wrong = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    bool same = (got[i] != got[i] && expected[i] != expected[i]) || std::memcmp(&got[i], &expected[i], sizeof(T)) == 0;
    if (!same && ++wrong < 4) ADD_FAILURE() << what << " " << i << ": " << got[i] << ", expected " << expected[i];
  }
  return wrong;
}

template <class T, class Bits>
void check(const std::string& type) {
  std::string root = type == "float" ? "__builtin_sqrtf" : "__builtin_sqrt";
  std::string body = "extern \"C\" __global__ void k(const " + type + "* a, const " + type + "* b, " + type + "* q, " +
                     type + "* r) { int i = GID(256); q[i] = a[i] / b[i]; r[i] = " + root + "(b[i]); }";
  size_t n = operand_count();
  std::vector<T> a(n), b(n), quotient(n), square(n);
  for (const auto& [arch, gpu] : kArchs) {
    fill<T, Bits>(a, b, static_cast<uint64_t>(gpu[2]));
    for (size_t i = 0; i < n; ++i) quotient[i] = a[i] / b[i], square[i] = std::sqrt(b[i]);
    test::SimRun run(test::compile_kernels(body, "-O3", arch), "k", gpu);
    run.input(a).input(b).template output<T>(n).template output<T>(n);
    ASSERT_EQ(test::summary(run.launch(static_cast<int64_t>(n / 256), 256)), "completed") << arch;
    EXPECT_EQ(count_wrong("quotient", run.values<T>(2), quotient), 0) << arch << ", of " << n;
    EXPECT_EQ(count_wrong("root", run.values<T>(3), square), 0) << arch << ", of " << n;
  }
}

TEST(SimDivision, F32IsIeeeOnEveryArch) { check<float, uint32_t>("float"); }
TEST(SimDivision, F64IsIeeeOnEveryArch) { check<double, uint64_t>("double"); }

}  // namespace
}  // namespace hipvault
