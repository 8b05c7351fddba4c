// Parts of a sort, of rows: what `sortile/_select.py` calls. Arrays are plain, without gaps, in native byte order; all
// but group_by's have two axes, and each row is selected from by itself. NotImplemented for elements that the library
// does not order by themselves.
#pragma once

#include "numpy.hpp"

namespace sortile::python {

/// (the first k of each row, their positions as int64). NaN and NaT stand where the library has them.
nb::object top_k(nb::handle rows, std::size_t k, nb::handle descending, nb::handle threads, nb::handle progress);

/// The same of an array of one axis, k from 1 to its length, with NaN where it is wanted. NotImplemented where Python
/// has to take care: of NaN that is to be chosen last, NaT, and arrays that cannot be read where they lie.
nb::object top_k_of_lane(nb::handle x, std::size_t k, nb::handle largest, nb::handle nan, nb::handle threads);

/// Of each row the keys at `ranks`, a list of places below the rows' length.
nb::object keys_at_ranks(nb::handle rows, nb::handle ranks, nb::handle threads, nb::handle progress);

/// Rearranges each row in place around place `nth`.
nb::object nth_element(nb::handle rows, std::size_t nth, nb::handle threads);

/// (distinct keys, where each group begins in the order, the order) of one axis.
nb::object group_by(nb::handle keys, nb::handle threads, nb::handle progress);

} // namespace sortile::python
