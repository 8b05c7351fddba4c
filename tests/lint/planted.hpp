// Planted for the test of the lint: what only headers of kernels must not say. Compiled by nobody.
#pragma once

#include <bit>

namespace planted::inline SORTILE_BACKEND {

SORTILE_HOST_DEVICE unsigned bits(unsigned long v) {
  return unsigned(std::bit_width(v)); // FIND
}
SORTILE_HOST_DEVICE float as_float(unsigned v) {
  return std::bit_cast<float>(v);
}

} // namespace planted::inline SORTILE_BACKEND
