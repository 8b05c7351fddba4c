// Launches from a kernel: fire and forget, tail. Relocatable device code.
#include "fixture.hpp"

namespace sortile::simt_tests {
namespace {

using simt::global;

struct adds_one {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> data;
  std::uint32_t from;
  SORTILE_DEVICE void operator()() const { data.fetch_add(from + simt::thread_index(), 1u); }
};

struct counts_ones {
  static constexpr unsigned block_threads = 32;
  global<const std::uint32_t> data;
  global<std::uint32_t> to;
  std::uint32_t n;
  SORTILE_DEVICE void operator()() const {
    for (std::uint32_t i = simt::thread_index(); i < n; i += 32)
      if (data.load(i) == 1)
        to.fetch_add(0, 1u);
  }
};

// A binary tree of grids: each half is handed to a child until 32 elements are left.
struct divides {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> data;
  std::uint32_t from, n;
  SORTILE_DEVICE void operator()() const {
    if (simt::thread_index() != 0)
      return;
    if (n == 32) {
      simt::launch_and_forget({.grid = 1}, adds_one{data, from});
    } else {
      simt::launch_and_forget({.grid = 1}, divides{data, from, n / 2});
      simt::launch_and_forget({.grid = 1}, divides{data, from + n / 2, n / 2});
    }
  }
};

struct root {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> data, to;
  std::uint32_t n;
  SORTILE_DEVICE void operator()() const {
    if (simt::thread_index() == 0) {
      simt::launch_at_end({.grid = 1}, counts_ones{data, to, n});
      simt::launch_and_forget({.grid = 1}, divides{data, 0, n});
    }
  }
};

SIMT_TEST(children, tail_follows_all_that_was_fired) {
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> data(512), to(1);
    simt::launch(q, {.grid = 1}, root{data.view(), to.view(), 512});
    ASSERT_EQ(data.host(), std::vector<std::uint32_t>(512, 1));
    ASSERT_EQ(to.host()[0], 512u);
  });
}

} // namespace
} // namespace sortile::simt_tests
