// The threads of the CPU engine: one pool for the process, made by the first call that needs it.
//
// A call of run_workers() puts a job into the pool's list: a function and a number of shares. Free threads of the pool
// take shares; the calling thread does share 0, then every share that nobody has taken, then waits for those that are
// being done. So a caller never waits for a free thread: where all are busy, with other callers or with the one that
// this call is nested in, it does the whole job itself. A caller waits only for shares that run, and a share only for
// shares of jobs that it has begun itself. So waits form no circle.
//
//   caller    share 0 ─ share 3 (nobody has taken it) ─ waits for 2 ─ goes on
//   thread a  parked ── share 1 ─ parked
//   thread b  parked ────── share 2 ────────────────── parked
//
// A thread that has nothing to do looks for work for some microseconds, since the phases of a sort follow each other
// closely, and then sleeps. After a fork the child has none of the threads and may find the lock taken; it leaves the
// pool alone and begins another. At the end of the program, or where the library is unloaded, the threads are joined;
// calls that come later do their work alone. A caller that will never go on, as Python's may not, says so before; the
// threads, of which some may wait for it, are then left to the end of the process.
#include "cpu/parallel.hpp"

#include "cpu/leave_threads.hpp"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <pthread.h>

namespace sortile::cpu::detail {
namespace {

/// One call of run_workers(), on the stack of its caller. Members that are not atomic are guarded by the pool's mutex.
struct job {
  worker_function function;
  unsigned workers;
  unsigned next = 1;                ///< the first share that nobody has taken
  std::atomic<unsigned> running{0}; ///< shares that threads of the pool are doing
  unsigned failed_worker = ~0u;     ///< the least of those whose exceptions there are
  std::exception_ptr failure{};
  job* after = nullptr; ///< in the pool's list
};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

/// Waits a little for something that is about to happen. Whether it has.
template <class Condition>
bool happens_soon(Condition&& condition) {
  constexpr int tries = 500; // some 20 µs
  for (int i = 0; i < tries; ++i) {
    if (condition())
      return true;
    pause();
  }
  return condition();
}

/// Signals are for the program's own threads; those that a thread causes itself stay its own.
class signals_kept_off {
 public:
  signals_kept_off() {
    sigset_t others;
    sigfillset(&others);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
      sigdelset(&others, own);
    pthread_sigmask(SIG_SETMASK, &others, &before_);
  }
  signals_kept_off(const signals_kept_off&) = delete;
  signals_kept_off& operator=(const signals_kept_off&) = delete;
  ~signals_kept_off() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

class pool {
 public:
  void run(unsigned workers, worker_function f);
  void stop();
  void leave();

 private:
  using lock = std::unique_lock<std::mutex>;

  void add_threads(unsigned wanted);
  void put(job& j);
  void take_off(job& j);
  unsigned take_share(job& j);
  void do_share(job& j, unsigned worker, lock& held);
  void wake(unsigned threads, bool all);
  void serve();

  std::mutex mutex_;
  std::condition_variable work_, done_, ended_;
  std::vector<std::thread> threads_;
  job* first_ = nullptr;        ///< jobs with shares that nobody has taken, the oldest first
  std::atomic<int> offered_{0}; ///< how many such jobs
  unsigned asleep_ = 0;
  std::size_t serving_ = 0; ///< threads
  bool stopped_ = false, left_ = false;
};

/// More threads than processors gain nothing; a few more let tests on a small machine see what many do to each other.
unsigned most_threads() {
  return std::max(7u, std::thread::hardware_concurrency());
}

/// Under the mutex. Where the system gives no more threads, the others do the work.
void pool::add_threads(unsigned wanted) {
  wanted = std::min(wanted, most_threads());
  if (threads_.size() >= wanted)
    return;
  const signals_kept_off guard;
  try {
    while (threads_.size() < wanted) {
      threads_.emplace_back([this] { serve(); });
      ++serving_;
    }
  } catch (const std::exception&) { // std::system_error, std::bad_alloc
  }
}

void pool::put(job& j) {
  job** end = &first_;
  while (*end != nullptr)
    end = &(*end)->after;
  *end = &j;
  offered_.fetch_add(1, std::memory_order_relaxed);
}

void pool::take_off(job& j) {
  job** at = &first_;
  while (*at != &j)
    at = &(*at)->after;
  *at = j.after;
  offered_.fetch_sub(1, std::memory_order_relaxed);
}

/// The number of the share; the last one takes the job off the list.
unsigned pool::take_share(job& j) {
  const unsigned share = j.next++;
  if (j.next == j.workers)
    take_off(j);
  return share;
}

/// Does a share. What it throws is kept for the caller of the job: of several exceptions that of the lowest worker.
void pool::do_share(job& j, unsigned worker, lock& held) {
  std::exception_ptr failure;
  if (held.owns_lock())
    held.unlock();
  try {
    j.function.call(j.function.object, worker);
  } catch (...) {
    failure = std::current_exception();
  }
  held.lock();
  if (failure && worker < j.failed_worker) {
    j.failed_worker = worker;
    j.failure = std::move(failure);
  }
}

void pool::wake(unsigned threads, bool all) {
  if (all && threads > 0)
    return work_.notify_all();
  for (unsigned i = 0; i < threads; ++i)
    work_.notify_one();
}

void pool::run(unsigned workers, worker_function f) {
  job j{.function = f, .workers = workers};
  lock held(mutex_);
  if (!stopped_)
    add_threads(workers - 1);
  put(j);
  const unsigned asleep = asleep_;
  held.unlock(); // so that threads that wake find it free
  wake(std::min(asleep, workers - 1), asleep <= workers - 1);
  do_share(j, 0, held);
  while (j.next < workers)
    do_share(j, take_share(j), held);
  held.unlock();
  const auto all_done = [&] { return j.running.load(std::memory_order_acquire) == 0; };
  if (!happens_soon(all_done)) {
    held.lock();
    done_.wait(held, all_done);
  }
  if (j.failure)
    std::rethrow_exception(j.failure);
}

thread_local bool is_of_a_pool = false;

/// What a thread of the pool does.
void pool::serve() {
  is_of_a_pool = true;
  lock held(mutex_);
  while (!stopped_) {
    if (first_ == nullptr) {
      held.unlock();
      const bool soon = happens_soon([this] { return offered_.load(std::memory_order_relaxed) > 0; });
      held.lock();
      if (!soon && first_ == nullptr && !stopped_) {
        ++asleep_;
        work_.wait(held);
        --asleep_;
      }
      continue;
    }
    job& j = *first_;
    j.running.fetch_add(1, std::memory_order_relaxed);
    const unsigned share = take_share(j);
    do_share(j, share, held);
    // From here on the job may be gone: its caller does not ask for the mutex before it returns.
    if (j.running.fetch_sub(1, std::memory_order_release) == 1)
      done_.notify_all();
  }
  --serving_;
  ended_.notify_all();
}

void pool::stop() {
  lock held(mutex_);
  stopped_ = true;
  work_.notify_all();
  const auto left_or_ended = [this] { return left_ || is_of_a_pool || serving_ == 0; }; // exit() within a share
  ended_.wait(held, left_or_ended);
  std::vector<std::thread> threads = std::move(threads_);
  threads_.clear();
  const bool left = serving_ != 0;
  held.unlock();
  for (std::thread& thread : threads)
    left ? thread.detach() : thread.join();
}

void pool::leave() {
  const lock held(mutex_);
  left_ = true;
  ended_.notify_all();
}

std::atomic<pool*> current{nullptr}; // never deleted: calls may come until the process has ended

/// At the end of the program or of the library. A forked child that has not sorted yet has nothing to stop.
struct stopper {
  ~stopper() {
    if (pool* const p = current.load(std::memory_order_acquire))
      p->stop();
  }
};

pool& the_pool() {
  if (pool* const p = current.load(std::memory_order_acquire))
    return *p;
  static const int told = pthread_atfork(nullptr, nullptr, [] { current.store(nullptr, std::memory_order_relaxed); });
  static const stopper at_the_end;
  static_cast<void>(told);
  pool* expected = nullptr;
  pool* const mine = new pool;
  if (current.compare_exchange_strong(expected, mine, std::memory_order_acq_rel))
    return *mine;
  delete mine;
  return *expected;
}

} // namespace

void run_workers(unsigned workers, worker_function f) {
  the_pool().run(workers, f);
}

} // namespace sortile::cpu::detail

namespace sortile::cpu {

void leave_threads() {
  if (detail::pool* const p = detail::current.load(std::memory_order_acquire))
    p->leave();
}

} // namespace sortile::cpu
