// Global memory under check::held_stores: x86 would hide a missing release, so the executor itself delays stores.
//
// A plain or relaxed store goes into its thread's buffer. It leaves on its own at some later scheduling point, in any
// order but after older stores to the same bytes; or because something orders it:
//   warp and block barriers   the thread's buffer → the block's buffer: seen by the block, not beyond
//   release, fence, atomics with release, cluster barrier, the block's end
//                             the thread's buffer and the block's buffer → memory
// The block's buffer goes along with a release of one of its threads, because what came before a barrier that the
// thread has passed is published with it (causality order is cumulative). A thread sees its own stores and its block's
// buffer always.
#include "simt/executor/scheduler.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace sortile::executor {
namespace {

constexpr std::size_t thread_capacity = 8, block_capacity = 64;

bool overlap(const char* a, std::size_t m, const char* b, std::size_t n) {
  return a < b + n && b < a + m;
}

void write_memory(const store_buffer::entry& e, std::uint64_t& progress) {
  if (std::memcmp(e.address, e.bytes, e.size) != 0) {
    std::memcpy(e.address, e.bytes, e.size);
    ++progress;
  }
}

void push(store_buffer& b, const store_buffer::entry& e) {
  b.entries.push_back(e);
  mine->hold(b);
}

} // namespace

void store_buffer::overlay(const char* address, std::size_t size, char* out) const {
  for (const entry& e : entries) {
    if (!overlap(e.address, e.size, address, size))
      continue;
    const char* from = std::max<const char*>(e.address, address);
    const char* to = std::min<const char*>(e.address + e.size, address + size);
    std::memcpy(out + (from - address), e.bytes + (from - e.address), std::size_t(to - from));
  }
}

bool store_buffer::overlaps(const char* address, std::size_t size) const {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const entry& e) { return overlap(e.address, e.size, address, size); });
}

void scheduler::hold(store_buffer& b) {
  if (b.held_index < 0) {
    b.held_index = int(held.size());
    held.push_back(&b);
  }
}

void scheduler::unhold(store_buffer& b) {
  if (b.held_index >= 0 && b.empty()) {
    held[unsigned(b.held_index)] = held.back();
    held.back()->held_index = b.held_index;
    held.pop_back();
    b.held_index = -1;
  }
}

// Writes entry i to memory, after whatever older stores to the same bytes wait here or in the block's buffer.
void scheduler::drain_entry(store_buffer& b, std::size_t i, block_state* through) {
  const store_buffer::entry e = b.entries[i];
  for (std::size_t j = 0; j < i; ++j) {
    if (overlap(b.entries[j].address, b.entries[j].size, e.address, e.size)) {
      const std::size_t before = b.entries.size();
      drain_entry(b, j, through); // and what that one must follow
      return drain_entry(b, i - (before - b.entries.size()), through);
    }
  }
  if (through)
    drain_overlapping(through->pending, e.address, e.size, nullptr);
  write_memory(e, progress);
  b.entries.erase(b.entries.begin() + std::ptrdiff_t(i));
  unhold(b);
}

void scheduler::drain_overlapping(store_buffer& b, const char* address, std::size_t size, block_state* through) {
  for (std::size_t i = 0; i < b.entries.size();) {
    if (overlap(b.entries[i].address, b.entries[i].size, address, size)) {
      drain_entry(b, i, through);
      i = 0; // older ones may have gone with it
    } else {
      ++i;
    }
  }
}

void scheduler::drain(store_buffer& b, block_state* through) {
  while (!b.empty())
    drain_entry(b, 0, through);
}

bool scheduler::drain_some() {
  if (held.empty())
    return false;
  store_buffer& b = *held[random.below(unsigned(held.size()))];
  drain_entry(b, random.below(unsigned(b.entries.size())), b.block);
  return true;
}

void fence(reach how_far, thread_state& t) {
  if (!mine->checks(check::held_stores))
    return;
  block_state& b = *t.block;
  if (how_far == reach::device) {
    mine->drain(t.pending, &b);
    mine->drain(b.pending, nullptr);
    return;
  }
  for (const store_buffer::entry& e : t.pending.entries)
    push(b.pending, e);
  t.pending.entries.clear();
  mine->unhold(t.pending);
  while (b.pending.entries.size() > block_capacity)
    mine->drain_entry(b.pending, mine->random.below(unsigned(b.pending.entries.size())), nullptr);
}

void fence(reach how_far, site where) {
  fence(how_far, *current);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  schedule_point(where);
}

namespace {

void check_prerequisites(site where) {
  if (current->block->unmet && !current->met)
    bad_use("global memory is touched before wait_for_prerequisites() in a dependent launch", where);
}

} // namespace

void prerequisites_met(site where) {
  if (!current->met) {
    current->met = true;
    if (current->block->unmet)
      --current->block->unmet;
  }
  schedule_point(where);
}

void observed_global_load(const void* address, void* out, std::size_t size, site where) {
  check_prerequisites(where);
  if (mine->log)
    log_access(*mine->log, *current, memory_space::global, access::load, address, size, where);
  const char* from = static_cast<const char*>(address);
  std::memcpy(out, from, size);
  current->block->pending.overlay(from, size, static_cast<char*>(out));
  current->pending.overlay(from, size, static_cast<char*>(out));
}

void observed_global_store(void* address, const void* in, std::size_t size, site where) {
  check_prerequisites(where);
  if (mine->log)
    log_access(*mine->log, *current, memory_space::global, access::store, address, size, where, in);
  if (!mine->checks(check::held_stores)) {
    std::memcpy(address, in, size);
    return;
  }
  for (std::size_t at = 0; at < size; at += sizeof(store_buffer::entry::bytes)) {
    store_buffer::entry e;
    e.address = static_cast<char*>(address) + at;
    e.size = unsigned(std::min(size - at, sizeof e.bytes));
    std::memcpy(e.bytes, static_cast<const char*>(in) + at, e.size);
    push(current->pending, e);
    if (current->pending.entries.size() > thread_capacity)
      mine->drain_entry(current->pending, mine->random.below(unsigned(thread_capacity)), current->block);
  }
}

void observed_constant_load(const void* address, std::size_t size, site where) {
  if (mine->log)
    log_access(*mine->log, *current, memory_space::constant, access::constant_load, address, size, where);
}

void before_global_atomic(void* address, std::size_t size, bool release, access kind, site where) {
  schedule_point(where);
  if (!(active_modes & observe_global))
    return;
  check_prerequisites(where);
  if (mine->log)
    log_access(*mine->log, *current, memory_space::global, kind, address, size, where);
  if (!mine->checks(check::held_stores))
    return;
  if (release)
    return fence(reach::device, *current);
  const char* at = static_cast<const char*>(address);
  for (store_buffer* b : {&current->pending, &current->block->pending})
    mine->drain_overlapping(*b, at, size, b->block);
}

void note_progress() {
  ++mine->progress;
}

namespace {
std::atomic_flag wide_locks[64];
std::atomic_flag& lock_of(const void* address) {
  return wide_locks[reinterpret_cast<std::uintptr_t>(address) / 16 % 64];
}
} // namespace

void wide_lock(const void* address) {
  while (lock_of(address).test_and_set(std::memory_order_acquire))
    std::this_thread::yield();
}

void wide_unlock(const void* address) {
  lock_of(address).clear(std::memory_order_release);
}

const void* kernel_constants() {
  return mine->run_.request.constants;
}

void* dynamic_shared(std::size_t& bytes) {
  block_state& b = *current->block;
  bytes = b.shared_bytes - b.dynamic_offset;
  return b.shared + b.dynamic_offset;
}

void* peer_shared(const void* my_place, unsigned rank, site where) {
  block_state& b = *current->block;
  cluster_state& c = *b.cluster;
  if (rank >= c.blocks.size())
    bad_use("block " + std::to_string(rank) + " of a cluster of " + std::to_string(c.blocks.size()), where);
  const std::ptrdiff_t offset = static_cast<const char*>(my_place) - b.shared;
  if (offset < 0 || std::size_t(offset) > b.shared_bytes)
    bad_use("the storage to be found in a peer block is not this block's shared storage", where);
  return c.blocks[rank]->shared + offset;
}

} // namespace sortile::executor
