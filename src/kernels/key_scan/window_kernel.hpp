// The first launch of a sort of keys: zeroes the counters, and chooses the interval from a sample.
//
// Block 0 reads 8192 keys (2048 of fewer than 2^26, where every microsecond counts) from all over the input, the first
// and the last among them, and takes their smallest and largest image. If the aligned power of two that holds both is
// hardly larger (as it is for keys that use all bits below some bit), that is the interval. Otherwise 1/256 (of few
// samples 1/128) of the distance is added on both sides. Of keys that are spread evenly over an interval, about one in
// 8192 (2048) lies outside of the sample's interval on either side, and hardly ever one outside of the widened one:
// once in e^16 sorts. The scan tells where that happens. For floats 1/16 is added. Where they are spread evenly from 0
// on, each exponent has half as many as the next one, and keys with lower exponents than the sample's may lie outside.
// A sample spans 13 exponents; 1/16 of them takes in three in seven of those keys, and buckets that are 1/8 fuller
// still fit the local sort.
//
// The same sample tells whether the keys are skewed in that interval (skew_sample.hpp), where the sort has a fallback
// and n is large enough for it to matter. The interval alone tells whether it is dense. In both cases the keys go to
// the fallback at once, and no later launch does anything; but not where the counts, or a copy, could be the result.
// Where buckets are counted, whatever they hold, keys of few values alone go there, and those that differ in three
// digits of 8 bits, or many of which have values that are neither rare nor fill a bucket: passes are quicker. And
// wherever that is an LSD sort, keys whose samples are all equal, which it counts or finds in order. Where a map may
// spread skewed keys by their distribution, it is tried first (key_map_kernel.hpp), and already where buckets would be
// a little too full for the local step; but not where keys have few values, which the LSD sort counts, nor where values
// repeat that a map has no buckets for, nor where their bits are uneven. Floats among which the sample shows a −0 or a
// NaN go to the fallback at once, too (float_image.hpp), sorted or not.
#pragma once

#include "kernels/clear_words.hpp"
#include "kernels/key_scan/key_map.hpp"
#include "kernels/key_scan/key_window.hpp"
#include "kernels/key_scan/skew_sample.hpp"
#include "kernels/verdict.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Image = integer_image<Word>>
struct window_kernel {
  using many = skew_sample<8192, 12>;
  using few = skew_sample<2048, 10, 12>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024;
  using reduction = primitives::block_scan_storage<Word, block_threads>;
  struct shared {
    reduction lowest, highest;
    simt::shared_array<key_window<Word>, 1> window;
    typename many::counters count;
  };

  simt::global<const Word> in;
  simt::global<std::uint64_t> zeroed;
  std::uint64_t zeroed_words;
  simt::global<key_window<Word>> window;
  simt::global<std::uint64_t> findings; // a part of `zeroed`: of what this block zeroes first
  verdict told;
  Image image;
  skew_limits limits;
  std::uint32_t n, bins;
  bool samples_many, may_map; // may_map: skewed keys are spread by their distribution
  bool few_alone;             // buckets are counted, whatever they hold: hardly any keys go to the fallback

  SORTILE_DEVICE void operator()(shared& s) const {
    zero_words(zeroed, zeroed_words);
    if (simt::block_index() != 0)
      return;
    if (samples_many)
      choose<many>(s);
    else
      choose<few>(s);
  }

 private:
  template <class Sample>
  SORTILE_DEVICE void choose(shared& s) const {
    constexpr unsigned each = Sample::samples / block_threads;
    Word x[each], low = Word(~Word{0}), high = 0;
    [[maybe_unused]] bool special = false;
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j) {
      const Word key = in.load(Sample::position(j * block_threads + simt::thread_index(), n));
      if constexpr (Image::of_floats)
        special |= !Image::is_plain(key);
      x[j] = image.image(key);
      low = x[j] < low ? x[j] : low;
      high = x[j] > high ? x[j] : high;
    }
    low = primitives::block_reduce(s.lowest, low, primitives::minimum{});
    high = primitives::block_reduce(s.highest, high, primitives::maximum{});
    if (simt::thread_index() == 0) {
      s.window[0] = around(low, high, Image::of_floats ? 16 : Sample::samples == many::samples ? 256 : 128);
      window[0] = s.window.load(0);
      told.take();
    }
    if constexpr (Image::of_floats)
      if (simt::block_any(special))
        return leave();
    if (!limits.judges() && !few_alone)
      return;
    simt::block_barrier();
    if (limits.equal_too && low == high)
      return leave(0);
    const key_window<Word> w = s.window.load(0);
    if (w.one_value_a_bucket(bins) || Sample::in_some_order(x))
      return;
    bool only_repeats = false; // and buckets are even
    if (!few_alone) {
      if (w.dense(n))
        return leave(digits_of(w.span));
      if (!skewed<Sample>(s, w, x)) {
        only_repeats =
            limits.repeats_too && Sample::template repeated<block_threads>(s.count.view(), x) >= Sample::some_repeated;
        if (!only_repeats)
          return;
      }
    }
    if constexpr (sizeof(Word) <= 8) {
      const auto values = Sample::template count_values<block_threads>(s.count.view(), x);
      if (values.are_few())
        return leave(0);
      if (few_alone) {
        if (passes_win<Sample>(s, w, x, values))
          leave(digits_of(w.span), values.are_many() ? verdict::many_values : 0);
        return;
      }
      const std::uint32_t said = values.are_many() ? verdict::many_values : 0;
      if (only_repeats)
        return leave(0, said);
      if (!may_map)
        return leave(sizeof(Word), said);
      const bool repeats = Sample::template repeated<block_threads>(s.count.view(), x) >= Sample::many_repeated;
      // Neither is of use: a map, nor splitters, which move more than passes do.
      if (!repeats && Sample::have_uneven_bits(s.count.view(), x))
        return leave(0, said);
      // Frequent values fall together in a map that has no buckets for them.
      if (repeats && !key_map<Word>::parts_heavy)
        return leave(sizeof(Word), said);
    } else if (!may_map) {
      return leave();
    }
    if (simt::thread_index() == 0) {
      key_window<Word> mapped = key_window<Word>::of(0, Word(~Word{0}));
      mapped.by_distribution = 1;
      window[0] = mapped;
    }
  }
  SORTILE_DEVICE void leave(unsigned digits = sizeof(Word), std::uint32_t said = 0) const {
    if (simt::thread_index() != 0)
      return;
    findings[finding_skewed] = skewed_by_sample;
    told.give_away_by_digits(digits, said);
  }
  /// Whether an LSD sort is quicker than counted buckets: of keys that differ in few digits, or of which many have
  /// values that are frequent and yet fill no bucket.
  template <class Sample, unsigned Each>
  static SORTILE_DEVICE bool passes_win(shared& s, const key_window<Word>& w, const Word (&images)[Each],
                                        const typename Sample::values_seen& values) {
    if constexpr (sizeof(Word) == 4) {
      if (digits_of(w.span) < sizeof(Word))
        return true;
      if (values.are_mostly_rare())
        return Sample::template repeat_moderately<block_threads>(s.count.view(), images);
    }
    return false;
  }
  /// In how many digits the images of an interval of this width differ, or one fewer.
  static SORTILE_DEVICE unsigned digits_of(Word span) {
    unsigned digits = 0;
    for (; span != 0 && digits < sizeof(Word); span = Word(span >> 4 >> 4))
      ++digits;
    return digits;
  }
  /// The same in all threads of the block. A barrier has passed since the interval became known.
  template <class Sample, unsigned Each>
  SORTILE_DEVICE bool skewed(shared& s, const key_window<Word>& w, const Word (&images)[Each]) const {
    const windowed_keys<Word> places(w, integer_image<Word>{0});
    const auto number_of = [&places](unsigned bits) {
      return
          [&places, bits](Word x) { return places.digit(x, key_window<Word>::spread_bits - bits, (1u << bits) - 1); };
    };
    const Sample sample{limits};
    const auto count = s.count.view();
    sample.template count_bins<block_threads>(count, images, number_of(limits.bits));
    return sample.template skewed<block_threads>(count) || (may_map && sample.template uneven<block_threads>(count)) ||
           sample.template share_buckets<block_threads>(count, images, number_of(limits.bucket_bits));
  }
  /// `part` of the distance is added on both sides.
  static SORTILE_DEVICE key_window<Word> around(Word low, Word high, Word part) {
    const Word distance = Word(high - low);
    Word rest = Word(low ^ high); // becomes all ones below the highest bit that differs
    SORTILE_UNROLL
    for (unsigned step = 1; step < 8 * sizeof(Word); step *= 2)
      rest = Word(rest | rest >> step);
    if (rest - distance <= distance / 10)
      return key_window<Word>::of(Word(low & ~rest), Word(low | rest));
    const Word margin = Word(distance / part + 1), above = Word(~Word{0}) - high;
    return key_window<Word>::of(Word(low - (low < margin ? low : margin)),
                                Word(high + (above < margin ? above : margin)));
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
