// NumPy's C interface, included in one way everywhere; module.cpp imports it (SORTILE_IMPORTS_NUMPY).
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL sortile_numpy_api
#ifndef SORTILE_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <cstddef>

namespace sortile::python {

namespace nb = nanobind;

inline PyArrayObject* as_array(nb::handle h) {
  return reinterpret_cast<PyArrayObject*>(h.ptr());
}

/// The Python error that is set; of memory that cannot be had in this package's words.
[[noreturn]] void raise_what_is_set();

/// A new reference as an object; the Python error that is set, where there is none.
inline nb::object owned(PyObject* made) {
  if (made == nullptr)
    raise_what_is_set();
  return nb::steal<nb::object>(made);
}
inline nb::object owned(PyArrayObject* made) {
  return owned(reinterpret_cast<PyObject*>(made));
}

inline std::size_t size_of(const PyArrayObject* a) {
  return static_cast<std::size_t>(PyArray_SIZE(const_cast<PyArrayObject*>(a)));
}

/// A new one-dimensional array of n elements of the type of `like`, or of a number of NumPy's own.
inline nb::object new_vector(std::size_t n, PyArrayObject* like) {
  npy_intp shape = static_cast<npy_intp>(n);
  PyArray_Descr* type = PyArray_DESCR(like);
  Py_INCREF(type);
  return owned(PyArray_Empty(1, &shape, type, 0));
}
inline nb::object new_vector(std::size_t n, int type_number) {
  npy_intp shape = static_cast<npy_intp>(n);
  return owned(PyArray_SimpleNew(1, &shape, type_number));
}

/// A new array of two axes; takes the type.
inline nb::object new_matrix(std::size_t rows, std::size_t columns, PyArray_Descr* type) {
  npy_intp shape[] = {static_cast<npy_intp>(rows), static_cast<npy_intp>(columns)};
  return owned(PyArray_Empty(2, shape, type, 0));
}
inline nb::object new_matrix(std::size_t rows, std::size_t columns, int type_number) {
  return new_matrix(rows, columns, PyArray_DescrFromType(type_number));
}

} // namespace sortile::python
