// segment_sort, segment_argsort, segment_sort_with_order: parts of one array, each sorted by itself.
//
// Missing values (NaN, NaT) that are wanted at the other end than the library has them are moved segment by segment
// afterwards.
#include "call.hpp"
#include "given_segments.hpp"
#include "sort.hpp"

#include "api/segment_checks.hpp"
#include "plan/segment_places.hpp"

#include <cstring>
#include <numeric>

namespace sortile::python {

namespace {

/// A call on segments of an array of one axis in native byte order; of all others Python has to take care.
bool takes_segments(nb::handle x, const std::optional<element>& e) {
  return e && !e->swapped && PyArray_NDIM(as_array(x)) == 1;
}

template <class F>
void each_segment(const segments& where, F&& f) {
  for (std::size_t i = 0; i < where.count; ++i) {
    const segment_place p = place_of(where, i);
    if (p.n > 1)
      f(p.first, p.n);
  }
}

/// A copy of an array of one axis, without gaps: what lies in no segment stays.
nb::object copy_of(nb::handle x) {
  return owned(PyArray_NewCopy(as_array(x), NPY_CORDER));
}

} // namespace

nb::object segment_sort(nb::handle x, nb::handle offsets, nb::handle descending, nb::handle nan, nb::handle threads,
                        nb::handle progress) {
  given_segments given;
  if (!takes_segments(x, plain_element(x)) || !given.take(offsets))
    return not_implemented();
  const segments& where = given.where;
  call how(descending, nan, threads, progress);
  const std::optional<element> e = plain_element(x);
  if (!takes_segments(x, e))
    return not_implemented();
  nb::object sorted = copy_of(x);
  auto* const keys = static_cast<std::byte*>(PyArray_DATA(as_array(sorted)));
  const std::size_t n = size_of(as_array(sorted));
  const missing_move move = move_of_missing(*e, how.opts.order, how.nan);
  how.run(n, [&] {
    run(segmented_request{{.type = e->type, .n = n, .keys_in = keys, .keys_out = keys}, where}, how.opts);
    if (move != missing_move::none)
      each_segment(where,
                   [&](std::size_t first, std::size_t m) { place_missing(*e, move, keys + first * e->width, m); });
  });
  return sorted;
}

nb::object segment_argsort(nb::handle x, nb::handle offsets, nb::handle descending, nb::handle dtype, nb::handle nan,
                           nb::handle threads, nb::handle progress) {
  given_segments given;
  if (!takes_segments(x, plain_element(x)) || !given.take(offsets))
    return not_implemented();
  const segments& where = given.where;
  call how(descending, nan, threads, progress);
  const int type_number = position_type(dtype);
  const std::optional<element> e = plain_element(x);
  if (!takes_segments(x, e))
    return not_implemented();
  const nb::object kept = without_gaps(x);
  const std::size_t n = size_of(as_array(kept));
  nb::object positions = new_vector(n, type_number);
  PyArrayObject* const to = as_array(positions);
  const auto width = static_cast<std::size_t>(PyArray_ITEMSIZE(to));
  const auto* const keys = static_cast<const std::byte*>(PyArray_DATA(as_array(kept)));
  auto* const out = static_cast<std::byte*>(PyArray_DATA(to));
  const missing_move move = move_of_missing(*e, how.opts.order, how.nan);
  std::memset(out, 0, n * width); // what lies in no segment
  how.run(n, [&] {
    run(segmented_request{{.type = e->type,
                           .n = n,
                           .keys_in = keys,
                           .carries = payload::indices,
                           .value_bytes = width,
                           .values_out = out},
                          where},
        how.opts);
    if (move != missing_move::none)
      each_segment(where, [&](std::size_t first, std::size_t m) {
        place_missing_positions(*e, move, keys + first * e->width, out + first * width, width, m);
      });
  });
  return positions;
}

nb::object segment_sort_with_order(nb::handle x, nb::handle offsets, nb::handle descending, nb::handle nan,
                                   nb::handle threads, nb::handle progress) {
  given_segments given;
  if (!takes_segments(x, plain_element(x)) || !given.take(offsets))
    return not_implemented();
  const segments& where = given.where;
  call how(descending, nan, threads, progress);
  const std::optional<element> e = plain_element(x);
  if (!takes_segments(x, e))
    return not_implemented();
  nb::object sorted = copy_of(x);
  const std::size_t n = size_of(as_array(sorted)), width = n >> 32 == 0 ? 4 : 8;
  nb::object order = new_vector(n, width == 4 ? NPY_UINT32 : NPY_INT64);
  auto* const keys = static_cast<std::byte*>(PyArray_DATA(as_array(sorted)));
  auto* const places = static_cast<std::byte*>(PyArray_DATA(as_array(order)));
  const missing_move move = move_of_missing(*e, how.opts.order, how.nan);
  how.run(n, [&] {
    if (width == 4)
      std::iota(reinterpret_cast<std::uint32_t*>(places), reinterpret_cast<std::uint32_t*>(places) + n, 0u);
    else
      std::iota(reinterpret_cast<std::int64_t*>(places), reinterpret_cast<std::int64_t*>(places) + n, 0);
    run(segmented_request{{.type = e->type,
                           .n = n,
                           .keys_in = keys,
                           .keys_out = keys,
                           .carries = payload::values,
                           .value_bytes = width,
                           .values_in = places,
                           .values_out = places},
                          where},
        how.opts);
    if (move != missing_move::none)
      each_segment(where, [&](std::size_t first, std::size_t m) {
        const std::size_t missing = count_missing(*e, move, keys + first * e->width, m);
        move_block(move, keys + first * e->width, m, missing, e->width);
        move_block(move, places + first * width, m, missing, width);
      });
  });
  return nb::make_tuple(sorted, order);
}

void check_segments(nb::handle offsets, std::size_t n) {
  given_segments given;
  given.take(offsets); // always, as Python has made them
  checks::survey({{.type = key_type::u8, .n = n}, given.where}, 1);
}

} // namespace sortile::python
