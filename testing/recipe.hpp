// What a rule of a workload needs to make key i: the type, the array, the parameters, and random numbers by counter. A
// plain value that kernels take as an argument.
#pragma once

#include "simt/config.hpp"
#include "testing/key_space.hpp"
#include "testing/workloads.hpp"

#include <cstdint>
#include <limits>

namespace sortile::testing::rules {

/// Parameters that were not given and depend on the type.
inline constexpr double by_type = -1;

/// All that a rule needs to know, for keys whose bits are a Word.
template <class Word>
struct recipe {
  static constexpr unsigned width = 8 * sizeof(Word);

  key_space<Word> space;
  array_shape shape;
  workload_parameters parameters;
  // What prepare() of the rule works out once for all keys, on the host.
  std::uint64_t whole[4] = {};
  double real[5] = {};
  Word keys[2] = {};

  /// The i-th of the random numbers of a stream: each rule numbers its own streams.
  SORTILE_HOST_DEVICE std::uint64_t draw(std::uint64_t stream, std::uint64_t i) const {
    return random_bits(random_bits(shape.seed, stream), i);
  }

  /// The same, as wide as a key.
  SORTILE_HOST_DEVICE Word bits(std::uint64_t stream, std::uint64_t i) const {
    if constexpr (sizeof(Word) > 8)
      return (Word{draw(stream, 2 * i)} << 64) | draw(stream, 2 * i + 1);
    else
      return static_cast<Word>(draw(stream, i) >> (64 - width));
  }

  SORTILE_HOST_DEVICE Word random_key(std::uint64_t stream, std::uint64_t i) const {
    return space.random(bits(stream, i));
  }

  /// A random multiple of 2^-53 in [0, 1).
  SORTILE_HOST_DEVICE double share(std::uint64_t stream, std::uint64_t i) const {
    return static_cast<double>(draw(stream, i) >> 11) * 0x1p-53;
  }

  /// True with the given probability.
  SORTILE_HOST_DEVICE bool chance(std::uint64_t stream, std::uint64_t i, double probability) const {
    return share(stream, i) < probability;
  }

  /// A random number below the bound.
  SORTILE_HOST_DEVICE std::uint64_t below(std::uint64_t stream, std::uint64_t i, std::uint64_t bound) const {
    return static_cast<std::uint64_t>((uint128{draw(stream, i)} * bound) >> 64);
  }

  /// rank / count as a fraction of 2^64, for rank < count, where `step` is step_of(count): never decreasing in rank.
  SORTILE_HOST_DEVICE Word in_range(std::uint64_t rank, std::uint64_t step) const { return space.spread(rank * step); }

  std::uint64_t whole_parameter(std::size_t p) const { return static_cast<std::uint64_t>(parameters[p]); }
};

/// The distance of neighbours where `count` of them spread over the whole range, as a fraction of 2^64.
constexpr std::uint64_t step_of(std::uint64_t count) {
  return std::numeric_limits<std::uint64_t>::max() / (count == 0 ? 1 : count);
}

/// A rule that works out nothing beforehand.
struct plain_rule {
  template <class Word>
  static void prepare(recipe<Word>&) {}
};

} // namespace sortile::testing::rules
