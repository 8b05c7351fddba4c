// Planted faults: each is found within 100 schedules, by name or by a wrong result; its repaired twin passes all of
// them.
//
// A template flag `Fault` switches the fault on, so that what differs between the two is in plain sight.
#include "simt/simt.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <set>

namespace sortile::simt_tests {
namespace {

using executor::fault;
using simt::global;

constexpr unsigned schedules = 100;

executor::device device_with(std::uint64_t seed) {
  return executor::device({.seed = seed, .checks = executor::all_checks, .watchdog_seconds = 20});
}

struct found {
  std::uint64_t seed = 0;
  std::optional<fault> kind; // none: a wrong result
  std::string message;
};

/// Runs `once(queue)`, which says whether the result is right, until a schedule shows a fault.
template <class F>
std::optional<found> search(F&& once) {
  for (std::uint64_t seed = 1; seed <= schedules; ++seed) {
    executor::device device = device_with(seed);
    try {
      if (!once(simt::queue::executor(device)))
        return found{seed, std::nullopt, "wrong result"};
    } catch (const executor::failure& e) {
      EXPECT_EQ(e.seed, e.kind == fault::bad_launch ? 0 : seed);
      return found{seed, e.kind, e.what()};
    }
  }
  return std::nullopt;
}

/// The faulty twin is found as `kind` (none: as a wrong result), with a message that names all of `words`; the seed
/// repeats it; the right twin passes.
template <class Faulty, class Right>
void expect_found(std::optional<fault> kind, const std::vector<std::string>& words, Faulty&& faulty, Right&& right) {
  const auto hit = search(faulty);
  ASSERT_TRUE(hit) << "not found in " << schedules << " schedules";
  EXPECT_EQ(hit->kind, kind) << hit->message;
  for (const std::string& w : words)
    EXPECT_NE(hit->message.find(w), std::string::npos) << hit->message;
  if (kind) {
    executor::device again = device_with(hit->seed);
    try {
      static_cast<void>(faulty(simt::queue::executor(again)));
      ADD_FAILURE() << "seed " << hit->seed << " does not repeat the failure";
    } catch (const executor::failure& e) {
      EXPECT_EQ(e.what(), hit->message);
    }
    EXPECT_NE(hit->message.find("SORTILE_EXECUTOR_SEED=" + std::to_string(hit->seed)), std::string::npos);
  }
  const auto none = search(right);
  EXPECT_FALSE(none) << none->message;
}

// ---- a removed barrier --------------------------------------------------------------------------------------

template <bool Fault>
struct reverse_in_shared {
  static constexpr unsigned block_threads = 128;
  struct shared {
    simt::shared_array<std::uint32_t, 128> a;
  };
  global<std::uint32_t> data;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    s.a[t] = data[t];
    if constexpr (!Fault)
      simt::block_barrier();
    data[t] = s.a[127 - t];
  }
};

template <class Kernel>
bool reverses(simt::queue q) {
  std::vector<std::uint32_t> v(128);
  for (unsigned i = 0; i < 128; ++i)
    v[i] = i;
  simt::launch(q, {.grid = 1}, Kernel{{v.data(), 128}});
  for (unsigned i = 0; i < 128; ++i)
    if (v[i] != 127 - i)
      return false;
  return true;
}

TEST(faults, removed_barrier) {
  expect_found(fault::shared_race, {"reverse_in_shared<true>", "block 0", "thread ", "faults.cpp:"},
               reverses<reverse_in_shared<true>>, reverses<reverse_in_shared<false>>);
}

// The same through global memory: only the block's barrier makes one thread's plain store visible to another.
template <bool Fault>
struct reverse_in_global {
  static constexpr unsigned block_threads = 128;
  global<std::uint32_t> data, scratch;
  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    scratch[t] = data[t];
    if constexpr (Fault)
      simt::ballot(true);
    else
      simt::block_barrier();
    data[t] = scratch[127 - t];
  }
};

template <class Kernel>
bool reverses_with_scratch(simt::queue q) {
  std::vector<std::uint32_t> v(128), scratch(128);
  for (unsigned i = 0; i < 128; ++i)
    v[i] = i;
  simt::launch(q, {.grid = 1}, Kernel{{v.data(), 128}, {scratch.data(), 128}});
  for (unsigned i = 0; i < 128; ++i)
    if (v[i] != 127 - i)
      return false;
  return true;
}

TEST(faults, removed_barrier_before_global_reads) {
  expect_found(std::nullopt, {}, reverses_with_scratch<reverse_in_global<true>>,
               reverses_with_scratch<reverse_in_global<false>>);
}

// ---- a race whose result is right ---------------------------------------------------------------------------

// Every thread writes the same value; what is read is right whoever was first.
template <bool Fault>
struct lucky_flag {
  static constexpr unsigned block_threads = 64;
  struct shared {
    simt::shared_value<std::uint32_t> any_odd;
  };
  global<const std::uint32_t> in;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    if (t == 0)
      s.any_odd = 0u;
    simt::block_barrier();
    if (in[t] & 1) {
      if constexpr (Fault)
        s.any_odd = 1u;
      else
        s.any_odd.fetch_or(0, 1u);
    }
    simt::block_barrier();
    if (t == 0)
      to[0] = s.any_odd;
  }
};

template <class Kernel>
bool finds_odd(simt::queue q) {
  std::vector<std::uint32_t> v(64, 3), to(1);
  simt::launch(q, {.grid = 1}, Kernel{{v.data(), 64}, {to.data(), 1}});
  return to[0] == 1;
}

TEST(faults, race_that_is_right_by_luck) {
  expect_found(fault::shared_race, {"lucky_flag<true>", "wrote"}, finds_odd<lucky_flag<true>>,
               finds_odd<lucky_flag<false>>);
}

// Lanes of one warp, with a vote between them instead of a warp barrier: on most hardware right for ever.
template <bool Fault>
struct warp_without_barrier {
  static constexpr unsigned block_threads = 32;
  struct shared {
    simt::shared_array<std::uint32_t, 32> a;
  };
  global<std::uint32_t> data;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    s.a[t] = data[t];
    if constexpr (Fault)
      simt::ballot(true);
    else
      simt::warp_barrier();
    data[t] = s.a[31 - t];
  }
};

template <class Kernel>
bool reverses_warp(simt::queue q) {
  std::vector<std::uint32_t> v(32);
  for (unsigned i = 0; i < 32; ++i)
    v[i] = i;
  simt::launch(q, {.grid = 1}, Kernel{{v.data(), 32}});
  return v[0] == 31 && v[31] == 0;
}

TEST(faults, vote_taken_for_a_barrier) {
  expect_found(fault::shared_race, {"warp_without_barrier<true>"}, reverses_warp<warp_without_barrier<true>>,
               reverses_warp<warp_without_barrier<false>>);
}

// ---- divergent barriers -------------------------------------------------------------------------------------

enum class divergence { none, half_the_block, two_places, early_end };

template <divergence Kind>
struct divergent {
  static constexpr unsigned block_threads = 64;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    if constexpr (Kind == divergence::none)
      simt::block_barrier();
    if constexpr (Kind == divergence::half_the_block)
      if (t < 32)
        simt::block_barrier();
    if constexpr (Kind == divergence::two_places) {
      if (t < 16)
        simt::block_barrier();
      else
        simt::block_barrier();
    }
    if constexpr (Kind == divergence::early_end) {
      if (t == 63)
        return;
      simt::block_barrier();
    }
    to[t] = t;
  }
};

template <class Kernel>
bool runs(simt::queue q) {
  std::vector<std::uint32_t> v(64);
  simt::launch(q, {.grid = 1}, Kernel{{v.data(), 64}});
  return v[5] == 5;
}

TEST(faults, barrier_in_a_divergent_branch) {
  const auto right = runs<divergent<divergence::none>>;
  expect_found(fault::divergent_barrier, {"block 0", "thread"}, runs<divergent<divergence::half_the_block>>, right);
  expect_found(fault::divergent_barrier, {"wait at another barrier"}, runs<divergent<divergence::two_places>>, right);
  expect_found(fault::divergent_barrier, {"ended"}, runs<divergent<divergence::early_end>>, right);
}

// ---- out of bounds ------------------------------------------------------------------------------------------

template <bool Fault>
struct one_too_far {
  static constexpr unsigned block_threads = 64;
  struct shared {
    simt::shared_array<std::uint32_t, 64> a;
    simt::shared_array<std::uint32_t, 64> behind; // so that the access hits nothing that would crash
  };
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    s.behind[t] = t;
    s.a[t] = t;
    simt::block_barrier();
    const unsigned next = s.a[Fault ? t + 1 : (t + 1) % 64];
    to[next % 64] = next % 64;
  }
};

TEST(faults, out_of_bounds_of_shared_storage) {
  expect_found(fault::out_of_bounds, {"index 64 of a shared array of 64", "thread 63"}, runs<one_too_far<true>>,
               runs<one_too_far<false>>);
}

struct global_too_far {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const { to[int(simt::thread_index()) - 1] = 0u; }
};

TEST(faults, out_of_bounds_of_global_memory) {
  const auto hit = search(runs<global_too_far>);
  ASSERT_TRUE(hit && hit->kind == fault::out_of_bounds);
  EXPECT_NE(hit->message.find("index -1 of a global array of 64"), std::string::npos) << hit->message;
}

// ---- look-back ----------------------------------------------------------------------------------------------

enum class look_back_fault { none, publishes_before_its_data, no_release, order_by_block_index };

// Running sums of 8 blocks: each waits for the flag of the one before, adds to its sum, publishes.
template <look_back_fault Fault>
struct look_back {
  static constexpr unsigned block_threads = 32;
  struct shared {
    simt::shared_value<std::uint32_t> ticket;
  };
  global<std::uint32_t> tickets, flags, sums;
  SORTILE_DEVICE void operator()(shared& s) const {
    if (simt::thread_index() == 0)
      s.ticket = Fault == look_back_fault::order_by_block_index ? simt::block_index() : tickets.fetch_add(0, 1u);
    simt::block_barrier();
    const std::uint32_t me = s.ticket;
    if (simt::thread_index() != 0)
      return;
    std::uint32_t sum = me + 1;
    if (me > 0) {
      while (flags.load(me - 1, simt::acquire) == 0)
        simt::spin_hint();
      sum += sums[me - 1];
    }
    if constexpr (Fault == look_back_fault::publishes_before_its_data) {
      flags.store(me, 1u, simt::release);
      sums[me] = sum;
    } else {
      sums[me] = sum;
      if constexpr (Fault == look_back_fault::no_release)
        flags.store(me, 1u, simt::relaxed);
      else
        flags.store(me, 1u, simt::release);
    }
  }
};

template <class Kernel>
bool sums_up(simt::queue q) {
  constexpr unsigned blocks = 24;
  std::vector<std::uint32_t> tickets(1), flags(blocks), sums(blocks);
  simt::launch(q, {.grid = blocks}, Kernel{{tickets.data(), 1}, {flags.data(), blocks}, {sums.data(), blocks}});
  for (unsigned i = 0; i < blocks; ++i)
    if (sums[i] != (i + 1) * (i + 2) / 2)
      return false;
  return true;
}

TEST(faults, look_back_that_publishes_before_its_data) {
  expect_found(std::nullopt, {}, sums_up<look_back<look_back_fault::publishes_before_its_data>>,
               sums_up<look_back<look_back_fault::none>>);
}

TEST(faults, missing_release) {
  expect_found(std::nullopt, {}, sums_up<look_back<look_back_fault::no_release>>,
               sums_up<look_back<look_back_fault::none>>);
}

TEST(faults, spin_that_needs_another_block) {
  expect_found(fault::deadlock, {"polls or waits", "polling", "faults.cpp:"},
               sums_up<look_back<look_back_fault::order_by_block_index>>, sums_up<look_back<look_back_fault::none>>);
}

// ---- warp masks, deadlock, launches -------------------------------------------------------------------------

enum class warp_fault { not_in_mask, ended_lane, different_calls, half_never_comes };

template <warp_fault Kind>
struct bad_warp {
  static constexpr unsigned block_threads = 64;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    const unsigned lane = simt::lane_index();
    if constexpr (Kind == warp_fault::not_in_mask)
      simt::ballot(true, lane < 16 ? simt::full_warp : 0xffffu);
    if constexpr (Kind == warp_fault::ended_lane) {
      if (lane == 31)
        return;
      simt::warp_barrier();
    }
    if constexpr (Kind == warp_fault::different_calls) {
      if (lane < 16)
        simt::ballot(true);
      else
        simt::warp_barrier();
    }
    if constexpr (Kind == warp_fault::half_never_comes) {
      if (lane < 16)
        simt::ballot(true);
      simt::block_barrier();
    }
    to[simt::thread_index()] = simt::thread_index();
  }
};

TEST(faults, warp_masks) {
  EXPECT_EQ(search(runs<bad_warp<warp_fault::not_in_mask>>)->kind, fault::bad_warp_mask);
  EXPECT_EQ(search(runs<bad_warp<warp_fault::ended_lane>>)->kind, fault::bad_warp_mask);
  EXPECT_EQ(search(runs<bad_warp<warp_fault::different_calls>>)->kind, fault::bad_warp_mask);
}

TEST(faults, deadlock_names_who_waits_where) {
  const auto hit = search(runs<bad_warp<warp_fault::half_never_comes>>);
  ASSERT_TRUE(hit && hit->kind == fault::deadlock) << (hit ? hit->message : "nothing found");
  EXPECT_NE(hit->message.find("block 0: threads 0-15,32-47 in a warp-wide call at faults.cpp:"), std::string::npos)
      << hit->message;
  EXPECT_NE(hit->message.find("threads 16-31,48-63 at a block barrier"), std::string::npos) << hit->message;
}

struct endless {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    for (;;) {
      to.fetch_add(0, 1u);
      simt::spin_hint();
    }
  }
};

TEST(faults, watchdog) {
  for (const executor::check checks : {executor::check::none, executor::all_checks}) {
    executor::device device({.checks = checks, .watchdog_seconds = 0.2});
    try {
      runs<endless>(simt::queue::executor(device));
      ADD_FAILURE() << "an endless kernel has ended";
    } catch (const executor::failure& e) {
      EXPECT_EQ(e.kind, fault::watchdog) << e.what();
    }
  }
}

// Nothing can unwind a fiber that never comes back: the process says so and ends.
struct never_comes_back {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    for (volatile std::uint32_t n = to[1];;)
      n = n + 1;
  }
};

TEST(faults_death, watchdog_of_a_kernel_without_scheduling_points) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        executor::device device({.seed = 5, .watchdog_seconds = -9.5});
        runs<never_comes_back>(simt::queue::executor(device));
      },
      "kernel .*never_comes_back runs without coming to a scheduling point; SORTILE_EXECUTOR_SEED=5");
}

struct traps {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    simt::block_barrier();
    if (simt::thread_index() == 7)
      simt::trap();
  }
};

TEST(faults, trap_ends_the_grid) {
  const auto hit = search(runs<traps>);
  ASSERT_TRUE(hit && hit->kind == fault::bad_use);
  EXPECT_NE(hit->message.find("thread 7"), std::string::npos) << hit->message;
}

template <bool Fault>
struct dependent {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    if constexpr (!Fault)
      simt::wait_for_prerequisites();
    to[simt::thread_index()] = simt::thread_index();
    simt::launch_dependents();
  }
};

template <class Kernel>
bool runs_dependent(simt::queue q) {
  std::vector<std::uint32_t> v(64);
  simt::launch(q, {.grid = 1, .dependent = true}, Kernel{{v.data(), 64}});
  return v[5] == 5;
}

TEST(faults, dependent_launch_that_does_not_wait) {
  expect_found(fault::bad_use, {"wait_for_prerequisites"}, runs_dependent<dependent<true>>,
               runs_dependent<dependent<false>>);
}

struct misaligned_vector {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const { to[0] = simt::load_vector<4>(to, simt::thread_index())[0]; }
};

TEST(faults, misaligned_vector) {
  EXPECT_EQ(search(runs<misaligned_vector>)->kind, fault::misaligned);
}

template <bool Fault>
struct leaves_a_copy_behind {
  static constexpr unsigned block_threads = 32;
  static constexpr simt::feature needs = simt::feature::bulk_copy;
  struct shared {
    alignas(128) simt::shared_array<std::uint32_t, 64> a;
  };
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()(shared& s) const {
    s.a[simt::thread_index()] = simt::thread_index();
    s.a[simt::thread_index() + 32] = simt::thread_index() + 32;
    simt::bulk_fence();
    simt::block_barrier();
    if (simt::thread_index() == 0) {
      simt::bulk_store(to, 0, s.a, 0, 64);
      simt::bulk_commit();
      if (!Fault)
        simt::bulk_wait_read();
    }
  }
};

template <class Kernel>
bool copies(simt::queue q) {
  alignas(16) std::uint32_t v[64] = {};
  simt::launch(q, {.grid = 1}, Kernel{{v, 64}});
  return v[5] == 5 && v[63] == 63;
}

TEST(faults, bulk_copy_that_outlives_its_block) {
  expect_found(fault::bad_use, {"a bulk copy of thread 0 still uses"}, copies<leaves_a_copy_behind<true>>,
               copies<leaves_a_copy_behind<false>>);
}

#if !defined(__SANITIZE_ADDRESS__) // has larger stacks
struct large_frame {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    volatile unsigned char frame[240 * 1024];
    frame[simt::thread_index()] = 1;
    simt::block_barrier();
    to[simt::thread_index()] = frame[simt::thread_index()];
  }
};

TEST(faults, stack_that_is_nearly_full) {
  executor::device device({.stack_bytes = 256 * 1024});
  try {
    runs<large_frame>(simt::queue::executor(device));
    ADD_FAILURE() << "not found";
  } catch (const executor::failure& e) {
    EXPECT_EQ(e.kind, fault::stack_overflow) << e.what();
  }
}
#endif

// ---- what must not compile ----------------------------------------------------------------------------------

// An element is read or written at once: kept under `auto`, it would be a value on one backend and a reference on the
// other.
using element_of = decltype(std::declval<const global<std::uint32_t>&>()[0]);
static_assert(std::is_convertible_v<element_of, std::uint32_t>);
static_assert(!std::is_convertible_v<element_of&, std::uint32_t>);
static_assert(std::is_same_v<decltype(std::declval<const global<const std::uint32_t>&>()[0]), std::uint32_t>);

template <class View>
concept loads_with_release = requires(View v) {
  v.load(0, simt::release);
};
template <class View>
concept stores_with_acquire = requires(View v) {
  v.store(0, 1u, simt::acquire);
};
template <class View>
concept loads_with_acquire = requires(View v) {
  v.load(0, simt::acquire, simt::system_scope);
};
static_assert(!loads_with_release<global<std::uint32_t>> && !stores_with_acquire<global<std::uint32_t>>);
static_assert(loads_with_acquire<global<std::uint32_t>>);

// ---- constants ----------------------------------------------------------------------------------------------

template <bool Fault>
struct reads_constants {
  static constexpr unsigned block_threads = 32;
  struct constants {
    simt::constant_array<std::uint32_t, 32> table;
  };
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()(const constants& c) const {
    to[simt::thread_index()] = c.table[simt::thread_index() + (Fault ? 1 : 0)];
  }
};

template <bool Fault, bool Set>
bool looks_up(simt::queue q) {
  std::vector<std::uint32_t> table(32, 5), to(32);
  if (Set)
    simt::set_constants<reads_constants<Fault>>(q, table.data(), 128);
  simt::launch(q, {.grid = 1}, reads_constants<Fault>{{to.data(), 32}});
  return to == table;
}

TEST(faults, constants_out_of_bounds) {
  expect_found(fault::out_of_bounds, {"index 32 of a constant array of 32"}, looks_up<true, true>,
               looks_up<false, true>);
}

TEST(faults, constants_never_set) {
  const auto hit = search(looks_up<false, false>);
  ASSERT_TRUE(hit && hit->kind == fault::bad_launch);
  EXPECT_NE(hit->message.find("constants were never set"), std::string::npos) << hit->message;
}

// ---- the schedules themselves -------------------------------------------------------------------------------

// Who came first: different seeds give different orders, one seed always the same.
struct first_come {
  static constexpr unsigned block_threads = 64;
  global<std::uint32_t> place, order;
  SORTILE_DEVICE void operator()() const {
    order[place.fetch_add(0, 1u)] = simt::block_index() * 64 + simt::thread_index();
  }
};

std::vector<std::uint32_t> order_of(std::uint64_t seed) {
  executor::device device = device_with(seed);
  std::vector<std::uint32_t> place(1), order(512);
  simt::launch(simt::queue::executor(device), {.grid = 8}, first_come{{place.data(), 1}, {order.data(), 512}});
  return order;
}

TEST(faults, seeds_repeat_and_differ) {
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto order = order_of(seed);
    EXPECT_EQ(order, order_of(seed));
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 20u);
}

TEST(faults, options_from_the_environment) {
  ::setenv("SORTILE_EXECUTOR_SEED", "77", 1);
  ::setenv("SORTILE_EXECUTOR_CHECKS", "5", 1);
  const executor::device_options options = executor::options_from_environment({.seed = 3, .architecture = 80});
  EXPECT_EQ(options.seed, 77u);
  EXPECT_EQ(options.checks, executor::check::schedule | executor::check::shared_races);
  EXPECT_EQ(options.architecture, 80u);
  ::setenv("SORTILE_EXECUTOR_SEED", "7x", 1);
  EXPECT_THROW(static_cast<void>(executor::options_from_environment()), simt::error);
  ::unsetenv("SORTILE_EXECUTOR_SEED");
  ::unsetenv("SORTILE_EXECUTOR_CHECKS");
  EXPECT_EQ(executor::options_from_environment({.seed = 3}).seed, 3u);
}

// A kernel that asks for clusters in its words must ask for them in `needs` too, so that the launch can refuse it.
struct unannounced_cluster {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const { simt::cluster_barrier(); }
};

TEST(faults, unannounced_features) {
  const auto hit = search(runs<unannounced_cluster>);
  ASSERT_TRUE(hit && hit->kind == fault::bad_use);
  EXPECT_NE(hit->message.find("feature::cluster"), std::string::npos) << hit->message;
}

} // namespace
} // namespace sortile::simt_tests
