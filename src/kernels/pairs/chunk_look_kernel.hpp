// The scan of the sort of pairs: how many keys of each digit every chunk of the input holds, and whether all keys are
// sorted, or descending, in a single read.
//
// Chunk c of the input is counted by block c, and moved by block c of the first partition. The digit is joint: the top
// bits that both partitions together divide by, up to 16. So where chunk c's pairs of each digit go is known before any
// pair moves:
//
//   place of chunk c's first pair of digit d  =  pairs of smaller digits  +  pairs of digit d in chunks before c
//
//   fine[c][d]     counts of the joint digit
//   coarse[c][s]   the same, of the first partition's digit s = d / fine bins
//   order[c]       what neighbours do, to the first key of the next chunk (look/key_order.hpp); equal ones rise
//
// Counters are 16 bits wide, two a word, 128 KB for 65,536 digits:
//
//   packed[w]   | count of digit 2w + 1 | count of digit 2w |
//
// A key adds 1 to its half and gets the word's old value. Whoever moves its half from below 2^15 to 2^15 or more takes
// 2^15 away again and puts them to the counter in memory; others may add meanwhile. The half overflows only if they add
// another 2^15 between those two instructions of one thread, and then the keys no longer add up to n: the next step
// checks that sum and traps, so a wrong count cannot pass for a right one. A warp whose row of vectors has one digit
// throughout counts it with one addition.
//
// The digit is that of y, by which keys are spread over buckets (key_spread.hpp). Each block takes the same sample
// before it counts, and so comes to the same y without an earlier launch and without waiting (spread_sample.hpp). Block
// 0 writes it for later launches. Where the caller has a fallback and there are many pairs, the sample also tells
// whether the keys are skewed. Then block 0 gives them away, and neither this nor any later step does anything. 2048
// samples do as well as 8192: buckets have so little room to spare that the counts have to find mild skew anyway.
//
// Traffic: sizeof(key) bytes per key, and 4 bytes per counter.
#pragma once

#include "kernels/pairs/spread_sample.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Image>
struct chunk_look_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024, min_blocks = 1;
  static constexpr unsigned most_bins = 65536, most_coarse = 256, in_flight = sizeof(Word) == 4 ? 3 : 2;
  static constexpr int vector = int(16 / sizeof(Word));
  using keys_vector = simt::vec<Word, vector>;
  using spread_finder = spread_sample<Word, Image, block_threads>;
  using spread = typename spread_finder::spread;

  struct shared {
    simt::shared_array<std::uint32_t, most_bins / 2> packed;
    simt::shared_array<std::uint32_t, most_coarse> coarse;
    typename spread_finder::storage sample;
  };

  simt::global<const Word> in; // aligned to 16 bytes
  simt::global<std::uint32_t> fine, coarse, order, start;
  pairs_gate gate; // set open for the next steps
  Image image;
  simt::global<spread> found; // by block 0
  typename spread_finder::sample crowds;
  std::uint32_t n, chunk; // chunk: keys, a multiple of the vector
  std::uint32_t bins, fine_bins;
  unsigned shift;       // of the digit in y
  std::uint32_t fewest; // values (spread_sample.hpp)
  bool two_levels;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    const spread_finder finder{in, image, crowds, n, fewest};
    Word samples[spread_finder::each];
    finder.load(samples);
    for (unsigned w = t; w < bins / 2; w += block_threads)
      s.packed[w] = 0;
    if (t < most_coarse)
      s.coarse[t] = 0;
    const auto sampled = finder.find(s.sample, samples);
    if (simt::block_index() == 0 && t == 0)
      begin(sampled);
    if (sampled.crowded)
      return clear_starts();
    for (unsigned d = t; d < bins; d += block_threads)
      row()[d] = 0;
    simt::block_barrier();
    neighbours seen;
    see_chunk(s, {image, sampled.keys, shift, bins - 1}, seen);
    const std::uint32_t all = order_of_block(seen.fall, seen.rise);
    if (t == 0)
      order[simt::block_index()] = all;
    publish(s);
  }

 private:
  /// What later steps find before they add to it.
  SORTILE_DEVICE void begin(const typename spread_finder::result& sampled) const {
    found[0] = sampled.keys;
    gate.told.take();
    if (sampled.crowded)
      gate.told.give_away();
    gate.findings[pair_order] = seen_neither;
    gate.findings[pair_left] = 0;
    gate.findings[pair_crowded] = sampled.crowded ? 1 : 0;
  }

  /// The local step asks for its bucket before it knows that there is nothing to do.
  SORTILE_DEVICE void clear_starts() const {
    const std::uint32_t first = simt::block_index() * block_threads + simt::thread_index();
    for (std::uint32_t b = first; b <= bins; b += simt::grid_size() * block_threads)
      start[b] = 0;
  }
  /// This chunk's counters in memory.
  SORTILE_DEVICE simt::global<std::uint32_t> row() const {
    return fine.subview(std::uint64_t{simt::block_index()} * bins, bins);
  }

  /// `seen` is the same in all lanes until the warp's whole rows end.
  SORTILE_DEVICE void see_chunk(shared& s, const digits_of<Word, Image>& digit, neighbours& seen) const {
    const std::uint64_t first = std::uint64_t{simt::block_index()} * chunk;
    if (first >= n)
      return;
    const std::uint32_t begin = std::uint32_t(first), keys = n - begin < chunk ? n - begin : chunk;
    const std::uint32_t vectors = keys / unsigned(vector);
    std::uint32_t i = simt::thread_index();
    for (; (i | 31) + (in_flight - 1) * block_threads < vectors; i += in_flight * block_threads) { // whole warps
      keys_vector x[in_flight];
      SORTILE_UNROLL
      for (unsigned j = 0; j < in_flight; ++j)
        x[j] = simt::load_vector<vector>(in, begin + (i + j * block_threads) * unsigned(vector));
      SORTILE_UNROLL
      for (unsigned j = 0; j < in_flight; ++j) {
        watch().see_row(x[j], key_at(begin + (i + j * block_threads + 1) * unsigned(vector)), seen);
        count_warp(s, digit, x[j]);
      }
    }
    for (; i < vectors; i += block_threads) {
      const keys_vector x = simt::load_vector<vector>(in, begin + i * unsigned(vector));
      watch().see(x, key_at(begin + (i + 1) * unsigned(vector)), seen);
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e)
        add(s, digit(x[e]), 1);
    }
    const std::uint32_t at = begin + vectors * unsigned(vector) + simt::thread_index(); // behind the last whole vector
    if (at < begin + keys) {
      const Word key = in.load(at);
      watch().see(simt::vec<Word, 1>{{key}}, key_at(at + 1), seen);
      add(s, digit(key), 1);
    }
  }

  /// For `watch`: the key at `at`, if there is one.
  SORTILE_DEVICE auto key_at(std::uint32_t at) const {
    return [this, at](Word& key) {
      if (at >= n)
        return false;
      key = in.load(at);
      return true;
    };
  }
  SORTILE_DEVICE order_watch<Image> watch() const { return {image, true}; }

  SORTILE_DEVICE void count_warp(shared& s, const digits_of<Word, Image>& digit, const keys_vector& x) const {
    const std::uint32_t first = digit(x[0]);
    std::uint32_t digits[vector], differs = first ^ simt::shuffle(first, 0);
    SORTILE_UNROLL
    for (int e = 0; e < vector; ++e) {
      digits[e] = digit(x[e]);
      differs |= first ^ digits[e];
    }
    if (simt::warp_all(differs == 0)) {
      if (simt::lane_index() == 0)
        add(s, first, simt::warp_size * unsigned(vector));
    } else {
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e)
        add(s, digits[e], 1);
    }
  }
  SORTILE_DEVICE void add(shared& s, std::uint32_t digit, std::uint32_t keys) const {
    constexpr std::uint32_t limit = 1u << 15;
    const unsigned half = (digit & 1) * 16;
    const std::uint32_t old =
        s.packed.fetch_add(digit / 2, keys << half, simt::relaxed, simt::block_scope) >> half & 0xffff;
    if (old < limit && old + keys >= limit) {
      s.packed.fetch_add(digit / 2, 0u - (limit << half), simt::relaxed, simt::block_scope);
      row().fetch_add(digit, limit);
    }
  }

  /// Counters to memory, on top of what was moved there before.
  SORTILE_DEVICE void publish(shared& s) const {
    const unsigned t = simt::thread_index();
    const auto mine = row();
    for (unsigned first = 0; first < bins / 2; first += block_threads) {
      const unsigned w = first + t;
      std::uint32_t sum = 0;
      if (w < bins / 2) {
        const std::uint32_t both = s.packed[w];
        auto two = simt::load_vector<2>(mine, 2 * w);
        two[0] += both & 0xffff;
        two[1] += both >> 16;
        simt::store_vector<2>(mine, 2 * w, two);
        sum = two[0] + two[1];
      }
      if (two_levels)
        add_coarse(s, 2 * w, sum);
    }
    if (!two_levels)
      return;
    simt::block_barrier();
    const unsigned segments = bins / fine_bins;
    if (t < segments)
      coarse[simt::block_index() * segments + t] = s.coarse.load(t);
  }
  /// A warp sees 64 neighbouring digits: one addition where they are of one coarse digit.
  SORTILE_DEVICE void add_coarse(shared& s, unsigned digit, std::uint32_t keys) const {
    if (fine_bins >= 2 * simt::warp_size) {
      const std::uint32_t sum = simt::warp_reduce_add(keys);
      if (simt::lane_index() == 0 && digit < bins)
        s.coarse.fetch_add(digit / fine_bins, sum, simt::relaxed, simt::block_scope);
    } else if (digit < bins) {
      s.coarse.fetch_add(digit / fine_bins, keys, simt::relaxed, simt::block_scope);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
