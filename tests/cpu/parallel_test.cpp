// The parallel layer: every task once, exceptions passed on, progress from the calling thread; and scratch memory.
#include "cpu/parallel.hpp"
#include "cpu/scratch.hpp"

#include <sortile/request.hpp>

#include <gtest/gtest.h>

#include <utility>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

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

TEST(scratch, is_kept_for_the_next_call_until_released) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  release_scratch();
  EXPECT_FALSE(finds_old_pages(bytes));
  EXPECT_TRUE(finds_old_pages(bytes));
  EXPECT_TRUE(finds_old_pages(bytes / 2));
  release_scratch();
  EXPECT_FALSE(finds_old_pages(bytes));
  EXPECT_FALSE(finds_old_pages(8 * bytes)) << "far too large a need";
}

} // namespace sortile
