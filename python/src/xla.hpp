// The sort as a custom call of XLA, by which JAX reaches it under jit.
#pragma once

#include "numpy.hpp"

namespace sortile::python {

/// {"cpu": capsule, "CUDA": capsule}: the handlers of the call "sortile_sort", as jax.ffi.register_ffi_target() takes
/// them. Arguments: keys, and values where these travel; attributes `kind` (product, rows_call.hpp) and `descending`;
/// results as the product says. The last axis of the keys is sorted, all others count rows.
nb::object xla_handlers();

} // namespace sortile::python
