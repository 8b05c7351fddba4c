#include "select.hpp"

#include "call.hpp"
#include "lane_rows.hpp"

#include "cpu/scratch.hpp"
#include "plan/progress.hpp"

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

/// The first `count` elements, in memory of their own: what is cut off is given back.
nb::object shortened(const nb::object& a, std::size_t count) {
  if (count == size_of(as_array(a)))
    return a;
  nb::object part = new_vector(count, as_array(a));
  std::memcpy(data_of(part), data_of(a), count * static_cast<std::size_t>(PyArray_ITEMSIZE(as_array(a))));
  return part;
}

/// A selection of NaN behind all others where the library takes it for the largest: as many more are chosen as a row
/// has of them, and these moved behind.
class missing_last {
 public:
  /// `request`: as it was done, with NaN among the first.
  missing_last(const lane_rows& rows, const top_k_request& request)
      : rows_(rows), request_(request), most_(std::min(request.n, request.k + most_missing())),
        keys_(request.rows * most_ * rows.e.width, "the keys of a top-k with NaN"),
        positions_(request.rows * most_ * sizeof(std::int64_t), "the positions of a top-k with NaN") {}

  void run(const options& opts) const {
    top_k_request more = request_;
    more.k = most_;
    more.keys_out = keys_.bytes().data();
    more.values_out = positions_.bytes().data();
    sortile::run(more, opts);
    for (std::size_t row = 0; row < request_.rows; ++row)
      take(row);
  }

 private:
  std::size_t most_missing() const {
    std::size_t most = 0;
    for (std::size_t row = 0; row < request_.rows; ++row) {
      std::size_t in_row = 0;
      for (std::size_t i = 0; i < request_.n; ++i)
        in_row += rows_.is_missing(rows_.data() + (row * request_.n + i) * rows_.e.width);
      most = std::max(most, in_row);
    }
    return most;
  }

  /// The first k of what was chosen, those that are missing behind the others.
  void take(std::size_t row) const {
    const std::size_t width = rows_.e.width;
    const std::byte* const keys = keys_.bytes().data() + row * most_ * width;
    const std::byte* const positions = positions_.bytes().data() + row * most_ * sizeof(std::int64_t);
    std::byte* keys_out = static_cast<std::byte*>(request_.keys_out) + row * request_.k * width;
    std::byte* positions_out = static_cast<std::byte*>(request_.values_out) + row * request_.k * sizeof(std::int64_t);
    std::size_t missing = 0; // in front
    while (missing < most_ && rows_.is_missing(keys + missing * width))
      ++missing;
    const std::size_t others = std::min(request_.k, most_ - missing), behind = request_.k - others;
    const auto copy = [&](std::size_t from, std::size_t n) {
      keys_out = std::copy_n(keys + from * width, n * width, keys_out);
      positions_out = std::copy_n(positions + from * sizeof(std::int64_t), n * sizeof(std::int64_t), positions_out);
    };
    copy(missing, others);
    copy(0, behind);
  }

  const lane_rows& rows_;
  const top_k_request& request_;
  std::size_t most_;
  cpu::scratch keys_, positions_;
};

/// With NaN where `nan` wants it.
void run_top_k(const lane_rows& rows, const top_k_request& request, const call& how) {
  const bool may_move =
      rows.e.missing != missing_kind::none && how.nan == nan_place::last && how.opts.order == order::descending;
  if (!may_move)
    return run(request, how.opts);
  options opts = how.opts;
  opts.progress = progress_of_step(how.opts.progress, 0, 0.5);
  run(request, opts);
  // Where a row has any, the first of its largest is one.
  const auto* const keys = static_cast<const std::byte*>(request.keys_out);
  bool any = false;
  for (std::size_t row = 0; row < request.rows; ++row)
    any = any || rows.is_missing(keys + row * request.k * rows.e.width);
  opts.progress = progress_of_step(how.opts.progress, 0.5, 1);
  if (any)
    missing_last(rows, request).run(opts);
  else if (opts.progress && !opts.progress(1))
    throw cancelled("sortile: a selection was ended by its progress callback");
}

} // namespace

nb::object top_k(nb::handle x, nb::handle k, nb::handle axis, nb::handle largest, nb::handle nan, nb::handle threads,
                 nb::handle progress) {
  const std::optional<lane_rows> r = lane_rows::of(x, axis);
  const std::optional<long long> first = exact_number(k);
  if (!r || !first || *first < 0 || static_cast<unsigned long long>(*first) > r->n)
    return not_implemented();
  call how(largest, nan, threads, progress);
  const std::size_t count = static_cast<std::size_t>(*first);
  const nb::object values = r->new_results(count), positions = r->new_results(count, NPY_INT64);
  const top_k_request request{.type = r->e.type,
                              .n = r->n,
                              .k = count,
                              .keys_in = r->data(),
                              .keys_out = data_of(values),
                              .carries = payload::indices,
                              .value_bytes = 8,
                              .values_out = data_of(positions),
                              .rows = r->count};
  if (r->count * count > 0) // an array of no elements may begin anywhere
    how.run(r->size(), [&] {
      r->prepare();
      run_top_k(*r, request, how);
      r->undo(request.keys_out, r->count * count);
    });
  return nb::make_tuple(r->given_back(values), r->given_back(positions));
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
