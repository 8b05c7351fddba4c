// sort_by_key, segment_sort_by_key and take: arrays in the order of another.
//
// One value array travels with its keys. Several would each be carried through every pass of the sort; instead the sort
// makes positions beside the sorted keys, and each array is gathered once. So is each along an axis of several, where
// the positions in all lanes, one lane behind the other, are made first.
#include "arrays.hpp"
#include "call.hpp"
#include "lane_rows.hpp"
#include "lanes.hpp"
#include "sort.hpp"

#include "cpu/gather.hpp"

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

/// A new array of the elements' type of `like`, of another shape perhaps. NumPy makes none of elements without bytes
/// (S0), but of empty ones of a byte.
nb::object new_array(PyArrayObject* like, int axes, const npy_intp* shape) {
  PyArray_Descr* const type = PyArray_DESCR(like);
  Py_INCREF(type); // which either takes
  return owned(PyArray_ITEMSIZE(like) == 0 ? PyArray_Zeros(axes, shape, type, 0) : PyArray_Empty(axes, shape, type, 0));
}

/// The values of a call: one array, or a tuple of them.
class given_values {
 public:
  explicit given_values(nb::handle values) : values_(values), several_(PyTuple_CheckExact(values.ptr())) {}

  std::size_t size() const { return several_ ? static_cast<std::size_t>(PyTuple_Size(values_.ptr())) : 1; }
  nb::handle operator[](std::size_t i) const {
    return several_ ? PyTuple_GetItem(values_.ptr(), static_cast<Py_ssize_t>(i)) : values_.ptr();
  }

  /// Of all others Python has to take care.
  bool are_plain() const {
    for (std::size_t i = 0; i < size(); ++i) {
      const nb::handle one = (*this)[i];
      if (!PyArray_CheckExact(one.ptr()) || PyDataType_REFCHK(PyArray_DESCR(as_array(one))))
        return false;
    }
    return true;
  }

  /// f(i) for each array, in a tuple where one was given.
  template <class F>
  nb::object each(F&& f) const {
    if (!several_)
      return f(0);
    nb::object all = owned(PyTuple_New(static_cast<Py_ssize_t>(size())));
    for (std::size_t i = 0; i < size(); ++i)
      PyTuple_SetItem(all.ptr(), static_cast<Py_ssize_t>(i), nb::object(f(i)).release().ptr());
    return all;
  }

 private:
  nb::handle values_;
  bool several_;
};

[[noreturn]] void refuse(const char* function, std::size_t number, const std::string& what) {
  throw nb::value_error(
      (std::string("sortile.") + function + ": value array " + std::to_string(number) + " has shape " + what).c_str());
}

/// Rows of values for each of n keys.
bool has_rows(nb::handle values, std::size_t n) {
  PyArrayObject* const a = as_array(values);
  return PyArray_NDIM(a) > 0 && static_cast<std::size_t>(PyArray_DIM(a, 0)) == n;
}

void need_rows(const char* function, nb::handle values, std::size_t number, std::size_t n) {
  if (!has_rows(values, n))
    refuse(function, number,
           shape_text(as_array(values)) + "; its first axis must be as long as the keys, " + std::to_string(n));
}

/// `keys`: where `values` may not lie, which one array of a call must not share with its keys.
void add(travellers& all, nb::handle values, std::size_t n, std::size_t number, PyArrayObject* keys) {
  PyArrayObject* const a = as_array(values);
  need_rows("sort_by_key", values, number, n);
  all.from.push_back(without_gaps(values));
  if (keys != nullptr && share_memory(keys, as_array(all.from.back())))
    all.from.back() = owned(PyArray_NewCopy(a, NPY_CORDER));
  all.to.push_back(new_array(a, PyArray_NDIM(a), PyArray_DIMS(a)));
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
  const call_scratch space(k.n * index_bytes, "the positions of a sort by key");
  void* const positions = space.data();
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

/// The elements of `from` by positions of the first axis of them all. Without Python's lock, and until Ctrl-C.
void gather(call& how, PyArrayObject* from, PyArrayObject* positions, std::size_t width, nb::handle to) {
  const std::size_t n = size_of(positions);
  if (n == 0 || width == 0)
    return;
  how.run(n, [&] {
    progress_meter progress(&how.opts.progress, n);
    cpu::gather(PyArray_DATA(from), PyArray_DATA(positions), static_cast<std::size_t>(PyArray_ITEMSIZE(positions)), n,
                width, PyArray_DATA(as_array(to)), how.threads(n), &progress);
  });
}

/// Rows of an array that has all that the positions name.
nb::object rows_in_order(nb::handle array, PyArrayObject* positions, call& how) {
  const nb::object from = without_gaps(array);
  PyArrayObject* const a = as_array(from);
  npy_intp shape[NPY_MAXDIMS];
  for (int i = 0; i < PyArray_NDIM(a); ++i)
    shape[i] = i == 0 ? PyArray_DIM(positions, 0) : PyArray_DIM(a, i);
  nb::object to = new_array(a, PyArray_NDIM(a), shape);
  gather(how, a, positions, width_of_row(a), to);
  return to;
}

bool agree(PyArrayObject* a, PyArrayObject* b) {
  return PyArray_NDIM(a) == PyArray_NDIM(b) && PyArray_CompareLists(PyArray_DIMS(a), PyArray_DIMS(b), PyArray_NDIM(a));
}

void need_agreeing(nb::handle values, std::size_t number, PyArrayObject* keys) {
  if (!agree(as_array(values), keys))
    refuse("sort_by_key", number,
           shape_text(as_array(values)) + ", the keys have " + shape_text(keys) +
               "; with keys of several axes they must agree");
}

/// All elements of an array by their places, which count from its first one when the axis is the last.
nb::object moved_along(nb::handle array, int axis, nb::handle places, call& how) {
  const int last = PyArray_NDIM(as_array(array)) - 1;
  const nb::object from = without_gaps(with_axis_moved(array, axis, last));
  PyArrayObject* const a = as_array(from);
  const nb::object to = new_array(a, last + 1, PyArray_DIMS(a));
  gather(how, a, as_array(places), static_cast<std::size_t>(PyArray_ITEMSIZE(a)), to);
  const nb::object moved = with_axis_moved(to, last, axis);
  return axis == last ? moved : owned(PyArray_NewCopy(as_array(moved), NPY_CORDER));
}

nb::object sort_along(nb::handle keys, const given_values& values, nb::handle axis, nb::handle descending,
                      nb::handle nan, nb::handle threads, nb::handle progress) {
  PyArrayObject* const k = as_array(keys);
  call how(threads);
  const nb::object asked = axis_once(axis); // an object may answer differently the next time
  const int at = axis_of(asked, PyArray_NDIM(k));
  for (std::size_t i = 0; i < values.size(); ++i)
    need_agreeing(values[i], i, k);
  const nb::object order = argsort(keys, nb::int_(at), descending, nb::none(), nb::none(), nan, threads, progress);
  if (order.is(not_implemented()))
    return order;
  PyArrayObject* const o = as_array(order);
  const int last = PyArray_NDIM(o) - 1;
  const nb::object places = without_gaps(with_axis_moved(order, at, last));
  auto* const place = static_cast<std::int64_t*>(PyArray_DATA(as_array(places)));
  const npy_intp length = PyArray_DIM(o, at), n = PyArray_SIZE(o);
  how.run_to_the_end(static_cast<std::size_t>(n), [&] {
    for (npy_intp first = length; first < n; first += length)
      for (npy_intp i = first; i < first + length; ++i)
        place[i] += first;
  });
  // Other threads may have changed the shapes while this one sorted, and may between any two arrays.
  if (!agree(k, o))
    throw nb::value_error(("sortile.sort_by_key: the keys, of shape " + shape_text(o) +
                           ", got another while they were sorted, " + shape_text(k))
                              .c_str());
  const nb::object sorted = moved_along(keys, at, places, how);
  return nb::make_tuple(sorted, values.each([&](std::size_t i) {
    need_agreeing(values[i], i, o);
    return moved_along(values[i], at, places, how);
  }));
}

} // namespace

nb::object sort_by_key(nb::handle keys, nb::handle values, nb::handle axis, nb::handle descending, nb::handle nan,
                       nb::handle threads, nb::handle progress) {
  const given_values given(values);
  if (!plain_element(keys) || !given.are_plain())
    return not_implemented();
  if (PyArray_NDIM(as_array(keys)) != 1)
    return axis.is_none() ? not_implemented() : sort_along(keys, given, axis, descending, nan, threads, progress);
  if (!axis.is_none())
    axis_of(axis, 1);
  call how(descending, nan, threads, progress);
  const std::optional<element> e = plain_element(keys); // numbers of Python's may have changed it when they were asked
  if (!e || e->swapped)
    return not_implemented();
  const nb::object keys_in = without_gaps(keys);
  const std::size_t n = size_of(as_array(keys_in));
  travellers all;
  for (std::size_t i = 0; i < given.size(); ++i)
    add(all, given[i], n, i, given.size() == 1 ? as_array(keys_in) : nullptr);
  nb::object keys_out = new_vector(n, as_array(keys));
  const key_order k{*e, move_of_missing(*e, how.opts.order, how.nan), PyArray_DATA(as_array(keys_in)),
                    PyArray_DATA(as_array(keys_out)), n};
  how.run(n, [&] {
    if (all.size() == 1 && all.widths[0] > 0)
      sort_with_one(k, all, how.opts);
    else
      sort_with_several(k, all, how.opts, how.threads(n));
  });
  return nb::make_tuple(keys_out, given.each([&](std::size_t i) { return all.to[i]; }));
}

nb::object segment_sort_by_key(nb::handle keys, nb::handle values, nb::handle offsets, nb::handle descending,
                               nb::handle nan, nb::handle threads, nb::handle progress) {
  const given_values given(values);
  if (!plain_element(keys) || !given.are_plain())
    return not_implemented();
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!has_rows(given[i], size_of(as_array(keys))))
      return not_implemented();
  const nb::object found = segment_sort_with_order(keys, offsets, descending, nan, threads, progress);
  if (found.is(not_implemented()))
    return found;
  const nb::object sorted = found[0], order = found[1];
  call how(threads);
  return nb::make_tuple(sorted, given.each([&](std::size_t i) {
    need_rows("segment_sort_by_key", given[i], i, size_of(as_array(sorted))); // as they are now
    return rows_in_order(given[i], as_array(order), how);
  }));
}

nb::object take(nb::handle array, nb::handle positions, nb::handle threads) {
  call how(threads);
  return rows_in_order(array, as_array(positions), how);
}

} // namespace sortile::python
