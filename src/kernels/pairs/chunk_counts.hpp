// How many keys of each digit a chunk of the input holds: what a block of a scan of pairs counts
// (chunk_scan_kernel.hpp), and in which order the keys lie, in a single read.
//
// Chunk c of the input is counted by block c, and moved by block c of the first partition. The digit is joint: the top
// bits of y that both partitions together divide by, up to 16. So where chunk c's pairs of each digit go is known
// before any pair moves:
//
//   place of chunk c's first pair of digit d  =  pairs of smaller digits  +  pairs of digit d in chunks before c
//
//   fine[c][d]     counts of the joint digit
//   coarse[c][s]   the same, of the first partition's digit s = d / fine bins
//   order[c]       what neighbours do, to the first key of the next chunk (key_scan/key_order.hpp); equal ones rise
//
// Counters lie in shared storage (key_scan/packed_counters.hpp). Neighbours that share a digit are counted together
// (alike_rows.hpp).
//
// Traffic: sizeof(key) bytes per key, and 4 bytes per counter.
#pragma once

#include "kernels/alike_rows.hpp"
#include "kernels/key_scan/key_order.hpp"
#include "kernels/key_scan/packed_counters.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Image>
struct chunk_counts {
  static constexpr unsigned block_threads = 1024;
  static constexpr unsigned most_bins = 65536, most_coarse = 256, in_flight = sizeof(Word) == 4 ? 3 : 2;
  static constexpr int vector = int(16 / sizeof(Word));
  using keys_vector = simt::vec<Word, vector>;

  struct storage {
    alignas(16) simt::shared_array<std::uint32_t, most_bins / 2> packed;
    simt::shared_array<std::uint32_t, most_coarse> coarse;
  };

  simt::global<const Word> in; // aligned to 16 bytes
  simt::global<std::uint32_t> fine, coarse, order, start;
  Image image;
  std::uint32_t n, chunk; // chunk: keys, a multiple of the vector
  std::uint32_t bins, fine_bins;
  unsigned shift; // of the digit in y
  bool two_levels;

  // By all threads of a block.

  /// A barrier has to follow.
  SORTILE_DEVICE void clear(storage& s) const {
    for (unsigned w = simt::thread_index(); w < bins / 2; w += block_threads)
      s.packed[w] = 0;
    if (simt::thread_index() < most_coarse)
      s.coarse[simt::thread_index()] = 0;
  }
  /// After clear(); digit(key) is below `bins`.
  template <class Digit>
  SORTILE_DEVICE void count(storage& s, const Digit& digit) const {
    for (unsigned d = simt::thread_index(); d < bins; d += block_threads)
      row()[d] = 0;
    simt::block_barrier();
    neighbours seen;
    see_chunk(s, digit, seen);
    const std::uint32_t all = order_of_block(seen.fall, seen.rise);
    if (simt::thread_index() == 0)
      order[simt::block_index()] = all;
    publish(s);
  }
  /// Where nothing is counted: the local step asks for its bucket before it knows that there is nothing to do.
  SORTILE_DEVICE void clear_starts() const {
    const std::uint32_t first = simt::block_index() * block_threads + simt::thread_index();
    for (std::uint32_t b = first; b <= bins; b += simt::grid_size() * block_threads)
      start[b] = 0;
  }

 private:
  /// This chunk's counters in memory.
  SORTILE_DEVICE simt::global<std::uint32_t> row() const {
    return fine.subview(std::uint64_t{simt::block_index()} * bins, bins);
  }

  /// `seen` is the same in all lanes until the warp's whole rows end.
  template <class Digit>
  SORTILE_DEVICE void see_chunk(storage& s, const Digit& digit, neighbours& seen) const {
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

  SORTILE_DEVICE auto key_at(std::uint32_t at) const { return key_behind(in, at, n); }
  SORTILE_DEVICE order_watch<Image> watch() const { return {image, true}; }

  template <class Digit>
  SORTILE_DEVICE void count_warp(storage& s, const Digit& digit, const keys_vector& x) const {
    std::uint32_t digits[vector];
    SORTILE_UNROLL
    for (int e = 0; e < vector; ++e)
      digits[e] = digit(x[e]);
    count_row(digits, [&](std::uint32_t d, std::uint32_t keys) { add(s, d, keys); });
  }
  SORTILE_DEVICE void add(storage& s, std::uint32_t digit, std::uint32_t keys) const {
    count_packed(s.packed, digit, keys, [this](std::uint32_t d, std::uint32_t many) { row().fetch_add(d, many); });
  }

  /// Counters to memory, on top of what was moved there before.
  SORTILE_DEVICE void publish(storage& s) const {
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
  SORTILE_DEVICE void add_coarse(storage& s, unsigned digit, std::uint32_t keys) const {
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
