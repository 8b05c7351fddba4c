// Tells by a sample whether keys are skewed. A sort by buckets that gives skewed keys to its fallback learns it here,
// before it reads all keys.
//
//   samples   S keys, one of each S-th part, the first and the last among them. At even distances ascending keys that
//             descend again would show each value twice, and keys that repeat their pattern always the same ones
//   bins      by the highest bits of a bucket's number: a bin is so many whole, neighbouring buckets
//   limit     a bin with so many samples says that the keys are skewed
//
// The limit. Where the buckets of a bin hold `most` keys each, and one more, some bucket among them is too large,
// however the keys lie in it. Such a bin is expected to have
//
//   λ = S · most · (buckets a bin) / n
//
// samples. The limit is λ + 6 √λ, and 32 at least. A bin that is exactly full reaches it less than once in a million
// times (Poisson). An evenly filled bin has fewer samples and never reaches it. Distributions that are skewed by nature
// (numbers of many magnitudes, few frequent values, one busy range) have bins with hundreds of samples.
//
// Groups. A wide range may be a little too full: the middle of a normal distribution has 4.4 times its share. That does
// not show in a bin of a few samples, but in 16 neighbouring bins together, by the same rule.
//
// Pairs. If no bucket has more than r times its share, then of any two samples one bin in B gets both with a
// probability of r / B at most (the sum of squared shares). Distributions that are dense at every scale have many bins
// that are a little too full, and none that stands out; but their pairs are three or four times as many. With c samples
// in a bin there are c (c − 1) ordered pairs, r S (S − 1) / B in all at most, give or take √2 times the root of that:
// of 8192 samples and 4096 bins one part in a hundred. The limit is six times as far. Where a sixteenth of the keys may
// be in buckets of up to `most`, and the others in such of up to `fits` keys, r = (15 fits + most) / 16 shares.
//
// Shared buckets. Clusters that are narrow beside a bin, and evenly spread, show in no bin and no group. But they leave
// most buckets empty and the others too full. So the samples that share their bucket with an earlier one are counted,
// in cells of one bit, as many as the counters have bits (two buckets a cell where there are 2^16). Of S samples over C
// cells these are
//
//   S − C (1 − e^(−S/C))        evenly: 63 of 2048 over 2^15 cells
//
// Where no bucket holds more than `fits` keys, there are at most as many as for C · n / (fits · buckets) cells; a
// sixteenth of the keys may lie in such of up to `most`. That number and six times its square root is the limit: 2048
// samples see clusters that leave two of three buckets empty (of pairs of 64 bits, whose buckets have less room, one of
// two). It is asked only where there are more buckets than bins.
//
// Uneven. Where something better can be tried than the fallback, less skew is asked for: whether more than a sixteenth
// of the samples lie in groups that are too full for the local step (`fits` keys a bucket in place of `most`), by twice
// the root in place of six times. The full count would give such keys away too.
//
// Few values. Where the samples have at most some hundreds, and hardly one that is seen but once, all keys have few,
// most likely, and are better counted than moved (lsd/value_table.hpp). Values are told apart by a hash; what is seen
// once tells how many keys have values that are not seen at all (Good 1953).
//
// Middling values. Where buckets are counted, a value that fills some of them costs a write, and values without
// repetitions cost nothing; what costs are values of some thousand keys beside others: Zipf's numbers, 20,000 to
// 250,000 values. They are those that repeat where frequent ones are left out, beside many that are seen but once.
//
// Repeats. Of 32-bit keys alone, a value that occurs some hundred times makes buckets uneven and fills a bin, and
// passes are quicker than what is done about that. So where one of 128 samples has another one's value, passes take the
// keys, however even their buckets are: up to some 100,000 values.
//
// Uneven bits. A smooth distribution leaves a key's lower bits even: one of two is set. Where bits differ and yet most
// are clear, or set, as in the AND of random words, keys are dense at every scale, and no map spreads them. So the
// two lowest quarters of samples that hardly repeat are counted, as far as their bits differ among a warp's: where of
// each less than three of eight bits are set, or more than five, passes take the keys at once, and no map is drawn.
// (One quarter alone may be uneven: the lowest, of numbers made from floats, and the other, of narrow clusters.)
//
// Order. Keys that seem to be sorted or descending are better not judged: the scan of all keys may find that a copy is
// enough. So a second question is whether no two neighbouring samples of a warp fall, or no two rise. Both hold where
// all samples are equal. An LSD sort, too, reads the keys once and copies them if they are in order. So where it is the
// only fallback (`in_order_too`), the sort of pairs does not ask the question. Samples that are all equal send the keys
// to an LSD sort wherever there is one (`equal_too`): if they are all equal, or nearly, it is the quickest.
//
// What a wrong answer costs. Even distances can meet a pattern of the input, and skew can be too small to show. The
// fallback takes all keys, skewed or not, and the full count finds skew that the sample misses. So the result is right
// either way, and only the time depends on the sample.
//
// Cost: S scattered loads, S additions in shared storage, seven barriers of one block; the same answer in every block
// that asks.
#pragma once

#include "kernels/alike_rows.hpp"
#include "primitives/multiplicative_hash.hpp"
#include "simt/simt.hpp"

#include <algorithm>
#include <cmath>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// What a sample is judged by.
struct skew_limits {
  unsigned bits = 0;              ///< of a bucket's number, which name a bin
  std::uint32_t limit = 0;        ///< samples of a bin; 0: no sample is judged
  std::uint32_t group_limit = 0;  ///< of `skew_sample::together` neighbouring bins
  unsigned bucket_bits = 0;       ///< of a bucket's number
  std::uint32_t shared_limit = 0; ///< samples that share a bucket with an earlier one; 0: they are not counted

  std::uint32_t pairs_limit = 0;  ///< ordered pairs of samples that share a bin; 0: not asked
  std::uint32_t uneven_limit = 0; ///< samples of a group whose buckets are too full, if only by a little; 0: not asked

  bool repeats_too = false; ///< values that repeat are reason enough

  bool in_order_too = false; ///< keys that seem to be in order are judged too: the fallback is as quick with them
  bool equal_too = false;    ///< so are keys that seem to be equal, by an LSD sort behind the fallback

  SORTILE_HOST_DEVICE bool judges() const { return limit != 0; }
};

/// CounterBits: more counters than bins tell more values apart.
template <unsigned Samples, unsigned MostBits, unsigned CounterBits = MostBits>
struct skew_sample : skew_limits {
  static constexpr unsigned samples = Samples, most_bits = MostBits;
  static constexpr double least_limit = 32;
  static constexpr unsigned cell_bits = MostBits + 5; ///< a bit of a counter is a cell
  static constexpr unsigned counter_bits = CounterBits, value_cell_bits = CounterBits + 5;
  static constexpr unsigned together_bits = 4, together = 1u << together_bits;
  using counters = simt::shared_array<std::uint32_t, (1u << counter_bits) + 4>; // and a sum
  using counter_view = simt::shared_view<std::uint32_t>;                        // of 2^bits of them, or more

  /// For 2^bucket_bits buckets that may hold `most` of n keys each, and nearly all of them no more than `fits`. Judges
  /// nothing where no sample could reach the limit.
  static skew_sample of(std::uint64_t n, unsigned bucket_bits, std::uint64_t most, std::uint64_t fits) {
    const unsigned bits = std::min(bucket_bits, most_bits);
    const double full = std::ldexp(double(samples) * double(most) / double(n), int(bucket_bits - bits));
    const auto limit_of = [](double expected) {
      return std::ceil(std::max(least_limit, expected + 6 * std::sqrt(expected)));
    };
    const double limit = limit_of(full), group = limit_of(together * full);
    // A sixteenth of all samples may lie in buckets of up to `most` keys, and the others in such of up to `fits`.
    const double all_cells = std::ldexp(1.0, int(std::min(bucket_bits, cell_bits)));
    const auto sharing_of = [&](double part, std::uint64_t keys) {
      const double cells = part * all_cells / std::max(1.0, std::ldexp(double(keys) / double(n), int(bucket_bits)));
      return part * samples - cells * (1 - std::exp(-part * samples / cells));
    };
    const double sharing = limit_of(sharing_of(15.0 / 16, fits) + sharing_of(1.0 / 16, most));
    const double fullness = std::ldexp((15.0 * double(fits) + double(most)) / 16 / double(n), int(bucket_bits));
    const double pairs = fullness * double(samples) * (samples - 1) / double(1u << bits);
    return {{.bits = bits,
             .limit = limit <= double(samples) ? std::uint32_t(limit) : 0,
             .group_limit = std::uint32_t(group),
             .bucket_bits = bucket_bits,
             .shared_limit = bucket_bits > bits && sharing <= double(samples) ? std::uint32_t(sharing) : 0,
             .pairs_limit = std::uint32_t(std::min(std::ceil(pairs + 6 * std::sqrt(2 * pairs)), 4e9))}};
  }

  /// Samples of a group from which on, most likely, its buckets hold more than `fits` keys each.
  static std::uint32_t uneven_from(std::uint64_t n, unsigned bucket_bits, std::uint64_t fits) {
    const unsigned bits = std::min(bucket_bits, most_bits);
    const double full = together * std::ldexp(double(samples) * double(fits) / double(n), int(bucket_bits - bits));
    return std::uint32_t(std::ceil(full + 2 * std::sqrt(full)));
  }

  /// Where sample i of n ≥ 1 keys stands: anywhere in its stretch of the keys, the same each time.
  static SORTILE_DEVICE std::uint64_t position(unsigned i, std::uint32_t n) {
    const std::uint32_t stretch = i == samples - 1 ? 0 : (n - 1) / (samples - 1);
    const std::uint32_t x = i * 0x9e3779b1u,
                        within = std::uint32_t(std::uint64_t{(x ^ x >> 15) * 0x85ebca6bu} * stretch >> 32);
    return std::uint64_t{i} * (n - 1) / (samples - 1) + within;
  }

  // By all threads of a block, which have `Each` samples each: sample j · block threads + t is thread t's images[j].
  // The answers are the same in all threads.

  /// The samples of each bin; bin_of(sample) is below 2^bits. Ends with a barrier.
  template <unsigned Threads, class Word, unsigned Each, class BinOf>
  SORTILE_DEVICE void count_bins(const counter_view& count, const Word (&xs)[Each], BinOf bin_of) const {
    static_assert(Threads * Each == samples);
    const unsigned t = simt::thread_index(), bins = 1u << bits;
    for (unsigned b = t; b < bins; b += Threads)
      count[b] = 0;
    simt::block_barrier();
    SORTILE_UNROLL
    for (unsigned j = 0; j < Each; ++j)
      count_lanes(true, bin_of(xs[j]), [&](std::uint32_t bin, std::uint32_t keys) {
        count.fetch_add(bin, keys, simt::relaxed, simt::block_scope);
      });
    simt::block_barrier();
  }
  /// The samples in the fullest of this thread's bins. After count_bins().
  template <unsigned Threads>
  SORTILE_DEVICE std::uint32_t fullest(const counter_view& count) const {
    std::uint32_t most = 0;
    for (unsigned b = simt::thread_index(); b < 1u << bits; b += Threads) {
      const std::uint32_t here = count.load(b);
      most = here > most ? here : most;
    }
    return most;
  }
  /// Whether some bin, or group, has as many samples as its limit, or pairs are as many as theirs. After count_bins().
  template <unsigned Threads>
  SORTILE_DEVICE bool skewed(const counter_view& count) const {
    bool found = fullest<Threads>(count) >= limit;
    for (unsigned g = simt::thread_index(); g < 1u << bits >> together_bits; g += Threads)
      found |= group_sum(count, g) >= group_limit;
    if (simt::block_any(found))
      return true;
    if (pairs_limit == 0)
      return false;
    std::uint32_t pairs = 0;
    for (unsigned b = simt::thread_index(); b < 1u << bits; b += Threads)
      if (const std::uint32_t here = count.load(b); here != 0)
        pairs += here * (here - 1);
    return sum_of_all(count, pairs) >= pairs_limit;
  }
  /// Whether more than a sixteenth of the samples are in groups that have as many as `uneven_limit`. After skewed().
  template <unsigned Threads>
  SORTILE_DEVICE bool uneven(const counter_view& count) const {
    std::uint32_t over = 0;
    for (unsigned g = simt::thread_index(); g < 1u << bits >> together_bits; g += Threads) {
      const std::uint32_t sum = group_sum(count, g);
      over += sum >= uneven_limit ? sum : 0;
    }
    simt::block_barrier(); // the last sum has been read
    return sum_of_all(count, over) > samples / 16;
  }
  /// Whether more samples share a bucket with an earlier one than can be; bucket_of(sample) is below 2^bucket_bits.
  /// Of this thread's samples those are not asked whose bit is in `passed_over`.
  template <unsigned Threads, class Word, unsigned Each, class BucketOf>
  SORTILE_DEVICE bool share_buckets(const counter_view& cells, const Word (&xs)[Each], BucketOf bucket_of,
                                    std::uint32_t passed_over = 0) const {
    return shared_limit != 0 && sharing<Threads, cell_bits>(cells, xs, bucket_of, passed_over) >= shared_limit;
  }
  /// How many samples have a value that an earlier one has, give or take four times the root of those that only a hash
  /// makes equal: 16 of 2048.
  template <unsigned Threads, class Word, unsigned Each>
  static SORTILE_DEVICE std::uint32_t repeated(const counter_view& cells, const Word (&xs)[Each]) {
    const std::uint32_t seen = sharing<Threads, value_cell_bits>(cells, xs, value_cell{});
    return seen > shared_by_chance ? seen - shared_by_chance : 0;
  }
  static constexpr std::uint32_t many_repeated = samples / 40, some_repeated = samples / 128;
  /// How many values the samples have, and how many of these are seen once; told apart by a hash.
  struct values_seen {
    static constexpr unsigned bins = 1u << most_bits, counted = 512; ///< by an LSD sort (lsd/value_table.hpp)
    unsigned seen, once;

    /// All keys have few values, most likely: some hundreds, and nearly all of the samples several times.
    SORTILE_DEVICE bool are_few() const {
      constexpr unsigned most = bins / 4 < counted ? bins / 4 : counted;
      return seen <= most && once <= samples / 256;
    }
    /// Nearly as many as different samples would have are seen once.
    SORTILE_DEVICE bool are_mostly_rare() const { return once > samples / 10; }
    /// They have more than an LSD sort counts: so many values fill so many bins, give or take.
    SORTILE_DEVICE bool are_many() const {
      constexpr unsigned filled =
          counted - counted * counted / (2 * bins) + counted * counted / bins * counted / (6 * bins);
      return seen > filled + filled / 8;
    }
  };
  /// The bin in which a value is counted.
  template <class Word>
  static SORTILE_DEVICE unsigned value_bin(Word x) {
    return primitives::multiplicative_hash<most_bits>(x);
  }
  template <unsigned Threads, class Word, unsigned Each>
  static SORTILE_DEVICE values_seen count_values(const counter_view& count, const Word (&xs)[Each]) {
    simt::block_barrier(); // nobody reads the counters
    skew_sample{{.bits = most_bits}}.template count_bins<Threads>(count, xs, [](Word x) { return value_bin(x); });
    std::uint32_t seen = 0, once = 0;
    for (unsigned b = simt::thread_index(); b < values_seen::bins; b += Threads) {
      const std::uint32_t here = count.load(b);
      seen += here != 0 ? 1 : 0;
      once += here == 1 ? 1 : 0;
    }
    const std::uint32_t sums = sum_of_all(count, seen << 16 | once);
    return {sums >> 16, sums & 0xffff};
  }
  /// Whether values repeat that are not frequent: a 200th of the samples have one that an earlier sample has. Those in
  /// bins of three times their share are not asked. After count_values() of the same samples.
  template <unsigned Threads, class Word, unsigned Each>
  static SORTILE_DEVICE bool repeat_moderately(const counter_view& count, const Word (&xs)[Each]) {
    constexpr unsigned frequent = 3 * (samples >> most_bits);
    std::uint32_t passed_over = 0;
    SORTILE_UNROLL
    for (unsigned j = 0; j < Each; ++j)
      passed_over |= count.load(value_bin(xs[j])) >= frequent ? 1u << j : 0;
    simt::block_barrier(); // the counters have been read
    return sharing<Threads, value_cell_bits>(count, xs, value_cell{}, passed_over) >= shared_by_chance + samples / 200;
  }
  /// Whether the bits in which keys differ are mostly clear, or mostly set, in each of the two lowest quarters.
  template <class Word, unsigned Each>
  static SORTILE_DEVICE bool have_uneven_bits(const counter_view& count, const Word (&images)[Each]) {
    static_assert(sizeof(Word) <= 8);
    constexpr unsigned width = 2 * sizeof(Word);
    return bits_are_uneven<width, 0>(count, images) && bits_are_uneven<width, width>(count, images);
  }
  /// Whether the samples rise, or fall, as far as is asked.
  template <class Word, unsigned Each>
  static SORTILE_DEVICE bool in_some_order(const Word (&images)[Each]) {
    bool falls = false, rises = false;
    SORTILE_UNROLL
    for (unsigned j = 0; j < Each; ++j) {
      const Word next = simt::shuffle_down(images[j], 1); // the last lane's own
      falls |= next < images[j];
      rises |= images[j] < next;
    }
    const bool any_falls = simt::block_any(falls), any_rises = simt::block_any(rises);
    return !any_falls || !any_rises;
  }

 private:
  static constexpr unsigned sum_at = 1u << counter_bits; // behind the counters

  /// Of so many bits from `Shift` on. Six barriers.
  template <unsigned Width, unsigned Shift, class Word, unsigned Each>
  static SORTILE_DEVICE bool bits_are_uneven(const counter_view& count, const Word (&images)[Each]) {
    constexpr std::uint32_t mask = (1u << Width) - 1;
    const auto bits_of = [](Word x) { return std::uint32_t(x >> Shift) & mask; };
    std::uint32_t any = 0, all = mask;
    SORTILE_UNROLL
    for (unsigned j = 0; j < Each; ++j) {
      any |= bits_of(images[j]);
      all &= bits_of(images[j]);
    }
    const std::uint32_t differ = simt::warp_reduce_or(any) & simt::warp_reduce_or(~all);
    std::uint32_t set = 0;
    SORTILE_UNROLL
    for (unsigned j = 0; j < Each; ++j)
      set += unsigned(simt::popcount(bits_of(images[j]) & differ));
    simt::block_barrier(); // the last sum has been read
    const std::uint32_t asked = sum_of_all(count, Each * unsigned(simt::popcount(differ)));
    simt::block_barrier();
    const std::uint32_t are_set = sum_of_all(count, set);
    return are_set < asked / 8 * 3 || are_set > asked / 8 * 5;
  }
  struct value_cell {
    template <class Word>
    SORTILE_DEVICE std::uint32_t operator()(Word x) const {
      return primitives::multiplicative_hash<value_cell_bits>(x);
    }
  };
  static constexpr unsigned shared_by_chance = samples / 2 * samples >> value_cell_bits; ///< by different values

  /// How many samples fall into a cell of one bit that an earlier one has taken.
  template <unsigned Threads, unsigned CellBits, class Word, unsigned Each, class BucketOf>
  static SORTILE_DEVICE std::uint32_t sharing(const counter_view& cells, const Word (&xs)[Each], BucketOf bucket_of,
                                              std::uint32_t passed_over = 0) {
    for (unsigned w = simt::thread_index(); w < 1u << (CellBits - 5); w += Threads)
      cells[w] = 0;
    simt::block_barrier();
    std::uint32_t taken = 0;
    SORTILE_UNROLL
    for (unsigned j = 0; j < Each; ++j) {
      if ((passed_over >> j & 1) != 0)
        continue;
      const std::uint32_t cell = bucket_of(xs[j]) & ((1u << CellBits) - 1), bit = 1u << (cell & 31);
      const bool was =
          (cells.load(cell >> 5, simt::relaxed, simt::block_scope) & bit) != 0 || // without waiting for others
          (cells.fetch_or(cell >> 5, bit, simt::relaxed, simt::block_scope) & bit) != 0;
      taken += was ? 1 : 0;
    }
    return sum_of_all(cells, taken);
  }
  /// Over all threads. Two barriers.
  static SORTILE_DEVICE std::uint32_t sum_of_all(const counter_view& count, std::uint32_t x) {
    if (simt::thread_index() == 0)
      count[sum_at] = 0;
    const std::uint32_t of_warp = simt::warp_reduce_add(x);
    simt::block_barrier();
    if (simt::lane_index() == 0)
      count.fetch_add(sum_at, of_warp, simt::relaxed, simt::block_scope);
    simt::block_barrier();
    return count.load(sum_at);
  }
  static SORTILE_DEVICE std::uint32_t group_sum(const counter_view& count, unsigned group) {
    std::uint32_t sum = 0;
    for (unsigned b = 0; b < together; ++b) // lanes begin at different bins, which lie in different banks
      sum += count.load(group * together + (b + group) % together);
    return sum;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
