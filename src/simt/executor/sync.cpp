// Barriers of blocks, clusters and grids, and the meeting of lanes in every warp-wide call.
#include "simt/executor/scheduler.hpp"

#include <bit>

namespace sortile::executor {
namespace {

// Stores made before a barrier are seen by the whole block after it.
void publish_in_block(block_state& b) {
  for (thread_state& t : b.thread)
    if (!t.pending.empty())
      fence(reach::block, t);
}

bool shuffled_run() {
  return mine->checks(check::schedule);
}

void finish_block_barrier(block_state& b, vote_kind kind) {
  b.arrived = 0;
  b.vote_result = kind == vote_kind::all ? b.vote == b.threads : kind == vote_kind::any ? b.vote != 0 : b.vote;
  b.vote = 0;
  ++mine->counted.block_barriers;
  ++mine->progress;
  if (mine->checks(check::held_stores))
    publish_in_block(b);
  if (mine->checks(check::shared_races))
    order_block(b);
  if (mine->log)
    for (warp_state& w : b.warp)
      flush_warp(*mine->log, w, w.exists, mine->counted);
  if (mine->watcher)
    mine->watcher->met({meeting::level::block, linear_index(b), 0, 0, b.barrier_site});
}

bool same_place(const site& a, const site& b) {
  return a.line() == b.line() && a.column() == b.column() && std::strcmp(a.file_name(), b.file_name()) == 0;
}

} // namespace

void schedule_point(site where) {
  if (active_modes & shuffled)
    mine->reschedule(where);
}

void spin(site where) {
  mine->defer(wait_for::spin, where);
}

void polled(site where) {
  constexpr unsigned loads_before_yield = 32;
  if (++current->ordered_loads > loads_before_yield)
    mine->defer(wait_for::spin, where);
  else
    schedule_point(where);
}

unsigned block_barrier(vote_kind kind, bool predicate, site where) {
  thread_state& self = *current;
  block_state& b = *self.block;
  if (b.ended)
    mine->fail(fault::divergent_barrier, std::to_string(b.ended) + " threads of the block have ended without it",
               where);
  if (b.arrived == 0)
    b.barrier_site = where;
  else if (!same_place(b.barrier_site, where))
    mine->fail(fault::divergent_barrier,
               "other threads of the block wait at another barrier, " + file_and_line(b.barrier_site), where);
  b.vote += predicate;
  if (++b.arrived < b.threads) {
    mine->suspend(wait_for::block, where);
  } else {
    finish_block_barrier(b, kind);
    mine->wake_block(b);
    if (shuffled_run()) {
      mine->suspend(wait_for::nothing, where);
    } else {
      self.warp->ready &= ~(1u << self.lane); // it goes on at once
    }
  }
  return unsigned(b.vote_result);
}

void named_block_barrier(unsigned id, unsigned threads, bool wait, site where) {
  thread_state& self = *current;
  block_state& b = *self.block;
  if (id == 0 || id >= 16 || threads % simt::warp_size != 0 || threads > b.threads)
    bad_use("named barrier " + std::to_string(id) + " of " + std::to_string(threads) +
                " threads: ids are 1 to 15, threads whole warps of the block",
            where);
  named_barrier& n = b.named[id];
  if (n.arrived == 0)
    n.expected = threads;
  else if (n.expected != threads)
    bad_use("named barrier " + std::to_string(id) + " is already awaiting " + std::to_string(n.expected) + " threads",
            where);
  if (mine->checks(check::shared_races))
    release_to(&n, self);
  fence(reach::block, self);
  const bool last = ++n.arrived == n.expected;
  if (wait)
    n.waiting.push_back(&self);
  if (last) {
    n.arrived = 0;
    ++mine->progress;
    if (mine->watcher)
      mine->watcher->met({meeting::level::named, linear_index(b), 0, 0, where});
    for (thread_state* t : n.waiting) {
      if (mine->checks(check::shared_races))
        acquire_from(&n, *t);
      mine->make_ready(*t);
    }
    n.waiting.clear();
  }
  if (wait)
    mine->suspend(wait_for::named, where);
}

void cluster_arrive(site where) {
  thread_state& self = *current;
  cluster_state& c = *self.block->cluster;
  if (c.blocks.size() == 1 && !simt::has(mine->run_.request.needs, simt::feature::cluster))
    bad_use("a cluster barrier in a kernel that was launched without a cluster and does not list feature::cluster in "
            "its `needs`",
            where);
  if (self.cluster_arrived)
    bad_use("a second cluster_arrive without a cluster_wait", where);
  if (c.ended)
    mine->fail(fault::divergent_barrier, "a block of the cluster has ended without it", where);
  self.cluster_arrived = true;
  self.cluster_ticket = c.generation;
  fence(reach::device, self);
  if (++c.arrived < shape->block * c.blocks.size())
    return;
  c.arrived = 0;
  ++c.generation;
  ++mine->counted.cluster_barriers;
  ++mine->progress;
  if (mine->watcher)
    mine->watcher->met({meeting::level::cluster, linear_index(*self.block), 0, 0, where});
  if (mine->checks(check::shared_races))
    order_cluster(c);
  for (thread_state* t : c.waiters)
    mine->make_ready(*t);
  c.waiters.clear();
}

void cluster_wait(site where) {
  thread_state& self = *current;
  cluster_state& c = *self.block->cluster;
  if (!self.cluster_arrived)
    bad_use("cluster_wait without a cluster_arrive", where);
  self.cluster_arrived = false;
  if (c.generation == self.cluster_ticket) {
    c.waiters.push_back(&self);
    mine->suspend(wait_for::cluster, where);
  } else {
    schedule_point(where);
  }
}

void grid_barrier(site where) {
  grid_run& run = mine->run_;
  if (!run.request.config.cooperative)
    bad_use("grid_barrier() needs a cooperative launch", where);
  block_barrier(vote_kind::none, false, where);
  if (current->index == 0) {
    fence(reach::device, *current);
    const std::uint64_t generation = run.generation.load();
    const std::uint64_t blocks = run.clusters * run.dims.cluster;
    if (run.arrived.fetch_add(1) + 1 == blocks) {
      run.arrived = 0;
      ++mine->counted.grid_barriers;
      ++mine->progress;
      if (mine->watcher)
        mine->watcher->met({meeting::level::grid, linear_index(*current->block), 0, 0, where});
      run.generation.fetch_add(1);
    } else {
      while (run.generation.load() == generation)
        mine->defer(wait_for::grid, where);
    }
  }
  block_barrier(vote_kind::none, false, where);
}

void warp_meet(unsigned mask, warp_completion complete, const void* in, void* out, int argument, bool barrier,
               site where) {
  thread_state& self = *current;
  warp_state& w = *self.warp;
  const unsigned me = 1u << self.lane;
  if (!(mask & me))
    mine->fail(fault::bad_warp_mask, "the lane is not in the mask it gives", where);
  if (mask & ~w.live)
    mine->fail(fault::bad_warp_mask, "the mask names lanes that have ended or never were", where);
  w.slots[self.lane] = {in, out, argument, mask, reinterpret_cast<const void*>(complete)};
  w.waiting |= me;
  bool all_here = (w.waiting & mask) == mask;
  for (unsigned others = w.waiting & mask & ~me; others && all_here; others &= others - 1) {
    const warp_slot& other = w.slots[std::countr_zero(others)];
    all_here = other.mask == mask;
    if (all_here && other.operation != w.slots[self.lane].operation)
      mine->fail(fault::bad_warp_mask, "the lanes of one mask meet in different warp-wide calls", where);
  }
  if (!all_here)
    return mine->suspend(wait_for::warp, where);
  w.waiting &= ~mask;
  complete(w.slots, mask);
  ++(barrier ? mine->counted.warp_barriers : mine->counted.warp_collectives);
  if (barrier && mine->checks(check::held_stores))
    for (unsigned lanes = mask; lanes; lanes &= lanes - 1)
      fence(reach::block, w.block->thread[w.index * simt::warp_size + unsigned(std::countr_zero(lanes))]);
  if (barrier && mine->checks(check::shared_races))
    order_warp(w, mask);
  if (mine->log)
    flush_warp(*mine->log, w, mask, mine->counted);
  if (mine->watcher)
    mine->watcher->met(
        {barrier ? meeting::level::warp : meeting::level::collective, linear_index(*w.block), w.index, mask, where});
  w.ready |= mask & ~me;
  if (shuffled_run()) {
    mine->make_ready(self);
    mine->suspend(wait_for::nothing, where);
  }
}

} // namespace sortile::executor
