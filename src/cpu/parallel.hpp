// The thin layer between the CPU engine and its threads: run a function on a few workers, share out numbered tasks,
// report progress. The threads are a pool of the process (parallel.cpp).
#pragma once

#include "plan/progress.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sortile::cpu {

namespace detail {
/// A function called through a pointer, so that the pool is compiled once.
struct worker_function {
  void* object;
  void (*call)(void* object, unsigned worker);
};
/// Exported: a shared library of further engines uses the threads of this one.
[[gnu::visibility("default")]] void run_workers(unsigned workers, worker_function f);
} // namespace detail

/// Calls f(worker) for every worker in [0, workers): worker 0 on the calling thread, the others on free threads,
/// perhaps one after another; so none may wait for one that need not have begun. Returns when all have; the first
/// exception is passed on.
template <class F>
void run_on(unsigned workers, F&& f) {
  using Function = std::remove_reference_t<F>;
  if (workers <= 1) {
    f(0u);
    return;
  }
  detail::run_workers(workers, {const_cast<void*>(static_cast<const void*>(&f)),
                                [](void* object, unsigned worker) { (*static_cast<Function*>(object))(worker); }});
}

/// Calls f(worker, task) once for every task in [0, tasks), each worker taking the next one when it is free: large
/// tasks should come first. Between its tasks the calling thread reports progress. Where one call throws, no further
/// task is begun.
template <class F>
void for_each_task(unsigned workers, std::size_t tasks, progress_meter* progress, F&& f) {
  std::atomic<std::size_t> next{0};
  const unsigned used = tasks < workers ? static_cast<unsigned>(tasks) : workers;
  run_on(used, [&](unsigned worker) {
    try {
      bool had_a_task = false;
      for (std::size_t task; (task = next.fetch_add(1, std::memory_order_relaxed)) < tasks; had_a_task = true) {
        f(worker, task);
        if (worker == 0 && progress != nullptr)
          progress->report();
      }
      if (worker == 0 && progress != nullptr && !had_a_task)
        progress->report(); // others were quicker; the callback is asked once all the same, since it may cancel
    } catch (...) {
      next.store(tasks, std::memory_order_relaxed);
      throw;
    }
  });
}

/// Cuts [0, n) into `parts` almost equal pieces: where piece i begins (i = parts: n).
inline std::size_t part_begin(std::size_t n, std::size_t parts, std::size_t i) {
  return n / parts * i + (i < n % parts ? i : n % parts);
}

/// Calls f(begin, end) for pieces of [0, n), in parallel where n is at least `alone_below`.
template <class F>
void for_each_piece(unsigned threads, std::size_t n, std::size_t alone_below, F&& f) {
  const std::size_t pieces = n < alone_below || threads <= 1 ? 1 : std::size_t{4} * threads;
  for_each_task(threads, pieces, nullptr,
                [&](unsigned, std::size_t i) { f(part_begin(n, pieces, i), part_begin(n, pieces, i + 1)); });
}

/// The same in pieces of some milliseconds, between which the calling thread reports progress; f's elements are the
/// units.
template <class F>
void for_each_told_piece(unsigned threads, std::size_t n, std::size_t alone_below, progress_meter* progress, F&& f) {
  if (progress == nullptr || !progress->is_told())
    return for_each_piece(threads, n, alone_below, f);
  constexpr std::size_t told_piece = std::size_t{1} << 16;
  const std::size_t pieces = (n + told_piece - 1) / told_piece;
  for_each_task(n < alone_below ? 1 : threads, pieces, progress, [&](unsigned, std::size_t i) {
    const std::size_t begin = part_begin(n, pieces, i), end = part_begin(n, pieces, i + 1);
    f(begin, end);
    progress->add(end - begin);
  });
}

} // namespace sortile::cpu
