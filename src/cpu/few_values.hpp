// Arrays in which few values fill many places: what a sample says of them, and a table that counts every value.
//
// Idea. A value that fills a sixteenth of an array or more is found faster by comparing every key with it than by
// moving keys: up to 16 such *heavy keys* are taken out of the array and counted, a vector at a time, what is left is
// sorted, and they are written back where they belong. Where there are more values than that, but still few, each key
// is looked up in a table and counted, and the result is written from the counts; keys that the sample did not have are
// put into the table when they are met. Neither way trusts the sample: it decides what is tried, not what is true.
//
// The table is open addressing with a multiplicative hash (Knuth, TAOCP 3, 6.4): one cache line a value, so that some
// hundred values stay in the L1 cache, and one multiplication, comparison and addition a key. Keys that are the same as
// the one before would wait for its counter, so a value that is heavier than a quarter is left to the comparisons.
#pragma once

#include "cpu/sampled_split.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace sortile::cpu {

/// What a sample says of frequent values.
template <class K>
struct value_frequencies {
  static constexpr std::size_t most_heavy = 16;
  K heavy[most_heavy]; ///< images, ascending
  std::size_t heavy_values = 0;
  std::size_t heavy_keys = 0; ///< of the sample
  std::size_t heaviest = 0;   ///< places that one value fills in the sample
  std::size_t values = 0;     ///< in the sample
  std::size_t once = 0;       ///< of them, those that it has once

  explicit value_frequencies(const key_sample<K>& sample) : size_(sample.size) {
    for (std::size_t i = 0, end = 0; i < sample.size; i = end) {
      end = static_cast<std::size_t>(
          std::upper_bound(sample.images + i, sample.images + sample.size, sample.images[i]) - sample.images);
      ++values;
      once += end - i == 1;
      heaviest = std::max(heaviest, end - i);
      if (end - i >= sample.size / 32 && heavy_values < most_heavy) {
        heavy[heavy_values++] = sample.images[i];
        heavy_keys += end - i;
      }
    }
  }

  bool are_all_heavy() const { return heavy_keys == size_; }
  /// Whether comparisons with the heavy keys pay: they are all that there is, or save a part of the sort.
  bool heavy_ones_pay() const { return are_all_heavy() || (!table_pays() && heavy_keys >= size_ / 4); }
  /// Whether counting in a table pays.
  bool table_pays() const {
    return !are_all_heavy() && values <= size_ / 4 && once <= size_ / 64 && heaviest <= size_ / 4;
  }

 private:
  std::size_t size_;
};

/// How often values occur.
template <class K>
class value_table {
 public:
  struct entry {
    K key;
    std::uint64_t count; ///< 0: free, whatever the key
  };
  static constexpr unsigned slot_bits = 12;
  static constexpr std::size_t slots = std::size_t{1} << slot_bits;
  static constexpr std::size_t most = slots / 4; ///< values that it counts
  static constexpr std::size_t bytes = slots * sizeof(entry);

  /// An empty table in `bytes` of memory, aligned for an entry.
  explicit value_table(std::byte* memory) : entries_(reinterpret_cast<entry*>(memory)) {
    std::fill_n(entries_, slots, entry{});
  }

  /// Counts n keys; false, and not all are counted, where they have more values than it has room for.
  bool count(const K* keys, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      entry* e = entries_ + slot_of(keys[i]);
      if (e->key != keys[i]) [[unlikely]] {
        e = find(keys[i]);
        if (values_ > most)
          return false;
      }
      ++e->count;
    }
    return true;
  }

  /// Adds the values and their counts.
  void append_to(std::vector<entry>& all) const {
    std::copy_if(entries_, entries_ + slots, std::back_inserter(all), [](const entry& e) { return e.count != 0; });
  }

 private:
  static std::size_t slot_of(K key) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15u >> (64 - slot_bits));
  }

  /// The entry of a key, a new one where it has none. A free entry that happens to hold the key is its own.
  entry* find(K key) {
    std::size_t slot = slot_of(key);
    while (entries_[slot].key != key && entries_[slot].count != 0)
      slot = (slot + 1) % slots;
    values_ += entries_[slot].count == 0;
    entries_[slot].key = key;
    return entries_ + slot;
  }

  entry* entries_;
  std::size_t values_ = 0;
};

} // namespace sortile::cpu
