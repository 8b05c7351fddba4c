// Where the segments of an array lie, as a kernel reads it.
#pragma once

#include "simt/simt.hpp"

#include <sortile/segments.hpp>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Where segment i lies, cut off at the arrays' end.
struct segment_reader {
  simt::global<const std::uint32_t> begins_32, ends_32;
  simt::global<const std::uint64_t> begins_64, ends_64;
  std::uint64_t count, n;
  std::uint64_t length, stride; // of segments of one length
  bool equal, ranges, wide;

  struct found {
    std::uint64_t begin, length;
    bool wrong;
  };
  SORTILE_DEVICE found load(std::uint64_t i) const {
    if (equal)
      return {i * stride, length, false};
    const std::uint64_t begin = offset(false, i), end = ranges ? offset(true, i) : offset(false, i + 1);
    const std::uint64_t first = begin < n ? begin : n, last = end < n ? end : n;
    return {first, last > first ? last - first : 0, end < begin || end > n};
  }

 private:
  SORTILE_DEVICE std::uint64_t offset(bool of_ends, std::uint64_t i) const {
    if (wide)
      return of_ends ? ends_64.load(i) : begins_64.load(i);
    return of_ends ? ends_32.load(i) : begins_32.load(i);
  }
};

/// Of arrays of n elements. Elements of a strided segment lie side by side.
inline segment_reader reader_of(const segments& w, std::uint64_t n) {
  const bool wide = w.offset_bytes == 8, ranges = w.form == segment_form::ranges;
  const bool equal = w.form == segment_form::strided;
  const std::uint64_t begins = equal ? 0 : w.count + (ranges ? 0 : 1), ends = ranges ? w.count : 0;
  return {.begins_32 = {wide ? nullptr : static_cast<const std::uint32_t*>(w.begins), wide ? 0 : begins},
          .ends_32 = {wide ? nullptr : static_cast<const std::uint32_t*>(w.ends), wide ? 0 : ends},
          .begins_64 = {wide ? static_cast<const std::uint64_t*>(w.begins) : nullptr, wide ? begins : 0},
          .ends_64 = {wide ? static_cast<const std::uint64_t*>(w.ends) : nullptr, wide ? ends : 0},
          .count = w.count,
          .n = n,
          .length = w.length,
          .stride = w.stride,
          .equal = equal,
          .ranges = ranges,
          .wide = wide};
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
