// Block merge sort: every number of elements about a warp's and a block's edges, and what cannot be told apart.
#include "primitives/block_merge_sort.hpp"
#include "primitives/warp_smallest.hpp"
#include "tests/simt/fixture.hpp"

#include <sortile/types.hpp>

#include <algorithm>

namespace sortile::simt_tests {
namespace {

template <class T, unsigned Threads, int Items>
struct merge_sort_kernel {
  static constexpr unsigned block_threads = Threads;
  using sorter = primitives::block_merge_sort<Items, T>;
  struct shared {
    alignas(16) simt::shared_array<T, primitives::merge_sort_room<T>(Threads* Items)> elements;
  };
  simt::global<const T> in;
  simt::global<T> out;
  std::uint32_t n;
  T greatest;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), warps = sorter::warps(n), threads = warps * simt::warp_size;
    T x[Items];
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i) {
      const unsigned p = t + unsigned(i) * threads;
      x[i] = t < threads && p < n ? in.load(p) : greatest;
    }
    sorter::sort(s.elements.view(), x, warps);
    simt::block_barrier();
    for (unsigned i = t; i < n; i += Threads)
      out[i] = s.elements.load(primitives::merge_sort_place<T>(i));
  }
};

/// modulus 0: wide keys, 1: all equal, else many ties; `greatest` stands among them.
template <class T, unsigned Threads, int Items>
void check_block(simt::queue q, std::uint32_t n, unsigned modulus) {
  std::vector<T> keys(n);
  const auto bits = noise(n + 1, n + 5);
  for (std::uint32_t i = 0; i < n; ++i)
    keys[i] = modulus == 0 ? T(T(bits[i]) << (8 * sizeof(T) - 32)) : T(T(bits[i] % modulus) - 1);
  buffer<T> in(keys), out(n, T(1));
  simt::launch(q, {.grid = 1}, merge_sort_kernel<T, Threads, Items>{in.view(), out.view(), n, T(~T{0})});
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(out.host(), keys) << Threads << " threads, " << Items << " items, n " << n << ", modulus " << modulus;
}

template <class T, unsigned Threads, int Items>
void check_sizes() {
  on_every_schedule(
      [&](simt::queue q) {
        const unsigned most = Threads * unsigned(Items), warp = 32 * unsigned(Items);
        for (const unsigned n : {0u, 1u, 2u, 3u, unsigned(Items), unsigned(Items) + 1, 31u, 32u, 33u, warp - 1, warp,
                                 warp + 1, 2 * warp + 7, most / 2 + 1, most - warp + 1, most - 1, most})
          for (const unsigned modulus : {0u, 1u, 5u})
            if (n <= most)
              check_block<T, Threads, Items>(q, n, modulus);
      },
      3);
}
SIMT_TEST(block_merge_sort, one_item) {
  check_sizes<std::uint32_t, 128, 1>();
}
SIMT_TEST(block_merge_sort, two_items) {
  check_sizes<std::uint64_t, 96, 2>();
}
SIMT_TEST(block_merge_sort, four_items) {
  check_sizes<uint128, 224, 4>();
}
SIMT_TEST(block_merge_sort, eight_items) {
  check_sizes<std::uint64_t, 160, 8>();
}
SIMT_TEST(block_merge_sort, sixteen_items) {
  check_sizes<std::uint32_t, 256, 16>();
}
SIMT_TEST(block_merge_sort, whole_blocks) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const unsigned n : {1023u, 1024u, 1025u, 3000u, 4095u, 4096u})
          check_block<std::uint32_t, 1024, 4>(q, n, 0);
        check_block<std::uint64_t, 1024, 8>(q, 8191, 100);
        check_block<std::uint32_t, 1024, 16>(q, 16384, 0);
        for (const unsigned n : {4095u, 4096u, 4097u})
          check_block<std::uint32_t, 1024, 16>(q, n, 3);
      },
      1);
}

// By the 0-1 principle: every place that a run of ones can begin and end at, in every rotation of the warp's elements.
template <int Items>
struct warp_sort_kernel {
  static constexpr unsigned block_threads = 32;
  simt::global<std::uint32_t> wrong;
  SORTILE_DEVICE void operator()() const {
    const unsigned n = 32 * Items, first = simt::thread_index() * unsigned(Items);
    for (unsigned ones = 0; ones <= n; ones += 3)
      for (unsigned from = 0; from < n; from += 5) {
        std::uint32_t x[Items];
        SORTILE_UNROLL
        for (int i = 0; i < Items; ++i)
          x[i] = (first + unsigned(i) + n - from) * 37 % n < ones ? 1 : 0;
        primitives::sort_in_warp(x);
        SORTILE_UNROLL
        for (int i = 0; i < Items; ++i)
          if (x[i] != (first + unsigned(i) + ones >= n ? 1u : 0u))
            wrong.fetch_add(0, 1u);
      }
  }
};
template <int Items>
void check_warp(simt::queue q) {
  buffer<std::uint32_t> wrong(1, 0u);
  simt::launch(q, {.grid = 1}, warp_sort_kernel<Items>{wrong.view()});
  EXPECT_EQ(wrong.host()[0], 0u) << Items << " items";
}
SIMT_TEST(block_merge_sort, warps_sort_zeros_and_ones) {
  on_every_schedule(
      [&](simt::queue q) {
        check_warp<1>(q);
        check_warp<2>(q);
        check_warp<4>(q);
      },
      0);
}

// Of 32 elements a lane the smallest, and the smallest of the others.
template <unsigned Lanes, int Kept>
struct smallest_kernel {
  static constexpr unsigned block_threads = 32;
  simt::global<const std::uint32_t> given; // 32 for each lane
  simt::global<std::uint32_t> found, left; // Kept for each group of lanes, and one for each lane
  SORTILE_DEVICE void operator()() const {
    std::uint32_t x[32], smallest[unsigned(Kept) / Lanes], most = 0;
    const unsigned lane = simt::lane_index();
    SORTILE_UNROLL
    for (unsigned i = 0; i < 32; ++i)
      x[i] = given.load(lane * 32 + i);
    primitives::smallest_in_lanes<Lanes, Kept>(x, smallest, most);
    SORTILE_UNROLL
    for (unsigned i = 0; i < unsigned(Kept) / Lanes; ++i)
      found[lane * (unsigned(Kept) / Lanes) + i] = smallest[i];
    left[lane] = most;
  }
};
template <unsigned Lanes, int Kept>
void check_smallest(simt::queue q) {
  for (const std::uint32_t range : {0u, 1u, 100u, ~0u}) {
    std::vector<std::uint32_t> given(1024);
    for (std::size_t i = 0; i < given.size(); ++i)
      given[i] = static_cast<std::uint32_t>((i + Lanes + unsigned(Kept)) * 0x9e3779b97f4a7c15u >> 29) %
                 (range == ~0u ? range : range + 1);
    buffer<std::uint32_t> in(given), found(std::size_t{Kept} * 32 / Lanes, 0u), left(32, 0u);
    simt::launch(q, {.grid = 1}, smallest_kernel<Lanes, Kept>{in.view(), found.view(), left.view()});
    for (std::size_t group = 0; group < 32 / Lanes; ++group) {
      const auto begin = given.begin() + std::ptrdiff_t(group * Lanes * 32);
      std::sort(begin, begin + Lanes * 32);
      for (std::size_t i = 0; i < Kept; ++i)
        ASSERT_EQ(found.host()[group * Kept + i], begin[std::ptrdiff_t(i)]) << Lanes << " lanes, place " << i;
      for (std::size_t lane = 0; lane < Lanes; ++lane)
        ASSERT_EQ(left.host()[group * Lanes + lane], begin[Kept]) << Lanes << " lanes, what is left";
    }
  }
}
SIMT_TEST(block_merge_sort, lanes_find_the_smallest) {
  on_every_schedule(
      [&](simt::queue q) {
        check_smallest<8, 32>(q);
        check_smallest<8, 64>(q);
        check_smallest<4, 32>(q);
        check_smallest<32, 32>(q);
        check_smallest<32, 128>(q);
      },
      0);
}

// A bitonic sequence of zeros and ones is a run of ones in any rotation.
template <int Items>
struct warp_merge_kernel {
  static constexpr unsigned block_threads = 32;
  simt::global<std::uint32_t> wrong;
  SORTILE_DEVICE void operator()() const {
    const unsigned n = 32 * Items, lane = simt::lane_index();
    for (unsigned ones = 0; ones <= n; ones += 1 + Items)
      for (unsigned from = 0; from < n; from += 5 * Items - 1) {
        std::uint32_t x[Items];
        SORTILE_UNROLL
        for (int i = 0; i < Items; ++i)
          x[i] = (unsigned(i) * 32 + lane + n - from) % n < ones ? 1 : 0;
        primitives::merge_in_warp(x);
        SORTILE_UNROLL
        for (int i = 0; i < Items; ++i)
          if (x[i] != (lane * unsigned(Items) + unsigned(i) + ones >= n ? 1u : 0u))
            wrong.fetch_add(0, 1u);
      }
  }
};
template <int Items>
void check_warp_merge(simt::queue q) {
  buffer<std::uint32_t> wrong(1, 0u);
  simt::launch(q, {.grid = 1}, warp_merge_kernel<Items>{wrong.view()});
  EXPECT_EQ(wrong.host()[0], 0u) << Items << " items";
}
SIMT_TEST(block_merge_sort, warps_merge_bitonic_sequences) {
  on_every_schedule(
      [&](simt::queue q) {
        check_warp_merge<1>(q);
        check_warp_merge<2>(q);
        check_warp_merge<4>(q);
        check_warp_merge<8>(q);
        check_warp_merge<16>(q);
        check_warp_merge<32>(q);
      },
      0);
}

// By the 0-1 principle a network that sorts all sequences of zeros and ones sorts everything.
template <int N>
bool network_sorts() {
  constexpr auto net = primitives::merge_network<N>::comparators();
  for (unsigned bits = 0; bits < 1u << N; ++bits) {
    unsigned x = bits;
    for (const auto& c : net)
      if ((x >> c.low & 1) > (x >> c.high & 1))
        x ^= 1u << c.low | 1u << c.high;
    for (int i = 1; i < N; ++i)
      if ((x >> (i - 1) & 1) > (x >> i & 1))
        return false;
  }
  return true;
}
SIMT_TEST(block_merge_sort, networks_sort) {
  EXPECT_TRUE(network_sorts<2>());
  EXPECT_TRUE(network_sorts<3>());
  EXPECT_TRUE(network_sorts<4>());
  EXPECT_TRUE(network_sorts<8>());
  EXPECT_TRUE(network_sorts<16>());
  EXPECT_EQ(primitives::merge_network<16>::count(), 63);
}

} // namespace
} // namespace sortile::simt_tests
