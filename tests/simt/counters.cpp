// What the executor counts, against what is known of the access patterns.
#include "simt/simt.hpp"

#include <gtest/gtest.h>

namespace sortile::simt_tests {
namespace {

using executor::counters;
using simt::global;

struct aligned {
  explicit aligned(std::size_t n) : raw(n + 32) {}
  std::uint32_t* data() {
    return reinterpret_cast<std::uint32_t*>((reinterpret_cast<std::uintptr_t>(raw.data()) + 127) / 128 * 128);
  }
  std::vector<std::uint32_t> raw;
};

template <class Kernel>
counters count(Kernel kernel, unsigned blocks = 1) {
  executor::device device({.checks = executor::check::counters});
  simt::launch(simt::queue::executor(device), {.grid = blocks}, kernel);
  return device.counted();
}

struct strided {
  static constexpr unsigned block_threads = 64;
  global<std::uint32_t> data;
  std::uint32_t stride;
  SORTILE_DEVICE void operator()() const {
    const std::uint32_t v = data[simt::thread_index() * stride];
    if (simt::lane_index() < 8)
      data[simt::thread_index()] = v;
  }
};

TEST(counters, sectors_a_request) {
  aligned data(64 * 64);
  for (const auto& [stride, sectors] : {std::pair{0u, 1u}, {1u, 4u}, {2u, 8u}, {4u, 16u}, {8u, 32u}, {64u, 32u}}) {
    const counters c = count(strided{{data.data(), 64 * 64}, stride});
    EXPECT_EQ(c.global_loads.requests, 2u);
    EXPECT_EQ(c.global_loads.units, 2u * sectors) << stride;
    EXPECT_EQ(c.global_loads.partial, 0u);
    EXPECT_EQ(c.global_loads.bytes, 64u * 4);
    EXPECT_EQ(c.global_stores.requests, 2u);
    EXPECT_EQ(c.global_stores.partial, 2u);
    EXPECT_EQ(c.global_stores.units, 2u);
  }
}

template <class T>
struct banks {
  static constexpr unsigned block_threads = 32;
  struct shared {
    alignas(128) simt::shared_array<T, 1024> a;
  };
  std::uint32_t stride;
  SORTILE_DEVICE void operator()(shared& s) const { s.a[simt::thread_index() * stride] = T(simt::thread_index()); }
};

TEST(counters, bank_conflicts) {
  for (const auto& [stride, wavefronts] : {std::pair{1u, 1u}, {2u, 2u}, {3u, 1u}, {8u, 8u}, {32u, 32u}, {31u, 1u}}) {
    const counters c = count(banks<std::uint32_t>{stride});
    EXPECT_EQ(c.shared_stores.requests, 1u);
    EXPECT_EQ(c.shared_stores.units, wavefronts) << stride;
    EXPECT_EQ(c.bank_conflicts(), wavefronts - 1u);
  }
  EXPECT_EQ(count(banks<std::uint64_t>{1}).shared_stores.units, 2u);
  EXPECT_EQ(count(banks<std::uint64_t>{1}).bank_conflicts(), 0u);
  EXPECT_EQ(count(banks<std::uint64_t>{2}).bank_conflicts(), 2u);
}

struct loops {
  static constexpr unsigned block_threads = 96;
  struct shared {
    simt::shared_array<std::uint32_t, 32> a;
  };
  global<std::uint32_t> data;
  SORTILE_DEVICE void operator()(shared& s) const {
    if (simt::thread_index() < 32)
      s.a[simt::thread_index()] = 0u;
    simt::block_barrier();
    // Lanes loop differently often: the n-th access of each lane makes the n-th request.
    for (unsigned i = 0; i <= simt::lane_index() % 4; ++i)
      static_cast<void>(data.load(i * 96 + simt::thread_index()));
    s.a.fetch_add(simt::lane_index() / 2, 1u);
    simt::warp_barrier();
    static_cast<void>(simt::ballot(true));
    simt::block_barrier();
    if (simt::thread_index() < 16)
      data.fetch_add(simt::thread_index(), s.a.load(simt::thread_index()));
  }
};

TEST(counters, loops_barriers_atomics) {
  aligned data(96 * 4);
  const counters c = count(loops{{data.data(), 96 * 4}}, 2);
  EXPECT_EQ(c.launches, 1u);
  EXPECT_EQ(c.blocks, 2u);
  EXPECT_EQ(c.threads, 192u);
  EXPECT_EQ(c.block_barriers, 4u);
  EXPECT_EQ(c.warp_barriers, 6u);
  EXPECT_EQ(c.warp_collectives, 6u);
  EXPECT_EQ(c.global_loads.requests, 2u * 3 * 4);
  EXPECT_EQ(c.global_loads.partial, 2u * 3 * 3);
  EXPECT_EQ(c.shared_atomics.requests, 6u);
  EXPECT_EQ(c.shared_atomics.units, 12u); // two lanes a word take turns
  EXPECT_EQ(c.global_atomics.requests, 2u);
  EXPECT_EQ(c.global_atomics.partial, 2u);
  const std::string table = c.report();
  for (const char* word : {"global loads", "shared atomics", "block barriers", "75.0 % partial"})
    EXPECT_NE(table.find(word), std::string::npos) << table;
}

struct looks_up_constants {
  static constexpr unsigned block_threads = 64;
  struct constants {
    simt::constant_array<std::uint64_t, 128> table;
  };
  global<std::uint64_t> to;
  unsigned stride;
  SORTILE_DEVICE void operator()(const constants& c) const {
    const unsigned t = simt::thread_index();
    to[t] = c.table[t * stride % 128];
  }
};

TEST(counters, constant_requests_are_broadcast_or_serialised) {
  std::vector<std::uint64_t> to(64), table(128, 7);
  for (const auto& [stride, addresses] : {std::pair{0u, 1u}, {1u, 32u}, {16u, 8u}, {64u, 2u}}) {
    executor::device device({.checks = executor::check::counters});
    const simt::queue q = simt::queue::executor(device);
    simt::set_constants<looks_up_constants>(q, table.data(), sizeof(std::uint64_t) * table.size());
    simt::launch(q, {.grid = 1}, looks_up_constants{{to.data(), 64}, stride});
    const counters c = device.counted();
    EXPECT_EQ(c.constant_loads.requests, 2u);
    EXPECT_EQ(c.constant_loads.units, 2u * addresses) << stride;
    EXPECT_EQ(c.constant_loads.ideal, 2u);
    EXPECT_EQ(c.constant_loads.bytes, 64u * 8);
    EXPECT_EQ(c.global_loads.requests, 0u);
    EXPECT_NE(c.report().find("constant loads"), std::string::npos) << c.report();
  }
}

} // namespace
} // namespace sortile::simt_tests
