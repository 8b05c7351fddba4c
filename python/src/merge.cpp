// merge: sorted arrays into one.
//
// Where missing values stand at the other end than the library has them, they are cut off each run, the rest is merged,
// and they follow in the order of the runs: what a stable merge would do.
#include "arrays.hpp"
#include "call.hpp"
#include "sort.hpp"

#include <sortile/request.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace sortile::python {

namespace {

/// A run cut in two: what is merged, and the missing values behind it (or before, where they are wanted in front).
struct cut_run {
  sorted_run rest;
  const std::byte* missing;
  std::size_t missing_n;
};

/// `from_front`: the runs begin with their missing values.
cut_run cut(const element& e, bool from_front, const void* keys, std::size_t n) {
  const std::byte* const first = static_cast<const std::byte*>(keys);
  const missing_move place = from_front ? missing_move::front_to_end : missing_move::end_to_front;
  const std::size_t k = count_missing(e, place, keys, n);
  const std::size_t rest_at = from_front ? k : 0, missing_at = from_front ? 0 : n - k;
  return {{first + rest_at * e.width, nullptr, n - k}, first + missing_at * e.width, k};
}

void need_alike(PyArrayObject* a, PyArrayObject* first, std::size_t number) {
  const auto run = [&] { return "sortile.merge: run " + std::to_string(number) + " "; };
  if (PyArray_NDIM(a) != 1)
    throw nb::value_error((run() + "has shape " + shape_text(a) + "; runs have one axis").c_str());
  if (PyArray_EquivTypes(PyArray_DESCR(a), PyArray_DESCR(first)) == 0)
    throw nb::type_error(
        (run() + "holds " + type_text(a) + ", run 0 holds " + type_text(first) + "; all runs must be of one type")
            .c_str());
}

struct merger {
  element e;
  missing_move move; ///< what a sort would do; none: the library's own order
  void operator()(const std::vector<sorted_run>& runs, std::byte* out, const options& opts) const {
    merge_request request{.type = e.type, .runs = runs, .keys_out = out};
    if (move == missing_move::none)
      return run(request, opts);
    const bool in_front = move == missing_move::end_to_front; // where the runs and the result have them
    std::vector<sorted_run> rests;
    std::vector<cut_run> cuts;
    std::size_t rest = 0, missing = 0;
    for (const sorted_run& r : runs) {
      cuts.push_back(cut(e, in_front, r.keys, r.n));
      rests.push_back(cuts.back().rest);
      rest += rests.back().n;
      missing += cuts.back().missing_n;
    }
    std::byte* to = in_front ? out : out + rest * e.width;
    for (const cut_run& c : cuts) {
      if (c.missing_n > 0)
        std::memcpy(to, c.missing, c.missing_n * e.width);
      to += c.missing_n * e.width;
    }
    request.runs = rests;
    request.keys_out = in_front ? out + missing * e.width : out;
    run(request, opts);
  }
};

/// Whether the result can be written to `out`: where it lies, and apart from the runs. Else Python has to take care.
bool takes_result(nb::handle out, const nb::tuple& runs) {
  if (out.is_none())
    return true;
  if (!PyArray_CheckExact(out.ptr()) || !PyArray_ISCARRAY(as_array(out)))
    return false;
  for (const nb::handle one : runs)
    if (share_memory(as_array(one), as_array(out)))
      return false;
  return true;
}

/// A new array, or the caller's where it fits.
nb::object target(nb::handle out, const std::vector<nb::object>& kept, std::size_t n) {
  PyArrayObject* const first = as_array(kept[0]);
  nb::object fresh = new_vector(n, first);
  if (out.is_none())
    return fresh;
  need_fitting("merge", out, as_array(fresh), PyArray_DESCR(first));
  return nb::borrow<nb::object>(out);
}

} // namespace

nb::object merge(nb::handle runs, nb::handle descending, nb::handle out, nb::handle nan, nb::handle threads,
                 nb::handle progress) {
  const nb::tuple arrays = nb::borrow<nb::tuple>(runs);
  call how(descending, nan, threads, progress);
  const std::optional<element> e = plain_element(arrays[0]);
  for (const nb::handle one : arrays)
    if (!e || !PyArray_CheckExact(one.ptr()) || PyArray_ISBYTESWAPPED(as_array(one)))
      return not_implemented();
  if (!takes_result(out, arrays))
    return not_implemented();
  std::vector<nb::object> kept;
  std::vector<sorted_run> given;
  kept.reserve(arrays.size());
  given.reserve(arrays.size());
  std::size_t n = 0;
  for (const nb::handle one : arrays) {
    need_alike(as_array(one), as_array(arrays[0]), kept.size());
    kept.push_back(without_gaps(one));
    PyArrayObject* const a = as_array(kept.back());
    given.push_back({PyArray_DATA(a), nullptr, size_of(a)});
    n += size_of(a);
  }
  nb::object to = target(out, kept, n);
  const merger work{*e, move_of_missing(*e, how.opts.order, how.nan)};
  how.run(n, [&] { work(given, static_cast<std::byte*>(PyArray_DATA(as_array(to))), how.opts); });
  return to;
}

} // namespace sortile::python
