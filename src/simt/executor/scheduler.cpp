// The choice of who runs next, and the switch to it.
#include "simt/executor/scheduler.hpp"
#include "simt/executor/stacks.hpp"

#include <algorithm>
#include <bit>
#include <boost/context/detail/fcontext.hpp>
#include <thread>

#if defined(__SANITIZE_ADDRESS__)
#define SORTILE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SORTILE_ASAN 1
#endif
#endif
#if defined(SORTILE_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace sortile::executor {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

#if defined(SORTILE_ASAN)
constexpr std::size_t stack_factor = 4;
// A fiber ends by a switch, not by returns: its frames would stay poisoned for the next one.
void forget_frames(const thread_state& t) {
  ASAN_UNPOISON_MEMORY_REGION(t.stack_low, t.stack_bytes);
}
void leave(thread_state& self, const thread_state& next, bool for_good) {
  __sanitizer_start_switch_fiber(for_good ? nullptr : &self.fake_stack, next.stack_low, next.stack_bytes);
}
void enter(thread_state& self, thread_state& from) {
  const void* low = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(self.fake_stack, &low, &bytes);
  if (from.stack_low == nullptr) { // an OS thread's own stack, met for the first time
    from.stack_low = static_cast<char*>(const_cast<void*>(low));
    from.stack_bytes = bytes;
  }
}
#else
constexpr std::size_t stack_factor = 1;
void forget_frames(const thread_state&) {}
void leave(thread_state&, const thread_state&, bool) {}
void enter(thread_state&, thread_state&) {}
#endif

constexpr std::size_t guard_bytes = 4096;            // below every stack
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

void fiber_entry(thread_state& self) {
  call_kernel(self, mine->run_);
  mine->ended(self);
  thread_state* next = mine->run_.failed || mine->refill_ ? nullptr : mine->pick();
  mine->switch_to(next ? *next : mine->root_);
}

namespace {
void fiber_start(transfer_t t) {
  thread_state& from = *static_cast<thread_state*>(t.data);
  from.context = t.fctx;
  enter(*current, from);
  fiber_entry(*current);
}
} // namespace

std::uint64_t random_source::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

void grid_run::fail(std::exception_ptr e) {
  std::lock_guard lock(mutex);
  if (!error)
    error = e;
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
  const std::size_t bytes = run_.options.stack_bytes * stack_factor;
  for (auto& c : clusters_)
    for (auto& b : c->blocks)
      for (thread_state& t : b->thread)
        if (t.stack_low)
          stack_pool::instance().give(t.stack_low, bytes);
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
  while (!run_.failed && admit()) {
    if (thread_state* next = pick())
      switch_to(*next);
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

// Starts clusters up to the limit; false when nothing runs and nothing is left.
bool scheduler::admit() {
  refill_ = false;
  while (resident_ < limit_) {
    const std::uint64_t ticket = run_.next.fetch_add(1, std::memory_order_relaxed);
    if (ticket >= run_.clusters)
      break;
    if (free_.empty()) {
      clusters_.push_back(std::make_unique<cluster_state>());
      for (unsigned i = 0; i < run_.dims.cluster; ++i)
        clusters_.back()->blocks.push_back(std::make_unique<block_state>());
      free_.push_back(clusters_.back().get());
    }
    cluster_state& c = *free_.back();
    free_.pop_back();
    c.arrived = c.ended = 0;
    c.mark = now++;
    c.waiters.clear();
    const std::uint64_t cluster = run_.order.empty() ? ticket : run_.order[ticket];
    for (unsigned rank = 0; rank < run_.dims.cluster; ++rank) {
      c.blocks[rank]->cluster = &c;
      c.blocks[rank]->rank = rank;
      start_block(*c.blocks[rank], cluster * run_.dims.cluster + rank);
    }
    ++resident_;
    ++progress;
  }
  return resident_ > 0;
}

void scheduler::place_shared(block_state& b) {
  const grid_request& r = run_.request;
  b.static_bytes = r.static_bytes;
  b.dynamic_offset = (r.static_bytes + 127) & ~std::size_t{127};
  b.shared_bytes = b.dynamic_offset + r.config.dynamic_shared;
  b.shared_memory.resize(b.shared_bytes + 128);
  const auto at = reinterpret_cast<std::uintptr_t>(b.shared_memory.data());
  b.shared = b.shared_memory.data() + ((at + 127) / 128 * 128 - at);
  // What is left in shared storage is anybody's guess; a NaN and a large integer are rude guesses.
  if (run_.options.checks != check::none)
    std::memset(b.shared, 0xff - int(random.below(4)), b.shared_bytes);
  if (checks(check::shared_races)) {
    if (!b.shadow)
      b.shadow = make_shadow(b.shared_bytes, b.threads);
    reset_shadow(b);
  }
}

void scheduler::start_block(block_state& b, std::uint64_t linear) {
  const grid_shape& d = run_.dims;
  b.owner = this;
  b.index[0] = unsigned(linear % d.grid[0]);
  b.index[1] = unsigned(linear / d.grid[0] % d.grid[1]);
  b.index[2] = unsigned(linear / d.grid[0] / d.grid[1]);
  b.threads = d.block;
  b.ended = b.arrived = 0;
  b.vote = 0;
  b.active = true;
  b.unmet = run_.request.config.dependent ? d.block : 0;
  const unsigned warps = (d.block + simt::warp_size - 1) / simt::warp_size;
  if (b.thread.empty()) {
    b.thread = std::vector<thread_state>(d.block);
    b.warp = std::vector<warp_state>(warps);
  }
  for (unsigned w = 0; w < warps; ++w) {
    warp_state& warp = b.warp[w];
    const unsigned lanes = std::min(d.block - w * simt::warp_size, simt::warp_size);
    warp.block = &b;
    warp.index = w;
    warp.exists = warp.live = warp.ready = lanes == simt::warp_size ? simt::full_warp : (1u << lanes) - 1;
    warp.deferred = warp.waiting = 0;
    warp.place = -1;
    enqueue(warp);
  }
  place_shared(b);
  const std::size_t bytes = run_.options.stack_bytes * stack_factor;
  for (unsigned i = 0; i < d.block; ++i) {
    thread_state& t = b.thread[i];
    if (!t.stack_low) {
      t.stack_low = stack_pool::instance().take(bytes);
      t.stack_bytes = bytes - guard_bytes;
    }
    forget_frames(t);
    t.block = &b;
    t.warp = &b.warp[i / simt::warp_size];
    t.index = i;
    t.lane = i % simt::warp_size;
    t.finished = false;
    t.waiting = wait_for::start;
    t.ordered_loads = 0;
    t.cluster_arrived = false;
    t.met = false;
    t.pending.block = &b;
    t.bulk_open = 0;
    t.bulk_groups.clear();
    const std::size_t usable = t.stack_bytes - stack_pool::stagger(t.stack_low, bytes);
    t.context = make_fcontext(t.stack_low + usable, usable, fiber_start);
  }
  ++counted.blocks;
  counted.threads += d.block;
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

void scheduler::switch_to(thread_state& next) {
  thread_state& self = *current;
  current = &next;
  leave(self, next, self.finished);
  const transfer_t t = jump_fcontext(next.context, &self);
  thread_state& from = *static_cast<thread_state*>(t.data);
  from.context = t.fctx;
  enter(self, from);
}

void scheduler::suspend(wait_for why, site where) {
  thread_state& self = *current;
  self.waiting = why;
  self.where = where;
  if (static_cast<char*>(__builtin_frame_address(0)) - self.stack_low < std::ptrdiff_t(self.stack_bytes / 16))
    fail(fault::stack_overflow, "the fiber's stack of " + std::to_string(self.stack_bytes) + " bytes is nearly full",
         where);
  if (++switches_ % switches_between_looks == 0 && std::chrono::steady_clock::now() > run_.deadline)
    fail(fault::watchdog, "still running after " + std::to_string(run_.options.watchdog_seconds) + " s: " + waits(),
         where);
  if (++switches_ % switches_between_looks == 0)
    look_at_clock(where);
  thread_state* next = pick();
  if (next != &self)
    switch_to(next ? *next : root_);
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

void scheduler::ended(thread_state& t) {
  t.finished = true;
  if (aborting_ || run_.failed)
    return;
  block_state& b = *t.block;
  warp_state& w = *t.warp;
  w.live &= ~(1u << t.lane);
  ++progress;
  if (!stack_pool::canary_alive(t.stack_low))
    return record(fault::stack_overflow, who(t) + " has overrun its stack");
  for (unsigned waiting = w.waiting; waiting; waiting &= waiting - 1)
    if (w.slots[std::countr_zero(waiting)].mask >> t.lane & 1)
      return record(fault::bad_warp_mask, who(t) + " has ended, and lane " + std::to_string(std::countr_zero(waiting)) +
                                              " waits for it in a warp-wide call: " + waits());
  ++b.ended;
  if (b.arrived)
    return record(fault::divergent_barrier, who(t) + " has ended while others wait at a block barrier: " + waits());
  if (b.ended == b.threads)
    block_ended(b);
}

void scheduler::block_ended(block_state& b) {
  b.active = false;
  if (log)
    for (warp_state& w : b.warp)
      flush_warp(*log, w, w.exists, counted);
  for (thread_state& t : b.thread)
    drain(t.pending, &b);
  drain(b.pending, nullptr);
  cluster_state& c = *b.cluster;
  if (++c.ended < c.blocks.size()) {
    if (c.arrived)
      record(fault::divergent_barrier,
             "a block has ended while others of its cluster wait at a cluster barrier: " + waits());
    return;
  }
  while (std::any_of(in_flight.begin(), in_flight.end(),
                     [&](const transfer& t) { return t.issuer->block->cluster == &c; }))
    land_some();
  running_ = nullptr;
  starved_ = nullptr;
  free_.push_back(&c);
  --resident_;
  refill_ = true;
}

// After a failure: every started fiber is resumed once and leaves by an exception.
void scheduler::unwind() {
  if (!run_.failed)
    return;
  aborting_ = true;
  for (auto& c : clusters_)
    for (auto& b : c->blocks)
      for (thread_state& t : b->thread) {
        if (!t.finished && t.waiting != wait_for::start && t.block)
          switch_to(t);
        t.finished = true;
      }
}

} // namespace sortile::executor
