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

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Position>
struct finish_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = detail::filter_shape::finish_threads, min_blocks = 1;
  static constexpr unsigned warps = block_threads / simt::warp_size;
  static constexpr unsigned digit_bits = detail::filter_shape::digit_bits, bins = detail::filter_shape::bins;
  static constexpr std::uint32_t room = sizeof(Word) == 16 ? 4096 : 8192;          // candidates in shared storage
  static constexpr std::uint32_t step = sizeof(Word) <= 4 ? 4 : 16 / sizeof(Word); // of them loaded together
  using tile = filter_tile<Word, Position, block_threads, filter_items<Word>>;

  struct shared {
    alignas(16) simt::shared_array<Word, room> images;
    simt::shared_array<std::uint32_t, block_threads> ranks; // of a share
    simt::shared_array<std::uint32_t, bins> counts;
    simt::shared_array<std::uint64_t, bins / simt::warp_size> sums;
    simt::shared_value<std::uint32_t> digit;
    simt::shared_value<std::uint64_t> before;
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
  simt::global<std::uint32_t> positions_32; // one of both where positions are wanted
  simt::global<std::uint64_t> positions_64;
  bool writes_keys;
  unsigned position_bytes;
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
    Word image = 0, known = 0;
    std::uint64_t rank = arrays.k - 1;
    unsigned digit = 0;
    for (unsigned left = arrays.codec.bits; left > 0; ++digit) {
      const unsigned width = left < digit_bits ? left : digit_bits;
      left -= width;
      const auto mask = Word((1u << width) - 1);
      count(s, digit, image, known, left, mask);
      simt::grid_barrier();
      find_bin(s, digit, rank);
      image = Word(image | Word(Word(s.digit) << left));
      known = Word(known | Word(mask << left));
      rank -= s.before;
      simt::block_barrier();
    }
    return image;
  }

  SORTILE_DEVICE void count(shared& s, unsigned digit, Word prefix, Word known, unsigned shift, Word mask) const {
    const unsigned t = simt::thread_index();
    if (t < bins)
      s.counts[t] = 0;
    simt::block_barrier();
    const std::uint64_t stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (std::uint64_t i = std::uint64_t{simt::block_index()} * block_threads + t; i < arrays.n; i += stride) {
      const Word u = arrays.codec.image(arrays.keys.load(i, simt::streaming));
      if (Word(u & known) == prefix)
        s.counts.fetch_add(std::uint32_t(Word(u >> shift) & mask), 1u);
    }
    simt::block_barrier();
    if (const std::uint32_t mine = t < bins ? s.counts.load(t) : 0; mine != 0)
      histograms.fetch_add(digit * bins + t, std::uint64_t{mine});
    simt::block_barrier();
  }

  /// The bin that holds the rank, and how many keys lie in those before it.
  SORTILE_DEVICE void find_bin(shared& s, unsigned digit, std::uint64_t rank) const {
    constexpr unsigned bin_warps = bins / simt::warp_size;
    const unsigned t = simt::thread_index(), lane = simt::lane_index(), warp = simt::warp_index();
    const std::uint64_t mine = t < bins ? histograms.load(digit * bins + t, simt::l2_only) : 0;
    const std::uint64_t upto = primitives::warp_inclusive_scan(mine, primitives::plus{});
    if (t < bins && lane == simt::warp_size - 1)
      s.sums[warp] = upto;
    simt::block_barrier();
    std::uint64_t before = upto - mine;
    SORTILE_UNROLL
    for (unsigned w = 0; w < bin_warps; ++w)
      before += w < warp ? s.sums.load(w) : 0;
    if (rank >= before && rank - before < mine) {
      s.digit = t;
      s.before = before;
    }
    simt::block_barrier();
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

  template <class Positions>
  SORTILE_DEVICE void put(std::uint32_t to, const simt::global<Word>& keys, const Positions& positions,
                          std::uint32_t from) const {
    if (writes_keys)
      keys_out[to] = keys.load(from);
    if constexpr (tile::placed) {
      if (position_bytes == 4)
        positions_32[to] = std::uint32_t(positions.load(from));
      else
        positions_64[to] = positions.load(from);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
