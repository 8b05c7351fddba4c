// The rules behind the names of workloads.hpp. A rule is a class with `keys(recipe)`, which returns a function from a
// position to the bits of the key there.
//
// Where they come from: AND-of-k, the entropy ladder: Thearling and Smith 1992. Staggered: Helman, Bader, JaJa 1998.
// Root-dup, two-dup, eight-dup: Edelkamp and Weiss 2016 (BlockQuicksort). Zipf by rejection-inversion: Hoermann and
// Derflinger 1996.
#pragma once

#include "testing/key_space.hpp"
#include "testing/workloads.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace sortile::testing::rules {

/// Parameters that were not given and depend on the type.
inline constexpr double by_type = -1;

/// All that a rule needs to know, for keys whose bits are a Word.
template <class Word>
struct recipe {
  key_space<Word> space;
  array_shape shape;
  workload_parameters parameters;

  /// The i-th of the random numbers of a stream: each rule numbers its own streams.
  std::uint64_t draw(std::uint64_t stream, std::uint64_t i) const {
    return random_bits(random_bits(shape.seed, stream), i);
  }

  /// The same, as wide as a key.
  Word bits(std::uint64_t stream, std::uint64_t i) const {
    if constexpr (sizeof(Word) > 8)
      return (Word{draw(stream, 2 * i)} << 64) | draw(stream, 2 * i + 1);
    else
      return static_cast<Word>(draw(stream, i) >> (64 - 8 * sizeof(Word)));
  }

  Word random_key(std::uint64_t stream, std::uint64_t i) const { return space.random(bits(stream, i)); }

  /// True with the given probability.
  bool chance(std::uint64_t stream, std::uint64_t i, double probability) const {
    return static_cast<double>(draw(stream, i) >> 11) * 0x1p-53 < probability;
  }

  /// A random number below the bound.
  std::uint64_t below(std::uint64_t stream, std::uint64_t i, std::uint64_t bound) const {
    return static_cast<std::uint64_t>((uint128{draw(stream, i)} * bound) >> 64);
  }

  std::uint64_t whole(std::size_t parameter) const { return static_cast<std::uint64_t>(parameters[parameter]); }
};

/// rank / count as a fraction of 2^64, for rank < count: never decreasing in rank.
constexpr std::uint64_t fraction_of(std::uint64_t rank, std::uint64_t count) {
  return rank * (std::numeric_limits<std::uint64_t>::max() / (count == 0 ? 1 : count));
}

struct uniform {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r](std::uint64_t i) { return r.random_key(0, i); };
  }
};

/// Floats in [0, 1): as many random bits as the fraction and the leading one hold.
struct unit {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    const unsigned digits = fraction_bits(r.shape.type) + 1;
    const Word scale =
        static_cast<Word>(std::uint64_t{digits} << (digits - 1)); // what 2^-digits takes from the exponent field
    return [=](std::uint64_t i) {
      const Word number = r.space.integer(r.draw(0, i) >> (64 - digits));
      return number == 0 ? number : static_cast<Word>(number - scale);
    };
  }
};

struct gaussian {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r](std::uint64_t i) {
      std::uint64_t sum = 0;
      for (std::uint64_t stream = 0; stream < 4; ++stream)
        sum += r.draw(stream, i) >> 2;
      return r.space.spread(sum);
    };
  }
};

struct and_of {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r, words = r.whole(0)](std::uint64_t i) {
      Word all = r.bits(0, i);
      for (std::uint64_t stream = 1; stream < words; ++stream)
        all = static_cast<Word>(all & r.bits(stream, i));
      return r.space.finite(all);
    };
  }
};

/// Ranks 1 … 2^20 (at most 2^width − 1), rank k with a probability proportional to k^−s; the rank is the key's value.
struct zipf {
  class distribution {
   public:
    distribution(double exponent, double ranks)
        : exponent_(exponent), low_(integral(1.5) - 1), high_(integral(ranks + 0.5)), ranks_(ranks),
          near_(2 - inverse(integral(2.5) - std::exp(-exponent * std::log(2.0)))) {}

    /// A rank for a uniform number in [0, 1), or 0: draw again.
    std::uint64_t rank(double uniform_number) const {
      const double u = high_ + uniform_number * (low_ - high_);
      const double x = inverse(u);
      const double k = std::clamp(std::floor(x + 0.5), 1.0, ranks_);
      const bool taken = k - x <= near_ || u >= integral(k + 0.5) - std::exp(-exponent_ * std::log(k));
      return taken ? static_cast<std::uint64_t>(k) : 0;
    }

   private:
    /// The integral of x^−s, zero at 1; written so that it is smooth in s at 1.
    double integral(double x) const {
      const double log_x = std::log(x);
      const double t = (1 - exponent_) * log_x;
      return (std::abs(t) > 1e-8 ? std::expm1(t) / t : 1 + t / 2) * log_x;
    }
    double inverse(double area) const {
      const double t = std::max(area * (1 - exponent_), -1.0);
      return std::exp((std::abs(t) > 1e-8 ? std::log1p(t) / t : 1 - t / 2) * area);
    }

    double exponent_, low_, high_, ranks_, near_;
  };

  template <class Word>
  static auto keys(const recipe<Word>& r) {
    const double ranks = std::min(std::exp2(20), std::exp2(8.0 * sizeof(Word)) - 1);
    return [r, d = distribution(r.parameters[0], ranks)](std::uint64_t i) {
      for (std::uint64_t attempt = 0;; ++attempt)
        if (const std::uint64_t rank = d.rank(static_cast<double>(r.draw(attempt, i) >> 11) * 0x1p-53); rank != 0)
          return r.space.integer(rank);
    };
  }
};

struct few {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r, values = r.whole(0)](std::uint64_t i) { return r.random_key(1, r.below(0, i, values)); };
  }
};

struct equal {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [key = r.random_key(0, 0)](std::uint64_t) { return key; };
  }
};

/// Two keys that are not equal, neither of them a NaN or a zero.
template <class Word>
std::pair<Word, Word> two_keys(const recipe<Word>& r) {
  const Word first = static_cast<Word>(r.random_key(0, 0) | 1);
  const Word second = static_cast<Word>(first ^ 2);
  return {r.space.finite(first), r.space.finite(second)};
}

struct equal_but_one {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [keys = two_keys(r), odd = r.below(1, 0, r.shape.n)](std::uint64_t i) {
      return i == odd ? keys.second : keys.first;
    };
  }
};

struct two_values {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r, keys = two_keys(r)](std::uint64_t i) { return r.chance(1, i, 0.5) ? keys.second : keys.first; };
  }
};

struct mostly_equal {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r, key = r.random_key(0, 0)](std::uint64_t i) {
      return r.chance(1, i, r.parameters[0]) ? key : r.random_key(2, i);
    };
  }
};

struct sorted {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r](std::uint64_t i) { return r.space.spread(fraction_of(i, r.shape.n)); };
  }
};

struct reversed {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r](std::uint64_t i) { return r.space.spread(fraction_of(r.shape.n - 1 - i, r.shape.n)); };
  }
};

struct nearly_sorted {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r](std::uint64_t i) {
      return r.chance(0, i, r.parameters[0]) ? r.random_key(1, i) : r.space.spread(fraction_of(i, r.shape.n));
    };
  }
};

struct organ_pipe {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r, half = r.shape.n - r.shape.n / 2](std::uint64_t i) {
      return r.space.spread(fraction_of(std::min(i, r.shape.n - 1 - i), half));
    };
  }
};

struct runs {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r, length = r.shape.n / std::max<std::uint64_t>(1, r.whole(0)) + 1](std::uint64_t i) {
      return r.space.spread(fraction_of(i % length, length));
    };
  }
};

struct sawtooth {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return
        [r, period = std::max<std::uint64_t>(1, r.whole(0))](std::uint64_t i) { return r.space.integer(i % period); };
  }
};

/// p blocks of positions; the keys of block b are random in one p-th of the range: an odd one for the first half of the
/// blocks, an even one for the second, so that no block stays where it is.
struct staggered {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    const std::uint64_t blocks = std::max<std::uint64_t>(2, r.whole(0));
    return [r, blocks, length = r.shape.n / blocks + 1](std::uint64_t i) {
      const std::uint64_t block = i / length;
      const std::uint64_t part = block < blocks / 2 ? 2 * block + 1 : 2 * (block - blocks / 2);
      const std::uint64_t step = std::numeric_limits<std::uint64_t>::max() / blocks;
      return r.space.spread(std::min(part, blocks - 1) * step + r.below(0, i, step));
    };
  }
};

struct root_dup {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    const auto root = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::sqrt(static_cast<double>(r.shape.n))));
    return [r, root](std::uint64_t i) { return r.space.integer(i % root); };
  }
};

/// i^Power + n/2 mod n.
template <unsigned Power>
struct power_dup {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r](std::uint64_t i) {
      uint128 power = i;
      for (unsigned p = 1; p < Power; p *= 2)
        power = power * power % r.shape.n;
      return r.space.integer(static_cast<std::uint64_t>((power + r.shape.n / 2) % r.shape.n));
    };
  }
};

/// Only the bits [begin, end) differ between keys.
struct window {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    const unsigned width = 8 * sizeof(Word);
    const bool given = r.parameters[0] != by_type;
    const unsigned begin = given ? static_cast<unsigned>(r.parameters[0]) : width / 4;
    const unsigned end = given ? static_cast<unsigned>(r.parameters[1]) : 3 * width / 4;
    if (begin > end || end > width)
      throw invalid_argument("workload window:" + std::to_string(begin) + ":" + std::to_string(end) +
                             ": begin must not exceed end, nor end the " + std::to_string(width) + " bits of " +
                             std::string(name(r.shape.type)));
    const Word below_end = end == width ? static_cast<Word>(~Word{0}) : static_cast<Word>((Word{1} << end) - 1);
    const Word below_begin = begin == width ? static_cast<Word>(~Word{0}) : static_cast<Word>((Word{1} << begin) - 1);
    return [r, mask = static_cast<Word>(below_end & ~below_begin), fixed = r.bits(1, 0)](std::uint64_t i) {
      return r.space.finite(static_cast<Word>((r.bits(0, i) & mask) | (fixed & ~mask)));
    };
  }
};

/// Integers 0 … span − 1, for floats as values.
struct range {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    if (!is_float(r.shape.type) && r.parameters[0] > std::exp2(8.0 * sizeof(Word)))
      throw invalid_argument("workload range:" + std::to_string(r.whole(0)) + ": " + std::string(name(r.shape.type)) +
                             " has fewer values than that");
    return [r, span = r.whole(0)](std::uint64_t i) { return r.space.integer(r.below(0, i, span)); };
  }
};

struct nan {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r](std::uint64_t i) {
      return r.chance(0, i, r.parameters[0]) ? r.space.nan(r.bits(1, i)) : r.random_key(2, i);
    };
  }
};

struct zeros {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r](std::uint64_t i) {
      return r.chance(0, i, r.parameters[0]) ? static_cast<Word>(r.bits(1, i) & r.space.sign()) : r.random_key(2, i);
    };
  }
};

struct infinities {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r](std::uint64_t i) {
      return r.chance(0, i, r.parameters[0]) ? static_cast<Word>((r.bits(1, i) & r.space.sign()) | r.space.infinity())
                                             : r.random_key(2, i);
    };
  }
};

struct denormals {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r, mask = static_cast<Word>(r.space.sign() | (r.space.smallest_normal() - 1))](std::uint64_t i) {
      return static_cast<Word>(r.bits(0, i) & mask);
    };
  }
};

/// Everything that a float can be, each kind one time in eight.
struct specials {
  template <class Word>
  static auto keys(const recipe<Word>& r) {
    return [r](std::uint64_t i) {
      const Word bits = r.bits(1, i);
      const auto with_sign = [&](Word magnitude) { return static_cast<Word>((bits & r.space.sign()) | magnitude); };
      switch (r.draw(0, i) % 8) {
      case 0:
        return r.space.nan(bits);
      case 1:
        return with_sign(0);
      case 2:
        return with_sign(r.space.infinity());
      case 3:
        return with_sign(static_cast<Word>(bits & (r.space.smallest_normal() - 1)));
      case 4:
        return with_sign(r.space.largest_finite());
      case 5:
        return with_sign(r.space.smallest_normal());
      case 6:
        return with_sign(r.space.integer(1));
      default:
        return r.space.random(bits);
      }
    };
  }
};

} // namespace sortile::testing::rules
