// The stable order of a bucket's keys that are skewed however their interval is divided: a sample of the keys divides
// them into pieces, and each piece is small, or of one value.
//
//   sample   256 of the bucket's keys, sorted in runs of 32 by warps; each finds its rank in the other runs
//   piece    d of 128 holds the images above cut[d − 1], up to cut[d], which is the sample's (2d + 1)-th
//   pass     keys go to their pieces by a search and a stable ranking of 7 bits: a permutation, keys do not move
//   sort     each piece by a warp, in registers: the highest 24 bits of a key's distance from the piece's lowest
//            image, and its place in the piece below them, one word per key (warp_sort.hpp)
//
// Keys that share these bits are ordered by place, which is right for equal ones. Others may then be in the wrong
// order. A comparison with the neighbours shows that, and insertion puts them right. Where there are many, the warp
// ranks the piece instead: it counts how many keys come before each.
//
// Frequent keys. A value that the sample has at two cuts gets a piece of its own: the first of the two cuts is moved
// down by one. The pass is stable, so this piece needs no sorting, however large it is. A value that k of n keys have
// is in the sample 256 k / n times on average; from three times on it may be at two cuts, from four times on it is.
//
//   every second sample     a  b  c  c  c  d
//   cuts                    a  b  c−1  c  c  d          pieces   …a] (a b] (b c−1] {c} {} (c d]
//
// What a piece of several values holds is Gamma(2) / 2 times n / 128: of 6144 keys more than 256 three times in 10^4
// pieces, of 11,264 more than 512 (23 bits are left then) once in 10^4. Then `find` returns false, and the caller has
// to sort in another way.
//
// Cost: seven round trips to shared storage for a search, seven ballots, and 15 to 36 exchanges by shuffles for each
// piece. Shared storage: two words and four bytes per piece; while pieces are made, the sample twice.
#pragma once

#include "primitives/digit_rank.hpp"
#include "primitives/search_tree.hpp"
#include "primitives/warp_sort.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

template <class Word, unsigned Threads, int Items>
class piece_order {
 public:
  static constexpr unsigned piece_bits = 7, pieces = 1u << piece_bits, samples = 2 * pieces;
  /// The most keys of a piece that has several values.
  static constexpr unsigned place_bits = Threads * unsigned(Items) > 6144 ? 9 : 8;
  static constexpr std::uint32_t most_sorted = 1u << place_bits;
  using tree = search_tree<Word>;
  using ranker = digit_ranker<Threads, Items, piece_bits, ranking::ballot>;
  static_assert(Threads % samples == 0 && most_sorted <= 16 * simt::warp_size);

  struct storage {
    simt::shared_array<Word, pieces> node, first; // of the search; each piece's lowest image
    /// One value (bit 31) | bits that its words leave out | begin in the order (16 bits).
    simt::shared_array<std::uint32_t, pieces> about;
  };
  struct scratch {
    alignas(16) simt::shared_array<Word, samples> runs;
    alignas(16) simt::shared_array<Word, samples> sorted;
    simt::shared_array<std::uint32_t, samples> rank;
  };

  /// Pieces of n keys with images from low to high; image_of(p) is key p's. By all threads; a block barrier has to
  /// follow.
  template <class ImageOf>
  static SORTILE_DEVICE void make(storage& s, scratch& temporary, Word low, Word high, std::uint32_t n,
                                  ImageOf image_of) {
    const unsigned t = simt::thread_index();
    if (t < samples) {
      Word x[1] = {image_of(std::uint32_t(std::uint64_t{t} * n / samples))};
      sort_in_warp(x);
      temporary.runs[t] = x[0];
      temporary.rank[t] = 0;
    }
    simt::block_barrier();
    merge_runs(temporary);
    if (t >= pieces)
      return;
    const Word last = t == pieces - 1 ? high : cut_of(temporary, t);
    const Word first = t == 0 ? low : Word(cut_of(temporary, t - 1) + 1);
    s.first[t] = first;
    s.about[t] = first >= last ? one_value : bits_left_out(Word(last - first)) << begin_bits;
    if (t != 0)
      s.node[t] = cut_of(temporary, tree::cut_of(t, piece_bits));
  }

  /// order[q], for all q < n, is the key that stands at place q; of keys with equal images the lower comes first.
  /// False, in all threads, where a piece is too large. By all threads, after `make` and a barrier; the order may be
  /// read after a block barrier.
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
      sort_piece(s, order, d, n, image_of);
    return true;
  }

 private:
  static constexpr int together = 4; // searches side by side
  static constexpr unsigned begin_bits = 16;
  static constexpr std::uint32_t one_value = 1u << 31;
  static constexpr std::uint32_t most_inserted = 15; // keys of a piece that share their word with the one before

  /// sorted[r] is the sample of rank r: by warps' runs, each thread for one sample and some of the other runs.
  static SORTILE_DEVICE void merge_runs(scratch& s) {
    constexpr unsigned shares = Threads / samples, runs = samples / simt::warp_size, each = runs / shares;
    const unsigned t = simt::thread_index(), mine = t % samples, own = mine / simt::warp_size;
    const Word v = s.runs.load(mine);
    std::uint32_t rank = 0;
    SORTILE_NO_UNROLL
    for (unsigned r = t / samples * each; r < (t / samples + 1) * each; ++r)
      rank += r == own ? simt::lane_index() : below(s, r * simt::warp_size, v, r < own);
    s.rank.fetch_add(mine, rank, simt::relaxed, simt::block_scope);
    simt::block_barrier();
    if (t < samples)
      s.sorted[s.rank.load(t)] = v;
    simt::block_barrier();
  }
  /// How many of the run are below v, or equal to it where these count.
  static SORTILE_DEVICE std::uint32_t below(scratch& s, unsigned run, Word v, bool with_equal) {
    std::uint32_t found = 0;
    SORTILE_UNROLL
    for (unsigned step = simt::warp_size / 2; step != 0; step /= 2) {
      const Word other = s.runs.load(run + found + step - 1);
      found += other < v || (with_equal && other == v) ? step : 0;
    }
    const Word other = s.runs.load(run + found);
    return found + (other < v || (with_equal && other == v) ? 1 : 0);
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
  /// By how many bits a distance of this span exceeds the room in a word.
  static SORTILE_DEVICE unsigned bits_left_out(Word span) {
    constexpr unsigned room = 32 - place_bits;
    const unsigned bits = unsigned(8 * sizeof(Word)) - unsigned(simt::leading_zeros(span));
    return bits > room ? bits - room : 0;
  }
  /// Whether this thread's piece is too large.
  static SORTILE_DEVICE bool leave_begin(storage& s, const typename ranker::digit_totals& totals, std::uint32_t n) {
    const unsigned t = simt::thread_index();
    static_assert(ranker::owned == 1);
    if (t >= pieces)
      return false;
    const std::uint32_t about = s.about.load(t), keys = (t == pieces - 1 ? n - totals.start[0] : totals.count[0]);
    s.about[t] = about | totals.start[0];
    return keys > most_sorted && about != one_value;
  }
  static SORTILE_DEVICE std::uint32_t begin_of(storage& s, unsigned d, std::uint32_t n) {
    return d < pieces ? s.about.load(d) & ((1u << begin_bits) - 1) : n;
  }

  template <class ImageOf>
  static SORTILE_DEVICE void sort_piece(storage& s, const simt::shared_view<std::uint16_t>& order, unsigned d,
                                        std::uint32_t n, ImageOf image_of) {
    const std::uint32_t low = begin_of(s, d, n), size = begin_of(s, d + 1, n) - low, about = s.about.load(d);
    if (size < 2 || about >= one_value)
      return;
    const Word first = s.first.load(d);
    const unsigned right = about >> begin_bits;
    const auto word_of = [&](Word image) { return std::uint32_t(Word(image - first) >> right); };
    if (size <= simt::warp_size)
      sort_rows<1>(order, low, size, image_of, word_of);
    else if (size <= 2 * simt::warp_size)
      sort_rows<2>(order, low, size, image_of, word_of);
    else if (size <= 4 * simt::warp_size)
      sort_rows<4>(order, low, size, image_of, word_of);
    else if (size <= 8 * simt::warp_size)
      sort_rows<8>(order, low, size, image_of, word_of);
    else if constexpr (most_sorted > 8 * simt::warp_size)
      sort_rows<int(most_sorted / simt::warp_size)>(order, low, size, image_of, word_of);
  }
  /// By one warp. Keys stand in their input order, so the lower place of two equal ones is the earlier one's.
  template <int Rows, class ImageOf, class WordOf>
  static SORTILE_DEVICE void sort_rows(const simt::shared_view<std::uint16_t>& order, std::uint32_t low,
                                       std::uint32_t size, ImageOf image_of, WordOf word_of) {
    constexpr std::uint32_t place_mask = most_sorted - 1;
    const unsigned lane = simt::lane_index();
    std::uint32_t x[Rows];
    SORTILE_UNROLL
    for (int j = 0; j < Rows; ++j) { // absent ones last
      const std::uint32_t p = unsigned(j) * simt::warp_size + lane;
      x[j] = p < size ? word_of(image_of(order.load(low + p))) << place_bits | p : ~0u;
    }
    sort_in_warp(x);
    std::uint32_t before = simt::shuffle_up(x[Rows - 1], 1), ties = 0;
    std::uint16_t at[Rows];
    SORTILE_UNROLL
    for (int j = 0; j < Rows; ++j) {
      const std::uint32_t p = lane * unsigned(Rows) + unsigned(j);
      at[j] = order.load(low + (p < size ? x[j] & place_mask : 0));
      ties += p != 0 && p < size && before >> place_bits == x[j] >> place_bits ? 1 : 0;
      before = x[j];
    }
    const std::uint32_t all_ties = simt::warp_reduce_add(ties);
    const bool done = all_ties == 0 || in_order(at, size, image_of);
    if (!done && all_ties > most_inserted)
      return rank_rows<Rows>(order, low, size, image_of);
    simt::warp_barrier();
    SORTILE_UNROLL
    for (int j = 0; j < Rows; ++j)
      if (lane * unsigned(Rows) + unsigned(j) < size)
        order[low + lane * unsigned(Rows) + unsigned(j)] = at[j];
    if (done)
      return;
    simt::warp_barrier();
    std::uint64_t groups = 0; // four bits a row
    for (std::uint32_t row = 0, p = lane; p + 1 < size; ++row, p += simt::warp_size)
      groups |= std::uint64_t{alike_behind(order, low, p, size, image_of, word_of)} << 4 * row;
    simt::warp_barrier();
    for (std::uint32_t first = low + lane; groups != 0; groups >>= 4, first += simt::warp_size)
      insert(order, first, first + std::uint32_t(groups & 15), image_of);
  }
  /// How many keys after the one at p share its word, where it is the first of them; 0 where it is not.
  template <class ImageOf, class WordOf>
  static SORTILE_DEVICE std::uint32_t alike_behind(const simt::shared_view<std::uint16_t>& order, std::uint32_t low,
                                                   std::uint32_t p, std::uint32_t size, ImageOf image_of,
                                                   WordOf word_of) {
    const auto word_at = [&](std::uint32_t k) { return word_of(image_of(order.load(low + k))); };
    const std::uint32_t word = word_at(p);
    if (p != 0 && word_at(p - 1) == word)
      return 0;
    std::uint32_t end = p + 1;
    while (end < size && word_at(end) == word)
      ++end;
    return end - p - 1;
  }
  /// Orders the keys at first … last. By one thread.
  template <class ImageOf>
  static SORTILE_DEVICE void insert(const simt::shared_view<std::uint16_t>& order, std::uint32_t first,
                                    std::uint32_t last, ImageOf image_of) {
    for (std::uint32_t k = first + 1; k <= last; ++k) {
      const std::uint16_t mine = order.load(k);
      const Word image = image_of(mine);
      std::uint32_t to = k;
      for (; to > first && image < image_of(order.load(to - 1)); --to)
        order[to] = order.load(to - 1);
      order[to] = mine;
    }
  }
  template <int Rows, class ImageOf>
  static SORTILE_DEVICE bool in_order(const std::uint16_t (&at)[Rows], std::uint32_t size, ImageOf image_of) {
    Word before = simt::shuffle_up(image_of(at[Rows - 1]), 1);
    bool falls = false;
    SORTILE_UNROLL
    for (int j = 0; j < Rows; ++j) {
      const std::uint32_t p = simt::lane_index() * unsigned(Rows) + unsigned(j);
      const Word image = image_of(at[j]);
      falls |= p != 0 && p < size && image < before;
      before = image;
    }
    return simt::ballot(falls) == 0;
  }
  template <int Rows, class ImageOf>
  static SORTILE_DEVICE void rank_rows(const simt::shared_view<std::uint16_t>& order, std::uint32_t low,
                                       std::uint32_t size, ImageOf image_of) {
    Word images[Rows];
    std::uint16_t at[Rows];
    std::uint32_t before[Rows];
    SORTILE_UNROLL
    for (int j = 0; j < Rows; ++j) {
      const std::uint32_t p = unsigned(j) * simt::warp_size + simt::lane_index();
      at[j] = order.load(low + (p < size ? p : 0));
      images[j] = image_of(at[j]);
      before[j] = 0;
    }
    for (std::uint32_t k = 0; k < size; ++k) {
      const Word other = image_of(order.load(low + k));
      SORTILE_UNROLL
      for (int j = 0; j < Rows; ++j) {
        const bool earlier = k < unsigned(j) * simt::warp_size + simt::lane_index();
        before[j] += other < images[j] || (earlier && other == images[j]) ? 1 : 0;
      }
    }
    simt::warp_barrier();
    SORTILE_UNROLL
    for (int j = 0; j < Rows; ++j)
      if (unsigned(j) * simt::warp_size + simt::lane_index() < size)
        order[low + before[j]] = at[j];
  }
};

} // namespace sortile::primitives::inline SORTILE_BACKEND
