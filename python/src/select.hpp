// Parts of a sort: what `sortile/_select.py`, `_quantiles.py` and those of their names that begin with `_segment` call.
// Each takes plain arrays of any layout and byte order (`lane_rows`), and selects from each lane along `axis` by
// itself; None takes all elements as one lane. NotImplemented for elements that the library does not order by
// themselves, and for axes, places and counts that the array does not have: Python says what is wrong with them.
#pragma once

#include "numpy.hpp"

namespace sortile::python {

/// (the first k of each lane, their positions as int64), with NaN and NaT where they are wanted. `counts`: None, or for
/// each lane how many of k it has, uint64 of one axis, without gaps; behind these stand `fill`, an array of one element
/// in native byte order (None: zero), and -1.
nb::object top_k(nb::handle x, nb::handle k, nb::handle counts, nb::handle fill, nb::handle axis, nb::handle largest,
                 nb::handle nan, nb::handle threads, nb::handle progress);

/// The same of segments of an array of one axis, as segment_sort() takes them: arrays of two axes, k in a row.
nb::object segment_top_k(nb::handle x, nb::handle k, nb::handle counts, nb::handle fill, nb::handle offsets,
                         nb::handle largest, nb::handle nan, nb::handle threads, nb::handle progress);

/// Quantiles of each lane, NaN where it has one: the axes of `probabilities` before the others. These are a number from
/// 0 to 1, a list or a tuple of such, or an array of float64. `method`: its number in _quantiles.METHODS; of those that
/// choose a key the results are of the rows' type, of others float64. A number, where the result has no axis.
/// NotImplemented for dates and for other probabilities too.
nb::object quantiles(nb::handle x, nb::handle probabilities, nb::handle axis, int method, nb::handle threads,
                     nb::handle progress);

/// The same of segments of an array of one axis: their axis is the last. Of a segment of no elements NaN; of integers
/// that a method chooses, 0.
nb::object segment_quantiles(nb::handle x, nb::handle probabilities, nb::handle offsets, int method, nb::handle threads,
                             nb::handle progress);

/// A copy in which place `kth` of each lane has the element that a sort puts there; NaN and NaT are the largest.
nb::object partition(nb::handle x, nb::handle kth, nb::handle axis, nb::handle threads);

/// The same of each segment; one that has no such place keeps its elements in any order.
nb::object segment_partition(nb::handle x, nb::handle kth, nb::handle offsets, nb::handle threads);

/// (distinct keys, where each group begins in the order, the order) of one axis.
nb::object group_by(nb::handle keys, nb::handle threads, nb::handle progress);

} // namespace sortile::python
