// Sorts keys in device memory; plain C++.
//
//   sample      small: it tells from which interval the keys come; that is divided into buckets
//   scan        one read: where every bucket begins, which bits differ, whether there is anything to do
//   tables      small
//   partition   up to 8 bits        one read, one write
//   partition   up to 8 more        one read, one write     (from 2^20 + 1 keys on)
//   local       the rest            one read, one write     (and large_sort_kernel.hpp for deferred buckets, or, of
//                                                            32-bit keys in 2^16 buckets, `crowds`)
//
// The number of buckets follows n, about 4096 keys each. 7 sizeof(key) bytes are moved for a key. An
// input of a few thousand keys is sorted in one launch of one block instead (one_block_sort_kernel.hpp).
//
// Keys are std::uint32_t, std::uint64_t or uint128: unsigned or signed integers by their codec, ascending or
// descending, by the whole key. Bit windows are refused: keys with equal images but different bits would have to keep
// their order, and this sort does not do that. Floats are refused too, but for those of 32 bits beyond 2^27 of them: if
// there is no −0 and no NaN among them, they are sorted as integers are; if there is one, the verdict gives them to the
// fallback before anything is moved (`unsuited`, which they need). Up to 2^32 − 2^16 keys. `in` and `out` aligned to 16
// bytes, the same array or apart; the workspace apart from both. Asynchronous on the queue, allocates nothing, never
// synchronises, may be captured in a CUDA graph. The workspace's content never matters. Deterministic in its result.
//
// Sorted keys are copied, descending keys too, from their end. Keys of no more different values than there are buckets,
// close together, are written from the counts alone, without being moved.
//
// When not to use it: where one bucket holds a large part of a large input, one block sorts all of that. The verdict
// (`unsuited`) tells in time: of skew that a sample shows, before the keys are read. 32-bit keys in 2^16 buckets
// (beyond 2^27 of them) are never given away because of skew: their buckets are counted, whatever their size.
#pragma once

#include "kernels/sort_shape.hpp"
#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// The largest n that sort_keys takes: 32-bit positions, and room for a partition's rings to pass the end.
inline constexpr std::uint64_t sort_keys_most = (std::uint64_t{1} << 32) - (1u << 16);

enum class partition_tiles { follow_n, small, large };

template <class Word>
struct sort_keys_request {
  static constexpr unsigned follows_n = ~0u;

  const Word* in = nullptr;
  Word* out = nullptr; ///< may be `in`
  std::uint64_t n = 0;
  key_codec<Word> codec; ///< of an integer type, or f32, and the whole key
  /// `in`, which is not `out`, may be overwritten: no room for a third array is needed in the workspace.
  bool input_is_scratch = false;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  /// A word in device memory, or null. With it, the sort writes 1 and leaves the output alone where some bucket is too
  /// large for one block, too many are crowded, or few values have strays (which is known before anything moves), else
  /// it writes 0 and sorts, as it always does with integers whose buckets are counted. With floats, 1 where there is a
  /// −0 or a NaN among them, even in order. Not written where one block sorts all keys: it takes any.
  std::uint32_t* unsuited = nullptr;
  /// Whoever takes what does not suit finds out at the first read whether all keys are alike: a sample need not spare
  /// it such keys.
  bool fallback_sees_order = false;
  // For measurements and tests; the first two follow n otherwise.
  unsigned partition_bits = follows_n; ///< 0 to 16
  partition_tiles tiles = partition_tiles::follow_n;
  std::uint64_t sample_from = std::uint64_t{1} << 21;       ///< keys from which a sample is asked for `unsuited`
  std::uint64_t many_samples_from = std::uint64_t{1} << 26; ///< keys from which that has 8192 of them, not 2048
  static constexpr std::uint32_t least_giant = 67'000;      ///< room for a bucket's counters
  static constexpr std::uint32_t most_giant = 1u << 21;     ///< what one block counts alone
  /// Keys from which several blocks count a bucket; least_giant to most_giant.
  std::uint32_t giant_from = std::uint32_t{1} << 17;
};

/// Bytes that a request needs: none where one block sorts, else room for the keys once more (but where the input is
/// scratch), and 20 bytes a bucket (where buckets are counted: 12 more for each 67,000 keys). Aligned to 128.
template <class Word>
std::size_t sort_keys_workspace_bytes(std::uint64_t n, unsigned partition_bits = sort_keys_request<Word>::follows_n,
                                      bool input_is_scratch = false);

template <class Word>
sort_shape sort_keys_shape_of(std::uint64_t n);

/// Throws invalid_argument, workspace_too_small, or simt::error where a launch is refused.
template <class Word>
void sort_keys(const simt::queue& q, const sort_keys_request<Word>& request);

} // namespace sortile::kernels
