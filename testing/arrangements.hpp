// Rules of workloads whose keys depend on where they stand: orders, and inputs made against certain sorts. And those of
// special floats.
//
// Where they come from: staggered: Helman, Bader, JaJa 1998. Root-dup, two-dup, eight-dup: Edelkamp and Weiss 2016
// (BlockQuicksort).
#pragma once

#include "testing/recipe.hpp"

#include <algorithm>
#include <cmath>

namespace sortile::testing::rules {

struct equal_but_one {
  /// A key and its opposite in every bit, so that no window of bits leaves the two equal.
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.keys[0] = r.space.finite(static_cast<Word>(r.random_key(0, 0) | 1));
    r.keys[1] = r.space.finite(static_cast<Word>(~r.keys[0]));
    r.whole[0] = r.below(1, 0, r.shape.n);
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.keys[i == r.whole[0] ? 1 : 0];
  }
};

/// 0, 1, … n − 1; of a type without room for so many, each value several times.
struct count_up {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.whole[0] = 1;
    if constexpr (recipe<Word>::width < 64)
      if (r.shape.n >> recipe<Word>::width != 0)
        r.whole[0] = ((r.shape.n - 1) >> recipe<Word>::width) + 1;
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.space.integer(i / r.whole[0]);
  }
};

struct count_down : count_up {
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return count_up::key(r, r.shape.n - 1 - i);
  }
};

struct sorted {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.whole[0] = step_of(r.shape.n);
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.in_range(i, r.whole[0]);
  }
};

struct reversed : sorted {
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.in_range(r.shape.n - 1 - i, r.whole[0]);
  }
};

struct nearly_sorted : sorted {
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.chance(0, i, r.parameters[0]) ? r.random_key(1, i) : r.in_range(i, r.whole[0]);
  }
};

struct organ_pipe {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.whole[0] = step_of(r.shape.n - r.shape.n / 2);
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.in_range(std::min(i, r.shape.n - 1 - i), r.whole[0]);
  }
};

struct runs {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.whole[0] = r.shape.n / r.whole_parameter(0) + 1;
    r.whole[1] = step_of(r.whole[0]);
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.in_range(i % r.whole[0], r.whole[1]);
  }
};

struct sawtooth {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.whole[0] = r.whole_parameter(0);
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.space.integer(i % r.whole[0]);
  }
};

/// p blocks of positions; the keys of block b are random in one p-th of the range: an odd one for the first half of the
/// blocks, an even one for the second, so that no block stays where it is.
struct staggered {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.whole[0] = r.whole_parameter(0);
    r.whole[1] = r.shape.n / r.whole[0] + 1;
    r.whole[2] = step_of(r.whole[0]);
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    const std::uint64_t blocks = r.whole[0], block = i / r.whole[1], step = r.whole[2];
    const std::uint64_t part = block < blocks / 2 ? 2 * block + 1 : 2 * (block - blocks / 2);
    return r.space.spread(std::min(part, blocks - 1) * step + r.below(0, i, step));
  }
};

struct root_dup : sawtooth {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.whole[0] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::sqrt(static_cast<double>(r.shape.n))));
  }
};

/// i^Power + n/2 mod n.
template <unsigned Power>
struct power_dup : plain_rule {
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    uint128 power = i;
    for (unsigned p = 1; p < Power; p *= 2)
      power = power * power % r.shape.n;
    return r.space.integer(static_cast<std::uint64_t>((power + r.shape.n / 2) % r.shape.n));
  }
};

// --- floats alone

struct nan : plain_rule {
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.chance(0, i, r.parameters[0]) ? r.space.nan(r.bits(1, i)) : r.random_key(2, i);
  }
};

struct infinities : plain_rule {
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.chance(0, i, r.parameters[0]) ? static_cast<Word>((r.bits(1, i) & r.space.sign()) | r.space.infinity())
                                           : r.random_key(2, i);
  }
};

struct denormals : plain_rule {
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return static_cast<Word>(r.bits(0, i) & (r.space.sign() | (r.space.smallest_normal() - 1)));
  }
};

/// Everything that a float can be, each kind one time in eight.
struct specials : plain_rule {
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    const Word bits = r.bits(1, i), sign = static_cast<Word>(bits & r.space.sign());
    switch (r.draw(0, i) % 8) {
    case 0:
      return r.space.nan(bits);
    case 1:
      return sign;
    case 2:
      return static_cast<Word>(sign | r.space.infinity());
    case 3:
      return static_cast<Word>(sign | (bits & (r.space.smallest_normal() - 1)));
    case 4:
      return static_cast<Word>(sign | r.space.largest_finite());
    case 5:
      return static_cast<Word>(sign | r.space.smallest_normal());
    case 6:
      return static_cast<Word>(sign | r.space.integer(1));
    default:
      return r.space.random(bits);
    }
  }
};

} // namespace sortile::testing::rules
