// Races on shared storage, found by what orders accesses, not by the values that they read.
//
// Every ordering event of a scheduler takes a tick of one clock (`now`). The shadow of shared storage keeps, for each
// four bytes (each byte where elements are smaller), the last write and the two most recent reads by different threads,
// with their times. An earlier access by thread p at time s is ordered before the present one by thread u if one of
// these holds:
//   - p is u;
//   - the block passed a barrier since (s <= mark of the block), or the cluster did, for threads of different blocks;
//   - same warp: u knows p's lane up to s, from warp barriers (a vector clock of 32 lanes, exact);
//   - other warps: u knows p's warp up to s, from named barriers, transfer barriers, release/acquire pairs on shared
//     storage (a vector of warps: it takes what one thread has released for its whole warp, so a race among its lanes
//     may go unseen there).
// If none holds and one of the two writes, and not both are atomic or ordered, it is a race, whatever the values.
#include "simt/executor/scheduler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

namespace sortile::executor {

struct lane_knowledge {
  std::uint64_t lanes[simt::warp_size][simt::warp_size]; // [who][of whom]: accesses up to this time are ordered before
};

namespace {

constexpr unsigned max_warps = device::max_block_threads / simt::warp_size;
using warp_times = std::array<std::uint64_t, max_warps>;

// One access: time in the high 48 bits, then whether atomic, then thread of the cluster + 1 (0: none yet).
struct stamp {
  std::uint64_t bits = 0;
  static stamp of(std::uint64_t time, bool atomic, unsigned thread) {
    return {time << 16 | std::uint64_t{atomic} << 15 | (thread + 1)};
  }
  explicit operator bool() const { return bits != 0; }
  std::uint64_t time() const { return bits >> 16; }
  bool atomic() const { return bits >> 15 & 1; }
  unsigned thread() const { return unsigned(bits & 0x7fff) - 1; }
};

struct cell {
  stamp write, reads[2];
};

unsigned name_in_cluster(const thread_state& t) {
  return t.block->rank * device::max_block_threads + t.index;
}

} // namespace

struct race_shadow {
  std::vector<cell> words; // of four bytes
  std::vector<cell> bytes; // for elements smaller than that; made when the first is met
  std::vector<std::unique_ptr<lane_knowledge>> warps;
  std::uint64_t mark = 0;         // the time of the last block barrier
  bool crossed = false;           // something beside barriers has ordered warps
  std::vector<warp_times> across; // a thread
  std::unordered_map<const void*, warp_times> released;
  std::vector<site> sites; // of the last write, for the report; one in four
};

std::shared_ptr<race_shadow> make_shadow(std::size_t bytes, unsigned threads) {
  auto s = std::make_shared<race_shadow>();
  s->words.resize(bytes / 4 + 1);
  s->sites.resize(bytes / 4 + 1);
  for (unsigned w = 0; w * simt::warp_size < threads; ++w)
    s->warps.push_back(std::make_unique<lane_knowledge>());
  return s;
}

void reset_shadow(block_state& b) {
  race_shadow& s = *b.shadow;
  std::fill(s.words.begin(), s.words.end(), cell{});
  std::fill(s.bytes.begin(), s.bytes.end(), cell{});
  for (std::size_t w = 0; w < s.warps.size(); ++w) {
    *s.warps[w] = {};
    b.warp[w].known = s.warps[w].get();
  }
  s.mark = mine->now++;
  s.crossed = false;
  s.across.clear();
  s.released.clear();
}

void order_block(block_state& b) {
  b.shadow->mark = mine->now++;
}

void order_warp(warp_state& w, unsigned mask) {
  auto& lanes = w.known->lanes;
  std::uint64_t all[simt::warp_size] = {};
  for (unsigned m = mask; m; m &= m - 1) {
    const auto& one = lanes[std::countr_zero(m)];
    for (unsigned i = 0; i < simt::warp_size; ++i)
      all[i] = std::max(all[i], one[i]);
  }
  for (unsigned m = mask; m; m &= m - 1)
    all[std::countr_zero(m)] = mine->now;
  for (unsigned m = mask; m; m &= m - 1)
    std::copy(all, all + simt::warp_size, lanes[std::countr_zero(m)]);
  ++mine->now;
  race_shadow& s = *w.block->shadow;
  if (!s.crossed)
    return;
  warp_times known{};
  for (int pass = 0; pass < 2; ++pass)
    for (unsigned m = mask; m; m &= m - 1) {
      warp_times& mine_ = s.across[w.index * simt::warp_size + unsigned(std::countr_zero(m))];
      for (unsigned i = 0; i < max_warps; ++i)
        (pass == 0 ? known : mine_)[i] = std::max(known[i], mine_[i]);
    }
}

void order_cluster(cluster_state& c) {
  c.mark = mine->now;
  for (auto& b : c.blocks)
    b->shadow->mark = mine->now;
  ++mine->now;
}

void release_to(const void* object, thread_state& t) {
  race_shadow& s = *t.block->shadow;
  if (!s.crossed) {
    s.crossed = true;
    s.across.assign(t.block->threads, warp_times{});
  }
  warp_times& at = s.released[object];
  const warp_times& own = s.across[t.index];
  for (unsigned i = 0; i < max_warps; ++i)
    at[i] = std::max(at[i], own[i]);
  at[t.warp->index] = mine->now++;
}

void acquire_from(const void* object, thread_state& t) {
  race_shadow& s = *t.block->shadow;
  const auto found = s.released.find(object);
  if (found == s.released.end())
    return;
  for (unsigned i = 0; i < max_warps; ++i)
    s.across[t.index][i] = std::max(s.across[t.index][i], found->second[i]);
}

namespace {

bool ordered(const thread_state& u, stamp earlier) {
  const unsigned p = earlier.thread(), rank = p / device::max_block_threads, index = p % device::max_block_threads;
  const block_state& b = *u.block;
  if (rank != b.rank)
    return earlier.time() <= b.cluster->mark;
  if (index == u.index || earlier.time() <= b.shadow->mark)
    return true;
  const unsigned warp = index / simt::warp_size;
  if (warp == u.warp->index && u.warp->known->lanes[u.lane][index % simt::warp_size] >= earlier.time())
    return true;
  return b.shadow->crossed && b.shadow->across[u.index][warp] >= earlier.time();
}

bool is_write(access kind) {
  return kind == access::store || kind == access::atomic || kind == access::ordered_store;
}

bool is_atomic(access kind) {
  return kind == access::atomic || kind == access::ordered_load || kind == access::ordered_store;
}

std::string describe(stamp s) {
  return "thread " + std::to_string(s.thread() % device::max_block_threads) +
         (s.thread() >= device::max_block_threads
              ? " of cluster block " + std::to_string(s.thread() / device::max_block_threads)
              : "");
}

} // namespace

void record_shared(block_state& owner, const void* address, std::size_t size, access kind, thread_state& t,
                   site where) {
  race_shadow& s = *owner.shadow;
  const std::size_t offset = std::size_t(static_cast<const char*>(address) - owner.shared);
  const std::size_t step = size % 4 == 0 ? 4 : 1;
  if (step == 1 && s.bytes.empty())
    s.bytes.resize(owner.shared_bytes);
  const stamp now = stamp::of(mine->now, is_atomic(kind), name_in_cluster(t));
  for (std::size_t at = offset; at < offset + size; at += step) {
    cell& c = step == 4 ? s.words[at / 4] : s.bytes[at];
    const bool write = is_write(kind);
    if (c.write && !(c.write.atomic() && now.atomic()) && !ordered(t, c.write))
      mine->fail(fault::shared_race,
                 std::string(write ? "writes" : "reads") + " byte " + std::to_string(at) +
                     " of shared storage, which " + describe(c.write) + " wrote (line " +
                     std::to_string(s.sites[at / 4].line()) + ") with no barrier between",
                 where, &t);
    if (write)
      for (const stamp& r : c.reads)
        if (r && !(r.atomic() && now.atomic()) && !ordered(t, r))
          mine->fail(fault::shared_race,
                     "writes byte " + std::to_string(at) + " of shared storage, which " + describe(r) +
                         " read with no barrier between",
                     where, &t);
    if (write) {
      c.write = now;
      s.sites[at / 4] = where;
      c.reads[0] = c.reads[1] = {};
    } else if (c.reads[0] && c.reads[0].thread() != now.thread()) {
      c.reads[1] = c.reads[0];
      c.reads[0] = now;
    } else {
      c.reads[0] = now;
    }
  }
}

void order_shared(const void* address, bool acquire, bool release) {
  if (!mine->checks(check::shared_races))
    return;
  if (acquire)
    acquire_from(address, *current);
  if (release)
    release_to(address, *current);
}

void observe_shared_access(const void* address, std::size_t size, access kind, site where) {
  thread_state& t = *current;
  block_state* owner = t.block;
  const char* at = static_cast<const char*>(address);
  auto holds = [&](const block_state& b) { return at >= b.shared && at < b.shared + b.shared_bytes; };
  if (!holds(*owner)) {
    owner = nullptr;
    for (auto& b : t.block->cluster->blocks)
      if (holds(*b))
        owner = b.get();
    if (!owner)
      bad_use("a shared array that is not in the shared storage of this cluster", where);
    if (!owner->active)
      bad_use("shared storage of a block that has ended", where);
  }
  if (mine->log)
    log_shared_access(*mine->log, t, *owner, kind, address, size, where);
  if (mine->checks(check::shared_races))
    record_shared(*owner, address, size, kind, t, where);
}

} // namespace sortile::executor
