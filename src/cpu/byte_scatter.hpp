// The sort of pairs with 8-bit keys: counted, then each value is written to its place in the result.
//
//   keys     3 1 3 0 1        counts of 0, 1, 3: 1 2 2        begins 0, 1, 3
//   values   a b c d e        places: a 3, b 1, c 4, d 0, e 2
//   result   d b e a c        keys 0 1 1 3 3, written from the counts
//
// Two reads of the keys and one of the values, one write of each; nothing is moved twice. There are at most 256 places
// that are written to next, so their lines stay in the L1 cache, and half of them in the first level of the TLB. Each
// thread has a chunk of the array: its counts say where the next chunk's begin, so the sort is stable, and the result
// does not depend on the number of threads.
//
// A key that repeats waits for the place that the one before it has left (store to load, 5 cycles): eight equal ones
// are written at once. On a Zen 4, one thread, 10^6 random keys and positions of 8 bytes: 1.5 ms, where chains of
// values (value_chains.hpp) took 3.6 and NumPy's radix sort 2.2; at 10^5 0.16 ms instead of 0.27.
#pragma once

#include "cpu/kernels.hpp"
#include "cpu/memory_slots.hpp"
#include "cpu/radix_job.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace sortile::cpu {

/// Whether there are values or positions for byte_scatter to move, enough of them, and no two keys that a bit window
/// makes equal. The values must not be written where they are read.
inline bool scatters_bytes(key_type type, std::size_t n, std::size_t value_width, const bit_window& bits) {
  return key_bytes(type) == 1 && value_width != 0 && n >= tuning().scattered_bytes && bits.begin == 0 &&
         (bits.end == bit_window::whole_key || bits.end == 8);
}

class byte_scatter {
 public:
  byte_scatter(const radix_job& job, const key_image<std::uint8_t>& image, unsigned workers)
      : job_(job), image_(image), keys_(static_cast<const std::uint8_t*>(job.keys_in)), chunks_(workers) {}

  void run() {
    places one;
    call_vector<places> several(chunks_ == 1 ? 0 : chunks_);
    places* const of = chunks_ == 1 ? &one : several.data();
    for_each_task(chunks_, chunks_, job_.progress, [&](unsigned, std::size_t c) {
      count(c, of[c]);
      job_.progress->add(begin(c + 1) - begin(c));
    });
    std::array<std::uint64_t, 257> begins; // of the keys in their order
    find_places(of, begins);
    for_each_task(chunks_, chunks_, nullptr, [&](unsigned worker, std::size_t c) { scatter(worker, c, of[c]); });
    write_keys(begins);
    job_.progress->add(job_.n);
  }

 private:
  using places = std::array<std::uint64_t, 256>; // counts of a chunk's keys, then where the next one of each goes

  std::size_t begin(std::size_t chunk) const { return part_begin(job_.n, chunks_, chunk); }

  /// In four tables, so that a key need not wait for the counter of one before it.
  void count(std::size_t c, places& counts) const {
    std::uint64_t tables[4][256] = {};
    std::size_t i = begin(c);
    const std::size_t end = begin(c + 1);
    for (; i + 4 <= end; i += 4)
      for (std::size_t t = 0; t < 4; ++t)
        ++tables[t][keys_[i + t]];
    for (; i < end; ++i)
      ++tables[0][keys_[i]];
    for (std::size_t key = 0; key < 256; ++key)
      counts[key] = tables[0][key] + tables[1][key] + tables[2][key] + tables[3][key];
  }

  void find_places(places* of, std::array<std::uint64_t, 257>& begins) {
    for (unsigned key = 0; key < 256; ++key)
      key_of_[image_(static_cast<std::uint8_t>(key))] = static_cast<std::uint8_t>(key);
    std::uint64_t at = 0;
    for (std::size_t x = 0; x < 256; ++x) {
      begins[x] = at;
      for (std::size_t c = 0; c < chunks_; ++c)
        at += std::exchange(of[c][key_of_[x]], at);
    }
    begins[256] = at;
  }

  void scatter(unsigned worker, std::size_t c, places& next) const {
    constexpr std::size_t step = std::size_t{1} << 17;
    for (std::size_t i = begin(c), end = begin(c + 1); i < end; i += step) {
      const std::size_t m = std::min(step, end - i);
      switch (job_.value_width) {
      case 4:
        scatter<value_bytes<4>>(i, m, next);
        break;
      case 8:
        scatter<value_bytes<8>>(i, m, next);
        break;
      default:
        scatter<value_bytes<16>>(i, m, next);
      }
      job_.progress->add(2 * m);
      if (worker == 0)
        job_.progress->report();
    }
  }

  template <class V>
  void scatter(std::size_t first, std::size_t n, places& next) const {
    V* const to = static_cast<V*>(job_.values_out);
    const source<std::uint8_t> from(keys_, job_.values_in, sizeof(V));
    value_block<V> values_of;
    for (std::size_t at = first; at < first + n; at += digit_block) {
      const std::size_t m = std::min(digit_block, first + n - at);
      const std::uint8_t* const keys = keys_ + at;
      const V* const values = values_of(from, at, m);
      std::size_t i = 0;
      for (; i + 8 <= m; i += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, keys + i, sizeof eight);
        if (eight == keys[i] * 0x0101010101010101u) {
          std::memcpy(static_cast<void*>(to + next[keys[i]]), values + i, 8 * sizeof(V));
          next[keys[i]] += 8;
          continue;
        }
        for (std::size_t j = i; j < i + 8; ++j)
          to[next[keys[j]]++] = values[j];
      }
      for (; i < m; ++i)
        to[next[keys[i]]++] = values[i];
    }
  }

  void write_keys(const std::array<std::uint64_t, 257>& begins) const {
    auto* const to = static_cast<std::uint8_t*>(job_.keys_out);
    for (std::size_t x = 0; x < 256; ++x)
      if (begins[x + 1] > begins[x])
        std::memset(to + begins[x], key_of_[x], begins[x + 1] - begins[x]);
  }

  const radix_job& job_;
  const key_image<std::uint8_t>& image_;
  const std::uint8_t* const keys_;
  const unsigned chunks_;
  std::uint8_t key_of_[256]; ///< by image
};

} // namespace sortile::cpu
