// Numbers made shorter: of every set of numbers, the order and the equality of what comes out, and how large it gets.
#include "primitives/dense_halves.hpp"
#include "tests/simt/fixture.hpp"

#include <algorithm>
#include <set>

namespace sortile::simt_tests {
namespace {

template <unsigned Threads>
struct number_kernel {
  static constexpr unsigned block_threads = Threads;
  using halves = primitives::dense_halves<Threads>;
  using shared = typename halves::storage;
  simt::global<const std::uint32_t> in;
  simt::global<std::uint32_t> out, values; // values: of the lower half, of the upper
  std::uint32_t n;

  SORTILE_DEVICE void operator()(shared& s) const {
    halves::clear(s);
    simt::block_barrier();
    for (std::uint32_t i = simt::thread_index(); i < n; i += 2 * Threads)
      halves::mark(s, {in.load(i), in.load(i + Threads < n ? i + Threads : 0)}, i + Threads < n ? 2 : 1);
    simt::block_barrier();
    const auto v = halves::count(s);
    simt::block_barrier();
    for (std::uint32_t i = simt::thread_index(); i < n; i += Threads)
      out[i] = halves::rank(s, v, in.load(i));
    if (simt::thread_index() == Threads - 1) {
      values[0] = v.lower;
      values[1] = v.upper;
    }
  }
};

template <unsigned Threads>
void check_numbers(const std::vector<std::uint32_t>& in) {
  std::set<std::uint32_t> lower, upper;
  for (const std::uint32_t x : in) {
    lower.insert(x & 0xffff);
    upper.insert(x >> 16);
  }
  std::vector<std::uint32_t> expected;
  for (const std::uint32_t x : in)
    expected.push_back(std::uint32_t(std::distance(upper.begin(), upper.find(x >> 16))) * std::uint32_t(lower.size()) +
                       std::uint32_t(std::distance(lower.begin(), lower.find(x & 0xffff))));
  on_every_schedule(
      [&](simt::queue q) {
        buffer<std::uint32_t> keys(in), out(in.size(), ~0u), values(2, 0u);
        simt::launch(q, {.grid = 1},
                     number_kernel<Threads>{keys.view(), out.view(), values.view(), std::uint32_t(in.size())});
        EXPECT_EQ(out.host(), expected);
        EXPECT_EQ(values.host(),
                  (std::vector<std::uint32_t>{std::uint32_t(lower.size()), std::uint32_t(upper.size())}));
      },
      3);
}

template <unsigned Threads>
void check_all() {
  for (const std::size_t n : {1, 2, 33, 700}) {
    auto numbers = noise(3 * n, 7);
    for (std::size_t i = 0; i < n; ++i)
      numbers[i] &= numbers[n + i] & numbers[2 * n + i];
    numbers.resize(n);
    check_numbers<Threads>(numbers); // few bits
    check_numbers<Threads>(noise(n, 11));
    for (std::uint32_t& x : numbers)
      x = x % 3 == 0 ? 0 : x % 3 == 1 ? ~0u : 0x10000; // the ends
    check_numbers<Threads>(numbers);
    for (std::size_t i = 0; i < n; ++i)
      numbers[i] = std::uint32_t(31 * i << 16 | (65535 - 31 * i % 65536)); // every word of either half
    check_numbers<Threads>(numbers);
  }
}
SIMT_TEST(dense_halves, of_512_threads) {
  check_all<512>();
}
SIMT_TEST(dense_halves, of_1024_threads) {
  check_all<1024>();
}

} // namespace
} // namespace sortile::simt_tests
