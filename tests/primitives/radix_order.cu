// The stable order of a block's keys, against std::stable_sort: every number of keys about the edges of rows, warps and
// blocks, and keys that differ in all bits, in few, or not at all.
#include "primitives/radix_order.hpp"
#include "tests/primitives/block_keys.hpp"

#include <algorithm>
#include <numeric>

namespace sortile::simt_tests {
namespace {

template <class Word, unsigned Threads, std::uint32_t Capacity>
struct order_kernel {
  static constexpr unsigned block_threads = Threads;
  using sorter = primitives::block_radix_order<Threads, Capacity>;
  struct shared {
    typename sorter::storage sort;
    simt::shared_array<std::uint16_t, Capacity> order;
  };
  simt::global<const Word> in;
  simt::global<std::uint32_t> out;
  std::uint32_t n;

  SORTILE_DEVICE void operator()(shared& s) const {
    for (int again = 0; again < 2; ++again) { // storage is used again, by other images
      const Word flip = again == 0 ? Word(~Word{0}) : Word{0};
      sorter::find(s.sort, s.order.view(), n, [&](std::uint32_t p) { return Word(in.load(p) ^ flip); });
      for (std::uint32_t q = simt::thread_index(); q < n; q += Threads)
        out[again * n + q] = s.order.load(q);
      simt::block_barrier();
    }
  }
};

template <class Word, unsigned Threads, std::uint32_t Capacity>
void check(simt::queue q, std::size_t n, keys kind) {
  const auto k = make<Word>(n, kind);
  std::vector<std::uint32_t> expected;
  for (const Word flip : {Word(~Word{0}), Word{0}}) {
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return Word(k[a] ^ flip) < Word(k[b] ^ flip); });
    expected.insert(expected.end(), order.begin(), order.end());
  }
  buffer<Word> in(k);
  buffer<std::uint32_t> out(2 * n, ~0u);
  simt::launch(q, {.grid = 1}, order_kernel<Word, Threads, Capacity>{in.view(), out.view(), std::uint32_t(n)});
  EXPECT_EQ(out.host(), expected) << Threads << " threads, n " << n << ", keys " << int(kind);
}

template <class Word, unsigned Threads, std::uint32_t Capacity>
void check_sizes(std::initializer_list<std::size_t> sizes, unsigned schedules) {
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(2); // of 15 kinds of keys: each is met
        for (const std::size_t n : sizes)
          for (const keys kind : all_keys)
            if (taken())
              check<Word, Threads, Capacity>(q, n, kind);
      },
      schedules);
}
SIMT_TEST(radix_order, few_keys) {
  check_sizes<std::uint32_t, 1024, 4608>({1, 2, 3, 31, 32, 33, 255, 256, 257}, 2);
  check_sizes<std::uint64_t, 512, 1024>({1, 2, 31, 32, 33, 511, 512, 513, 1023, 1024}, 3);
}
SIMT_TEST(radix_order, of_32_bits) {
  check_sizes<std::uint32_t, 1024, 4608>({1023, 1024, 1025, 2048, 2049, 4095, 4096, 4097, 4480, 4608}, 1);
}
SIMT_TEST(radix_order, of_64_bits) {
  check_sizes<std::uint64_t, 1024, 4608>({1000, 3333, 4096, 4480}, 1);
}
SIMT_TEST(radix_order, of_16_and_8_bits) {
  check_sizes<std::uint16_t, 512, 1500>({1, 100, 1500}, 1);
  check_sizes<std::uint8_t, 512, 1500>({1, 100, 1500}, 1);
}
SIMT_TEST(radix_order, of_full_warps) { // ranks of eight bits
  check_sizes<std::uint32_t, 1024, 8192>({8191, 8192}, 1);
  check_sizes<std::uint32_t, 128, 1024>({1, 127, 129, 1000, 1024}, 3);
}

} // namespace
} // namespace sortile::simt_tests
