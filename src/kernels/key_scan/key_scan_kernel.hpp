// The scan of a sort of keys: everything that it needs to know before it moves a key, in a single read.
//
//   count[d]   how many keys have d as the highest bits of their place in the interval (key_window.hpp), or of what a
//              map makes of them (key_map.hpp), up to 16 bits:
//              where every bucket of both partitions begins follows from these, so that no partition has to count again
//   findings   whether the keys are sorted already, or descending; which bits are set, and clear, in some image;
//              whether some image lies outside of the interval; of floats, whether some key is −0 or a NaN, so that
//              the fallback has to sort the keys (key_findings.hpp, float_image.hpp)
//   first images of the buckets, where a map spreads the keys
//   tables     of up to 1024 buckets: the last block to add its counts makes them (bucket_tables.hpp)
//
// Counters. A block has one for each of up to 65,536 digits, in shared storage (packed_counters.hpp). Neighbours that
// share a digit are counted together (alike_rows.hpp); otherwise constant and sorted inputs would meet in one counter,
// lane by lane. Where the interval has fewer values than there are counters, lanes with one value would
// meet as well. Then a value has several counters, all those up to the next value's, and threads take different ones.
// The result is then written from the counts (key_course::fill), and the sums stay as they are. But if keys lie outside
// of the interval, partitions would need the counts of buckets: then the fallback sorts the keys, or they are scanned
// again.
//
// Order. Each thread compares the keys of its vectors and the first key of the next lane's; the last lane loads that
// key (key_order.hpp).
//
// Does nothing where a sample has said that the fallback sorts the keys (skew_sample.hpp). The same kernel does the
// second scan (second_scan.hpp), if one is needed.
//
// Traffic: sizeof(key) bytes per key, 91 % of the copy rate on the H100 with 3 vectors in flight a thread (1, 2 and 4:
// slower; 512 threads: slower; keys of 64 bits: 2) and as many on their way while these are counted.
#pragma once

#include "kernels/alike_rows.hpp"
#include "kernels/key_scan/bucket_tables.hpp"
#include "kernels/key_scan/key_map.hpp"
#include "kernels/key_scan/packed_counters.hpp"
#include "kernels/key_scan/second_scan.hpp"
#include "kernels/last_block.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Image = integer_image<Word>>
struct key_scan_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024, min_blocks = 1;
  static constexpr unsigned most_bins = 65536, in_flight = sizeof(Word) == 8 ? 2 : 3;
  static constexpr int vector = int(16 / sizeof(Word));
  using keys_vector = simt::vec<Word, vector>;
  enum gathered_words {
    ones,
    zeros = 4,
    order = 8,
    outside = 9,
    alike = 10,
    special = 11,
    gathered_size = Image::of_floats ? 12 : 11
  };

  static constexpr bool maps = key_map<Word>::exists && !Image::of_floats;

  using bucket_tables = kernels::bucket_tables<Word, Image>;
  static_assert(bucket_tables::block_threads == block_threads);

  struct shared {
    union {
      simt::shared_array<std::uint32_t, most_bins / 2> packed;
      typename bucket_tables::shared tables;
    };
    simt::shared_array<std::uint32_t, gathered_size> gathered; // ones and zeros in words, low first
    alignas(16) simt::shared_array<std::uint32_t, maps ? key_map<Word>::words : 4> map;
    simt::shared_value<std::uint32_t> last;
  };

  simt::global<const Word> in; // aligned to 16 bytes
  simt::global<std::uint32_t> count;
  simt::global<std::uint64_t> findings;
  simt::global<const key_window<Word>> window;
  simt::global<const std::uint32_t> map;
  simt::global<Word> first_images; // of the buckets, where a map spreads the keys: written
  Image image;
  std::uint32_t n;
  unsigned bits;   // of a bucket's number, up to 16
  bool may_spread; // a value's keys over several counters
  bool second;
  simt::global<const std::uint32_t> first_count; // of the first scan, for the second
  bucket_tables tables;
  bool makes_tables;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    key_window<Word> w = window.load(0);
    if (given_away_by_sample(findings))
      return;
    if (second) {
      if (!needs_second_scan(findings, w, first_count, bins()))
        return;
      w = window_of_all<Word>(findings);
      if (simt::block_index() == 0 && t == 0)
        findings[finding_second] = 1;
    }
    for (unsigned i = t; i < (bins() + 1) / 2; i += block_threads)
      s.packed[i] = 0;
    if (t < gathered_size)
      s.gathered[t] = 0;
    if constexpr (maps)
      if (w.by_distribution != 0)
        fetch_map<Word>(s.map, map, block_threads);
    simt::block_barrier();
    seen all;
    see_all(s, w, all);
    gather(s, all);
    simt::block_barrier();
    publish(s);
    if constexpr (maps)
      if (w.by_distribution != 0)
        leave_first_images(s);
    if (makes_tables && comes_last(findings, finding_scanned, std::uint64_t{simt::grid_size()}, s.last))
      tables.make(s.tables, 0);
  }

 private:
  /// The blocks share them out: each is found by a binary search of many steps.
  SORTILE_DEVICE void leave_first_images(shared& s) const {
    for (std::uint32_t b = simt::block_index() + simt::thread_index() * simt::grid_size(); b < bins();
         b += simt::grid_size() * block_threads)
      first_images[b] = key_map<Word>::first_of(s.map.view(), center_of<Word>(map), b, bits);
  }
  struct seen {
    Word any = 0, all = Word(~Word{0});
    neighbours order; // of a warp's whole rows the same in all lanes
    bool outside = false, special = false;
    std::uint32_t alike = 0; // rows, the same in all lanes
  };
  /// From key to counter: where values have several buckets each, threads take different ones.
  template <class Keys>
  struct binning {
    Keys keys;
    std::uint32_t spread;
  };

  SORTILE_DEVICE std::uint32_t bins() const { return 1u << bits; }
  template <class Binning>
  SORTILE_DEVICE std::uint32_t bucket_of(const Binning& buckets, Word key) const {
    return buckets.keys.digit(key, key_window<Word>::spread_bits - bits, bins() - 1);
  }
  /// This thread's, of so many buckets a value: neighbouring lanes in different words of shared storage.
  static SORTILE_DEVICE std::uint32_t spread_by(std::uint32_t buckets) {
    const std::uint32_t t = simt::thread_index();
    return (2 * t + (t / simt::warp_size & 1)) & (buckets - 1);
  }

  SORTILE_DEVICE void see_all(shared& s, const key_window<Word>& w, seen& all) const {
    if constexpr (maps)
      if (w.by_distribution != 0)
        return see_keys(s, binning<mapped_keys<Word, Image>>{{image, center_of<Word>(map), s.map.view()}, 0}, all);
    if (w.is_whole())
      see_keys(s, binning<whole_keys<Word, Image>>{{image}, 0}, all);
    else
      see_keys(s,
               binning<windowed_keys<Word, Image>>{{w, image}, may_spread ? spread_by(w.buckets_a_value(bins())) : 0},
               all);
  }
  template <class Binning>
  SORTILE_DEVICE void see_keys(shared& s, const Binning& buckets, seen& all) const {
    see_vectors(s, buckets, all);
    if (simt::block_index() == 0)
      see_end(s, buckets, all);
  }
  template <class Binning>
  SORTILE_DEVICE void see_vectors(shared& s, const Binning& buckets, seen& all) const {
    const std::uint32_t vectors = n / unsigned(vector), step = simt::grid_size() * block_threads;
    std::uint64_t i = simt::block_index() * block_threads + simt::thread_index();
    const std::uint64_t stride = std::uint64_t{in_flight} * step;
    const auto has_rows = [&](std::uint64_t at) { return (at | 31) + (in_flight - 1) * std::uint64_t{step} < vectors; };
    keys_vector x[in_flight] = {};
    if (has_rows(i))
      load_rows(i, step, x);
    for (; has_rows(i); i += stride) {  // whole warps
      keys_vector next[in_flight] = {}; // on their way while these are counted
      if (has_rows(i + stride))
        load_rows(i + stride, step, next);
      SORTILE_UNROLL
      for (unsigned j = 0; j < in_flight; ++j) {
        see_row(s, buckets, x[j], key_at((i + std::uint64_t{j} * step + 1) * unsigned(vector)), all);
        x[j] = next[j];
      }
    }
    for (; i < vectors; i += step) {
      const keys_vector y = simt::load_vector<vector>(in, i * unsigned(vector));
      watch().see(y, key_at((i + 1) * unsigned(vector)), all.order);
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e)
        count_key(s, buckets, y[e], all);
    }
  }
  SORTILE_DEVICE void load_rows(std::uint64_t i, std::uint32_t step, keys_vector (&x)[in_flight]) const {
    SORTILE_UNROLL
    for (unsigned j = 0; j < in_flight; ++j)
      x[j] = simt::load_vector<vector>(in, (i + std::uint64_t{j} * step) * unsigned(vector));
  }

  /// The keys after the last whole vector.
  template <class Binning>
  SORTILE_DEVICE void see_end(shared& s, const Binning& buckets, seen& all) const {
    const std::uint32_t at = n / unsigned(vector) * unsigned(vector) + simt::thread_index();
    if (at >= n)
      return;
    const Word key = in.load(at);
    watch().see(simt::vec<Word, 1>{{key}}, key_at(at + 1), all.order);
    count_key(s, buckets, key, all);
  }

  SORTILE_DEVICE auto key_at(std::uint64_t at) const { return key_behind(in, at, n); }
  /// Equal keys are the same bits, or the fallback sorts them, so it does not matter which stands first.
  SORTILE_DEVICE order_watch<Image> watch() const { return {image, false}; }

  template <class Binning, class Behind>
  SORTILE_DEVICE void see_row(shared& s, const Binning& buckets, const keys_vector& x, Behind behind, seen& all) const {
    if (!all.order.both() && is_one_key(x)) {
      watch().see_one_key(x[0], behind, all.order);
      note_bits(buckets, x[0], all);
      ++all.alike;
      if (simt::lane_index() == 0)
        add(s, bucket_of(buckets, x[0]), simt::warp_size * unsigned(vector));
    } else {
      watch().see_row(x, behind, all.order);
      count_warp(s, buckets, x, all);
    }
  }
  template <class Binning>
  SORTILE_DEVICE void count_warp(shared& s, const Binning& buckets, const keys_vector& x, seen& all) const {
    std::uint32_t digits[vector];
    SORTILE_UNROLL
    for (int e = 0; e < vector; ++e) {
      note_bits(buckets, x[e], all);
      digits[e] = bucket_of(buckets, x[e]);
    }
    all.alike += count_row(digits, [&](std::uint32_t d, std::uint32_t keys) { add(s, d + buckets.spread, keys); });
  }
  template <class Binning>
  SORTILE_DEVICE void count_key(shared& s, const Binning& buckets, Word key, seen& all) const {
    note_bits(buckets, key, all);
    add(s, bucket_of(buckets, key) + buckets.spread, 1);
  }
  template <class Binning>
  static SORTILE_DEVICE void note_bits(const Binning& buckets, Word key, seen& all) {
    all.outside |= buckets.keys.outside(key);
    all.any |= Image::unfolded(key);
    all.all &= Image::unfolded(key);
    if constexpr (Image::of_floats)
      all.special |= !Image::is_plain(key);
  }
  SORTILE_DEVICE void add(shared& s, std::uint32_t digit, std::uint32_t keys) const {
    count_packed(s.packed, digit, keys, [this](std::uint32_t d, std::uint32_t many) { count.fetch_add(d, many); });
  }

  /// Bits of the unfolded keys become bits of the images: where the image flips, set and clear change places.
  SORTILE_DEVICE void gather(shared& s, const seen& all) const {
    const Word set = (all.any & ~image.flip) | (~all.all & image.flip); // none in a thread without keys, as `clear`
    const Word clear = (~all.all & ~image.flip) | (all.any & image.flip);
    constexpr unsigned pieces = sizeof(Word) / 4;
    SORTILE_UNROLL
    for (unsigned p = 0; p < pieces; ++p) {
      const std::uint32_t o = simt::warp_reduce_or(std::uint32_t(set >> (32 * p)));
      const std::uint32_t z = simt::warp_reduce_or(std::uint32_t(clear >> (32 * p)));
      if (simt::lane_index() == 0) {
        s.gathered.fetch_or(ones + p, o, simt::relaxed, simt::block_scope);
        s.gathered.fetch_or(zeros + p, z, simt::relaxed, simt::block_scope);
      }
    }
    const std::uint32_t seen_by_warp = simt::warp_reduce_or(all.order.bits());
    if (simt::lane_index() == 0)
      s.gathered.fetch_or(order, seen_by_warp, simt::relaxed, simt::block_scope);
    if (simt::lane_index() == 0 && all.alike != 0)
      s.gathered.fetch_add(alike, all.alike, simt::relaxed, simt::block_scope);
    const bool outliers = simt::warp_any(all.outside);
    if (simt::lane_index() == 0 && outliers)
      s.gathered.fetch_or(outside, 1u, simt::relaxed, simt::block_scope);
    if constexpr (Image::of_floats)
      if (simt::warp_any(all.special) && simt::lane_index() == 0)
        s.gathered.fetch_or(special, 1u, simt::relaxed, simt::block_scope);
  }
  SORTILE_DEVICE void publish(shared& s) const {
    const unsigned t = simt::thread_index();
    for (unsigned w = t; w < (bins() + 1) / 2; w += block_threads) {
      const std::uint32_t both = s.packed[w];
      if ((both & 0xffff) != 0)
        count.fetch_add(2 * w, both & 0xffff);
      if (both >> 16 != 0)
        count.fetch_add(2 * w + 1, both >> 16);
    }
    if (t == 0) {
      SORTILE_UNROLL
      for (unsigned half = 0; half < (sizeof(Word) + 7) / 8; ++half) {
        findings.fetch_or(finding_ones + half, two_words(s, ones + 2 * half));
        findings.fetch_or(finding_zeros + half, two_words(s, zeros + 2 * half));
      }
      findings.fetch_or(finding_order, std::uint64_t{s.gathered.load(order)});
      if (s.gathered.load(alike) != 0)
        findings.fetch_add(finding_alike, std::uint64_t{s.gathered.load(alike)});
      if (s.gathered.load(outside) != 0)
        findings.fetch_or(finding_outside, std::uint64_t{1});
      if constexpr (Image::of_floats)
        if (s.gathered.load(special) != 0)
          findings.fetch_or(finding_skewed, std::uint64_t{skewed_by_scan});
    }
  }
  static SORTILE_DEVICE std::uint64_t two_words(shared& s, unsigned at) {
    return s.gathered.load(at) | std::uint64_t{s.gathered.load(at + 1)} << 32;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
