// Draws the map by distribution (key_map.hpp), where the first sample has said that the keys are skewed in their
// interval (window_kernel.hpp). One launch, which returns at once where nobody wants a map:
//
//   all blocks      count 2^18 or 2^20 keys, each from a stretch of its own, by cell about a center that 64 keys tell,
//                   the same in every block
//   the last block  draws: base and height of each cell from the counts; then it judges whether the map is any good
//
// A launch of its own. As the first part of the scan it makes every scan 4 µs longer; a cluster of eight blocks that
// chooses the interval and draws takes 25 µs longer, since so few multiprocessors wait for so many scattered keys.
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
#include "kernels/key_scan/key_findings.hpp"
#include "kernels/key_scan/key_map.hpp"
#include "kernels/key_scan/map_center.hpp"
#include "kernels/key_scan/skew_sample.hpp"
#include "kernels/last_block.hpp"
#include "kernels/verdict.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Image = integer_image<Word>>
struct key_map_kernel {
  using map = key_map<Word>;
  using sample = skew_sample<8192, 12>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024, in_flight = 4, part = block_threads * in_flight;
  static constexpr unsigned each = sample::samples / block_threads, owned = map::cells / block_threads;
  static constexpr unsigned words_a_key = sizeof(Word) / 4; // their bits stand behind the counts of cells
  using heavy = heavy_samples<Word, sample::samples, 1u << sample::most_bits, block_threads>;
  struct shared {
    simt::shared_array<std::uint32_t, map::cells> cells;
    simt::shared_array<std::uint32_t, words_a_key> differ; // bits in which images differ from the center, lowest first
    typename map_center<Word>::storage center;
    simt::shared_value<std::uint32_t> last;
    alignas(16) simt::shared_array<std::uint32_t, map::words> words;
    primitives::block_scan_storage<std::uint32_t, block_threads> scan;
    typename sample::counters count;
    typename heavy::storage heavy_values;
  };

  simt::global<const Word> in;
  simt::global<const key_window<Word>> window;
  simt::global<std::uint32_t> cells; // their counts: zero before
  simt::global<std::uint32_t> words; // of the map
  simt::global<std::uint64_t> findings;
  verdict told;
  Image image;
  sample limits;
  std::uint32_t n;
  unsigned sample_bits; // of the map's sample, log2

  /// Blocks that have a part of the sample each, as far as so many can run.
  static unsigned blocks(unsigned sample_bits, unsigned most) {
    return std::clamp((1u << sample_bits) / part, 1u, most);
  }

  SORTILE_DEVICE void operator()(shared& s) const {
    if (window.load(0).by_distribution == 0)
      return;
    const Word center = find_center(s);
    count_cells(s, center);
    if (!comes_last(findings, finding_sampled, std::uint64_t{simt::grid_size()}, s.last))
      return;
    if (simt::thread_index() == 0)
      store_center(words, center);
    draw(s);
    simt::block_barrier();
    if (!skewed(s, mapped_keys<Word, Image>(image, center, s.words.view())) || simt::thread_index() != 0)
      return;
    findings[finding_skewed] = skewed_by_sample;
    told.give_away_by_digits(digits_that_differ<Word>(cells, map::cells), // of the map's samples
                             verdict::many_values);
  }

 private:
  /// Clears the counters too. Ends with a barrier.
  SORTILE_DEVICE Word find_center(shared& s) const {
    const unsigned t = simt::thread_index();
    if (t < words_a_key)
      s.differ[t] = 0;
    if (t < map_center<Word>::samples)
      s.center.sample[t] = image.image(in.load(drawn_place(t, map_center<Word>::samples, n)));
    for (unsigned c = t; c < map::cells; c += block_threads)
      s.cells[c] = 0;
    simt::block_barrier();
    return map_center<Word>::find(s.center);
  }
  SORTILE_DEVICE void count_cells(shared& s, Word center) const {
    const unsigned t = simt::thread_index();
    const std::uint32_t samples = 1u << sample_bits;
    Word differ = 0;
    for (std::uint32_t first = simt::block_index() * part + t; first < samples; first += simt::grid_size() * part) {
      Word v[in_flight] = {};
      SORTILE_UNROLL
      for (unsigned j = 0; j < in_flight; ++j)
        if (first + j * block_threads < samples)
          v[j] = image.image(in.load(drawn_place(first + j * block_threads, samples, n)));
      SORTILE_UNROLL
      for (unsigned j = 0; j < in_flight; ++j)
        if (first + j * block_threads < samples) {
          s.cells.fetch_add(map::of(v[j], center).cell, 1u, simt::relaxed, simt::block_scope);
          differ |= v[j] ^ center;
        }
    }
    gather_differing_bits(s.differ, differ);
    simt::block_barrier();
    if (t < words_a_key)
      cells.fetch_or(map::cells + t, s.differ.load(t));
    for (unsigned c = t; c < map::cells; c += block_threads)
      if (const std::uint32_t here = s.cells.load(c); here != 0)
        cells.fetch_add(c, here);
  }
  SORTILE_DEVICE void draw(shared& s) const {
    const std::uint32_t from = simt::thread_index() * owned;
    std::uint32_t counted[owned], sum = 0;
    SORTILE_UNROLL
    for (unsigned j = 0; j < owned; ++j) {
      counted[j] = cells.load(from + j);
      sum += counted[j];
    }
    std::uint32_t at = primitives::block_exclusive_scan(s.scan, sum, primitives::plus{}, 0u).before;
    SORTILE_UNROLL
    for (unsigned j = 0; j < owned; ++j) {
      const auto cell = map::drawn(from + j, at, counted[j], sample_bits);
      simt::store_vector<2>(s.words, 2 * (from + j), cell);
      simt::store_vector<2>(words, 2 * (from + j), cell);
      at += counted[j];
    }
  }
  SORTILE_DEVICE bool skewed(shared& s, const mapped_keys<Word, Image>& places) const {
    constexpr unsigned place_bits = key_window<Word>::spread_bits;
    Word keys[each];
    std::uint32_t at[each], bins[each];
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j)
      keys[j] = in.load(drawn_place(j * block_threads + simt::thread_index(), sample::samples, n));
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j) {
      at[j] = places.digit(keys[j], 0, ~0u);
      bins[j] = at[j] >> (place_bits - limits.bits);
    }
    limits.template count_bins<block_threads>(s.count.view(), bins, [](std::uint32_t bin) { return bin; });
    std::uint32_t own = 0; // samples of frequent values, a bit each
    const auto others_skewed = [&] {
      return limits.template skewed<block_threads>(s.count.view()) ||
             limits.template share_buckets<block_threads>(
                 s.heavy_values.chosen.view(), at,
                 [this](std::uint32_t y) { return y >> (place_bits - limits.bucket_bits); }, own);
    };
    if constexpr (map::parts_heavy) {
      constexpr int most_values = 3; // of a bin
      SORTILE_NO_UNROLL
      for (int taken = 0; taken < most_values && others_skewed(); ++taken) {
        heavy::find_alike(s.heavy_values, keys, bins, own);
        if (taken == 0 && heavy::thin_out(s.heavy_values, keys, bins))
          return true;
        heavy::take_one_a_bin(s.heavy_values, s.count.view(), keys, bins, own);
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
