// Sorts buckets that a block does not hold (bucket_kernel.hpp): a block each, by merges of two runs through memory.
//
// Splitters make such buckets with a small probability a little too large, and of any size only where somebody chose
// the keys by the places of our samples, or where `less` is no order. So it has to be right, and need not be quick.
//
//   tiles    of the bucket in the output are sorted in shared storage, and go to the records
//   merges   pairs of runs of the records become runs of the output, slab by slab: a slab ends where a bisection says,
//            but never before it begins nor beyond what a block holds, whatever `less` answers. Back to the records,
//            and on with runs twice as long
//
// Cost for a bucket of m elements that is t tiles: 2 + 4 log2(t) reads and writes of m elements by one block.
#pragma once

#include "kernels/any_order/bucket_kernel.hpp"
#include "primitives/bisect.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Arrays, class Less>
struct any_order_large_kernel {
  using element = typename Arrays::element;
  using shape = sort_shape<element>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = shape::most_threads, min_blocks = 1;
  static constexpr unsigned capacity = shape::capacity;
  using shared = sort_storage<element>;

  Arrays arrays;
  simt::global<element> records;
  large_buckets large;
  by_key<Less> less;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint32_t count = large.count.load(0);
    for (std::uint32_t i = simt::block_index(); i < count; i += simt::grid_size())
      sort(s, large.places.load(2 * i), large.places.load(2 * i + 1));
  }

 private:
  struct pair {
    std::uint64_t begin, middle, end; // two runs
    std::uint64_t left, right;        // of each, what is merged already
  };

  SORTILE_DEVICE void sort(shared& s, std::uint64_t begin, std::uint64_t size) const {
    for (std::uint64_t tile = 0; tile < size; tile += capacity)
      sort_tile(s, begin + tile, size - tile < capacity ? unsigned(size - tile) : capacity, size <= capacity);
    for (std::uint64_t run = capacity; run < size; run *= 2) {
      const auto within = [=](std::uint64_t i) { return begin + (i < size ? i : size); };
      for (std::uint64_t first = 0; first < size; first += 2 * run) {
        pair p{within(first), within(first + run), within(first + 2 * run), 0, 0};
        while (p.begin + p.left + p.right < p.end)
          merge_slab(s, p);
      }
      simt::block_barrier();
      for (std::uint64_t i = simt::thread_index(); 2 * run < size && i < size; i += block_threads)
        records.store(begin + i, arrays.load_stored(begin + i));
      simt::block_barrier();
    }
  }
  SORTILE_DEVICE void sort_tile(shared& s, std::uint64_t begin, unsigned length, bool is_only_one) const {
    auto tile = s.halves();
    simt::block_barrier(); // the tile before has been written
    for (unsigned p = simt::thread_index(); p < length; p += block_threads)
      tile.put(p, arrays.load_stored(begin + p));
    simt::block_barrier();
    primitives::block_sort<shape::own>(tile, s.starts.view(), length, less);
    simt::block_barrier();
    for (unsigned p = simt::thread_index(); p < length; p += block_threads) {
      if (is_only_one)
        arrays.store(begin + p, tile.load(p));
      else
        records.store(begin + p, tile.load(p));
    }
  }
  /// Merges the next elements of the pair, as many as a block holds.
  SORTILE_DEVICE void merge_slab(shared& s, pair& p) const {
    const std::uint64_t all_left = p.middle - p.begin, all_right = p.end - p.middle, done = p.left + p.right;
    const std::uint64_t stop = p.end - p.begin - done < capacity ? p.end - p.begin : done + capacity;
    const std::uint64_t low = stop > all_right && stop - all_right > p.left ? stop - all_right : p.left;
    const std::uint64_t high = stop - p.right < all_left ? stop - p.right : all_left;
    simt::block_barrier(); // the runs, or the slab before, have been written
    const std::uint64_t end = primitives::first_that(low, high, [&](std::uint64_t tried) { // in all threads alike
      return less(records.load(p.middle + (stop - 1 - tried)), records.load(p.begin + tried));
    });
    const unsigned left = unsigned(end - p.left), length = unsigned(stop - done);
    auto slab = s.halves();
    for (unsigned i = simt::thread_index(); i < length; i += block_threads)
      slab.put(i, records.load(i < left ? p.begin + p.left + i : p.middle + p.right + (i - left)));
    const unsigned items = shape::each;
    primitives::merge_step(primitives::merged_by::block, slab, s.starts.view(),
                           primitives::merge_part{0, left, length, simt::thread_index() * items}, items, less);
    simt::block_barrier();
    for (unsigned i = simt::thread_index(); i < length; i += block_threads)
      arrays.store(p.begin + done + i, slab.load(i));
    p.left = end;
    p.right = stop - end;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
