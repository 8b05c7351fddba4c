// The stable order of a bucket's keys that crowd however their interval is divided: a sample of the keys divides them
// into pieces, and each piece is small, or of one value.
//
//   sample   256 of the bucket's keys, ranked by counting those below each: 256² / threads comparisons a thread
//   piece    d of 128 holds the images above cut[d − 1], up to cut[d], which is the sample's (2d + 1)-th
//   pass     keys go to their pieces by a search and a stable ranking of 7 bits: a permutation, keys stay where they are
//   rank     each piece by a warp: every lane counts what stands before its keys
//
// Frequent keys. A value that the sample has at two cuts gets a piece of its own, since the first of them is moved down
// by one: then nothing is left to sort in it, however large it is, because the pass is stable. A value v has k/n of the
// keys and 256 k/n of the sample on average; from three of them on it stands at two cuts, or just not.
//
//   sample, every second     a  b  c  c  c  d          cuts   a  b  c−1  c  c  d       pieces  …a] (a b] (b c−1] {c} {} (c d]
//
// What a piece of several values holds is Gamma(2) / 2 times n / 128: of 5632 keys more than 256 once in 10^6 pieces.
// Then `find` says so, and another way has to be found.
//
// Cost, of 64-bit keys: seven round trips to shared storage for a search, seven ballots, and as many steps as a piece
// has keys for each 32 of them. Shared storage: two words a piece; while pieces are made, the sample twice.
#pragma once

#include "primitives/digit_rank.hpp"
#include "primitives/search_tree.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned Threads, int Items>
class piece_order {
 public:
  static constexpr unsigned piece_bits = 7, pieces = 1u << piece_bits, samples = 2 * pieces;
  /// The most keys of a piece that has several values.
  static constexpr std::uint32_t most_ranked = 256;
  using tree = primitives::search_tree<Word>;
  using ranker = primitives::digit_ranker<Threads, Items, piece_bits, primitives::ranking::ballot>;
  static_assert(Threads % samples == 0);

  struct storage {
    simt::shared_array<Word, pieces> node;
    simt::shared_array<std::uint32_t, pieces> begin;      // of each piece, in the order
    simt::shared_array<std::uint32_t, pieces / simt::warp_size> one_value; // a bit a piece
  };
  struct scratch {
    alignas(16) simt::shared_array<Word, samples> sample;
    alignas(16) simt::shared_array<Word, samples> sorted;
    simt::shared_array<std::uint32_t, samples> below, taken; // samples below each; of each such number, placed
  };

  /// Pieces of n keys with images from low to high; image_of(p) is key p's. By all threads; a block barrier has to
  /// follow.
  template <class ImageOf>
  static SORTILE_DEVICE void make(storage& s, scratch& temporary, Word low, Word high, std::uint32_t n,
                                  ImageOf image_of) {
    const unsigned t = simt::thread_index();
    if (t < samples) {
      temporary.sample[t] = image_of(std::uint32_t(std::uint64_t{t} * n / samples));
      temporary.below[t] = temporary.taken[t] = 0;
    }
    simt::block_barrier();
    sort_sample(temporary);
    if (t >= pieces)
      return;
    const Word cut = cut_of(temporary, t), last = t == pieces - 1 ? high : cut;
    const Word first = t == 0 ? low : Word(cut_of(temporary, t - 1) + 1);
    const unsigned ones = simt::ballot(first >= last);
    if (simt::lane_index() == 0)
      s.one_value[simt::warp_index()] = ones;
    if (t != 0)
      s.node[t] = cut_of(temporary, tree::cut_of(t, piece_bits));
  }

  /// order[q], for all q < n, is the key that stands at place q; of keys with equal images the lower comes first. False,
  /// in all threads, where a piece is too large. By all threads, behind `make` and a barrier; the order may be read
  /// behind a block barrier.
  template <class ImageOf>
  static SORTILE_DEVICE bool find(storage& s, typename ranker::storage& rank,
                                  const simt::shared_view<std::uint16_t>& order, std::uint32_t n, ImageOf image_of) {
    const std::uint32_t mine = simt::warp_index() * unsigned(Items) * simt::warp_size + simt::lane_index();
    unsigned digits[Items], ranks[Items];
    find_pieces(s, mine, n, image_of, digits);
    const auto totals = ranker::rank(rank, digits, ranks);
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      if (mine + unsigned(i) * simt::warp_size < n)
        order[ranks[i]] = std::uint16_t(mine + unsigned(i) * simt::warp_size);
    if (simt::block_any(leave_begin(s, totals, n)))
      return false;
    for (unsigned d = simt::warp_index(); d < pieces; d += Threads / simt::warp_size)
      if (!has_one_value(s, d))
        sort_piece(order, s.begin.load(d), end_of(s, d, n), image_of);
    return true;
  }

 private:
  static constexpr int together = 4; // searches side by side

  static SORTILE_DEVICE void sort_sample(scratch& s) {
    constexpr unsigned shares = Threads / samples, share = samples / shares;
    const unsigned t = simt::thread_index(), mine = t % samples, first = t / samples * share;
    const Word v = s.sample.load(mine);
    std::uint32_t below = 0;
    for (unsigned j = 0; j < share; ++j)
      below += s.sample.load(first + j) < v ? 1 : 0;
    s.below.fetch_add(mine, below, simt::relaxed, simt::block_scope);
    simt::block_barrier();
    if (t < samples) { // equal ones in any order
      const std::uint32_t place = s.below.load(t);
      s.sorted[place + s.taken.fetch_add(place, 1u, simt::relaxed, simt::block_scope)] = v;
    }
    simt::block_barrier();
  }
  static SORTILE_DEVICE Word cut_of(scratch& s, unsigned d) {
    const Word v = s.sorted.load(2 * d + 1);
    const bool again = d + 1 < pieces && s.sorted.load(2 * d + 3) == v;
    const bool first = d == 0 || s.sorted.load(2 * d - 1) != v;
    return v != 0 && again && first ? Word(v - 1) : v;
  }

  template <class ImageOf>
  static SORTILE_DEVICE void find_pieces(storage& s, std::uint32_t mine, std::uint32_t n, ImageOf image_of,
                                         unsigned (&digits)[Items]) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; i += together) {
      Word images[together];
      std::uint32_t found[together];
      SORTILE_UNROLL
      for (int k = 0; k < together; ++k) {
        const std::uint32_t p = mine + unsigned(i + k) * simt::warp_size;
        images[k] = i + k < Items && p < n ? image_of(p) : Word(~Word{0});
      }
      tree::find(s.node.view(), piece_bits, images, found);
      SORTILE_UNROLL
      for (int k = 0; k < together && i + k < Items; ++k) // absent keys stand last
        digits[i + k] = mine + unsigned(i + k) * simt::warp_size < n ? found[k] : pieces - 1;
    }
  }
  /// Whether this thread's piece is too large.
  static SORTILE_DEVICE bool leave_begin(storage& s, const typename ranker::digit_totals& totals, std::uint32_t n) {
    const unsigned t = simt::thread_index();
    static_assert(ranker::owned == 1);
    if (t >= pieces)
      return false;
    s.begin[t] = totals.start[0];
    const std::uint32_t keys = t == pieces - 1 ? n - totals.start[0] : totals.count[0];
    return keys > most_ranked && !has_one_value(s, t);
  }
  static SORTILE_DEVICE bool has_one_value(storage& s, unsigned d) {
    return (s.one_value.load(d / simt::warp_size) >> d % simt::warp_size & 1) != 0;
  }
  static SORTILE_DEVICE std::uint32_t end_of(storage& s, unsigned d, std::uint32_t n) {
    return d + 1 < pieces ? s.begin.load(d + 1) : n;
  }

  // By one warp. Keys stand in their input order, so the lower place of two equal ones is the earlier one's.
  template <class ImageOf>
  static SORTILE_DEVICE void sort_piece(const simt::shared_view<std::uint16_t>& order, std::uint32_t low,
                                        std::uint32_t high, ImageOf image_of) {
    const std::uint32_t size = high - low;
    if (size < 2)
      return;
    if (size <= simt::warp_size)
      sort_row(order, low, size, image_of);
    else if (size <= 2 * simt::warp_size)
      sort_rows<2>(order, low, size, image_of);
    else if (size <= 4 * simt::warp_size)
      sort_rows<4>(order, low, size, image_of);
    else
      sort_rows<int(most_ranked / simt::warp_size)>(order, low, size, image_of);
  }
  template <class ImageOf>
  static SORTILE_DEVICE void sort_row(const simt::shared_view<std::uint16_t>& order, std::uint32_t low,
                                      std::uint32_t size, ImageOf image_of) {
    const unsigned lane = simt::lane_index();
    const std::uint16_t at = order.load(low + (lane < size ? lane : 0));
    const Word image = image_of(at);
    std::uint32_t before = 0;
    for (unsigned k = 0; k < size; ++k) {
      const Word other = simt::shuffle(image, k);
      before += other < image || (other == image && k < lane) ? 1 : 0;
    }
    simt::warp_barrier();
    if (lane < size)
      order[low + before] = at;
  }
  template <int Rows, class ImageOf>
  static SORTILE_DEVICE void sort_rows(const simt::shared_view<std::uint16_t>& order, std::uint32_t low,
                                       std::uint32_t size, ImageOf image_of) {
    Word images[Rows];
    std::uint32_t at[Rows], before[Rows];
    SORTILE_UNROLL
    for (int j = 0; j < Rows; ++j) {
      const std::uint32_t i = unsigned(j) * simt::warp_size + simt::lane_index();
      at[j] = order.load(low + (i < size ? i : 0));
      images[j] = image_of(at[j]);
      before[j] = 0;
    }
    for (std::uint32_t k = 0; k < size; ++k) {
      const Word other = image_of(order.load(low + k));
      SORTILE_UNROLL
      for (int j = 0; j < Rows; ++j)
        before[j] +=
            other < images[j] || (other == images[j] && k < unsigned(j) * simt::warp_size + simt::lane_index()) ? 1 : 0;
    }
    simt::warp_barrier();
    SORTILE_UNROLL
    for (int j = 0; j < Rows; ++j)
      if (unsigned(j) * simt::warp_size + simt::lane_index() < size)
        order[low + before[j]] = std::uint16_t(at[j]);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
