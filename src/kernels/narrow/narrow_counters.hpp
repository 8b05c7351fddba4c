// A block's counters of all the values that a narrow key can have, in shared storage, by the keys' raw bits.
//
// 8 bits. 256 counters of 32 bits in 16 copies beside each other, the copy by the lane: equal keys of a warp meet in
// pairs, and copies never share a bank. The addition of 1 without a result joins equal addresses of a warp by itself.
//
// 16 bits. 65,536 counters of 16 bits, two a word, 128 KB:
//
//   packed[w]   | count of value w + 32768 | count of value w |       neighbouring values lie in different banks
//
// A key adds 1 to its half and gets the word's old value. Whoever takes a half from below 2^15 to 2^15 or more takes
// 2^15 away again and counts a spill in global memory. Others may add meanwhile, but the half cannot overflow: between
// two block barriers the block adds at most 2^15 keys (counting_rows · its threads · 8, `meets`), each spill is taken
// away before the barrier, and so a half starts an interval below 2^15 and stays below 2^16 throughout it; nor is there
// more than one spill of a half an interval.
//
//   keys of a value = what its counters hold at the end + 2^15 · spills
//
// Skew. Additions to one word are done one after the other: a row takes 3.3 clocks of a multiprocessor for random
// words, 29 where all lanes meet. So now and then (a match takes 54 clocks) a warp matches 32 of its keys. Where a
// value occurs four times, it and the second most frequent one are counted in registers and added once for four rows.
// Of the other keys, an element of a row that is the same in all lanes (sorted keys, data with a period) takes one
// addition, too. That takes more instructions per key, so it is done only where the match has shown skew.
#pragma once

#include "kernels/narrow/narrow_vector.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

inline constexpr unsigned counting_rows = 4; ///< of 32 vectors, that a warp has in registers

template <class Word>
struct narrow_counters;

template <>
struct narrow_counters<std::uint8_t> {
  static constexpr unsigned block_threads = 512, min_blocks = 3, values = 256, copies = 16;
  static constexpr bool meets = false; // no spills, and no barriers between rows
  using Word = std::uint8_t;

  simt::shared_array<std::uint32_t, values * copies> counts; // [values][copies]

  template <unsigned Threads>
  SORTILE_DEVICE void clear() {
    for (unsigned i = simt::thread_index(); i < values * copies; i += Threads)
      counts[i] = 0;
  }
  struct frequent_key {};
  static SORTILE_DEVICE frequent_key find_frequent(const narrow_vector<Word>&) { return {}; }
  template <class Spill>
  SORTILE_DEVICE void add_row(const narrow_vector<Word>& x, frequent_key&, Spill spill) {
    SORTILE_UNROLL
    for (int e = 0; e < 16; ++e)
      add_key(x[e], spill);
  }
  template <class Spill>
  SORTILE_DEVICE void add_frequent(frequent_key&, Spill) {}
  template <class Spill>
  SORTILE_DEVICE void add_key(Word key, Spill) {
    counts.fetch_add(key * copies + simt::lane_index() % copies, 1u, simt::relaxed, simt::block_scope);
  }
  SORTILE_DEVICE std::uint64_t of(Word value) const {
    std::uint64_t sum = 0;
    SORTILE_UNROLL
    for (unsigned c = 0; c < copies; ++c)
      sum += counts.load(value * copies + c);
    return sum;
  }
  /// f(value, count) for all values that occur, by the block; beginning elsewhere for each `turn`.
  template <unsigned Threads, class F>
  SORTILE_DEVICE void each(unsigned, F f) const {
    for (unsigned v = simt::thread_index(); v < values; v += Threads)
      if (const std::uint64_t count = of(Word(v)); count != 0)
        f(Word(v), count);
  }
};

template <>
struct narrow_counters<std::uint16_t> {
  static constexpr unsigned block_threads = 1024, min_blocks = 1, values = 65536, words = values / 2;
  static constexpr bool meets = true; // at a barrier, after each counting_rows rows a warp
  static constexpr std::uint32_t limit = 1u << 15;
  static_assert(block_threads * counting_rows * 8 <= limit);
  using Word = std::uint16_t;

  alignas(16) simt::shared_array<std::uint32_t, words> packed;

  /// Those of the values below `used`, a multiple of four, at least.
  template <unsigned Threads>
  SORTILE_DEVICE void clear(std::uint32_t used = values) {
    for (unsigned i = simt::thread_index(); i < (used < words ? used : words) / 4; i += Threads)
      simt::store_vector<4>(packed, 4 * i, simt::vec<std::uint32_t, 4>{});
  }
  /// Two values that come often, and how often they have come in this lane.
  struct frequent_key {
    bool present;
    Word first, second;
    std::uint32_t firsts, seconds;
  };
  /// What many of 32 keys of a row are: lane l shows its element l mod 8. By whole warps, as the next two.
  static SORTILE_DEVICE frequent_key find_frequent(const narrow_vector<Word>& x) {
    constexpr unsigned many = 4;
    const unsigned lane = simt::lane_index();
    const Word mine = x.at(lane % 8);
    const unsigned alike = simt::popcount(simt::match_any(std::uint32_t{mine}));
    const std::uint32_t best = simt::warp_reduce_max(alike * simt::warp_size + lane);
    if (best / simt::warp_size < many)
      return {};
    const Word first = simt::shuffle(mine, best % simt::warp_size);
    const std::uint32_t next = simt::warp_reduce_max(mine == first ? 0 : alike * simt::warp_size + lane);
    return {true, first, next == 0 ? first : simt::shuffle(mine, next % simt::warp_size), 0, 0};
  }
  /// spill(value): 2^15 keys of the value are counted elsewhere.
  template <class Spill>
  SORTILE_DEVICE void add_row(const narrow_vector<Word>& x, frequent_key& c, Spill spill) {
    if (!c.present) {
      SORTILE_UNROLL
      for (int e = 0; e < 8; ++e)
        add(x[e], 1, spill);
      return;
    }
    SORTILE_UNROLL
    for (int e = 0; e < 8; ++e) {
      const bool first = x[e] == c.first, second = !first && x[e] == c.second;
      c.firsts += first ? 1u : 0u;
      c.seconds += second ? 1u : 0u;
      const bool uniform = simt::warp_all(x[e] == simt::shuffle(x[e], 0));
      if (!first && !second && (!uniform || simt::lane_index() == 0))
        add(x[e], uniform ? simt::warp_size : 1, spill);
    }
  }
  /// What has come of a frequent key, before the next barrier.
  template <class Spill>
  SORTILE_DEVICE void add_frequent(frequent_key& c, Spill spill) {
    if (!c.present)
      return;
    const std::uint32_t firsts = simt::warp_reduce_add(c.firsts), seconds = simt::warp_reduce_add(c.seconds);
    if (simt::lane_index() < 2 && (simt::lane_index() == 0 ? firsts : seconds) != 0)
      add(simt::lane_index() == 0 ? c.first : c.second, simt::lane_index() == 0 ? firsts : seconds, spill);
    c.firsts = c.seconds = 0;
  }
  template <class Spill>
  SORTILE_DEVICE void add_key(Word key, Spill spill) {
    add(key, 1, spill);
  }
  SORTILE_DEVICE std::uint32_t of(Word value) const { return packed.load(place(value)) >> half(value) & 0xffff; }
  /// Of four neighbouring values, the first of which is a multiple of four.
  SORTILE_DEVICE simt::vec<std::uint32_t, 4> of_four(std::uint32_t value) const {
    auto four = simt::load_vector<4>(packed, value % words);
    SORTILE_UNROLL
    for (int j = 0; j < 4; ++j)
      four[j] = four[j] >> half(Word(value)) & 0xffff;
    return four;
  }
  template <unsigned Threads, class F>
  SORTILE_DEVICE void each(unsigned turn, F f) const {
    constexpr unsigned rounds = words / Threads;
    for (unsigned i = 0; i < rounds; ++i) {
      const unsigned w = (i + turn) % rounds * Threads + simt::thread_index();
      const std::uint32_t both = packed.load(place(Word(w)));
      if ((both & 0xffff) != 0)
        f(Word(w), both & 0xffff);
      if (both >> 16 != 0)
        f(Word(w + words), both >> 16);
    }
  }

 private:
  static SORTILE_DEVICE unsigned place(Word value) { return value % words; }
  static SORTILE_DEVICE unsigned half(Word value) { return value / words * 16; }

  template <class Spill>
  SORTILE_DEVICE void add(Word key, std::uint32_t keys, Spill spill) {
    const unsigned at = place(key), shift = half(key);
    const std::uint32_t old = packed.fetch_add(at, keys << shift, simt::relaxed, simt::block_scope) >> shift & 0xffff;
    if (old < limit && old + keys >= limit) {
      packed.fetch_add(at, 0u - (limit << shift), simt::relaxed, simt::block_scope);
      spill(key);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
