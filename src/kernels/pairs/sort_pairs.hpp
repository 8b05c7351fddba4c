// Sorts pairs of a key and a value in device memory, stably, by two partitions and one local step; plain C++.
//
//   scan        one read of the keys: how many of each digit every chunk of the input holds, whether they are sorted
//   tables      the place of every pair follows from the counts, before anything moves: two small launches (columns,
//               starts), or, of a single partition, made by its blocks themselves
//   partition   up to 8 bits        one read, one write
//   partition   up to 8 more        one read, one write     (from 2^20 + 1 pairs on)
//   local       the rest            one read, one write
//
// and large_pairs_kernel.hpp for buckets that the local sort cannot take.
//
// The number of buckets follows n, 2048 to 4096 pairs each. 7 sizes of a key and 6 of a value are moved a pair,
// whatever the width. Inputs of one bucket (sort_pairs_small) take a single launch.
//
// Keys are the bits of u32, i32, f32 (Word: std::uint32_t) or u64, i64, f64 (std::uint64_t), ordered by their codec,
// ascending or descending, by the whole key: bit windows are refused. Stable: pairs with equal keys, −0 and +0, and
// NaNs of any bits, keep their order. Keys and values come out bit for bit. Values are anything of 4, 8 or 16 bytes;
// none at all (value_bytes 0: a stable sort of keys); or the indices 0 … n − 1 of 4 or 8 bytes, made on the way
// (make_indices: an argsort, without an array of indices to read). Up to 2^32 − 2^16 pairs. All arrays aligned to 16
// bytes. keys_out may be keys_in, values_out may be values_in, and they are apart otherwise; the workspace is apart
// from all. Inputs stay as they are where they are not outputs. Input in order already costs one read, and a copy where
// outputs are apart; strictly decreasing input one read and a copy backwards.
//
// Asynchronous on the queue, allocates nothing, never synchronises, may be captured in a CUDA graph. The workspace's
// content never matters. Deterministic. Needs sm_90 (bulk copies).
//
// Buckets divide the interval that a sample of the keys comes from, floats by value where that is more even than by
// their bits (key_spread.hpp): numbers below a billion, time stamps and floats between 0 and 1 fill them as evenly as
// random bits do.
//
// When not to use it: for more than 2^28 pairs, and for skewed keys (normally distributed floats, heavy keys, a few
// outliers far away). Their buckets get too large for the local sorts, and one block sorts each of those: right, but
// slow. The verdict (`unsuited`) says so in time: of skew that a sample shows, before the keys are read. It does so too
// where there are more than 8 keys to each value of the interval: other sorts take such keys in fewer passes.
#pragma once

#include "kernels/sort_shape.hpp"
#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// The largest n that sort_pairs takes: 32-bit positions.
inline constexpr std::uint64_t sort_pairs_most = (std::uint64_t{1} << 32) - (1u << 16);
/// Up to here one block sorts everything in a single launch, whatever the keys.
inline constexpr std::uint64_t sort_pairs_small = 4480;

/// The oldest architecture that sort_pairs runs on, as 10 · major + minor.
inline constexpr unsigned sort_pairs_architecture = 90;

template <class Word>
struct sort_pairs_request {
  static constexpr unsigned follows_n = ~0u;

  const Word* keys_in = nullptr;
  Word* keys_out = nullptr;        ///< may be keys_in; null: sorted keys are not wanted (needs values)
  const void* values_in = nullptr; ///< not read where indices are made
  void* values_out = nullptr;      ///< may be values_in
  unsigned value_bytes = 0;        ///< 0, 4, 8 or 16
  bool make_indices = false;       ///< values are 0 … n − 1, of 4 or 8 bytes
  std::uint64_t n = 0;
  key_codec<Word> codec; ///< of the whole key
  /// The inputs, which are neither outputs nor indices to be made, may be overwritten, and the keys are wanted: no room
  /// for third arrays is needed in the workspace.
  bool input_is_scratch = false;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  /// A word in device memory, or null. With it, the sort writes 1 and leaves the outputs alone where some bucket is too
  /// large for the local steps (which is known before anything moves), else it writes 0 and sorts.
  std::uint32_t* unsuited = nullptr;
  /// Whoever takes what does not suit finds out at the first read whether it is in order: a sample need not spare it such
  /// keys.
  bool fallback_sees_order = false;
  // For measurements and tests; the first two follow n and the device otherwise.
  unsigned partition_bits = follows_n;                ///< 1 to 16; 0 up to sort_pairs_small pairs
  unsigned chunks = follows_n;                        ///< 1 to 132 blocks that partition
  std::uint64_t sample_from = std::uint64_t{1} << 21; ///< pairs from which a sample is asked for `unsuited`
  /// Pairs of 32-bit keys and values from which, in two partitions, buckets of up to 9088 pairs (values of 8 bytes:
  /// 11,264, of 16: 7168) are no reason for `unsuited`: one more launch, which mostly has nothing to do.
  std::uint64_t large_buckets_from = std::uint64_t{1} << 25;
};

/// Bytes that a request needs: room for the pairs once more (for the keys twice, where keys_out is null; not at all
/// where the input is scratch) and tables of less than 0.3 bytes a pair. Aligned to 128. Reads n, value_bytes,
/// keys_out, input_is_scratch and partition_bits alone.
template <class Word>
std::size_t sort_pairs_workspace_bytes(const sort_pairs_request<Word>& request);

sort_shape sort_pairs_shape_of(std::uint64_t n);

/// Throws invalid_argument, workspace_too_small, or simt::error where a launch is refused.
template <class Word>
void sort_pairs(const simt::queue& q, const sort_pairs_request<Word>& request);

} // namespace sortile::kernels
