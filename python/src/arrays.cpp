// Checks of the calls' arrays, with messages that say what is allowed.
#include "arrays.hpp"

#include <cstdint>
#include <string>

namespace sortile::python {

namespace {

/// The bytes from the first to behind the last element.
struct byte_range {
  std::uintptr_t begin, end;
};

byte_range byte_range_of(PyArrayObject* a) {
  std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(PyArray_DATA(a)), end = begin;
  for (int i = 0; i < PyArray_NDIM(a); ++i) {
    if (PyArray_DIM(a, i) == 0)
      return {begin, begin};
    const npy_intp reach = (PyArray_DIM(a, i) - 1) * PyArray_STRIDE(a, i);
    (reach < 0 ? begin : end) += static_cast<std::uintptr_t>(reach);
  }
  return {begin, end + static_cast<std::uintptr_t>(PyArray_ITEMSIZE(a))};
}

bool same_place(PyArrayObject* a, PyArrayObject* b) {
  if (PyArray_DATA(a) != PyArray_DATA(b))
    return false;
  for (int i = 0; i < PyArray_NDIM(a); ++i)
    if (PyArray_DIM(a, i) > 1 && PyArray_STRIDE(a, i) != PyArray_STRIDE(b, i))
      return false;
  return true;
}

std::string text_of(nb::handle h) {
  return nb::cast<std::string>(nb::str(h));
}

} // namespace

void raise_what_is_set() {
  nb::python_error said; // takes it
  if (!said.matches(PyExc_MemoryError))
    throw said;
  PyErr_SetString(PyExc_MemoryError, ("sortile: no memory for an array: " + text_of(said.value())).c_str());
  throw nb::python_error();
}

nb::object without_gaps(nb::handle array) {
  PyArrayObject* const a = as_array(array);
  // NumPy calls an array of no elements aligned wherever it begins.
  if (PyArray_IS_C_CONTIGUOUS(a) && PyArray_ISALIGNED(a) && PyArray_SIZE(a) > 0)
    return nb::borrow<nb::object>(array);
  return owned(PyArray_NewCopy(a, NPY_CORDER));
}

std::string type_text(PyArrayObject* array) {
  return text_of(reinterpret_cast<PyObject*>(PyArray_DESCR(array)));
}

std::string shape_text(PyArrayObject* array) {
  return text_of(nb::handle(reinterpret_cast<PyObject*>(array)).attr("shape"));
}

bool share_memory(PyArrayObject* in, PyArrayObject* out) {
  const byte_range a = byte_range_of(in), b = byte_range_of(out);
  return a.begin < b.end && b.begin < a.end;
}

bool overlap_in_part(PyArrayObject* in, PyArrayObject* out) {
  return share_memory(in, out) && !same_place(in, out);
}

void need_fitting(const char* function, nb::handle out, PyArrayObject* like, PyArray_Descr* type) {
  const auto call = [&] { return std::string("sortile.") + function + ": "; };
  PyArrayObject* const a = as_array(out);
  if (PyArray_EquivTypes(PyArray_DESCR(a), type) == 0)
    throw nb::type_error(
        (call() + "out holds " + type_text(a) + "; needed is " + text_of(reinterpret_cast<PyObject*>(type))).c_str());
  if (PyArray_NDIM(a) != PyArray_NDIM(like) ||
      !PyArray_CompareLists(PyArray_DIMS(a), PyArray_DIMS(like), PyArray_NDIM(a)))
    throw nb::value_error((call() + "out has shape " + shape_text(a) + "; needed is " + shape_text(like)).c_str());
  if (!PyArray_ISWRITEABLE(a))
    throw nb::value_error((call() + "out is read-only").c_str());
}

int position_type(nb::handle dtype) {
  if (dtype.is_none())
    return NPY_INT64;
  PyArray_Descr* type = nullptr;
  if (PyArray_DescrConverter(dtype.ptr(), &type) != NPY_SUCCEED) {
    PyErr_Clear();
    throw nb::type_error(
        ("sortile: dtype is " + text_of(nb::repr(dtype)) + "; of positions it is int64 or uint32").c_str());
  }
  const nb::object keeper = nb::steal<nb::object>(reinterpret_cast<PyObject*>(type));
  const bool native = PyArray_ISNBO(type->byteorder);
  const npy_intp width = PyDataType_ELSIZE(type);
  if (native && type->kind == 'i' && width == 8)
    return NPY_INT64;
  if (native && type->kind == 'u' && width == 4)
    return NPY_UINT32;
  throw nb::type_error(
      ("sortile: positions of dtype " + text_of(keeper) + " asked for; allowed are int64 and uint32").c_str());
}

} // namespace sortile::python
