// What an observer is told: every request with its lanes, places and values, in the order of the program; meetings; and
// no launch without it under checks that do not count.
#include "simt/executor/observer.hpp"
#include "simt/simt.hpp"

#include <gtest/gtest.h>

namespace sortile::simt_tests {
namespace {

using executor::access;
using executor::memory_space;
using executor::warp_request;
using simt::global;

std::uint32_t number(const warp_request::value& v) {
  std::uint32_t n = 0;
  std::memcpy(&n, v.data(), sizeof n);
  return n;
}

struct recorder : executor::observer {
  std::vector<warp_request> requests;
  std::vector<std::string> order; // of all that was told
  executor::counters counted;
  void launch_begins(const executor::launch_shape& l) override {
    order.push_back("launch of " + std::to_string(l.dims.grid[0]));
  }
  void launch_ends(const executor::counters& c) override {
    counted += c;
    order.emplace_back("end");
  }
  void block_begins(unsigned b) override { order.push_back("block " + std::to_string(b)); }
  void block_ends(unsigned b) override { order.push_back("end of block " + std::to_string(b)); }
  void requested(const warp_request& r) override {
    requests.push_back(r);
    order.emplace_back(r.writes() ? "store" : "load");
  }
  void met(const executor::meeting& m) override {
    order.emplace_back(m.where_they_meet == executor::meeting::level::block ? "barrier" : "meeting");
  }
};

template <class Kernel>
recorder record(Kernel kernel, unsigned blocks = 1, executor::check more = executor::check::none) {
  recorder r;
  executor::device device({.seed = 7, .checks = executor::check::counters | more});
  const executor::observing now(r);
  simt::launch(simt::queue::executor(device), {.grid = blocks}, kernel);
  return r;
}

struct reverse_observed {
  static constexpr unsigned block_threads = 64;
  struct shared {
    simt::shared_array<std::uint32_t, 64> tile;
  };
  global<std::uint32_t> data;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    s.tile[t] = data.load(t);
    simt::block_barrier();
    data.store(t, s.tile.load(63 - t));
  }
};

TEST(observer, requests_come_in_the_order_of_the_program_with_their_values) {
  std::vector<std::uint32_t> data(64);
  for (unsigned i = 0; i < 64; ++i)
    data[i] = 1000 + i;
  const recorder r = record(reverse_observed{{data.data(), 64}});
  const std::vector<std::string> expected = {"launch of 1", "block 0",        "load", "store", "load",
                                             "store",       "barrier",        "load", "store", "load",
                                             "store",       "end of block 0", "end"};
  EXPECT_EQ(r.order, expected);
  ASSERT_EQ(r.requests.size(), 8u);
  for (unsigned k = 0; k < 8; ++k) {
    const warp_request& q = r.requests[k];
    const unsigned warp = k % 4 / 2;
    EXPECT_EQ(q.warp, warp);
    EXPECT_EQ(q.lanes, ~0u);
    EXPECT_EQ(q.size, 4u);
    EXPECT_EQ(q.space, (k < 4) == (k % 2 == 0) ? memory_space::global : memory_space::shared);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned t = warp * 32 + lane;
      EXPECT_EQ(number(q.after[lane]), k < 4 ? 1000 + t : 1000 + 63 - t) << k;
      if (q.kind == access::store && q.space == memory_space::global) {
        EXPECT_EQ(number(q.before[lane]), 1000 + t);
      }
      if (q.space == memory_space::shared) {
        EXPECT_EQ(q.address[lane] - q.base, std::ptrdiff_t(4 * (k < 4 ? t : 63 - t)));
      }
    }
  }
  EXPECT_EQ(r.counted.global_loads.units + r.counted.global_stores.units,
            r.requests[0].units + r.requests[2].units + r.requests[5].units + r.requests[7].units);
}

struct takes_turns {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> counter, out;
  SORTILE_DEVICE void operator()() const { out[simt::thread_index()] = counter.fetch_add(0, 3); }
};

TEST(observer, an_atomic_leaves_what_the_next_lane_finds) {
  std::uint32_t counter = 100;
  std::vector<std::uint32_t> out(32);
  for (const executor::check more : {executor::check::none, executor::check::schedule}) {
    counter = 100;
    const recorder r = record(takes_turns{{&counter, 1}, {out.data(), 32}}, 1, more);
    ASSERT_EQ(r.requests.size(), 2u);
    const warp_request& q = r.requests[0];
    EXPECT_EQ(q.kind, access::atomic);
    for (unsigned lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(number(q.before[lane]), out[lane]);
      EXPECT_EQ(number(q.after[lane]), out[lane] + 3);
      EXPECT_EQ(q.tick[lane] > q.tick[0], out[lane] > out[0]);
    }
    EXPECT_EQ(counter, 100u + 32 * 3);
  }
}

struct goes_two_ways {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> a, b, c;
  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    for (unsigned k = 0; k < t % 3; ++k)
      a[32 * k + t] = t;
    if (t % 2 == 0)
      b[t] = t;
    c[t] = t;
  }
};

TEST(observer, where_lanes_go_different_ways_each_lanes_order_is_kept) {
  std::vector<std::uint32_t> data(128);
  const global<std::uint32_t> all(data.data(), 128);
  const recorder r = record(goes_two_ways{all.subview(0, 64), all.subview(64, 32), all.subview(96, 32)});
  ASSERT_EQ(r.requests.size(), 4u); // a twice, b, c
  const auto first = [&](std::size_t k) {
    return (r.requests[k].address[std::countr_zero(r.requests[k].lanes)] - reinterpret_cast<const char*>(data.data())) /
           128;
  };
  EXPECT_EQ(first(0), 0);
  EXPECT_EQ(first(1), 1);
  EXPECT_EQ(first(2), 2);
  EXPECT_EQ(first(3), 3);
  EXPECT_EQ(std::popcount(r.requests[0].lanes), 21);
  EXPECT_EQ(std::popcount(r.requests[1].lanes), 10);
  EXPECT_EQ(std::popcount(r.requests[2].lanes), 16);
}

TEST(observer, needs_the_counters_and_ends_with_its_scope) {
  std::vector<std::uint32_t> data(64);
  recorder r;
  executor::device device({.checks = executor::check::none});
  {
    const executor::observing now(r);
    EXPECT_THROW(simt::launch(simt::queue::executor(device), {}, reverse_observed{{data.data(), 64}}),
                 executor::failure);
  }
  EXPECT_EQ(executor::watching(), nullptr);
  simt::launch(simt::queue::executor(device), {}, reverse_observed{{data.data(), 64}});
  EXPECT_TRUE(r.order.empty());
}

} // namespace
} // namespace sortile::simt_tests
