// The examples of docs/kernel-dialect.md: docs_test.py checks that they stand there as they stand here.
#include "fixture.hpp"

#include <numeric>

namespace sortile::simt_tests {
namespace {

template <class Key>
struct block_histogram {
  static constexpr unsigned block_threads = 256; // the launch bound, and the block size unless a launch says less
  static constexpr unsigned min_blocks = 4;      // optional: resident blocks that the registers must allow
  static constexpr simt::feature needs = simt::feature::none;   // optional: cluster | bulk_copy | dependent_launch
  static constexpr bool starts_early = false, keeps_l1 = false; // optional: see "Launches"
  struct shared {                                               // optional: not initialised, unions allowed
    simt::shared_array<std::uint32_t, 256> bins;
  };

  simt::global<const Key> keys;
  simt::global<std::uint32_t> bins;
  std::uint64_t n;

  SORTILE_DEVICE void operator()(shared& s) const { // without a `shared` struct: operator()() const
    const unsigned t = simt::thread_index();
    s.bins[t] = 0;
    simt::block_barrier();
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + t; i < n; i += stride)
      s.bins.fetch_add(keys.load(i, simt::streaming) & 255, 1u);
    simt::block_barrier();
    bins.fetch_add(t, s.bins.load(t));
  }
};

SIMT_TEST(examples, histogram) {
  const auto in = noise(5000);
  std::vector<std::uint32_t> expected(256);
  for (const std::uint32_t key : in)
    ++expected[key & 255];
  on_every_schedule([&](simt::queue queue) {
    buffer<std::uint32_t> from(in), to(256);
    simt::global<const std::uint32_t> keys = from.view();
    simt::global<std::uint32_t> bins = to.view();
    const std::size_t n = in.size();
    simt::launch(queue, {.grid = 4}, block_histogram<std::uint32_t>{keys, bins, n});
    ASSERT_EQ(to.host(), expected);
  });
}

struct count_below {
  static constexpr unsigned block_threads = 256;
  struct constants { // optional: at most 64 KiB, read by all blocks, filled by the host
    simt::constant_array<std::uint32_t, 64> pivots;
  };

  simt::global<const std::uint32_t> keys;
  simt::global<std::uint32_t> below;
  std::uint64_t n;

  SORTILE_DEVICE void operator()(const constants& c) const { // with a `shared` struct: (shared& s, const constants& c)
    const auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index();
    std::uint32_t count = 0;
    for (unsigned p = 0; p < 64 && i < n; ++p)
      count += c.pivots[p] < keys.load(i); // one address for the whole warp: a broadcast
    if (i < n)
      below[i] = count;
  }
};

SIMT_TEST(examples, constants) {
  const auto in = noise(1000), pivots = noise(64, 9);
  std::vector<std::uint32_t> expected(1000);
  for (unsigned i = 0; i < 1000; ++i)
    for (const std::uint32_t pivot : pivots)
      expected[i] += pivot < in[i];
  on_every_schedule([&](simt::queue queue) {
    buffer<std::uint32_t> from(in), to(1000);
    simt::global<const std::uint32_t> keys = from.view();
    simt::global<std::uint32_t> below = to.view();
    const std::size_t n = in.size();
    simt::set_constants<count_below>(queue, pivots.data(), 64 * sizeof(std::uint32_t));
    simt::launch(queue, {.grid = 4}, count_below{keys, below, n});
    ASSERT_EQ(to.host(), expected);
  });
}

struct copy_through_shared {
  static constexpr unsigned block_threads = 128;
  static constexpr simt::feature needs = simt::feature::bulk_copy;
  struct shared {
    alignas(128) simt::shared_array<std::uint32_t, 4096> tile;
    simt::transfer_barrier arrived;
  };
  simt::global<const std::uint32_t> keys;
  simt::global<std::uint32_t> out;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint32_t first = simt::block_index() * 4096;
    if (simt::thread_index() == 0)
      s.arrived.init(1); // arrivals a phase
    simt::block_barrier();
    if (simt::thread_index() == 0) {
      s.arrived.arrive_expect(4096 * 4); // bytes that this phase waits for
      simt::bulk_load(s.tile, 0, keys, first, 4096, s.arrived);
    }
    s.arrived.wait(0); // parity of the phase: 0, 1, 0, …
    for (std::uint32_t i = simt::thread_index(); i < 4096; i += block_threads)
      s.tile[i] ^= 1;
    simt::bulk_fence(); // by each thread that wrote the tile, before the barrier
    simt::block_barrier();
    if (simt::thread_index() == 0) {
      simt::bulk_store(out, first, s.tile, 0, 4096);
      simt::bulk_commit();
      simt::bulk_wait(); // bulk_wait_read<G>(): until at most G groups still read shared memory
    }
  }
};

SIMT_TEST(examples, bulk_copies) {
  if (architecture() < 90)
    GTEST_SKIP() << "bulk copies need sm_90";
  const auto in = noise(3 * 4096);
  on_every_schedule([&](simt::queue queue) {
    buffer<std::uint32_t> from(in), to(in.size());
    simt::launch(queue, {.grid = 3}, copy_through_shared{from.view(), to.view()});
    const auto out = to.host();
    for (std::size_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(out[i], in[i] ^ 1);
  });
}

#if !SORTILE_ON_CUDA
TEST(examples_on_executor, checks_and_counters) {
  const auto in = noise(1000);
  buffer<std::uint32_t> from(in), to(256);
  const block_histogram<std::uint32_t> kernel{from.view(), to.view(), in.size()};
  executor::device device({.seed = 7, .checks = executor::all_checks | executor::check::counters});
  simt::launch(simt::queue::executor(device), {.grid = 4}, kernel);
  std::string table = device.counted().report();
  const auto counts = to.host();
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0u), 1000u);
  EXPECT_NE(table.find("shared atomics"), std::string::npos) << table;
}
#endif

} // namespace
} // namespace sortile::simt_tests

// ---- a host function on both backends -----------------------------------------------------------------------

namespace sortile::simt_tests {

// histogram.hpp: plain C++
template <class Backend>
void histogram(const simt::queue& q, const std::uint32_t* keys, std::size_t n, std::uint32_t* bins);

// histogram.cu
template <>
void histogram<simt::this_backend>(const simt::queue& q, const std::uint32_t* keys, std::size_t n,
                                   std::uint32_t* bins) {
  simt::launch(q, {.grid = 64}, block_histogram<std::uint32_t>{{keys, n}, {bins, 256}, n});
}

#if !SORTILE_ON_CUDA
// anywhere
void any_histogram(const simt::queue& q, const std::uint32_t* keys, std::size_t n, std::uint32_t* bins) {
  simt::visit(q, [&](auto backend) { histogram<decltype(backend)>(q, keys, n, bins); });
}

TEST(examples_on_executor, host_function_of_both_backends) {
  const auto in = noise(1000);
  std::vector<std::uint32_t> bins(256);
  executor::device device;
  any_histogram(simt::queue::executor(device), in.data(), in.size(), bins.data());
  EXPECT_EQ(std::accumulate(bins.begin(), bins.end(), 0u), 1000u);
}
#endif

} // namespace sortile::simt_tests
