// Local sort of pairs: one block per bucket. Bulk copies bring keys and values to shared storage, where they stay. What
// is sorted is a permutation of 16 bits per pair, and the pairs are written along it, in coalesced rows.
//
//   keys, values   as they came         order   place in the result → place in the bucket
//
// One bit per bin, as in the sort of keys alone (local/local_sort_kernel.hpp): the bits of y
// (key_spread.hpp) below the bucket's own, 15 or 16 of them, name one of 32,768 or 65,536 bins; sixteen bins share a
// word with a 16-bit offset (local/bin_words.hpp).
//
// Pairs that find their bin taken are put after the others of their word (pair_places.hpp).
//
// Skewed keys. Where one word has more than 16 taken pairs, or more than 3 that no list has room for (clusters of keys
// that are narrow beside the bucket, many equal keys), insertion would take longer than anything else: the permutation
// is sorted least significant digit first instead, by digits of 8 bits between the lowest and the highest bit in which
// the bucket's keys differ (primitives/radix_order.hpp). That costs the same for all keys. It begins at once where the
// interval of all keys has few values for so many keys (floats of 32 bits between 0 and 1: 2^24, more or less). Only a
// bucket of more than `capacity` pairs is deferred: for a launch of larger blocks where there is one, or for
// large_pairs_kernel.hpp.
//
// Of keys without values, where many are equal, these are counted before that, and different ones get bins once more
// (primitives/repeated_keys.hpp).
//
// Between splitters, a bucket's own interval names its bins. What is skewed in them is cut into pieces between
// splitters of its own (primitives/piece_order.hpp); where a piece is too large, it is sorted by digits of 6 bits.
//
// In place is allowed: a block has read its bucket before it writes.
//
// One block alone (`one_block`) sorts the whole input, from the caller's arrays to the caller's arrays. Its bins are
// those of block_bins.hpp, and skewed keys it sorts by digits of 8 bits (primitives/radix_order.hpp). It mostly sees
// skew before it fills bins in vain; of random keys it takes one sort in 10^5 for skewed. No other block hides its
// latencies, so it has 1024 threads. No other block has fetched its instructions, either, so its loops over a thread's
// pairs are not unrolled.
//
// Where the scan saw that the pairs are sorted, or descending, the kernel writes the output from the input instead.
//
// Traffic: 2 (sizeof(key) + sizeof(value)) per pair, 90 to 102 % of the copy rate on the H100.
//
// Lost: insertion for words of up to 255 taken pairs, too, shared out to the threads. 2^28 pairs of 32 bits whose
// buckets hold one cluster of 1000 values each took 30 ms (CUB: 8.7).
#pragma once

#include "kernels/local/skewed_bins.hpp"
#include "kernels/pairs/block_bins.hpp"
#include "kernels/pairs/bucket_copies.hpp"
#include "kernels/pairs/digit_passes.hpp"
#include "kernels/pairs/local_pairs_tuning.hpp"
#include "kernels/pairs/pair_places.hpp"
#include "kernels/pairs/pairs_at_once.hpp"
#include "primitives/piece_order.hpp"
#include "primitives/radix_order.hpp"
#include "primitives/repeated_keys.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Buckets that the local step defers.
struct pair_bucket_list {
  simt::global<std::uint32_t> findings, buckets;
  SORTILE_DEVICE void add(std::uint32_t bucket) const { buckets[findings.fetch_add(pair_deferred, 1u)] = bucket; }
};

template <class Word, class Value, class Image, local_step Step = local_step::buckets>
struct local_pairs_kernel {
  static constexpr bool alone = Step == local_step::one_block;
  static constexpr bool spread_each =
      Step == local_step::between_splitters || Step == local_step::large_between_splitters;
  static constexpr bool listed_buckets =
      Step == local_step::large_buckets || Step == local_step::large_between_splitters;
  using word = Word;
  using image_type = Image;
  using tuning = local_pairs_tuning<sizeof(Word), value_size<Value>, Step>;
  static constexpr bool has_values = value_size<Value> != 0;
  static constexpr bool starts_early = true;
  static constexpr unsigned alone_threads = 1024, block_threads = alone ? alone_threads : tuning::threads,
                            min_blocks = alone ? 1 : tuning::min_blocks;
  static constexpr auto needs = simt::feature::bulk_copy;
  static constexpr unsigned capacity = tuning::capacity, words = alone ? 4096 : tuning::words,
                            list_size = alone ? 1024 : tuning::list_size, most_taken = 16;
  static constexpr unsigned bin_bits = words == 2048 ? 15 : 16, warps = block_threads / simt::warp_size;
  static constexpr int items = int((capacity + block_threads - 1) / block_threads);
  using copies = bucket_copies<Word, Value>;
  static constexpr unsigned key_vector = copies::key_vector, value_vector = copies::value_vector;
  static constexpr unsigned image_words = sizeof(Word) / 4;
  /// From how many pairs a value on another sort is better; and from how many values a pair on the list nearly always
  /// has room.
  static constexpr unsigned pairs_a_value = 8, sparse = list_size >= 1024 ? 3 : 6;
  /// Lanes alike in their bins from which on equal keys are looked for: evenly spread ones have four on average.
  static constexpr unsigned looks_for_equals = 10;
  using passes = digit_passes<Word, block_threads, items>;
  static_assert(words * 16 == 1u << bin_bits && items <= 32 && capacity < 65536);
  using bin_words = kernels::bin_words<block_threads, words>;

  using pieces = primitives::piece_order<Word, block_threads, items>; // of buckets between splitters
  static constexpr bool counts_repeats = !alone && !has_values;
  using repeated = primitives::repeated_keys<Word, block_threads, counts_repeats ? capacity : 32 * block_threads>;
  using radix_order = primitives::block_radix_order<block_threads, spread_each ? 1 : capacity>; // of the others

  struct taken_list {
    simt::shared_array<std::uint16_t, list_size> pair;   // place in the bucket
    simt::shared_array<std::uint32_t, list_size> number; // word << 16 | number in the word
  };
  struct binning {
    alignas(16) simt::shared_array<std::uint32_t, words> bins;
    taken_list list;
  };
  struct piece_sort {
    typename pieces::ranker::storage rank;
    typename pieces::storage made;
  };
  struct shared {
    alignas(128) simt::shared_array<Word, capacity + 2 * key_vector> keys;
    alignas(128) simt::shared_array<Value, has_values ? capacity + 2 * value_vector : 1> values;
    union {
      binning binned;
      std::conditional_t<spread_each, typename passes::ranker::storage, no_value> rank;
      std::conditional_t<spread_each, piece_sort, no_value> pieced;
      alignas(16) std::conditional_t<counts_repeats, typename repeated::slot_array, no_value> slots;
      std::conditional_t<spread_each, no_value, typename radix_order::storage> radix;
    };
    union {
      alignas(16) simt::shared_array<std::uint16_t, capacity> order;
      std::conditional_t<spread_each, typename pieces::scratch, no_value> pieces_in_the_making;
      alignas(16) std::conditional_t<counts_repeats, typename repeated::times_array, no_value> times;
    };
    std::conditional_t<alone, typename image_interval<Word, block_threads>::storage, no_value> ends;
    simt::shared_array<std::uint32_t, warps> sums;
    simt::shared_array<std::uint32_t, image_words> differ;  // bits in which images differ, lowest word first
    simt::shared_array<Word, spread_each ? 2 : 1> interval; // lowest and highest image that the bucket may hold
    simt::shared_value<std::uint32_t> listed;
    simt::shared_value<std::uint32_t> too_many;
    simt::transfer_barrier arrived;

    SORTILE_DEVICE auto& bins() { return binned.bins; }
    SORTILE_DEVICE auto& list() { return binned.list; }
  };

  simt::global<const Word> original; // what the sort was given
  simt::global<const Value> original_values;
  simt::global<const Word> in; // the buckets; may be out
  simt::global<const Value> in_values;
  simt::global<Word> out;
  simt::global<Value> out_values;
  simt::global<const std::uint32_t> start;
  /// Of all keys, and behind it one a bucket where a map spreads them; between splitters one a bucket. Not read by one
  /// block alone.
  simt::global<const key_spread<Word, Image>> spread;
  simt::global<const std::uint32_t> most; // of buckets between splitters: pairs that each may hold
  simt::global<const Word> cuts;          // likewise: each one's highest image
  pairs_gate gate;
  pair_bucket_list deferred;
  Image image;
  std::uint32_t n;
  unsigned shift;    // of the bins in y
  bool make_indices; // values of the original are the indices
  bool may_map;
  bool write_keys;
  bool copy_keys, copy_values; // where the pairs are in order: outputs are not the originals
  handover behind{};           // by the first launch of the step

  SORTILE_DEVICE void operator()(shared& s) const {
    if constexpr (Step == local_step::one_block) {
      gate.accept();
      sort_alone(s);
    } else if constexpr (listed_buckets) {
      sort_deferred(s);
    } else {
      const std::uint32_t q = simt::block_index();
      if (spread_each) {
        if (behind.is_due())
          return behind.zero();
        if (gate.idle()) // what follows is not there before the splitters are
          return;
      }
      const bucket b = this_bucket(q); // asked for before the gate is read: one round trip to memory, not two
      if constexpr (!spread_each) {
        if (behind.is_due())
          return behind.zero();
        const std::uint32_t order = gate.order();
        if (is_in_order(order))
          return at_once().copy();
        if (is_backwards(order))
          return at_once().reverse();
      }
      if (b.pairs == 0 || (spread_each && most.load(q) == any_number))
        return;
      if (b.pairs > capacity)
        return leave(q);
      sort_bucket(s, q, b, bins_of_bucket(q, is_mapped()), 0);
    }
  }

 private:
  friend struct pair_places<local_pairs_kernel>;
  using bucket = pair_bucket;
  using bins_of = std::conditional_t<alone, block_bins<Word, Image, bin_bits>, digits_of<Word, Image>>;
  using interval = image_interval<Word, block_threads>;

  SORTILE_DEVICE pairs_at_once<Word, Value> at_once() const {
    return {original, original_values, out, out_values, n, write_keys, make_indices, copy_keys, copy_values};
  }
  SORTILE_DEVICE bool is_mapped() const { return !spread_each && may_map && gate.findings.load(pair_mapped) != 0; }
  SORTILE_DEVICE bins_of bins_of_bucket(std::uint32_t q, bool mapped) const {
    const std::uint32_t at = spread_each ? q : mapped ? 1 + q : 0;
    return {image, spread.load(at), mapped ? 32 - bin_bits : shift, (1u << bin_bits) - 1};
  }
  /// `phase`: how many buckets the block has fetched before.
  SORTILE_DEVICE void sort_bucket(shared& s, std::uint32_t q, const bucket& b, const bins_of& bin,
                                  unsigned phase) const {
    fetch(s, q, b, phase);
    const bool of_bucket = spread_each || bin.shift == 32 - bin_bits; // the interval is the bucket's own
    const std::uint32_t pairs = spread_each ? capacity : of_bucket ? b.pairs : n;
    const std::uint32_t values = put_in_order(s, b, bin, bin.keys.has_fewer(std::uint64_t{pairs} * sparse));
    simt::block_barrier();
    if constexpr (counts_repeats)
      if (values != 0)
        return store_values(s, out, b.first, b.key_lead, b.pairs, values);
    store(s, b);
  }
  /// Of keys alone, where many are equal: leaves each value once, and says how many there are; otherwise 0. A call, so
  /// that the usual ways need not share their registers with this one; likewise the next.
  static SORTILE_DEVICE_CALL std::uint32_t take_out(shared& s, Image image, std::uint32_t lead, std::uint32_t pairs) {
    simt::assume_shared(s);
    std::uint32_t values = 0;
    if (repeated::are_many(pairs, [&](std::uint32_t p) { return s.keys.load(lead + p); }))
      values = repeated::take_out(s.sums, s.slots, s.times, s.keys, lead, pairs,
                                  [&](Word key) { return image.is_only(key); });
    bin_words::clear(s.bins().view());
    if (simt::thread_index() == 0) {
      s.listed = 0;
      s.too_many = 0;
    }
    simt::block_barrier();
    return values;
  }
  /// Each as often as it occurs.
  static SORTILE_DEVICE_CALL void store_values(shared& s, simt::global<Word> out, std::uint32_t first,
                                               std::uint32_t lead, std::uint32_t pairs, std::uint32_t values) {
    simt::assume_shared(s);
    repeated::write(
        s.sums, s.keys, values, pairs, first % simt::warp_size, [&](std::uint32_t r) { return s.order.load(r); },
        [&](std::uint32_t place, std::uint32_t r) { out[first + place] = s.keys.load(lead + s.order.load(r)); });
  }
  /// Few values (`dense`) are sorted by digits, others by bins of the interval. Where keys are skewed in the bins,
  /// equal ones are counted, if they are keys alone, and different ones sorted by bins. What is skewed then is sorted
  /// by digits, or, between splitters, by pieces of the interval, if none is too large. Returns how many values have
  /// been counted and sorted; 0: the keys themselves have been sorted.
  SORTILE_DEVICE std::uint32_t put_in_order(shared& s, bucket b, const bins_of& bin, bool dense) const {
    const unsigned alike = dense ? bins_are_skewed : spread_each ? lanes_alike(s, b, bin) : 0;
    bool by_bins = alike < (counts_repeats ? looks_for_equals : bins_are_skewed), may_count = counts_repeats && !dense;
    const bool untried = !by_bins && alike < bins_are_skewed;
    std::uint32_t values = 0;
    SORTILE_NO_UNROLL
    while (!by_bins || !order_by_bins(s, b, bin)) {
      simt::block_barrier(); // nobody reads bins or the list any more
      if constexpr (counts_repeats)
        if (may_count && !few_passes(s))
          values = take_out(s, image, b.key_lead, b.pairs);
      if (may_count && (values != 0 || untried)) {
        may_count = false;
        by_bins = true;
        b.pairs = values != 0 ? values : b.pairs;
        continue;
      }
      if constexpr (!spread_each)
        order_by_radix(s, b);
      else if (dense || few_passes(s) || !order_by_pieces(s, b))
        sort_by_digits(s, b);
      break;
    }
    return values;
  }
  /// False, in all threads, behind a barrier, where a piece is too large.
  SORTILE_DEVICE bool order_by_pieces(shared& s, const bucket& b) const {
    const auto image_of = [&](std::uint32_t p) { return image.image(key_of(s, b, p)); };
    pieces::make(s.pieced.made, s.pieces_in_the_making, s.interval.load(0), s.interval.load(1), b.pairs, image_of);
    simt::block_barrier();
    const bool done = pieces::find(s.pieced.made, s.pieced.rank, s.order.view(), b.pairs, image_of);
    if (!done)
      simt::block_barrier();
    return done;
  }
  /// Whether so few digits sort a bucket between splitters that nothing else is quicker.
  static SORTILE_DEVICE bool few_passes(shared& s) {
    if constexpr (!spread_each)
      return false;
    constexpr unsigned few = 3;
    const unsigned bits =
        8 * unsigned(sizeof(Word)) - unsigned(simt::leading_zeros(Word(s.interval.load(0) ^ s.interval.load(1))));
    return bits <= few * passes::digit_bits;
  }
  SORTILE_DEVICE void sort_deferred(shared& s) const {
    if (gate.idle())
      return;
    const std::uint32_t many = deferred.findings.load(pair_deferred);
    const bool mapped = is_mapped();
    unsigned phase = 0;
    for (std::uint32_t k = simt::block_index(); k < many; k += simt::grid_size()) {
      const std::uint32_t q = deferred.buckets.load(k);
      const bucket b = this_bucket(q);
      if (spread_each && b.pairs > capacity) // for large_pairs_kernel
        continue;
      if (b.pairs > capacity)
        simt::trap(); // whoever counted has refused these
      sort_bucket(s, q, b, bins_of_bucket(q, mapped), phase++);
      simt::bulk_fence(); // the next bulk copy into this storage comes after these accesses
      simt::block_barrier();
    }
  }

  SORTILE_DEVICE void sort_alone(shared& s) const {
    const bucket b = this_bucket(0);
    if (b.pairs == 0)
      return;
    if (b.pairs > capacity)
      return leave(0);
    fetch(s, 0, b, 0);
    bins_of bin = bins_of::by_bits(image);
    bool uneven = skewed(s, b, bin);
    if (uneven && bins_of::interval_may_help(image, key_of(s, b, simt::thread_index() % b.pairs))) {
      const auto ends = interval::of(s.ends, image, [&](auto f) {
        for (std::uint32_t p = simt::thread_index(); p < b.pairs; p += block_threads)
          f(key_of(s, b, p));
      });
      bin = bins_of::between(image, ends.low, ends.high);
      uneven = skewed(s, b, bin);
    }
    if (uneven || !order_by_bins(s, b, bin)) {
      simt::block_barrier(); // nobody reads bins or the list any more
      order_by_radix(s, b);
    }
    simt::block_barrier();
    store(s, b);
  }
  /// f(i) for the thread's items.
  template <class F>
  static SORTILE_DEVICE void each_item(F f) {
    if constexpr (alone) {
      SORTILE_NO_UNROLL
      for (int i = 0; i < items; ++i)
        f(i);
    } else {
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i)
        f(i);
    }
  }
  SORTILE_DEVICE void leave(std::uint32_t q) const {
    if (simt::thread_index() == 0)
      deferred.add(q);
  }

  SORTILE_DEVICE bucket this_bucket(std::uint32_t q) const {
    const std::uint32_t b = alone ? 0 : start.load(q), e = alone ? n : start.load(q + 1);
    return {b, e - b, b % key_vector, b % value_vector};
  }
  static SORTILE_DEVICE Word key_of(shared& s, const bucket& b, std::uint32_t i) { return s.keys.load(b.key_lead + i); }

  /// Keys and values to shared storage, everything else to its beginning.
  SORTILE_DEVICE void fetch(shared& s, std::uint32_t q, const bucket& b, unsigned phase) const {
    const copies bring{in, in_values, n};
    const bool with_values = has_values && !(alone && make_indices);
    if (simt::thread_index() == 0) {
      bring.begin(s.keys, s.values, s.arrived, b, with_values, phase == 0);
      s.listed = 0;
      s.too_many = 0;
      for (unsigned w = 0; w < image_words; ++w)
        s.differ[w] = 0;
    }
    if constexpr (spread_each)
      if (simt::thread_index() == block_threads - 1) {
        s.interval[0] = q == 0 ? Word{0} : Word(cuts.load(q - 1) + 1);
        s.interval[1] = cuts.load(q);
      }
    if (!alone && !listed_buckets)
      bring.template prefetch_later<block_threads>(
          start, capacity); // behind the bucket's own copies, which do not wait for it
    bring.rest(s.keys, s.values, b, with_values);
    bin_words::clear(s.bins().view());
    simt::block_barrier();
    s.arrived.wait(phase % 2);
  }

  /// False, in all threads, where the bins cannot take the pairs.
  SORTILE_DEVICE bool order_by_bins(shared& s, const bucket& b, const bins_of& bin) const {
    return pair_places<local_pairs_kernel>{image}.put_in_order(s, b, bin);
  }
  /// Any keys, by digits of 8 bits.
  SORTILE_DEVICE void order_by_radix(shared& s, const bucket& b) const {
    radix_order::find(s.radix, s.order.view(), b.pairs, [&](std::uint32_t p) { return image.image(key_of(s, b, p)); });
  }

  /// Whether the pairs are skewed; the same in all threads.
  SORTILE_DEVICE bool skewed(shared& s, const bucket& b, const bins_of& bin_of) const {
    return lanes_alike(s, b, bin_of) >= bins_are_skewed;
  }
  SORTILE_DEVICE unsigned lanes_alike(shared& s, const bucket& b, const bins_of& bin_of) const {
    const unsigned t = simt::thread_index();
    return lanes_alike_in_bins(t < b.pairs, [&] { return bin_of(key_of(s, b, t)); });
  }
  SORTILE_DEVICE void sort_by_digits(shared& s, const bucket& b) const {
    passes::sort(s.rank, s.differ, s.order, b.pairs, [&](std::uint32_t p) { return image.image(key_of(s, b, p)); });
  }

  /// Rows of a warp begin at multiples of 32 pairs in memory.
  SORTILE_DEVICE void store(shared& s, const bucket& b) const {
    const std::uint32_t lead = b.first % simt::warp_size;
    const auto put = [&](int i) {
      const std::uint32_t q = unsigned(i) * block_threads + simt::thread_index();
      if (q >= lead && q - lead < b.pairs)
        store_pair(s, b, s.order.load(q - lead), q - lead);
    };
    each_item(put);
    if (!alone) // whose first pair is at 0
      put(items);
  }
  SORTILE_DEVICE void store_pair(shared& s, const bucket& b, std::uint32_t from, std::uint32_t place) const {
    const std::uint32_t to = b.first + place;
    if (write_keys)
      out[to] = s.keys.load(b.key_lead + from);
    if constexpr (has_values) {
      if (!(alone && make_indices))
        out_values[to] = s.values.load(b.value_lead + from);
      else if constexpr (value_size<Value> <= 8)
        out_values[to] = Value(from);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
