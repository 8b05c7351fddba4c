// The order that a race asks of every result, also of floats.
#include "bench/ascending.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace sortile::bench {
namespace {

template <class Key>
bool ascend(const std::vector<Key>& keys) {
  ascending<Key> order;
  return std::all_of(keys.begin(), keys.end(), [&](Key key) { return order.takes(key); });
}

TEST(ascending, of_integers) {
  EXPECT_TRUE(ascend<unsigned>({}));
  EXPECT_TRUE(ascend<unsigned>({0, 0, 1, 7, 7}));
  EXPECT_FALSE(ascend<unsigned>({0, 2, 1}));
}

TEST(ascending, of_floats_with_nans) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(ascend<double>({nan, nan, -1, -0.0, 0.0, -0.0, 3, nan}));
  EXPECT_TRUE(ascend<double>({nan, nan}));
  EXPECT_FALSE(ascend<double>({5, nan, 3})) << "beside a NaN any number seems to be in order";
  EXPECT_FALSE(ascend<double>({3, nan, 5}));
  EXPECT_FALSE(ascend<double>({nan, 2, 1}));
}

} // namespace
} // namespace sortile::bench
