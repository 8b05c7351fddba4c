// Planted faults of barriers and warp-wide calls: missing, in a divergent branch, taken for more than they are, met by
// some lanes only.
#include "faults.hpp"

namespace sortile::simt_tests {
namespace {

// ---- a removed barrier --------------------------------------------------------------------------------------

template <bool Fault>
struct reverse_in_shared {
  static constexpr unsigned block_threads = 128;
  struct shared {
    simt::shared_array<std::uint32_t, 128> a;
  };
  global<std::uint32_t> data;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    s.a[t] = data[t];
    if constexpr (!Fault)
      simt::block_barrier();
    data[t] = s.a[127 - t];
  }
};

template <class Kernel>
bool reverses(simt::queue q) {
  std::vector<std::uint32_t> v(128);
  for (unsigned i = 0; i < 128; ++i)
    v[i] = i;
  simt::launch(q, {.grid = 1}, Kernel{{v.data(), 128}});
  for (unsigned i = 0; i < 128; ++i)
    if (v[i] != 127 - i)
      return false;
  return true;
}

TEST(faults, removed_barrier) {
  expect_found(fault::shared_race, {"reverse_in_shared<true>", "block 0", "thread ", "barrier_faults.cpp:"},
               reverses<reverse_in_shared<true>>, reverses<reverse_in_shared<false>>);
}

// The same through global memory: only the block's barrier makes one thread's plain store visible to another.
template <bool Fault>
struct reverse_in_global {
  static constexpr unsigned block_threads = 128;
  global<std::uint32_t> data, scratch;
  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    scratch[t] = data[t];
    if constexpr (Fault)
      simt::ballot(true);
    else
      simt::block_barrier();
    data[t] = scratch[127 - t];
  }
};

template <class Kernel>
bool reverses_with_scratch(simt::queue q) {
  std::vector<std::uint32_t> v(128), scratch(128);
  for (unsigned i = 0; i < 128; ++i)
    v[i] = i;
  simt::launch(q, {.grid = 1}, Kernel{{v.data(), 128}, {scratch.data(), 128}});
  for (unsigned i = 0; i < 128; ++i)
    if (v[i] != 127 - i)
      return false;
  return true;
}

TEST(faults, removed_barrier_before_global_reads) {
  expect_found(std::nullopt, {}, reverses_with_scratch<reverse_in_global<true>>,
               reverses_with_scratch<reverse_in_global<false>>);
}

// Lanes of one warp, with a vote between them instead of a warp barrier: on most hardware right for ever.
template <bool Fault>
struct warp_without_barrier {
  static constexpr unsigned block_threads = 32;
  struct shared {
    simt::shared_array<std::uint32_t, 32> a;
  };
  global<std::uint32_t> data;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    s.a[t] = data[t];
    if constexpr (Fault)
      simt::ballot(true);
    else
      simt::warp_barrier();
    data[t] = s.a[31 - t];
  }
};

template <class Kernel>
bool reverses_warp(simt::queue q) {
  std::vector<std::uint32_t> v(32);
  for (unsigned i = 0; i < 32; ++i)
    v[i] = i;
  simt::launch(q, {.grid = 1}, Kernel{{v.data(), 32}});
  return v[0] == 31 && v[31] == 0;
}

TEST(faults, vote_taken_for_a_barrier) {
  expect_found(fault::shared_race, {"warp_without_barrier<true>"}, reverses_warp<warp_without_barrier<true>>,
               reverses_warp<warp_without_barrier<false>>);
}

// ---- divergent barriers -------------------------------------------------------------------------------------

enum class divergence { none, half_the_block, two_places, early_end };

template <divergence Kind>
struct divergent {
  static constexpr unsigned block_threads = 64;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    if constexpr (Kind == divergence::none)
      simt::block_barrier();
    if constexpr (Kind == divergence::half_the_block)
      if (t < 32)
        simt::block_barrier();
    if constexpr (Kind == divergence::two_places) {
      if (t < 16)
        simt::block_barrier();
      else
        simt::block_barrier();
    }
    if constexpr (Kind == divergence::early_end) {
      if (t == 63)
        return;
      simt::block_barrier();
    }
    to[t] = t;
  }
};

TEST(faults, barrier_in_a_divergent_branch) {
  const auto right = runs<divergent<divergence::none>>;
  expect_found(fault::divergent_barrier, {"block 0", "thread"}, runs<divergent<divergence::half_the_block>>, right);
  expect_found(fault::divergent_barrier, {"wait at another barrier, barrier_faults.cpp:"},
               runs<divergent<divergence::two_places>>, right);
  expect_found(fault::divergent_barrier, {"ended"}, runs<divergent<divergence::early_end>>, right);
}

// ---- warp masks and lanes that never come ---------------------------------------------------------------------

enum class warp_fault { none, not_in_mask, ended_lane, different_calls, half_never_comes };

template <warp_fault Kind>
struct bad_warp {
  static constexpr unsigned block_threads = 64;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    const unsigned lane = simt::lane_index();
    if constexpr (Kind == warp_fault::not_in_mask)
      simt::ballot(true, lane < 16 ? simt::full_warp : 0xffffu);
    if constexpr (Kind == warp_fault::ended_lane) {
      if (lane == 31)
        return;
      simt::warp_barrier();
    }
    if constexpr (Kind == warp_fault::different_calls) {
      if (lane < 16)
        simt::ballot(true);
      else
        simt::warp_barrier();
    }
    if constexpr (Kind == warp_fault::half_never_comes) {
      if (lane < 16)
        simt::ballot(true);
      simt::block_barrier();
    }
    if constexpr (Kind == warp_fault::none) { // each of them done right
      simt::ballot(true, lane < 16 ? 0xffffu : 0xffff0000u);
      simt::warp_barrier();
      if (lane < 16)
        simt::ballot(true, 0xffffu);
      simt::block_barrier();
    }
    to[simt::thread_index()] = simt::thread_index();
  }
};

TEST(faults, warp_masks) {
  const auto right = runs<bad_warp<warp_fault::none>>;
  expect_found(fault::bad_warp_mask, {"not_in_mask", "block 0"}, runs<bad_warp<warp_fault::not_in_mask>>, right);
  expect_found(fault::bad_warp_mask, {"ended_lane", "block 0"}, runs<bad_warp<warp_fault::ended_lane>>, right);
  expect_found(fault::bad_warp_mask, {"different_calls", "block 0"}, runs<bad_warp<warp_fault::different_calls>>,
               right);
}

TEST(faults, deadlock_names_who_waits_where) {
  const auto hit = search(runs<bad_warp<warp_fault::half_never_comes>>);
  ASSERT_TRUE(hit && hit->kind == fault::deadlock) << (hit ? hit->message : "nothing found");
  EXPECT_NE(hit->message.find("block 0: threads 0-15,32-47 in a warp-wide call at barrier_faults.cpp:"),
            std::string::npos)
      << hit->message;
  EXPECT_NE(hit->message.find("threads 16-31,48-63 at a block barrier"), std::string::npos) << hit->message;
}

} // namespace
} // namespace sortile::simt_tests
