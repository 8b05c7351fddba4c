// The associative operators of reductions and scans.
//
// An operator is an object with `operator()(left, right)` and `identity<T>()`. Primitives keep operands in order, so it
// need not be commutative; only associativity is asked of it. Floating-point addition is associative up to rounding.
// `commutes<T>()` says whether operands may change places; some steps make use of that where it is cheaper.
#pragma once

#include "simt/config.hpp"

#include <limits>
#include <type_traits>

namespace sortile::primitives {

struct plus {
  template <class T>
  static constexpr bool commutes() {
    return true;
  }
  template <class T>
  SORTILE_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
  /// −0 for floats: 0 + −0 would lose the sign of a lone −0.
  template <class T>
  static SORTILE_HOST_DEVICE constexpr T identity() {
    if constexpr (std::is_floating_point_v<T>)
      return T(-0.0);
    else
      return T(0);
  }
};

/// The larger; the left one of equals. A NaN wins, and the leftmost of several, so that the operator is associative on
/// every float.
struct maximum {
  template <class T>
  static constexpr bool commutes() {
    return !std::is_floating_point_v<T>; // several NaNs, −0 and +0 tell left from right
  }
  template <class T>
  SORTILE_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      return a != a || !(a < b || b != b) ? a : b;
    else
      return a < b ? b : a;
  }
  template <class T>
  static SORTILE_HOST_DEVICE constexpr T identity() {
    if constexpr (std::is_floating_point_v<T>)
      return -std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::lowest();
  }
};

struct minimum {
  template <class T>
  static constexpr bool commutes() {
    return !std::is_floating_point_v<T>; // several NaNs, −0 and +0 tell left from right
  }
  template <class T>
  SORTILE_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      return a != a || !(b < a || b != b) ? a : b;
    else
      return b < a ? b : a;
  }
  template <class T>
  static SORTILE_HOST_DEVICE constexpr T identity() {
    if constexpr (std::is_floating_point_v<T>)
      return std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::max();
  }
};

} // namespace sortile::primitives
