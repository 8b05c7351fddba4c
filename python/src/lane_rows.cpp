#include "lane_rows.hpp"

#include <algorithm>

namespace sortile::python {

namespace {

nb::object native_type(PyArray_Descr* type) {
  return owned(reinterpret_cast<PyObject*>(PyArray_DescrNewByteorder(type, NPY_NATIVE)));
}

void add_to_all(void* words, std::size_t n, std::uint64_t summand) {
  auto* const first = static_cast<std::uint64_t*>(words);
  for (std::size_t i = 0; i < n; ++i)
    first[i] += summand;
}

} // namespace

nb::object with_axis_moved(nb::handle array, int from, int to) {
  if (from == to)
    return nb::borrow<nb::object>(array);
  npy_intp order[NPY_MAXDIMS];
  const int axes = PyArray_NDIM(as_array(array));
  for (int i = 0, other = 0; i < axes; ++i) {
    other += other == from ? 1 : 0;
    order[i] = i == to ? from : other++;
  }
  PyArray_Dims permutation{order, axes};
  return owned(PyArray_Transpose(as_array(array), &permutation));
}

std::optional<lane_rows> lane_rows::of(nb::handle x, nb::handle axis) {
  const std::optional<element> e = plain_element(x);
  if (!e)
    return std::nullopt;
  lane_rows r;
  r.e = *e;
  r.given_ = nb::borrow<nb::object>(x);
  const int axes = axis.is_none() ? 1 : PyArray_NDIM(as_array(x));
  if (axis.is_none()) {
    r.array_ = PyArray_NDIM(as_array(x)) == 1 ? r.given_ : owned(PyArray_Ravel(as_array(x), NPY_CORDER));
  } else {
    int beyond = 0;
    const bool is_number = PyLong_CheckExact(axis.ptr());
    const long long at = is_number ? PyLong_AsLongLongAndOverflow(axis.ptr(), &beyond) : 0;
    if (!is_number || beyond != 0 || at < -axes || at >= axes)
      return std::nullopt;
    r.axis_ = static_cast<int>(at < 0 ? at + axes : at);
    r.array_ = with_axis_moved(x, r.axis_, axes - 1);
  }
  PyArrayObject* a = as_array(r.array_);
  if (e->swapped) {
    r.array_ = owned(
        PyArray_CastToType(a, reinterpret_cast<PyArray_Descr*>(native_type(PyArray_DESCR(a)).release().ptr()), 0));
    r.is_copy_ = true;
    a = as_array(r.array_);
  }
  if (!PyArray_IS_C_CONTIGUOUS(a) || !PyArray_ISALIGNED(a) || (r.counts_from_second() && !r.is_copy_)) {
    r.array_ = owned(PyArray_NewCopy(a, NPY_CORDER));
    r.is_copy_ = true;
    a = as_array(r.array_);
  }
  r.n = static_cast<std::size_t>(PyArray_DIM(a, axes - 1));
  r.count = static_cast<std::size_t>(PyArray_MultiplyList(PyArray_DIMS(a), axes - 1));
  return r;
}

// NaT is the smallest integer of all, and one less is the largest.

void lane_rows::prepare() const {
  if (counts_from_second())
    add_to_all(PyArray_DATA(as_array(array_)), size(), ~std::uint64_t{0});
}

void lane_rows::undo(void* elements, std::size_t length) const {
  if (counts_from_second())
    add_to_all(elements, length, 1);
}

nb::object lane_rows::writable() const {
  return is_copy_ ? array_ : owned(PyArray_NewCopy(as_array(array_), NPY_CORDER));
}

nb::object lane_rows::made(std::size_t length, PyArray_Descr* type) const {
  npy_intp shape[NPY_MAXDIMS];
  std::copy_n(other_axes(), others(), shape);
  shape[others()] = static_cast<npy_intp>(length);
  return owned(PyArray_Empty(others() + 1, shape, type, 0)); // which takes the type
}

nb::object lane_rows::new_results(std::size_t length) const {
  PyArray_Descr* const type = this->type();
  Py_INCREF(type);
  return made(length, type);
}

nb::object lane_rows::new_results(std::size_t length, int type_number) const {
  return made(length, PyArray_DescrFromType(type_number));
}

nb::object lane_rows::new_matrix(std::size_t rows, std::size_t columns) const {
  PyArray_Descr* const type = this->type();
  Py_INCREF(type);
  return python::new_matrix(rows, columns, type);
}

nb::object lane_rows::in_given_order(const nb::object& elements) const {
  if (!e.swapped || !PyArray_Check(elements.ptr()) || PyArray_DESCR(as_array(elements)) != type())
    return elements;
  PyArray_Descr* const given = PyArray_DESCR(as_array(given_));
  Py_INCREF(given);
  return owned(PyArray_CastToType(as_array(elements), given, 0));
}

nb::object lane_rows::given_back(const nb::object& results) const {
  return with_axis_moved(in_given_order(results), others(), axis_);
}

} // namespace sortile::python
