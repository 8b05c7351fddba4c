// Planted faults between blocks and between launches: data published too early or without a release, polling for a
// block that cannot run, launches that do not wait, features that were not asked for.
#include "faults.hpp"

namespace sortile::simt_tests {
namespace {

// ---- look-back ----------------------------------------------------------------------------------------------

enum class look_back_fault { none, publishes_before_its_data, no_release, order_by_block_index };

// Running sums of 24 blocks: each waits for the flag of the one before, adds to its sum, publishes.
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
  expect_found(fault::deadlock, {"polls or waits", "polling", "protocol_faults.cpp:"},
               sums_up<look_back<look_back_fault::order_by_block_index>>, sums_up<look_back<look_back_fault::none>>);
}

// ---- launches -------------------------------------------------------------------------------------------------

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
  simt::launch(q, {.grid = 2, .dependent = true}, Kernel{{v.data(), 64}});
  return v[5] == 5;
}

TEST(faults, dependent_launch_that_does_not_wait) {
  expect_found(fault::bad_use, {"wait_for_prerequisites"}, runs_dependent<dependent<true>>,
               runs_dependent<dependent<false>>);
}

// A block without work: it too must wait, by one of its threads at least, or the next launch may start while what came
// before this one still runs.
template <bool Fault>
struct ends_at_once {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    if (simt::block_index() == 1) {
      if (!Fault && t == 7)
        simt::wait_for_prerequisites();
      return;
    }
    simt::wait_for_prerequisites();
    to[t] = t;
  }
};

TEST(faults, block_of_a_dependent_launch_that_ends_without_waiting) {
  expect_found(fault::bad_use, {"ends_at_once", "block 1,", "wait_for_prerequisites", "also one without work"},
               runs_dependent<ends_at_once<true>>, runs_dependent<ends_at_once<false>>);
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
