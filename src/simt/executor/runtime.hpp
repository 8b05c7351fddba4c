// What a running kernel needs of the executor: the state of threads, warps and blocks, and the calls behind the
// dialect's words.
//
// The dialect's headers keep the unchecked path inline (a test of `active_modes`, then the plain access); everything
// else is in the .cpp files. A block stays on the OS thread that started it, so thread-local state is safe across fiber
// switches.
#pragma once

#include "simt/executor/device.hpp"
#include "simt/types.hpp"

#include <cstring>
#include <memory>
#include <source_location>
#include <vector>

namespace sortile::executor {

using site = std::source_location;

class scheduler;
struct block_state;
struct warp_state;
struct cluster_state;
struct lane_knowledge;
struct race_shadow;
class request_log;

// Bits of active_modes: which plain accesses must leave the inline path.
inline constexpr unsigned observe_shared = 1;
inline constexpr unsigned observe_global = 2;
inline constexpr unsigned shuffled = 4;

/// Stores that their thread (or block) has made and others do not see yet.
class store_buffer {
 public:
  struct entry {
    char* address;
    unsigned size;
    unsigned char bytes[16];
  };
  std::vector<entry> entries;   // oldest first
  int held_index = -1;          // place in the scheduler's list of non-empty buffers
  block_state* block = nullptr; // a thread's buffer: the block whose buffer lies behind it

  bool empty() const { return entries.empty(); }
  /// Copies into `out` what is pending for [address, address + size).
  void overlay(const char* address, std::size_t size, char* out) const;
  bool overlaps(const char* address, std::size_t size) const;
};

/// What a suspended thread waits for; for reports.
enum class wait_for : std::uint8_t { nothing, start, warp, block, named, cluster, grid, transfer, spin };

struct thread_state {
  void* context = nullptr; // where the fiber goes on
  block_state* block = nullptr;
  warp_state* warp = nullptr;
  unsigned index = 0; // in its block
  unsigned lane = 0;
  bool finished = false;
  wait_for waiting = wait_for::start;
  unsigned ordered_loads = 0; // since it last let others run
  site where;
  char* stack_low = nullptr;
  std::size_t stack_bytes = 0;
  void* fake_stack = nullptr; // AddressSanitizer's
  store_buffer pending;
  bool met = false;                 // has called wait_for_prerequisites()
  std::uint64_t cluster_ticket = 0; // the generation in which it arrived at the cluster barrier
  bool cluster_arrived = false;
  unsigned bulk_open = 0; // bulk stores since the last commit
  std::vector<std::uint64_t> bulk_groups;
};

/// One lane's part in a warp-wide call.
struct warp_slot {
  const void* in = nullptr;
  void* out = nullptr;
  int argument = 0;
  unsigned mask = 0;
  const void* operation = nullptr;
};

struct warp_state {
  block_state* block = nullptr;
  unsigned index = 0;
  unsigned exists = 0, live = 0;    // lanes of the block; of them, not yet ended
  unsigned ready = 0, deferred = 0; // may run; may run once the others had their turn
  unsigned waiting = 0;             // in a warp-wide call
  int place = -1;                   // in the scheduler's queue; -1: not in it
  warp_slot slots[simt::warp_size];
  lane_knowledge* known = nullptr; // with check::shared_races
};

struct named_barrier {
  unsigned arrived = 0, expected = 0;
  std::vector<thread_state*> waiting;
};

struct block_state {
  cluster_state* cluster = nullptr;
  unsigned index[3] = {};
  unsigned rank = 0; // in its cluster
  unsigned threads = 0, ended = 0;
  bool active = false;
  std::vector<thread_state> thread;
  std::vector<warp_state> warp;
  char* shared = nullptr; // static struct, then dynamic part
  std::size_t dynamic_offset = 0, shared_bytes = 0;
  std::vector<char> shared_memory;
  std::shared_ptr<race_shadow> shadow; // with check::shared_races
  store_buffer pending;                // ordered within the block, not yet beyond it
  unsigned arrived = 0;                // at the block barrier
  site barrier_site;
  std::uint64_t vote = 0, vote_result = 0;
  named_barrier named[16];
  unsigned unmet = 0; // threads that have yet to call wait_for_prerequisites(), in a dependent launch
};

struct cluster_state {
  std::vector<std::unique_ptr<block_state>> blocks;
  unsigned arrived = 0, ended = 0; // threads at the cluster barrier; blocks
  std::uint64_t generation = 0;    // cluster barriers passed
  std::uint64_t mark = 0;          // the time of the last one
  std::vector<thread_state*> waiters;
};

/// The shape of the grid that a thread belongs to.
struct grid_shape {
  unsigned grid[3] = {1, 1, 1};
  unsigned block = 1, cluster = 1;
};

/// One kernel launch, type-erased.
struct grid_request {
  const char* kernel_name;
  const void* kernel;
  std::size_t kernel_bytes;
  kernel_function call;
  simt::launch_config config; // block filled in
  unsigned max_block;
  std::size_t static_bytes, static_align;
  simt::feature needs;
  bool wants_constants = false;
  const void* constants = nullptr; // found by the device
};

// Kernels read these at every word, so they are kept at a fixed place even in a shared library.
#define SORTILE_FAST_THREAD_LOCAL [[gnu::tls_model("initial-exec")]] inline constinit thread_local
SORTILE_FAST_THREAD_LOCAL thread_state* current = nullptr;
SORTILE_FAST_THREAD_LOCAL unsigned active_modes = 0;
SORTILE_FAST_THREAD_LOCAL const grid_shape* shape = nullptr;
#undef SORTILE_FAST_THREAD_LOCAL

// ---- scheduling ---------------------------------------------------------------------------------------------

/// A scheduling point at which the thread could go on.
void schedule_point(site where);
/// The thread polls: let all others run first.
void spin(site where);
/// A poll that may lack a spin hint: now and then lets the others run.
void polled(site where);

// ---- barriers and warp-wide calls ---------------------------------------------------------------------------

enum class vote_kind : std::uint8_t { none, any, all, count };
unsigned block_barrier(vote_kind kind, bool predicate, site where);
void named_block_barrier(unsigned id, unsigned threads, bool wait, site where);
void cluster_arrive(site where);
void cluster_wait(site where);
void grid_barrier(site where);

using warp_completion = void (*)(warp_slot* slots, unsigned mask);
/// Meets the other lanes of `mask`; the last one runs `complete` for all of them. `out` holds this lane's result on
/// return.
void warp_meet(unsigned mask, warp_completion complete, const void* in, void* out, int argument, bool barrier,
               site where);

// ---- memory -------------------------------------------------------------------------------------------------

enum class access : std::uint8_t { load, store, atomic, ordered_load, ordered_store, constant_load };

[[noreturn]] void out_of_bounds(const char* space, std::uint64_t index, std::uint64_t size, site where);
[[noreturn]] void misaligned(const void* address, std::size_t alignment, site where);
[[noreturn]] void bad_use(const std::string& what, site where);

void observe_shared_access(const void* address, std::size_t size, access kind, site where);
/// A release or acquire on a shared location: orders warps beside barriers.
void order_shared(const void* address, bool acquire, bool release);
void observed_global_load(const void* address, void* out, std::size_t size, site where);
void observed_global_store(void* address, const void* in, std::size_t size, site where);
/// A load of the kernel's constants: counted.
void observed_constant_load(const void* address, std::size_t size, site where);
/// Before an atomic or ordered access of global memory: what this thread must have drained. Counts and schedules too.
void before_global_atomic(void* address, std::size_t size, bool release, access kind, site where);
void note_progress();
enum class reach : std::uint8_t { block, device };
void fence(reach how_far, site where);
/// Serialises 16-byte ordered accesses between OS threads.
void wide_lock(const void* address);
void wide_unlock(const void* address);

/// The constants of the kernel that runs.
const void* kernel_constants();
/// The dynamic part of this block's shared storage.
void* dynamic_shared(std::size_t& bytes);
/// The same place in the shared storage of block `rank` of the cluster.
void* peer_shared(const void* mine, unsigned rank, site where);

// ---- bulk copies --------------------------------------------------------------------------------------------

/// An mbarrier as the executor keeps it in shared storage (8 bytes, as on the GPU).
struct transfer_barrier {
  std::int32_t pending_bytes;
  std::uint16_t expected, remaining : 15, phase : 1;
};
static_assert(sizeof(transfer_barrier) == 8);

void transfer_init(transfer_barrier* b, unsigned arrivals, site where);
void transfer_arrive(transfer_barrier* b, std::uint32_t expect_bytes, site where);
bool transfer_phase_done(transfer_barrier* b, unsigned parity, site where);
void bulk_load(void* shared, const void* global, std::size_t bytes, transfer_barrier* b, site where);
void bulk_store(void* global, const void* shared, std::size_t bytes, site where);
void bulk_commit(site where);
void bulk_wait(unsigned groups_left, bool read_only, site where);

// ---- launches from a kernel, dependent launches -------------------------------------------------------------

enum class child_order : std::uint8_t { fire_and_forget, tail };
void launch_child(const grid_request& request, child_order order, site where);
void prerequisites_met(site where);

} // namespace sortile::executor
