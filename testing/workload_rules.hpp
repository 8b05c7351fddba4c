// The rules behind the names of workloads.hpp, as a list: what the registry numbers, and what host and kernels call by
// number.
//
// A rule is a class with two static functions: prepare(recipe), on the host, works out what all keys share, or refuses
// the parameters; key(recipe, i), on the host and in kernels, gives the bits of key i. So an array is the same wherever
// it is made.
#pragma once

#include "testing/arrangements.hpp"
#include "testing/distributions.hpp"

namespace sortile::testing::rules {

template <class... Rules>
struct list {
  static constexpr unsigned size = sizeof...(Rules);

  /// The number of a rule.
  template <class Rule>
  static constexpr unsigned number() {
    unsigned at = 0, found = size;
    ((found = std::is_same_v<Rule, Rules> ? at : found, ++at), ...);
    return found;
  }

  template <class Word>
  static void prepare(unsigned rule, recipe<Word>& r) {
    unsigned at = 0;
    ((at++ == rule ? Rules::prepare(r) : void()), ...);
  }

  template <class Word>
  SORTILE_HOST_DEVICE static Word key(unsigned rule, const recipe<Word>& r, std::uint64_t i) {
    Word key{};
    unsigned at = 0;
    static_cast<void>(((at++ == rule ? (key = Rules::key(r, i), true) : false) || ...));
    return key;
  }
};

using all = list<uniform, unit, normal, exponential, lognormal, and_of, zipf, zipf_spread, few, equal, equal_but_one,
                 two_values, mostly_equal, sorted, reversed, nearly_sorted, organ_pipe, runs, sawtooth, staggered,
                 root_dup, power_dup<2>, power_dup<8>, count_up, count_down, window, range, outliers, clusters, morton,
                 full_buckets, two_buckets, zeros, nan, infinities, denormals, specials>;

/// The recipe of a workload's array. \throws invalid_argument where the type or a parameter does not fit the workload
template <class Word>
recipe<Word> recipe_of(const workload& w, const array_shape& shape) {
  w.check(shape.type);
  recipe<Word> r{key_space<Word>(shape.type), shape, w.parameters()};
  if (shape.n > 0)
    all::prepare(w.rule(), r);
  return r;
}

} // namespace sortile::testing::rules
