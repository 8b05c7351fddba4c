#include "select.hpp"

#include "call.hpp"
#include "first_keys.hpp"
#include "given_segments.hpp"
#include "lane_rows.hpp"

#include <sortile/groups.hpp>
#include <sortile/request.hpp>
#include <sortile/select.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

namespace sortile::python {

namespace {

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
  given_segments given;
  if (!given.take(offsets))
    return not_implemented();
  const std::optional<lane_rows> r = lane_rows::of_one_axis(x);
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

nb::object segment_partition(nb::handle x, nb::handle kth, nb::handle offsets, nb::handle threads) {
  const std::optional<long long> place = exact_number(kth);
  given_segments given;
  if (!place || *place < 0 || !given.take(offsets))
    return not_implemented();
  call how(threads);
  const std::optional<lane_rows> r = lane_rows::of_one_axis(x);
  if (!r)
    return not_implemented();
  const nb::object parted = r->writable();
  how.run_to_the_end(r->n, [&] {
    r->prepare();
    run(segmented_nth_element_request{{r->e.type, r->n, static_cast<std::size_t>(*place), data_of(parted)},
                                      given.where},
        how.opts);
    r->undo(data_of(parted), r->n);
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
