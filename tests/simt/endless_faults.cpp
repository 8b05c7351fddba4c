// Kernels that do not come to their end: the watchdog, a trap, a full stack; and the schedules themselves, which a seed
// must repeat.
#include "faults.hpp"

#include <set>

namespace sortile::simt_tests {
namespace {

// ---- kernels that are ended -----------------------------------------------------------------------------------

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
  for (const char* wrong : {"7x", "", "-1", " 7", "99999999999999999999"}) {
    ::setenv("SORTILE_EXECUTOR_SEED", wrong, 1);
    EXPECT_THROW(static_cast<void>(executor::options_from_environment()), simt::error) << wrong;
  }
  ::unsetenv("SORTILE_EXECUTOR_SEED");
  ::unsetenv("SORTILE_EXECUTOR_CHECKS");
  EXPECT_EQ(executor::options_from_environment({.seed = 3}).seed, 3u);
}

} // namespace
} // namespace sortile::simt_tests
