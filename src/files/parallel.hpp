// The little of parallelism that files need: independent tasks on a few threads, and slices of a range.
//
// The threads are std::thread, so that a data race here is plain to ThreadSanitizer.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace sortile::files {

/// Threads for `requested` (0: as many as the machine offers). Never many more than the machine has: each costs memory.
inline unsigned thread_count(unsigned requested) {
  const unsigned machine = std::max(1u, std::thread::hardware_concurrency());
  return requested != 0 ? std::min(requested, std::max(machine, 64u)) : machine;
}

/// Calls task(i) for every i in [0, count), on at most `threads` threads (this one among them), which take the next i
/// in increasing order; where the system gives fewer threads, on those. After an exception no further task starts, and
/// the first one is thrown again here.
template <class Task>
void parallel_for(unsigned threads, std::size_t count, Task&& task) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto work = [&] {
    try {
      for (std::size_t i; (i = next.fetch_add(1)) < count;)
        task(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(failure_lock);
      if (!failure)
        failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  const std::size_t wanted = std::min<std::size_t>(threads, count);
  others.reserve(wanted);
  try {
    for (std::size_t i = 1; i < wanted; ++i)
      others.emplace_back(work);
  } catch (const std::exception&) { // std::system_error, std::bad_alloc: those that there are do the work
  }
  work();
  for (std::thread& other : others)
    other.join();
  if (failure)
    std::rethrow_exception(failure);
}

/// The slices of [0, n): as many as give every thread several, none (but the last) below `smallest` elements.
class slices {
 public:
  slices(std::size_t n, unsigned threads, std::size_t smallest)
      : n_(n), size_(std::max<std::size_t>({smallest, n / (8 * std::size_t{threads}), 1})) {}

  std::size_t count() const { return n_ / size_ + (n_ % size_ != 0); }
  std::size_t begin(std::size_t slice) const { return slice * size_; }
  std::size_t end(std::size_t slice) const { return std::min(n_, (slice + 1) * size_); }

 private:
  std::size_t n_;
  std::size_t size_;
};

/// Calls body(begin, end) for slices that cover [0, n).
template <class Body>
void parallel_slices(unsigned threads, std::size_t n, std::size_t smallest, Body&& body) {
  const slices parts(n, threads, smallest);
  parallel_for(threads, parts.count(), [&](std::size_t i) { body(parts.begin(i), parts.end(i)); });
}

} // namespace sortile::files
