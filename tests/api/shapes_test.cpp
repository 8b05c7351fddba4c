// What ranges and types the calls take: sizes that are signed numbers, views without a const begin, keys that are
// enumerations, bytes, times and CUDA's 16-bit floats; and lengths that positions cannot count.
#include "tests/expect_refusal.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ranges>

#if __has_include(<cuda_fp16.h>) && __has_include(<cuda_bf16.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define SORTILE_TEST_CUDA_FLOATS
#endif

namespace sortile::testing {
namespace {

/// An array whose size() is a signed number, as in libraries that count in int.
template <class T>
struct signed_array {
  std::vector<T> elements;
  T* begin() { return elements.data(); }
  T* end() { return elements.data() + elements.size(); }
  const T* begin() const { return elements.data(); }
  const T* end() const { return elements.data() + elements.size(); }
  int size() const { return static_cast<int>(elements.size()); }
};

TEST(ranges, whose_size_is_signed) {
  signed_array<int> keys{{3, 1, 2}}, values{{30, 10, 20}}, out{{0, 0, 0}}, both{{0, 0, 0, 0, 0, 0}};
  EXPECT_EQ(sortile::argsort(keys), (std::vector<std::uint64_t>{1, 2, 0}));
  sortile::sort(keys, out);
  EXPECT_TRUE(sortile::is_sorted(out));
  sortile::sort_by_key(keys, values);
  EXPECT_EQ(values.elements, (std::vector<int>{10, 20, 30}));
  sortile::merge(keys, out, both);
  EXPECT_EQ(both.elements, (std::vector<int>{1, 1, 2, 2, 3, 3}));
  signed_array<std::uint32_t> positions{{2, 1, 0}};
  sortile::permute(positions, values);
  EXPECT_EQ(values.elements, (std::vector<int>{30, 20, 10}));
  sortile::sort_rows(std::array{by(values)}, std::tie(values, keys));
  EXPECT_EQ(keys.elements, (std::vector<int>{3, 2, 1}));
  sortile::sort(keys, by(std::identity{}));
  sortile::sort(keys, {.order = order::descending});
  sortile::argsort_rows(std::array{by(keys)}, positions);
  EXPECT_EQ(positions.elements, (std::vector<std::uint32_t>{2, 1, 0}));
}

TEST(ranges, that_only_begin_where_they_are_not_const) {
  std::vector<int> numbers = {9, 9, 3, 1, 2};
  auto rest = numbers | std::views::drop_while([](int x) { return x == 9; });
  EXPECT_EQ(sortile::argsort(rest), (std::vector<std::uint64_t>{1, 2, 0}));
  sortile::sort(rest);
  EXPECT_EQ(numbers, (std::vector<int>{9, 9, 1, 2, 3}));
}

TEST(lengths, that_signed_positions_cannot_count) {
  // Addresses are never followed: the call is refused before.
  const std::size_t n = (std::size_t{1} << 31) + 1;
  const std::span<const std::uint8_t> keys(reinterpret_cast<const std::uint8_t*>(std::uintptr_t{1} << 40), n);
  const std::span<std::int32_t> positions(reinterpret_cast<std::int32_t*>(std::uintptr_t{1} << 45), n);
  expect_invalid([&] { sortile::argsort(keys, positions); }, {"argsort", "signed 32-bit", "2147483649"});
  expect_invalid([&] { static_cast<void>(argsort<int>(keys)); }, {"signed 32-bit"});
  expect_invalid([&] { sortile::argsort_rows(std::array{by(keys)}, positions); }, {"argsort_rows", "signed 32-bit"});
}

enum class suit : std::uint8_t { clubs, diamonds, hearts, spades };
enum signed_numbers { minus = -5, plus = 5 };

template <class K>
void check_order(std::vector<K> keys, const std::vector<K>& expected) {
  EXPECT_EQ(sortile::argsort(keys).front(),
            static_cast<std::size_t>(std::find(keys.begin(), keys.end(), expected[0]) - keys.begin()));
  sortile::sort(keys);
  EXPECT_EQ(keys, expected);
  EXPECT_TRUE(sortile::is_sorted(keys));
}

TEST(keys, may_be_enumerations_bytes_and_times) {
  using namespace std::chrono_literals;
  using std::chrono::sys_days;
  check_order<suit>({suit::spades, suit::clubs, suit::hearts}, {suit::clubs, suit::hearts, suit::spades});
  check_order<signed_numbers>({plus, minus, plus}, {minus, plus, plus});
  check_order<std::byte>({std::byte{200}, std::byte{3}}, {std::byte{3}, std::byte{200}});
  std::array truths = {true, false};
  sortile::sort(truths);
  EXPECT_TRUE(!truths[0] && truths[1]);
  check_order<char8_t>({u8'b', u8'a'}, {u8'a', u8'b'});
  check_order<std::chrono::nanoseconds>({5ns, -3ns, 1s}, {-3ns, 5ns, 1s});
  check_order<std::chrono::duration<double>>({0.5s, -2s}, {-2s, 0.5s});
  const sys_days day{std::chrono::days{1}};
  check_order<sys_days>({day + std::chrono::days{9}, day}, {day, day + std::chrono::days{9}});
  const std::chrono::system_clock::time_point now = std::chrono::system_clock::now();
  check_order<std::chrono::system_clock::time_point>({now + 1s, now - 1h, now}, {now - 1h, now, now + 1s});
}

static_assert(key_type_of<suit> == key_type::u8 && key_type_of<std::byte> == key_type::u8);
static_assert(key_type_of<std::chrono::duration<float, std::milli>> == key_type::f32);
static_assert(key_type_of<std::chrono::nanoseconds> == key_type::i64);
static_assert(!key<std::chrono::year_month_day> && !key<std::pair<int, int>> && !key<int*>);
static_assert(key<::__half> && key<::__nv_bfloat16>);

#ifdef SORTILE_TEST_CUDA_FLOATS
TEST(keys, may_be_cudas_16_bit_floats) {
  static_assert(key_type_of<__half> == key_type::f16 && key_type_of<__nv_bfloat16> == key_type::bf16);
  std::vector<__half> halves = {__float2half(2.5f), __float2half(-1.0f), __float2half(0.5f)};
  sortile::sort(halves);
  EXPECT_EQ(__half2float(halves[0]), -1.0f);
  EXPECT_EQ(__half2float(halves[2]), 2.5f);
  std::vector<__nv_bfloat16> brains = {__float2bfloat16(8.0f), __float2bfloat16(-4.0f)};
  sortile::sort(brains, {.order = order::ascending});
  EXPECT_EQ(__bfloat162float(brains[0]), -4.0f);
}
#endif

} // namespace
} // namespace sortile::testing
