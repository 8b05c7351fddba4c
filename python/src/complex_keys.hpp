// Complex numbers: by real, then imaginary part, and behind all numbers, or as the largest, those that lack a part
// (NaN).
#pragma once

#include "element.hpp"

#include <optional>

namespace sortile::python {

struct complex_keys {
  key_type part = key_type::f64;
  nan_place nan = nan_place::last;

  /// Of a plain ndarray of complex64 or complex128, aligned and in native byte order; nothing of all others.
  static std::optional<complex_keys> of(nb::handle x);

  unsigned width() const { return 2 * static_cast<unsigned>(key_bytes(part)); } ///< bytes of a number

  /// The stable order of n numbers, as indices of 4 or 8 bytes. The interpreter's lock is not needed.
  void order(const void* keys, std::size_t n, void* indices, std::size_t index_bytes, const options& opts) const;

  /// The numbers in their order; the result may be their own place.
  void sort(const void* keys, std::size_t n, void* result, const options& opts) const;
};

} // namespace sortile::python
