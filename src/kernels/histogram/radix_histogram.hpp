// Radix histogram as host code calls it; plain C++.
//
// Counts, for each 8-bit digit of the keys' images (within the codec's bit window, moved down to bit 0), how many keys
// have each value: counts[256·d + v] keys whose digit d is v, for all sizeof(Word) digits (those above the window are
// all 0).
//
// Any n, any alignment that Word allows. `counts` is overwritten. Asynchronous on the queue; allocates nothing, never
// synchronises, may be captured in a CUDA graph. Two launches, sizeof(Word) bytes of traffic a key. Deterministic.
#pragma once

#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// Counters that a histogram of Words has: sizeof(Word) digits of 256 values.
template <class Word>
inline constexpr std::size_t radix_histogram_counters = 256 * sizeof(Word);

/// Word is std::uint8_t … std::uint64_t or uint128; keys and counts are memory that the queue's device can reach.
/// Throws invalid_argument, or simt::error where a launch is refused.
template <class Word>
void radix_histogram(const simt::queue& q, const Word* keys, std::uint64_t n, const key_codec<Word>& codec,
                     std::uint64_t* counts);

namespace detail {
template <class Word>
struct radix_histogram_request {
  const Word* keys;
  std::uint64_t n;
  key_codec<Word> codec;
  std::uint64_t* counts;
};
} // namespace detail

} // namespace sortile::kernels
