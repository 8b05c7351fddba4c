// Rules of workloads whose keys do not depend on their positions: distributions.
//
// Where they come from: AND-of-k, the entropy ladder: Thearling and Smith 1992. Zipf by rejection-inversion: Hoermann
// and Derflinger 1996. Normal: Box and Muller 1958. Morton codes: Morton 1966.
#pragma once

#include "testing/portable_math.hpp"
#include "testing/recipe.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace sortile::testing::rules {

struct uniform : plain_rule {
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.random_key(0, i);
  }
};

/// Floats in [0, 1): as many random bits as the fraction and the leading one hold.
struct unit {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.whole[0] = fraction_bits(r.shape.type) + 1;
    r.keys[0] = static_cast<Word>(r.whole[0] << (r.whole[0] - 1)); // what 2^-digits takes from the exponent field
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    const Word number = r.space.integer(r.draw(0, i) >> (64 - r.whole[0]));
    return number == 0 ? number : static_cast<Word>(number - r.keys[0]);
  }
};

/// A real number to a key: floats take its value, integers the place `place`, 0 to 1, in their range.
template <class Word>
SORTILE_HOST_DEVICE Word real_key(const recipe<Word>& r, std::uint64_t i, double value, double place) {
  if (r.space.holds_floats())
    return r.space.real(value);
  const double inside = place < 0 ? 0 : place > 1 - 0x1p-53 ? 1 - 0x1p-53 : place;
  // The low bits of a place are random: a double has 53.
  const auto fraction = static_cast<std::uint64_t>(portable::rounded_product(inside, 0x1p64));
  return r.space.spread((fraction & ~std::uint64_t{0x7ff}) | r.draw(7, i) >> 53);
}

template <class Word>
SORTILE_HOST_DEVICE double standard_normal(const recipe<Word>& r, std::uint64_t i) {
  constexpr double minus_2_ln_2 = -1.3862943611198906;
  const double radius = std::sqrt(portable::rounded_product(portable::log2(1 - r.share(0, i)), minus_2_ln_2));
  return portable::rounded_product(radius, portable::cosine_of_turn(r.share(1, i)));
}

struct normal : plain_rule {
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    const double z = standard_normal(r, i);
    return real_key(r, i, z, std::fma(z, 1.0 / 16, 0.5));
  }
};

struct exponential : plain_rule {
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    constexpr double minus_ln_2 = -0.69314718055994531;
    const double x = portable::rounded_product(portable::log2(1 - r.share(0, i)), minus_ln_2);
    return real_key(r, i, x, portable::rounded_product(x, 1.0 / 32));
  }
};

struct lognormal : plain_rule {
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    constexpr double two_over_ln_2 = 2.8853900817779268;
    const double x = portable::exp2(portable::rounded_product(standard_normal(r, i), two_over_ln_2));
    return real_key(r, i, x, portable::rounded_product(x, 0x1p-15));
  }
};

struct and_of {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.whole[0] = r.whole_parameter(0);
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    Word all = r.bits(0, i);
    for (std::uint64_t stream = 1; stream < r.whole[0]; ++stream)
      all = static_cast<Word>(all & r.bits(stream, i));
    return r.space.finite(all);
  }
};

/// Ranks 1 … 2^20 (at most 2^width − 1), rank k with a probability proportional to k^−s; the rank is the key's value.
struct zipf {
  /// By rejection from the integral of x^−s, from 1.
  struct distribution {
    double exponent, ranks, low = 0, high = 0, near = 0;

    SORTILE_HOST_DEVICE double complement() const { return 1 - exponent; }
    SORTILE_HOST_DEVICE bool is_logarithm() const { return complement() < 1e-9 && complement() > -1e-9; }
    SORTILE_HOST_DEVICE double power(double x) const { // x^−s
      return portable::exp2(portable::rounded_product(portable::log2(x), -exponent));
    }
    SORTILE_HOST_DEVICE double integral(double x) const {
      constexpr double ln_2 = 0.69314718055994531;
      if (is_logarithm())
        return portable::rounded_product(portable::log2(x), ln_2);
      return (portable::exp2(portable::rounded_product(portable::log2(x), complement())) - 1) / complement();
    }
    SORTILE_HOST_DEVICE double inverse(double area) const {
      constexpr double over_ln_2 = 1.4426950408889634;
      if (is_logarithm())
        return portable::exp2(portable::rounded_product(area, over_ln_2));
      const double base = std::fma(area, complement(), 1.0);
      return portable::exp2(portable::rounded_product(portable::log2(base < 1e-300 ? 1e-300 : base), 1 / complement()));
    }
    /// A rank for a uniform number in [0, 1), or 0: draw again.
    SORTILE_HOST_DEVICE std::uint64_t rank(double uniform_number) const {
      const double u = std::fma(uniform_number, low - high, high);
      const double x = inverse(u);
      const double nearest = std::floor(x + 0.5);
      const double k = nearest < 1 ? 1 : nearest > ranks ? ranks : nearest;
      const bool taken = k - x <= near || u >= integral(k + 0.5) - power(k);
      return taken ? static_cast<std::uint64_t>(k) : 0;
    }
  };

  template <class Word>
  static void prepare(recipe<Word>& r) {
    const double ranks = std::min(std::exp2(20), std::exp2(8.0 * sizeof(Word)) - 1);
    distribution d{r.parameters[0], ranks};
    d.low = d.integral(1.5) - 1;
    d.high = d.integral(ranks + 0.5);
    d.near = 2 - d.inverse(d.integral(2.5) - d.power(2));
    const double kept[] = {d.exponent, d.ranks, d.low, d.high, d.near};
    std::copy(std::begin(kept), std::end(kept), r.real);
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    const distribution d{r.real[0], r.real[1], r.real[2], r.real[3], r.real[4]};
    for (std::uint64_t attempt = 0;; ++attempt)
      if (const std::uint64_t rank = d.rank(r.share(attempt, i)); rank != 0)
        return r.space.integer(rank);
  }
};

/// Ranks up to n, each about as likely as its inverse; a rank's key is random, so that frequent keys lie anywhere.
struct zipf_spread {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.real[0] = portable::log2(static_cast<double>(std::max<std::uint64_t>(1, r.shape.n)));
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.random_key(
        1, static_cast<std::uint64_t>(portable::exp2(portable::rounded_product(r.share(0, i), r.real[0]))));
  }
};

struct few {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.whole[0] = r.whole_parameter(0);
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.random_key(1, r.below(0, i, r.whole[0]));
  }
};

struct equal {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.keys[0] = r.random_key(0, 0);
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t) {
    return r.keys[0];
  }
};

struct two_values {
  /// Two keys that are not equal, neither of them a NaN or a zero.
  template <class Word>
  static void prepare(recipe<Word>& r) {
    const Word first = static_cast<Word>(r.random_key(0, 0) | 1);
    r.keys[0] = r.space.finite(first);
    r.keys[1] = r.space.finite(static_cast<Word>(first ^ 2));
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.keys[r.chance(1, i, 0.5) ? 1 : 0];
  }
};

struct mostly_equal {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.keys[0] = r.random_key(0, 0);
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.chance(1, i, r.parameters[0]) ? r.keys[0] : r.random_key(2, i);
  }
};

/// Only the bits [begin, end) differ between keys.
struct window {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    const unsigned width = recipe<Word>::width;
    const bool given = r.parameters[0] != by_type;
    const unsigned begin = given ? static_cast<unsigned>(r.parameters[0]) : width / 4;
    const unsigned end = given ? static_cast<unsigned>(r.parameters[1]) : 3 * width / 4;
    if (begin > end || end > width)
      throw invalid_argument("workload window:" + std::to_string(begin) + ":" + std::to_string(end) +
                             ": begin must not exceed end, nor end the " + std::to_string(width) + " bits of " +
                             std::string(name(r.shape.type)));
    const Word below_end = end == width ? static_cast<Word>(~Word{0}) : static_cast<Word>((Word{1} << end) - 1);
    const Word below_begin = begin == width ? static_cast<Word>(~Word{0}) : static_cast<Word>((Word{1} << begin) - 1);
    r.keys[0] = static_cast<Word>(below_end & ~below_begin);
    r.keys[1] = r.bits(1, 0);
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.space.finite(static_cast<Word>((r.bits(0, i) & r.keys[0]) | (r.keys[1] & ~r.keys[0])));
  }
};

/// Integers 0 … span − 1, for floats as values.
struct range {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.whole[0] = r.whole_parameter(0);
    if (!is_float(r.shape.type) && r.parameters[0] > std::exp2(8.0 * sizeof(Word)))
      throw invalid_argument("workload range:" + std::to_string(r.whole[0]) + ": " + std::string(name(r.shape.type)) +
                             " has fewer values than that");
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.space.integer(r.below(0, i, r.whole[0]));
  }
};

/// Random in the low 16 bits (of narrow types: in half of them), but for one key in k, which is random everywhere.
struct outliers {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.whole[0] = r.whole_parameter(0);
    r.keys[0] = static_cast<Word>((Word{1} << std::min(16u, recipe<Word>::width / 2)) - 1);
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.below(0, i, r.whole[0]) == 0 ? r.random_key(1, i) : static_cast<Word>(r.bits(2, i) & r.keys[0]);
  }
};

/// Identifiers at a distance, and what belongs to each within a span above it: id · spacing + random below span.
struct clusters {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    const unsigned log_ids = std::min(16u, recipe<Word>::width / 2);
    const bool given = r.parameters[0] != by_type;
    r.whole[0] = given ? r.whole_parameter(0) : std::uint64_t{1} << log_ids;
    r.whole[1] = given ? r.whole_parameter(1) : std::uint64_t{1} << (std::min(64u, recipe<Word>::width) - log_ids);
    r.whole[2] = given ? r.whole_parameter(2) : r.whole[1] / 16;
    if (r.whole[2] > r.whole[1])
      refuse(r, ": the span must not exceed the spacing");
    const uint128 largest = uint128{r.whole[0] - 1} * r.whole[1] + (r.whole[2] - 1);
    if (largest >> (is_float(r.shape.type) ? 64 : std::min(64u, recipe<Word>::width)) != 0)
      refuse(r, ": keys of " + std::string(name(r.shape.type)) + " do not reach so far");
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return r.space.integer(r.below(0, i, r.whole[0]) * r.whole[1] + r.below(1, i, r.whole[2]));
  }

 private:
  template <class Word>
  [[noreturn]] static void refuse(const recipe<Word>& r, const std::string& why) {
    throw invalid_argument("workload clusters:" + std::to_string(r.whole[0]) + ":" + std::to_string(r.whole[1]) + ":" +
                           std::to_string(r.whole[2]) + why);
  }
};

/// Points of the plane around k centres, as Morton codes: the bits of both coordinates in turn, x lowest. A point is up
/// to 2^-6 of the plane's side away from its centre.
struct morton {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.whole[0] = r.whole_parameter(0);
    r.whole[1] = std::min(32u, recipe<Word>::width / 2); // bits of a coordinate
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    const std::uint64_t cluster = r.below(0, i, r.whole[0]);
    const std::uint64_t code = spaced(coordinate(r, i, cluster, 1)) | spaced(coordinate(r, i, cluster, 4)) << 1;
    return r.space.finite(static_cast<Word>(static_cast<Word>(code) << (recipe<Word>::width - 2 * r.whole[1])));
  }

 private:
  /// A coordinate of the cluster's centre, and the sum of two uniform distances from it.
  template <class Word>
  SORTILE_HOST_DEVICE static std::uint64_t coordinate(const recipe<Word>& r, std::uint64_t i, std::uint64_t cluster,
                                                      std::uint64_t stream) {
    const std::uint64_t away = (r.draw(stream + 1, i) >> 7) + (r.draw(stream + 2, i) >> 7);
    return (r.draw(stream, cluster) + away) >> (64 - r.whole[1]);
  }
  /// The lower 32 bits with a zero above each.
  SORTILE_HOST_DEVICE static std::uint64_t spaced(std::uint64_t x) {
    x = (x | x << 16) & 0x0000ffff0000ffff;
    x = (x | x << 8) & 0x00ff00ff00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
    x = (x | x << 2) & 0x3333333333333333;
    return (x | x << 1) & 0x5555555555555555;
  }
};

/// The 16 highest bits as given, random ones below.
template <class Word>
SORTILE_HOST_DEVICE Word beneath(const recipe<Word>& r, std::uint64_t i, std::uint64_t highest) {
  if constexpr (recipe<Word>::width <= 16)
    return r.space.finite(static_cast<Word>(highest >> (16 - recipe<Word>::width)));
  else
    return r.space.finite(
        static_cast<Word>(Word(Word(highest) << (recipe<Word>::width - 16)) | Word(r.bits(1, i) >> 16)));
}

/// As many values of the 16 highest bits as leave k keys to each.
struct full_buckets {
  template <class Word>
  static void prepare(recipe<Word>& r) {
    r.whole[0] = std::min<std::uint64_t>(65536, r.shape.n / r.whole_parameter(0) + 1);
  }
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return beneath(r, i, r.below(0, i, r.whole[0]) * 65536 / r.whole[0]);
  }
};

struct two_buckets : plain_rule {
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    return beneath(r, i, r.chance(0, i, 0.5) ? 0xd000 : 0x2000);
  }
};

/// Zeros, of floats of both signs, among uniform keys.
struct zeros : plain_rule {
  template <class Word>
  SORTILE_HOST_DEVICE static Word key(const recipe<Word>& r, std::uint64_t i) {
    if (!r.chance(0, i, r.parameters[0]))
      return r.random_key(2, i);
    return r.space.holds_floats() ? static_cast<Word>(r.bits(1, i) & r.space.sign()) : Word{0};
  }
};

} // namespace sortile::testing::rules
