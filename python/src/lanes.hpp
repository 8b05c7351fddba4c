// The lanes of an array along an axis: the one-dimensional pieces that a sort along this axis sorts, each by itself.
#pragma once

#include "call.hpp"

#include <cstddef>
#include <functional>

namespace sortile::python {

/// An array's lanes beside those of another of the same shape. Strides are in bytes.
struct lane_pair {
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::size_t lanes = 0, length = 0;
  std::ptrdiff_t in_step = 0, out_step = 0; ///< from one element of a lane to the next

  /// The other axes, outermost first, with neighbours that lie like one axis put together.
  int axes = 0;
  std::size_t shape[NPY_MAXDIMS]; // the first `axes` of each are set
  std::ptrdiff_t in_stride[NPY_MAXDIMS], out_stride[NPY_MAXDIMS];

  struct place {
    const std::byte* in;
    std::byte* out;
  };
  place lane(std::size_t i) const;
};

/// `axis` counts from 0. The arrays have one shape.
lane_pair lanes_of(PyArrayObject* in, PyArrayObject* out, int axis);

/// What is done with lanes: f(keys, result, length, opts) on lanes in native byte order, without gaps, aligned. The
/// result may be the keys' own place.
struct lane_work {
  std::size_t key_width = 1, result_width = 1; ///< bytes; a result_width of 0: nothing is written
  bool swapped_in = false, swapped_out = false;
  bool aligned = true;        ///< both arrays
  bool within_result = false; ///< f may be given keys that lie where the result goes: saves scratch memory
  std::function<void(const void* keys, void* result, std::size_t length, const options& opts)> f;
};

/// Does it for all lanes: long lanes one after another, each by all threads; short ones side by side. Lanes with gaps,
/// of the other byte order or not aligned go through scratch memory of a few lanes. Without Python's lock.
void for_each_lane(const lane_pair& where, const lane_work& what, const options& opts, unsigned threads);

/// An axis as a number of Python's own, which an object is asked for once; None stays. \throws TypeError
nb::object axis_once(nb::handle axis);

/// The axis that Python names, from 0 up. \throws NumPy's AxisError
int axis_of(nb::handle axis, int dimensions);

} // namespace sortile::python
