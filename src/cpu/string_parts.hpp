// The sort of strings that the cache holds, up to 8192 of them: by words of some of their bytes, part by part.
#pragma once

#include "cpu/memory_slots.hpp"
#include "cpu/word_sorter.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sortile::cpu {

/// Strings whose words are equal so far: they agree in their first `depth` bytes, and none ends before them.
struct string_part {
  std::size_t begin, n;
  std::size_t depth;
  unsigned times_most; ///< of the part before it, in a row
};

/// Strings that agree in their first `depth` bytes; none ends before them.
struct cached_strings {
  const std::string_view* texts; ///< by their numbers
  std::uint64_t* words;          ///< room for as many; their lowest bits are the numbers in order, afterwards
  std::size_t n;
  std::size_t depth;
  std::uint64_t complement; ///< of words without numbers: all ones where the order is descending
  bool far;                 ///< they come from memory, by prefetches of what is read
  std::byte* repeats;       ///< a byte a string in order, or null: 1 where it is equal to the one before it
};

using sort_of_parts = void(const cached_strings& all, word_sorter& sorter, call_vector<string_part>& parts);

/// Of the widest instructions that this machine has and the tuning allows. `parts` is empty, and is so afterwards.
sort_of_parts* best_sort_of_parts();

} // namespace sortile::cpu
