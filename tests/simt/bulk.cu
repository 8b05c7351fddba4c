// Bulk copies and transfer barriers: who waits, for how many arrivals and bytes, over many phases.
#include "fixture.hpp"

namespace sortile::simt_tests {
namespace {

using simt::global;

#define NEEDS_BULK_COPIES()                                                                                            \
  if (architecture() < 90)                                                                                             \
  GTEST_SKIP() << "bulk copies need sm_90"

// Every thread of every block polls the barrier, the one that started the copy too: only the copy itself can end it.
struct all_wait {
  static constexpr unsigned block_threads = 128, items = 512;
  static constexpr simt::feature needs = simt::feature::bulk_copy;
  struct shared {
    alignas(128) simt::shared_array<std::uint32_t, items> tile;
    simt::transfer_barrier arrived;
  };
  global<const std::uint32_t> from;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned first = simt::block_index() * items;
    if (simt::thread_index() == 0)
      s.arrived.init(1);
    simt::block_barrier();
    if (simt::thread_index() == 0) {
      s.arrived.arrive_expect(items * 4);
      simt::bulk_load(s.tile, 0, from, first, items, s.arrived);
    }
    s.arrived.wait(0);
    for (unsigned i = simt::thread_index(); i < items; i += block_threads)
      to[first + i] = s.tile[i] + 1;
  }
};

SIMT_TEST(bulk, all_threads_wait) {
  NEEDS_BULK_COPIES();
  const auto in = noise(3 * all_wait::items);
  on_every_schedule(
      [&](simt::queue q) {
        for (unsigned again = 0; again < 5; ++again) {
          buffer<std::uint32_t> from(in), to(in.size());
          simt::launch(q, {.grid = 3}, all_wait{from.view(), to.view()});
          const auto out = to.host();
          for (std::size_t i = 0; i < in.size(); ++i)
            ASSERT_EQ(out[i], in[i] + 1);
        }
      },
      200);
}

// A phase ends when all arrivals are there and all bytes, whichever comes last; each warp brings a quarter of the tile.
struct many_arrive {
  static constexpr unsigned block_threads = 128, quarter = 64, rounds = 5;
  static constexpr simt::feature needs = simt::feature::bulk_copy;
  struct shared {
    alignas(128) simt::shared_array<std::uint32_t, 4 * quarter> tile;
    simt::shared_array<std::uint32_t, 4> written;
    simt::transfer_barrier arrived, read;
  };
  global<const std::uint32_t> from; // [rounds][4 * quarter]
  global<std::uint32_t> to;         // [rounds][128]
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), warp = simt::warp_index();
    if (t == 0) {
      s.arrived.init(8); // two a warp: one with bytes, one without
      s.read.init(128);
    }
    simt::block_barrier();
    for (unsigned round = 0; round < rounds; ++round) {
      if (simt::lane_index() == 7) {
        s.arrived.arrive_expect(quarter * 4);
        simt::bulk_load(s.tile, warp * quarter, from, round * 4 * quarter + warp * quarter, quarter, s.arrived);
      } else if (simt::lane_index() == 20) {
        s.written[warp] = round * 10 + warp;
        s.arrived.arrive(); // behind the write: whoever waits may read it
      }
      s.arrived.wait(round & 1);
      to[round * 128 + t] = s.tile[t] + s.tile[t + 128] + s.written[t % 4];
      s.read.arrive();
      s.read.wait(round & 1);
    }
  }
};

SIMT_TEST(bulk, phases_of_many_arrivals) {
  NEEDS_BULK_COPIES();
  const auto in = noise(many_arrive::rounds * 256);
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> from(in), to(many_arrive::rounds * 128);
    simt::launch(q, {.grid = 1}, many_arrive{from.view(), to.view()});
    const auto out = to.host();
    for (unsigned r = 0; r < many_arrive::rounds; ++r)
      for (unsigned t = 0; t < 128; ++t)
        ASSERT_EQ(out[r * 128 + t], in[r * 256 + t] + in[r * 256 + t + 128] + r * 10 + t % 4);
  });
}

// One warp fetches ahead into two stages, another works on them and writes them back in bulk.
struct two_stages {
  static constexpr unsigned block_threads = 64, items = 64;
  static constexpr simt::feature needs = simt::feature::bulk_copy;
  struct shared {
    alignas(128) simt::shared_array<std::uint32_t, 2 * items> tiles;
    simt::transfer_barrier full[2], free[2];
  };
  global<const std::uint32_t> from;
  global<std::uint32_t> to;
  unsigned tiles;
  SORTILE_DEVICE void operator()(shared& s) const {
    if (simt::thread_index() == 0)
      for (unsigned stage = 0; stage < 2; ++stage) {
        s.full[stage].init(1);
        s.free[stage].init(32);
      }
    simt::block_barrier();
    if (simt::warp_index() == 0) {
      if (simt::lane_index() == 0)
        fetch(s);
    } else {
      work(s);
    }
  }

 private:
  SORTILE_DEVICE void fetch(shared& s) const {
    for (unsigned t = 0; t < tiles; ++t) {
      const unsigned stage = t % 2, parity = t / 2 % 2;
      s.free[stage].wait(parity ^ 1); // the preceding phase of a new barrier counts as complete
      s.full[stage].arrive_expect(items * 4);
      simt::bulk_load(s.tiles, stage * items, from, t * items, items, s.full[stage]);
    }
  }
  SORTILE_DEVICE void work(shared& s) const {
    const unsigned lane = simt::lane_index();
    for (unsigned t = 0; t < tiles; ++t) {
      const unsigned stage = t % 2;
      s.full[stage].wait(t / 2 % 2);
      s.tiles[stage * items + lane] ^= 7;
      s.tiles[stage * items + lane + 32] += t;
      simt::bulk_fence();
      simt::warp_barrier();
      if (lane == 0) {
        simt::bulk_store(to, t * items, s.tiles, stage * items, items);
        simt::bulk_commit();
        simt::bulk_wait_read<1>();
      }
      simt::warp_barrier();
      if (t > 0)
        s.free[stage ^ 1].arrive(); // the store of the tile before this one has read it
    }
    if (lane == 0)
      simt::bulk_wait();
  }
};

SIMT_TEST(bulk, two_stages_in_turn) {
  NEEDS_BULK_COPIES();
  const unsigned tiles = 9, items = two_stages::items;
  const auto in = noise(tiles * items);
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> from(in), to(in.size());
    simt::launch(q, {.grid = 1}, two_stages{from.view(), to.view(), tiles});
    const auto out = to.host();
    for (unsigned i = 0; i < in.size(); ++i)
      ASSERT_EQ(out[i], i % items < 32 ? (in[i] ^ 7) : in[i] + i / items) << i;
  });
}

} // namespace
} // namespace sortile::simt_tests
