// The candidates for the first k keys of an array, in the order of their positions, and the key that they end at.
//
//   clear      status words of the look-back, histograms
//   pivot      one block: a sample of up to 16,384 keys, and in it the key of a rank that lies a little behind the k-th
//              (sample_ranks.hpp)
//   filter     one read: keys below the pivot, and the first k that equal it, each compacted behind those of the tiles
//              before (filter_tile.hpp)
//   fallback   does nothing, unless the sample has misled: more candidates than room, or fewer than k keys up to the
//              pivot. Then digits of 8 bits find the k-th key exactly, a read for each, and the filter runs again
//              with it for a pivot: fewer than k keys lie below it. One cooperative launch, whatever there is to do
//
// The fallback decides by the word `sums` of the state (filter_tile.hpp). The last tile of the filter writes it. Every
// block of the fallback reads it before one of them can write it again: a grid barrier lies between. What follows, a
// sort of the candidates and write_first, reads `count` and waits for nobody: launches of a stream are in order.
//
// Bytes moved: the array once, the candidates and their positions once. In the worst case the array is read once more
// for each byte of a key, and once more by the filter.
#pragma once

#include "kernels/sample_place.hpp"
#include "kernels/select/filter.hpp"
#include "kernels/select/filter_tile.hpp"
#include "kernels/select/rank_search.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct choose_pivot_kernel {
  static constexpr unsigned block_threads = 1024;
  static constexpr std::uint32_t most_sample = sizeof(Word) == 16 ? 8192 : 16384;

  struct shared {
    alignas(16) simt::shared_array<Word, most_sample> sample;
    rank_search_storage search;
  };

  simt::global<const Word> keys;
  simt::global<Word> pivot;
  std::uint64_t n;
  std::uint32_t sample_keys, rank;
  key_codec<Word> codec;

  SORTILE_DEVICE void operator()(shared& s) const {
    for (std::uint32_t i = simt::thread_index(); i < sample_keys; i += block_threads)
      s.sample[i] = codec.image(keys.load(sample_place(i, sample_keys, n)));
    simt::block_barrier();
    const auto found = rank_search<block_threads, Word>(s.search, sample_keys, rank, codec.bits,
                                                        [&](std::uint32_t i) { return s.sample.load(i); });
    if (simt::thread_index() == 0)
      pivot[0] = found.image;
  }
};

/// How both launches below cut the array.
template <class Word>
inline constexpr unsigned filter_items = unsigned(detail::filter_shape::tile(sizeof(Word)) /
                                                  detail::filter_shape::threads);

template <class Word, class Position>
struct filter_kernel {
  static constexpr unsigned block_threads = detail::filter_shape::threads, min_blocks = sizeof(Word) <= 8 ? 6 : 4;
  using tile = filter_tile<Word, Position, block_threads, filter_items<Word>>;

  struct shared {
    simt::shared_value<primitives::tile_ticket> ticket;
    typename tile::shared of_tile;
  };

  typename tile::arrays arrays;
  typename tile::chain chain;
  filter_state<Word> state;
  std::uint32_t tiles;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (simt::thread_index() == 0)
      s.ticket = chain.draw(tiles);
    simt::block_barrier();
    const primitives::tile_ticket ticket = s.ticket;
    const std::uint64_t upto = tile::run(s.of_tile, arrays, chain, ticket, state.pivot.load(0));
    if (ticket.tile == tiles - 1 && simt::thread_index() == 0) {
      state.sums[0] = upto;
      state.count[0] = (upto & both_sums::half) < arrays.capacity ? upto & both_sums::half : arrays.capacity;
    }
  }
};

template <class Word, class Position>
struct filter_again_kernel {
  static constexpr unsigned block_threads = detail::filter_shape::threads, min_blocks = 4;
  static constexpr unsigned digit_bits = detail::filter_shape::digit_bits, bins = detail::filter_shape::bins;
  using tile = filter_tile<Word, Position, block_threads, filter_items<Word>>;

  struct shared {
    simt::shared_array<std::uint32_t, bins> counts;
    simt::shared_array<std::uint64_t, block_threads / simt::warp_size + 1> sums;
    simt::shared_value<std::uint32_t> digit;
    simt::shared_value<std::uint64_t> before;
    simt::shared_value<primitives::tile_ticket> ticket;
    typename tile::shared of_tile;
  };
  static_assert(bins == block_threads, "a thread has a bin");

  typename tile::arrays arrays;
  typename tile::chain chain;
  filter_state<Word> state;
  simt::global<std::uint64_t> histograms; // [digits][bins], zeros
  std::uint32_t tiles;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t sums = state.sums.load(0), below = sums & both_sums::half;
    if (below <= arrays.capacity && below + (sums >> 32) >= arrays.k)
      return;
    const Word pivot = kth_image(s); // at least one grid barrier: all blocks have read the sums
    simt::grid_barrier();
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

 private:
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
    s.counts[t] = 0;
    simt::block_barrier();
    const std::uint64_t stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (std::uint64_t i = std::uint64_t{simt::block_index()} * block_threads + t; i < arrays.n; i += stride) {
      const Word u = arrays.codec.image(arrays.keys.load(i, simt::streaming));
      if (Word(u & known) == prefix)
        s.counts.fetch_add(std::uint32_t(Word(u >> shift) & mask), 1u);
    }
    simt::block_barrier();
    const std::uint32_t mine = s.counts.load(t);
    if (mine != 0)
      histograms.fetch_add(digit * bins + t, std::uint64_t{mine});
    simt::block_barrier();
  }

  /// The bin that holds the rank, and how many keys lie in those before it.
  SORTILE_DEVICE void find_bin(shared& s, unsigned digit, std::uint64_t rank) const {
    constexpr unsigned warps = block_threads / simt::warp_size;
    const unsigned t = simt::thread_index(), lane = simt::lane_index(), warp = simt::warp_index();
    const std::uint64_t mine = histograms.load(digit * bins + t, simt::l2_only);
    const std::uint64_t upto = primitives::warp_inclusive_scan(mine, primitives::plus{});
    if (lane == simt::warp_size - 1)
      s.sums[warp] = upto;
    simt::block_barrier();
    std::uint64_t before = upto - mine;
    SORTILE_UNROLL
    for (unsigned w = 0; w < warps; ++w)
      before += w < warp ? s.sums.load(w) : 0;
    if (rank >= before && rank - before < mine) {
      s.digit = t;
      s.before = before;
    }
    simt::block_barrier();
  }
};

template <class Word, class Position, class Index>
struct write_first_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;
  static constexpr bool placed = !std::is_void_v<Position>;
  using position = std::conditional_t<placed, Position, std::uint32_t>;
  using index = std::conditional_t<placed, Index, std::uint32_t>;

  simt::global<const std::uint64_t> count;
  simt::global<const Word> candidates, equals;
  simt::global<Word> keys_out;
  simt::global<const position> positions, equal_positions;
  simt::global<index> positions_out;
  std::uint64_t k;
  bool writes_keys;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t found = count.load(0), stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < k; i += stride) {
      const bool sorted = i < found;
      if (writes_keys)
        keys_out[i] = sorted ? candidates.load(i) : equals.load(i - found);
      if constexpr (placed)
        positions_out[i] = index(sorted ? positions.load(i) : equal_positions.load(i - found));
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
