// Quantiles of the lanes of an array and of its segments, along the axes that Python's callers want them on. NaN is the
// largest key, so the last one of a lane, or its quantile of 1, tells whether there is one.
#include "select.hpp"

#include "call.hpp"
#include "given_segments.hpp"
#include "lane_rows.hpp"

#include "plan/segment_places.hpp"
#include "primitives/quantile_place.hpp"

#include <sortile/request.hpp>
#include <sortile/select.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace sortile::python {

namespace {

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

/// What quantiles are written to: the axes of the probabilities before the others.
class quantile_results {
 public:
  /// Of the type, which is taken.
  quantile_results(const given_probabilities& wanted, std::span<const npy_intp> others, PyArray_Descr* type)
      : type_(owned(reinterpret_cast<PyObject*>(type))), axes_(wanted.axes + static_cast<int>(others.size())) {
    if (axes_ == 0)
      return;
    npy_intp shape[2 * NPY_MAXDIMS];
    std::copy_n(wanted.shape, wanted.axes, shape);
    std::copy(others.begin(), others.end(), shape + wanted.axes);
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

nb::object quantiles_that_are_keys(const lane_rows& r, const given_probabilities& wanted, quantile_method method,
                                   call& how) {
  PyArray_Descr* const type = r.type();
  Py_INCREF(type);
  quantile_results results(wanted, {r.other_axes(), static_cast<std::size_t>(r.others())}, type);
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

/// A NaN of floats; zero bits of others, which have none.
void write_nan_or_zero(const element& e, std::byte* to) {
  const bool is_float = e.missing == missing_kind::nan;
  std::memset(to, is_float ? 0xff : 0, e.width);
  if (is_float)
    to[e.width - 1] = std::byte{0x7f};
}

/// Whose places only the lengths of the segments tell: these are sorted.
nb::object keys_of_segments(const lane_rows& r, const segments& where, const given_probabilities& wanted,
                            quantile_method method, call& how) {
  PyArray_Descr* const type = r.type();
  Py_INCREF(type);
  const auto lanes = static_cast<npy_intp>(where.count);
  quantile_results results(wanted, {&lanes, 1}, type);
  std::byte* const to = results.data();
  const std::size_t width = r.e.width, count = wanted.numbers.size();
  const call_scratch space(r.n * width, "keys sorted within their segments");
  how.run(r.n, [&] {
    run(segmented_request{{.type = r.e.type, .n = r.n, .keys_in = r.data(), .keys_out = space.data()}, where},
        how.opts);
    for (std::size_t lane = 0; lane < where.count; ++lane) {
      const segment_place place = place_of(where, lane);
      const std::byte* const first = space.data() + place.first * width;
      const std::byte* const last = first + (std::max<std::size_t>(1, place.n) - 1) * width;
      const bool has_nan = place.n > 0 && r.e.missing == missing_kind::nan && is_missing(r.e, last);
      for (std::size_t i = 0; i < count; ++i) {
        std::byte* const at = to + (i * where.count + lane) * width;
        if (place.n == 0)
          write_nan_or_zero(r.e, at);
        else
          std::memcpy(at, has_nan ? last : first + quantile_place(wanted.numbers[i], place.n, method).low * width,
                      width);
      }
    }
  });
  return r.in_given_order(results.given_back());
}

/// Of rows, or of the segments of one.
nb::object computed_quantiles(const lane_rows& r, const segments* where, given_probabilities& wanted,
                              quantile_method method, call& how) {
  const std::size_t lanes = where == nullptr ? r.count : where->count;
  const auto axis = static_cast<npy_intp>(lanes);
  quantile_results results(wanted,
                           where != nullptr
                               ? std::span<const npy_intp>(&axis, 1)
                               : std::span<const npy_intp>(r.other_axes(), static_cast<std::size_t>(r.others())),
                           PyArray_DescrFromType(NPY_FLOAT64));
  auto* const to = reinterpret_cast<double*>(results.data());
  std::vector<double>& places = wanted.numbers;
  const std::size_t count = places.size();
  if (r.e.missing == missing_kind::nan)
    places.push_back(1);
  const std::size_t found = places.size();
  const call_scratch space(lanes * found * sizeof(double), "the quantiles of lanes");
  auto* const of_lanes = reinterpret_cast<double*>(space.data());
  const quantiles_request request{.type = r.e.type,
                                  .n = r.n,
                                  .keys = r.data(),
                                  .probabilities = places,
                                  .method = method,
                                  .results = of_lanes,
                                  .rows = r.count};
  if (where != nullptr || lanes * found > 0)
    how.run(r.size(), [&] {
      if (where == nullptr)
        run(request, how.opts);
      else
        run(segmented_quantiles_request{request, *where}, how.opts);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const double* const from = of_lanes + lane * found;
        const bool has_nan = found > count && std::isnan(from[count]);
        for (std::size_t i = 0; i < count; ++i)
          to[i * lanes + lane] = has_nan ? std::numeric_limits<double>::quiet_NaN() : from[i];
      }
    });
  return results.given_back();
}

} // namespace

// Probabilities are taken before the rows: an object that is asked for a number may change the array.

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
                          : computed_quantiles(*r, nullptr, wanted, chosen, how);
}

nb::object segment_quantiles(nb::handle x, nb::handle probabilities, nb::handle offsets, int method, nb::handle threads,
                             nb::handle progress) {
  given_probabilities wanted;
  given_segments given;
  if (!wanted.take(probabilities) || !given.take(offsets))
    return not_implemented();
  call how(threads, progress);
  const std::optional<lane_rows> r = lane_rows::of_one_axis(x);
  if (!r || r->e.missing == missing_kind::nat)
    return not_implemented();
  const auto chosen = static_cast<quantile_method>(method);
  return are_keys(chosen) ? keys_of_segments(*r, given.where, wanted, chosen, how)
                          : computed_quantiles(*r, &given.where, wanted, chosen, how);
}

} // namespace sortile::python
