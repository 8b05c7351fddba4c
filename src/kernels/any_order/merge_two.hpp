// The stable merge of two sorted runs, each wherever the caller has it: by merge path (Deo and Sarkar 1991; Green,
// McColl and Bader 2012).
//
// Of the first r elements of the result so many come from the left run as a bisection on the r-th diagonal says: of the
// pairs of a left and a right element whose places add up to r.
//
//   borders   where each block begins, on diagonals a tile apart; each by eight lanes, which try as many places at once
//   check     of the borders: where the caller's function is no strict weak order, or a run is out of order, two of
//             them need not fit each other, and blocks write the runs one behind the other. Few borders are checked by
//             the block that finds them
//   merge     a block reads its part of both runs, each thread bisects again for its items, merges them into registers,
//             and the block writes them in order; as they stand, where what two threads have bisected for does not fit
//
// Cost for n elements: one read, one write, a comparison for each, and for each thread's 3 to 21 items up to 14 more.
// Workspace: 8 bytes for each tile, of 384 to 10,752 elements.
#pragma once

#include "kernels/any_order/launch_here.hpp"
#include "kernels/any_order/merge_plan.hpp"
#include "kernels/any_order/run_list.hpp"
#include "primitives/block_merge.hpp"

#include <stdexcept>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Where blocks begin: elements of the left run before each tile, and behind the last one.
template <class Place> // std::uint64_t or const
struct tile_borders {
  simt::global<Place> places;
  std::uint64_t left, n; // elements of the left run, and of both
  unsigned tile;         // elements of each but the last
  std::uint64_t tiles;

  /// Elements of both runs.
  SORTILE_DEVICE std::uint64_t before(std::uint64_t number) const {
    const std::uint64_t r = number * tile;
    return r < n ? r : n;
  }
  /// Whether a tile ends where it begins or behind that, and has no more of the left run than it is long.
  SORTILE_DEVICE bool fits(std::uint64_t number) const {
    const std::uint64_t begin = places.load(number), end = places.load(number + 1);
    return begin <= end && end - begin <= before(number + 1) - before(number);
  }
};

template <class Runs, class Less>
struct two_border_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 512, lanes = 8;

  Runs runs;
  listed_lengths lengths;
  tile_borders<std::uint64_t> borders;
  simt::global<std::uint32_t> unusable; // cleared here; by a block that is the only one also set
  by_key<Less> less;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t number = (std::uint64_t{simt::block_index()} * block_threads + simt::thread_index()) / lanes;
    const std::uint64_t before = found(number);
    if (number <= borders.tiles && simt::lane_index() % lanes == 0)
      borders.places.store(number, before);
    bool fits = true;
    if (simt::grid_size() == 1) {
      simt::block_barrier();
      fits = number >= borders.tiles || borders.fits(number);
    }
    const bool all_fit = simt::block_all(fits);
    if (number == 0 && simt::lane_index() == 0)
      unusable.store(0, all_fit ? 0u : 1u);
  }

 private:
  /// Of the left run before this border.
  SORTILE_DEVICE std::uint64_t found(std::uint64_t number) const {
    const unsigned lane = simt::lane_index() % lanes, others = simt::lane_index() - lane;
    const std::uint64_t before = borders.before(number), left = borders.left, right = borders.n - left;
    const auto of_left = runs.of(lengths, 0), of_right = runs.of(lengths, 1);
    std::uint64_t low = before > right ? before - right : 0, high = before < left ? before : left;
    while (simt::warp_any(low < high)) {
      const bool is_open = low < high; // while other borders are
      const std::uint64_t apart = (high - low + lanes) / (lanes + 1), tried = low + (lane + 1) * apart - 1;
      const bool is_higher =
          is_open && tried < high && !less(runs.load(of_right, before - 1 - tried), runs.load(of_left, tried));
      const unsigned higher = simt::popcount((simt::ballot(is_higher) >> others) & ((1u << lanes) - 1));
      low += higher * apart;
      const std::uint64_t next = low + apart - 1; // is not higher, if it was tried
      high = is_open && higher < lanes && next < high ? next : high;
    }
    return low;
  }
};

/// A thread for each tile.
struct two_check_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;

  tile_borders<const std::uint64_t> borders;
  simt::global<std::uint32_t> unusable;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index();
    if (i < borders.tiles && !borders.fits(i))
      unusable.fetch_or(0, 1u);
  }
};

template <class Arrays, class Runs, class Less>
struct two_merge_kernel {
  using element = typename Arrays::element;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = merge_tile::most_threads;
  static constexpr unsigned min_blocks = sizeof(element) <= 4 ? 3 : sizeof(element) <= 16 ? 2 : 1;
  static constexpr unsigned items = merge_tile::items(sizeof(element));
  struct shared {
    simt::shared_array<element, block_threads * items> tile;
    simt::shared_array<std::uint32_t, block_threads> starts; // of the left run before each thread's items
  };

  Runs runs;
  listed_lengths lengths;
  tile_borders<const std::uint64_t> borders;
  simt::global<const std::uint32_t> unusable;
  Arrays arrays;
  by_key<Less> less;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t number = simt::block_index(), first = borders.before(number);
    std::uint64_t begin = borders.places.load(number), end = borders.places.load(number + 1);
    const bool copies = unusable.load(0) != 0;
    if (copies) {
      begin = copied(first);
      end = copied(borders.before(number + 1));
    }
    const unsigned length = unsigned(borders.before(number + 1) - first), left = unsigned(end - begin);
    const primitives::two_halves<element> tile{s.tile.view(), 0, 0};
    read(tile, first, begin, left, length);
    if (!copies) // else borders may lie anywhere
      prefetch_later(number);
    simt::block_barrier();
    element x[items];
    const unsigned at = simt::thread_index() * items, rest = at < length ? length - at : 0;
    const unsigned count = rest < items ? rest : items;
    merge(s, tile, {0, left, length, at}, count, copies, x);
    SORTILE_UNROLL
    for (unsigned k = 0; k < items; ++k)
      if (k < count)
        tile.put(at + k, x[k]);
    simt::block_barrier();
    const unsigned of_warp = place_of_warp();
    SORTILE_UNROLL
    for (unsigned k = 0; k < items; ++k) {
      const unsigned p = of_warp + k * simt::warp_size;
      if (p < length)
        arrays.store(first + p, tile.load(p));
    }
  }

 private:
  /// A warp reads and writes its share of the tile, this lane from here on.
  SORTILE_DEVICE static unsigned place_of_warp() {
    return simt::warp_index() * (items * simt::warp_size) + simt::lane_index();
  }
  SORTILE_DEVICE std::uint64_t copied(std::uint64_t before) const {
    return before < borders.left ? before : borders.left;
  }
  /// The part of the left run, and behind it that of the right one.
  SORTILE_DEVICE void read(const primitives::two_halves<element>& tile, std::uint64_t first, std::uint64_t begin,
                           unsigned left, unsigned length) const {
    const auto of_left = runs.of(lengths, 0).shifted(begin);
    const auto of_right = runs.of(lengths, lengths.list.count - 1).shifted(first - begin - left);
    const unsigned of_warp = place_of_warp();
    element x[items];
    SORTILE_UNROLL
    for (unsigned k = 0; k < items; ++k) {
      const unsigned p = of_warp + k * simt::warp_size;
      if (p < left)
        x[k] = runs.load(of_left, p);
      else if (p < length)
        x[k] = runs.load(of_right, p);
    }
    SORTILE_UNROLL
    for (unsigned k = 0; k < items; ++k) {
      const unsigned p = of_warp + k * simt::warp_size;
      if (p < length)
        tile.put(p, x[k]);
    }
  }
  /// Asks the L2 for a tile some way on: each thread for the line where its items begin.
  SORTILE_DEVICE void prefetch_later(std::uint64_t number) const {
    constexpr unsigned ahead = (4u << 20) / (block_threads * items * sizeof(element));
    number += ahead;
    if (number >= borders.tiles)
      return;
    const std::uint64_t begin = borders.places.load(number), left = borders.places.load(number + 1) - begin;
    const std::uint64_t first = borders.before(number), length = borders.before(number + 1) - first;
    const unsigned p = simt::thread_index() * items;
    if (p < left)
      runs.prefetch(runs.of(lengths, 0).shifted(begin), p);
    else if (p < length)
      runs.prefetch(runs.of(lengths, lengths.list.count - 1).shifted(first - begin - left), p);
  }
  /// This thread's items; as they stand in the tile where they are out of order. All have read when it returns.
  SORTILE_DEVICE void merge(shared& s, const primitives::two_halves<element>& tile, const primitives::merge_part& part,
                            unsigned count, bool copies, element (&x)[items]) const {
    unsigned start = 0, taken = part.middle;
    if (count > 0 && !copies) {
      start = primitives::merge_split(tile, part, less);
      taken = merge_items(tile, part, start, count, x);
    }
    s.starts.store(simt::thread_index(), start);
    simt::block_barrier();
    const bool is_last = count == 0 || part.first + count == part.end;
    const unsigned next = is_last ? part.middle : s.starts.load(simt::thread_index() + 1);
    const bool fits = simt::block_all(count == 0 || taken == next);
    if (copies || !fits) {
      SORTILE_UNROLL
      for (unsigned k = 0; k < items; ++k)
        if (k < count)
          x[k] = tile.load(part.first + k);
    }
  }
  /// Returns how many elements of the left run stand before the next thread's items.
  SORTILE_DEVICE unsigned merge_items(const primitives::two_halves<element>& tile, const primitives::merge_part& part,
                                      unsigned start, unsigned count, element (&x)[items]) const {
    const unsigned last = part.end - 1;
    unsigned left = start, right = part.middle + (part.first - start);
    element of_left = tile.load(left < last ? left : last), of_right = tile.load(right < last ? right : last);
    SORTILE_UNROLL
    for (unsigned k = 0; k < items; ++k) {
      if (k >= count)
        continue;
      const bool is_less = less(of_right, of_left);
      const bool takes_right = (right <= last) & ((left >= part.middle) | is_less);
      x[k] = takes_right ? of_right : of_left;
      right += takes_right ? 1 : 0;
      left += takes_right ? 0 : 1;
      const unsigned next = takes_right ? right : left;
      const element read = tile.load(next < last ? next : last);
      of_right = takes_right ? read : of_right;
      of_left = takes_right ? of_left : read;
    }
    return left;
  }
};

/// Queues the merge of a list of two runs, or one, that both have elements.
template <class Arrays, class Runs, class Less>
void launch_two_merge(const simt::queue& q, const merge_tile& tile, const run_list& list, const Runs& runs,
                      const merge_words& words, const Arrays& arrays, const by_key<Less>& less) {
  using border = two_border_kernel<decltype(keys_of(runs)), Less>;
  using merge = two_merge_kernel<Arrays, Runs, Less>;
  static_assert(sizeof(typename merge::shared) <= 99 * 1024, "of devices of compute capability 8.6");
  if (tile.elements != tile.threads * merge::items)
    throw std::logic_error("launch_two_merge: the plan is of elements of another size");
  const listed_lengths lengths{list};
  const std::uint64_t tiles = pieces_of(list.n, tile.elements), left = list.count < 2 ? list.n : list.here[1].start;
  const simt::global<std::uint32_t> unusable{words.unusable, 1};
  const tile_borders<std::uint64_t> found{{words.borders, tiles + 1}, left, list.n, tile.elements, tiles};
  const tile_borders<const std::uint64_t> borders{{words.borders, tiles + 1}, left, list.n, tile.elements, tiles};
  const auto blocks = static_cast<unsigned>(pieces_of((tiles + 1) * border::lanes, border::block_threads));
  simt::launch(q, {.grid = blocks},
               border{.runs = keys_of(runs), .lengths = lengths, .borders = found, .unusable = unusable, .less = less});
  if (blocks > 1)
    simt::launch(q, {.grid = static_cast<unsigned>(pieces_of(tiles, two_check_kernel::block_threads))},
                 two_check_kernel{.borders = borders, .unusable = unusable});
  launch_here(
      q, {.grid = static_cast<unsigned>(tiles), .block = tile.threads},
      merge{
          .runs = runs, .lengths = lengths, .borders = borders, .unusable = unusable, .arrays = arrays, .less = less});
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
