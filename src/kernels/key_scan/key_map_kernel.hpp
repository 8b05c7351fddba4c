// Draws the map by distribution (key_map.hpp), where the first sample has said that the keys are skewed in their
// interval. Two launches, which return at once where nobody wants a map:
//
//   count_cells_kernel   all blocks: 2^18 or 2^20 keys, each from a stretch of its own, counted by cell about a center
//                        that 64 keys tell, the same in every block
//   key_map_kernel       one block: base and height of each cell from the counts; then whether the map is any good
//
// How exact. Normal and lognormal keys lie in one or two hundred cells that matter, so 2^18 samples say to some 3 %
// what one holds. A local step takes 1.25 times its share. Within a cell the density changes: of normal keys by 13 % at
// most from its middle, up to twice the deviation from the center.
//
// The second question. Samples that no cell was counted from are put to the buckets that the map gives, and judged as
// the first ones were (skew_sample.hpp), and also by how many share a bucket, which shows clusters. Where they are
// skewed still, the fallback gets the keys. So a map that cannot work costs some 20 µs, and no reading of all keys.
// Frequent values are taken out before (heavy_samples.hpp), and how many samples have them is noted: the tables allow
// as many keys in buckets that are too large for the local step. Where frequencies thin out, as Zipf's do, the fallback
// gets the keys: buckets of a few values each are slow in the local step.
#pragma once

#include "kernels/key_scan/differing_digits.hpp"
#include "kernels/key_scan/drawn_place.hpp"
#include "kernels/key_scan/heavy_samples.hpp"
#include "kernels/key_scan/key_map.hpp"
#include "kernels/key_scan/map_center.hpp"
#include "kernels/key_scan/skew_sample.hpp"
#include "kernels/verdict.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Of the map's own sample, log2.
SORTILE_HOST_DEVICE unsigned map_sample_bits(std::uint64_t n) {
  return n >= std::uint64_t{1} << 26 ? 20 : 18;
}

template <class Word, class Image = integer_image<Word>>
struct count_cells_kernel {
  using map = key_map<Word>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024, in_flight = 2;
  static constexpr unsigned parts = sizeof(Word) / 4; // their bits stand behind the counts of cells
  struct shared {
    simt::shared_array<std::uint32_t, map::cells> count;
    typename map_center<Word>::storage center;
    simt::shared_array<std::uint32_t, parts> differ; // bits in which images differ from the center, lowest word first
  };

  simt::global<const Word> in;
  simt::global<const key_window<Word>> window;
  simt::global<std::uint32_t> count; // of cells: zero before
  simt::global<std::uint32_t> words; // of the map, whose center is written here
  Image image;
  std::uint32_t n;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (window.load(0).by_distribution == 0)
      return;
    const unsigned t = simt::thread_index();
    if (t < parts)
      s.differ[t] = 0;
    if (t < map_center<Word>::samples)
      s.center.sample[t] = image.image(in.load(drawn_place(t, map_center<Word>::samples, n)));
    for (unsigned c = t; c < map::cells; c += block_threads)
      s.count[c] = 0;
    simt::block_barrier();
    const Word middle = map_center<Word>::find(s.center);
    if (simt::block_index() == 0 && t == 0)
      store_center(words, middle);
    const std::uint32_t samples = 1u << map_sample_bits(n), stride = simt::grid_size() * block_threads;
    Word differ = 0;
    for (std::uint32_t i = simt::block_index() * block_threads + t; i < samples; i += in_flight * stride) {
      Word v[in_flight] = {};
      SORTILE_UNROLL
      for (unsigned j = 0; j < in_flight; ++j)
        if (i + j * stride < samples)
          v[j] = image.image(in.load(drawn_place(i + j * stride, samples, n)));
      SORTILE_UNROLL
      for (unsigned j = 0; j < in_flight; ++j)
        if (i + j * stride < samples) {
          s.count.fetch_add(map::of(v[j], middle).cell, 1u, simt::relaxed, simt::block_scope);
          differ |= v[j] ^ middle;
        }
    }
    gather_differing_bits(s.differ, differ);
    simt::block_barrier();
    if (t < parts)
      count.fetch_or(map::cells + t, s.differ.load(t));
    for (unsigned c = t; c < map::cells; c += block_threads)
      if (const std::uint32_t here = s.count.load(c); here != 0)
        count.fetch_add(c, here);
  }
};

template <class Word, class Image = integer_image<Word>>
struct key_map_kernel {
  using map = key_map<Word>;
  using sample = skew_sample<8192, 12>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024;
  static constexpr unsigned each = sample::samples / block_threads, owned = map::cells / block_threads;
  using scan_storage = primitives::block_scan_storage<std::uint32_t, block_threads>;
  using heavy = heavy_samples<Word, sample::samples, 1u << sample::most_bits, block_threads>;
  struct shared {
    simt::shared_array<std::uint32_t, map::words> words;
    scan_storage scan;
    typename sample::counters count;
    typename heavy::storage heavy_values;
  };

  simt::global<const Word> in;
  simt::global<const key_window<Word>> window;
  simt::global<const std::uint32_t> count;
  simt::global<std::uint32_t> words; // of the map
  simt::global<std::uint64_t> findings;
  verdict told;
  Image image;
  sample limits;
  std::uint32_t n;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (window.load(0).by_distribution == 0)
      return;
    draw(s);
    simt::block_barrier();
    if (!skewed(s) || simt::thread_index() != 0)
      return;
    findings[finding_skewed] = skewed_by_sample;
    told.give_away_by_digits(digits_that_differ<Word>(count, map::cells), // of the map's samples
                             verdict::many_values);
  }

 private:
  SORTILE_DEVICE void draw(shared& s) const {
    const std::uint32_t first = simt::thread_index() * owned;
    std::uint32_t counted[owned], sum = 0;
    SORTILE_UNROLL
    for (unsigned j = 0; j < owned; ++j) {
      counted[j] = count.load(first + j);
      sum += counted[j];
    }
    std::uint32_t at = primitives::block_exclusive_scan(s.scan, sum, primitives::plus{}, 0u).before;
    SORTILE_UNROLL
    for (unsigned j = 0; j < owned; ++j) {
      const auto cell = map::drawn(first + j, at, counted[j], map_sample_bits(n));
      simt::store_vector<2>(s.words, 2 * (first + j), cell);
      simt::store_vector<2>(words, 2 * (first + j), cell);
      at += counted[j];
    }
  }
  SORTILE_DEVICE bool skewed(shared& s) const {
    const mapped_keys<Word, Image> places(image, center_of<Word>(words), s.words.view());
    Word keys[each];
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j)
      keys[j] = in.load(drawn_place(j * block_threads + simt::thread_index(), sample::samples, n));
    const auto bits_of_place = [&places](unsigned bits) {
      return [&places, bits](Word key) {
        return places.digit(key, key_window<Word>::spread_bits - bits, (1u << bits) - 1);
      };
    };
    const auto bin_of = bits_of_place(limits.bits);
    limits.template count_bins<block_threads>(s.count.view(), keys, bin_of);
    std::uint32_t own = 0; // samples of frequent values, a bit each
    const auto others_skewed = [&] {
      return limits.template skewed<block_threads>(s.count.view()) ||
             limits.template share_buckets<block_threads>(s.heavy_values.chosen.view(), keys,
                                                          bits_of_place(limits.bucket_bits), own);
    };
    if constexpr (map::parts_heavy) {
      constexpr int most_values = 3; // of a bin
      SORTILE_NO_UNROLL
      for (int taken = 0; taken < most_values && others_skewed(); ++taken) {
        heavy::find_alike(s.heavy_values, keys, bin_of, own);
        if (taken == 0 && heavy::thin_out(s.heavy_values, keys, bin_of))
          return true;
        heavy::take_one_a_bin(s.heavy_values, s.count.view(), keys, bin_of, own);
      }
    }
    if (others_skewed())
      return true;
    note(s, own);
    return false;
  }
  SORTILE_DEVICE void note(shared& s, std::uint32_t own) const {
    const auto all =
        primitives::block_reduce(s.heavy_values.sum, std::uint32_t(simt::popcount(own)), primitives::plus{});
    if (simt::thread_index() == 0)
      findings[finding_heavy] = all;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
