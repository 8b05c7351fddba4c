// Every length near zero, and the lengths around powers of two, where tiles, digits and thread shares begin and end.
#include "testing/request_case.hpp"
#include "testing/workloads.hpp"
#include "tests/differential/usable_engines.hpp"

#include <gtest/gtest.h>

namespace sortile::testing {
namespace {

void expect_right(const request_case& c) {
  const verdict v = check(c);
  ASSERT_TRUE(v) << v.complaint << "\n  in " << to_string(c);
}

/// Keys alone, with values, and as an argsort.
std::vector<request_case> shapes(key_type type, std::size_t n, const std::string& engine, const std::string& workload) {
  request_case keys{.type = type, .n = n, .workload = workload, .seed = n, .engine = engine, .key_offset = n % 3};
  request_case pairs = keys;
  pairs.carries = payload::values;
  pairs.value_bytes = 8;
  pairs.value_offset = n % 5;
  request_case positions = keys;
  positions.carries = payload::indices;
  positions.value_bytes = 4;
  positions.keys_wanted = false;
  positions.direction = order::descending;
  return {keys, pairs, positions};
}

class every_type : public ::testing::TestWithParam<key_type> {};

TEST_P(every_type, every_length_from_0_to_600) {
  for (const std::string& engine : usable_engines())
    for (std::size_t n = 0; n <= 600; n += slow_build)
      for (const request_case& c : shapes(GetParam(), n, engine, n % 2 == 0 ? "uniform" : "few:40"))
        ASSERT_NO_FATAL_FAILURE(expect_right(c));
}

TEST_P(every_type, lengths_around_powers_of_two) {
  const std::size_t largest = (std::size_t{1} << 17) / slow_build;
  for (const std::string& engine : usable_engines())
    for (std::size_t power = 1024; power <= largest; power *= 2)
      for (const std::size_t n : {power - 1, power, power + 1, power + power / 2})
        for (const request_case& c : shapes(GetParam(), n, engine, "and:2"))
          ASSERT_NO_FATAL_FAILURE(expect_right(c));
}

/// Every workload, at a length that several threads share.
TEST_P(every_type, every_workload) {
  for (const std::string& engine : usable_engines())
    for (const workload_info& info : all_workloads()) {
      if (info.floats_only && !is_float(GetParam()))
        continue;
      for (const request_case& c : shapes(GetParam(), 30'000 / slow_build, engine, std::string(info.name)))
        ASSERT_NO_FATAL_FAILURE(expect_right(c));
    }
}

/// Every begin and end of the bit window, where that many are affordable.
TEST_P(every_type, bit_windows) {
  const unsigned width = key_bits(GetParam());
  const unsigned step = width <= 16 ? 1 : width / 8 - 1;
  for (const std::string& engine : usable_engines())
    for (unsigned begin = 0; begin <= width; begin += step)
      for (unsigned end = begin; end <= width; end += step) {
        const std::string workload = is_float(GetParam()) ? "specials" : "uniform";
        request_case c{.type = GetParam(),
                       .n = 700,
                       .workload = workload,
                       .seed = 100 * begin + end,
                       .bits = {begin, end},
                       .engine = engine};
        c.direction = (begin + end) % 3 == 0 ? order::descending : order::ascending;
        ASSERT_NO_FATAL_FAILURE(expect_right(c));
        c.carries = payload::indices;
        c.value_bytes = 8;
        c.form = form::out_of_place;
        ASSERT_NO_FATAL_FAILURE(expect_right(c));
      }
}

INSTANTIATE_TEST_SUITE_P(sizes, every_type, ::testing::ValuesIn(all_key_types),
                         [](const auto& type) { return std::string(name(type.param)); });

} // namespace
} // namespace sortile::testing
