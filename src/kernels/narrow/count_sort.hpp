// Sorts keys of 8 and 16 bits, alone, by counting them: as host code calls it; plain C++.
//
// There are so few different keys that how often each occurs says everything. The keys are read once and never moved:
//
//   count   one read                    all in one launch of as many blocks as are resident,
//   fill    one write                   with barriers across the grid between the steps
//
// 2 sizeof(key) bytes are moved for a key, which no sort can do with less. Up to 2^14 keys one block does it in shared
// storage.
//
// Keys are std::uint8_t or std::uint16_t: unsigned or signed integers by their codec, ascending or descending, by the
// whole key. Bit windows are refused: keys with equal images but different bits would have to keep their order, which
// counts do not know. Floats of 16 bits have that trouble too, with −0 and +0 and with NaNs, but only where the input
// holds both zeros, or two patterns of NaN. The counts show it, so floats are taken where the caller gives a word to
// say so in (`unsuited`), and another sort behind.
//
// n up to 2^42, any alignment that Word allows, in place or apart (in place, all keys are counted before the first is
// written). Keys in order already stay as they are in place. Asynchronous on the queue, allocates nothing, never
// synchronises, may be captured in a CUDA graph. The workspace's content never matters. Deterministic.
#pragma once

#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

inline constexpr std::uint64_t count_sort_most = std::uint64_t{1} << 42;

template <class Word>
struct count_sort_request {
  const Word* in = nullptr;
  Word* out = nullptr; ///< may be `in`
  std::uint64_t n = 0;
  const std::uint64_t* device_n = nullptr; ///< in device memory: how many there really are; `n` is the upper bound, and
                                           ///< what exceeds it is left out
  key_codec<Word> codec;                   ///< of the whole key
  void* workspace = nullptr;               ///< aligned to 128
  std::size_t workspace_bytes = 0;
  /// A word in device memory; may be null for integers. The sort writes 1 and leaves the output alone where floats
  /// hold both zeros or more than one pattern of NaN, else it writes 0 and sorts.
  std::uint32_t* unsuited = nullptr;
  // For measurements and tests.
  unsigned blocks = 0; ///< at most, of the launch for many keys; 0: as many as are resident
  bool many = false;   ///< few keys too are sorted as many are
};

/// Bytes that a request needs, whatever its n: 516 KB for 16 bits, a little over 2 KB for 8, none where one block does
/// it.
template <class Word>
std::size_t count_sort_workspace_bytes(const count_sort_request<Word>& request);

/// Whether one launch of one block does it all.
template <class Word>
bool count_sort_in_one_block(std::uint64_t n);

/// Throws invalid_argument, workspace_too_small, or simt::error where a launch is refused.
template <class Word>
void count_sort(const simt::queue& q, const count_sort_request<Word>& request);

} // namespace sortile::kernels
