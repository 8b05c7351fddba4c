// One OS thread's share of a grid: its resident blocks, their fibers, and the choice of who runs next.
//
// Fibers switch directly to one another; the scheduler's own context (`root`) runs only to start blocks, to finish, and
// to clean up after a failure. Without check::schedule a warp runs until all its lanes wait, warps take turns in order,
// and a polling lane runs after all others. With it, every choice is drawn from the seed, some blocks are starved for a
// while, and polling lanes run now and then, or when no other thread can. If they run for many rounds and nothing
// changes, it is a deadlock.
#pragma once

#include "simt/executor/observer.hpp"
#include "simt/executor/runtime.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <mutex>
#include <string>

namespace sortile::executor {

/// SplitMix64: small, and no seed is worse than another.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  unsigned below(unsigned n) { return unsigned((next() >> 32) * n >> 32); }
  bool one_in(unsigned n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

/// Thrown through a fiber to unwind it after another one failed.
struct thread_aborted {};

struct child_launch {
  grid_request request;
  std::vector<unsigned char> kernel; // the copy that request.kernel points to
  child_order order;
};

/// What the OS threads of one grid share.
struct grid_run {
  explicit grid_run(const device& d) : owner(d) {}
  const device& owner;
  grid_request request;
  grid_shape dims;
  device_options options;
  std::uint64_t seed;
  std::uint64_t clusters = 0;            // to run
  std::vector<std::uint32_t> order;      // of the clusters, where shuffled
  std::atomic<std::uint64_t> next{0};    // cluster to start
  std::atomic<std::uint64_t> arrived{0}; // blocks at the grid barrier
  std::atomic<std::uint64_t> generation{0};
  std::atomic<bool> failed{false};
  std::mutex mutex; // the following
  std::exception_ptr error;
  std::vector<child_launch> children;
  counters counted;
  std::chrono::steady_clock::time_point deadline;

  void fail(std::exception_ptr e);
};

/// A bulk copy on its way.
struct transfer {
  void* to;
  const void* from;
  std::size_t bytes;
  transfer_barrier* barrier; // null: a store to global memory
  thread_state* issuer;
  std::uint64_t group;
  site where;
};

class scheduler {
 public:
  scheduler(grid_run& run, std::size_t resident_clusters);
  ~scheduler();
  /// Runs clusters until none is left or the grid has failed.
  void run();

  // Called on fibers.
  void suspend(wait_for why, site where);
  void make_ready(thread_state& t);
  void reschedule(site where);          // at a scheduling point of a shuffled run
  void defer(wait_for why, site where); // polls
  [[noreturn]] void fail(fault kind, const std::string& what, site where, const thread_state* who = nullptr);

  void record(fault kind, const std::string& what);
  std::string who(const thread_state& t) const;

  // Held stores (memory.cpp).
  void hold(store_buffer& b);
  void unhold(store_buffer& b);
  bool drain_some();
  void drain(store_buffer& b, block_state* through);
  void drain_overlapping(store_buffer& b, const char* address, std::size_t size, block_state* through);
  void drain_entry(store_buffer& b, std::size_t i, block_state* through);

  // Bulk copies (bulk.cpp).
  bool land_some();
  void land(std::size_t i);

  bool checks(check c) const { return has(run_.options.checks, c); }
  void wake_block(block_state& b);

  grid_run& run_;
  random_source random;
  std::uint64_t now = 1;      // counts what orders accesses of shared storage
  std::uint64_t progress = 0; // counts what may end somebody's polling
  counters counted;
  std::vector<store_buffer*> held;
  std::vector<transfer> in_flight;
  request_log* log = nullptr;
  observer* watcher = nullptr; // only with a log

 private:
  friend void fiber_main(thread_state& self);
  void switch_to(thread_state* next);
  void look_at_clock(site where);
  bool admit();
  void start_cluster(std::uint64_t index);
  void start_block(block_state& b, std::uint64_t linear);
  void start_warps(block_state& b);
  void start_threads(block_state& b);
  void place_shared(block_state& b);
  thread_state* pick();
  thread_state* pick_in_order();
  thread_state* pick_shuffled();
  warp_state* choose_warp();
  thread_state* take(warp_state& w, unsigned lane);
  void release_pollers(bool nobody_else);
  void enqueue(warp_state& w);
  void ended(thread_state& t);
  void block_ended(block_state& b, const thread_state& last);
  void unwind();
  std::string waits() const;

  std::size_t limit_, resident_ = 0;
  std::vector<std::unique_ptr<cluster_state>> clusters_; // resident or free
  std::vector<cluster_state*> free_;
  std::deque<warp_state*> queue_;     // in order
  std::vector<warp_state*> runnable_; // shuffled
  std::vector<thread_state*> pollers_;
  warp_state* running_ = nullptr;
  block_state* starved_ = nullptr;
  unsigned stickiness_ = 0, hold_rate_ = 4;
  unsigned idle_rounds_ = 0;
  std::uint64_t progress_seen_ = 0;
  unsigned polls_ = 0, switches_ = 0;
  bool aborting_ = false;
  bool refill_ = false; // a cluster has ended: back to the root, which may start another
  thread_state root_;
};

/// "file.cu:17": a place in the source, without its folders.
std::string file_and_line(const site& s);

/// Moves what `t` holds back to where others see it.
void fence(reach how_far, thread_state& t);

/// The scheduler of the calling OS thread.
inline constinit thread_local scheduler* mine = nullptr;

// Races (races.cpp): what orders accesses of shared storage.
std::shared_ptr<race_shadow> make_shadow(std::size_t bytes, unsigned threads);
void reset_shadow(block_state& b);
void order_block(block_state& b);
void order_warp(warp_state& w, unsigned mask);
void order_cluster(cluster_state& c);
void release_to(const void* object, thread_state& t);
void acquire_from(const void* object, thread_state& t);
void record_shared(block_state& owner, const void* address, std::size_t size, access kind, thread_state& t, site where);

// Counters (requests.cpp).
struct request_log_deleter {
  void operator()(request_log* l) const;
};
std::unique_ptr<request_log, request_log_deleter> make_request_log();
/// Before the access is done. `value`: what a store writes, where memory does not have it at once.
void log_access(request_log& log, const thread_state& t, memory_space space, access kind, const void* address,
                std::size_t size, site where, const void* value = nullptr);
/// Another block's shared storage is told from the own by `owner`.
void log_shared_access(request_log& log, const thread_state& t, const block_state& owner, access kind,
                       const void* address, std::size_t size, site where);
void flush_warp(request_log& log, const warp_state& w, unsigned mask, counters& into);
/// The block's place in its grid: along x, then y, then z.
unsigned linear_index(const block_state& b);

} // namespace sortile::executor
