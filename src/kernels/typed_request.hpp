// What every sort of this folder is asked: one request for all of them, by the unsigned type that keys are stored as.
// Plain C++. Each sort says in its header which of these it takes, and refuses the others by name (request_checks.hpp).
//
// Asynchronous on the queue, allocates nothing, never synchronises, may be captured in a CUDA graph: that holds for all
// of them. The workspace lies apart from all arrays, and its content never matters.
#pragma once

#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// Where sorts that are launched one after another find the word by which they agree on who sorts (verdict.hpp).
struct verdict_place {
  std::uint32_t* word = nullptr; ///< in device memory; null: nobody else is launched for these keys
  std::uint32_t role = 0;        ///< 0: the first sort, which sets the word; k: its k-th fallback
  std::uint32_t passes = 0;      ///< role of the LSD sort, if it is not the next fallback: for keys that differ in few
                                 ///< digits or have few values
  /// What an LSD sort begins with as the next fallback. The last launch before it zeroes that, if the keys are given
  /// away; to the LSD sort it says that this has been done.
  std::uint64_t* zeroed = nullptr;
  std::uint64_t zeroed_words = 0;
};

/// Tiles of the partitions of keys alone.
enum class partition_tiles { follow_n, small, large };
/// Of LSD passes. Middle ones are for keys of 32 and 64 bits; for others the large ones stand in. Broad ones are for
/// those with values of up to 8 bytes; for others the small ones stand in.
enum class lsd_tiles { follow_n, small, broad, middle, large };

/// What otherwise follows from n, the types and the device: for measurements and tests.
struct sort_tuning {
  static constexpr unsigned follows_n = ~0u;
  // Partitions.
  unsigned partition_bits = follows_n; ///< 0 to 16 in all
  unsigned chunks = follows_n;         ///< 1 to 132 blocks that partition pairs
  partition_tiles tiles = partition_tiles::follow_n;
  std::uint64_t sample_from = std::uint64_t{1} << 21;        ///< keys from which a sample is asked for the verdict
  std::uint64_t many_samples_from = std::uint64_t{1} << 26;  ///< keys from which that has 8192 of them, not 2048
  std::uint64_t map_keys_from = std::uint64_t{1} << 22;      ///< keys alone from which a map spreads skewed ones
  std::uint64_t repeats_from = std::uint64_t{1} << 23;       ///< 32-bit keys from which those that repeat go to passes
  std::uint64_t refined_bytes_from = std::uint64_t{1} << 25; ///< of keys, from which deferred buckets get finer bins
  std::uint64_t map_pairs_from = std::uint64_t{1} << 19; ///< pairs of 64-bit keys likewise; four times as many of 32
  static constexpr std::uint32_t least_giant = 67'000;   ///< room for a bucket's counters
  static constexpr std::uint32_t most_giant = 1u << 21;  ///< what one block counts alone
  std::uint32_t giant_from = std::uint32_t{1} << 17;     ///< keys from which several blocks count a bucket
  /// Pairs of 32-bit keys and values from which, in two partitions, buckets of up to 9088 pairs (values of 8 bytes:
  /// 11,264, of 16: 7168) are no reason to give the pairs away: one more launch, which mostly has nothing to do.
  std::uint64_t large_buckets_from = std::uint64_t{1} << 25;
  // LSD passes.
  lsd_tiles passes_tiles = lsd_tiles::follow_n;
  std::uint32_t portion_tiles = 0; ///< tiles in one chain of look-backs; 0: as many as its counters can hold
  // The sample sort and the sort by counting.
  unsigned attempts = 4;    ///< draws before the sample sort's network takes over; at most 4
  std::uint32_t blocks = 0; ///< of the grid, or at most; 0: follows n and the device
  bool many = false;        ///< few keys too are counted as many are

  /// Keys that a map by distribution is drawn from, log2: an eighth of n, 2^18 or 2^20 at most.
  constexpr unsigned map_sample_bits(std::uint64_t n) const {
    return std::clamp(std::max(unsigned(std::bit_width(n)), 8u) - 4, 4u, n < many_samples_from ? 18u : 20u);
  }
};

/// Word is std::uint8_t … std::uint64_t or uint128. Pointers are to memory that the queue's device can reach. Arrays
/// are aligned to their elements, keys to sizeof(Word) and values to value_bytes, and apart from each other, but for
/// outputs that are their inputs.
template <class Word>
struct typed_request {
  const Word* keys_in = nullptr;
  Word* keys_out = nullptr;        ///< may be keys_in; null: sorted keys are not wanted (needs values)
  const void* values_in = nullptr; ///< null where indices are made
  void* values_out = nullptr;      ///< may be values_in
  unsigned value_bytes = 0;        ///< 0 (none), 4, 8 or 16
  bool make_indices = false;       ///< values are the keys' positions in the input, of 4 or 8 bytes
  /// The inputs, where they are not outputs, may be overwritten, so that partitions need no room for third arrays.
  bool input_is_scratch = false;
  std::uint64_t n = 0;
  const std::uint64_t* device_n = nullptr; ///< in device memory: how many there really are; `n` is the upper bound, and
                                           ///< what exceeds it is left out
  key_codec<Word> codec;
  void* workspace = nullptr; ///< aligned to 128
  std::size_t workspace_bytes = 0;
  verdict_place verdict{};
  /// The fallback finds out at its first read whether all keys are in order: a sample need not spare it such keys.
  bool fallback_sees_order = false;
  /// Between splitters: to give the keys away, too, where a sample shows that an LSD sort is quicker with them. Of a
  /// first sort: in order, or different in few digits. Of a fallback: different in few digits; integers alone where
  /// they are dense at every scale, as AND of three is.
  bool leaves_to_passes = false;
  unsigned architecture = 90; ///< of the device, as 10 · major + minor
  sort_tuning tuning{};

  bool may_fall_back() const { return verdict.word != nullptr; }
  /// Whether an LSD sort is a fallback.
  bool passes_follow() const { return fallback_sees_order || verdict.passes != 0; }
  bool in_place() const { return keys_in == keys_out || (value_bytes != 0 && values_in == values_out); }
};

/// A sort's steps are numbered as its plan lists them; each is some launches.
inline constexpr unsigned all_steps = ~0u;

/// Calls launch(i) for the step that is asked for, or for all of them.
template <class Launch>
void each_step(unsigned asked, unsigned steps, Launch launch) {
  for (unsigned i = asked == all_steps ? 0 : asked; i < (asked == all_steps ? steps : asked + 1); ++i)
    launch(i);
}

} // namespace sortile::kernels
