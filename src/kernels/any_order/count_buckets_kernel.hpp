// Finds the bucket of each element, counts the elements of each bucket in every chunk of the array, and makes of the
// counts what comes before each chunk: what a partition apart (partition_apart_kernel.hpp) has to know before it moves
// an element. It keeps the buckets, too, since 2 bytes written and read cost less than a second search, and far less
// where comparisons are long.
//
//   before[b][c]   elements of bucket b in chunk c, then in chunks before c
//
// A chunk is some tiles, so that there are at most `most_chunks`. Lanes of a warp that add 1 to one address, and do not
// ask for the result, take one access together, so skew costs nothing.
#pragma once

#include "kernels/any_order/partition_tile.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

inline constexpr unsigned most_chunks = 1024;

template <class Arrays, class Less>
struct any_order_count_kernel {
  using key = typename Arrays::key;
  using element = typename Arrays::element;
  using shape = partition_shape<element>;
  using tree = splitter_tree<key>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = shape::threads, min_blocks = 2;
  static constexpr int items = shape::items;
  using loaded = loaded_tile<element, items>;

  struct shared {
    tree splitters;
    simt::shared_array<std::uint32_t, tree::most> counts;
  };

  Arrays arrays;
  std::uint64_t n;
  splitter_rows<key> rows;
  bucket_numbers found; // by element
  simt::global<std::uint64_t> before;
  unsigned chunks, tiles_a_chunk;
  by_key<Less> less;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), buckets = 1u << rows.bits;
    const bool are_equal = s.splitters.enter(rows, 0);
    if (t < buckets)
      s.counts.store(t, 0u);
    simt::block_barrier();
    const std::uint32_t chunk = tiles_a_chunk * shape::most_tile, first = simt::block_index() * chunk;
    const std::uint32_t end = n - first < chunk ? std::uint32_t(n) : first + chunk;
    for (std::uint32_t begin = first; begin < end; begin += shape::most_tile) {
      loaded tile;
      tile.load(begin, end - begin < shape::most_tile ? end - begin : shape::most_tile,
                [&](std::uint64_t i) { return arrays.load(i); });
      std::uint32_t bucket[items];
      s.splitters.find(
          rows.bits, are_equal, tile.x, less, [&](int i) { return begin + loaded::position(i); }, bucket);
      const std::uint32_t rest = loaded::rest(tile.length);
      const std::uint64_t mine = begin + loaded::position(0);
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i)
        if (unsigned(i) * simt::warp_size < rest) {
          found.store(mine + unsigned(i) * simt::warp_size, bucket[i]);
          s.counts.fetch_add(bucket[i], 1u, simt::relaxed, simt::block_scope);
        }
    }
    simt::block_barrier();
    if (t < buckets)
      before.store(std::uint64_t{t} * chunks + simt::block_index(), std::uint64_t{s.counts.load(t)});
  }
};

/// A block for each bucket.
struct any_order_sums_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;
  static constexpr int each = int(most_chunks / block_threads);
  using shared = primitives::block_scan_storage<std::uint64_t, block_threads>;

  simt::global<std::uint64_t> before;
  simt::global<std::uint64_t> totals;
  unsigned chunks;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned first = simt::thread_index() * unsigned(each);
    const auto row = before.subview(std::uint64_t{simt::block_index()} * chunks, chunks);
    std::uint64_t own[each];
    SORTILE_UNROLL
    for (int i = 0; i < each; ++i)
      own[i] = first + unsigned(i) < chunks ? row.load(first + unsigned(i)) : 0;
    const std::uint64_t total = primitives::block_exclusive_scan(s, own, primitives::plus{}, std::uint64_t{0});
    SORTILE_UNROLL
    for (int i = 0; i < each; ++i)
      if (first + unsigned(i) < chunks)
        row.store(first + unsigned(i), own[i]);
    if (simt::thread_index() == 0)
      totals.store(simt::block_index(), total);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
