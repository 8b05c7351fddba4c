// A bucket's sort where its keys lie in clusters: bins within the bins that occur.
//
// Where the keys of a bucket lie in clusters, most of its bins stay empty and a few get too many keys. So the bins that
// occur are numbered, and each is divided into finer ones, as many as there is room for:
//
//   number      bins that occur below a key's own: a prefix sum of the words' bits          0 … present − 1
//   finer bin   number | the next bits of the key's distance in which any keys differ       0 … bins − 1
//
//   keys        ..xXXx...............xXXXx.........xx..        3 of 16 bins occur
//   finer       .   .xX .XXx    .  xX .XXx . . x.x             each is divided by 5
//
// Finer bins grow with the key, so the local step goes on with them as with the others. There are at most 2^13 keys,
// and so many bins that occur, to 2^15 bins and more: every bin is divided by four at least, and the bins of a few
// narrow clusters by thousands. If these are still too few, the finer bins are refined in turn: up to four times. Bits
// in which no keys of the bucket differ are passed over, so that composite keys (an identifier, nothing, a small
// number) need one refinement, however wide they are.
//
// Where a finer bin has one value only, keys that share it are equal, whatever number of them. Then they are counted:
//
//   count       each key adds 1 to its finer bin's counter, of those that occur
//   place       an exclusive sum over the counters, and each key adds 1 once more: what it gets back is its place
//
// That is tried second, or at once where so many keys to so few bins would fill the list of those that found their bin
// taken. (A second plane of bits, for the second key of each bin, was slower.)
//
// Clusters a power of two apart have their bins in words that share a bank: with 64 of them a bucket, 2^24 keys took
// 0.49 ms in place of 0.38. So the first bins stand apart (bin_words.hpp).
//
// Numbered words, then counters, take the room of the keys, which stay in registers beside a finer bin (or a place) of
// 16 bits each. Cost: some 40 instructions a key each time, beside the local step's own.
#pragma once

#include "kernels/local/bin_words.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Bins, then places, one for each of a thread's keys, in registers: `i` is known when it is compiled.
template <int Items>
struct register_digits {
  static constexpr bool in_registers = true;
  std::uint32_t two[(Items + 1) / 2] = {};

  SORTILE_DEVICE std::uint32_t operator[](int i) const { return two[i / 2] >> (16 * (i % 2)) & 0xffff; }
  SORTILE_DEVICE void set(int i, std::uint32_t x) {
    std::uint32_t& both = two[i / 2];
    both = i % 2 == 0 ? (both & 0xffff0000u) | x : (both & 0xffff) | x << 16;
  }
};

/// Of a local_sort_kernel.
template <class Local>
struct refined_bins {
  using Word = typename Local::word;
  using shared = typename Local::shared;
  using bucket = typename Local::bucket;
  using keys_vector = typename Local::keys_vector;
  using digits = typename Local::digits;
  using bin_words = typename Local::bin_words;
  using own_digits = register_digits<Local::items>;
  static constexpr int vectors = Local::vectors, most_rounds = 4;
  static_assert(Local::capacity <= 1u << 13 && Local::bin_bits >= 15);

  /// Sorts the keys, which differ in these bits of their distance, by all threads of the block, and stores them. False,
  /// in all threads and with nothing stored, where the finest bins cannot take them.
  static SORTILE_DEVICE bool sort(const Local& step, shared& s, const bucket& b, const keys_vector (&keys)[vectors],
                                  const digits& d, Word differ) {
    own_digits own;
    Local::each_key(b, keys, [&](Word key, int i) { own.set(i, bin_words::apart(d(key))); });
    Local::set_bits(s, b, keys, own);
    unsigned shift = d.shift; // of the bins whose bits are set
    SORTILE_NO_UNROLL
    for (int round = 0; shift != 0; ++round) {
      if (round == most_rounds)
        return false;
      const std::uint32_t bins = refine(s, b, keys, d, differ, own, shift, round == 0);
      if (shift == 0 && Local::will_be_skewed(b.end - b.lead, bins / 2)) // no bin's values need all be there
        Local::set_bits(s, b, keys, own);
      else if (step.sort(s, b, keys, own))
        return true;
    }
    count(step, s, b, keys, own, d.shift == 0);
    return true;
  }

 private:
  /// From bins whose bits are set, and may stand apart, to finer ones of a smaller shift; returns how many of these
  /// there can be.
  static SORTILE_DEVICE std::uint32_t refine(shared& s, const bucket& b, const keys_vector (&keys)[vectors],
                                             const digits& d, Word differ, own_digits& own, unsigned& shift,
                                             bool are_apart) {
    const auto numbered = s.numbered.view();
    const std::uint32_t present = bin_words::number(s.bins().view(), numbered, s.sums.view(), are_apart);
    simt::block_barrier();
    const unsigned room = Local::bin_bits - bits_of(std::uint32_t(present - 1));
    const unsigned rest = bits_of(Word(differ & ((Word{1} << shift) - 1))), more = room < rest ? room : rest;
    shift = rest - more;
    Local::each_key(b, keys, [&](Word key, int i) {
      const auto next = std::uint32_t(d.value(key) >> shift) & ((1u << more) - 1);
      own.set(i, bin_words::number_of(numbered, own[i]) << more | next);
    });
    return present << more;
  }
  /// The keys have set the bits of their finer bins, which have a value each and may stand apart, and a barrier has
  /// passed. `own` becomes each key's place.
  static SORTILE_DEVICE void count(const Local& step, shared& s, const bucket& b, const keys_vector (&keys)[vectors],
                                   own_digits& own, bool are_apart) {
    constexpr unsigned each = Local::capacity / Local::block_threads | 1; // odd: lanes read different banks
    const std::uint32_t distinct = bin_words::number(s.bins().view(), s.bins().view(), s.sums.view(), are_apart);
    for (std::uint32_t q = simt::thread_index(); q < distinct; q += Local::block_threads)
      s.counters[q] = 0;
    simt::block_barrier();
    Local::each_key(b, keys, [&](Word, int i) {
      const std::uint32_t q = bin_words::number_of(s.bins().view(), own[i]);
      own.set(i, q);
      s.counters.fetch_add(q, 1u, simt::relaxed, simt::block_scope);
    });
    simt::block_barrier();
    const std::uint32_t first = simt::thread_index() * each;
    const std::uint32_t end = first + each < distinct ? first + each : distinct;
    std::uint32_t sum = 0;
    for (std::uint32_t q = first; q < end; ++q)
      sum += s.counters.load(q);
    std::uint32_t at = primitives::sum_of_lower_threads(s.sums.view(), sum) + b.lead;
    for (std::uint32_t q = first; q < end; ++q) {
      const std::uint32_t here = s.counters.load(q);
      s.counters[q] = at;
      at += here;
    }
    simt::block_barrier();
    Local::each_key(
        b, keys, [&](Word, int i) { own.set(i, s.counters.fetch_add(own[i], 1u, simt::relaxed, simt::block_scope)); });
    simt::block_barrier();
    Local::each_key(b, keys, [&](Word key, int i) { s.keys[own[i]] = key; });
    simt::block_barrier();
    step.store(s, b);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
