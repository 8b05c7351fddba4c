// Digit ranking in its three forms: a permutation, in the order of the digits, stable where promised, with its totals.
#include "primitives/digit_rank.hpp"
#include "tests/simt/fixture.hpp"

namespace sortile::simt_tests {
namespace {

using primitives::ranking;
using simt::global;

template <unsigned Threads, int Items, unsigned DigitBits, ranking Form>
struct rank_kernel {
  static constexpr unsigned block_threads = Threads;
  using ranker = primitives::digit_ranker<Threads, Items, DigitBits, Form>;
  using shared = typename ranker::storage;
  global<const unsigned> digits; // in the order that a stable sort keeps
  global<unsigned> ranks;
  global<std::uint32_t> count, start; // [radix]

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned first = simt::warp_index() * 32 * Items + simt::lane_index();
    unsigned d[Items], rank[Items];
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      d[i] = digits.load(first + 32 * unsigned(i));
    const auto totals = ranker::rank(s, d, rank);
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      ranks[first + 32 * unsigned(i)] = rank[i];
    SORTILE_UNROLL
    for (int o = 0; o < ranker::owned; ++o) {
      const unsigned digit = simt::thread_index() * ranker::owned + unsigned(o);
      if (digit < ranker::radix) {
        count[digit] = totals.count[o];
        start[digit] = totals.start[o];
      }
    }
  }
};

template <unsigned Threads, int Items, unsigned DigitBits, ranking Form>
void check_digits(const std::vector<unsigned>& digits) {
  constexpr std::size_t radix = std::size_t{1} << DigitBits;
  std::vector<std::uint32_t> count(radix), start(radix);
  for (const unsigned d : digits)
    ++count[d];
  for (std::size_t d = 1; d < radix; ++d)
    start[d] = start[d - 1] + count[d - 1];
  on_every_schedule(
      [&](simt::queue q) {
        buffer<unsigned> in(digits), out(digits.size(), ~0u);
        buffer<std::uint32_t> counts(radix, 1), starts(radix, 1);
        simt::launch(q, {.grid = 1},
                     rank_kernel<Threads, Items, DigitBits, Form>{in.view(), out.view(), counts.view(), starts.view()});
        ASSERT_EQ(counts.host(), count);
        ASSERT_EQ(starts.host(), start);
        const auto ranks = out.host();
        auto next = start;
        std::vector<bool> taken(digits.size());
        for (std::size_t i = 0; i < digits.size(); ++i) {
          const unsigned d = digits[i];
          if (Form != ranking::atomics) {
            ASSERT_EQ(ranks[i], next[d]++) << i;
          }
          ASSERT_TRUE(ranks[i] >= start[d] && ranks[i] < start[d] + count[d] && !taken[ranks[i]]) << i;
          taken[ranks[i]] = true;
        }
      },
      10);
}

template <unsigned Threads, int Items, unsigned DigitBits, ranking Form>
void check_ranking() {
  std::vector<unsigned> digits = noise(Threads * Items, 3);
  constexpr unsigned top = (1u << DigitBits) - 1;
  for (unsigned& d : digits)
    d = d >> 9 & top;
  check_digits<Threads, Items, DigitBits, Form>(digits); // spread
  for (unsigned& d : digits)
    d = d % 4 == 0 ? top : 0;
  check_digits<Threads, Items, DigitBits, Form>(digits); // two values, the last one too
  check_digits<Threads, Items, DigitBits, Form>(std::vector<unsigned>(digits.size(), 1));
}

template <ranking Form>
void check_shapes() {
  check_ranking<64, 3, 8, Form>();  // four digits a thread
  check_ranking<128, 4, 5, Form>(); // fewer digits than threads
  check_ranking<288, 1, 8, Form>(); // neither divides the other
}

SIMT_TEST(primitives_digit_rank, match) {
  check_shapes<ranking::match>();
}
SIMT_TEST(primitives_digit_rank, ballot) {
  check_shapes<ranking::ballot>();
}
SIMT_TEST(primitives_digit_rank, atomics) {
  check_shapes<ranking::atomics>();
}

} // namespace
} // namespace sortile::simt_tests
