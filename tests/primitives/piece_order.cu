// The stable order of a block's keys by pieces of a sample, against std::stable_sort: skewed keys at any depth,
// values of any frequency, and a sample that misses what matters.
#include "primitives/piece_order.hpp"
#include "tests/primitives/block_keys.hpp"

#include <algorithm>
#include <numeric>

namespace sortile::simt_tests {
namespace {

template <class Word, unsigned Threads, int Items>
struct pieces_kernel {
  static constexpr unsigned block_threads = Threads, capacity = Threads * unsigned(Items);
  using sorter = primitives::piece_order<Word, Threads, Items>;
  struct shared {
    typename sorter::storage pieces;
    typename sorter::ranker::storage rank;
    typename sorter::scratch making;
    simt::shared_array<std::uint16_t, capacity> order;
  };
  simt::global<const Word> in;
  simt::global<std::uint32_t> out; // the order, and whether there is one
  std::uint32_t n;
  Word low, high;

  SORTILE_DEVICE void operator()(shared& s) const {
    const auto image_of = [&](std::uint32_t p) { return in.load(p); };
    sorter::make(s.pieces, s.making, low, high, n, image_of);
    simt::block_barrier();
    const bool found = sorter::find(s.pieces, s.rank, s.order.view(), n, image_of);
    simt::block_barrier();
    for (std::uint32_t q = simt::thread_index(); found && q < n; q += Threads)
      out[q] = s.order.load(q);
    if (simt::thread_index() == 0)
      out[n] = found;
  }
};

/// Whether there was an order; and it is an error if it is wrong.
template <class Word, unsigned Threads, int Items>
bool orders(simt::queue q, const std::vector<Word>& k, bool tight) {
  const std::size_t n = k.size();
  std::vector<std::uint32_t> expected(n);
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) { return k[a] < k[b]; });
  const Word low = tight ? k[expected.front()] : Word{0}, high = tight ? k[expected.back()] : Word(~Word{0});
  buffer<Word> in(k);
  buffer<std::uint32_t> out(n + 1, ~0u);
  simt::launch(q, {.grid = 1}, pieces_kernel<Word, Threads, Items>{in.view(), out.view(), std::uint32_t(n), low, high});
  auto found = out.host();
  const bool there_is = found.back() != 0;
  found.pop_back();
  if (there_is) {
    EXPECT_EQ(found, expected);
  }
  return there_is;
}

template <class Word, unsigned Threads, int Items>
void check_sizes(std::initializer_list<std::size_t> sizes, unsigned schedules) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t n : sizes)
          for (const keys kind : all_keys)
            for (const bool tight : {false, true}) {
              SCOPED_TRACE("n " + std::to_string(n) + ", keys " + std::to_string(int(kind)));
              EXPECT_TRUE((orders<Word, Threads, Items>(q, make<Word>(n, kind), tight)));
            }
      },
      schedules);
}
SIMT_TEST(piece_order, few_keys) {
  check_sizes<std::uint64_t, 256, 3>({1, 2, 31, 32, 33, 255, 256, 257, 767, 768}, 2);
}
SIMT_TEST(piece_order, of_64_bits) {
  check_sizes<std::uint64_t, 512, 11>({4096, 5632}, 1);
  check_sizes<std::uint64_t, 1024, 9>({9000}, 0);
}
SIMT_TEST(piece_order, of_32_bits) {
  check_sizes<std::uint32_t, 512, 9>({1000, 4607}, 1);
}

// The sample, every 16th key, sees 256 values; nearly all others lie between two of them, or are one of them.
SIMT_TEST(piece_order, says_what_a_sample_misses) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const bool equal : {false, true}) {
          auto k = make<std::uint64_t>(4096, keys::random);
          for (std::size_t i = 0; i < k.size(); ++i)
            if (i % 16 != 0)
              k[i] = (std::uint64_t{1} << 40) + (equal ? 0 : i % 300);
          EXPECT_FALSE((orders<std::uint64_t, 512, 11>(q, k, false)));
        }
      },
      1);
}

} // namespace
} // namespace sortile::simt_tests
