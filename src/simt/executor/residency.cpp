// Blocks come and go: who is resident, how a block starts, and what must hold when a thread, a block, a cluster ends.
#include "simt/executor/fibers.hpp"
#include "simt/executor/scheduler.hpp"

#include <algorithm>
#include <bit>

namespace sortile::executor {

// Starts clusters up to the limit; false when nothing runs and nothing is left.
bool scheduler::admit() {
  refill_ = false;
  while (resident_ < limit_) {
    const std::uint64_t ticket = run_.next.fetch_add(1, std::memory_order_relaxed);
    if (ticket >= run_.clusters)
      break;
    start_cluster(run_.order.empty() ? ticket : run_.order[ticket]);
  }
  return resident_ > 0;
}

void scheduler::start_cluster(std::uint64_t index) {
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
  for (unsigned rank = 0; rank < run_.dims.cluster; ++rank) {
    c.blocks[rank]->cluster = &c;
    c.blocks[rank]->rank = rank;
    start_block(*c.blocks[rank], index * run_.dims.cluster + rank);
  }
  ++resident_;
  ++progress;
}

unsigned linear_index(const block_state& b) {
  return b.index[0] + shape->grid[0] * (b.index[1] + shape->grid[1] * b.index[2]);
}

void scheduler::start_block(block_state& b, std::uint64_t linear) {
  const grid_shape& d = run_.dims;
  b.index[0] = unsigned(linear % d.grid[0]);
  b.index[1] = unsigned(linear / d.grid[0] % d.grid[1]);
  b.index[2] = unsigned(linear / d.grid[0] / d.grid[1]);
  b.threads = d.block;
  b.ended = b.arrived = 0;
  b.vote = 0;
  b.active = true;
  b.unmet = run_.request.config.dependent ? d.block : 0;
  for (named_barrier& n : b.named)
    n.arrived = 0;
  start_warps(b);
  place_shared(b);
  start_threads(b);
  ++counted.blocks;
  counted.threads += d.block;
  if (watcher)
    watcher->block_begins(linear_index(b));
}

void scheduler::start_warps(block_state& b) {
  if (b.warp.empty())
    b.warp = std::vector<warp_state>((b.threads + simt::warp_size - 1) / simt::warp_size);
  for (unsigned w = 0; w < b.warp.size(); ++w) {
    warp_state& warp = b.warp[w];
    const unsigned lanes = std::min(b.threads - w * simt::warp_size, simt::warp_size);
    warp.block = &b;
    warp.index = w;
    warp.exists = warp.live = warp.ready = lanes == simt::warp_size ? simt::full_warp : (1u << lanes) - 1;
    warp.deferred = warp.waiting = 0;
    warp.place = -1;
    enqueue(warp);
  }
}

void scheduler::place_shared(block_state& b) {
  constexpr std::size_t alignment = 128;
  const grid_request& r = run_.request;
  b.dynamic_offset = (r.static_bytes + alignment - 1) / alignment * alignment;
  b.shared_bytes = b.dynamic_offset + r.config.dynamic_shared;
  b.shared_memory.resize(b.shared_bytes + alignment);
  const auto at = reinterpret_cast<std::uintptr_t>(b.shared_memory.data());
  b.shared = b.shared_memory.data() + ((at + alignment - 1) / alignment * alignment - at);
  // Shared storage may begin with anything; these bytes are NaNs and large integers.
  if (run_.options.checks != check::none)
    std::memset(b.shared, 0xff - int(random.below(4)), b.shared_bytes);
  if (checks(check::shared_races)) {
    if (!b.shadow)
      b.shadow = make_shadow(b.shared_bytes, b.threads);
    reset_shadow(b);
  }
}

void scheduler::start_threads(block_state& b) {
  if (b.thread.empty())
    b.thread = std::vector<thread_state>(b.threads);
  for (unsigned i = 0; i < b.threads; ++i) {
    thread_state& t = b.thread[i];
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
  }
}

void scheduler::ended(thread_state& t) {
  t.finished = true;
  if (aborting_ || run_.failed)
    return;
  block_state& b = *t.block;
  warp_state& w = *t.warp;
  w.live &= ~(1u << t.lane);
  ++progress;
  if (!stack_intact(t))
    return record(fault::stack_overflow, who(t) + " has overrun its stack");
  for (unsigned waiting = w.waiting; waiting; waiting &= waiting - 1)
    if (w.slots[std::countr_zero(waiting)].mask >> t.lane & 1)
      return record(fault::bad_warp_mask, who(t) + " has ended, and lane " + std::to_string(std::countr_zero(waiting)) +
                                              " waits for it in a warp-wide call: " + waits());
  ++b.ended;
  if (b.arrived)
    return record(fault::divergent_barrier, who(t) + " has ended while others wait at a block barrier: " + waits());
  if (b.ended == b.threads)
    block_ended(b, t);
}

void scheduler::block_ended(block_state& b, const thread_state& last) {
  b.active = false;
  if (log)
    for (warp_state& w : b.warp)
      flush_warp(*log, w, w.exists, counted);
  if (watcher)
    watcher->block_ends(linear_index(b));
  for (thread_state& t : b.thread)
    drain(t.pending, &b);
  drain(b.pending, nullptr);
  if (b.unmet == b.threads)
    return record(fault::bad_use, who(last) + " was the last of its block, and none of its threads has called "
                                              "wait_for_prerequisites(); in a dependent launch every block has to, "
                                              "also one without work: the next launch waits for this one alone");
  for (const transfer& t : in_flight)
    if (t.issuer->block == &b)
      return record(fault::bad_use, who(last) + " was the last of its block, and a bulk copy of thread " +
                                        std::to_string(t.issuer->index) + " still uses the block's shared storage");
  cluster_state& c = *b.cluster;
  if (++c.ended < c.blocks.size()) {
    if (c.arrived)
      record(fault::divergent_barrier,
             "a block has ended while others of its cluster wait at a cluster barrier: " + waits());
    return;
  }
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
          switch_fiber(root_, t);
        t.finished = true;
      }
}

} // namespace sortile::executor
