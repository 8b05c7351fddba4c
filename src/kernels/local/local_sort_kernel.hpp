// Local sort: one block per bucket. The keys of a bucket are read once, put in order in shared storage, and written
// once.
//
// One bit per bin. 15 or 16 bits of a key's distance from the bucket's start tell to which of 32,768 or 65,536 bins it
// belongs; there are some ten times as many bins as keys. A key's place follows from the bits below its own, and the
// few keys that find their bin taken are put beside the others of its word (bin_places.hpp).
//
// A bucket that does not fit is deferred: it stays as it is and is listed. That is one with more keys than registers
// hold, or with too many in one word whose bin was taken (bin_places.hpp). large_sort_kernel.hpp sorts it, or, where
// buckets are counted, one of those in skewed/. The first and the last bucket are deferred too where some keys lie
// outside of the interval. A giant bucket (skewed/giant_buckets.hpp) is listed already; its counters are zeroed.
//
// In the other buckets a key's bin is its distance from the bucket's first possible key, shifted.
//
// A bucket of 32-bit keys whose bins have two values at most need not be deferred where the bins cannot take it: the
// block goes on to sort it by how often each value occurs (distinct_values.hpp). It does so at once where there are so
// many keys to so few bins that the list would overflow even if they were evenly spread, or where neighbours repeat.
//
// In place is allowed: a block reads all of its bucket before it writes; at the bucket's ends it reads neighbours' keys
// along with its own and makes no use of them. Block b asks the L2 for a bucket some 4 MB on, which later blocks will
// want.
//
// Where the keys take another course (key_window.hpp), each block writes its share of the output instead: a copy of the
// input, forwards or backwards, or, where no two different keys share a bucket, the keys as often as they were counted.
//
// Traffic: 2 sizeof(key) per key; on the H100, 2^28 keys: 69 % of the copy rate (32 bits), 94 % (64 bits). Lost: 4-bit
// counters, bulk copies through shared storage, persistent blocks with the next bucket in registers, half as many bins.
#pragma once

#include "kernels/alike_rows.hpp"
#include "kernels/local/bin_places.hpp"
#include "kernels/local/distinct_values.hpp"
#include "kernels/local/fill_from_counts.hpp"
#include "kernels/local/local_sort_tuning.hpp"
#include "kernels/partition/partition_kernel.hpp"
#include "kernels/reverse_array.hpp"
#include "kernels/skewed/giant_buckets.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Tuning = local_sort_tuning<Word>, class Image = integer_image<Word>>
struct local_sort_kernel {
  using tuning = Tuning;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = tuning::threads, min_blocks = tuning::min_blocks, words = tuning::words;
  static constexpr unsigned warps = block_threads / simt::warp_size;
  static constexpr int vector = int(16 / sizeof(Word)), vectors = tuning::vectors, items = vectors * vector;
  static constexpr unsigned capacity = block_threads * unsigned(items); ///< keys, and what lies before them in a vector
  static constexpr unsigned list_size = tuning::list_size, most_taken = 16, most_unlisted = tuning::most_unlisted,
                            bin_bits = words == 2048 ? 15 : 16;
  static_assert(items <= 32);
  using bin_words = kernels::bin_words<block_threads, words>;
  using keys_vector = simt::vec<Word, vector>;
  using word = Word;

  /// Whether buckets that the bins cannot take may be sorted by distinct_values.hpp.
  static constexpr bool counts = sizeof(Word) == 4 && words == 2048;
  struct binning {
    alignas(16) simt::shared_array<std::uint32_t, words> bins;
    simt::shared_array<Word, list_size> taken_key;
    simt::shared_array<std::uint32_t, list_size> taken_at; // word << 16 | number in the word
  };
  struct shared {
    union {
      alignas(128) simt::shared_array<Word, capacity> keys;
      alignas(16) simt::shared_array<std::uint32_t, words> numbered;        // refined_bins.hpp
      simt::shared_array<std::uint32_t, capacity + capacity / 32> counters; // the same, and distinct_values.hpp
    };
    union {
      binning binned;
      alignas(16) simt::shared_array<std::uint16_t, counts ? capacity : 8> marks;
    };
    simt::shared_array<std::uint32_t, warps> sums;
    simt::shared_array<std::uint32_t, counts ? unsigned(vectors) * warps : 1> row_most;
    simt::shared_array<Word, 2> limits; // where the bucket's values begin, and the next one's
    simt::shared_value<std::uint32_t> listed;
    simt::shared_value<std::uint32_t> too_many;
    simt::shared_value<std::uint32_t> defers;
    simt::shared_value<std::uint32_t> repeats;

    SORTILE_DEVICE auto& bins() { return binned.bins; }
  };

  simt::global<const Word> original; // what the sort was given
  simt::global<const Word> in;       // the buckets; may be out
  simt::global<Word> out;
  simt::global<const std::uint32_t> start;
  bucket_list deferred;
  simt::global<const key_window<Word>> window;
  Image image;
  std::uint32_t n;
  unsigned bits;                           // of a bucket's number
  bool copy_if_sorted;                     // original and out are not the same array
  giant_list giants{};                     // heavy ones of a map (heavy_buckets.hpp), or
  bool counts_giants = false;              // counted ones (skewed/)
  simt::global<Word> counters{};           // of giant buckets: the array that is free
  simt::global<const Word> first_images{}; // where a map spreads the keys: of each bucket
  std::uint32_t many_deferred = ~0u;       // from so many deferred buckets on, all are (refined_sort_kernel.hpp)

  SORTILE_DEVICE void operator()(shared& s) const {
    const key_window<Word> w = window.load(0);
    switch (course_of<Word>(deferred.findings, w, 1u << bits)) {
    case key_course::copy:
      if (copy_if_sorted)
        copy();
      return;
    case key_course::reverse:
      return reverse_array<1>(original, out, n);
    case key_course::fill:
      return fill_from_counts<Word, Image, block_threads>{out, start, n, bits}(key_distance<Image>::from(w.low, image),
                                                                               w);
    case key_course::leave:
      return;
    case key_course::buckets:
      break;
    }
    const bucket b = this_bucket();
    prefetch_later(b.number);
    if (b.end == b.lead)
      return;
    if (w.by_distribution != 0 && giants.takes(b.end - b.lead))
      return; // a heavy bucket
    const bool is_tail = has_outliers(deferred.findings, w, b.number, simt::grid_size());
    if constexpr (sizeof(Word) == 4)
      if (counts_giants && giants.takes(b.end - b.lead) && !is_tail)
        return clear_counters(b, w);
    if (b.end > capacity || is_tail) {
      if (simt::thread_index() == 0)
        deferred.add(b.number);
      return;
    }
    if (simt::thread_index() == 0) // and a barrier follows
      s.defers = deferred.findings.load(finding_deferred) >= many_deferred ? 1 : 0;
    if (counts && simt::thread_index() == 0)
      s.repeats = 0;
    keys_vector keys[vectors];
    load(b, keys);
    const range values = values_of(s, w, b.number);
    if (s.defers != 0) {
      if (simt::thread_index() == 0)
        deferred.add(b.number);
      return;
    }
    const Word distance = Word(values.last - values.first);
    const digits d = bins_from(Word(w.low + values.first), bits_of(distance));
    const bool may_count = counts && d.shift <= distinct_values<local_sort_kernel>::most_shift;
    clear(s);
    if (may_count)
      note_repeats(s, b, keys);
    simt::block_barrier();
    if (may_count && (s.repeats != 0 || will_be_skewed(b.end - b.lead, (std::uint32_t(distance) >> d.shift) + 1)))
      fill_bits(s, b, keys, d, s.repeats != 0);
    else if (sort_cleared(s, b, keys, d))
      return;
    if constexpr (counts)
      if (may_count)
        return distinct_values<local_sort_kernel>::sort(s, b, keys, d, out);
    if (simt::thread_index() == 0)
      deferred.add(b.number);
  }

  /// Places count from `first`, the last multiple of a vector at or before the bucket: its keys are [lead, end).
  struct bucket {
    std::uint32_t number, first, lead, end;
  };
  SORTILE_DEVICE void load(const bucket& b, keys_vector (&keys)[vectors]) const {
    SORTILE_UNROLL
    for (int v = 0; v < vectors; ++v)
      if (place_of(v) < b.end)
        keys[v] = load_up_to<vector>(in, b.first + place_of(v), n);
  }
  using digits = bin_of_key<Image>;
  /// The bins for keys whose images lie from `first` on, and differ from it in `rest` bits.
  SORTILE_DEVICE digits bins_from(Word first, unsigned rest) const {
    static_assert(words * 16 == 1u << bin_bits);
    return {key_distance<Image>::from(first, image), rest > bin_bits ? rest - bin_bits : 0};
  }
  /// Sorts the keys that load() gave by their bins, and stores them. False, in all threads and with nothing stored,
  /// where too many found their bin taken.
  template <class Bins>
  SORTILE_DEVICE bool sort(shared& s, const bucket& b, const keys_vector (&keys)[vectors], const Bins& bins) const {
    clear(s);
    simt::block_barrier();
    return sort_cleared(s, b, keys, bins);
  }
  /// As sort(), behind clear() and a barrier; leaves the keys in s.keys, for all to read. again(p): the key at p again.
  template <class Bins, class Again>
  SORTILE_DEVICE bool put_in_order(shared& s, const bucket& b, const keys_vector (&keys)[vectors], const Bins& bins,
                                   Again again) const {
    return bin_places<local_sort_kernel>::put_in_order(image, s, b, keys, bins, again);
  }
  static SORTILE_DEVICE void clear(shared& s) {
    bin_words::clear(s.bins().view());
    if (simt::thread_index() == 0) {
      s.listed = 0;
      s.too_many = 0;
    }
  }
  static SORTILE_DEVICE std::uint32_t place_of(int v) {
    return (unsigned(v) * block_threads + simt::thread_index()) * unsigned(vector);
  }
  /// f(key, i) for the thread's own keys; whole vectors are not asked key by key.
  template <class F>
  static SORTILE_DEVICE void each_key(const bucket& b, const keys_vector (&keys)[vectors], F f) {
    SORTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      const std::uint32_t p = place_of(v);
      if (p >= b.lead && p + unsigned(vector) <= b.end) {
        SORTILE_UNROLL
        for (int e = 0; e < vector; ++e)
          f(keys[v][e], v * vector + e);
      } else if (p < b.end) {
        SORTILE_UNROLL
        for (int e = 0; e < vector; ++e)
          if (p + unsigned(e) >= b.lead && p + unsigned(e) < b.end)
            f(keys[v][e], v * vector + e);
      }
    }
  }
  /// add(digit_of(key, i), times) for the block's keys; where neighbours are alike, those with one digit together
  /// (alike_rows.hpp).
  template <class DigitOf, class Add>
  static SORTILE_DEVICE void each_row(const bucket& b, const keys_vector (&keys)[vectors], bool alike, DigitOf digit_of,
                                      Add add) {
    if (!alike)
      return each_key(b, keys, [&](Word key, int i) { add(digit_of(key, i), 1u); });
    SORTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      const std::uint32_t p = place_of(v);
      if (simt::warp_all(p >= b.lead && p + unsigned(vector) <= b.end)) {
        std::uint32_t digits[vector];
        SORTILE_UNROLL
        for (int e = 0; e < vector; ++e)
          digits[e] = digit_of(keys[v][e], v * vector + e);
        count_row(digits, add);
      } else {
        SORTILE_UNROLL
        for (int e = 0; e < vector; ++e)
          if (p + unsigned(e) >= b.lead && p + unsigned(e) < b.end)
            add(digit_of(keys[v][e], v * vector + e), 1u);
      }
    }
  }
  /// This thread's vector v of the bucket, as far as it belongs to it.
  static SORTILE_DEVICE void store_vector(const bucket& b, int v, const keys_vector& x, const simt::global<Word>& out) {
    const std::uint32_t p = place_of(v);
    if (p >= b.lead && p + unsigned(vector) <= b.end) {
      simt::store_vector<vector>(out, b.first + p, x);
    } else if (p < b.end) {
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e)
        if (p + unsigned(e) >= b.lead && p + unsigned(e) < b.end)
          out[b.first + p + unsigned(e)] = x[e];
    }
  }

  /// A key's bin, by a function of the key, or in a register (refined_bins.hpp).
  template <class Bins>
  static constexpr bool in_registers = requires {
    Bins::in_registers;
  };
  template <class Bins>
  static SORTILE_DEVICE std::uint32_t bin_at(const Bins& bins, Word key, int i) {
    if constexpr (in_registers<Bins>)
      return bins[i];
    else
      return bins(key);
  }
  /// Whether so many keys, spread evenly, would find about as many bins taken as the list has room for. Then it is not
  /// tried to give each a bin.
  static SORTILE_DEVICE bool will_be_skewed(std::uint32_t keys, std::uint32_t bins) {
    return keys > bins || keys * keys > 2 * list_size * bins;
  }
  /// Sets `repeats` where neighbours are equal in some warp's first vectors: then it is not tried to give each key a
  /// bin.
  static SORTILE_DEVICE void note_repeats(shared& s, const bucket& b, const keys_vector (&keys)[vectors]) {
    constexpr int by_chance = 2;
    const std::uint32_t p = place_of(0);
    const bool equal = p >= b.lead && p + unsigned(vector) <= b.end && keys[0][0] == keys[0][vector - 1];
    if (simt::popcount(simt::ballot(equal)) > by_chance)
      s.repeats.store(0, 1u, simt::relaxed, simt::block_scope);
  }
  /// Sets the bits of the keys' bins. Begins with clearing, ends with a barrier.
  template <class Bins>
  static SORTILE_DEVICE void set_bits(shared& s, const bucket& b, const keys_vector (&keys)[vectors],
                                      const Bins& bins) {
    clear(s);
    simt::block_barrier();
    fill_bits(s, b, keys, bins, true);
  }
  template <class Bins>
  static SORTILE_DEVICE void fill_bits(shared& s, const bucket& b, const keys_vector (&keys)[vectors], const Bins& bins,
                                       bool alike) {
    each_row(
        b, keys, alike, [&](Word key, int i) { return bin_at(bins, key, i); },
        [&](std::uint32_t bin, std::uint32_t) {
          s.bins().fetch_or(bin >> 4, 1u << (bin & 15), simt::relaxed, simt::block_scope);
        });
    simt::block_barrier();
  }
  SORTILE_DEVICE void store(shared& s, const bucket& b) const {
    SORTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      const std::uint32_t p = place_of(v);
      if (p >= b.end)
        continue;
      store_vector(b, v, simt::load_vector<vector>(s.keys, p), out);
    }
  }

 private:
  template <class Bins>
  SORTILE_DEVICE bool sort_cleared(shared& s, const bucket& b, const keys_vector (&keys)[vectors],
                                   const Bins& bins) const {
    if (!put_in_order(s, b, keys, bins, [&](std::uint32_t p) { return in.load(b.first + p); }))
      return false;
    store(s, b);
    return true;
  }
  /// Distances from the window's lowest image.
  struct range {
    Word first, last;
  };
  /// A division of 64 bits takes a hundred instructions: two threads do it, while the keys are on their way. One
  /// barrier.
  SORTILE_DEVICE range values_of(shared& s, const key_window<Word>& w, std::uint32_t number) const {
    if (simt::thread_index() < 2)
      s.limits[simt::thread_index()] = limit(w, number + simt::thread_index());
    simt::block_barrier();
    const Word last = number + 1 < simt::grid_size() ? Word(s.limits.load(1) - 1) : w.span;
    return {s.limits.load(0), last < w.span ? last : w.span};
  }
  SORTILE_DEVICE Word limit(const key_window<Word>& w, std::uint32_t number) const {
    if (w.by_distribution == 0)
      return w.first_of(number, bits);
    return first_images.load(number < simt::grid_size() ? number : simt::grid_size() - 1);
  }
  SORTILE_DEVICE bucket this_bucket() const {
    const std::uint32_t number = simt::block_index(), b = start.load(number), e = start.load(number + 1);
    const std::uint32_t lead = b % unsigned(vector);
    return {number, b - lead, lead, e - b + lead};
  }
  SORTILE_DEVICE void clear_counters(const bucket& b, const key_window<Word>& w) const {
    const auto values = bucket_values<Image>::of(w, image, b.number, bits);
    const std::uint32_t first = giant_list::counters(b.first + b.lead), all = values.chunks() * bucket_ranks::chunk;
    for (std::uint32_t i = 4 * simt::thread_index(); i < all; i += 4 * block_threads)
      simt::store_vector<4>(counters, first + i, simt::vec<std::uint32_t, 4>{});
  }
  SORTILE_DEVICE void prefetch_later(std::uint32_t number) const {
    constexpr unsigned line = 128 / sizeof(Word), ahead = (4u << 20) / (4096 * sizeof(Word));
    if (number + ahead >= simt::grid_size())
      return;
    const std::uint32_t i = start.load(number + ahead) + simt::thread_index() * line;
    if (i < start.load(number + ahead + 1))
      simt::prefetch(in, i);
  }

  SORTILE_DEVICE void copy() const {
    const std::uint32_t whole = n / unsigned(vector),
                        first = simt::block_index() * block_threads + simt::thread_index();
    for (std::uint64_t i = first; i < whole; i += std::uint64_t{simt::grid_size()} * block_threads)
      simt::store_vector<vector>(out, i * unsigned(vector), simt::load_vector<vector>(original, i * unsigned(vector)));
    const std::uint32_t behind = whole * unsigned(vector) + first;
    if (behind < n && first < unsigned(vector))
      out[behind] = original.load(behind);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
