// What a sort does to the words that its fallback, an LSD sort, begins with.
#pragma once

#include "kernels/typed_request.hpp"
#include "tests/kernels/key_shapes.hpp"

#include <algorithm>

namespace sortile::simt_tests {
namespace { // one for each backend

/// Zeroed where the keys are given away, else left alone.
class words_to_zero {
 public:
  void in(kernels::verdict_place& verdict) const {
    verdict.zeroed = words_.view().data();
    verdict.zeroed_words = many;
  }
  void check(bool given_away) const {
    const auto now = words_.host();
    EXPECT_EQ(std::count(now.begin(), now.begin() + many, given_away ? 0 : filled), many) << given_away;
    EXPECT_EQ(now[many], filled) << "behind the last word";
  }

 private:
  static constexpr std::ptrdiff_t many = 5000;
  static constexpr std::uint64_t filled = 0x5a5a5a5a5a5a5a5a;
  buffer<std::uint64_t> words_{many + 1, filled};
};

} // namespace
} // namespace sortile::simt_tests
