// What the sort of pairs learns from a sample: how keys are spread over its buckets (key_spread.hpp), and whether they
// are skewed all the same.
//
//   sample     2048 keys, one of each part, the first and the last among them (key_scan/skew_sample.hpp)
//   integers   the aligned power of two that holds all samples, where that is hardly larger; else their interval, and
//              1/256 of it more on both sides. Of keys spread evenly over an interval about one in 2048 lies outside of
//              the sample's on either side, and hardly ever one outside of the wider interval
//   floats     by value over the finite samples' interval, widened likewise, or by bits: the one whose fullest bin has
//              fewer samples, and by bits where that is no worse. Numbers of all magnitudes are even by their bits;
//              of numbers of few magnitudes the fullest bin by bits nearly always has several times as many
//
// Few values. Where the interval has far fewer values than there are keys, buckets hold nothing but equal keys, and
// another sort is faster. If the caller has a fallback, the keys are then divided by their bits, and so found skewed.
//
// For a map. Skewed keys that hardly repeat are spread evenly by a map (pair_map.hpp), if the caller can use one.
// Frequent values fall together in any map, and no map spreads keys of uneven bits. Floats of one sign are mapped by
// their bits, which are their logarithms, nearly; others by value, over three times the sample's interval, since the
// map has no place of its own for what lies outside.
//
// Every block of the scan finds this for itself, from the same sample: the same in all, without an earlier launch and
// without waiting. Keys outside of the interval count as its nearest end: right, but slow where there are many.
#pragma once

#include "kernels/key_scan/skew_sample.hpp"
#include "kernels/pairs/key_spread.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// What the sample says, and who is to sort the pairs then.
enum class skew : unsigned { none, for_a_map, given_away };

template <class Word, class Image, unsigned Threads>
struct spread_sample {
  using spread = key_spread<Word, Image>;
  using sample = skew_sample<2048, 10>;
  static constexpr bool of_floats = std::is_same_v<Image, any_image<Word>>;
  static constexpr unsigned each = sample::samples / Threads, width = 8 * sizeof(Word);
  template <class T>
  using reduction = primitives::block_scan_storage<T, Threads>;

  struct storage {
    reduction<Word> lowest, highest;
    reduction<std::uint32_t> by_bits, by_value;
    simt::shared_array<spread, 1> found;
    simt::shared_value<std::uint32_t> few;
    typename sample::counters count;
  };
  struct result {
    spread keys;
    Word lowest, highest; // samples' images; of floats, of finite ones
    skew found;
    bool uneven_bits; // that is why no map is tried
  };

  simt::global<const Word> in;
  Image image;
  sample limits;
  std::uint32_t n;
  std::uint32_t fewest; // values that an interval must have, or the fallback takes the keys; 0: there is no fallback
  bool may_map;         // a map spreads skewed keys

  /// This thread's samples. Asked for early, they arrive while something else is done.
  SORTILE_DEVICE void load(Word (&x)[each]) const {
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j)
      x[j] = in.load(sample::position(j * Threads + simt::thread_index(), n));
  }
  /// By all threads of a block.
  SORTILE_DEVICE result find(storage& s, const Word (&x)[each]) const {
    const interval ends = ends_of(s, x);
    if (simt::thread_index() == 0) {
      const spread keys = around(ends);
      const bool few = keys.has_fewer(fewest);
      s.found[0] = few ? spread::whole() : keys;
      s.few = few ? 1 : 0;
    }
    simt::block_barrier();
    result r{s.found.load(0), ends.low, ends.high, skew::none, false};
    const bool few = s.few != 0;
    if constexpr (of_floats) {
      const std::uint32_t by_bits =
          primitives::block_reduce(s.by_bits, fullest(s, spread::whole(), x), primitives::maximum{});
      simt::block_barrier();
      const std::uint32_t by_value = primitives::block_reduce(s.by_value, fullest(s, r.keys, x), primitives::maximum{});
      if (by_bits <= by_value)
        r.keys = spread::whole();
    }
    if (!limits.judges())
      return r;
    simt::block_barrier();
    const auto number_of = [&](unsigned bits) {
      return [&r, this, right = 32 - bits](Word key) { return r.keys.y(image, key) >> right; };
    };
    limits.template count_bins<Threads>(s.count.view(), x, number_of(limits.bits));
    const bool too_full = limits.template skewed<Threads>(s.count.view()) ||
                          limits.template share_buckets<Threads>(s.count.view(), x, number_of(limits.bucket_bits));
    const bool may_draw =
        too_full && may_map && !few && sample::template repeated<Threads>(s.count.view(), x) < sample::many_repeated;
    if (may_draw) {
      Word images[each];
      images_of(x, images);
      r.uneven_bits = sample::have_uneven_bits(s.count.view(), images);
    }
    if (may_draw && !r.uneven_bits) {
      r.found = skew::for_a_map;
      if constexpr (of_floats)
        r.keys = one_sign(ends) ? spread::whole() : spread::between(image, ends.low, ends.high, 1);
    } else if (too_full && (limits.in_order_too || (limits.equal_too && ends.low == ends.high) || !in_some_order(x)))
      r.found = skew::given_away;
    return r;
  }
  /// Of samples that have been found skewed; by all threads of a block.
  SORTILE_DEVICE typename sample::values_seen count_values(storage& s, const Word (&x)[each]) const {
    return sample::template count_values<Threads>(s.count.view(), x);
  }

 private:
  struct interval {
    Word low, high; // images of the lowest and the highest sample; of floats, of finite ones
  };

  SORTILE_DEVICE interval ends_of(storage& s, const Word (&x)[each]) const {
    interval i{Word(~Word{0}), 0};
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j) {
      const Word v = image.image(x[j]);
      if (image.is_finite(v)) {
        i.low = v < i.low ? v : i.low;
        i.high = v > i.high ? v : i.high;
      }
    }
    i.low = primitives::block_reduce(s.lowest, i.low, primitives::minimum{});
    i.high = primitives::block_reduce(s.highest, i.high, primitives::maximum{});
    return i;
  }
  SORTILE_DEVICE spread around(const interval& i) const {
    if (i.low >= i.high)
      return spread::whole();
    if constexpr (of_floats)
      return spread::between(image, i.low, i.high);
    else
      return around_integers(i);
  }
  static SORTILE_DEVICE interval_spread<Word> around_integers(const interval& i) {
    const Word distance = Word(i.high - i.low), below = Word(~Word{0} >> simt::leading_zeros(Word(i.low ^ i.high)));
    if (below - distance <= distance / 128)
      return interval_spread<Word>::of(Word(i.low & ~below), Word(i.low | below));
    const Word margin = Word(distance / 256 + 1), above = Word(~Word{0}) - i.high;
    return interval_spread<Word>::of(Word(i.low - (i.low < margin ? i.low : margin)),
                                     Word(i.high + (above < margin ? above : margin)));
  }
  /// The samples in the fullest of this thread's bins.
  SORTILE_DEVICE std::uint32_t fullest(storage& s, const spread& keys, const Word (&x)[each]) const {
    const unsigned right = 32 - limits.bits;
    limits.template count_bins<Threads>(s.count.view(), x, [&](Word key) { return keys.y(image, key) >> right; });
    return limits.template fullest<Threads>(s.count.view());
  }
  static SORTILE_DEVICE bool one_sign(const interval& i) { return (i.low ^ i.high) >> (width - 1) == 0; }
  SORTILE_DEVICE bool in_some_order(const Word (&x)[each]) const {
    Word images[each];
    images_of(x, images);
    return sample::in_some_order(images);
  }
  SORTILE_DEVICE void images_of(const Word (&x)[each], Word (&images)[each]) const {
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j)
      images[j] = image.image(x[j]);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
