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
// step costs the same for all buckets of one size: equal neighbours are counted together (alike_rows.hpp). The keys
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
  static constexpr int vector = Local::vector, vectors = Local::vectors;
  static constexpr unsigned most_shift = 1; ///< of the bins, that leaves them two values

  // By all threads of the block.

  /// Once the keys have set their bits, and a barrier has passed.
  static SORTILE_DEVICE void sort(shared& s, const bucket& b, const keys_vector (&keys)[vectors], const digits& d,
                                  const simt::global<typename Local::word>& out) {
    const std::uint32_t distinct = bin_words::number(s.bins().view(), s.bins().view(), s.sums.view());
    for (std::uint32_t p = simt::thread_index(); p < counter_at(distinct); p += Local::block_threads)
      s.counters[p] = 0;
    simt::block_barrier();
    count(s, b, keys, d);
    simt::block_barrier();
    mark(s, b.lead, d.shift);
    simt::block_barrier();
    fill(s, b, d, out);
  }

 private:
  using bin_words = typename Local::bin_words;

  /// Where a value's counter stands: a lane's values are neighbours, and so lie in different banks from the next one's.
  static SORTILE_DEVICE std::uint32_t counter_at(std::uint32_t q) { return q + q / simt::warp_size; }
  static SORTILE_DEVICE void count(shared& s, const bucket& b, const keys_vector (&keys)[vectors], const digits& d) {
    Local::each_row(
        b, keys, s.repeats != 0, [&](auto key, int) { return d.value(key); },
        [&](std::uint32_t value, std::uint32_t times) {
          const std::uint32_t q = bin_words::number_of(s.bins().view(), value >> d.shift);
          s.counters.fetch_add(counter_at(q), times << (16 * (value & d.shift)), simt::relaxed, simt::block_scope);
        });
  }

  /// Each thread the values of its own words, whose counters are neighbours.
  static SORTILE_DEVICE void mark(shared& s, std::uint32_t lead, unsigned shift) {
    std::uint32_t x[4 * bin_words::halves], sum[bin_words::halves] = {}, at[bin_words::halves];
    bin_words::each_own(s.bins().view(), [&](int h, int k, std::uint32_t word) { x[4 * h + k] = word; });
    SORTILE_UNROLL
    for (int h = 0; h < bin_words::halves; ++h) {
      const std::uint32_t last = x[4 * h + 3], end = (last >> 16) + simt::popcount(last & 0xffff);
      for (std::uint32_t q = x[4 * h] >> 16; q < end; ++q) {
        const std::uint32_t both = s.counters.load(counter_at(q));
        sum[h] += (both & 0xffff) + (both >> 16);
      }
    }
    bin_words::before_halves(s.sums.view(), sum, at, [] { return false; }); // all words have been loaded
    for (std::uint32_t p = 8 * simt::thread_index(); p < Local::capacity; p += 8 * Local::block_threads)
      simt::store_vector<8>(s.marks, p, simt::vec<std::uint16_t, 8>{});
    simt::block_barrier();
    SORTILE_UNROLL
    for (int i = 0; i < 4 * bin_words::halves; ++i) {
      const int h = i / 4, k = i % 4;
      std::uint32_t q = x[i] >> 16, place = at[h] + lead;
      for (std::uint32_t bits = x[i] & 0xffff; bits != 0; bits &= bits - 1, ++q) {
        const std::uint32_t bin = (bin_words::first_of(h) + unsigned(k)) * 16 + simt::trailing_zeros(bits);
        const std::uint32_t both = s.counters.load(counter_at(q)), low = both & 0xffff, high = both >> 16;
        if (low != 0)
          s.marks[place] = std::uint16_t(bin << shift);
        place += low;
        if (high != 0)
          s.marks[place] = std::uint16_t((bin << shift) + 1);
        place += high;
      }
      at[h] = place - lead;
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
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
