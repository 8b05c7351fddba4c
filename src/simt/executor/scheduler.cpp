// The choice of who runs next, and the switch to it.
#include "simt/executor/scheduler.hpp"
#include "simt/executor/fibers.hpp"

#include <algorithm>
#include <bit>
#include <thread>
#include <utility>

namespace sortile::executor {
namespace {

constexpr unsigned polls_before_yield = 64;          // on an OS thread where everybody polls
constexpr unsigned switches_between_looks = 1 << 14; // at the clock
constexpr unsigned idle_rounds_allowed = 1000;       // of all pollers, with nothing changed

unsigned nth_set_bit(unsigned bits, unsigned n) {
  while (n--)
    bits &= bits - 1;
  return unsigned(std::countr_zero(bits));
}

void call_kernel(thread_state& self, grid_run& run) {
  try {
    run.request.call(run.request.kernel, self.block->shared);
  } catch (const thread_aborted&) {
  } catch (const failure&) {
    run.fail(std::current_exception());
  } catch (const std::exception& e) {
    mine->record(fault::thrown, mine->who(self) + ": " + e.what());
  } catch (...) {
    mine->record(fault::thrown, mine->who(self) + ": not a std::exception");
  }
}

} // namespace

// A thread that starts where another has ended takes over its fiber: kernels without barriers stay on one stack.
void fiber_main(thread_state& first) {
  for (thread_state* self = &first;;) {
    call_kernel(*self, mine->run_);
    mine->ended(*self);
    thread_state* next = mine->run_.failed || mine->refill_ ? nullptr : mine->pick();
    if (next && next->waiting == wait_for::start) {
      adopt_fiber(*self, *next);
      self = next;
    } else {
      mine->switch_to(next); // for good
    }
  }
}

std::uint64_t random_source::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

void grid_run::fail(std::exception_ptr e) {
  std::lock_guard lock(mutex);
  if (!error)
    error = std::move(e);
  failed = true;
}

scheduler::scheduler(grid_run& run, std::size_t resident_clusters)
    : run_(run), random(run.seed * 0x2545f4914f6cdd1dull + 1), limit_(resident_clusters) {
  constexpr unsigned sticky[] = {1, 2, 16};
  constexpr unsigned rates[] = {2, 8, 64};
  stickiness_ = sticky[random.below(3)];
  hold_rate_ = rates[random.below(3)];
}

scheduler::~scheduler() {
  for (auto& c : clusters_)
    for (auto& b : c->blocks)
      for (thread_state& t : b->thread)
        release_fiber(t, run_.options.stack_bytes);
}

void scheduler::run() {
  mine = this;
  current = &root_;
  shape = &run_.dims;
  active_modes =
      ((checks(check::shared_races) || checks(check::counters)) ? observe_shared : 0) |
      ((checks(check::held_stores) || checks(check::counters) || run_.request.config.dependent) ? observe_global : 0) |
      (checks(check::schedule) ? shuffled : 0);
  auto requests = checks(check::counters) ? make_request_log() : nullptr;
  log = requests.get();
  watcher = log ? watching() : nullptr;
  while (!run_.failed && admit()) {
    if (thread_state* next = pick())
      switch_to(next);
    else if (!run_.failed)
      record(fault::deadlock, "no thread can go on: " + waits());
  }
  unwind();
  if (std::lock_guard lock(run_.mutex); true)
    run_.counted += counted;
  active_modes = 0;
  current = nullptr;
  shape = nullptr;
  mine = nullptr;
}

void scheduler::enqueue(warp_state& w) {
  if (w.place >= 0)
    return;
  w.place = int(runnable_.size());
  if (checks(check::schedule))
    runnable_.push_back(&w);
  else
    queue_.push_back(&w);
}

void scheduler::make_ready(thread_state& t) {
  t.warp->ready |= 1u << t.lane;
  if (t.warp != running_ || checks(check::schedule))
    enqueue(*t.warp);
}

void scheduler::wake_block(block_state& b) {
  for (warp_state& w : b.warp) {
    w.ready = w.live;
    if (w.ready && (&w != running_ || checks(check::schedule)))
      enqueue(w);
  }
}

thread_state* scheduler::take(warp_state& w, unsigned lane) {
  w.ready &= ~(1u << lane);
  return &w.block->thread[w.index * simt::warp_size + lane];
}

thread_state* scheduler::pick() {
  if (run_.failed.load(std::memory_order_relaxed))
    return nullptr;
  return checks(check::schedule) ? pick_shuffled() : pick_in_order();
}

thread_state* scheduler::pick_in_order() {
  for (;;) {
    if (running_) {
      if (running_->ready)
        return take(*running_, unsigned(std::countr_zero(running_->ready)));
      if (running_->deferred) {
        running_->ready = std::exchange(running_->deferred, 0);
        enqueue(*running_);
      }
      running_ = nullptr;
    }
    if (queue_.empty()) {
      if (land_some())
        continue;
      return nullptr;
    }
    running_ = queue_.front();
    queue_.pop_front();
    running_->place = -1;
  }
}

// Lets the pollers run: all of them, in any order.
void scheduler::release_pollers(bool nobody_else) {
  if (nobody_else) {
    idle_rounds_ = progress == progress_seen_ ? idle_rounds_ + 1 : 0;
    progress_seen_ = progress;
  }
  for (thread_state* t : pollers_)
    make_ready(*t);
  pollers_.clear();
}

thread_state* scheduler::pick_shuffled() {
  if (!held.empty() && random.one_in(hold_rate_))
    drain_some();
  if (!in_flight.empty() && random.one_in(hold_rate_))
    land_some();
  if (!pollers_.empty() && !runnable_.empty() && random.one_in(16))
    release_pollers(false);
  while (runnable_.empty()) {
    if (drain_some() || land_some())
      progress_seen_ = progress - 1;
    if (runnable_.empty() && pollers_.empty()) {
      if (held.empty() && in_flight.empty())
        return nullptr;
      continue;
    }
    release_pollers(true);
    if (idle_rounds_ > idle_rounds_allowed) {
      record(fault::deadlock, "every thread polls or waits, and nothing has changed for " +
                                  std::to_string(idle_rounds_) + " rounds: " + waits());
      return nullptr;
    }
  }
  if (random.one_in(512))
    starved_ = random.one_in(2) ? nullptr : runnable_[random.below(unsigned(runnable_.size()))]->block;
  warp_state& w = *choose_warp();
  running_ = &w;
  thread_state* t = take(w, nth_set_bit(w.ready, random.below(unsigned(std::popcount(w.ready)))));
  if (!w.ready) {
    runnable_[unsigned(w.place)] = runnable_.back();
    runnable_.back()->place = w.place;
    runnable_.pop_back();
    w.place = -1;
  }
  return t;
}

// Stays with the warp that ran last for as long as the seed likes, and avoids the block that is starved.
warp_state* scheduler::choose_warp() {
  if (running_ && running_->place >= 0 && running_->block != starved_ && !random.one_in(stickiness_))
    return running_;
  warp_state* w = nullptr;
  for (int tries = 0; tries < 8; ++tries) {
    w = runnable_[random.below(unsigned(runnable_.size()))];
    if (w->block != starved_)
      break;
  }
  return w;
}

// Goes on with `next`, or with the root where there is none.
void scheduler::switch_to(thread_state* next) {
  if (next && next->waiting == wait_for::start)
    prepare_fiber(*next, run_.options.stack_bytes);
  switch_fiber(*current, next ? *next : root_);
}

void scheduler::suspend(wait_for why, site where) {
  thread_state& self = *current;
  self.waiting = why;
  self.where = where;
  if (static_cast<char*>(__builtin_frame_address(0)) - self.stack_low < std::ptrdiff_t(self.stack_bytes / 16))
    fail(fault::stack_overflow, "the fiber's stack of " + std::to_string(self.stack_bytes) + " bytes is nearly full",
         where);
  if (++switches_ % switches_between_looks == 0)
    look_at_clock(where);
  thread_state* next = pick();
  if (next != &self)
    switch_to(next);
  self.waiting = wait_for::nothing;
  if (aborting_)
    throw thread_aborted{};
}

void scheduler::look_at_clock(site where) {
  if (std::chrono::steady_clock::now() > run_.deadline)
    fail(fault::watchdog, "still running after " + std::to_string(run_.options.watchdog_seconds) + " s: " + waits(),
         where);
}

void scheduler::reschedule(site where) {
  make_ready(*current);
  suspend(wait_for::nothing, where);
}

void scheduler::defer(wait_for why, site where) {
  ++counted.spins;
  if (!checks(check::schedule)) {
    land_some(); // it may be what is polled for
    if (++polls_ % polls_before_yield == 0) {
      std::this_thread::yield();
      look_at_clock(where);
    }
  }
  current->ordered_loads = 0;
  if (checks(check::schedule))
    pollers_.push_back(current);
  else
    current->warp->deferred |= 1u << current->lane;
  suspend(why, where);
}

} // namespace sortile::executor
