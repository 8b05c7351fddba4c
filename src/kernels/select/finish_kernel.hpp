// What follows the filter, in one cooperative launch: a second filter where the sample has misled, and the result where
// the candidates are few.
//
//   fallback   where there are more candidates than room, or fewer than k keys up to the pivot: digits of 8 bits find
//              the k-th key exactly, a read for each, and the filter runs again with it for a pivot. Fewer than k keys
//              lie below it
//   rank       each candidate is compared with all of them: as many as come before it, by image, and of equal images by
//              place, so many places from the beginning of the result it stands. Candidates lie in the order of
//              positions: those to the left come first where they are not above, those to the right where they are
//              below
//
//              candidates   4  7  1  4  9       the second 4: before it 4 and 1 (≤ 4), behind it none (< 4): rank 2
//
//   write      to its rank, where that is below k. Where candidates are fewer than k, the pivot is a frequent key, and
//              what is missing are keys equal to it, which the filter has put aside in their order. Where a number in
//              device memory says that fewer results are wanted, the others are found and not written
//
// A block takes 32 candidates, or some times as many, the lanes of a warp one each; its warps share out what these are
// compared with, in shared storage. So c candidates cost c² comparisons of three instructions, and nobody waits for
// anybody: on an H100 2000 take 2 µs, 7000 take 11. One block that sorted them took 7 µs, and 24 for 5600.
//
// Whether there is a fallback says the word `sums` of the state (filter_tile.hpp), which the last tile of the filter
// has written. Every block reads it before one of them can write it again: a grid barrier lies between. Without a
// fallback no barrier is passed.
#pragma once

#include "kernels/select/filter_kernel.hpp"
#include "kernels/select/rank_search.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct finish_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = detail::filter_shape::finish_threads, min_blocks = 1;
  static constexpr unsigned warps = block_threads / simt::warp_size;
  static constexpr unsigned bins = detail::filter_shape::bins;
  static constexpr std::uint32_t room = sizeof(Word) == 16 ? 4096 : 8192;          // candidates in shared storage
  static constexpr std::uint32_t step = sizeof(Word) <= 4 ? 4 : 16 / sizeof(Word); // of them loaded together
  using tile = filter_tile<Word, block_threads, filter_items<Word>>;
  static_assert(bins == rank_search_storage<>::bins && bins <= block_threads);

  struct shared {
    alignas(16) simt::shared_array<Word, room> images;
    simt::shared_array<std::uint32_t, block_threads> ranks; // of a share; in the search counts of a digit
    rank_search_storage<std::uint64_t> search;
    simt::shared_value<primitives::tile_ticket> ticket;
    typename tile::shared of_tile;
  };

  typename tile::arrays arrays;
  typename tile::chain chain;
  filter_state<Word> state;
  simt::global<std::uint64_t> histograms; // [digits][bins], zeros
  std::uint32_t tiles;                    // of this kernel's size
  bool finishes;
  simt::global<Word> keys_out;
  number_array positions_out; // where they are wanted
  bool writes_keys;
  row_limits limits; // of the results that are written

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t sums = state.sums.load(0), below = sums & both_sums::half;
    if (below > arrays.capacity || below + (sums >> 32) < arrays.k) {
      filter_again(s, kth_image(s));
      simt::grid_barrier();
    }
    if (finishes)
      finish(s);
  }

 private:
  /// The filter, with the k-th key's image for a pivot.
  SORTILE_DEVICE void filter_again(shared& s, Word pivot) const {
    simt::grid_barrier(); // all blocks have read the sums
    for (;;) {
      if (simt::thread_index() == 0)
        s.ticket = chain.draw(tiles + simt::grid_size(), tiles);
      simt::block_barrier();
      const primitives::tile_ticket ticket = s.ticket;
      if (ticket.tile >= tiles)
        return;
      const std::uint64_t upto = tile::run(s.of_tile, arrays, chain, ticket, pivot);
      if (ticket.tile == tiles - 1 && simt::thread_index() == 0) {
        state.sums[0] = upto;
        state.count[0] = upto & both_sums::half;
      }
      simt::block_barrier(); // before the ticket changes
    }
  }

  /// The image of the key of rank k − 1, the same in all blocks.
  SORTILE_DEVICE Word kth_image(shared& s) const {
    const unsigned t = simt::thread_index();
    std::uint32_t first = 0; // of the digit's counters
    const auto count_digit = [&](Word prefix, Word known, unsigned shift, Word mask) {
      count(s, first, prefix, known, shift, mask);
      simt::grid_barrier();
      if (t < bins)
        s.search.counts[t] = histograms.load(first + t, simt::l2_only);
      simt::block_barrier();
      first += bins;
    };
    return rank_by_digits<Word>(s.search, arrays.n, std::uint64_t(arrays.k - 1), arrays.codec.bits, count_digit).image;
  }

  /// Of this block's share of the keys, added to the digit's counters.
  SORTILE_DEVICE void count(shared& s, std::uint32_t first, Word prefix, Word known, unsigned shift, Word mask) const {
    const unsigned t = simt::thread_index();
    if (t < bins)
      s.ranks[t] = 0;
    simt::block_barrier();
    const std::uint64_t stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (std::uint64_t i = std::uint64_t{simt::block_index()} * block_threads + t; i < arrays.n; i += stride) {
      const Word u = arrays.codec.image(arrays.keys.load(i, simt::streaming));
      if (Word(u & known) == prefix)
        s.ranks.fetch_add(std::uint32_t(Word(u >> shift) & mask), 1u);
    }
    simt::block_barrier();
    if (const std::uint32_t mine = t < bins ? s.ranks.load(t) : 0; mine != 0)
      histograms.fetch_add(first + t, std::uint64_t{mine});
  }

  /// By all blocks: each ranks its share of the candidates, and what candidates are missing are keys that equal the
  /// pivot.
  SORTILE_DEVICE void finish(shared& s) const {
    const auto candidates = std::uint32_t(state.count.load(0, simt::l2_only));
    const auto wanted = std::uint32_t(limits.at_most(arrays.k, 0));
    const std::uint32_t rows = (candidates + simt::warp_size - 1) / simt::warp_size; // of 32 candidates
    const std::uint32_t share = (rows + simt::grid_size() - 1) / simt::grid_size() * simt::warp_size;
    const std::uint64_t begin = std::uint64_t{simt::block_index()} * share;
    for (std::uint64_t first = begin; first < candidates && first < begin + share; first += block_threads) {
      const std::uint64_t end = begin + share < candidates ? begin + share : candidates;
      rank(s, std::uint32_t(first), std::uint32_t(end - first < block_threads ? end - first : block_threads),
           candidates, wanted);
    }
    for (std::uint32_t i = candidates + simt::block_index() * block_threads + simt::thread_index(); i < wanted;
         i += simt::grid_size() * block_threads)
      put(i, arrays.equals, arrays.equal_positions, i - candidates);
  }

  /// Candidates [first, first + mine), a multiple of 32 and at most as many as threads. Groups of 32 of them share out
  /// the warps, and the warps of a group the candidates that come before or after.
  SORTILE_DEVICE void rank(shared& s, std::uint32_t first, std::uint32_t mine, std::uint32_t candidates,
                           std::uint32_t wanted) const {
    const unsigned t = simt::thread_index(), warp = simt::warp_index();
    const unsigned groups = (mine + simt::warp_size - 1) / simt::warp_size, parts = warps / groups;
    const unsigned in_share = warp % groups * simt::warp_size + simt::lane_index(), part = warp / groups;
    const Word u = in_share < mine ? image(first + in_share) : Word{0};
    std::uint32_t before = 0;
    s.ranks[t] = 0;
    for (std::uint32_t base = 0; base < candidates; base += room) {
      const std::uint32_t count = candidates - base < room ? candidates - base : room;
      const std::uint32_t each = (count + parts * step - 1) / (parts * step) * step;
      for (std::uint32_t j = t; j < (count + step - 1) / step * step; j += block_threads)
        s.images[j] = j < count ? image(base + j) : Word(~Word{0}); // below none
      simt::block_barrier();
      if (part < parts)
        before += count_before(s, u, first + in_share, base, part * each,
                               part * each + each < count ? part * each + each : count);
      simt::block_barrier();
    }
    if (part < parts)
      s.ranks.fetch_add(in_share, before);
    simt::block_barrier();
    if (t < mine && s.ranks.load(t) < wanted)
      put(s.ranks.load(t), arrays.candidates, arrays.positions, first + t);
    simt::block_barrier();
  }

  /// How many of the images [begin, end) in shared storage, of candidates from `base` on, come before the image u of
  /// candidate i; i = first + lane, first a multiple of 32.
  static SORTILE_DEVICE std::uint32_t count_before(const shared& s, Word u, std::uint32_t i, std::uint32_t base,
                                                   std::uint32_t begin, std::uint32_t end) {
    const std::uint32_t first = i - simt::lane_index();
    const auto until = [&](std::uint32_t candidate) {
      const std::uint32_t at = candidate < base ? 0 : candidate - base;
      return at < begin ? begin : at < end ? at : end;
    };
    const std::uint32_t same = until(first), after = until(first + simt::warp_size);
    std::uint32_t before = 0;
    const auto add = [&](std::uint32_t from, std::uint32_t to, auto precedes) {
      for (std::uint32_t j = from; j < to; j += step) {
        const auto x = simt::load_vector<int(step)>(s.images, j);
        SORTILE_UNROLL
        for (unsigned e = 0; e < step; ++e)
          before += precedes(x[int(e)], j + e);
      }
    };
    add(begin, same, [u](Word x, std::uint32_t) { return x <= u; });
    add(same, after, [=](Word x, std::uint32_t j) { return base + j < i ? x <= u : x < u; });
    add(after, end, [u](Word x, std::uint32_t) { return x < u; });
    return before;
  }

  SORTILE_DEVICE Word image(std::uint32_t candidate) const {
    return arrays.codec.image(arrays.candidates.load(candidate));
  }

  SORTILE_DEVICE void put(std::uint32_t to, const simt::global<Word>& keys, const number_array& positions,
                          std::uint32_t from) const {
    if (writes_keys)
      keys_out[to] = keys.load(from);
    if (positions_out.are_there())
      positions_out.store(to, positions.load(from));
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
