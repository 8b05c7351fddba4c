// Pairs that one block sorts alone: which bins its keys get, and what happens where none help. Against
// std::stable_sort; every size at which the block's ways part.
#include "tests/kernels/pair_sort_checks.hpp"

#include <bit>
#include <cmath>

namespace sortile::simt_tests {
namespace {

using namespace pair_checks;

enum class skew {
  interval,   // integers of a narrow interval, away from 0
  outlier,    // and one of them far away
  magnitudes, // of all magnitudes alike
  neighbours, // the same, and mostly equal to the key before
  few_bits,   // AND of three random words
  rising,     // skewed and in order
  falling,    // and backwards
  two_values, // equal keys alone
  equal,
  all_but_one,  // equal
  zipf,         // rank r of 1000 in proportion to 1 / r
  unit,         // floats in [0, 1)
  normal,       // uneven by value, skewed by bits
  not_a_number, // the same among NaNs, infinities and zeros of both signs
};
constexpr skew integers[] = {skew::interval, skew::outlier,     skew::magnitudes, skew::neighbours,
                             skew::few_bits, skew::rising,      skew::falling,    skew::two_values,
                             skew::equal,    skew::all_but_one, skew::zipf};
constexpr skew floats[] = {skew::interval,   skew::magnitudes, skew::neighbours, skew::few_bits,    skew::falling,
                           skew::two_values, skew::unit,       skew::normal,     skew::not_a_number};

template <class Word>
std::vector<Word> make_skewed(std::size_t n, skew kind) {
  using real = std::conditional_t<sizeof(Word) == 4, float, double>;
  const auto bits = noise(4 * n, std::uint32_t(n) + 29);
  std::vector<Word> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Word r = Word(std::uint64_t{bits[4 * i]} << 32 | bits[4 * i + 1]);
    const std::uint32_t other = bits[4 * i + 2];
    const double u = bits[4 * i] * 0x1p-32, v = (other + 0.5) * 0x1p-32;
    switch (kind) {
    case skew::interval:
      keys[i] = Word(Word(3) << (8 * sizeof(Word) - 3)) - 40'000 + r % 1'000'000;
      break;
    case skew::outlier:
      keys[i] = i == n / 2 ? Word(~Word{0}) : Word(7'000'000 + r % 50'000);
      break;
    case skew::magnitudes:
      keys[i] = Word(r >> other % (8 * sizeof(Word) - 4));
      break;
    case skew::neighbours:
      keys[i] = i > 0 && other % 8 != 0 ? keys[i - 1 - (i > 1 ? other / 8 % 2 : 0)] : Word(r >> other / 16 % 20);
      break;
    case skew::few_bits:
      keys[i] = Word(r & (std::uint64_t{other} << 32 | bits[4 * i + 3]) & (std::uint64_t{bits[i]} << 32 | bits[i + n]));
      break;
    case skew::rising:
      keys[i] = Word(Word(i / 3) << (i < n / 2 ? 0 : 8 * sizeof(Word) - 16));
      break;
    case skew::falling:
      keys[i] = Word(Word((n - i) / 3) << (i < n / 2 ? 8 * sizeof(Word) - 16 : 0));
      break;
    case skew::two_values:
      keys[i] = other % 2 == 0 ? Word{5} : Word(~Word{0});
      break;
    case skew::equal:
      keys[i] = Word{77};
      break;
    case skew::all_but_one:
      keys[i] = Word{77} + (i == n / 3 ? Word(Word(1) << (8 * sizeof(Word) - 9)) : Word{0});
      break;
    case skew::zipf:
      keys[i] = Word(Word(std::pow(1000.0, u)) * Word(0x9e3779b97f4a7c15u));
      break;
    case skew::unit:
      keys[i] = std::bit_cast<Word>(real(u < 0.999 ? u : 0.5));
      break;
    default:
      keys[i] = std::bit_cast<Word>(real(std::sqrt(-2 * std::log(v)) * std::cos(6.283185307179586 * u)));
      if (kind == skew::not_a_number && other % 3 == 0)
        keys[i] = special_float<Word>(other >> 2);
    }
  }
  return keys;
}

template <class Word>
void check_skewed(simt::queue q, std::size_t n, skew kind, how<Word> h) {
  SCOPED_TRACE("n " + std::to_string(n) + ", skew " + std::to_string(int(kind)) + ", values of " +
               std::to_string(h.value_bytes));
  check_sort(q, make_skewed<Word>(n, kind), h);
}

template <class Word>
void check_sizes() {
  constexpr bool narrow = sizeof(Word) == 4;
  constexpr auto u = narrow ? key_type::u32 : key_type::u64, i = narrow ? key_type::i32 : key_type::i64,
                 f = narrow ? key_type::f32 : key_type::f64;
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(13);
        const auto check = [&](std::size_t n, skew kind, const how<Word>& h) {
          if (taken())
            check_skewed<Word>(q, n, kind, h);
        };
        for (const std::size_t n : {1, 2, 31, 33, 600, 1024, 1025, 2047, 2049, 4095, 4096, 4097, 4480}) {
          for (const skew kind : integers) {
            check(n, kind, {.type = u, .value_bytes = 4});
            check(n, kind, {.type = i, .direction = order::descending, .value_bytes = 16});
          }
          for (const skew kind : floats)
            for (const order direction : {order::ascending, order::descending}) {
              check(n, kind, {.type = f, .direction = direction, .value_bytes = 8});
              check(n, kind,
                    {.type = f, .direction = direction, .value_bytes = 4, .indices = true, .want_keys = n % 2 == 0});
              check(n, kind, {.type = f, .direction = direction, .value_bytes = 0, .keys_in_place = true});
            }
        }
      },
      0);
  on_every_schedule(
      [&](simt::queue q) {
        for (const skew kind : floats)
          check_skewed<Word>(q, 2500, kind,
                             {.type = f, .value_bytes = 4, .keys_in_place = true, .values_in_place = true});
      },
      2);
}
SIMT_TEST(sort_pairs_one_block, keys_of_32_bits) {
  check_sizes<std::uint32_t>();
}
SIMT_TEST(sort_pairs_one_block, keys_of_64_bits) {
  check_sizes<std::uint64_t>();
}

#if !SORTILE_ON_CUDA
/// Bins, and not digits, sort what lies evenly in its interval: less is done to shared storage.
template <class Word>
std::uint64_t shared_requests(skew kind, key_type type) {
  executor::device counting({.checks = executor::check::counters});
  check_skewed<Word>(simt::queue::executor(counting), 4096, kind, {.type = type, .value_bytes = 0});
  return counting.counted().shared_loads.requests + counting.counted().warp_collectives;
}
SIMT_TEST(sort_pairs_one_block, even_intervals_need_no_digits) {
  EXPECT_LT(2 * shared_requests<std::uint32_t>(skew::unit, key_type::f32),
            shared_requests<std::uint32_t>(skew::neighbours, key_type::f32));
  EXPECT_LT(2 * shared_requests<std::uint64_t>(skew::unit, key_type::f64),
            shared_requests<std::uint64_t>(skew::neighbours, key_type::f64));
  EXPECT_LT(2 * shared_requests<std::uint32_t>(skew::interval, key_type::u32),
            shared_requests<std::uint32_t>(skew::magnitudes, key_type::u32));
}
#endif

} // namespace
} // namespace sortile::simt_tests
