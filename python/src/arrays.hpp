// What the calls ask of their arrays before they touch them.
#pragma once

#include "element.hpp"

#include <optional>

namespace sortile::python {

inline nb::object not_implemented() {
  return nb::borrow<nb::object>(Py_NotImplemented);
}

/// The element of a plain ndarray that the library orders by itself; nothing where Python has to take care.
inline std::optional<element> plain_element(nb::handle x) {
  return PyArray_CheckExact(x.ptr()) ? element_of(as_array(x)) : std::nullopt;
}

/// An array of one axis that can be read where it lies, or a copy of it that can: no gaps, aligned. The byte order
/// stays.
nb::object without_gaps(nb::handle array);

/// "float32", "(3, 4)": for messages.
std::string type_text(PyArrayObject* array);
std::string shape_text(PyArrayObject* array);

/// Whether the bytes from the first to the last element of one reach into those of the other.
bool share_memory(PyArrayObject* a, PyArrayObject* b);

/// Whether a call that reads `in` and writes `out` sees anything of its own doing: they share memory, and are not the
/// same array.
bool overlap_in_part(PyArrayObject* in, PyArrayObject* out);

/// Sees that `out` can take a result like `like`, of this type. \throws TypeError, ValueError
void need_fitting(const char* function, nb::handle out, PyArrayObject* like, PyArray_Descr* type);

/// The number of NumPy's type for positions: int64 for None. \throws TypeError for all but int64 and uint32
int position_type(nb::handle dtype);

} // namespace sortile::python
