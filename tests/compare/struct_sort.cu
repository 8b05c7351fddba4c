// Structs of every shape and size against std::stable_sort: in place and not, both orders, with and without values.
#include "tests/compare/fixture.hpp"

namespace sortile::compare_tests::inline SORTILE_BACKEND {
namespace {

struct five_bytes {
  std::uint8_t bytes[5];
};

template <class V>
std::vector<V> numbered(std::size_t n) {
  std::vector<V> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t number = i * 0x9e3779b97f4a7c15u;
    std::memcpy(static_cast<void*>(&v[i]), &number, std::min(sizeof(V), sizeof number));
  }
  return v;
}

template <class Shape>
void check_keys(const std::vector<typename Shape::type>& structs, const options& opts) {
  using T = typename Shape::type;
  const auto expected = in_order(structs, expected_order<Shape>(structs, opts.order));
  array<T> in(structs), out(structs.size()), both(structs);
  sortile::sort(in.span(), out.span(), Shape{}, opts);
  sortile::sort(both.span(), Shape{}, opts);
  finish();
  in.expect(structs, "input");
  out.expect(expected, "out of place");
  both.expect(expected, "in place");
}

template <class Shape, class V>
void check_pairs(const std::vector<typename Shape::type>& structs, const options& opts) {
  using T = typename Shape::type;
  const std::vector<V> values = numbered<V>(structs.size());
  const auto positions = expected_order<Shape>(structs, opts.order);
  const auto expected = in_order(structs, positions);
  const auto expected_values = in_order(values, positions);
  array<T> in(structs), out(structs.size()), both(structs);
  array<V> values_in(values), values_out(values.size()), values_both(values);
  sort_by_key(in.span(), values_in.span(), out.span(), values_out.span(), Shape{}, opts);
  sort_by_key(both.span(), values_both.span(), Shape{}, opts);
  finish();
  in.expect(structs, "input");
  values_in.expect(values, "input values");
  out.expect(expected, "out of place");
  values_out.expect(expected_values, "values out of place");
  both.expect(expected, "in place");
  values_both.expect(expected_values, "values in place");
}

template <class Shape, class Index>
void check_positions(const std::vector<typename Shape::type>& structs, const options& opts) {
  const auto order = expected_order<Shape>(structs, opts.order);
  array<typename Shape::type> in(structs);
  array<Index> positions(structs.size());
  argsort(in.span(), positions.span(), Shape{}, opts);
  finish();
  in.expect(structs, "input");
  positions.expect({order.begin(), order.end()}, "positions");
}

constexpr std::size_t sizes[] = {0, 1, 2, 31, 32, 33, 1000, 1024, 1025, 5000};

template <class Shape>
void check_shape() {
  for (const std::size_t n : sizes)
    for (const order direction : {order::ascending, order::descending}) {
      SCOPED_TRACE("n = " + std::to_string(n) + (direction == order::ascending ? ", ascending" : ", descending"));
      const options opts{.order = direction};
      const auto structs = random_structs<Shape>(n, n + 7);
      check_keys<Shape>(structs, opts);
      check_positions<Shape, std::uint32_t>(structs, opts);
      check_positions<Shape, std::uint64_t>(structs, opts);
      check_pairs<Shape, std::uint32_t>(structs, opts);
      if (n % 2 == 1)
        check_pairs<Shape, five_bytes>(structs, opts);
      if (::testing::Test::HasFailure())
        return;
    }
}

SIMT_TEST(struct_sort, two_words) {
  check_shape<two_words>();
}
SIMT_TEST(struct_sort, one_member_of_two) {
  check_shape<one_of_two>();
}
SIMT_TEST(struct_sort, floats_and_small_integers) {
  check_shape<mixed>();
}
SIMT_TEST(struct_sort, a_float_descending) {
  check_shape<mixed_descending>();
}
SIMT_TEST(struct_sort, three_words) {
  check_shape<three_words>();
}
SIMT_TEST(struct_sort, one_byte) {
  check_shape<one_byte>();
}
SIMT_TEST(struct_sort, three_bytes) {
  check_shape<three_bytes>();
}
SIMT_TEST(struct_sort, members_across_words) {
  check_shape<across_words>();
}

/// Large enough for two partitions by the highest bits.
SIMT_TEST(struct_sort, many) {
  check_keys<two_words>(random_structs<two_words>(70'000, 3), {});
  check_pairs<three_words, std::uint64_t>(random_structs<three_words>(70'000, 4), {.order = order::descending});
}

#if !SORTILE_ON_CUDA
/// The executor of a call takes its seed and its checks from the environment.
SIMT_TEST(struct_sort, whatever_the_schedule) {
  const char* const given = std::getenv("SORTILE_EXECUTOR_SEED");
  for (int seed = 1; seed <= (given != nullptr ? 1 : 8) && !::testing::Test::HasFailure(); ++seed) {
    if (given == nullptr)
      setenv("SORTILE_EXECUTOR_SEED", std::to_string(seed).c_str(), 1);
    setenv("SORTILE_EXECUTOR_CHECKS", std::to_string(unsigned(executor::all_checks)).c_str(), 1);
    SCOPED_TRACE("SORTILE_EXECUTOR_SEED=" + std::string(std::getenv("SORTILE_EXECUTOR_SEED")));
    check_pairs<three_words, std::uint32_t>(random_structs<three_words>(1300, 5), {});
    check_keys<mixed>(random_structs<mixed>(2100, 6), {});
    unsetenv("SORTILE_EXECUTOR_CHECKS");
    if (given == nullptr)
      unsetenv("SORTILE_EXECUTOR_SEED");
  }
}
#endif

/// The image itself, by its definition, on the host.
TEST(struct_image, members_lie_one_above_the_other) {
  const auto list = members(std::uint16_t{0xabcd}, std::int8_t{-1}, std::uint64_t{0x0123456789abcdef},
                            descending(std::uint8_t{0x0f}));
  static_assert(detail::image_bits_of<std::remove_cvref_t<decltype(list)>> == 96);
  EXPECT_EQ(image_word<0>(list), 0x23456789abcdeff0u);
  EXPECT_EQ(image_word<1>(list), 0xabcd7f01u);
  EXPECT_EQ(image_word<0>(members(-0.0f)), image_word<0>(members(0.0f)));
  EXPECT_EQ(image_word<0>(members(std::nanf(""))), 0xffffffffu);
  EXPECT_EQ(image_word<1>(members(uint128{5} << 64 | 7)), 5u);
}

} // namespace
} // namespace sortile::compare_tests::inline SORTILE_BACKEND
