// Options of a call, the interpreter's lock, Ctrl-C and progress.
//
// A sort runs without the lock, so other Python threads go on meanwhile. The library calls back between its tasks, on
// the calling thread; every 50 ms such a call takes the lock, lets Python's signal handlers run (Ctrl-C raises
// KeyboardInterrupt there) and tells the user's callable. An error raised there is kept, the library is told to stop,
// and the error goes on where the call ends.
#include "call.hpp"

#include "device.hpp"

#include "plan/engine.hpp"

#include <sortile/request.hpp>

#include <limits>
#include <string>
#include <string_view>

namespace sortile::python {

namespace {

constexpr std::chrono::milliseconds patience{50};

constexpr const char* thread_numbers = "None (as many as the machine offers) and numbers from 1 to 1000000";

unsigned thread_count(nb::handle threads) {
  if (threads.is_none())
    return 0;
  const long long n = whole_number("threads", threads, thread_numbers);
  if (n < 1 || n > 1'000'000)
    throw nb::value_error(("sortile: threads is " + quoted(threads) + "; allowed are " + thread_numbers).c_str());
  return static_cast<unsigned>(n);
}

} // namespace

std::string quoted(nb::handle value) {
  try {
    return nb::repr(value).c_str();
  } catch (const nb::python_error&) {
    if (!PyLong_Check(value.ptr()))
      throw;
  }
  return "a number of " + quoted(value.attr("bit_length")()) + " bits"; // Python does not write thousands of digits
}

bool flag(const char* name, nb::handle value) {
  if (value.ptr() == Py_True || value.ptr() == Py_False)
    return value.ptr() == Py_True;
  if (PyArray_IsScalar(value.ptr(), Bool))
    return PyObject_IsTrue(value.ptr()) == 1;
  if (PyLong_Check(value.ptr())) {
    const long long number = PyLong_AsLongLong(value.ptr());
    if (number == 0 || number == 1)
      return number == 1;
    PyErr_Clear();
  }
  throw nb::type_error(
      (std::string("sortile: ") + name + " is " + quoted(value) + "; allowed are True and False").c_str());
}

long long whole_number(const char* name, nb::handle value, const char* allowed) {
  PyObject* const number = PyBool_Check(value.ptr()) ? nullptr : PyNumber_Index(value.ptr());
  if (number == nullptr) {
    if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_TypeError) == 0)
      throw nb::python_error();
    PyErr_Clear();
    throw nb::type_error(
        (std::string("sortile: ") + name + " is " + quoted(value) + "; allowed are " + allowed).c_str());
  }
  const nb::object keeper = nb::steal<nb::object>(number);
  int beyond = 0;
  const long long n = PyLong_AsLongLongAndOverflow(number, &beyond);
  using limits = std::numeric_limits<long long>;
  return beyond == 0 ? n : beyond < 0 ? limits::min() : limits::max();
}

std::optional<long long> exact_number(nb::handle value) {
  nb::object number = nb::borrow<nb::object>(value);
  if (!PyLong_CheckExact(value.ptr())) {
    if (!PyArray_IsScalar(value.ptr(), Integer))
      return std::nullopt;
    number = nb::steal<nb::object>(PyNumber_Index(value.ptr()));
    if (!number.is_valid()) { // a timedelta64 counts as one
      PyErr_Clear();
      return std::nullopt;
    }
  }
  int beyond = 0;
  const long long n = PyLong_AsLongLongAndOverflow(number.ptr(), &beyond);
  return beyond == 0 ? std::optional(n) : std::nullopt;
}

order order_of(nb::handle descending, const char* name) {
  return flag(name, descending) ? order::descending : order::ascending;
}

nan_place nan_place_of(nb::handle nan) {
  if (PyUnicode_Check(nan.ptr())) {
    if (PyUnicode_CompareWithASCIIString(nan.ptr(), "last") == 0)
      return nan_place::last;
    if (PyUnicode_CompareWithASCIIString(nan.ptr(), "largest") == 0)
      return nan_place::largest;
  }
  throw nb::value_error("sortile: nan must be \"last\" (behind all numbers in both directions) or \"largest\" (larger "
                        "than all numbers)");
}

call::call(nb::handle descending, nb::handle nan_wish, nb::handle thread_wish, nb::handle progress, const char* name)
    : call(thread_wish, progress) {
  opts.order = order_of(descending, name);
  nan = nan_place_of(nan_wish);
}

call::call(nb::handle thread_wish, nb::handle progress) {
  opts.threads = thread_count(thread_wish);
  if (!progress.is_none()) {
    if (PyCallable_Check(progress.ptr()) == 0)
      throw nb::type_error("sortile: progress must be None, True or a callable that takes the fraction done");
    progress_ = nb::borrow<nb::object>(progress);
  }
}

unsigned call::threads(std::size_t n) const {
  return n < lock_kept_below ? 1 : resolve_threads(opts);
}

bool call::go_on(double done) {
  const clock::time_point now = clock::now();
  const bool at_end = done >= 1 && progress_.is_valid();
  if (now - asked_ < patience && !at_end)
    return true;
  asked_ = now;
  return ask_python(done);
}

bool call::ask_python(double done) {
  const with_lock locked;
  try {
    or_stop_for_ever([&] {
      if (PyErr_CheckSignals() != 0)
        throw nb::python_error();
      if (progress_.is_valid())
        progress_(done);
    });
    return true;
  } catch (...) {
    failure_ = std::current_exception();
    return false;
  }
}

void call::raise_failure() {
  if (failure_)
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

std::string in_words_for_python(std::string text) {
  if (has_gpu_engine)
    return text;
  for (const engine_info& e : engines())
    if (const std::size_t at = e.name == "cuda" ? text.find(e.reason) : std::string::npos; at != std::string::npos)
      return text.replace(at, e.reason.size(), "it is in a package of its own: pip install sortile-cu13");
  return text;
}

void translate_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const out_of_memory& e) {
      PyErr_SetString(PyExc_MemoryError, e.what());
    } catch (const invalid_argument& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const unknown_engine& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const error& e) {
      PyErr_SetString(PyExc_RuntimeError, in_words_for_python(e.what()).c_str());
    }
  });
}

} // namespace sortile::python
