#include "select.hpp"

#include "call.hpp"
#include "first_keys.hpp"
#include "given_segments.hpp"
#include "lane_rows.hpp"

#include "primitives/quantile_place.hpp"

#include <sortile/groups.hpp>
#include <sortile/request.hpp>
#include <sortile/select.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace sortile::python {

namespace {

std::byte* data_of(nb::handle a) {
  return static_cast<std::byte*>(PyArray_DATA(as_array(a)));
}
const void* data_or_null(nb::handle a) {
  return a.is_none() ? nullptr : data_of(a);
}

/// What Python makes of a k for each of so many rows; others would be read beyond their end. \throws ValueError
void need_counts(nb::handle counts, std::size_t rows) {
  if (counts.is_none())
    return;
  PyArrayObject* const a = as_array(counts);
  if (!PyArray_Check(counts.ptr()) || PyArray_DESCR(a)->kind != 'u' || PyArray_ITEMSIZE(a) != 8 ||
      !PyArray_ISCARRAY_RO(a) || size_of(a) != rows)
    throw nb::value_error("sortile: counts are uint64, in one piece, one for each row");
}

/// The same of one element like those of the rows. \throws ValueError
void need_filler(nb::handle fill, const element& e, PyArrayObject* like) {
  if (fill.is_none())
    return;
  PyArrayObject* const a = as_array(fill);
  if (!PyArray_Check(fill.ptr()) || PyArray_TYPE(a) != PyArray_TYPE(like) ||
      static_cast<std::size_t>(PyArray_ITEMSIZE(a)) != e.width || !PyArray_ISCARRAY_RO(a) || size_of(a) != 1)
    throw nb::value_error("sortile: fill is one element of the array's type, in this machine's byte order");
}

/// Of results, which memory can address with all that is beside them.
constexpr std::size_t most_elements = std::numeric_limits<std::ptrdiff_t>::max() / 16;

/// Gives back the memory behind the first `count` elements of an array of our own, which nobody else knows yet.
void shorten(nb::handle a, std::size_t count) {
  npy_intp length = static_cast<npy_intp>(count);
  PyArray_Dims shape{&length, 1};
  if (count != size_of(as_array(a)))
    owned(PyArray_Resize(as_array(a), &shape, 0, NPY_CORDER));
}

/// Probabilities as a caller gave them: a number, a list or a tuple of them, or an array of float64.
class given_probabilities {
 public:
  /// Whether they are such, from 0 to 1; of all others Python has to take care.
  bool take(nb::handle given) {
    if (take_number(given))
      return true;
    if (PyArray_CheckExact(given.ptr()))
      return take_array(given);
    const entries list(given);
    axes = 1;
    shape[0] = static_cast<npy_intp>(list.size());
    numbers.reserve(list.size() + 1);
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!take_number(list[i]))
        return false;
    return PyList_CheckExact(given.ptr()) || PyTuple_CheckExact(given.ptr());
  }

  std::vector<double> numbers;
  int axes = 0;
  npy_intp shape[NPY_MAXDIMS];

 private:
  bool add(double p) {
    numbers.push_back(p);
    return p >= 0 && p <= 1; // not of NaN
  }

  bool take_number(nb::handle given) {
    if (!PyFloat_Check(given.ptr()) && !PyLong_CheckExact(given.ptr()))
      return false;
    const double p = PyFloat_AsDouble(given.ptr());
    if (p == -1)
      PyErr_Clear(); // of an integer beyond all floats
    return add(p);
  }

  bool take_array(nb::handle given) {
    PyArrayObject* const a = as_array(given);
    if (PyArray_TYPE(a) != NPY_FLOAT64 || PyArray_ISBYTESWAPPED(a))
      return false;
    const nb::object kept = without_gaps(given);
    const auto* const first = reinterpret_cast<const double*>(data_of(kept));
    axes = PyArray_NDIM(a);
    std::copy_n(PyArray_DIMS(a), axes, shape);
    numbers.reserve(size_of(a) + 1);
    return std::all_of(first, first + size_of(a), [this](double p) { return add(p); });
  }
};

/// What quantiles of rows are written to: the axes of the probabilities before the others.
class quantile_results {
 public:
  /// Of the type, which is taken.
  quantile_results(const lane_rows& r, const given_probabilities& wanted, PyArray_Descr* type)
      : type_(owned(reinterpret_cast<PyObject*>(type))), axes_(wanted.axes + r.others()) {
    if (axes_ == 0)
      return;
    npy_intp shape[2 * NPY_MAXDIMS];
    std::copy_n(wanted.shape, wanted.axes, shape);
    std::copy_n(r.other_axes(), r.others(), shape + wanted.axes);
    array_ = owned(PyArray_Empty(axes_, shape, reinterpret_cast<PyArray_Descr*>(type_.inc_ref().ptr()), 0));
  }

  std::byte* data() { return axes_ > 0 ? data_of(array_) : reinterpret_cast<std::byte*>(&number_); }

  /// The array, or the number where it has no axis.
  nb::object given_back() {
    if (axes_ > 0)
      return array_;
    return owned(PyArray_Scalar(&number_, reinterpret_cast<PyArray_Descr*>(type_.ptr()), nullptr));
  }

 private:
  nb::object type_, array_;
  int axes_;
  std::uint64_t number_ = 0;
};

bool are_keys(quantile_method method) {
  return method != quantile_method::linear && method != quantile_method::midpoint;
}

/// NaN is the largest key, so the last one of a row tells whether there is one.
nb::object quantiles_that_are_keys(const lane_rows& r, const given_probabilities& wanted, quantile_method method,
                                   call& how) {
  PyArray_Descr* const type = r.type();
  Py_INCREF(type);
  quantile_results results(r, wanted, type);
  std::byte* const to = results.data();
  std::vector<std::size_t> ranks;
  ranks.reserve(wanted.numbers.size() + 1);
  for (const double p : wanted.numbers)
    ranks.push_back(quantile_place(p, r.n, method).low);
  const std::size_t count = ranks.size(), width = r.e.width;
  if (r.e.missing == missing_kind::nan)
    ranks.push_back(r.n - 1);
  const std::size_t found = ranks.size();
  const call_scratch space(r.count * found * width, "the quantiles of rows");
  const auto* const of_rows = static_cast<const std::byte*>(space.data());
  const ranks_request request{
      .type = r.e.type, .n = r.n, .keys = r.data(), .ranks = ranks, .keys_out = space.data(), .rows = r.count};
  if (r.count * found > 0)
    how.run(r.size(), [&] {
      run(request, how.opts);
      for (std::size_t row = 0; row < r.count; ++row) {
        const std::byte* const from = of_rows + row * found * width;
        const std::byte* const last = from + count * width;
        const bool has_nan = found > count && is_missing(r.e, last);
        for (std::size_t i = 0; i < count; ++i)
          std::memcpy(to + (i * r.count + row) * width, has_nan ? last : from + i * width, width);
      }
    });
  return r.in_given_order(results.given_back());
}

nb::object computed_quantiles(const lane_rows& r, given_probabilities& wanted, quantile_method method, call& how) {
  quantile_results results(r, wanted, PyArray_DescrFromType(NPY_FLOAT64));
  auto* const to = reinterpret_cast<double*>(results.data());
  std::vector<double>& places = wanted.numbers;
  const std::size_t count = places.size();
  if (r.e.missing == missing_kind::nan)
    places.push_back(1); // NaN is the largest, so the last key tells
  const std::size_t found = places.size();
  const call_scratch space(r.count * found * sizeof(double), "the quantiles of rows");
  auto* const of_rows = reinterpret_cast<double*>(space.data());
  const quantiles_request request{.type = r.e.type,
                                  .n = r.n,
                                  .keys = r.data(),
                                  .probabilities = places,
                                  .method = method,
                                  .results = of_rows,
                                  .rows = r.count};
  if (r.count * found > 0)
    how.run(r.size(), [&] {
      run(request, how.opts);
      for (std::size_t row = 0; row < r.count; ++row) {
        const double* const from = of_rows + row * found;
        const bool has_nan = found > count && std::isnan(from[count]);
        for (std::size_t i = 0; i < count; ++i)
          to[i * r.count + row] = has_nan ? std::numeric_limits<double>::quiet_NaN() : from[i];
      }
    });
  return results.given_back();
}

} // namespace

// Numbers of Python's are taken before the rows: an object that is asked for one may change the array, and for other
// numbers a copy would be made in vain.

nb::object top_k(nb::handle x, nb::handle k, nb::handle counts, nb::handle fill, nb::handle axis, nb::handle largest,
                 nb::handle nan, nb::handle threads, nb::handle progress) {
  const std::optional<long long> first = exact_number(k);
  if (!first || *first < 0)
    return not_implemented();
  call how(largest, nan, threads, progress, "largest");
  const std::optional<lane_rows> r = lane_rows::of(x, axis);
  if (!r || static_cast<unsigned long long>(*first) > r->n)
    return not_implemented();
  need_counts(counts, r->count);
  need_filler(fill, r->e, as_array(x));
  const std::size_t count = static_cast<std::size_t>(*first);
  const nb::object values = r->new_results(count), positions = r->new_results(count, NPY_INT64);
  if (r->count * count > 0) { // an array of no elements may begin anywhere
    const first_keys rows{.keys = *r,
                          .where = segments::rows(r->count, r->n),
                          .k = count,
                          .counts = data_or_null(counts),
                          .values = data_of(values),
                          .positions = reinterpret_cast<std::int64_t*>(data_of(positions)),
                          .fill = data_or_null(fill)};
    how.run(r->size(), [&] { rows.run(how); });
  }
  return nb::make_tuple(r->given_back(values), r->given_back(positions));
}

nb::object segment_top_k(nb::handle x, nb::handle k, nb::handle counts, nb::handle fill, nb::handle offsets,
                         nb::handle largest, nb::handle nan, nb::handle threads, nb::handle progress) {
  const std::optional<long long> first = exact_number(k);
  if (!first || *first < 0)
    return not_implemented();
  call how(largest, nan, threads, progress, "largest");
  if (!PyArray_CheckExact(x.ptr()) || PyArray_NDIM(as_array(x)) != 1)
    return not_implemented();
  given_segments given;
  if (!given.take(offsets))
    return not_implemented();
  const std::optional<lane_rows> r = lane_rows::of(x, nb::none());
  if (!r)
    return not_implemented();
  const std::size_t rows = given.where.count, count = static_cast<std::size_t>(*first);
  if (count > most_elements / std::max<std::size_t>(1, rows))
    return not_implemented();
  need_counts(counts, rows);
  need_filler(fill, r->e, as_array(x));
  const nb::object values = r->new_matrix(rows, count), positions = new_matrix(rows, count, NPY_INT64);
  const first_keys first_of{.keys = *r,
                            .where = given.where,
                            .k = count,
                            .counts = data_or_null(counts),
                            .values = data_of(values),
                            .positions = reinterpret_cast<std::int64_t*>(data_of(positions)),
                            .fill = data_or_null(fill)};
  how.run(std::max(r->n, rows * count), [&] { first_of.run(how); });
  return nb::make_tuple(r->given_back(values), positions);
}

nb::object quantiles(nb::handle x, nb::handle probabilities, nb::handle axis, int method, nb::handle threads,
                     nb::handle progress) {
  given_probabilities wanted;
  if (!wanted.take(probabilities))
    return not_implemented();
  call how(threads, progress);
  const std::optional<lane_rows> r = lane_rows::of(x, axis);
  if (!r || r->n == 0 || r->e.missing == missing_kind::nat)
    return not_implemented();
  const auto chosen = static_cast<quantile_method>(method);
  return are_keys(chosen) ? quantiles_that_are_keys(*r, wanted, chosen, how)
                          : computed_quantiles(*r, wanted, chosen, how);
}

nb::object partition(nb::handle x, nb::handle kth, nb::handle axis, nb::handle threads) {
  const std::optional<long long> given = exact_number(kth);
  if (!given)
    return not_implemented();
  call how(threads);
  const std::optional<lane_rows> r = lane_rows::of(x, axis);
  const auto n = r ? static_cast<long long>(r->n) : 0;
  if (!r || *given < -n || *given >= n)
    return not_implemented();
  const std::size_t place = static_cast<std::size_t>(*given < 0 ? *given + n : *given);
  const nb::object parted = r->writable();
  how.run_to_the_end(r->size(), [&] {
    r->prepare();
    for (std::size_t row = 0; row < r->count; ++row)
      run(nth_element_request{r->e.type, r->n, place, data_of(parted) + row * r->n * r->e.width}, how.opts);
    r->undo(data_of(parted), r->size());
  });
  return r->given_back(parted);
}

nb::object group_by(nb::handle keys, nb::handle threads, nb::handle progress) {
  call how(threads, progress);
  const std::optional<lane_rows> r = lane_rows::of(keys, nb::none());
  if (!r || PyArray_NDIM(as_array(keys)) != 1)
    return not_implemented();
  const nb::object distinct = r->new_results(r->n), offsets = new_vector(r->n + 1, NPY_INT64),
                   order = new_vector(r->n, NPY_INT64);
  const groups_request request{.type = r->e.type,
                               .n = r->n,
                               .keys = r->data(),
                               .keys_out = data_of(distinct),
                               .offsets = data_of(offsets),
                               .order = data_of(order)};
  std::size_t groups = 0;
  if (r->n > 0)
    how.run(r->n, [&] {
      r->prepare();
      groups = run(request, how.opts);
      r->undo(request.keys_out, groups);
    });
  else
    *static_cast<std::int64_t*>(PyArray_DATA(as_array(offsets))) = 0;
  shorten(distinct, groups);
  shorten(offsets, groups + 1);
  return nb::make_tuple(r->given_back(distinct), offsets, order);
}

} // namespace sortile::python
