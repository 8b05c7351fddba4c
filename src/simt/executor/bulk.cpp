// Bulk asynchronous copies, and the barriers at which threads wait for them.
//
// A copy lands at some later scheduling point, or when no thread can run without it. So a kernel that reads before it
// has waited reads old data, and under check::shared_races gets an error.
#include "simt/executor/scheduler.hpp"

#include <algorithm>

namespace sortile::executor {
namespace {

void finish_phase(transfer_barrier* b) {
  if (b->remaining == 0 && b->pending_bytes == 0) {
    b->phase = (b->phase ^ 1) & 1;
    b->remaining = b->expected & 0x7fff;
    ++mine->progress;
  }
}

void check_bulk(const void* shared, const void* global, std::size_t bytes, site where) {
  for (const void* p : {shared, global})
    if (reinterpret_cast<std::uintptr_t>(p) % 16 != 0)
      misaligned(p, 16, where);
  if (bytes % 16 != 0 || bytes >= 1u << 20)
    bad_use("a bulk copy of " + std::to_string(bytes) + " bytes: it must be a multiple of 16 below 1 MiB", where);
  if (!simt::has(mine->run_.request.needs, simt::feature::bulk_copy))
    bad_use("the kernel uses bulk copies and does not list feature::bulk_copy in its `needs`", where);
}

} // namespace

void transfer_init(transfer_barrier* b, unsigned arrivals, site where) {
  if (arrivals == 0 || arrivals > 0x7fff)
    bad_use("a transfer barrier of " + std::to_string(arrivals) + " arrivals", where);
  *b = {0, std::uint16_t(arrivals), std::uint16_t(arrivals & 0x7fff), 0};
}

void transfer_arrive(transfer_barrier* b, std::uint32_t expect_bytes, site where) {
  if (b->remaining == 0)
    bad_use("more arrivals at a transfer barrier than it was made for", where);
  if (mine->checks(check::shared_races))
    release_to(b, *current);
  fence(reach::block, *current);
  b->pending_bytes += std::int32_t(expect_bytes);
  b->remaining = (b->remaining - 1) & 0x7fff;
  finish_phase(b);
  schedule_point(where);
}

bool transfer_phase_done(transfer_barrier* b, unsigned parity, site where) {
  if (b->phase == (parity & 1)) {
    mine->defer(wait_for::transfer, where);
    return false;
  }
  if (mine->checks(check::shared_races))
    acquire_from(b, *current);
  return true;
}

void bulk_load(void* shared, const void* global, std::size_t bytes, transfer_barrier* b, site where) {
  check_bulk(shared, global, bytes, where);
  mine->in_flight.push_back({shared, global, bytes, b, current, 0, where});
  ++mine->counted.bulk_copies;
  mine->counted.bulk_bytes += bytes;
  schedule_point(where);
}

void bulk_store(void* global, const void* shared, std::size_t bytes, site where) {
  check_bulk(shared, global, bytes, where);
  ++current->bulk_open;
  mine->in_flight.push_back({global, shared, bytes, nullptr, current, current->bulk_groups.size(), where});
  ++mine->counted.bulk_copies;
  mine->counted.bulk_bytes += bytes;
  schedule_point(where);
}

void bulk_commit(site where) {
  current->bulk_groups.push_back(current->bulk_open);
  current->bulk_open = 0;
  schedule_point(where);
}

void bulk_wait(unsigned groups_left, bool, site where) {
  thread_state& self = *current;
  const std::size_t groups = self.bulk_groups.size();
  auto too_old = [&](const transfer& t) { return !t.barrier && t.issuer == &self && t.group + groups_left < groups; };
  while (std::any_of(mine->in_flight.begin(), mine->in_flight.end(), too_old))
    mine->defer(wait_for::transfer, where);
  schedule_point(where);
}

bool scheduler::land_some() {
  if (in_flight.empty())
    return false;
  land(random.below(unsigned(in_flight.size())));
  return true;
}

void scheduler::land(std::size_t i) {
  const transfer t = in_flight[i];
  in_flight.erase(in_flight.begin() + std::ptrdiff_t(i));
  ++progress;
  block_state& b = *t.issuer->block;
  if (checks(check::held_stores)) // the copy sees, and is seen, beyond the block
    drain(b.pending, nullptr);
  std::memcpy(t.to, t.from, t.bytes);
  if (watcher)
    watcher->bulk_copied({linear_index(b), static_cast<const char*>(t.to), static_cast<const char*>(t.from), b.shared,
                          t.bytes, t.barrier != nullptr, t.where});
  try {
    if (checks(check::shared_races))
      record_shared(b, t.barrier ? t.to : t.from, t.bytes, t.barrier ? access::store : access::load, *t.issuer,
                    t.where);
  } catch (const failure&) {
    run_.fail(std::current_exception());
  }
  if (!t.barrier)
    return;
  if (checks(check::shared_races))
    release_to(t.barrier, *t.issuer);
  t.barrier->pending_bytes -= std::int32_t(t.bytes);
  finish_phase(t.barrier);
}

} // namespace sortile::executor
