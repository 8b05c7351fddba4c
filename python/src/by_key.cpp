// sort_by_key and take: arrays in the order of another.
//
// One value array travels with its keys. Several would each be carried through every pass of the sort; instead the sort
// makes positions beside the sorted keys, and each array is gathered once.
#include "arrays.hpp"
#include "call.hpp"
#include "sort.hpp"

#include "cpu/gather.hpp"
#include "cpu/scratch.hpp"

#include <sortile/request.hpp>

#include <functional>
#include <string>
#include <vector>

namespace sortile::python {

namespace {

/// Value arrays without gaps beside the arrays that take them in order.
struct travellers {
  std::vector<nb::object> from, to;
  std::vector<std::size_t> widths; ///< bytes that go with one key

  std::size_t size() const { return from.size(); }
  const void* source(std::size_t i) const { return PyArray_DATA(as_array(from[i])); }
  void* target(std::size_t i) const { return PyArray_DATA(as_array(to[i])); }
};

std::size_t width_of_row(PyArrayObject* a) {
  std::size_t width = static_cast<std::size_t>(PyArray_ITEMSIZE(a));
  for (int i = 1; i < PyArray_NDIM(a); ++i)
    width *= static_cast<std::size_t>(PyArray_DIM(a, i));
  return width;
}

bool can_be_moved(nb::handle array) {
  return PyArray_CheckExact(array.ptr()) && !PyDataType_REFCHK(PyArray_DESCR(as_array(array)));
}

/// `keys`: where `values` may not lie, which one array of a call must not share with its keys.
void add(travellers& all, nb::handle values, std::size_t n, std::size_t number, PyArrayObject* keys) {
  PyArrayObject* const a = as_array(values);
  if (PyArray_NDIM(a) == 0 || static_cast<std::size_t>(PyArray_DIM(a, 0)) != n)
    throw nb::value_error(("sortile.sort_by_key: value array " + std::to_string(number) + " has shape " +
                           shape_text(a) + "; its first axis must be as long as the keys, " + std::to_string(n))
                              .c_str());
  all.from.push_back(without_gaps(values));
  if (keys != nullptr && share_memory(keys, as_array(all.from.back())))
    all.from.back() = owned(PyArray_NewCopy(a, NPY_CORDER));
  PyArray_Descr* const type = PyArray_DESCR(a);
  Py_INCREF(type);
  all.to.push_back(owned(PyArray_NewLikeArray(a, NPY_CORDER, type, 0)));
  all.widths.push_back(width_of_row(a));
}

struct key_order {
  element e;
  missing_move move;
  const void* keys_in;
  void* keys_out;
  std::size_t n;
};

void sort_with_one(const key_order& k, const travellers& values, const options& opts) {
  run(sort_request{.type = k.e.type,
                   .n = k.n,
                   .keys_in = k.keys_in,
                   .keys_out = k.keys_out,
                   .carries = payload::values,
                   .value_bytes = values.widths[0],
                   .values_in = values.source(0),
                   .values_out = values.target(0)},
      opts);
  const std::size_t missing = count_missing(k.e, k.move, k.keys_out, k.n);
  move_block(k.move, k.keys_out, k.n, missing, k.e.width);
  move_block(k.move, values.target(0), k.n, missing, values.widths[0]);
}

/// Half of the whole is the sort.
void sort_with_several(const key_order& k, const travellers& values, const options& opts, unsigned threads) {
  options of_sort = opts;
  of_sort.progress = progress_of_step(opts.progress, 0, 0.5);
  const std::size_t index_bytes = k.n >> 32 == 0 ? 4 : 8;
  const cpu::scratch space(k.n * index_bytes, "the positions of a sort by key");
  void* const positions = space.bytes().data();
  run(sort_request{.type = k.e.type,
                   .n = k.n,
                   .keys_in = k.keys_in,
                   .keys_out = k.keys_out,
                   .carries = payload::indices,
                   .value_bytes = index_bytes,
                   .values_out = positions},
      of_sort);
  const std::size_t missing = count_missing(k.e, k.move, k.keys_out, k.n);
  move_block(k.move, k.keys_out, k.n, missing, k.e.width);
  move_block(k.move, positions, k.n, missing, index_bytes);
  const std::function<bool(double)> told = progress_of_step(opts.progress, 0.5, 1);
  progress_meter progress(&told, std::uint64_t{values.size()} * k.n);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values.widths[i] > 0)
      cpu::gather(values.source(i), positions, index_bytes, k.n, values.widths[i], values.target(i), threads,
                  &progress);
  progress.finish();
}

} // namespace

nb::object sort_by_key(nb::handle keys, nb::handle values, nb::handle descending, nb::handle nan, nb::handle threads,
                       nb::handle progress) {
  const std::optional<element> e = plain_element(keys);
  if (!e || e->swapped || PyArray_NDIM(as_array(keys)) != 1)
    return not_implemented();
  const nb::tuple given = nb::borrow<nb::tuple>(values);
  for (const nb::handle one : given)
    if (!can_be_moved(one))
      return not_implemented();
  call how(descending, nan, threads, progress);
  const nb::object keys_in = without_gaps(keys);
  const std::size_t n = size_of(as_array(keys_in));
  travellers all;
  for (const nb::handle one : given)
    add(all, one, n, all.size(), given.size() == 1 ? as_array(keys_in) : nullptr);
  nb::object keys_out = new_vector(n, as_array(keys));
  const key_order k{*e, move_of_missing(*e, how.opts.order, how.nan), PyArray_DATA(as_array(keys_in)),
                    PyArray_DATA(as_array(keys_out)), n};
  how.run(n, [&] {
    if (all.size() == 1 && all.widths[0] > 0)
      sort_with_one(k, all, how.opts);
    else
      sort_with_several(k, all, how.opts, how.threads(n));
  });
  nb::list sorted;
  for (const nb::object& one : all.to)
    sorted.append(one);
  return nb::make_tuple(keys_out, nb::tuple(sorted));
}

nb::object take(nb::handle array, nb::handle positions, nb::handle threads) {
  PyArrayObject* const indices = as_array(positions);
  call how(nb::bool_(false), nb::str("last"), threads, nb::none());
  const nb::object from = without_gaps(array);
  PyArrayObject* const a = as_array(from);
  npy_intp shape[NPY_MAXDIMS];
  for (int i = 0; i < PyArray_NDIM(a); ++i)
    shape[i] = i == 0 ? PyArray_DIM(indices, 0) : PyArray_DIM(a, i);
  PyArray_Descr* const type = PyArray_DESCR(a);
  Py_INCREF(type);
  nb::object to = owned(PyArray_Empty(PyArray_NDIM(a), shape, type, 0));
  const std::size_t n = size_of(indices), width = width_of_row(a);
  if (n > 0 && width > 0)
    how.run(n, [&] {
      progress_meter progress(&how.opts.progress, n);
      cpu::gather(PyArray_DATA(a), PyArray_DATA(indices), static_cast<std::size_t>(PyArray_ITEMSIZE(indices)), n, width,
                  PyArray_DATA(as_array(to)), how.threads(n), &progress);
    });
  return to;
}

} // namespace sortile::python
