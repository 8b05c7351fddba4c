// Indices, barriers of warps, blocks, clusters and grids, and what they order.
#include "fixture.hpp"

#include <array>

namespace sortile::simt_tests {
namespace {

using simt::global;

struct indices {
  static constexpr unsigned block_threads = 128;
  global<std::uint32_t> to; // [blocks][threads][8]
  SORTILE_DEVICE void operator()() const {
    const unsigned block = simt::block_index() +
                           simt::grid_size() * (simt::block_index<1>() + simt::grid_size<1>() * simt::block_index<2>());
    const unsigned at = (block * simt::block_size() + simt::thread_index()) * 8;
    to[at] = simt::block_index();
    to[at + 1] = simt::block_index<1>();
    to[at + 2] = simt::block_index<2>();
    to[at + 3] = simt::thread_index();
    to[at + 4] = simt::warp_index();
    to[at + 5] = simt::lane_index();
    to[at + 6] = simt::grid_size<2>();
    to[at + 7] = simt::block_size();
  }
};

SIMT_TEST(sync, indices) {
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> to(3 * 2 * 2 * 80 * 8);
    simt::launch(q, {.grid = {3, 2, 2}, .block = 80}, indices{to.view()});
    const auto out = to.host();
    for (unsigned i = 0; i < 12 * 80; ++i) {
      const unsigned b = i / 80, t = i % 80;
      const std::array<std::uint32_t, 8> expected = {b % 3, b / 3 % 2, b / 6, t, t / 32, t % 32, 2, 80};
      for (unsigned k = 0; k < 8; ++k)
        ASSERT_EQ(out[i * 8 + k], expected[k]);
    }
  });
}

struct block_votes {
  static constexpr unsigned block_threads = 96;
  global<const std::uint32_t> in;
  global<std::uint32_t> to; // [block][3]
  SORTILE_DEVICE void operator()() const {
    const std::uint32_t v = in[simt::block_index() * 96 + simt::thread_index()];
    const std::uint32_t any = simt::block_any(v % 128 == 0), all = simt::block_all(v % 128 != 0),
                        odd = simt::block_count(v & 1);
    if (simt::thread_index() == 50) {
      to[simt::block_index() * 3] = any;
      to[simt::block_index() * 3 + 1] = all;
      to[simt::block_index() * 3 + 2] = odd;
    }
  }
};

SIMT_TEST(sync, block_votes) {
  const auto in = noise(8 * 96);
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> keys(in), to(24);
    simt::launch(q, {.grid = 8}, block_votes{keys.view(), to.view()});
    const auto out = to.host();
    for (unsigned b = 0; b < 8; ++b) {
      unsigned zero = 0, odd = 0;
      for (unsigned i = 0; i < 96; ++i) {
        zero += in[b * 96 + i] % 128 == 0;
        odd += in[b * 96 + i] & 1;
      }
      ASSERT_EQ(out[b * 3], zero != 0);
      ASSERT_EQ(out[b * 3 + 1], zero == 0);
      ASSERT_EQ(out[b * 3 + 2], odd);
    }
  });
}

// A scan in shared memory: right only if each barrier orders what is on its two sides.
struct block_scan {
  static constexpr unsigned block_threads = 256;
  struct shared {
    simt::shared_array<std::uint32_t, 256> sums;
  };
  global<std::uint32_t> data;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned i = simt::thread_index();
    s.sums[i] = data[i];
    for (unsigned step = 1; step < 256; step *= 2) {
      simt::block_barrier();
      const std::uint32_t left = i >= step ? s.sums.load(i - step) : 0;
      simt::block_barrier();
      s.sums[i] += left;
    }
    data[i] = s.sums[i];
  }
};

SIMT_TEST(sync, block_barrier_orders_shared_storage) {
  const auto in = noise(256);
  auto expected = in;
  for (unsigned i = 1; i < 256; ++i)
    expected[i] += expected[i - 1];
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> data(in);
    simt::launch(q, {.grid = 1}, block_scan{data.view()});
    ASSERT_EQ(data.host(), expected);
  });
}

// Warp barriers, whole and in part, order shared and global memory among their lanes.
struct warp_exchange {
  static constexpr unsigned block_threads = 64;
  struct shared {
    simt::shared_array<std::uint32_t, 64> a;
  };
  global<std::uint32_t> data, scratch;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned i = simt::thread_index(), lane = simt::lane_index();
    const unsigned part = lane < 8 ? 0xffu : 0xffffff00u;
    s.a[i] = data[i];
    scratch[i] = i;
    simt::warp_barrier();
    const std::uint32_t left = s.a[i ^ 31] + scratch[i ^ 31];
    simt::warp_barrier();
    s.a[i] = left;
    simt::warp_barrier(part);
    const unsigned next = lane < 8 ? (lane + 1) % 8 : 8 + (lane - 8 + 1) % 24;
    data[i] = s.a[i - lane + next];
  }
};

SIMT_TEST(sync, warp_barriers) {
  const auto in = noise(64);
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> data(in), scratch(64);
    simt::launch(q, {.grid = 1}, warp_exchange{data.view(), scratch.view()});
    const auto out = data.host();
    for (unsigned i = 0; i < 64; ++i) {
      const unsigned lane = i % 32, next = i - lane + (lane < 8 ? (lane + 1) % 8 : 8 + (lane - 8 + 1) % 24);
      ASSERT_EQ(out[i], in[next ^ 31] + (next ^ 31));
    }
  });
}

// A producer warp and three consumer warps hand a buffer over and back by two named barriers.
struct handover {
  static constexpr unsigned block_threads = 128;
  struct shared {
    simt::shared_array<std::uint32_t, 32> box;
  };
  global<std::uint32_t> to; // [96]
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned i = simt::thread_index();
    std::uint32_t sum = 0;
    for (unsigned round = 0; round < 5; ++round) {
      if (simt::warp_index() == 0) {
        s.box[i] = round * 100 + i;
        simt::named_barrier_arrive(1, 128);
        simt::named_barrier_sync(2, 128);
      } else {
        simt::named_barrier_sync(1, 128);
        sum += s.box[simt::lane_index()];
        simt::named_barrier_arrive(2, 128);
      }
    }
    if (simt::warp_index() != 0)
      to[i - 32] = sum;
  }
};

SIMT_TEST(sync, named_barriers) {
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> to(96);
    simt::launch(q, {.grid = 1}, handover{to.view()});
    for (unsigned i = 0; i < 96; ++i)
      ASSERT_EQ(to.host()[i], 1000 + 5 * (i % 32));
  });
}

// Each block of a cluster adds into its neighbours' shared storage.
struct ring {
  static constexpr unsigned block_threads = 64;
  static constexpr simt::feature needs = simt::feature::cluster;
  struct shared {
    simt::shared_array<std::uint32_t, 64> inbox;
    simt::shared_value<std::uint32_t> count;
  };
  global<std::uint32_t> to; // [block][65]
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned i = simt::thread_index(), ranks = simt::cluster_size(), rank = simt::cluster_rank();
    if (i == 0)
      s.count = 0u;
    simt::cluster_barrier();
    simt::peer(s.inbox, (rank + 1) % ranks)[i] = simt::cluster_index() * 1000 + rank * 100 + i;
    simt::peer(s.count, (rank + 2) % ranks).fetch_add(0, i);
    simt::cluster_arrive();
    simt::cluster_wait();
    to[simt::block_index() * 65 + i] = s.inbox[i];
    if (i == 0)
      to[simt::block_index() * 65 + 64] = s.count;
  }
};

SIMT_TEST(sync, clusters) {
  if (architecture() < 90)
    GTEST_SKIP() << "clusters need sm_90";
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> to(8 * 65);
    simt::launch(q, {.grid = 8, .cluster = 4}, ring{to.view()});
    const auto out = to.host();
    for (unsigned b = 0; b < 8; ++b) {
      for (unsigned i = 0; i < 64; ++i)
        ASSERT_EQ(out[b * 65 + i], b / 4 * 1000 + (b % 4 + 3) % 4 * 100 + i);
      ASSERT_EQ(out[b * 65 + 64], 63u * 32);
    }
  });
}

// Three rounds over the whole grid, each reading what another block wrote in the one before.
struct grid_rounds {
  static constexpr unsigned block_threads = 64;
  global<std::uint32_t> a, b;
  SORTILE_DEVICE void operator()() const {
    const unsigned n = simt::grid_size() * simt::block_size(),
                   i = simt::block_index() * simt::block_size() + simt::thread_index();
    b[i] = a[(i + 100) % n];
    simt::grid_barrier();
    a[i] = b[(i + 100) % n] + 1;
    simt::grid_barrier();
    b[i] = a[(i + 100) % n] + 1;
  }
};

SIMT_TEST(sync, grid_barrier) {
  const auto in = noise(8 * 64);
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> a(in), b(8 * 64);
    ASSERT_GE(simt::resident_blocks<grid_rounds>(q), 8u);
    simt::launch(q, {.grid = 8, .cooperative = true}, grid_rounds{a.view(), b.view()});
    const auto out = b.host();
    for (unsigned i = 0; i < 8 * 64; ++i)
      ASSERT_EQ(out[i], in[(i + 300) % 512] + 2);
  });
}

} // namespace
} // namespace sortile::simt_tests
