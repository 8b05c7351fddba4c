// The words of bins that a block sorts a bucket by, in both local steps (local_sort_kernel.hpp,
// pairs/local_pairs_kernel.hpp): sixteen bins share a word, one bit per bin, with 16 bits that count.
//
//   counting    | elements that found their bin taken (16 bits) | presence bits of 16 bins |
//   placing     | elements in all words before       (16 bits) | presence bits of 16 bins |
//
// A thread has four neighbouring words, or twice four: of the first half of the words and of the second. So a warp that
// reads its words, 16 bytes per lane, meets no bank conflict, and a word stands where its number says. Sums of the two
// halves travel through the scan together, 16 bits each: a block has fewer than 2^16 elements.
//
// Banks. Clusters of keys that lie a power of two apart have bins in words that lie one apart, too, all in one bank.
// Where keys are known to be clustered, a bin stands elsewhere: in each row of 32 words, groups of four change places
// by the row's number (apart()). Then clusters meet in eight banks at least, and scans still read four words at once.
#pragma once

#include "primitives/warp_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Bits that a number needs.
template <class Word>
SORTILE_DEVICE unsigned bits_of(Word v) {
  if constexpr (sizeof(Word) > 8)
    if (v >> 64 != 0)
      return 128 - simt::leading_zeros(std::uint64_t(v >> 64));
  return 64 - (std::uint64_t(v) == 0 ? 64 : simt::leading_zeros(std::uint64_t(v)));
}

template <unsigned Threads, unsigned Words>
struct bin_words {
  static constexpr unsigned warps = Threads / simt::warp_size;
  static constexpr int halves = int(Words / Threads / 4); ///< one: a thread has four words, two: twice four
  static_assert(Words % (Threads * 4) == 0 && (halves == 1 || halves == 2));

  using words_view = simt::shared_view<std::uint32_t>;

  static SORTILE_DEVICE void clear(const words_view& bins) {
    SORTILE_UNROLL
    for (int h = 0; h < halves; ++h)
      simt::store_vector<4>(bins, first_of(h), simt::vec<std::uint32_t, 4>{});
  }

  /// From counting to placing; `first` elements stand before those of the first word. sums: a word a warp. Nothing is
  /// done, and false returned in all threads, where too_many was not 0. One barrier.
  static SORTILE_DEVICE bool place(const words_view& bins, const words_view& sums,
                                   const simt::shared_value<std::uint32_t>& too_many, std::uint32_t first) {
    const auto all_of = [](std::uint32_t word) { return simt::popcount(word & 0xffff) + (word >> 16); };
    return add_up(bins, bins, sums, first, all_of, [&] { return too_many != 0; }) != stopped;
  }
  /// From bits that are set to the number of those before a word, 16 bits, over its own: numbers of bins that occur.
  /// Returns how many these are. `numbered` may be `bins`. One barrier; another has to pass before numbers are read.
  /// Where bins stand apart(), so do their numbers.
  static SORTILE_DEVICE std::uint32_t number(const words_view& bins, const words_view& numbered, const words_view& sums,
                                             bool are_apart = false) {
    const auto present_of = [](std::uint32_t word) { return std::uint32_t(simt::popcount(word & 0xffff)); };
    return add_up(
        bins, numbered, sums, 0, present_of, [] { return false; }, are_apart ? ~0u : 0u);
  }
  /// Where a bin stands so that clusters do not meet in a bank.
  static SORTILE_DEVICE std::uint32_t apart(std::uint32_t bin) { return apart_word(bin >> 4) << 4 | (bin & 15); }
  /// Of a bin that occurs: how many do below it.
  static SORTILE_DEVICE std::uint32_t number_of(const words_view& numbered, std::uint32_t bin) {
    const std::uint32_t word = numbered.load(bin >> 4);
    return (word >> 16) + simt::popcount(word & ((1u << (bin & 15)) - 1));
  }
  /// What stands behind a word's elements that found their bin free.
  static SORTILE_DEVICE std::uint32_t behind_present(std::uint32_t word) {
    return (word >> 16) + simt::popcount(word & 0xffff);
  }
  /// f(half, k, word) for the thread's own words, four a half.
  template <class F>
  static SORTILE_DEVICE void each_own(const words_view& bins, F f) {
    SORTILE_UNROLL
    for (int h = 0; h < halves; ++h) {
      const auto four = simt::load_vector<4>(bins, first_of(h));
      SORTILE_UNROLL
      for (int k = 0; k < 4; ++k)
        f(h, k, four[k]);
    }
  }
  /// f(begin, end) for the elements of each of the thread's own words that has some whose bin was taken, once each of
  /// these has taken a place behind_present() and moved the word's offset on; `first` stands before all.
  template <class F>
  static SORTILE_DEVICE void each_taken_word(const words_view& bins, std::uint32_t first, F f) {
    each_own(bins, [&](int h, int k, std::uint32_t word) {
      const std::uint32_t w = first_of(h) + unsigned(k), end = behind_present(word);
      const std::uint32_t begin = w == 0 ? first : behind_present(bins.load(w - 1));
      if (end - begin > unsigned(simt::popcount(word & 0xffff)))
        f(begin, end);
    });
  }
  /// The first of the thread's words in a half.
  static SORTILE_DEVICE std::uint32_t first_of(int half) {
    return (unsigned(half) * Threads + simt::thread_index()) * 4;
  }
  /// Where a thread has sum[h] elements in its words of half h: how many are in all words before these. Returns how
  /// many there are in all. stop() is asked after the one barrier; where it says yes, `stopped` is returned and nothing
  /// else. Another barrier has to pass before `sums` are used again.
  static constexpr std::uint32_t stopped = ~0u;
  template <class Stop>
  static SORTILE_DEVICE std::uint32_t before_halves(const words_view& sums, const std::uint32_t (&sum)[halves],
                                                    std::uint32_t (&before)[halves], Stop stop) {
    const unsigned lane = simt::lane_index(), warp = simt::warp_index();
    const std::uint32_t both = halves == 1 ? sum[0] : sum[0] + (sum[halves - 1] << 16);
    const std::uint32_t inclusive = primitives::warp_inclusive_scan(both, primitives::plus{});
    if (lane == simt::warp_size - 1)
      sums.store(warp, inclusive);
    simt::block_barrier();
    if (stop())
      return stopped;
    const std::uint32_t of_warp = lane < warps ? sums.load(lane) : 0, all = simt::warp_reduce_add(of_warp);
    const std::uint32_t packed = simt::warp_reduce_add(lane < warp ? of_warp : 0u) + inclusive - both;
    if constexpr (halves == 1) {
      before[0] = packed;
      return all;
    } else {
      before[0] = packed & 0xffff;
      before[1] = (packed >> 16) + (all & 0xffff);
      return (all & 0xffff) + (all >> 16);
    }
  }

 private:
  /// to[w] = elements in all words before, 16 bits, over the bits of from[w]; elements_of(word) says how many a word
  /// has. Returns how many there are. stop() is asked after the one barrier; where it says yes, nothing is written, and
  /// `stopped` returned. `mix`: all ones where the words stand apart, else 0.
  template <class ElementsOf, class Stop>
  static SORTILE_DEVICE std::uint32_t add_up(const words_view& from, const words_view& to, const words_view& sums,
                                             std::uint32_t first, ElementsOf elements_of, Stop stop,
                                             std::uint32_t mix = 0) {
    std::uint32_t x[4 * halves], sum[halves] = {}, before[halves];
    SORTILE_UNROLL
    for (int h = 0; h < halves; ++h) {
      const auto four = simt::load_vector<4>(from, apart_word(first_of(h), mix));
      SORTILE_UNROLL
      for (int k = 0; k < 4; ++k) {
        x[4 * h + k] = simt::permute_bytes(four[k], sum[h], 0x5410); // bits, and what stands before
        sum[h] += elements_of(four[k]);
      }
    }
    const std::uint32_t all = before_halves(sums, sum, before, stop);
    if (all == stopped)
      return stopped;
    SORTILE_UNROLL
    for (int h = 0; h < halves; ++h) {
      const std::uint32_t add = (before[h] + first) << 16;
      simt::vec<std::uint32_t, 4> four;
      SORTILE_UNROLL
      for (int k = 0; k < 4; ++k)
        four[k] = x[4 * h + k] + add;
      simt::store_vector<4>(to, apart_word(first_of(h), mix), four);
    }
    return all;
  }
  static SORTILE_DEVICE std::uint32_t apart_word(std::uint32_t word, std::uint32_t mix = ~0u) {
    constexpr std::uint32_t group = 4, groups = simt::warp_size / group; // of a row of as many words as banks
    return word ^ ((word / simt::warp_size % groups * group) & mix);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
