// The local step's second way: where bins have no more than two values each, a bucket is sorted by how often each value
// occurs, whatever its keys are.
//
// After marking, a word of bins tells which of its 16 bins occur (local_sort_kernel.hpp). Only these get counters, not
// all that could occur.
//
//   number     bins that occur, in their order: a prefix sum of the words' bits       0 … distinct bins − 1
//   count      each key adds 1 to its bin's counter; a bin's two values share a word, 16 bits each
//   mark       where the keys of a value begin, that place gets the value: each thread those of its own words
//   fill       a place's value is the largest mark up to it, since values rise
//
// Counters take the room of the keys, as there are no more bins than keys, and marks take the room of the bins. Each
// step costs the same for all buckets of one size, except that equal keys of a warp meet in one counter. The keys
// themselves are not moved: they are made from the marks.
#pragma once

#include "kernels/local/bin_words.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Of a local_sort_kernel of 32-bit keys.
template <class Local>
struct distinct_values {
  using shared = typename Local::shared;
  using bucket = typename Local::bucket;
  using keys_vector = typename Local::keys_vector;
  using digits = typename Local::digits;
  static constexpr unsigned warps = Local::warps;
  static constexpr int vector = Local::vector, vectors = Local::vectors, owned = Local::owned;
  static constexpr unsigned most_shift = 1; ///< of the bins, that leaves them two values

  // By all threads of the block.

  /// Once the keys have set their bits, and a barrier has passed.
  static SORTILE_DEVICE void sort(shared& s, const bucket& b, const keys_vector (&keys)[vectors], const digits& d,
                                  const simt::global<typename Local::word>& out) {
    number(s);
    simt::block_barrier();
    count(s, b, keys, d);
    simt::block_barrier();
    mark(s, b.lead, d.shift);
    simt::block_barrier();
    fill(s, b, d, out);
  }

 private:
  /// A word of bins becomes | bins before it that occur | its bits |; counters become zero.
  static SORTILE_DEVICE void number(shared& s) {
    std::uint32_t x[owned], sum = 0;
    load_words(s, x);
    SORTILE_UNROLL
    for (int j = 0; j < owned; ++j) {
      const std::uint32_t bits = x[j] & 0xffff;
      x[j] = sum << 16 | bits;
      sum += simt::popcount(bits);
    }
    const std::uint32_t before = Local::bin_words::before_thread(s.sums.view(), sum) << 16;
    SORTILE_UNROLL
    for (int j = 0; j < owned; j += 4)
      simt::store_vector<4>(
          s.bins(), place(j),
          simt::vec<std::uint32_t, 4>{{x[j] + before, x[j + 1] + before, x[j + 2] + before, x[j + 3] + before}});
    SORTILE_UNROLL
    for (int v = 0; v < vectors; ++v)
      simt::store_vector<vector>(s.keys, Local::place_of(v), keys_vector{});
  }

  static SORTILE_DEVICE void count(shared& s, const bucket& b, const keys_vector (&keys)[vectors], const digits& d) {
    Local::each_key(b, keys, [&](auto key, int) {
      const std::uint32_t value = d.value(key), bin = value >> d.shift;
      const std::uint32_t q = Local::bin_words::number_of(s.bins().view(), bin);
      s.keys.fetch_add(q, 1u << (16 * (value & d.shift)), simt::relaxed, simt::block_scope);
    });
  }

  /// Each thread the values of its own words, whose counters are neighbours.
  static SORTILE_DEVICE void mark(shared& s, std::uint32_t lead, unsigned shift) {
    std::uint32_t x[owned];
    load_words(s, x);
    const std::uint32_t first = x[0] >> 16, end = (x[owned - 1] >> 16) + simt::popcount(x[owned - 1] & 0xffff);
    std::uint32_t sum = 0;
    for (std::uint32_t q = first; q < end; ++q)
      sum += (s.keys.load(q) & 0xffff) + (s.keys.load(q) >> 16);
    std::uint32_t at = Local::bin_words::before_thread(s.sums.view(), sum) + lead; // all words have been loaded
    for (std::uint32_t p = 8 * simt::thread_index(); p < Local::capacity; p += 8 * Local::block_threads)
      simt::store_vector<8>(s.marks, p, simt::vec<std::uint16_t, 8>{});
    simt::block_barrier();
    std::uint32_t q = first;
    SORTILE_UNROLL
    for (int j = 0; j < owned; ++j)
      for (std::uint32_t bits = x[j] & 0xffff; bits != 0; bits &= bits - 1, ++q) {
        const std::uint32_t bin =
            (simt::thread_index() * unsigned(owned) + unsigned(j)) * 16 + simt::trailing_zeros(bits);
        const std::uint32_t both = s.keys.load(q), low = both & 0xffff, high = both >> 16;
        if (low != 0)
          s.marks[at] = std::uint16_t(bin << shift);
        at += low;
        if (high != 0)
          s.marks[at] = std::uint16_t((bin << shift) + 1);
        at += high;
      }
  }

  static SORTILE_DEVICE void fill(shared& s, const bucket& b, const digits& d,
                                  const simt::global<typename Local::word>& out) {
    const unsigned lane = simt::lane_index(), warp = simt::warp_index();
    simt::vec<std::uint16_t, vector> marks[vectors];
    std::uint32_t most[vectors]; // of this lane and those below, in a row
    SORTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      marks[v] = simt::load_vector<vector>(s.marks, Local::place_of(v));
      most[v] = 0;
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e)
        most[v] = marks[v][e] > most[v] ? marks[v][e] : most[v];
      most[v] = primitives::warp_inclusive_scan(most[v], primitives::maximum{});
      if (lane == simt::warp_size - 1)
        s.row_most[unsigned(v) * warps + warp] = most[v];
    }
    simt::block_barrier();
    std::uint32_t rows = 0; // the largest mark of all rows of the vectors before
    SORTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      const std::uint32_t row = lane < warps ? s.row_most.load(unsigned(v) * warps + lane) : 0;
      const std::uint32_t below = simt::warp_reduce_max(lane < warp ? row : 0u);
      const std::uint32_t left = simt::shuffle_up(most[v], 1);
      std::uint32_t running = below > rows ? below : rows;
      running = lane != 0 && left > running ? left : running;
      keys_vector x;
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e) {
        running = marks[v][e] > running ? marks[v][e] : running;
        x[e] = d.key(running);
      }
      Local::store_vector(b, v, x, out);
      const std::uint32_t all = simt::warp_reduce_max(row);
      rows = all > rows ? all : rows;
    }
  }

  /// Neighbouring words, as values are: two of a warp's threads meet in a bank.
  static SORTILE_DEVICE std::uint32_t place(int j) { return simt::thread_index() * unsigned(owned) + unsigned(j); }
  static SORTILE_DEVICE void load_words(shared& s, std::uint32_t (&x)[owned]) {
    SORTILE_UNROLL
    for (int j = 0; j < owned; j += 4) {
      const auto four = simt::load_vector<4>(s.bins(), place(j));
      SORTILE_UNROLL
      for (int k = 0; k < 4; ++k)
        x[j + k] = four[k];
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
