// Block merge sort: every number of elements about a warp's and a block's edges, and what cannot be told apart.
#include "primitives/block_merge_sort.hpp"
#include "tests/simt/fixture.hpp"

#include <sortile/types.hpp>

#include <algorithm>

namespace sortile::simt_tests {
namespace {

template <class T, unsigned Threads, int Items>
struct merge_sort_kernel {
  static constexpr unsigned block_threads = Threads;
  using sorter = primitives::block_merge_sort<Threads, Items, T>;
  struct shared {
    simt::shared_array<T, Threads * Items> elements;
  };
  simt::global<const T> in;
  simt::global<T> out;
  std::uint32_t n;
  T greatest;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), threads = sorter::active(n);
    T x[Items];
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i) {
      const unsigned p = t + unsigned(i) * threads;
      x[i] = t < threads && p < n ? in.load(p) : greatest;
    }
    sorter::sort(s.elements.view(), x, n);
    simt::block_barrier();
    for (unsigned i = t; i < n; i += Threads)
      out[i] = s.elements.load(i);
  }
};

template <class T, unsigned Threads, int Items>
void check_block(simt::queue q, std::uint32_t n, unsigned modulus) {
  std::vector<T> keys(n);
  const auto bits = noise(n + 1, n + 5);
  for (std::uint32_t i = 0; i < n; ++i)
    keys[i] = modulus == 0 ? T(T(bits[i]) << (8 * sizeof(T) - 32)) : T(bits[i] % modulus);
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
        for (const unsigned n : {0u, 1u, 2u, 3u, unsigned(Items), unsigned(Items) + 1, warp - 1, warp, warp + 1,
                                 2 * warp + 7, most / 2 + 1, most - 1, most})
          for (const unsigned modulus : {0u, 1u, 5u})
            if (n <= most)
              check_block<T, Threads, Items>(q, n, modulus);
      },
      3);
}
SIMT_TEST(block_merge_sort, one_item) {
  check_sizes<std::uint32_t, 128, 1>();
}
SIMT_TEST(block_merge_sort, three_items) {
  check_sizes<std::uint64_t, 96, 3>();
}
SIMT_TEST(block_merge_sort, seven_items) {
  check_sizes<uint128, 128, 7>();
}
SIMT_TEST(block_merge_sort, fifteen_items) {
  check_sizes<std::uint32_t, 256, 15>();
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
  EXPECT_TRUE(network_sorts<3>());
  EXPECT_TRUE(network_sorts<5>());
  EXPECT_TRUE(network_sorts<7>());
  EXPECT_TRUE(network_sorts<15>());
  EXPECT_EQ(primitives::merge_network<15>::count(), 59);
}

} // namespace
} // namespace sortile::simt_tests
