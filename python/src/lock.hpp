// The interpreter's lock, given up and taken again, also where the interpreter ends meanwhile.
//
// A daemon thread that asks for the lock of an interpreter that ends does not get it: CPython up to 3.13 ends the
// thread by pthread_exit, which with glibc unwinds its stack as an exception does. C++ forbids that in a destructor and
// in a handler that does not throw on: the whole process would be aborted. Such a thread is stopped here for ever in
// place of that, as CPython does itself from 3.14 on; the process ends without it (module.cpp). A lock is taken behind
// a handler, not within one, where C++ takes no exception that is not its own.
#pragma once

#include "numpy.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <utility>

namespace sortile::python {

/// work(), of a thread that Python may end: it is stopped there for ever.
template <class Work>
decltype(auto) or_stop_for_ever(Work&& work) {
#ifdef __GLIBCXX__
  try {
    return std::forward<Work>(work)();
  } catch (const abi::__forced_unwind&) {
    for (;;)
      pause();
  }
#else
  return std::forward<Work>(work)();
#endif
}

/// This thread does not hold the lock while it lives.
class without_lock {
 public:
  without_lock() { given_up_ = PyEval_SaveThread(); }
  ~without_lock() {
    or_stop_for_ever([] { PyEval_RestoreThread(std::exchange(given_up_, nullptr)); });
  }
  without_lock(const without_lock&) = delete;
  without_lock& operator=(const without_lock&) = delete;

 private:
  friend class with_lock;
  static inline thread_local PyThreadState* given_up_ = nullptr; ///< what takes the lock again; null while it is held
};

/// This thread, which has given the lock up or not, holds it while it lives.
class with_lock {
 public:
  with_lock() : state_(std::exchange(without_lock::given_up_, nullptr)) {
    if (state_ != nullptr)
      or_stop_for_ever([&] { PyEval_RestoreThread(state_); });
  }
  ~with_lock() {
    if (state_ != nullptr)
      without_lock::given_up_ = PyEval_SaveThread();
  }
  with_lock(const with_lock&) = delete;
  with_lock& operator=(const with_lock&) = delete;

 private:
  PyThreadState* state_;
};

} // namespace sortile::python
