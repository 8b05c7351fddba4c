#include "scans.hpp"

#include "arrays.hpp"
#include "call.hpp"
#include "device.hpp"
#include "lane_calls.hpp"

#include <sortile/scan.hpp>

namespace sortile::python {

namespace {

bool is_true(nb::handle flag) {
  return flag.ptr() == Py_True;
}

scan_request request_of(key_type type, bool inclusive, bool maximum, nb::handle initial) {
  scan_request r{.type = type,
                 .op = maximum ? scan_operator::maximum : scan_operator::sum,
                 .kind = inclusive ? scan_kind::inclusive : scan_kind::exclusive};
  if (!initial.is_none())
    r.initial = nb::cast<std::uint64_t>(initial);
  return r;
}

/// Whether the library scans such elements: integers of 32 and 64 bits.
bool is_scanned(PyArrayObject* a, const element& e) {
  const char kind = PyArray_DESCR(a)->kind;
  return (kind == 'i' || kind == 'u') && e.width >= 4;
}

} // namespace

nb::object scan(nb::handle x, nb::handle axis, nb::handle inclusive, nb::handle maximum, nb::handle initial,
                nb::handle threads) {
  call how(threads);
  const nb::object along = axis_once(axis);
  const std::optional<element> e = plain_element(x);
  if (!e || !is_scanned(as_array(x), *e))
    return not_implemented();
  const scan_request whole = request_of(e->type, is_true(inclusive), is_true(maximum), initial);
  const subject from(x, along);
  PyArray_Descr* const type = PyArray_DESCR(from.get());
  Py_INCREF(type);
  nb::object to = owned(PyArray_NewLikeArray(from.get(), NPY_KEEPORDER, type, 0));
  lane_work work = work_on(from.get(), *e, as_array(to));
  work.swapped_out = e->swapped;
  work.within_result = true;
  work.f = [&whole](const void* in, void* out, std::size_t n, const options& opts) {
    scan_request r = whole;
    r.n = n;
    r.in = in;
    r.out = out;
    run(r, opts);
  };
  const lane_pair where = lanes_of(from.get(), as_array(to), from.axis);
  const std::size_t n = where.lanes * where.length;
  how.run_to_the_end(n, [&] { for_each_lane(where, work, how.opts, how.threads(n)); });
  return to;
}

nb::object digit_histogram(nb::handle x, nb::handle descending, nb::handle threads) {
  call how(threads);
  how.opts.order = order_of(descending);
  const std::optional<element> e = plain_element(x);
  if (!e || e->swapped)
    return not_implemented();
  const nb::object flat = without_gaps(owned(PyArray_Ravel(as_array(x), NPY_CORDER)));
  npy_intp shape[] = {static_cast<npy_intp>(e->width), 256};
  nb::object counts = owned(PyArray_SimpleNew(2, shape, NPY_INT64));
  const std::size_t n = size_of(as_array(flat));
  const histogram_request request{.type = e->type,
                                  .n = n,
                                  .keys = PyArray_DATA(as_array(flat)),
                                  .counts = static_cast<std::uint64_t*>(PyArray_DATA(as_array(counts)))};
  how.run_to_the_end(n, [&] { run(request, how.opts); });
  return counts;
}

void device_scan(int type, std::size_t rows, std::size_t n, std::uintptr_t in, std::uintptr_t out, bool inclusive,
                 bool maximum, nb::handle initial, int ordinal, std::uintptr_t stream, nb::handle allocate) {
  scan_request r = request_of(static_cast<key_type>(type), inclusive, maximum, initial);
  r.n = n;
  const std::size_t bytes = n * key_bytes(r.type);
  queue_on(false, ordinal, stream, allocate, [&](const options& opts) {
    for (std::size_t row = 0; row < (n == 0 ? 0 : rows); ++row) {
      r.in = reinterpret_cast<const void*>(in + row * bytes);
      r.out = reinterpret_cast<void*>(out + row * bytes);
      run(r, opts);
    }
  });
}

void device_digit_histogram(int type, std::size_t n, std::uintptr_t keys, std::uintptr_t counts, bool descending,
                            int ordinal, std::uintptr_t stream, nb::handle allocate) {
  const histogram_request r{.type = static_cast<key_type>(type),
                            .n = n,
                            .keys = reinterpret_cast<const void*>(keys),
                            .counts = reinterpret_cast<std::uint64_t*>(counts)};
  queue_on(descending, ordinal, stream, allocate, [&](const options& opts) { run(r, opts); });
}

} // namespace sortile::python
