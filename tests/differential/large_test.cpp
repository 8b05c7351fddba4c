// Arrays too large for a second sort by the oracle: order, multiset hash, and stability by values that are positions.
#include "testing/verify.hpp"
#include "testing/workloads.hpp"
#include "tests/differential/usable_engines.hpp"

#include <sortile/request.hpp>

#include <gtest/gtest.h>

#include <numeric>

namespace sortile::testing {
namespace {

struct large_case {
  key_type type;
  std::size_t n;
  const char* workload;
  order direction;
  bit_window bits{};
};

void PrintTo(const large_case& c, std::ostream* out) {
  *out << name(c.type) << " n=" << c.n << " " << c.workload << (c.direction == order::descending ? " descending" : "");
}

class large_arrays : public ::testing::TestWithParam<large_case> {
 protected:
  void SetUp() override {
    c_ = GetParam();
    c_.n /= slow_build;
    keys_.resize(c_.n * key_bytes(c_.type));
    workload_named(c_.workload).fill({c_.type, c_.n, 5}, 0, c_.n, keys_.data());
    by_ = {c_.type, c_.direction, c_.bits};
  }
  options opts(const std::string& engine) const { return {.order = c_.direction, .bits = c_.bits, .engine = engine}; }

  large_case c_{};
  ordering by_;
  std::vector<std::byte> keys_;
};

TEST_P(large_arrays, keys) {
  multiset_hash before;
  before.add(c_.type, {keys_.data(), nullptr, 0, c_.n});
  for (const std::string& engine : usable_engines()) {
    std::vector<std::byte> sorted = keys_;
    run(sort_request{.type = c_.type, .n = c_.n, .keys_in = sorted.data(), .keys_out = sorted.data()}, opts(engine));
    const verdict v = verify_permutation(by_, before, {sorted.data(), nullptr, 0, c_.n});
    EXPECT_TRUE(v) << v.complaint << ", engine " << engine;
  }
}

TEST_P(large_arrays, keys_with_their_positions) {
  std::vector<std::uint32_t> positions(c_.n);
  std::iota(positions.begin(), positions.end(), 0u);
  multiset_hash before;
  before.add(c_.type, {keys_.data(), positions.data(), 4, c_.n});
  for (const std::string& engine : usable_engines()) {
    std::vector<std::byte> keys_out(keys_.size());
    std::vector<std::uint32_t> values_out(c_.n);
    run(sort_request{.type = c_.type,
                     .n = c_.n,
                     .keys_in = keys_.data(),
                     .keys_out = keys_out.data(),
                     .carries = payload::values,
                     .value_bytes = 4,
                     .values_in = positions.data(),
                     .values_out = values_out.data()},
        opts(engine));
    const pairs_view output{keys_out.data(), values_out.data(), 4, c_.n};
    verdict v = verify_permutation(by_, before, output);
    EXPECT_TRUE(v) << v.complaint << ", engine " << engine;
    v = verify_stability(by_, output);
    EXPECT_TRUE(v) << v.complaint << ", engine " << engine;
  }
}

constexpr order up = order::ascending, down = order::descending;
INSTANTIATE_TEST_SUITE_P(differential, large_arrays,
                         ::testing::Values(large_case{key_type::u32, 3'000'000, "uniform", up},
                                           large_case{key_type::u64, 2'500'001, "uniform", down},
                                           large_case{key_type::f32, 1'999'999, "nan:0.2", up},
                                           large_case{key_type::f64, 1'000'000, "zeros", down},
                                           large_case{key_type::u128, 1'000'000, "few:1000", up},
                                           large_case{key_type::u64, 2'000'000, "window:0:16", up},
                                           large_case{key_type::u32, 2'000'000, "mostly-equal", up},
                                           large_case{key_type::i16, 3'000'000, "uniform", down},
                                           large_case{key_type::u8, 4'000'000, "zipf", up},
                                           large_case{key_type::u32, 2'000'000, "equal-but-one", up},
                                           large_case{key_type::i64, 2'000'000, "organ-pipe", up},
                                           large_case{key_type::u32, 2'000'000, "uniform", up, {7, 21}}));

} // namespace
} // namespace sortile::testing
