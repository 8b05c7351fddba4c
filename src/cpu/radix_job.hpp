// What the engine hands to the radix sort of one key width, and how the scratch of such a sort is laid out.
#pragma once

#include "cpu/instruction_sets.hpp"
#include "cpu/kernels.hpp"
#include "cpu/parallel.hpp"

#include <cstddef>
#include <span>

namespace sortile::cpu {

/// A radix sort of n keys of one width. Value widths are 0, 4, 8 or 16; arrays without values are null.
struct radix_job {
  key_type type = key_type::u32;
  order direction = order::ascending;
  bit_window bits{};
  std::size_t n = 0;
  std::size_t value_width = 0;

  const void* keys_in = nullptr;
  const void* values_in = nullptr; ///< null with a value width: positions are made
  void* keys_out = nullptr;        ///< the result; may be the input
  void* values_out = nullptr;
  void* spare_keys = nullptr; ///< n more of each, where n is above the local limit; not the input, unless it is scratch
  void* spare_values = nullptr;
  std::size_t spare_room = 0; ///< keys that spare_keys has room for

  unsigned threads = 1;
  progress_meter* progress = nullptr;
  std::byte* scratch = nullptr;   ///< radix_layout::bytes, or in_place_layout::bytes
  std::size_t scratch_room = 0;   ///< bytes of the scratch of a sort in place; 0: there are spare arrays
  bool stops_at_specials = false; ///< where −0 or a NaN is met, which others sort sooner (zeros_and_nans.hpp)
};

/// Sizes of everything that a sort of n keys needs beside its spare lanes: fixed by n, the widths and the threads
/// alone.
struct radix_layout {
  std::size_t local_limit = 0;  ///< keys that a local sort takes
  std::size_t bucket_keys = 0;  ///< keys that a partition aims at in a bucket
  std::size_t line_bytes = 0;   ///< write-combining buffers of one worker
  std::size_t lane_keys = 0;    ///< length of a scratch lane of a local sort
  std::size_t lanes_bytes = 0;  ///< its three lanes
  std::size_t worker_bytes = 0; ///< scratch of one worker
  std::size_t chunks = 0;       ///< pieces that a parallel scan or partition is cut into
  std::size_t bytes = 0;        ///< all of it
  unsigned workers = 1;

  radix_layout(std::size_t key_bytes, std::size_t value_width, std::size_t n, unsigned threads);
};

/// Bytes of a value as a sort in place moves it: positions that are made have 32 bits as long as those hold them, half
/// of what would be moved, and are widened at the end.
inline std::size_t width_in_place(bool makes_positions, std::size_t value_width, std::size_t n) {
  return makes_positions && n <= std::uint64_t{1} << 32 ? 4 : value_width;
}

/// The same for a sort in place (in_place.hpp), whose scratch is to stay within a limit; where that is not possible,
/// `bytes` is the least that there is.
struct in_place_layout {
  static constexpr std::size_t table_bytes = std::size_t{8} << 10; ///< counts and positions of one worker
  std::size_t block = 0;                                           ///< keys that are moved together
  std::size_t block_bytes = 0;                                     ///< buffers of one worker
  std::size_t local_limit = 0;                                     ///< keys that a local sort takes
  std::size_t vector_limit = 0;                                    ///< keys alone that vectors sort without a partition
  std::size_t bucket_keys = 0;                                     ///< keys that a partition aims at in a bucket
  std::size_t slots = 0;                                           ///< blocks of the array
  std::size_t spare_keys = 0;      ///< room of a worker's blocks, which a shorter segment is partitioned into
  bool has_room_for_lines = false; ///< of a partition that is not in place, where blocks and lanes lie
  bool has_room_beside = false;    ///< for them beside the blocks
  std::size_t worker_bytes = 0;    ///< scratch of one worker
  std::size_t bytes = 0;           ///< all of it
  unsigned workers = 1;

  in_place_layout(std::size_t key_bytes, std::size_t value_width, std::size_t n, unsigned threads, std::size_t limit);

 private:
  void measure(std::size_t pair, std::size_t n, std::size_t local_bytes);
};

/// Sizes that were found by measurement. Tests shrink them, so that small inputs go through every step; nothing else
/// changes them.
struct radix_tuning {
  /// Bytes of a segment that a partition aims at: such a local sort reads the segment, writes a scratch lane, and
  /// writes the result, three times this much, in an L2 cache of 1 MiB.
  std::size_t bucket_bytes = std::size_t{256} << 10;
  /// Pairs of 4- and 8-byte keys that a partition aims at: short words sort them, within the L1 cache.
  std::size_t bucket_pairs = 2048;
  /// Bytes of the largest segment that is sorted locally: up to here one more partition costs more than the cache
  /// misses.
  std::size_t local_bytes = std::size_t{768} << 10;
  /// Bytes of keys alone that one thread sorts by vectors at once. More are sorted in parts, with progress told between
  /// them.
  std::size_t vector_bytes = std::size_t{16} << 20;
  /// Up to so many threads sort keys alone by quicksort however few they are (vector_quicksort.hpp). More sort few keys
  /// sooner by one partition into many buckets, where threads wait for each other fewer times.
  unsigned quicksort_threads = 4;
  /// The same where a partition has left so much together: skewed keys, which another partition would split badly
  /// again.
  std::size_t skewed_vector_bytes = std::size_t{32} << 20;
  /// Below this many bytes of keys and values a sort starts no threads.
  std::size_t alone_below_bytes = std::size_t{512} << 10;
  /// From so many bytes on, partitions and local sorts write past the caches. As many again are read, so this is half
  /// of what one core has to itself of an L3 cache that others use too.
  std::size_t stream_from_bytes = std::size_t{7} << 20;
  /// The same of chains of values, which are read again later.
  std::size_t stream_chains_from_bytes = std::size_t{32} << 20;
  /// Bytes of keys and values that a sort in place moves together.
  std::size_t block_bytes = std::size_t{2} << 10;
  /// Keys of 8 bits with values that are counted and scattered (byte_scatter.hpp). Fewer are sorted as soon within the
  /// L2 cache.
  std::size_t scattered_bytes = std::size_t{1} << 14;
  /// The widest instruction set whose kernels are used where the processor has it.
  instruction_set widest = widest_unless_asked;
};
inline constinit radix_tuning the_tuning;
inline radix_tuning& tuning() {
  return the_tuning;
}

/// Whether the kernels of an instruction set are to be used.
inline bool uses(instruction_set which) {
  return which <= tuning().widest && has(which);
}

/// False, and nothing moved, where job.stops_at_specials says so.
template <class K>
bool radix_sort_keys(const radix_job& job);

/// The same in place, within little memory: the result is made where keys_out is, without spare arrays.
template <class K>
void sort_keys_in_place(const radix_job& job);

extern template bool radix_sort_keys<std::uint8_t>(const radix_job&);
extern template bool radix_sort_keys<std::uint16_t>(const radix_job&);
extern template bool radix_sort_keys<std::uint32_t>(const radix_job&);
extern template bool radix_sort_keys<std::uint64_t>(const radix_job&);
extern template bool radix_sort_keys<uint128>(const radix_job&);
extern template void sort_keys_in_place<std::uint8_t>(const radix_job&);
extern template void sort_keys_in_place<std::uint16_t>(const radix_job&);
extern template void sort_keys_in_place<std::uint32_t>(const radix_job&);
extern template void sort_keys_in_place<std::uint64_t>(const radix_job&);
extern template void sort_keys_in_place<uint128>(const radix_job&);

} // namespace sortile::cpu
