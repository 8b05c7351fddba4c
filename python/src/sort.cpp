// sort, argsort, is_sorted: arrays of any number of axes, lane by lane.
#include "sort.hpp"

#include "arrays.hpp"
#include "complex_keys.hpp"
#include "lane_calls.hpp"

#include <sortile/request.hpp>

#include <atomic>
#include <cstring>
#include <string>

namespace sortile::python {

namespace {

/// The caller's `out`, or a new array that lies as `like` does.
nb::object place_for(const char* function, nb::handle out, PyArrayObject* like, PyArray_Descr* type) {
  if (out.is_none()) {
    Py_INCREF(type);
    return owned(PyArray_NewLikeArray(like, NPY_KEEPORDER, type, 0));
  }
  need_fitting(function, out, like, type);
  return nb::borrow<nb::object>(out);
}

/// What is read, apart from what is written: a copy where the two overlap in part.
void keep_apart(subject& x, nb::handle out, bool may_be_same) {
  PyArrayObject* const o = as_array(out);
  const bool same = PyArray_DATA(x.get()) == PyArray_DATA(o) && !may_be_same;
  if (overlap_in_part(x.get(), o) || same)
    x.array = owned(PyArray_NewCopy(x.get(), NPY_KEEPORDER));
}

void run_lanes(call& how, const subject& x, nb::handle out, const lane_work& work) {
  const lane_pair where = lanes_of(x.get(), as_array(out), x.axis);
  const std::size_t n = where.lanes * where.length;
  how.run(n, [&] { for_each_lane(where, work, how.opts, how.threads(n)); });
}

/// Of `out`: what is no plain array has to become one in Python first, or be refused.
bool is_plain_or_none(nb::handle out) {
  return out.is_none() || PyArray_CheckExact(out.ptr());
}

/// Whether an array is one lane that can be worked on where it lies.
bool one_plain_lane(PyArrayObject* a) {
  return PyArray_NDIM(a) == 1 && PyArray_IS_C_CONTIGUOUS(a) && PyArray_ISALIGNED(a) && PyArray_ISNOTSWAPPED(a);
}

/// Whether there is nothing to sort, nor anybody to be told so: lanes of one element are as many calls as elements.
bool is_done(std::size_t n, const options& opts) {
  return n < 2 && !opts.progress;
}

struct key_sorter {
  element e;
  missing_move move;
  void operator()(const void* keys, void* result, std::size_t n, const options& opts) const {
    if (is_done(n, opts)) {
      if (keys != result)
        std::memcpy(result, keys, n * e.width);
      return;
    }
    run(sort_request{.type = e.type, .n = n, .keys_in = keys, .keys_out = result}, opts);
    place_missing(e, move, result, n);
  }
};

struct position_sorter {
  element e;
  missing_move move;
  std::size_t index_bytes;
  void operator()(const void* keys, void* result, std::size_t n, const options& opts) const {
    if (is_done(n, opts)) {
      std::memset(result, 0, n * index_bytes);
      return;
    }
    run(sort_request{.type = e.type,
                     .n = n,
                     .keys_in = keys,
                     .carries = payload::indices,
                     .value_bytes = index_bytes,
                     .values_out = result},
        opts);
    place_missing_positions(e, move, keys, result, index_bytes, n);
  }
};

/// Runs a sorter on all lanes; one plain lane, the common case, without any of the lanes' bookkeeping.
template <class Sorter>
void run_sorter(call& how, const subject& x, nb::handle out, const Sorter& sorter, lane_work work) {
  PyArrayObject* const in = x.get();
  PyArrayObject* const to = as_array(out);
  if (one_plain_lane(in) && one_plain_lane(to)) {
    const std::size_t n = size_of(in);
    if (n == 0) // may begin anywhere
      return;
    how.run(n, [&] { sorter(PyArray_DATA(in), PyArray_DATA(to), n, how.opts); });
    return;
  }
  work.f = std::cref(sorter);
  run_lanes(how, x, out, work);
}

/// Whether n sorted-or-not keys are in the order in which this call would sort them.
bool in_order(const element& e, missing_move move, const void* keys, std::size_t n, const options& opts) {
  const std::byte* first = static_cast<const std::byte*>(keys);
  const auto missing = [&](std::size_t i) { return is_missing(e, first + i * e.width); };
  // The block of missing values is taken off where it is wanted; one elsewhere would, in the library's order, stand at
  // the other end of the rest, if the rest is in order.
  if (move == missing_move::front_to_end) {
    while (n > 0 && missing(n - 1))
      --n;
    if (n == 0 || missing(0))
      return n == 0;
  } else if (move == missing_move::end_to_front) {
    for (; n > 0 && missing(0); --n)
      first += e.width;
    if (n == 0 || missing(n - 1))
      return n == 0;
  }
  return !first_disorder(e.type, first, n, opts).has_value();
}

/// Sorted keys, by a sorter of lanes of elements of such a width and byte order.
template <class Sorter>
nb::object sorted_keys(call& how, nb::handle x, nb::handle axis, nb::handle out, const element& e,
                       const Sorter& sorter) {
  subject from(x, axis);
  nb::object to = place_for("sort", out, from.get(), PyArray_DESCR(from.get()));
  if (!out.is_none())
    keep_apart(from, to, true);
  lane_work work = work_on(from.get(), e, as_array(to));
  work.swapped_out = e.swapped;
  work.within_result = true;
  run_sorter(how, from, to, sorter, work);
  return to;
}

/// Positions; sorter_of(bytes) makes the sorter for those of so many bytes.
template <class SorterOf>
nb::object sorted_positions(call& how, nb::handle x, nb::handle axis, int type_number, nb::handle out, const element& e,
                            SorterOf&& sorter_of) {
  subject from(x, axis);
  PyArray_Descr* const type = PyArray_DescrFromType(type_number);
  const nb::object keeper = nb::steal<nb::object>(reinterpret_cast<PyObject*>(type));
  nb::object to = place_for("argsort", out, from.get(), type);
  if (!out.is_none())
    keep_apart(from, to, false);
  const auto sorter = sorter_of(static_cast<std::size_t>(type_number == NPY_UINT32 ? 4 : 8));
  run_sorter(how, from, to, sorter, work_on(from.get(), e, as_array(to)));
  return to;
}

/// What a call's elements are: one or the other, or what Python has to take care of. To be looked at when all numbers
/// have been asked for: an object that is asked for one may change the array.
struct kind_of_elements {
  std::optional<element> plain;
  std::optional<complex_keys> numbers;

  explicit kind_of_elements(nb::handle x)
      : plain(plain_element(x)), numbers(plain ? std::nullopt : complex_keys::of(x)) {}
  bool is_taken() const { return plain || numbers; }
};

/// Complex numbers as lanes know them.
element as_element(const complex_keys& c) {
  return {.type = c.part, .width = c.width()};
}

} // namespace

nb::object sort(nb::handle x, nb::handle axis, nb::handle descending, nb::handle out, nb::handle nan,
                nb::handle threads, nb::handle progress) {
  if (!kind_of_elements(x).is_taken() || !is_plain_or_none(out))
    return not_implemented();
  call how(descending, nan, threads, progress);
  const nb::object along = axis_once(axis);
  kind_of_elements kind(x);
  if (!kind.is_taken())
    return not_implemented();
  if (const std::optional<element>& e = kind.plain)
    return sorted_keys(how, x, along, out, *e, key_sorter{*e, move_of_missing(*e, how.opts.order, how.nan)});
  kind.numbers->nan = how.nan;
  return sorted_keys(how, x, along, out, as_element(*kind.numbers),
                     [&](const void* keys, void* result, std::size_t n, const options& opts) {
                       kind.numbers->sort(keys, n, result, opts);
                     });
}

nb::object argsort(nb::handle x, nb::handle axis, nb::handle descending, nb::handle dtype, nb::handle out,
                   nb::handle nan, nb::handle threads, nb::handle progress) {
  if (!kind_of_elements(x).is_taken() || !is_plain_or_none(out))
    return not_implemented();
  call how(descending, nan, threads, progress);
  const nb::object along = axis_once(axis);
  const int type_number =
      position_type(dtype.is_none() && !out.is_none() ? nb::object(out.attr("dtype")) : nb::borrow<nb::object>(dtype));
  kind_of_elements kind(x);
  if (!kind.is_taken())
    return not_implemented();
  if (const std::optional<element>& e = kind.plain)
    return sorted_positions(how, x, along, type_number, out, *e, [&](std::size_t bytes) {
      return position_sorter{*e, move_of_missing(*e, how.opts.order, how.nan), bytes};
    });
  kind.numbers->nan = how.nan;
  return sorted_positions(how, x, along, type_number, out, as_element(*kind.numbers), [&](std::size_t bytes) {
    return [&kind, bytes](const void* keys, void* positions, std::size_t n, const options& opts) {
      kind.numbers->order(keys, n, positions, bytes, opts);
    };
  });
}

nb::object is_sorted(nb::handle x, nb::handle axis, nb::handle descending, nb::handle nan, nb::handle threads,
                     nb::handle progress) {
  if (!plain_element(x))
    return not_implemented();
  call how(descending, nan, threads, progress);
  const nb::object along = axis_once(axis);
  const std::optional<element> e = plain_element(x);
  if (!e)
    return not_implemented();
  const subject from(x, along);
  const missing_move move = move_of_missing(*e, how.opts.order, how.nan);
  if (one_plain_lane(from.get())) {
    const std::size_t n = size_of(from.get());
    bool are = true;
    if (n > 0)
      how.run(n, [&] { are = in_order(*e, move, PyArray_DATA(from.get()), n, how.opts); });
    return nb::bool_(are);
  }
  std::atomic<bool> all{true};
  lane_work work = work_on(from.get(), *e, from.get());
  work.result_width = 0;
  work.f = [&](const void* keys, const void*, std::size_t n, const options& opts) {
    if (all.load(std::memory_order_relaxed) && !in_order(*e, move, keys, n, opts))
      all.store(false, std::memory_order_relaxed);
  };
  run_lanes(how, from, from.array, work);
  return nb::bool_(all.load());
}

} // namespace sortile::python
