// The local kernel: sorts a segment whose working set stays in one core's L2 cache. Included once per instruction set
// (kernels_all.hpp).
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
namespace sortile::cpu::SORTILE_CPU_ISA {

template <class K>
inline unsigned bit_width(K x) {
  if constexpr (sizeof(K) == 16) {
    const auto high = static_cast<std::uint64_t>(x >> 64), low = static_cast<std::uint64_t>(x);
    return static_cast<unsigned>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
  } else {
    return static_cast<unsigned>(std::bit_width(x));
  }
}

// The lowest `bits` bits.
template <class K>
inline K low_bits(unsigned bits) {
  return bits >= 8 * sizeof(K) ? static_cast<K>(~K{0}) : static_cast<K>((K{1} << bits) - 1);
}

// Which digits of a segment's differing bits a local sort orders by counting: least significant first.
template <class K>
struct local_digits {
  digit digits[max_local_digits];
  unsigned count = 0;
  K below = 0; // the differing bits that are left to the repair

  local_digits(K differing, std::size_t n) {
    // About log2(n) + 4 bits; fewer where clearing and summing their counters would cost more than the repair.
    const unsigned telling = static_cast<unsigned>(std::bit_width(n)) + (n >= 8192 ? 4 : n >= 1024 ? 2 : 0);
    const unsigned span = bit_width(differing) - static_cast<unsigned>(lowest_bit(differing));
    const unsigned wanted = span <= telling + 3 ? span : telling;
    const unsigned passes = wanted <= 10 ? 1 : wanted <= 2 * max_digit_bits ? 2 : 3;
    const unsigned width =
        (wanted + passes - 1) / passes < max_digit_bits ? (wanted + passes - 1) / passes : max_digit_bits;
    K rest = differing;
    while (count < passes && rest != 0) {
      const unsigned top = bit_width(rest);
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

  static unsigned lowest_bit(K x) { return bit_width(static_cast<K>(x & (~x + 1))) - 1; }
};

// Insertion sort, stable, from `from` into `to`, which may be the same place.
template <bool Exact, bool MakesIndices, class K, class V>
void insertion_sort(const source<K, V>& from, std::size_t n, const key_image<K>& image, const lanes<K, V>& to) {
  for (std::size_t i = 0; i < n; ++i) {
    const K key = from.keys[i];
    const K x = static_cast<K>(image_of<Exact>(image, key) & image.window);
    std::size_t at = i;
    if constexpr (has_values<V>) {
      const V value = value_at<MakesIndices>(from, i);
      for (; at > 0 && static_cast<K>(image_of<Exact>(image, to.keys[at - 1]) & image.window) > x; --at) {
        to.keys[at] = to.keys[at - 1];
        to.values[at] = to.values[at - 1];
      }
      to.values[at] = value;
    } else {
      for (; at > 0 && static_cast<K>(image_of<Exact>(image, to.keys[at - 1]) & image.window) > x; --at)
        to.keys[at] = to.keys[at - 1];
    }
    to.keys[at] = key;
  }
}

template <bool MakesIndices, class K, class V>
void copy_lanes(const source<K, V>& from, std::size_t n, const lanes<K, V>& to) {
  if (from.keys != to.keys)
    std::memcpy(to.keys, from.keys, n * sizeof(K));
  if constexpr (MakesIndices) {
    for (std::size_t i = 0; i < n; ++i)
      to.values[i] = value_at<true>(from, i);
  } else if constexpr (has_values<V>) {
    if (from.values != to.values)
      std::memcpy(to.values, from.values, n * sizeof(V));
  }
}

// The last pass scatters its keys. Where the result is not in the cache, each of those writes would fetch a line from
// memory; so the result is made in a scratch lane, which is in the cache, and then written in order. Below so many keys
// that is not worth it.
inline constexpr std::size_t stream_from_keys = 512;

// For more keys than this, words would have no room for an image of 32 bits.
inline constexpr std::size_t words_most = std::size_t{1} << 32;

// Writes past the caches; other threads see it when the call returns.
inline void write_out(const void* from, std::size_t bytes, void* to) {
  stream_bytes(to, from, bytes);
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

} // namespace sortile::cpu::SORTILE_CPU_ISA

#include "cpu/kernels_words.ipp"

namespace sortile::cpu::SORTILE_CPU_ISA {

template <class K, class V>
struct local_sorter {
  const key_image<K> image;
  const local_scratch<K, V> scratch;

  template <bool Exact, bool MakesIndices>
  void sort(const source<K, V>& from, std::size_t n, const lanes<K, V>& to) const {
    if (n <= insertion_limit) {
      insertion_sort<Exact, MakesIndices>(from, n, image, to);
      return;
    }
    const K differing = differing_bits<Exact>(from.keys, n);
    if (differing == 0) {
      copy_lanes<MakesIndices>(from, n, to);
      return;
    }
    const local_digits<K> plan(differing, n);
    if constexpr (sizeof(K) == 4 || sizeof(K) == 8) {
      const bool one_pass = plan.count == 1 && plan.below == 0;
      if (n <= words_most && !one_pass && best_vector_kernels<std::uint64_t>() != nullptr)
        return sort_by_words<Exact, MakesIndices>(from, n, image, differing, to, scratch);
    }
    count<Exact>(from.keys, n, plan);
    move<Exact, MakesIndices>(from, n, plan, to);
    if (plan.below != 0)
      repair<Exact>(n, plan, to);
  }

 private:
  std::uint32_t* counts(unsigned i) const { return scratch.counts + i * max_buckets; }

  template <bool Exact>
  K differing_bits(const K* keys, std::size_t n) const {
    const key_image<K> im = image;
    const K first = image_of<Exact>(im, keys[0]);
    K differing = 0;
    for (std::size_t i = 1; i < n; ++i)
      differing = static_cast<K>(differing | static_cast<K>(image_of<Exact>(im, keys[i]) ^ first));
    return static_cast<K>(differing & im.window);
  }

  // Counts all digits in one go, then turns counts into the position where each bucket begins.
  template <bool Exact>
  void count(const K* keys, std::size_t n, const local_digits<K>& plan) const {
    for (unsigned i = 0; i < plan.count; ++i)
      std::memset(counts(i), 0, plan.digits[i].buckets() * sizeof(std::uint32_t));
    constexpr std::size_t block = 4096; // stays in the L1 cache from the first digit's count to the last's
    for (std::size_t j = 0; j < n; j += block)
      for (unsigned i = 0; i < plan.count; ++i)
        count_digit<Exact>(keys + j, n - j < block ? n - j : block, image, plan.digits[i], counts(i));
    for (unsigned i = 0; i < plan.count; ++i) {
      std::uint32_t* const c = counts(i);
      std::uint32_t sum = 0;
      for (std::size_t b = 0; b < plan.digits[i].buckets(); ++b)
        sum += std::exchange(c[b], sum);
    }
  }

  template <bool Exact, bool MakesIndices>
  void move(const source<K, V>& from, std::size_t n, const local_digits<K>& plan, const lanes<K, V>& to) const {
    bool aliased = from.keys == to.keys;
    if constexpr (has_values<V>)
      aliased = aliased || from.values == to.values;
    if (plan.count == 1) {
      scatter<Exact, MakesIndices>(from, n, plan.digits[0], counts(0), aliased ? scratch.first : to);
      if (aliased)
        copy_lanes<false>(source<K, V>(scratch.first), n, to);
      return;
    }
    scatter<Exact, MakesIndices>(from, n, plan.digits[0], counts(0), scratch.first);
    if (plan.count == 3)
      scatter<Exact, false>(scratch.first, n, plan.digits[1], counts(1), scratch.second);
    scatter<Exact, false>(plan.count == 3 ? scratch.second : scratch.first, n, plan.digits[plan.count - 1],
                          counts(plan.count - 1), to);
  }

  template <bool Exact, bool MakesIndices>
  void scatter(const source<K, V>& from, std::size_t n, digit d, std::uint32_t* position, const lanes<K, V>& to) const {
    const source<K, V> in = from;
    const lanes<K, V> out = to;
    alignas(64) std::uint16_t digits[digit_block];
    for (std::size_t i = 0; i < n; i += digit_block) {
      const std::size_t m = n - i < digit_block ? n - i : digit_block;
      digits_of<Exact>(in.keys + i, m, image, d, digits);
      for (std::size_t j = i; j < i + m; ++j) {
        const std::uint32_t p = position[digits[j - i]]++;
        out.keys[p] = in.keys[j];
        if constexpr (has_values<V>)
          out.values[p] = value_at<MakesIndices>(in, j);
      }
    }
  }

  // Sorts the runs of keys that the digits did not tell apart.
  template <bool Exact>
  void repair(std::size_t n, const local_digits<K>& plan, const lanes<K, V>& to) const {
    const key_image<K> im = image;
    const K prefix = static_cast<K>(im.window & static_cast<K>(~low_bits<K>(plan.digits[0].shift)));
    const auto ordering = [&](std::size_t i) { return static_cast<K>(image_of<Exact>(im, to.keys[i]) & im.window); };
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
      const lanes<K, V> run = to.at(begin);
      sort<Exact, false>(run, end - begin, run);
      previous = ordering(end - 1);
      i = end;
    }
  }
};

template <class K, class V>
void local(source<K, V> from, std::size_t n, const key_image<K>& image, lanes<K, V> to,
           const local_scratch<K, V>& scratch, bool stream) {
  const bool through_lane = stream && n > stream_from_keys;
  const local_sorter<K, V> sorter{image, scratch};
  with_questions(from, image, [&](auto exact, auto makes_indices) {
    sorter.template sort<exact.value, makes_indices.value>(from, n, through_lane ? scratch.result : to);
  });
  if (!through_lane)
    return;
  write_out(scratch.result.keys, n * sizeof(K), to.keys);
  if constexpr (has_values<V>)
    write_out(scratch.result.values, n * sizeof(V), to.values);
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
