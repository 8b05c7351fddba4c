// Sorts of up to 128 keys of any type as words that hold a key and its position.
#pragma once

#include "cpu/small_sort.hpp"

namespace sortile::cpu {

/// What of the options a short sort goes by.
struct ordering {
  order direction = order::ascending;
  bit_window bits{};
  bool takes_long = false; ///< rather than leaving it to the front door
  bool is_alone = false;   ///< on one thread, as was asked for
  bool is_whole() const { return bits.begin == 0 && bits.end == bit_window::whole_key; }
};

/// Whether there are such bits in keys of so many.
constexpr bool are_bits_of(const bit_window& bits, unsigned width) {
  const unsigned end = bits.end == bit_window::whole_key ? width : bits.end;
  return bits.begin <= end && end <= width;
}

/// Sorts 2 to most_in_words keys, and what they carry. False where this processor has no vectors for it, no such bits
/// are, or most keys differ in lower bits than words hold: nothing was done.
bool sort_by_words(const sort_request& request, const ordering& by);

/// Sorts two to eight integers of 4 and 8 bytes with values of 4 or 8 (few_integers.cpp), or writes their positions.
/// False, and nothing was done, for all others.
bool sort_few_integers(const sort_request& request, const ordering& by);

/// Sorts 2 to most_placed keys of 4 and 8 bytes, and what they carry, whatever their order is (few_places.cpp). False
/// where there are more, or of another width, this processor has no vectors for it, or no such bits are: nothing was
/// done.
bool sort_by_places(const sort_request& request, const ordering& by);

/// The same for the order of keys, as order_few() writes it.
bool order_by_places(key_type type, const void* keys, std::size_t n, const ordering& by, std::uint8_t* positions);

} // namespace sortile::cpu
