// The module `sortile._core`: what the functions of `sortile` call, with positional arguments alone.
#define SORTILE_IMPORTS_NUMPY
#include "numpy.hpp"

#include "call.hpp"
#include "device.hpp"
#include "lock.hpp"
#include "route.hpp"
#include "scans.hpp"
#include "select.hpp"
#include "sort.hpp"
#include "xla.hpp"

#include "cpu/leave_threads.hpp"
#include "plan/engine.hpp"

#include <sortile/request.hpp>
#include <sortile/sortile.h>

#include <string>
#include <utility>

namespace sortile::python {

nb::object explain(nb::handle like, std::size_t n, bool positions, nb::handle descending, nb::handle threads) {
  const std::optional<element> e = PyArray_Check(like.ptr()) ? element_of(as_array(like)) : std::nullopt;
  if (!e)
    return nb::borrow<nb::object>(Py_NotImplemented);
  call how(threads);
  how.opts.order = order_of(descending);
  if (n > std::size_t{1} << 56)
    throw nb::value_error(("sortile.explain: no memory holds " + std::to_string(n) + " elements").c_str());
  // A plan is made from n and the types; the arrays are only looked at for whether they are one and the same.
  std::byte* const nowhere = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 20);
  const std::size_t bytes = (n + 16) * 8;
  sort_request request{.type = e->type, .n = n, .keys_in = nowhere, .keys_out = nowhere + bytes};
  if (positions) {
    request.keys_out = nullptr;
    request.carries = payload::indices;
    request.value_bytes = 8;
    request.values_out = nowhere + 2 * bytes;
  }
  const std::string text = in_words_for_python(to_string(sortile::explain(request, how.opts)));
  return nb::str(text.c_str());
}

nb::object info() {
  nb::dict about;
  about["version"] = sortile_version();
  about["threads"] = resolve_threads({});
  nb::list list;
  for (const engine_info& e : engines()) {
    nb::dict one;
    one["name"] = e.name;
    one["description"] = e.description;
    one["usable"] = e.usable;
    one["reason"] = in_words_for_python(e.reason);
    list.append(one);
  }
  about["engines"] = list;
  return about;
}

void release_scratch_memory() {
  release_scratch();
}

} // namespace sortile::python

namespace {

/// The function, as nanobind may call it: its handlers do not throw on what ends a thread.
template <class Result, class... Args>
auto stopping(Result (*f)(Args...)) {
  return [f](Args... given) -> Result {
    return sortile::python::or_stop_for_ever([&]() -> Result { return f(std::forward<Args>(given)...); });
  };
}

/// A function whose arguments are objects of any kind, None among them, by position alone.
template <class... Args>
void def_any(nanobind::module_& m, const char* name, nanobind::object (*f)(Args...)) {
  const auto any = [](auto&&) { return nanobind::arg().none(); };
  m.def(name, stopping(f), any(static_cast<Args*>(nullptr))...);
}

} // namespace

NB_MODULE(_core, m) {
  namespace here = sortile::python;
  if (_import_array() < 0)
    throw nanobind::python_error();
  // Threads of the library may wait for one that Python has stopped within a call; then nobody waits for these.
  if (Py_AtExit(sortile::cpu::leave_threads) != 0)
    throw nanobind::import_error("sortile: the interpreter takes no more functions for its end");
  here::translate_errors();
  def_any(m, "sort", &here::sort);
  def_any(m, "argsort", &here::argsort);
  def_any(m, "is_sorted", &here::is_sorted);
  def_any(m, "sort_by_key", &here::sort_by_key);
  def_any(m, "take", &here::take);
  def_any(m, "read_arrow", &here::read_arrow);
  def_any(m, "take_arrow", &here::take_arrow);
  def_any(m, "argsort_rows", &here::argsort_rows);
  def_any(m, "order_of_columns", &here::order_of_columns);
  def_any(m, "merge", &here::merge);
  def_any(m, "segment_sort", &here::segment_sort);
  def_any(m, "segment_argsort", &here::segment_argsort);
  def_any(m, "segment_sort_by_key", &here::segment_sort_by_key);
  def_any(m, "segment_sort_with_order", &here::segment_sort_with_order);
  def_any(m, "top_k", &here::top_k);
  def_any(m, "segment_top_k", &here::segment_top_k);
  def_any(m, "partition", &here::partition);
  def_any(m, "segment_partition", &here::segment_partition);
  def_any(m, "group_by", &here::group_by);
  def_any(m, "unique", &here::unique);
  def_any(m, "explain", &here::explain);
  def_any(m, "route", &here::route);
  def_any(m, "scan", &here::scan);
  def_any(m, "digit_histogram", &here::digit_histogram);
  const auto any = [] { return nanobind::arg().none(); };
  m.def("check_segments", stopping(&here::check_segments), any(), any());
  m.def("quantiles", stopping(&here::quantiles), any(), any(), any(), any(), any(), any());
  m.def("segment_quantiles", stopping(&here::segment_quantiles), any(), any(), any(), any(), any(), any());
  m.def("info", stopping(&here::info));
  m.def("release_scratch", stopping(&here::release_scratch_memory));
  m.def("device_sort", stopping(&here::device_sort));
  m.def("device_segments", stopping(&here::device_segments));
  m.def("device_top_k", stopping(&here::device_top_k));
  m.def("device_takes_nan_last", stopping(&here::device_takes_nan_last));
  m.def("device_segment_top_k", stopping(&here::device_segment_top_k));
  m.def("device_segments_take_nan_last", stopping(&here::device_segments_take_nan_last));
  m.def("device_is_sorted", stopping(&here::device_is_sorted));
  m.def("device_lexsort", stopping(&here::device_lexsort));
  m.def("device_groups", stopping(&here::device_groups));
  m.def("device_nth_element", stopping(&here::device_nth_element));
  m.def("device_quantiles", stopping(&here::device_quantiles));
  m.def("device_segment_quantiles", stopping(&here::device_segment_quantiles));
  m.def("device_ranks", stopping(&here::device_ranks));
  m.def("device_route", stopping(&here::device_route));
  m.def("device_scan", stopping(&here::device_scan), any(), any(), any(), any(), any(), any(), any(), any(), any(),
        any(), any());
  m.def("device_digit_histogram", stopping(&here::device_digit_histogram));
  m.def("device_merge", stopping(&here::device_merge));
  m.def("device_done", stopping(&here::device_done));
  m.def("device_explain", stopping(&here::device_explain));
  m.def("xla_handlers", stopping(&here::xla_handlers));
  m.attr("has_gpu_engine") = here::has_gpu_engine;
}
