// What an array's elements are to the library: a key type, how they lie in memory, and which of their values stand for
// "missing".
#pragma once

#include "numpy.hpp"

#include <sortile/options.hpp>
#include <sortile/types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sortile::python {

/// The values of a type that are put at one end, whatever else the array holds.
enum class missing_kind : std::uint8_t {
  none,
  nan, ///< every NaN of a float; the library holds them for the largest
  nat, ///< NaT of datetime64 and timedelta64; the library sees the smallest int64
};

/// Where missing values go: behind all others in both directions, or where the largest value would be.
enum class nan_place : std::uint8_t { last, largest };

struct element {
  key_type type = key_type::u8;
  unsigned width = 1;   ///< bytes
  bool swapped = false; ///< of the other byte order
  missing_kind missing = missing_kind::none;
};

/// The element of an array whose type the library orders by itself: nothing for complex, structured and all other
/// types.
std::optional<element> element_of(PyArrayObject* array);

/// Whether an element in native byte order, aligned, is a missing one.
bool is_missing(const element& e, const void* key);

/// Where the library leaves missing values, and where they are wanted.
enum class missing_move : std::uint8_t { none, front_to_end, end_to_front };
missing_move move_of_missing(const element& e, order direction, nan_place wanted);

/// Moves the missing keys of n sorted ones to where they are wanted, in their order.
void place_missing(const element& e, missing_move move, void* keys, std::size_t n);

/// The same for positions of index_bytes, by the keys that they point to.
void place_missing_positions(const element& e, missing_move move, const void* keys, void* positions,
                             std::size_t index_bytes, std::size_t n);

/// How many of n sorted keys are missing ones at the end from which `move` takes them.
std::size_t count_missing(const element& e, missing_move move, const void* keys, std::size_t n);

/// Moves `count` elements of `width` bytes from one end of n to the other; the order within both parts stays.
void move_block(missing_move move, void* data, std::size_t n, std::size_t count, std::size_t width);

/// Floats, in any place, with their sign bits inverted: the largest number is the smallest then, and NaN the largest of
/// all as before.
void turn_signs(void* floats, std::size_t n, std::size_t width);

} // namespace sortile::python
