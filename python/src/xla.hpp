// Sorts as custom calls of XLA, by which JAX reaches them under jit.
#pragma once

#include "numpy.hpp"

namespace sortile::python {

/// {"sortile_sort": {"cpu": capsule, "CUDA": capsule}, "sortile_segments": …}: the handlers of these calls, as
/// jax.ffi.register_ffi_target() takes them. Arguments: keys, and values where these travel; attributes `kind`
/// (product, rows_call.hpp) and `descending`; results as the product says. "sortile_sort" sorts the last axis of the
/// keys, all others count rows; the result of first_positions has k as its last axis. "sortile_segments" sorts segments
/// of keys of one axis: behind the keys and values, or behind an array that the positions overwrite, come begins, and
/// ends where there are any. What lies in no segment is not written: results are in the place of the arguments.
/// "sortile_ranks" has keys, whose last axis is a row, and the attribute `ranks`, an array; its result has the keys at
/// these ranks of each row as its last axis. "sortile_route" has the argument `experts`, the attribute `block` and the
/// six results of a routing (sortile/_route.py); there are as many experts as the second result, the counts, has
/// elements. "sortile_spares" has no arguments, and writes nothing to its results (sortile/_jax_now.py).
nb::object xla_handlers();

} // namespace sortile::python
