// Short arrays of some dozens to some hundreds of different keys: counted in a table, alone or with what they carry.
//
// Idea. Distribution counting (Knuth, TAOCP 3, 5.2) sorts keys of a small range by two reads, whatever their order.
// Keys that are few, but lie anywhere, have a small range once each different one has a slot in a hash table: its
// counter is there. So keys alone are counted, the different ones sorted, and each is written so often.
//
// Of pairs the counter tells more: what it says when a key is counted is how many equal ones stand before it. It is
// kept, with which key it is, 32 bits a pair. When all are counted it is known where the pairs of each key begin, and
//
//     place of a pair  =  begin of its key  +  equal ones before it
//
//     keys      b a b c a b      which, before   b0 a0 b1 c0 a1 b2      begins   a 0   b 2   c 5
//     places    2 0 3 5 1 4
//
// No counter is written in that second read, so no pair waits for the one before it, and values move once, stably, to
// where they belong. Places of a block are found before its values are written: a load waits until the processor knows
// where the stores before it go. Keys are not moved at all. Chains (value_chains.hpp) take longer, since each has to be
// told where it goes on before the next value comes; they do without a copy of the values, and write whole lines, which
// counts in arrays that the caches do not hold.
//
// A sample suggests how many different keys there are, and nothing depends on it: where there are more than the table
// has room for, or one is −0 or a NaN, whose order is not that of its bits, nothing has been written.
//
// Cost within the L2 cache: to count a key takes 1 ns, to put a value two thirds, a different key 20 ns.
#pragma once

#include "cpu/few_values.hpp"
#include "cpu/kernels.hpp"
#include "cpu/vector_parts.hpp"
#include "cpu/with_width.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

namespace sortile::cpu {

/// Where pairs belong: by which of the different keys a pair has, from one on, and how many equal ones stand before it,
/// in one number.
struct numbered_places {
  const std::uint32_t* begins;
  unsigned count_bits;

  std::uint32_t operator()(std::uint32_t number) const {
    return begins[number >> count_bits] + (number & ((std::uint32_t{1} << count_bits) - 1));
  }
};

template <class K>
class counted_values {
  using slots = value_slots<K, std::uint32_t>; // which key, from one on, above how many there are
  using entry = typename slots::entry;

 public:
  /// Different keys of which so many take less time to count than to sort n keys alone, or with what they carry.
  static std::size_t most_alone(std::size_t n) { return std::min<std::size_t>(n * sizeof(K) / 112, most_values); }
  static std::size_t most_with_values(std::size_t n) { return std::min<std::size_t>(n / 16, most_values); }

  /// For n < 2^20 keys, of which about so many are different, up to these.
  class shape {
   public:
    shape(std::size_t n, std::size_t about)
        : slots_(std::min(most_slots, std::bit_ceil((n / 64 < about ? 16 : 64) * about + 64))),
          most_(std::min(2 * about + 16, slots::most_in(slots_))),
          count_bits_(static_cast<unsigned>(std::bit_width(n))) {}
    std::size_t bytes() const {
      return (slots_ * sizeof(entry) + most_ * (sizeof(K) + 2 * sizeof(std::uint32_t)) + 63) / 64 * 64;
    }

   private:
    friend counted_values;
    std::size_t slots_, most_;
    unsigned count_bits_;
  };

  /// In memory of that size.
  counted_values(const shape& s, std::byte* memory)
      : slots_(memory, s.slots_ * sizeof(entry)), most_(s.most_), count_bits_(s.count_bits_),
        different_(reinterpret_cast<K*>(memory + s.slots_ * sizeof(entry))),
        begins_(reinterpret_cast<std::uint32_t*>(different_ + most_)), ends_(begins_ + most_) {}

  /// A key that will be met: one that is new to the table while others are counted is a branch mispredicted. At most as
  /// many as are expected.
  void expect(K key) { meet(key); }

  /// Counts n keys. False where there are too many different ones.
  bool count(const K* keys, std::size_t n) {
    return count_each(keys, n, [](std::size_t, std::uint32_t) {});
  }

  /// The same, with what places() take for each key.
  bool number(const K* keys, std::size_t n, std::uint32_t* numbers) {
    return count_each(keys, n, [numbers](std::size_t i, std::uint32_t number) { numbers[i] = number; });
  }

  /// Puts the different keys in order. False where one is −0 or a NaN.
  bool put_in_order(const key_image<K>& image) {
    if (image.is_float && std::any_of(different_, different_ + values_, [&](K key) { return image.is_special(key); }))
      return false;
    std::transform(different_, different_ + values_, different_, [&](K key) { return image.plain(key); });
    best_vector_kernels<K>()->sort(different_, values_, {}, different_);
    std::uint32_t begin = 0;
    for (std::size_t j = 0; j < values_; ++j) {
      different_[j] = image.key_of(different_[j]);
      const std::uint32_t which = slots_.find(different_[j])->what;
      begins_[(which >> count_bits_) - 1] = begin;
      ends_[j] = begin += which & mask();
    }
    return true;
  }

  numbered_places places() const { return {begins_ - 1, count_bits_}; }

  /// Writes all keys.
  void write_keys(K* to) const {
    const vector_parts<K>& parts = *best_vector_parts<K>();
    for (std::size_t j = 0, begin = 0; j < values_; begin = ends_[j++])
      parts.fill(to + begin, ends_[j] - begin, different_[j]);
  }

 private:
  static constexpr std::size_t most_values = 1024, most_slots = 16 * most_values; // up to 256 KiB
  // Sixteen slots for each expected key leave few in another one's slot, which is a branch mispredicted; 64 hardly any,
  // which takes a larger table to be cleared.

  std::uint32_t mask() const { return (std::uint32_t{1} << count_bits_) - 1; }

  /// The entry of a key that is not where it is if no other one is there; null: there is no room for it. Apart from the
  /// loop, which would read the counter a second time for each key.
  [[gnu::noinline]] entry* meet(K key) {
    entry* const e = slots_.find(key);
    if (e->what == 0) {
      if (values_ == most_)
        return nullptr;
      different_[values_++] = key;
      e->what = static_cast<std::uint32_t>(values_ << count_bits_);
    }
    return e;
  }

  template <class Note>
  bool count_each(const K* keys, std::size_t n, const Note& note) {
    const slots table = slots_; // what `home` needs stays in registers
    for (std::size_t i = 0; i < n; ++i) {
      entry* e = table.home(keys[i]);
      if (e->key != keys[i]) [[unlikely]] {
        e = meet(keys[i]);
        if (e == nullptr)
          return false;
      }
      note(i, e->what++);
    }
    return true;
  }

  slots slots_;
  std::size_t most_, values_ = 0;
  unsigned count_bits_;
  K* different_;          // as they are met, then in order
  std::uint32_t* begins_; // of each, as it was met
  std::uint32_t* ends_;   // of each, in order
};

/// Calls put(i, place) for each of n pairs.
template <class Put>
void each_place(std::size_t n, const std::uint32_t* numbers, numbered_places place_of, Put put) {
  constexpr std::size_t block = 16;
  std::uint32_t places[block];
  std::size_t i = 0;
  for (; i + block <= n; i += block) {
#pragma GCC unroll 16
    for (std::size_t j = 0; j < block; ++j)
      places[j] = place_of(numbers[i + j]);
#pragma GCC unroll 16
    for (std::size_t j = 0; j < block; ++j)
      put(i + j, places[j]);
  }
  for (; i < n; ++i)
    put(i, place_of(numbers[i]));
}

inline void put_values(const std::byte* from, std::byte* to, std::size_t width, std::size_t n,
                       const std::uint32_t* numbers, numbered_places places) {
  with_width(width, [=](auto w) {
    each_place(n, numbers, places,
               [from, to, w](std::size_t i, std::size_t place) { std::memcpy(to + place * w, from + i * w, w); });
  });
}

template <class Index>
void put_positions(Index* to, std::size_t n, const std::uint32_t* numbers, numbered_places places) {
  each_place(n, numbers, places, [to](std::size_t i, std::size_t place) { put_index(to[place], i); });
}

/// Sorts n pairs, or positions, of few different keys into `to`, which may be where they are and need not have keys.
/// `numbers` has room for n, `copy` for the values where they stay in their place. False, and nothing was done, where
/// `values` has no room for all, or −0 or a NaN is met.
template <class K>
bool sort_counted_pairs(const source<K>& from, std::size_t n, const lanes<K>& to, const key_image<K>& image,
                        counted_values<K>& values, std::uint32_t* numbers, std::byte* copy) {
  if (!values.number(from.keys, n, numbers) || !values.put_in_order(image))
    return false;
  if (!from.makes_indices()) {
    const bool stay = from.values == to.values;
    if (stay)
      std::memcpy(copy, from.values, n * to.width);
    put_values(stay ? copy : from.values, to.values, to.width, n, numbers, values.places());
  } else if (to.width == sizeof(std::uint32_t)) {
    put_positions(to.template values_as<std::uint32_t>(), n, numbers, values.places());
  } else {
    put_positions(to.template values_as<std::uint64_t>(), n, numbers, values.places());
  }
  if (to.keys != nullptr)
    values.write_keys(to.keys);
  return true;
}

} // namespace sortile::cpu
