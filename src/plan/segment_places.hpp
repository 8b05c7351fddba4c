// Where a segment lies: the forms of sortile::segments read as one. Of offsets in host memory.
#pragma once

#include <sortile/segments.hpp>

#include <cstddef>
#include <cstdint>

namespace sortile {

/// The elements first, first + step, …, n of them.
struct segment_place {
  std::size_t first = 0;
  std::size_t n = 0;
};

inline std::size_t offset_at(const void* offsets, std::size_t offset_bytes, std::size_t i) {
  return offset_bytes == 4 ? static_cast<const std::uint32_t*>(offsets)[i]
                           : static_cast<std::size_t>(static_cast<const std::uint64_t*>(offsets)[i]);
}

/// Where segment i begins and ends as the offsets say, right or wrong. Of forms offsets and ranges.
struct segment_bounds {
  std::size_t begin = 0;
  std::size_t end = 0;
};
inline segment_bounds bounds_of(const segments& where, std::size_t i) {
  const bool ranges = where.form == segment_form::ranges;
  return {offset_at(where.begins, where.offset_bytes, i),
          offset_at(ranges ? where.ends : where.begins, where.offset_bytes, ranges ? i : i + 1)};
}

/// Of checked segments.
inline segment_place place_of(const segments& where, std::size_t i) {
  if (where.form == segment_form::strided)
    return {i * where.stride, where.length};
  const segment_bounds b = bounds_of(where, i);
  return {b.begin, b.end - b.begin};
}

/// Whether a segment's elements lie side by side.
inline bool in_one_piece(const segments& where) {
  return where.form != segment_form::strided || where.step == 1 || where.length <= 1;
}

} // namespace sortile
