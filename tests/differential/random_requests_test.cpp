// Thousands of random requests against the oracle. SORTILE_TEST_SEED=<seed> repeats one; SORTILE_TEST_CASES sets how
// many.
#include "testing/request_case.hpp"
#include "tests/differential/usable_engines.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace sortile::testing {
namespace {

constexpr std::uint64_t first_seed = 20'000;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? otherwise : std::strtoull(text, nullptr, 10);
}

void run_seeds(std::uint64_t cases, std::size_t largest_n) {
  std::vector<std::string> engines = usable_engines();
  engines.push_back("");
  const std::uint64_t only = number_from("SORTILE_TEST_SEED", 0);
  const std::uint64_t begin = only != 0 ? only : first_seed + largest_n;
  const std::uint64_t end = only != 0 ? only + 1 : begin + number_from("SORTILE_TEST_CASES", cases);
  for (std::uint64_t seed = begin; seed < end; ++seed) {
    const request_case c = random_case(seed, engines, largest_n);
    if (only != 0)
      std::printf("%s\n", to_string(c).c_str());
    const verdict v = check(c);
    ASSERT_TRUE(v) << v.complaint << "\n  in " << to_string(c) << "\n  repeat with SORTILE_TEST_SEED=" << seed
                   << " and --gtest_filter=" << ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }
}

TEST(random_requests, of_small_arrays) {
  run_seeds(6000 / slow_build, 2000);
}
TEST(random_requests, of_medium_arrays) {
  run_seeds(600 / slow_build, 60'000);
}
TEST(random_requests, of_larger_arrays) {
  run_seeds(40 / slow_build, 1'000'000);
}

} // namespace
} // namespace sortile::testing
