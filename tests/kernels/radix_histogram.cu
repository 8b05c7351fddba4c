// Radix histogram: every width, codecs, windows, alignments and sizes against a loop.
#include "kernels/histogram/radix_histogram.hpp"
#include "tests/simt/fixture.hpp"

#include <sortile/error.hpp>

#include <cstring>

namespace sortile::simt_tests {
namespace {

template <class Word>
std::vector<std::uint64_t> counted(const std::vector<Word>& keys, const key_codec<Word>& codec) {
  std::vector<std::uint64_t> counts(kernels::radix_histogram_counters<Word>);
  for (const Word key : keys)
    for (unsigned d = 0; d < sizeof(Word); ++d)
      ++counts[256 * d + unsigned(uint128(codec.image(key)) >> (8 * d) & 255)];
  return counts;
}

/// Keys `offset` items after a multiple of 16 bytes; every third one equal, so that lanes meet.
template <class Word>
void check_histogram(simt::queue q, std::size_t n, std::size_t offset, key_type type, bit_window window = {},
                     order direction = order::ascending) {
  SCOPED_TRACE("n " + std::to_string(n) + ", offset " + std::to_string(offset));
  const auto bits = noise((n + offset) * sizeof(Word) / 4 + 4, std::uint32_t(n));
  std::vector<Word> keys(n + offset);
  std::memcpy(keys.data(), bits.data(), keys.size() * sizeof(Word));
  for (std::size_t i = 0; i < keys.size(); i += 3)
    keys[i] = Word(42);
  const auto codec = make_key_codec<Word>(type, direction, window);
  buffer<Word> in(keys);
  buffer<std::uint64_t> out(kernels::radix_histogram_counters<Word> + 2, 0xa5a5a5a5a5a5a5a5u); // poisoned
  kernels::radix_histogram(q, in.view().data() + offset, n, codec, out.view().data() + 1);
  const auto words = out.host();
  EXPECT_EQ(words.front(), 0xa5a5a5a5a5a5a5a5u);
  EXPECT_EQ(words.back(), 0xa5a5a5a5a5a5a5a5u);
  keys.erase(keys.begin(), keys.begin() + std::ptrdiff_t(offset));
  EXPECT_EQ(std::vector(words.begin() + 1, words.end() - 1), counted(keys, codec));
}

template <class Word>
void check_sizes(key_type type) {
  const std::size_t vector = 16 / sizeof(Word), stretch = (sizeof(Word) <= 2 ? 512 : 1024) * 4 * vector;
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t n : {std::size_t{0}, std::size_t{1}, vector - 1, vector, 2 * vector + 1, 3 * vector - 1})
          for (std::size_t offset = 0; offset < vector; offset += 3)
            check_histogram<Word>(q, n, offset, type);
        check_histogram<Word>(q, stretch / 2 + 3, 0, type);
      },
      1);
  on_every_schedule(
      [&](simt::queue q) {
        check_histogram<Word>(q, stretch - 1, 0, type);
        check_histogram<Word>(q, 2 * stretch + 3 * vector + 1, 1, type);
      },
      0);
}

SIMT_TEST(radix_histogram, u8) {
  check_sizes<std::uint8_t>(key_type::u8);
}
SIMT_TEST(radix_histogram, i16) {
  check_sizes<std::uint16_t>(key_type::i16);
}
SIMT_TEST(radix_histogram, u32) {
  check_sizes<std::uint32_t>(key_type::u32);
}
SIMT_TEST(radix_histogram, f64) {
  check_sizes<std::uint64_t>(key_type::f64);
}
SIMT_TEST(radix_histogram, u128) {
  check_sizes<uint128>(key_type::u128);
}

SIMT_TEST(radix_histogram, codecs_and_windows) {
  on_every_schedule(
      [&](simt::queue q) {
        check_histogram<std::uint32_t>(q, 3000, 1, key_type::f32);
        check_histogram<std::uint32_t>(q, 3000, 0, key_type::i32, {3, 17}, order::descending);
        check_histogram<std::uint64_t>(q, 2000, 0, key_type::u64, {40, 64});
        check_histogram<uint128>(q, 1000, 0, key_type::i128, {60, 70}, order::descending);
      },
      2);
}

SIMT_TEST(radix_histogram, misuse_is_refused_by_name) {
  on_every_schedule(
      [&](simt::queue q) {
        buffer<std::uint64_t> out(kernels::radix_histogram_counters<std::uint32_t>);
        const auto codec = make_key_codec<std::uint32_t>(key_type::u32, order::ascending, {});
        std::uint64_t* const counts = out.view().data();
        EXPECT_THROW(kernels::radix_histogram<std::uint32_t>(q, nullptr, 5, codec, counts), invalid_argument);
        EXPECT_THROW(kernels::radix_histogram(q, reinterpret_cast<std::uint32_t*>(counts), 5, codec, counts),
                     invalid_argument);
      },
      0);
}

} // namespace
} // namespace sortile::simt_tests
