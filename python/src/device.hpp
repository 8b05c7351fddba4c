// Sorts of arrays in the memory of a GPU, which a framework gives by their addresses.
#pragma once

#include "rows_call.hpp"

#include "numpy.hpp"

#include <cstdint>

namespace sortile::python {

/// Whether the module was built with the engine for GPUs.
extern const bool has_gpu_engine;

/// The calling thread's current device is this one as long as the object lives.
class device_scope {
 public:
  explicit device_scope(int ordinal);
  ~device_scope();
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;

 private:
  int previous_ = -1; ///< −1: nothing was changed
};

/// Queues sorts of rows on a stream. Addresses are numbers; `allocate(bytes)` gives the workspace as a tuple of its
/// address and the object that owns it.
void device_sort(int wanted, int type, std::size_t rows, std::size_t n, std::uintptr_t keys_in, std::uintptr_t keys_out,
                 std::size_t value_bytes, std::uintptr_t values_in, std::uintptr_t values_out, bool descending,
                 int ordinal, std::uintptr_t stream, nb::handle allocate);

/// The plan of such sorts.
nb::object device_explain(int wanted, int type, std::size_t rows, std::size_t n, bool descending);

} // namespace sortile::python
