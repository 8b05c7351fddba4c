// The parallel layer: every task once, exceptions passed on, progress from the calling thread; and scratch memory.
#include "cpu/parallel.hpp"
#include "cpu/scratch.hpp"

#include <sortile/request.hpp>

#include <gtest/gtest.h>

#include <utility>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace sortile {
namespace {

TEST(Parallel, EveryTaskOnce) {
  for (const unsigned workers : {1u, 2u, 5u}) {
    std::vector<std::atomic<int>> done(1000);
    cpu::for_each_task(workers, done.size(), nullptr, [&](unsigned worker, std::size_t task) {
      EXPECT_LT(worker, workers);
      ++done[task];
    });
    for (const auto& d : done)
      EXPECT_EQ(d, 1);
  }
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) // which have their own opinions of such an end
// The threads are told to stop, and waited for, by what runs at the end; it must not wait for itself.
TEST(Parallel, AThreadOfThePoolMayEndTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end_by_another = [] {
    std::atomic<bool> began{false};
    cpu::run_on(2, [&](unsigned worker) {
      if (worker == 1) {
        began = true;
        std::exit(3);
      }
      while (!began)
        std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::minutes(1));
    });
  };
  EXPECT_EXIT(end_by_another(), ::testing::ExitedWithCode(3), "");
}
#endif

TEST(Parallel, ExceptionsArePassedOnAndStopTheRest) {
  for (const unsigned workers : {1u, 2u, 4u}) {
    std::atomic<int> calls{0};
    EXPECT_THROW(cpu::for_each_task(workers, 1'000'000, nullptr,
                                    [&](unsigned, std::size_t task) {
                                      ++calls;
                                      if (task == 100)
                                        throw std::logic_error("planted");
                                    }),
                 std::logic_error);
    EXPECT_LT(calls, 1'000'000);
  }
}

TEST(Parallel, ProgressComesFromTheCallingThread) {
  const auto caller = std::this_thread::get_id();
  double last = 0;
  const std::function<bool(double)> callback = [&](double done) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_GE(done, last);
    last = done;
    return true;
  };
  sortile::progress_meter meter(&callback, 500);
  cpu::for_each_task(3, 500, &meter, [&](unsigned, std::size_t) { meter.add(1); });
  meter.finish();
  EXPECT_EQ(last, 1.0);
}

TEST(Parallel, OfSeveralExceptionsTheLeastWorkersIsPassedOn) {
  for (const unsigned workers : {2u, 5u, 20u})
    for (const unsigned least : {0u, 1u}) {
      std::string what;
      try {
        cpu::run_on(workers, [&](unsigned worker) {
          if (worker >= least)
            throw std::logic_error(std::to_string(worker));
        });
      } catch (const std::logic_error& e) {
        what = e.what();
      }
      EXPECT_EQ(what, std::to_string(least)) << workers;
    }
}

TEST(Parallel, WorkersMayHaveWorkersOfTheirOwn) {
  std::atomic<int> done{0};
  cpu::run_on(4, [&](unsigned) {
    cpu::run_on(3, [&](unsigned) { cpu::for_each_task(5, 10, nullptr, [&](unsigned, std::size_t) { ++done; }); });
  });
  EXPECT_EQ(done, 4 * 3 * 10);
}

TEST(Parallel, ManyCallersShareTheThreads) {
  constexpr int callers = 8, rounds = 300;
  std::atomic<std::uint64_t> sum{0};
  std::vector<std::thread> threads;
  for (int caller = 0; caller < callers; ++caller)
    threads.emplace_back([&, caller] {
      for (int round = 0; round < rounds; ++round) {
        std::uint64_t own = 0; // by worker 0 alone: each call has its own
        cpu::run_on(2 + unsigned(caller) % 4, [&](unsigned worker) {
          if (worker == 0)
            own += std::uint64_t(caller + 1);
        });
        sum += own;
      }
    });
  for (std::thread& t : threads)
    t.join();
  EXPECT_EQ(sum, std::uint64_t(rounds) * callers * (callers + 1) / 2);
}

/// How many threads of this process there are.
int threads_now() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Threads:"))
      return std::stoi(line.substr(8));
  return -1;
}

TEST(Parallel, ThreadsStayAndAreAsManyAsWereAskedFor) {
  const auto work = [](unsigned) {};
  cpu::run_on(4, work);
  const int after_the_first = threads_now();
  for (int round = 0; round < 1000; ++round)
    cpu::run_on(4, work);
  EXPECT_EQ(threads_now(), after_the_first);
  cpu::run_on(100'000, work); // takes turns
  EXPECT_LE(threads_now(), after_the_first + std::max(7, int(std::thread::hardware_concurrency())));
}

TEST(Parallel, TheOthersHelp) {
  if (std::thread::hardware_concurrency() < 2)
    GTEST_SKIP() << "one CPU only";
  // Worker 1 ends first only where a thread of the pool takes it while worker 0 runs.
  std::atomic<bool> other{false};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  cpu::run_on(2, [&](unsigned worker) {
    if (worker == 1)
      other = true;
    while (worker == 0 && !other && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
  });
  EXPECT_LT(std::chrono::steady_clock::now(), deadline);
}

#if !defined(__SANITIZE_THREAD__) // which does not follow threads begun after a fork
/// How a forked child ends that calls `work`.
template <class Work>
int status_of_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60); // a child that waits for threads that it does not have is ended
    work();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(Parallel, AForkedChildBeginsAnew) {
  const auto work = [] {
    std::atomic<int> done{0};
    cpu::for_each_task(4, 1000, nullptr, [&](unsigned, std::size_t) { ++done; });
    if (done != 1000)
      _exit(1);
  };
  work();
  // While another thread calls, so that the child finds the pool in all states.
  std::atomic<bool> enough{false};
  std::thread busy([&] {
    while (!enough)
      cpu::run_on(3, [](unsigned) {});
  });
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(status_of_child(work), 0);
  enough = true;
  busy.join();
  work();
}

TEST(Parallel, TheProgramMayEndWhileThreadsSleepOrWork) {
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(status_of_child([&] {
                cpu::run_on(4, [](unsigned) {});
                if (i % 2 == 0)
                  std::thread([] { cpu::run_on(4, [](unsigned) { usleep(1000); }); }).detach();
                std::exit(0);
              }),
              0);
}
#endif

TEST(Scratch, AlignedAndWritable) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100'000}, std::size_t{9'000'001}}) {
    cpu::scratch s(bytes);
    ASSERT_EQ(s.bytes().size(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(s.bytes().data()) % workspace_alignment, 0u);
    std::fill(s.bytes().begin(), s.bytes().end(), std::byte{1});
    cpu::scratch moved = std::move(s);
    EXPECT_EQ(moved.bytes().size(), bytes);
  }
}

TEST(Scratch, RefusalNamesTheBytes) {
  try {
    cpu::scratch s(std::size_t{1} << 62);
    FAIL() << "not refused";
  } catch (const out_of_memory& e) {
    EXPECT_NE(std::string(e.what()).find("4611686018427387904 bytes"), std::string::npos) << e.what();
  }
}

} // namespace
/// Whether a new large scratch lies on pages that an earlier one has written.
bool finds_old_pages(std::size_t bytes) {
  const cpu::scratch memory(bytes);
  bool found = false;
  for (std::size_t i = 0; i < bytes; i += 4096)
    found = found || std::exchange(memory.bytes()[i], std::byte{0xab}) == std::byte{0xab};
  return found;
}

#if !defined(__SANITIZE_ADDRESS__) // under which the heap alone gives memory
TEST(slots, are_kept_until_released_and_then_hold_zeros) {
  for (const std::size_t bytes : {std::size_t{8} << 10, std::size_t{500'000}, cpu::largest_slot}) {
    auto* const first = static_cast<std::byte*>(cpu::take_slot(bytes));
    ASSERT_NE(first, nullptr);
    std::fill(first, first + bytes, std::byte{1});
    auto* const second = static_cast<std::byte*>(cpu::take_slot(bytes));
    ASSERT_NE(second, nullptr);
    EXPECT_TRUE(second >= first + bytes || second + bytes <= first) << "two at once are apart";
    cpu::release_slots();
    EXPECT_EQ(first[bytes - 1], std::byte{1}) << "what is taken is not released";
    EXPECT_TRUE(cpu::give_slot(second));
    EXPECT_TRUE(cpu::give_slot(first));
    EXPECT_EQ(cpu::take_slot(bytes), first);
    EXPECT_EQ(first[bytes - 1], std::byte{1});
    cpu::give_slot(first);
    cpu::release_slots();
    EXPECT_EQ(cpu::take_slot(bytes), first);
    EXPECT_EQ(std::count(first, first + bytes, std::byte{0}), static_cast<std::ptrdiff_t>(bytes));
    cpu::give_slot(first);
  }
  std::byte elsewhere;
  EXPECT_FALSE(cpu::give_slot(&elsewhere));
  EXPECT_FALSE(cpu::give_slot(nullptr));
  EXPECT_EQ(cpu::take_slot(cpu::largest_slot + 1), nullptr);
}
#endif

TEST(slots, are_not_needed) {
  std::vector<void*> taken;
  while (void* const slot = cpu::take_slot(1))
    taken.push_back(slot);
  std::vector<cpu::scratch> beside;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{100'000}, std::size_t{5} << 20}) {
    beside.emplace_back(bytes);
    std::fill(beside.back().bytes().begin(), beside.back().bytes().end(), std::byte{1});
  }
  cpu::call_vector<int> numbers(1000, 7);
  EXPECT_EQ(numbers.back(), 7);
  for (void* const slot : taken)
    cpu::give_slot(slot);
}

/// Each thread finds in its slot what it has written there.
TEST(slots, are_a_threads_own) {
  std::atomic<bool> all_own = true;
  cpu::run_on(8, [&](unsigned worker) {
    for (std::size_t round = 0; round < 2000; ++round) {
      const std::size_t bytes = round % 50 == 0 ? 100'000 : 4096;
      auto* const memory = static_cast<std::byte*>(cpu::take_memory(bytes));
      std::fill(memory, memory + bytes, static_cast<std::byte>(worker));
      if (std::count(memory, memory + bytes, static_cast<std::byte>(worker)) != static_cast<std::ptrdiff_t>(bytes))
        all_own = false;
      cpu::give_memory(memory);
    }
  });
  EXPECT_TRUE(all_own);
}

TEST(scratch, is_kept_for_the_next_call_until_released) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  release_scratch();
  EXPECT_FALSE(finds_old_pages(bytes));
  EXPECT_TRUE(finds_old_pages(bytes));
  EXPECT_TRUE(finds_old_pages(bytes / 2));
  EXPECT_FALSE(finds_old_pages(bytes / 8)) << "a mapping that is far too large";
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_TRUE(finds_old_pages(bytes)) << "which is still there";
    EXPECT_TRUE(finds_old_pages(bytes / 8)) << "and the short one beside it";
  }
  release_scratch();
  EXPECT_FALSE(finds_old_pages(bytes));
  EXPECT_FALSE(finds_old_pages(8 * bytes)) << "far too large a need";
}

/// With the slots, which are mapped once.
std::size_t mapped_bytes() {
  cpu::give_slot(cpu::take_slot(1));
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  return pages * 4096;
}

TEST(scratch, that_is_kept_is_a_third_more_than_the_largest) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  release_scratch();
  const std::size_t before = mapped_bytes();
  if (before == 0)
    GTEST_SKIP() << "no /proc";
  for (const bool growing : {false, true}) {
    release_scratch();
    std::vector<std::size_t> sizes;
    for (std::size_t size = 400 * mebibyte; size > 4 * mebibyte; size = size * 2 / 3)
      sizes.insert(growing ? sizes.begin() : sizes.end(), size);
    for (const std::size_t size : sizes)
      cpu::scratch(size).bytes()[0] = std::byte{1};
    std::vector<cpu::scratch> side_by_side;
    for (int call = 0; call < 8; ++call)
      side_by_side.emplace_back(40 * mebibyte);
    side_by_side.clear();
    EXPECT_LT(mapped_bytes() - before, 550 * mebibyte) << growing;
    EXPECT_GT(mapped_bytes() - before, 400 * mebibyte) << growing;
  }
  release_scratch();
  for (const std::size_t size : {std::size_t{800}, std::size_t{190}, std::size_t{45}}) // more than 1 GiB
    cpu::scratch(size * mebibyte).bytes()[0] = std::byte{1};
  EXPECT_LT(mapped_bytes() - before, 1030 * mebibyte);
  release_scratch();
  EXPECT_LT(mapped_bytes() - before, 20 * mebibyte);
}

// As results that are handed out do.
TEST(scratch, that_is_held_maps_about_what_it_needs) {
  constexpr std::size_t large = std::size_t{256} << 20, little = std::size_t{8} << 20;
  release_scratch();
  const std::size_t before = mapped_bytes();
  if (before == 0)
    GTEST_SKIP() << "no /proc";
  std::vector<cpu::scratch> held;
  for (int round = 0; round < 5; ++round) {
    finds_old_pages(large);
    held.emplace_back(little);
  }
  EXPECT_LT(mapped_bytes() - before, large + 20 * little) << "one large mapping is kept, and the little ones";
  release_scratch();
  EXPECT_LT(mapped_bytes() - before, 20 * little) << "and can be given back while others are held";
}

} // namespace sortile
