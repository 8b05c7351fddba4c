// Arrays in which few values fill many places: what a sample says of them, and a table that counts every value.
//
// Idea. A value that fills a sixteenth of an array or more is found faster by comparing every key with it than by
// moving keys: up to 16 such *heavy keys* are taken out of the array and counted, a vector at a time, what is left is
// sorted, and they are written back where they belong. Where there are more values than that, but still few, each key
// is looked up in a table and counted, and the result is written from the counts; keys that the sample did not have are
// put into the table when they are met. Neither way trusts the sample: it decides what is tried, not what is true.
//
// The table is open addressing with a multiplicative hash (Knuth, TAOCP 3, 6.4): one cache line a value, so that some
// hundred values stay in the L1 cache and some thousand in the L2 cache, and one multiplication, comparison and
// addition a key; three of four slots stay free, since a key that is not in its slot is a branch mispredicted. Keys
// that are the same as the one before would wait for its counter, so a value that is heavier than a quarter is left to
// the comparisons.
#pragma once

#include "cpu/memory_slots.hpp"
#include "cpu/sampled_split.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <utility>

namespace sortile::cpu {

/// What a sample says of frequent values.
template <class K>
struct value_frequencies {
  static constexpr std::size_t most_heavy = sizeof(K) == 4 ? 32 : 16; ///< a table counts more wide ones in less time
  K heavy[most_heavy];                                                ///< images, ascending
  std::size_t heavy_values = 0;
  std::size_t heavy_keys = 0; ///< of the sample
  std::size_t heaviest = 0;   ///< places that one value fills in the sample
  std::size_t values = 0;     ///< in the sample
  std::size_t once = 0;       ///< of them, those that it has once
  std::size_t twice = 0;      ///< and twice

  /// Of images in order. Heavy are values that come `least` times, but for those that are `left_out`.
  template <class F>
  value_frequencies(const K* images, std::size_t size, std::size_t least, F&& left_out) : size_(size) {
    for (std::size_t i = 0, end = 0; i < size; i = end) {
      while (end < size && images[end] == images[i])
        ++end;
      ++values;
      once += end - i == 1;
      twice += end - i == 2;
      heaviest = std::max(heaviest, end - i);
      if (end - i >= least && heavy_values < most_heavy && !left_out(images[i])) {
        heavy[heavy_values++] = images[i];
        heavy_keys += end - i;
      }
    }
  }

  template <class F>
  value_frequencies(const key_sample<K>& sample, F&& left_out)
      : value_frequencies(sample.images, sample.size, sample.size / 32, std::forward<F>(left_out)) {}

  value_frequencies(const K* images, std::size_t size, std::size_t least)
      : value_frequencies(images, size, least, [](K) { return false; }) {}
  explicit value_frequencies(const key_sample<K>& sample) : value_frequencies(sample, [](K) { return false; }) {}

  bool are_all_heavy() const { return heavy_keys == size_; }
  bool are_nearly_all_heavy() const { return heavy_keys >= size_ / 8 * 7; }
  /// Whether comparisons with the heavy keys pay: they are all that there is, or save a part of the sort.
  bool heavy_ones_pay(std::size_t most) const {
    return are_all_heavy() || (!table_pays(most) && heavy_keys >= size_ / 4);
  }
  /// Whether counting pays in a table that holds so many values.
  bool table_pays(std::size_t most) const { return !are_all_heavy() && may_be_looked_up() && are_few(most); }
  /// Whether keys do not wait too often for the counter of the one before them.
  bool may_be_looked_up() const { return heaviest <= size_ / 4; }
  /// How many values there are: those that the sample has once and twice tell (Chao 1984), too few where some are rare.
  std::size_t about() const { return about(values, once, twice); }
  static std::size_t about(std::size_t values, std::size_t once, std::size_t twice) {
    return values + once * once / (2 * std::max<std::size_t>(twice, 1));
  }
  /// Whether a table that holds so many values has room for all. A quarter of it is left for rare ones. Where hardly
  /// any of those that the sample has once comes a second time, nothing says that they are not as many as there are
  /// places.
  bool are_few(std::size_t most) const { return once <= 16 * twice + 2 && about() <= most / 4 * 3; }

 private:
  std::size_t size_;
};

/// Values and what is known of each, by open addressing. What{} marks a free slot.
template <class K, class What>
class value_slots {
 public:
  struct entry {
    K key;
    What what;
  };
  /// Slots that fit into so many bytes.
  static std::size_t slots_in(std::size_t bytes) {
    return std::size_t{1} << std::min(most_slot_bits, static_cast<unsigned>(std::bit_width(bytes / sizeof(entry))) - 1);
  }
  /// Values that so many slots hold: three of four stay free.
  static std::size_t most_in(std::size_t slots) { return slots / 4; }
  /// As much memory as so many values take.
  static std::size_t bytes_for(std::size_t values) {
    return std::bit_ceil(4 * std::min(values, most_in(std::size_t{1} << most_slot_bits))) * sizeof(entry);
  }

  /// Empty, in memory that is aligned for an entry and has room for two at least.
  value_slots(std::byte* memory, std::size_t bytes)
      : entries_(reinterpret_cast<entry*>(memory)), slots_(slots_in(bytes)),
        shift_(64 - static_cast<unsigned>(std::bit_width(slots_)) + 1) {
    std::fill_n(entries_, slots_, entry{});
    entries_[0].key = 1; // key 0 belongs here and 1 does not, so no free slot seems to be that of a key
  }

  /// Where a key is unless another one is there.
  entry* home(K key) const { return entries_ + (hash_of(key) >> shift_); }

  /// The entry of a key, a new one where it has none.
  entry* find(K key) {
    auto slot = static_cast<std::size_t>(home(key) - entries_);
    while (entries_[slot].what != What{} && entries_[slot].key != key)
      slot = (slot + 1) % slots_;
    values_ += entries_[slot].what == What{};
    entries_[slot].key = key;
    return entries_ + slot;
  }

  std::size_t values() const { return values_; }
  std::size_t slots() const { return slots_; }
  entry& operator[](std::size_t slot) const { return entries_[slot]; }

 private:
  static constexpr unsigned most_slot_bits = 14; // entries of some thousand values stay in the L2 cache

  /// The highest bits of a product depend on all bits of a key, also of those that end in zeros, as whole numbers in
  /// 64-bit floats do.
  static std::uint64_t hash_of(K key) {
    auto x = static_cast<std::uint64_t>(key);
    if constexpr (sizeof(K) == 16)
      x ^= static_cast<std::uint64_t>(key >> 64);
    return x * 0x9e3779b97f4a7c15u;
  }

  entry* entries_;
  std::size_t slots_;
  unsigned shift_;
  std::size_t values_ = 0;
};

/// How often values occur.
template <class K>
class value_table {
  using slots = value_slots<K, std::uint64_t>;

 public:
  using entry = typename slots::entry; // `what` is the count
  /// Values that a table in so many bytes of memory counts.
  static std::size_t most_in(std::size_t bytes) { return slots::most_in(slots::slots_in(bytes)); }

  value_table(std::byte* memory, std::size_t bytes) : slots_(memory, bytes) {}

  /// Counts n keys; false, and not all are counted, where they have more values than it has room for.
  bool count(const K* keys, std::size_t n) {
    const slots table = slots_; // what `home` needs stays in registers
    const std::size_t most = slots::most_in(slots_.slots());
    for (std::size_t i = 0; i < n; ++i) {
      entry* e = table.home(keys[i]);
      if (e->key != keys[i]) [[unlikely]] {
        e = slots_.find(keys[i]);
        if (slots_.values() > most)
          return false;
      }
      ++e->what;
    }
    return true;
  }

  /// Adds the values and their counts.
  void append_to(call_vector<entry>& all) const {
    for (std::size_t i = 0; i < slots_.slots(); ++i)
      if (slots_[i].what != 0)
        all.push_back(slots_[i]);
  }

 private:
  slots slots_;
};

} // namespace sortile::cpu
