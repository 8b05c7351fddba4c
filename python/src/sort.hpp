// The calls of the module: each takes the arguments of the function of that name in `sortile/__init__.py`, in one fixed
// order, and gives back NotImplemented for arrays that it leaves to Python (`sortile/_sorting.py` and its like): what
// is no plain numpy.ndarray, and elements that the library does not order by themselves.
#pragma once

#include "numpy.hpp"

namespace sortile::python {

nb::object sort(nb::handle x, nb::handle axis, nb::handle descending, nb::handle out, nb::handle nan,
                nb::handle threads, nb::handle progress);

nb::object argsort(nb::handle x, nb::handle axis, nb::handle descending, nb::handle dtype, nb::handle out,
                   nb::handle nan, nb::handle threads, nb::handle progress);

nb::object is_sorted(nb::handle x, nb::handle axis, nb::handle descending, nb::handle nan, nb::handle threads,
                     nb::handle progress);

/// `values`: an array or a tuple of arrays. (sorted keys, values in their order). NotImplemented for keys of several
/// axes that are to be taken as one lane, too.
nb::object sort_by_key(nb::handle keys, nb::handle values, nb::handle axis, nb::handle descending, nb::handle nan,
                       nb::handle threads, nb::handle progress);

/// The same within segments.
nb::object segment_sort_by_key(nb::handle keys, nb::handle values, nb::handle offsets, nb::handle descending,
                               nb::handle nan, nb::handle threads, nb::handle progress);

/// array[positions] along the first axis. Every position is below its length, which is not checked.
nb::object take(nb::handle array, nb::handle positions, nb::handle threads);

/// A table, read from a PyCapsule "arrow_array_stream": for argsort_rows(), then take_arrow(), which uses it up.
nb::object read_arrow(nb::handle stream);

/// The rows of a table or a column in another order: PyCapsules "arrow_schema" and "arrow_array". `given`: what
/// read_arrow() gave, or as an arrow_stream takes it. NotImplemented where there is a column of a type that is not
/// taken here. Every row number is below the number of rows, which is not checked.
nb::object take_arrow(nb::handle given, nb::handle rows, nb::handle threads);

/// `columns`, `descending`: lists of one length. A column is an array, or what an arrow_column is made of.
/// `nulls_first`: where null entries of such a column go, in both directions.
nb::object argsort_rows(nb::handle columns, nb::handle descending, nb::handle dtype, nb::handle nulls_first,
                        nb::handle nan, nb::handle threads, nb::handle progress);

/// The same of columns of NumPy's alone, in a list or a tuple, all of one direction. NotImplemented where a column is
/// no plain array of one axis and of the length of the others, where `descending` has an entry for each, for another
/// axis than the only one, and for a dtype that is not NumPy's.
nb::object order_of_columns(nb::handle columns, nb::handle last_decides, nb::handle axis, nb::handle descending,
                            nb::handle dtype, nb::handle nan, nb::handle threads);

/// `runs`: a tuple of sorted one-dimensional arrays.
nb::object merge(nb::handle runs, nb::handle descending, nb::handle out, nb::handle nan, nb::handle threads,
                 nb::handle progress);

/// A sorted copy of an array of one axis. `offsets`: numbers of 32 or 64 bits without gaps, or a list; segment i ends
/// where segment i + 1 begins. A tuple of two: where segments begin, and where they end.
nb::object segment_sort(nb::handle x, nb::handle offsets, nb::handle descending, nb::handle nan, nb::handle threads,
                        nb::handle progress);

nb::object segment_argsort(nb::handle x, nb::handle offsets, nb::handle descending, nb::handle dtype, nb::handle nan,
                           nb::handle threads, nb::handle progress);

/// (sorted keys, order): where each element of an array of one axis comes from, as numbers of 32 or 64 bits.
nb::object segment_sort_with_order(nb::handle x, nb::handle offsets, nb::handle descending, nb::handle nan,
                                   nb::handle threads, nb::handle progress);

/// Raises ValueError for offsets that decrease, reach beyond n elements, or make segments that overlap.
void check_segments(nb::handle offsets, std::size_t n);

/// The distinct values, or a tuple of these and of what else is wanted: first positions, inverse (of the shape of x),
/// counts.
nb::object unique(nb::handle x, nb::handle index, nb::handle inverse, nb::handle counts, nb::handle equal_nan,
                  nb::handle threads, nb::handle progress);

/// How an array of n elements like those of `like` would be sorted, as lines of text.
nb::object explain(nb::handle like, std::size_t n, bool positions, nb::handle descending, nb::handle threads);

/// Version, engines and threads as a dict.
nb::object info();

void release_scratch_memory();

} // namespace sortile::python
