#include "select.hpp"

#include "call.hpp"
#include "first_keys.hpp"
#include "given_segments.hpp"
#include "lane_rows.hpp"

#include "cpu/scratch.hpp"

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

/// A whole number of Python's that a long long holds.
std::optional<long long> exact_number(nb::handle value) {
  int beyond = 0;
  const long long n = PyLong_CheckExact(value.ptr()) ? PyLong_AsLongLongAndOverflow(value.ptr(), &beyond) : 0;
  return PyLong_CheckExact(value.ptr()) && beyond == 0 ? std::optional(n) : std::nullopt;
}

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

/// The first `count` elements, in memory of their own: what is cut off is given back.
nb::object shortened(const nb::object& a, std::size_t count) {
  if (count == size_of(as_array(a)))
    return a;
  nb::object part = new_vector(count, as_array(a));
  std::memcpy(data_of(part), data_of(a), count * static_cast<std::size_t>(PyArray_ITEMSIZE(as_array(a))));
  return part;
}

} // namespace

nb::object top_k(nb::handle x, nb::handle k, nb::handle counts, nb::handle fill, nb::handle axis, nb::handle largest,
                 nb::handle nan, nb::handle threads, nb::handle progress) {
  const std::optional<lane_rows> r = lane_rows::of(x, axis);
  const std::optional<long long> first = exact_number(k);
  if (!r || !first || *first < 0 || static_cast<unsigned long long>(*first) > r->n)
    return not_implemented();
  need_counts(counts, r->count);
  need_filler(fill, r->e, as_array(x));
  call how(largest, nan, threads, progress);
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

nb::object segment_top_k(nb::handle x, nb::handle k, nb::handle counts, nb::handle fill, nb::handle begins,
                         nb::handle ends, nb::handle largest, nb::handle nan, nb::handle threads, nb::handle progress) {
  const std::optional<long long> first = exact_number(k);
  if (!first || *first < 0 || !PyArray_CheckExact(x.ptr()) || PyArray_NDIM(as_array(x)) != 1)
    return not_implemented();
  const std::optional<lane_rows> r = lane_rows::of(x, nb::none());
  given_segments given;
  if (!r || !given.take(begins, ends))
    return not_implemented();
  const std::size_t rows = given.where.count, count = static_cast<std::size_t>(*first);
  if (count > most_elements / std::max<std::size_t>(1, rows))
    return not_implemented();
  need_counts(counts, rows);
  need_filler(fill, r->e, as_array(x));
  call how(largest, nan, threads, progress);
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
  const std::optional<lane_rows> r = lane_rows::of(x, axis);
  if (!r || r->n == 0 || r->e.missing == missing_kind::nat)
    return not_implemented();
  call how(nb::bool_(false), nb::str("largest"), threads, progress);
  const nb::object wanted = without_gaps(probabilities);
  PyArrayObject* const q = as_array(wanted);
  npy_intp shape[2 * NPY_MAXDIMS];
  std::copy_n(PyArray_DIMS(q), PyArray_NDIM(q), shape);
  std::copy_n(r->other_axes(), r->others(), shape + PyArray_NDIM(q));
  nb::object results = owned(PyArray_SimpleNew(PyArray_NDIM(q) + r->others(), shape, NPY_FLOAT64));
  auto* const to = static_cast<double*>(PyArray_DATA(as_array(results)));
  const auto* const first = static_cast<const double*>(PyArray_DATA(q));
  std::vector<double> places(first, first + size_of(q));
  const std::size_t count = places.size();
  if (r->e.missing == missing_kind::nan)
    places.push_back(1); // NaN is the largest, so the last key tells
  const std::size_t found = places.size();
  const cpu::scratch space(r->count * found * sizeof(double), "the quantiles of rows");
  auto* const of_rows = reinterpret_cast<double*>(space.bytes().data());
  const quantiles_request request{.type = r->e.type,
                                  .n = r->n,
                                  .keys = r->data(),
                                  .probabilities = places,
                                  .method = static_cast<quantile_method>(method),
                                  .results = of_rows,
                                  .rows = r->count};
  if (r->count * found > 0)
    how.run(r->size(), [&] {
      run(request, how.opts);
      for (std::size_t row = 0; row < r->count; ++row) {
        const double* const from = of_rows + row * found;
        const bool has_nan = found > count && std::isnan(from[count]);
        for (std::size_t i = 0; i < count; ++i)
          to[i * r->count + row] = has_nan ? std::numeric_limits<double>::quiet_NaN() : from[i];
      }
    });
  return owned(PyArray_Return(reinterpret_cast<PyArrayObject*>(results.release().ptr())));
}

nb::object partition(nb::handle x, nb::handle kth, nb::handle axis, nb::handle threads) {
  const std::optional<lane_rows> r = lane_rows::of(x, axis);
  const std::optional<long long> given = exact_number(kth);
  const auto n = r ? static_cast<long long>(r->n) : 0;
  if (!r || !given || *given < -n || *given >= n)
    return not_implemented();
  call how(nb::bool_(false), nb::str("largest"), threads, nb::none());
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
  const std::optional<lane_rows> r = lane_rows::of(keys, nb::none());
  if (!r || PyArray_NDIM(as_array(keys)) != 1)
    return not_implemented();
  call how(nb::bool_(false), nb::str("largest"), threads, progress);
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
  return nb::make_tuple(r->given_back(shortened(distinct, groups)), shortened(offsets, groups + 1), order);
}

} // namespace sortile::python
