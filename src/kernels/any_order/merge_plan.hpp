// What a merge of runs does and needs, from numbers alone: how much a block merges, how many passes there are, how runs
// are cut into slabs, and where everything lies in the workspace. Plain C++, for those who plan and those who launch.
#pragma once

#include "kernels/arena.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// Runs that one merge makes one of, at most.
inline constexpr unsigned most_ways = 8;

constexpr std::uint64_t pieces_of(std::uint64_t count, std::uint64_t piece) {
  return (count + piece - 1) / piece;
}

/// How much a block sorts or merges, and with how many threads, of elements of so many bytes.
///
/// A block has two halves of 34 KiB, between which it merges (primitives/block_merge.hpp), so that three blocks fit a
/// multiprocessor of 227 KiB, and one fits where a block has no more than 99 KiB.
struct block_shape {
  unsigned most_threads;
  unsigned capacity; ///< elements of a half
  unsigned each;     ///< elements of a thread: odd

  static constexpr block_shape of(std::size_t element_bytes) {
    constexpr unsigned half_bytes = 34 * 1024, most = 8704;
    const unsigned threads = element_bytes <= 8 ? 512 : 256, fits = unsigned(half_bytes / element_bytes);
    const unsigned capacity = fits < most ? fits : most;
    return {threads, capacity, (capacity + threads - 1) / threads | 1};
  }

  /// Elements of a slab of so many runs, at most: in every round of merges a thread for each pair of runs but one may
  /// have less than its items.
  constexpr unsigned slab_capacity(unsigned threads, unsigned ways) const {
    const unsigned merged = (threads - (ways - 1) / 2) * each;
    return merged < capacity ? merged : capacity;
  }
  /// The blocks of a merge of n elements: fewer threads each where there are few blocks.
  constexpr unsigned slab_threads(std::uint64_t n) const {
    constexpr std::uint64_t enough_blocks = 512;
    unsigned threads = most_threads / 4;
    while (threads < most_threads && pieces_of(n, 2 * threads * each) >= enough_blocks)
      threads *= 2;
    return threads;
  }
};

/// How much a block merges of two runs (merge_two.hpp), and with how many threads, of elements of so many bytes.
struct merge_tile {
  static constexpr unsigned most_threads = 512;
  unsigned threads, elements;

  /// Elements of a thread: odd, so that those of neighbours lie in different banks.
  static constexpr unsigned items(std::size_t element_bytes) {
    constexpr unsigned item_bytes = 104, least = 3, most = 21;
    const unsigned fits = (unsigned(item_bytes / element_bytes) - 1) | 1;
    return element_bytes * least > item_bytes ? least : fits < most ? fits : most;
  }
  /// Fewer threads where there are few blocks.
  static constexpr merge_tile of(std::uint64_t n, std::size_t element_bytes) {
    constexpr std::uint64_t enough_blocks = 256;
    const unsigned each = items(element_bytes);
    unsigned threads = most_threads / 4;
    while (threads < most_threads && pieces_of(n, threads * each) > enough_blocks)
      threads *= 2;
    return {threads, threads * each};
  }
};

/// The passes of merges of so many runs.
struct merge_passes {
  unsigned passes = 0, ways = 2;

  static constexpr merge_passes of(std::uint64_t runs) {
    merge_passes p;
    for (std::uint64_t left = runs; left > 1; left = pieces_of(left, most_ways))
      ++p.passes;
    while (power(p.ways, p.passes) < runs)
      ++p.ways;
    return p;
  }

 private:
  static constexpr std::uint64_t power(std::uint64_t base, unsigned exponent) {
    std::uint64_t result = 1;
    for (; exponent > 0; --exponent)
      result *= base;
    return result;
  }
};

/// How `ways` runs are cut into slabs (slabs.hpp): every `distance`-th element is a sample, and every `samples`-th
/// sample a border.
struct slab_cut {
  unsigned distance, samples;

  static constexpr slab_cut of(unsigned capacity, unsigned ways) {
    constexpr unsigned shares = 32; // of a block's elements, of which each run may leave one empty
    const unsigned distance = capacity / shares;
    return {distance, capacity / distance - ways};
  }
};

/// A merge of a list of `count` runs, none of them empty, of n elements in all.
///
///   table | borders of slabs or tiles | words of groups | runs between two passes
///
/// A pass writes to the output where the number of passes behind it is even, else to the workspace.
struct list_merge_plan {
  static constexpr std::uint64_t few = most_ways;                       // runs that need no table
  static constexpr std::size_t table_entry = 3 * sizeof(std::uint64_t); // listed_run
  static constexpr std::uint64_t spare_pieces = 3;                      // run_list.hpp

  std::uint64_t n, count;
  merge_passes passes;
  merge_tile tile;  ///< of two runs
  unsigned threads; ///< of a block, of more
  slab_cut cut;
  std::size_t table, borders, unusable, keys, values, bytes;

  /// `value_bytes`: 0, or as many as a word has.
  static constexpr list_merge_plan of(std::uint64_t n, std::uint64_t count, std::size_t key_bytes,
                                      std::size_t value_bytes) {
    const std::size_t alignment = key_bytes > value_bytes ? key_bytes : value_bytes;
    const std::size_t element_bytes = pieces_of(key_bytes + value_bytes, alignment) * alignment;
    const block_shape shape = block_shape::of(element_bytes);
    list_merge_plan p{};
    p.n = n;
    p.count = count;
    p.passes = count < 2 ? merge_passes{1, 2} : merge_passes::of(count);
    p.tile = merge_tile::of(n, element_bytes);
    p.threads = shape.slab_threads(n);
    p.cut = slab_cut::of(shape.slab_capacity(p.threads, p.passes.ways), p.passes.ways);
    arena a;
    p.table = a.take(count <= few ? 0 : count * table_entry);
    p.borders = a.take(sizeof(std::uint64_t) *
                       (p.is_of_two() ? pieces_of(n, p.tile.elements) + 1 : p.slabs(p.groups(1)) * most_ways));
    p.unusable = a.take(p.groups(1) * sizeof(std::uint32_t));
    p.keys = a.take(p.passes.passes > 1 ? n * key_bytes : 0);
    p.values = a.take(p.passes.passes > 1 ? n * value_bytes : 0);
    p.bytes = a.bytes();
    return p;
  }

  /// At most two runs: merge_two.hpp.
  constexpr bool is_of_two() const { return count <= 2; }
  /// In a pass whose runs are so many of the list each.
  constexpr std::uint64_t groups(std::uint64_t span) const { return pieces_of(count, span * passes.ways); }
  constexpr std::uint64_t slab_elements() const { return std::uint64_t{cut.distance} * cut.samples; }
  constexpr std::uint64_t pieces(std::uint64_t of_elements, std::uint64_t groups) const {
    return n / of_elements + spare_pieces * groups;
  }
  /// Numbers of slabs of so many groups.
  constexpr std::uint64_t slabs(std::uint64_t groups) const { return pieces(slab_elements(), groups); }
};

} // namespace sortile::kernels
