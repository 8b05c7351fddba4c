// Which of many strings are equal, found by a table of the different ones before these are sorted.
//
// Idea. Lines of real text come again and again: of a million, an eighth is different. A radix sort tells them apart
// word after word, to the end of each. Where a sample says that few are different, each string is hashed and looked up
// in a table, in memory order; the different ones alone are sorted, and all are counted into their places.
//
//   strings   b a b c a b      numbers  0 1 0 2 1 0      different  b a c → sorted a b c, which begin at 0 2 5
//   places    1 4 | 0 2 5 | 3
//
// Different strings get numbers as they come, by whichever thread is first, so that what a look-up compares with, and
// counts, lies close together. Which numbers they get does not show in the result.
//
// Whether it pays is asked twice before a string is looked up, and twice while they are. Are strings of a sample
// long enough for words to take several levels? And how many are different, estimated from how many of the sample
// were seen once and twice (Chao 1984). Then after a sixteenth and a quarter of the strings, which lie apart, whether
// many have come before. What was done so far is lost where it ends.
//
// Invariants: a string is compared with the one that its slot names, so a hash decides nothing. At most a quarter of
// the strings are different, so the table is at most half full. Chosen strings that share slots cost four looks a
// string at most; then it ends, too, and they are sorted as any others. Where two threads meet at a slot, the number of
// the one that comes late names nothing: no string is counted for it.
// Cost: one read of each string and of what it is equal to, one pass to count and one to place; 14 to 18 bytes each,
// and a sort of the different ones. Lost: a table for each long group behind its first words: it takes the read that it
// would save (lines of texts, 10^6, 0.9 to 1.05 of the time).
#pragma once

#include "cpu/atomic_view.hpp"
#include "cpu/parallel.hpp"
#include "cpu/scratch.hpp"
#include "cpu/strings.hpp"
#include "primitives/text_word.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace sortile::cpu {

class string_repeats {
 public:
  static constexpr std::size_t least = std::size_t{1} << 16; ///< strings; fewer are in the cache, and levels cheap
  static constexpr unsigned most_threads = 4;                ///< counting and placing is done by one

  /// Whether a sample says that it pays.
  template <class Strings>
  static bool seem_to_pay(const Strings& strings, std::size_t n) {
    if (n < least || n > UINT32_MAX)
      return false;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < looked_at; ++i)
      bytes += strings[n / looked_at * i].size();
    if (bytes < least_bytes * looked_at)
      return false;
    const std::size_t sampled = sample_of(n), step = n / sampled;
    const scratch memory(sampled * sizeof(std::uint64_t), "the sample of a sort of strings");
    const std::span hashes(reinterpret_cast<std::uint64_t*>(memory.bytes().data()), sampled);
    for (std::size_t i = 0; i < sampled; ++i) {
      if (i + 2 * ahead < sampled)
        strings.prefetch(step * (i + 2 * ahead));
      if (i + ahead < sampled)
        __builtin_prefetch(strings[step * (i + ahead)].data());
      hashes[i] = hash_of(strings[step * i]);
    }
    return are_few(hashes, n);
  }

  /// Numbers all strings. False where there is nothing to gain.
  template <class Strings>
  bool find(const Strings& strings, std::size_t n, unsigned threads, progress_meter* progress) {
    begin(n, threads);
    const auto in_16th = [](std::size_t p) { return p % 16 == 0; };
    const auto in_4th = [](std::size_t p) { return p % 16 != 0 && p % 4 == 0; };
    const auto in_others = [](std::size_t p) { return p % 4 != 0; };
    return find_in(strings, in_16th, progress) && came_before(0.2) && find_in(strings, in_4th, progress) &&
           came_before(0.45) && find_in(strings, in_others, progress);
  }

  /// Writes the positions of all strings in order, and calls mark(begin, n) for the places of equal ones.
  template <class Index, class Mark>
  void place(order order, unsigned threads, Index* positions, const Mark& mark) {
    sort_different(order, threads);
    std::uint32_t begin = 0;
    for (std::size_t i = 0; i < different_; ++i) {
      std::uint32_t& count = counts_[sorted_[i]];
      if (count > 1)
        mark(begin, count);
      begin += std::exchange(count, begin);
    }
    for (std::size_t i = 0; i < n_; ++i)
      positions[counts_[numbers_[i]]++] = static_cast<Index>(i);
  }

 private:
  static constexpr std::size_t piece = 256, together = 32, ahead = 8; // strings
  static constexpr std::size_t looked_at = 256;                       // strings, of which the bytes are counted
  static constexpr std::size_t least_bytes = 4 * text_word_bytes;     // of one: words would take several levels

  static std::size_t sample_of(std::size_t n);
  static std::uint64_t hash_of(std::string_view text);
  static bool are_few(std::span<std::uint64_t> hashes, std::size_t n);

  void begin(std::size_t n, unsigned threads);
  bool came_before(double least_part) const;
  void number(std::span<const std::string_view> texts, std::size_t first, std::uint32_t& spare);
  std::uint32_t number_of(std::string_view text, std::uint64_t hash, std::uint32_t& spare, std::size_t& looks);
  void sort_different(order order, unsigned threads);

  /// Pieces for which takes(piece).
  template <class Strings, class Takes>
  bool find_in(const Strings& strings, const Takes& takes, progress_meter* progress) {
    constexpr std::size_t turn = 16; // pieces
    const std::size_t pieces = (n_ + piece - 1) / piece;
    for_each_task(threads_, (pieces + turn - 1) / turn, progress, [&](unsigned, std::size_t t) {
      std::uint32_t spare = none;
      for (std::size_t p = t * turn, end = std::min(pieces, p + turn); p < end; ++p)
        if (takes(p))
          find_in_piece(strings, p * piece, std::min(n_, (p + 1) * piece), spare);
    });
    return !ended_;
  }

  template <class Strings>
  void find_in_piece(const Strings& strings, std::size_t begin, std::size_t end, std::uint32_t& spare) {
    std::string_view texts[together];
    for (std::size_t i = begin; i < end && !ended_.load(std::memory_order_relaxed); i += together) {
      const std::size_t n = std::min(together, end - i);
      for (std::size_t k = 0; k < n; ++k)
        texts[k] = strings[i + k];
      number(std::span(texts).first(n), i, spare);
    }
  }

  static constexpr std::uint32_t none = UINT32_MAX;

  std::size_t n_ = 0, size_ = 0, most_ = 0; // strings, slots, different strings
  unsigned threads_ = 1;
  scratch memory_{};
  std::uint64_t* slots_ = nullptr;    // upper half of a hash, and a number plus one; 0: empty
  std::string_view* texts_ = nullptr; // of each number
  std::uint32_t* counts_ = nullptr;   // of each number; where the next one goes, afterwards
  std::uint32_t* sorted_ = nullptr;   // numbers in order
  std::uint32_t* numbers_ = nullptr;  // of each string
  std::atomic<std::size_t> seen_{0}, looks_{0};
  std::atomic<std::uint32_t> given_{0}; // numbers
  std::size_t different_ = 0;
  std::atomic<bool> ended_{false};
};

} // namespace sortile::cpu
