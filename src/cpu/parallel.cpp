// The two backends of the parallel layer.
#include "cpu/parallel.hpp"

#include <exception>

#if defined(SORTILE_THREADS_STD)
#include <thread>
#include <vector>
#else
#include <algorithm>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#endif

namespace sortile::cpu::detail {

#if defined(SORTILE_THREADS_STD)

void run_workers(unsigned workers, worker_function f) {
  std::vector<std::exception_ptr> failures(workers);
  const auto guarded = [&](unsigned worker) {
    try {
      f.call(f.object, worker);
    } catch (...) {
      failures[worker] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(workers - 1);
  unsigned started = 1;
  try {
    for (; started < workers; ++started)
      threads.emplace_back(guarded, started);
  } catch (...) { // no more threads to be had: the calling one does their share below
  }
  guarded(0);
  for (unsigned worker = started; worker < workers; ++worker)
    guarded(worker);
  for (std::thread& thread : threads)
    thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure)
      std::rethrow_exception(failure);
}

#else

void run_workers(unsigned workers, worker_function f) {
  // More workers than the machine has threads take turns; asking oneTBB for more would make it complain on stderr.
  tbb::task_arena arena(std::min(static_cast<int>(workers), tbb::info::default_concurrency()), 1);
  arena.execute([&] {
    tbb::task_group group;
    for (unsigned worker = 1; worker < workers; ++worker)
      group.run([&f, worker] { f.call(f.object, worker); });
    std::exception_ptr failure;
    try {
      f.call(f.object, 0);
    } catch (...) {
      failure = std::current_exception();
    }
    if (failure) {
      try {
        group.wait();
      } catch (...) { // one exception can be passed on; the calling thread's goes first
      }
      std::rethrow_exception(failure);
    }
    group.wait();
  });
}

#endif

} // namespace sortile::cpu::detail
