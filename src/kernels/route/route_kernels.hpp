// Many pairs, or many experts, in three launches; each begins while the one before runs out.
//
//   count     each block counts the experts of its share of the pairs           counts[block][expert]
//   columns   each block has 32 experts: a counter becomes the sum of those of the blocks before; and the totals
//   move      each block scans the totals, padded, and so knows where its share's rows begin; tile by tile it ranks
//             its pairs (expert_tile.hpp) and writes their rows. Padding and tables are written by all blocks
//
// Bytes moved: experts' numbers twice, the outputs once; the table of counters (1 MB at most for 1024 experts) three
// times, in the L2. `order` is a scatter of runs.
#pragma once

#include "kernels/route/expert_tile.hpp"
#include "kernels/route/route_arrays.hpp"
#include "primitives/bisect.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct route_count_kernel {
  static constexpr unsigned block_threads = detail::route_blocks::threads, items = 8;
  static constexpr bool starts_early = true;

  route_arrays<Word> arrays;
  simt::global<std::uint32_t> counts; // [block][expert]
  std::uint32_t share;

  SORTILE_DEVICE void operator()() const {
    const auto here = simt::dynamic_shared<std::uint32_t>(*this, arrays.expert_count);
    for (std::uint32_t e = simt::thread_index(); e < arrays.expert_count; e += block_threads)
      here[e] = 0;
    simt::block_barrier();
    const std::uint64_t begin = std::uint64_t{simt::block_index()} * share;
    const auto end = begin + share < arrays.n ? std::uint32_t(begin + share) : arrays.n;
    for (std::uint64_t row = begin; row < end; row += items * block_threads) {
      std::uint32_t expert[items];
      SORTILE_UNROLL
      for (unsigned k = 0; k < items; ++k) {
        const std::uint64_t i = row + k * block_threads + simt::thread_index();
        expert[k] = i < end ? arrays.expert(std::uint32_t(i)) : no_expert;
      }
      SORTILE_UNROLL
      for (unsigned k = 0; k < items; ++k)
        if (expert[k] != no_expert)
          here.fetch_add(expert[k], 1u, simt::relaxed, simt::block_scope);
    }
    simt::block_barrier();
    for (std::uint32_t e = simt::thread_index(); e < arrays.expert_count; e += block_threads)
      counts[std::uint64_t{simt::block_index()} * arrays.expert_count + e] = here.load(e);
  }
};

struct route_columns_kernel {
  static constexpr unsigned block_threads = 1024, warps = block_threads / simt::warp_size;
  static constexpr unsigned each = detail::route_blocks::most / warps; // rows of a warp
  static constexpr unsigned pitch = warps + 1;
  static constexpr bool starts_early = true;
  struct shared {
    simt::shared_array<std::uint32_t, simt::warp_size * pitch> sums; // [expert][warp], then before the warp's rows
  };

  simt::global<std::uint32_t> counts; // [block][expert]
  simt::global<std::uint32_t> totals; // [expert]
  std::uint32_t expert_count;
  unsigned rows;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned lane = simt::lane_index(), warp = simt::warp_index();
    const std::uint32_t expert = simt::block_index() * simt::warp_size + lane;
    std::uint32_t here[each], sum = 0;
    SORTILE_UNROLL
    for (unsigned k = 0; k < each; ++k) {
      here[k] = is_there(warp * each + k, expert) ? counts.load(place(warp * each + k, expert)) : 0;
      sum += here[k];
    }
    s.sums[lane * pitch + warp] = sum;
    simt::block_barrier();
    // A warp an expert, a lane a warp's rows.
    const auto scan = primitives::warp_exclusive_scan(s.sums.load(warp * pitch + lane), primitives::plus{}, 0u);
    s.sums[warp * pitch + lane] = scan.before;
    if (const std::uint32_t e = simt::block_index() * simt::warp_size + warp; lane == 0 && e < expert_count)
      totals[e] = scan.total;
    simt::block_barrier();
    std::uint32_t running = s.sums.load(lane * pitch + warp);
    SORTILE_UNROLL
    for (unsigned k = 0; k < each; ++k) {
      if (is_there(warp * each + k, expert))
        counts[place(warp * each + k, expert)] = running;
      running += here[k];
    }
  }

 private:
  SORTILE_DEVICE bool is_there(unsigned row, std::uint32_t expert) const { return row < rows && expert < expert_count; }
  SORTILE_DEVICE std::uint64_t place(unsigned row, std::uint32_t expert) const {
    return std::uint64_t{row} * expert_count + expert;
  }
};

template <class Word>
struct route_move_kernel {
  static constexpr unsigned block_threads = detail::route_blocks::threads;
  static constexpr int items = int(detail::route_blocks::items);
  static constexpr bool starts_early = true;
  using tile = expert_tile<block_threads / simt::warp_size, items, 12>;
  static constexpr unsigned tile_warps = block_threads / simt::warp_size;
  struct shared {
    primitives::block_scan_storage<std::uint32_t, block_threads> scan, pairs;
  };

  route_arrays<Word> arrays;
  simt::global<const std::uint32_t> counts; // [block][expert]: of the blocks before
  simt::global<const std::uint32_t> totals; // [expert]
  std::uint32_t share;

  /// Of a block's dynamic storage: the tile's table, where each expert's rows begin, and where the next ones of the
  /// block's share do.
  static std::size_t dynamic_bytes(std::uint32_t experts) {
    return std::size_t{tile::words(experts)} * tile_warps * 4 + std::size_t{experts} * 8;
  }

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint32_t words = tile::words(arrays.expert_count), table_words = words * tile_warps;
    const auto ranks = simt::dynamic_shared<std::uint32_t>(*this, table_words);
    const auto begin = simt::dynamic_shared<std::uint32_t>(*this, arrays.expert_count, std::uint64_t{table_words} * 4);
    const auto next = simt::dynamic_shared<std::uint32_t>(*this, arrays.expert_count,
                                                          (std::uint64_t{table_words} + arrays.expert_count) * 4);
    const std::uint32_t rows = find_begins(s, begin, next);
    write_tables(begin, rows);
    move(ranks, words, next);
  }

 private:
  using view = simt::shared_view<std::uint32_t>;

  /// Rows in use, of all experts.
  SORTILE_DEVICE std::uint32_t find_begins(shared& s, view begin, view next) const {
    const std::uint32_t each = (arrays.expert_count + block_threads - 1) / block_threads;
    const std::uint32_t first = simt::thread_index() * each;
    const auto each_expert = [&](auto&& f) {
      for (std::uint32_t e = first; e < first + each && e < arrays.expert_count; ++e)
        f(e, totals.load(e));
    };
    std::uint32_t sum = 0, pairs = 0;
    each_expert([&](std::uint32_t, std::uint32_t total) {
      sum += arrays.padded(total);
      pairs += total;
    });
    const auto scan = primitives::block_exclusive_scan(s.scan, sum, primitives::plus{}, 0u);
    std::uint32_t running = scan.before;
    each_expert([&](std::uint32_t e, std::uint32_t total) {
      begin[e] = running;
      next[e] = running + counts.load(std::uint64_t{simt::block_index()} * arrays.expert_count + e);
      running += arrays.padded(total);
    });
    const std::uint32_t routed = primitives::block_reduce(s.pairs, pairs, primitives::plus{});
    if (simt::block_index() == 0 && simt::thread_index() == 0) {
      arrays.offsets.store(arrays.expert_count, scan.total);
      arrays.dropped.store(0, arrays.n - routed);
    }
    simt::block_barrier();
    return scan.total;
  }

  /// All but the rows of pairs, by all blocks.
  SORTILE_DEVICE void write_tables(view begin, std::uint32_t rows) const {
    const std::uint32_t thread = simt::block_index() * block_threads + simt::thread_index();
    const std::uint32_t threads = simt::grid_size() * block_threads;
    for (std::uint32_t e = thread; e < arrays.expert_count; e += threads) {
      arrays.offsets.store(e, begin.load(e));
      arrays.counts.store(e, totals.load(e));
    }
    if (arrays.order.are_there() && arrays.block > 1)
      for (std::uint32_t e = thread / simt::warp_size; e < arrays.expert_count; e += threads / simt::warp_size) {
        const std::uint32_t pairs = totals.load(e), first = begin.load(e);
        for (std::uint32_t i = pairs + simt::lane_index(); i < arrays.padded(pairs); i += simt::warp_size)
          arrays.order.store(first + i, arrays.n);
      }
    if (arrays.block_experts.are_there())
      for (std::uint32_t b = thread; b < rows / arrays.block; b += threads)
        arrays.block_experts.store(b, expert_of(begin, b * arrays.block));
    arrays.fill_behind(rows, thread, threads);
  }
  /// The last of those that begin at the row or before: the others that begin there have no rows.
  SORTILE_DEVICE std::uint32_t expert_of(view begin, std::uint32_t row) const {
    return primitives::last_that(0, arrays.expert_count - 1, [&](std::uint32_t e) { return begin.load(e) <= row; });
  }

  SORTILE_DEVICE void move(view ranks, std::uint32_t words, view next) const {
    const std::uint64_t first = std::uint64_t{simt::block_index()} * share;
    const auto end = first + share < arrays.n ? std::uint32_t(first + share) : arrays.n;
    for (std::uint64_t at = first; at < end; at += detail::route_blocks::tile) {
      std::uint32_t expert[items], number[items];
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i) {
        const std::uint64_t pair = at + tile::position(i);
        expert[i] = pair < end ? arrays.expert(std::uint32_t(pair)) : no_expert;
      }
      tile::clear(ranks, words);
      simt::block_barrier();
      tile::rank(ranks, words, expert, number);
      simt::block_barrier();
      write_tile(ranks, words, next, at, end, expert, number);
    }
  }
  SORTILE_DEVICE void write_tile(view ranks, std::uint32_t words, view next, std::uint64_t at, std::uint32_t end,
                                 const std::uint32_t (&expert)[items], const std::uint32_t (&number)[items]) const {
    std::uint32_t both[8]; // the tile's pairs of this thread's experts: words t, t + threads, …
    static_assert(8 * block_threads >= 4096 / 2);
    unsigned k = 0;
    tile::columns(ranks, words, [&](std::uint32_t, std::uint32_t pairs) { both[k++] = pairs; });
    simt::block_barrier();
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i) {
      const std::uint64_t pair = at + tile::position(i);
      if (pair >= end)
        continue;
      const std::uint32_t e = expert[i];
      arrays.put(std::uint32_t(pair),
                 e == no_expert ? no_expert : next.load(e) + tile::before(ranks, words, e) + number[i]);
    }
    simt::block_barrier();
    k = 0;
    for (std::uint32_t word = simt::thread_index(); word < words; word += block_threads, ++k)
      for (std::uint32_t e = 2 * word; e < 2 * word + 2 && e < arrays.expert_count; ++e)
        next[e] = next.load(e) + half_of(both[k], e);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
