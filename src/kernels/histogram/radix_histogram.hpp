// Radix histogram as host code calls it; plain C++.
//
// Counts, for each 8-bit digit of the keys' images (within the codec's bit window, moved down to bit 0), how many keys
// have each value: counts[256·d + v] keys whose digit d is v, for all sizeof(Word) digits (those above the window are
// all 0). In the same read: which bits are set, and which are clear, in some image.
//
// Any n, any alignment that Word allows. `result` is overwritten. Asynchronous on the queue; allocates nothing, never
// synchronises, may be captured in a CUDA graph. Two launches, sizeof(Word) bytes of traffic a key. Deterministic.
#pragma once

#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// Lies in memory that the queue's device can reach, aligned to 8.
template <class Word>
struct radix_histogram_result {
  static constexpr unsigned digits = sizeof(Word), radix = 256;
  std::uint64_t counts[digits][radix];
  std::uint64_t ones[2];  ///< bits set in some image, low half first
  std::uint64_t zeros[2]; ///< bits (of the whole word) clear in some image
};

/// Word is std::uint8_t … std::uint64_t or uint128. Throws invalid_argument, or simt::error where a launch is refused.
template <class Word>
void radix_histogram(const simt::queue& q, const Word* keys, std::uint64_t n, const key_codec<Word>& codec,
                     radix_histogram_result<Word>* result);

} // namespace sortile::kernels
