// Sorts of up to 128 keys of any type as words that hold a key and its position.
#pragma once

#include "cpu/small_sort.hpp"

namespace sortile::cpu {

/// What of the options a short sort goes by.
struct ordering {
  order direction = order::ascending;
  bit_window bits{};
  bool takes_long = false; ///< rather than leaving it to the front door
  bool is_whole() const { return bits.begin == 0 && bits.end == bit_window::whole_key; }
};

/// Sorts 2 to most_in_words keys, and what they carry. False where this processor has no vectors for it, no such bits
/// are, or most keys differ in lower bits than words hold: nothing was done.
bool sort_by_words(const sort_request& request, const ordering& by);

} // namespace sortile::cpu
