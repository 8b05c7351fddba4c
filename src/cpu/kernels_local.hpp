// The local kernel: sorts a segment whose working set stays in one core's L2 cache.
//
// Idea: an LSD radix sort over only as many leading bits as tell the keys apart, then a repair of what is left.
//   1. One scan of the segment finds the bits in which keys differ. No key moves for bits above the highest of these.
//   2. The first log2(m) + 4 differing bits tell nearly all of m random keys apart. One to three counting passes sort
//      by them, least significant digit first (each stable), between the segment and two scratch lanes.
//   3. One walk over the result. Where a key is smaller than the one before it, a run of neighbours shares those bits.
//      The run is sorted by its lower bits: by insertion where it is short, else by this same procedure.
// So 64- and 128-bit keys cost hardly more moves than 32-bit ones: the low bits are only compared. Where runs are long
// (skewed keys), each level of the recursion uses up the highest bits that differ, so there are at most as many levels
// as bits, and in practice two or three.
//
//   from ──digit 0──▶ first ──digit 1──▶ to          (two digits; with three: from ▶ first ▶ second ▶ to)
//
// Where `to` is in main memory, the last pass and the repair work in a third lane, which is then written out in order.
//
// Sources: LSD counting sort: Knuth, TAOCP 3, 5.2.5, algorithm R. Leading bits first, then insertion: MacLaren's
// method, ibid. ("the first half of the key, then one insertion pass over the file").
#pragma once

#include "cpu/kernels_words.hpp"
#include "cpu/sampled_split.hpp"

#include <bit>
#include <cstring>
#include <utility>

namespace sortile::cpu {

// Which digits of a segment's differing bits a local sort orders by counting: least significant first.
template <class K>
struct local_digits {
  digit digits[max_local_digits];
  unsigned count = 0;
  K below = 0; // the differing bits that are left to the repair

  local_digits(K differing, std::size_t n) {
    // About log2(n) + 4 bits; fewer where clearing and summing their counters would cost more than the repair.
    const unsigned telling = static_cast<unsigned>(std::bit_width(n)) + (n >= 8192 ? 4 : n >= 1024 ? 2 : 0);
    const unsigned span = width_of_key(differing) - static_cast<unsigned>(lowest_bit(differing));
    const unsigned wanted = span <= telling + 3 ? span : telling;
    const unsigned passes = wanted <= 10 ? 1 : wanted <= 2 * max_digit_bits ? 2 : 3;
    const unsigned width =
        (wanted + passes - 1) / passes < max_digit_bits ? (wanted + passes - 1) / passes : max_digit_bits;
    K rest = differing;
    while (count < passes && rest != 0) {
      const unsigned top = width_of_key(rest);
      const unsigned lowest = lowest_bit(rest);
      const unsigned shift = top - lowest <= width ? lowest : top - width;
      for (unsigned i = count; i > 0; --i)
        digits[i] = digits[i - 1];
      digits[0] = {shift, top - shift};
      ++count;
      rest = static_cast<K>(rest & low_bits<K>(shift));
    }
    below = rest;
  }

  static unsigned lowest_bit(K x) { return width_of_key(static_cast<K>(x & (~x + 1))) - 1; }
};

// The result is made in a scratch lane where it is not in the cache: each write of the last pass would fetch a line
// from memory. Below so many keys that is not worth it.
inline constexpr std::size_t stream_from_keys = 512;

// Words of more keys than this would have no room for a key of 32 bits.
inline constexpr std::size_t words_most = std::size_t{1} << 32;

template <class K, class V>
class local_sorter {
 public:
  local_sorter(const key_image<K>& image, const local_scratch<K>& scratch)
      : image_(image), scratch_(scratch), kernels_(best_kernels<K>()) {}

  void sort(const source<K>& from, std::size_t n, const lanes<K>& to) const {
    if (n <= insertion_limit)
      return insertion_sort(from, n, to);
    const K differing = kernels_.differing(from.keys, n, image_);
    if (differing == 0)
      return copy_lanes<K, V>(from, n, to);
    const local_digits<K> plan(differing, n);
    if constexpr (sizeof(K) == 4 || sizeof(K) == 8) {
      const bool one_pass = plan.count == 1 && plan.below == 0;
      if (n <= words_most && !one_pass && best_vector_kernels<std::uint64_t>() != nullptr)
        return sort_by_words<K, V>(from, n, image_, differing, to, scratch_);
    }
    count(from.keys, n, plan);
    move(from, n, plan, to);
    if (plan.below != 0)
      repair(n, plan, to);
  }

 private:
  std::uint32_t* counts(unsigned i) const { return scratch_.counts + i * max_buckets; }

  // Stable, from `from` into `to`, which may be the same place.
  void insertion_sort(const source<K>& from, std::size_t n, const lanes<K>& to) const {
    K images[insertion_limit];
    value_block<V> values_of;
    [[maybe_unused]] const V* const in = values_of(from, 0, n);
    [[maybe_unused]] V* const values = to.template values_as<V>();
    for (std::size_t i = 0; i < n; ++i) {
      const K key = from.keys[i], x = image_.ordering(key);
      std::size_t at = i;
      if constexpr (has_values<V>) {
        const V value = in[i];
        for (; at > 0 && images[at - 1] > x; --at) {
          images[at] = images[at - 1];
          to.keys[at] = to.keys[at - 1];
          values[at] = values[at - 1];
        }
        values[at] = value;
      } else {
        for (; at > 0 && images[at - 1] > x; --at) {
          images[at] = images[at - 1];
          to.keys[at] = to.keys[at - 1];
        }
      }
      images[at] = x;
      to.keys[at] = key;
    }
  }

  // Counts all digits in one go, then turns counts into the position where each bucket begins.
  void count(const K* keys, std::size_t n, const local_digits<K>& plan) const {
    for (unsigned i = 0; i < plan.count; ++i)
      std::memset(counts(i), 0, plan.digits[i].buckets() * sizeof(std::uint32_t));
    constexpr std::size_t block = 4096; // stays in the L1 cache from the first digit's count to the last's
    for (std::size_t j = 0; j < n; j += block)
      for (unsigned i = 0; i < plan.count; ++i)
        kernels_.count(keys + j, n - j < block ? n - j : block, image_, plan.digits[i], counts(i));
    for (unsigned i = 0; i < plan.count; ++i) {
      std::uint32_t* const c = counts(i);
      std::uint32_t sum = 0;
      for (std::size_t b = 0; b < plan.digits[i].buckets(); ++b)
        sum += std::exchange(c[b], sum);
    }
  }

  void move(const source<K>& from, std::size_t n, const local_digits<K>& plan, const lanes<K>& to) const {
    if (plan.count == 1) {
      const bool aliased = from.keys == to.keys || (has_values<V> && from.values == to.values);
      scatter(from, n, plan.digits[0], counts(0), aliased ? scratch_.first : to);
      if (aliased)
        copy_lanes<K, V>(scratch_.first, n, to);
      return;
    }
    scatter(from, n, plan.digits[0], counts(0), scratch_.first);
    if (plan.count == 3)
      scatter(scratch_.first, n, plan.digits[1], counts(1), scratch_.second);
    scatter(plan.count == 3 ? scratch_.second : scratch_.first, n, plan.digits[plan.count - 1], counts(plan.count - 1),
            to);
  }

  void scatter(const source<K>& from, std::size_t n, digit d, std::uint32_t* position, const lanes<K>& to) const {
    K* const out = to.keys;
    [[maybe_unused]] V* const out_values = to.template values_as<V>();
    alignas(64) std::uint16_t digits[digit_block];
    value_block<V> values_of;
    for (std::size_t i = 0; i < n; i += digit_block) {
      const std::size_t m = n - i < digit_block ? n - i : digit_block;
      const K* const in = from.keys + i;
      [[maybe_unused]] const V* const in_values = values_of(from, i, m);
      kernels_.digits(in, m, image_, d, digits);
      for (std::size_t j = 0; j < m; ++j) {
        const std::uint32_t p = position[digits[j]]++;
        out[p] = in[j];
        if constexpr (has_values<V>)
          out_values[p] = in_values[j];
      }
    }
  }

  // Sorts the runs of keys that the digits did not tell apart.
  void repair(std::size_t n, const local_digits<K>& plan, const lanes<K>& to) const {
    const K prefix = static_cast<K>(image_.window & static_cast<K>(~low_bits<K>(plan.digits[0].shift)));
    const auto ordering = [&](std::size_t i) { return image_.ordering(to.keys[i]); };
    K previous = ordering(0);
    for (std::size_t i = 1; i < n;) {
      const K x = ordering(i);
      if (x >= previous) {
        previous = x;
        ++i;
        continue;
      }
      const K shared = static_cast<K>(x & prefix);
      std::size_t begin = i - 1, end = i + 1;
      while (begin > 0 && static_cast<K>(ordering(begin - 1) & prefix) == shared)
        --begin;
      while (end < n && static_cast<K>(ordering(end) & prefix) == shared)
        ++end;
      const lanes<K> run = to.at(begin);
      sort(run, end - begin, run);
      previous = ordering(end - 1);
      i = end;
    }
  }

  const key_image<K> image_;
  const local_scratch<K>& scratch_;
  const kernels<K>& kernels_;
};

template <class K, class V>
void local(const source<K>& from, std::size_t n, const key_image<K>& image, const lanes<K>& to,
           const local_scratch<K>& scratch, bool stream) {
  const bool through_lane = stream && n > stream_from_keys;
  local_sorter<K, V>(image, scratch).sort(from, n, through_lane ? scratch.result : to);
  if (!through_lane)
    return;
  const auto write_out = best_kernels<K>().write_out;
  write_out(scratch.result.keys, n * sizeof(K), to.keys);
  if constexpr (has_values<V>)
    write_out(scratch.result.values, n * sizeof(V), to.values);
}

} // namespace sortile::cpu
