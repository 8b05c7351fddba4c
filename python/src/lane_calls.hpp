// Calls that give for each element of an array one of another: lane by lane along an axis.
#pragma once

#include "lanes.hpp"

namespace sortile::python {

/// An array and the axis of its lanes; axis=None takes the elements as one lane.
struct subject {
  nb::object array;
  int axis;

  subject(nb::handle x, nb::handle axis_wish) {
    if (axis_wish.is_none()) {
      array = owned(PyArray_Ravel(as_array(x), NPY_CORDER));
      axis = 0;
    } else {
      array = nb::borrow<nb::object>(x);
      axis = axis_of(axis_wish, PyArray_NDIM(as_array(x)));
    }
  }
  PyArrayObject* get() const { return as_array(array); }
};

inline lane_work work_on(PyArrayObject* in, const element& e, PyArrayObject* out) {
  lane_work work;
  work.key_width = e.width;
  work.result_width = static_cast<std::size_t>(PyArray_ITEMSIZE(out));
  work.swapped_in = e.swapped;
  work.aligned = PyArray_ISALIGNED(in) && PyArray_ISALIGNED(out);
  return work;
}

} // namespace sortile::python
