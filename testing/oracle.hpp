// The oracle: the order of keys as the promises state it, and the stable sort that follows from it.
//
// Written from the definitions alone, with comparisons of values and plain arithmetic; it shares no code with the key
// codec of the engines, so that a mistake there cannot hide here. Slow by design: for arrays that a test can afford to
// sort twice.
#pragma once

#include <sortile/options.hpp>
#include <sortile/types.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sortile::testing {

/// What decides the order of keys.
struct ordering {
  key_type type = key_type::u32;
  sortile::order direction = order::ascending;
  bit_window bits{};
};

/// The image of a key that the documentation of bit_window defines: an unsigned number that sorts as the key does.
/// `key` needs no alignment.
uint128 image_of(key_type type, const void* key);

/// The value of a half or a bfloat16; NaN for NaN.
double value_of(key_type type, std::uint16_t bits);

/// Whether key a must come before key b.
bool comes_before(const ordering& by, const void* a, const void* b);

/// The positions of n keys in the order in which a stable sort puts them: what argsort must give.
std::vector<std::uint64_t> stable_order(const ordering& by, const void* keys, std::size_t n);

/// The same for rows: columns[0] decides, ties by columns[1], and so on.
struct oracle_column {
  ordering by;
  const void* data = nullptr;
};
std::vector<std::uint64_t> stable_row_order(const std::vector<oracle_column>& columns, std::size_t n);

/// Elements of `bytes` bytes each in the given order: result[i] = elements[positions[i]].
std::vector<std::byte> gather(const void* elements, std::size_t bytes, const std::vector<std::uint64_t>& positions);

} // namespace sortile::testing
