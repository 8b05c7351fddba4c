// Launches: sizes, storage, errors by name, bulk copies, dependent launches.
#include "fixture.hpp"

namespace sortile::simt_tests {
namespace {

using simt::global;

// ---- shared storage -----------------------------------------------------------------------------------------

// More than static storage holds, and dynamic storage behind it: up to the device's limit.
struct large_storage {
  static constexpr unsigned block_threads = 256;
  struct shared {
    simt::shared_array<std::uint32_t, 15 * 1024> words; // 60 KiB
  };
  global<std::uint32_t> to;
  std::uint32_t dynamic_words;
  SORTILE_DEVICE void operator()(shared& s) const {
    auto more = simt::dynamic_shared<std::uint32_t>(*this, dynamic_words);
    for (std::uint32_t i = simt::thread_index(); i < 15 * 1024; i += 256)
      s.words[i] = i;
    for (std::uint32_t i = simt::thread_index(); i < dynamic_words; i += 256)
      more[i] = i + 1000000;
    simt::block_barrier();
    std::uint32_t sum = 0;
    for (std::uint32_t i = 255 - simt::thread_index(); i < 15 * 1024; i += 256)
      sum += s.words[i] - i;
    for (std::uint32_t i = 255 - simt::thread_index(); i < dynamic_words; i += 256)
      sum += more[i] - i - 1000000;
    to[simt::thread_index()] = sum + 1;
  }
};

struct dynamic_parts {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    auto bytes = simt::dynamic_shared<std::uint8_t>(*this, 32);
    auto words = simt::dynamic_shared<std::uint64_t>(*this, 32, 32);
    const unsigned t = simt::thread_index();
    bytes[t] = std::uint8_t(200 + t);
    words[t] = t + 1;
    simt::block_barrier();
    to[t] = std::uint32_t(bytes[31 - t] + words[31 - t]);
  }
};

SIMT_TEST(launch, storage_up_to_the_limit) {
  const std::uint32_t limit = (architecture() >= 90 ? 227 : 163) * 1024 - 60 * 1024;
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::uint32_t dynamic : {0u, 1024u, limit}) {
          buffer<std::uint32_t> to(256);
          simt::launch(q, {.grid = 1, .dynamic_shared = dynamic}, large_storage{to.view(), dynamic / 4});
          ASSERT_EQ(to.host(), std::vector<std::uint32_t>(256, 1));
        }
      },
      3);
}

SIMT_TEST(launch, dynamic_storage) {
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> to(32);
    simt::launch(q, {.grid = 1, .dynamic_shared = 32 + 32 * 8}, dynamic_parts{to.view()});
    for (unsigned t = 0; t < 32; ++t)
      ASSERT_EQ(to.host()[t], (200 + 31 - t) % 256 + 32 - t);
  });
}

// ---- refusals -----------------------------------------------------------------------------------------------

struct writes_its_index {
  static constexpr unsigned block_threads = 64;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    to[simt::block_index() * simt::block_size() + simt::thread_index()] = simt::thread_index();
  }
};

template <class F>
std::string refusal(F&& launch) {
  try {
    launch();
  } catch (const simt::error& e) {
    return e.what();
  }
  return "not refused";
}

void expect_refused(simt::queue q, const simt::launch_config& config, const std::string& word) {
  buffer<std::uint32_t> to(64);
  const std::string text = refusal([&] { simt::launch(q, config, writes_its_index{to.view()}); });
  EXPECT_NE(text.find("writes_its_index"), std::string::npos) << text;
  EXPECT_NE(text.find(word), std::string::npos) << text;
#if SORTILE_ON_CUDA
  cudaGetLastError();
#endif
}

SIMT_TEST(launch, refusals_name_kernel_and_cause) {
#if SORTILE_ON_CUDA
  const simt::queue q = simt::queue::cuda(nullptr);
  expect_refused(q, {.grid = 1, .block = 2000}, "cudaError");
  expect_refused(q, {.grid = 1, .dynamic_shared = 300 * 1024}, "cudaError");
  expect_refused(q, {.grid = 1u << 20, .cooperative = true}, "cudaErrorCooperativeLaunchTooLarge");
#else
  executor::device device;
  const simt::queue q = simt::queue::executor(device);
  expect_refused(q, {.grid = 1, .block = 2000}, "a block of 2000 threads; the kernel allows 1 to 64");
  expect_refused(q, {.grid = 1, .block = 65}, "a block of 65 threads");
  expect_refused(q, {.grid = 1, .dynamic_shared = 300 * 1024}, "307200 bytes of shared storage");
  expect_refused(q, {.grid = 1000, .cooperative = true}, "a cooperative grid of 1000 blocks");
  expect_refused(q, {.grid = 6, .cluster = 4}, "clusters of 4 blocks in a grid of 6");
  expect_refused(q, {.grid = 0}, "no blocks");
  executor::device old({.architecture = 80});
  expect_refused(simt::queue::executor(old), {.grid = 2, .cluster = 2}, "clusters (sm_90), the device is sm_80");
  expect_refused(simt::queue::executor(old), {.grid = 2, .dependent = true},
                 "dependent launch (sm_90), the device is sm_80");
#endif
}

SIMT_TEST(launch, a_queue_of_the_other_backend_is_refused) {
#if SORTILE_ON_CUDA
  const simt::queue other = simt::queue::executor(*reinterpret_cast<executor::device*>(0x1000)); // never looked at
#else
  const simt::queue other = simt::queue::cuda(nullptr);
#endif
  EXPECT_NE(refusal([&] { simt::launch(other, {.grid = 1}, writes_its_index{}); }).find("launched on"),
            std::string::npos);
}

SIMT_TEST(launch, fewer_threads_than_the_bound) {
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> to(3 * 33, 77u);
    simt::launch(q, {.grid = 3, .block = 33}, writes_its_index{to.view()});
    for (unsigned i = 0; i < 99; ++i)
      ASSERT_EQ(to.host()[i], i % 33);
  });
}

// ---- dependent launches -------------------------------------------------------------------------------------

// Each launch must see all of the one before: the values go round the blocks.
struct copies_after_its_predecessor {
  static constexpr unsigned block_threads = 64;
  global<const std::uint32_t> from;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    const unsigned i = simt::block_index() * 64 + simt::thread_index();
    simt::launch_dependents();
    simt::wait_for_prerequisites();
    to[i] = from[(i + 64) % 256] + 1;
  }
};

SIMT_TEST(launch, dependent_launches) {
  if (architecture() < 90)
    GTEST_SKIP() << "programmatic dependent launch needs sm_90";
  const auto in = noise(256);
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> a(in), b(256);
    for (int round = 0; round < 4; ++round) {
      simt::launch(q, {.grid = 4, .dependent = true}, copies_after_its_predecessor{a.view(), b.view()});
      simt::launch(q, {.grid = 4, .dependent = true}, copies_after_its_predecessor{b.view(), a.view()});
    }
    const auto out = a.host();
    for (unsigned i = 0; i < 256; ++i)
      ASSERT_EQ(out[i], in[i] + 8);
  });
}

// Kernels that start early wait for their predecessor before their first statement, and for that one's too, though one
// between them has nothing to do and ends at once. The first takes its time: it follows a ring around in memory, where
// each place says which is next, so that no compiler knows where it ends.
struct adds_late {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 64;
  static constexpr std::uint32_t ring = 256, rounds = SORTILE_ON_CUDA ? 32 : 1; // 8192 loads: 0.1 ms and more on a GPU
  global<const std::uint32_t> next;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    const unsigned i = simt::block_index() * block_threads + simt::thread_index();
    std::uint32_t at = i;
    for (std::uint32_t k = 0; k < rounds * ring; ++k)
      at = next.load(at);
    to[i] = to.load(i) + (at == i ? 1 : 0);
  }
  static std::vector<std::uint32_t> make_ring() {
    std::vector<std::uint32_t> places(ring);
    for (std::uint32_t i = 0; i < ring; ++i)
      places[i] = (i + 77) % ring;
    return places;
  }
};
struct does_nothing {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 64;
  SORTILE_DEVICE void operator()() const {}
};
struct passes_on {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 64;
  global<const std::uint32_t> from;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    const unsigned i = simt::block_index() * block_threads + simt::thread_index();
    to[i] = from[(i + block_threads) % 256];
  }
};

SIMT_TEST(launch, kernels_that_start_early_wait_for_all_before_them) {
  const auto in = noise(256);
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> a(in), b(256), next(adds_late::make_ring());
    for (int round = 0; round < 4; ++round) {
      simt::launch(q, {.grid = 4}, adds_late{next.view(), a.view()});
      simt::launch(q, {.grid = 2}, does_nothing{});
      simt::launch(q, {.grid = 4}, passes_on{a.view(), b.view()});
      simt::launch(q, {.grid = 1}, does_nothing{});
      simt::launch(q, {.grid = 4}, passes_on{b.view(), a.view()});
    }
    const auto out = a.host();
    for (unsigned i = 0; i < 256; ++i) // four rounds of two steps of 64: twice around
      ASSERT_EQ(out[i], in[i] + 4);
  });
}

// A kernel beside its predecessor needs nothing of it, and yet its end is the end of all before: what comes behind it
// sees what the predecessor wrote.
struct writes_beside {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 64;
  global<std::uint32_t> to;
  std::uint32_t value;
  bool beside_predecessor;
  SORTILE_DEVICE void operator()() const { to[simt::block_index() * block_threads + simt::thread_index()] = value; }
};

SIMT_TEST(launch, kernels_beside_their_predecessor_end_behind_it) {
  const auto in = noise(256);
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> a(in), b(256), c(256), d(256), next(adds_late::make_ring());
    for (std::uint32_t round = 1; round <= 4; ++round) {
      simt::launch(q, {.grid = 4}, adds_late{next.view(), a.view()});
      simt::launch(q, {.grid = 4}, writes_beside{c.view(), round, true});
      simt::launch(q, {.grid = 4}, writes_beside{d.view(), round, true});
      simt::launch(q, {.grid = 4}, passes_on{a.view(), b.view()});
      simt::launch(q, {.grid = 4}, passes_on{b.view(), a.view()});
    }
    const auto out = a.host();
    for (unsigned i = 0; i < 256; ++i) { // four rounds of two steps of 64: twice around
      ASSERT_EQ(out[i], in[i] + 4);
      ASSERT_EQ(c.host()[i] + d.host()[i], 8u);
    }
  });
}

// ---- bulk copies --------------------------------------------------------------------------------------------

// Reverses tiles, two in flight: load by copy, reverse, store by copy.
struct reverse_tiles {
  static constexpr unsigned block_threads = 128;
  static constexpr simt::feature needs = simt::feature::bulk_copy;
  static constexpr std::uint32_t tile = 512;
  struct shared {
    alignas(128) simt::shared_array<std::uint32_t, 2 * tile> in;
    alignas(128) simt::shared_array<std::uint32_t, tile> out;
    simt::transfer_barrier arrived[2];
  };
  global<const std::uint32_t> from;
  global<std::uint32_t> to;
  std::uint32_t tiles;

  SORTILE_DEVICE void fetch(shared& s, std::uint32_t i) const {
    const std::uint32_t slot = i % 2;
    s.arrived[slot].arrive_expect(tile * 4);
    simt::bulk_load(s.in, slot * tile, from, i * tile, tile / 2, s.arrived[slot]);
    simt::bulk_load(s.in, slot * tile + tile / 2, from, i * tile + tile / 2, tile / 2, s.arrived[slot]);
  }

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    if (t < 2)
      s.arrived[t].init(1);
    simt::block_barrier();
    if (t == 0)
      for (std::uint32_t i = 0; i < 2 && i < tiles; ++i)
        fetch(s, i);
    for (std::uint32_t i = 0; i < tiles; ++i) {
      s.arrived[i % 2].wait(i / 2 % 2);
      if (t == 0)
        simt::bulk_wait_read();
      simt::block_barrier();
      for (std::uint32_t k = t; k < tile; k += 128)
        s.out[k] = s.in[i % 2 * tile + tile - 1 - k];
      simt::bulk_fence();
      simt::block_barrier();
      if (t == 0) {
        simt::bulk_store(to, (tiles - 1 - i) * tile, s.out, 0, tile);
        simt::bulk_commit();
        if (i + 2 < tiles)
          fetch(s, i + 2);
      }
    }
    if (t == 0)
      simt::bulk_wait();
  }
};

SIMT_TEST(launch, bulk_copies) {
  if (architecture() < 90)
    GTEST_SKIP() << "bulk copies need sm_90";
  const auto in = noise(7 * 512);
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> from(in), to(7 * 512);
    simt::launch(q, {.grid = 1}, reverse_tiles{from.view(), to.view(), 7});
    ASSERT_EQ(to.host(), std::vector<std::uint32_t>(in.rbegin(), in.rend()));
  });
}

} // namespace
} // namespace sortile::simt_tests
