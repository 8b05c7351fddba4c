#include "select.hpp"

#include "arrays.hpp"
#include "call.hpp"

#include <sortile/groups.hpp>
#include <sortile/select.hpp>

#include <vector>

namespace sortile::python {

namespace {

/// Whether an array is one lane that can be read where it lies.
bool is_plain_lane(nb::handle a) {
  PyArrayObject* const array = as_array(a);
  return PyArray_NDIM(array) == 1 && PyArray_IS_C_CONTIGUOUS(array) && PyArray_ISALIGNED(array);
}

std::size_t axis_length(nb::handle a, int axis) {
  return static_cast<std::size_t>(PyArray_DIM(as_array(a), axis));
}

/// A new array of two axes, of the type of `like`.
nb::object new_rows(std::size_t rows, std::size_t columns, PyArrayObject* like) {
  npy_intp shape[] = {static_cast<npy_intp>(rows), static_cast<npy_intp>(columns)};
  PyArray_Descr* type = PyArray_DESCR(like);
  Py_INCREF(type);
  return owned(PyArray_Empty(2, shape, type, 0));
}

nb::object new_positions(std::size_t rows, std::size_t columns) {
  npy_intp shape[] = {static_cast<npy_intp>(rows), static_cast<npy_intp>(columns)};
  return owned(PyArray_SimpleNew(2, shape, NPY_INT64));
}

void* data_of(nb::handle a) {
  return PyArray_DATA(as_array(a));
}

/// The first `count` elements, in memory of their own: what is cut off is given back.
nb::object shortened(nb::handle a, std::size_t count) {
  const nb::object part = a[nb::slice(nb::int_(0), nb::int_(count), nb::none())];
  return owned(PyArray_NewCopy(as_array(part), NPY_CORDER));
}

} // namespace

nb::object top_k(nb::handle rows, std::size_t k, nb::handle descending, nb::handle threads, nb::handle progress) {
  const std::optional<element> e = plain_element(rows);
  if (!e || e->swapped)
    return not_implemented();
  call how(descending, nb::str("largest"), threads, progress);
  const std::size_t count = axis_length(rows, 0), n = axis_length(rows, 1);
  const nb::object values = new_rows(count, k, as_array(rows)), positions = new_positions(count, k);
  const top_k_request request{.type = e->type,
                              .n = n,
                              .k = k,
                              .keys_in = data_of(rows),
                              .keys_out = data_of(values),
                              .carries = payload::indices,
                              .value_bytes = 8,
                              .values_out = data_of(positions),
                              .rows = count};
  how.run(count * n, [&] { run(request, how.opts); });
  return nb::make_tuple(values, positions);
}

nb::object top_k_of_lane(nb::handle x, std::size_t k, nb::handle largest, nb::handle nan, nb::handle threads) {
  const std::optional<element> e = plain_element(x);
  if (!e || e->swapped || e->missing == missing_kind::nat || !is_plain_lane(x) || size_of(as_array(x)) < k || k == 0)
    return not_implemented();
  call how(largest, nan, threads, nb::none());
  const std::size_t n = size_of(as_array(x));
  const nb::object values = new_vector(k, as_array(x)), positions = new_vector(k, NPY_INT64);
  const top_k_request request{.type = e->type,
                              .n = n,
                              .k = k,
                              .keys_in = data_of(x),
                              .keys_out = data_of(values),
                              .carries = payload::indices,
                              .value_bytes = 8,
                              .values_out = data_of(positions)};
  how.run(n, [&] { run(request, how.opts); });
  // The library takes NaN for the largest: where there is any, the first of the largest is one.
  if (how.nan == nan_place::last && how.opts.order == order::descending && is_missing(*e, data_of(values)))
    return not_implemented();
  return nb::make_tuple(values, positions);
}

nb::object keys_at_ranks(nb::handle rows, nb::handle ranks, nb::handle threads, nb::handle progress) {
  const std::optional<element> e = plain_element(rows);
  if (!e || e->swapped)
    return not_implemented();
  call how(nb::bool_(false), nb::str("largest"), threads, progress);
  std::vector<std::size_t> list;
  for (const nb::handle rank : nb::borrow<nb::list>(ranks))
    list.push_back(nb::cast<std::size_t>(rank));
  const std::size_t count = axis_length(rows, 0), n = axis_length(rows, 1);
  const nb::object keys = new_rows(count, list.size(), as_array(rows));
  const ranks_request request{
      .type = e->type, .n = n, .keys = data_of(rows), .ranks = list, .keys_out = data_of(keys), .rows = count};
  how.run(count * n, [&] { run(request, how.opts); });
  return keys;
}

nb::object nth_element(nb::handle rows, std::size_t nth, nb::handle threads) {
  const std::optional<element> e = plain_element(rows);
  if (!e || e->swapped)
    return not_implemented();
  call how(nb::bool_(false), nb::str("largest"), threads, nb::none());
  const std::size_t count = axis_length(rows, 0), n = axis_length(rows, 1);
  auto* const keys = static_cast<std::byte*>(data_of(rows));
  how.run_to_the_end(count * n, [&] {
    for (std::size_t row = 0; row < count; ++row)
      run(nth_element_request{.type = e->type, .n = n, .nth = nth, .keys = keys + row * n * e->width}, how.opts);
  });
  return nb::none();
}

nb::object group_by(nb::handle keys, nb::handle threads, nb::handle progress) {
  const std::optional<element> e = plain_element(keys);
  if (!e || e->swapped)
    return not_implemented();
  call how(nb::bool_(false), nb::str("largest"), threads, progress);
  const std::size_t n = size_of(as_array(keys));
  const nb::object distinct = new_vector(n, as_array(keys)), offsets = new_vector(n + 1, NPY_INT64),
                   order = new_vector(n, NPY_INT64);
  const groups_request request{.type = e->type,
                               .n = n,
                               .keys = data_of(keys),
                               .keys_out = data_of(distinct),
                               .offsets = data_of(offsets),
                               .order = data_of(order)};
  std::size_t groups = 0;
  how.run(n, [&] { groups = run(request, how.opts); });
  return nb::make_tuple(shortened(distinct, groups), shortened(offsets, groups + 1), order);
}

} // namespace sortile::python
