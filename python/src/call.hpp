// What every call of the module has in common: its options, the interpreter's lock, Ctrl-C and progress.
#pragma once

#include "element.hpp"
#include "lock.hpp"

#include <sortile/error.hpp>
#include <sortile/options.hpp>

#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>

namespace sortile::python {

/// Below so many elements a call keeps the interpreter's lock: giving it up and taking it again would cost more than
/// other threads win.
inline constexpr std::size_t lock_kept_below = 2048;

/// From so many elements on, Ctrl-C is looked for while the call runs; a shorter one is over before.
inline constexpr std::size_t interruptible_from = std::size_t{1} << 18;

/// The arguments that all calls share, read from Python's objects. Those of the functions in `sortile/__init__.py`.
class call {
 public:
  /// Of a call that knows no direction: ascending. `threads`: None or a number from 1 up. `progress`: None or a
  /// callable.
  explicit call(nb::handle threads, nb::handle progress = Py_None);

  /// `descending`: as flag() takes it; `name`: what the caller knows it by. `nan`: "last" or "largest".
  call(nb::handle descending, nb::handle nan, nb::handle threads, nb::handle progress, const char* name = "descending");

  call(const call&) = delete; // the options' callback points here
  call& operator=(const call&) = delete;

  options opts;
  nan_place nan = nan_place::last;

  /// CPU threads that this call may use for n elements: one for few, for which asking for the processors takes long.
  unsigned threads(std::size_t n) const;

  /// Calls work() on n elements, without the interpreter's lock where that pays; opts.progress is set where the call is
  /// to be told of or can be interrupted. Throws what work() throws, and the Python error that Ctrl-C or the progress
  /// callable raised.
  template <class Work>
  void run(std::size_t n, Work&& work) {
    if (n < lock_kept_below && !progress_.is_valid()) {
      work();
      return;
    }
    if (n >= interruptible_from || progress_.is_valid()) {
      asked_ = clock::now();
      opts.progress = [this](double done) { return go_on(done); };
    }
    try {
      const without_lock unlocked;
      work();
    } catch (const cancelled&) {
      raise_failure();
      throw;
    }
  }

  /// The same of work that reports no progress: Ctrl-C waits for its end.
  template <class Work>
  void run_to_the_end(std::size_t n, Work&& work) {
    if (n < lock_kept_below)
      return work();
    const without_lock unlocked;
    work();
  }

 private:
  using clock = std::chrono::steady_clock;

  /// False where Python wants the call to end. Takes the lock at most every 50 ms, and at the end for `progress`.
  bool go_on(double done);
  bool ask_python(double done);
  void raise_failure();

  nb::object progress_;
  std::exception_ptr failure_;
  clock::time_point asked_;
};

/// True or False; 1, 0 and NumPy's booleans too. A word or a list, true because it is not empty, is a mistake. \throws
/// TypeError
bool flag(const char* name, nb::handle value);

/// A whole number; one beyond 64 bits becomes the nearest that is within. \throws TypeError, with what is allowed
long long whole_number(const char* name, nb::handle value, const char* allowed);

/// A whole number of Python's or NumPy's that a long long holds; of all others Python has to take care.
std::optional<long long> exact_number(nb::handle value);

/// "'x'", "3": a value as an error quotes it.
std::string quoted(nb::handle value);

/// `descending` as an order.
order order_of(nb::handle descending, const char* name = "descending");

/// "last" or "largest".
nan_place nan_place_of(nb::handle nan);

/// The library's words, of which those about an engine that is not linked say what to install instead.
std::string in_words_for_python(std::string text);

/// The library's errors as Python's: ValueError, MemoryError, RuntimeError.
void translate_errors();

} // namespace sortile::python
