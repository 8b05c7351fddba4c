// Threads: as many as are asked for, none for small inputs, and callers that sort at the same time.
#include "testing/workloads.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <numeric>
#include <thread>

namespace sortile::testing {
namespace {

double cpu_seconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The share of the CPU time of `work` that other threads than this one spent.
template <class Work>
double share_of_others(const Work& work) {
  const double own = cpu_seconds(CLOCK_THREAD_CPUTIME_ID), all = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
  work();
  const double own_spent = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - own,
               all_spent = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - all;
  return 1 - own_spent / all_spent;
}

void settle() {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
} // workers of earlier sorts spin a little, then sleep

TEST(threads, one_means_one) {
  std::vector<std::uint64_t> keys = make_keys<std::uint64_t>("uniform", 3'000'000, 1);
  settle();
  EXPECT_LT(share_of_others([&] { sortile::sort(keys, {.threads = 1}); }), 0.05);
}

TEST(threads, small_inputs_start_none) {
  std::vector<std::uint32_t> keys(500);
  settle();
  EXPECT_LT(share_of_others([&] {
              for (std::uint64_t round = 0; round < 3000; ++round) {
                workload_named("uniform").fill({key_type::u32, keys.size(), round}, 0, keys.size(), keys.data());
                sortile::sort(keys);
              }
            }),
            0.05);
}

#if !defined(__SANITIZE_THREAD__)
TEST(threads, several_share_a_large_sort) {
  if (std::thread::hardware_concurrency() < 2)
    GTEST_SKIP() << "one CPU only";
  const std::vector<std::uint64_t> keys = make_keys<std::uint64_t>("uniform", 4'000'000, 1);
  std::vector<std::uint64_t> out(keys.size());
  // On a busy machine the others may come late to one sort, or to a hundred; where they never come, half a minute
  // passes.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  double share = 0;
  while (share <= 0.05 && std::chrono::steady_clock::now() < deadline)
    share = share_of_others([&] { sortile::sort(keys, out, {.threads = 2}); });
  EXPECT_GT(share, 0.05);
}
#endif

TEST(threads, callers_may_sort_at_the_same_time) {
  constexpr unsigned callers = 6;
  std::vector<std::string> complaints(callers);
  std::vector<std::thread> threads;
  for (unsigned caller = 0; caller < callers; ++caller)
    threads.emplace_back([caller, &complaint = complaints[caller]] {
      for (std::uint64_t round = 0; round < 12; ++round) {
        const std::size_t n = round % 3 == 0 ? 200'000 : 3000 + 17 * caller;
        std::vector<std::uint32_t> keys = make_keys<std::uint32_t>("few:1000", n, 100 * caller + round), values(n);
        std::iota(values.begin(), values.end(), 0u);
        const std::vector<std::uint32_t> kept = keys;
        sortile::sort_by_key(keys, values, {.threads = caller % 4});
        for (std::size_t i = 0; i < n; ++i)
          if (keys[i] != kept[values[i]] ||
              (i > 0 && (keys[i] < keys[i - 1] || (keys[i] == keys[i - 1] && values[i] < values[i - 1]))))
            complaint =
                "caller " + std::to_string(caller) + " round " + std::to_string(round) + " at " + std::to_string(i);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  for (const std::string& complaint : complaints)
    EXPECT_EQ(complaint, "");
}

} // namespace
} // namespace sortile::testing
