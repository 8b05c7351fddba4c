// DeviceRadixSort by decomposers that return tuples of references: every call, windows of bits, several words.
#include "tests/cub/fixture.hpp"

namespace sortile::cub_tests::inline SORTILE_BACKEND {
namespace {

using compare_tests::random_structs;
using cub::DeviceRadixSort;
using cub::DoubleBuffer;

/// As CUB's decomposers are: a T&, and not const.
struct by_mixed {
  using type = compare_tests::mixed::type;
  SORTILE_HOST_DEVICE SORTILE_TEST_TUPLE<float&, std::int16_t&, std::uint8_t&> operator()(type& t) {
    return {t.f, t.i, t.u};
  }
};
/// 160 bits.
struct by_three_words {
  using type = compare_tests::three_words::type;
  SORTILE_HOST_DEVICE SORTILE_TEST_TUPLE<std::uint64_t&, std::uint64_t&, std::uint32_t&> operator()(type& t) const {
    return {t.a, t.b, t.c};
  }
};

/// The images of the members, put together: of up to 256 bits, the highest 128 first.
struct long_image {
  uint128 high = 0, low = 0;

  template <class M>
  void append(const M& member) {
    constexpr unsigned bits = 8 * sizeof(M);
    high = high << bits | low >> (128 - bits);
    low = low << bits | uint128(image_of(member));
  }
  bool bit(int i) const { return ((i < 128 ? low >> i : high >> (i - 128)) & 1u) != 0; }
};
long_image image(const compare_tests::mixed::type& t) {
  long_image i;
  i.append(t.f);
  i.append(t.i);
  i.append(t.u);
  return i;
}
long_image image(const compare_tests::three_words::type& t) {
  long_image i;
  i.append(t.a);
  i.append(t.b);
  i.append(t.c);
  return i;
}

template <class T>
std::vector<std::uint64_t> expected_positions(const std::vector<T>& structs, bool descending, int begin, int end) {
  std::vector<std::uint64_t> positions(structs.size());
  std::iota(positions.begin(), positions.end(), 0u);
  std::stable_sort(positions.begin(), positions.end(), [&](std::uint64_t x, std::uint64_t y) {
    const long_image a = image(structs[descending ? y : x]), b = image(structs[descending ? x : y]);
    for (int bit = end; bit-- > begin;)
      if (a.bit(bit) != b.bit(bit))
        return b.bit(bit);
    return false;
  });
  return positions;
}

/// All calls: `keys(storage, bytes, in, out, n, bits...)` and so on by what the caller hands in.
template <class Shape, class D, class... Bits>
void check_calls(std::size_t n, int begin, int end, const D& by, Bits... bits) {
  using T = typename D::type;
  const auto structs = random_structs<Shape>(n, n);
  const auto values = numbered<std::uint32_t>(n);
  for (const bool descending : {false, true}) {
    SCOPED_TRACE(std::to_string(begin) + " to " + std::to_string(end) + (descending ? ", descending" : ""));
    const auto positions = expected_positions(structs, descending, begin, end);
    array<T> in(structs), out(n), first(structs), second(n);
    array<std::uint32_t> values_in(values), values_out(n), values_first(values), values_second(n);
    const auto sort_keys = [&](void* storage, std::size_t& bytes, auto&&... arrays) {
      return descending ? DeviceRadixSort::SortKeysDescending(storage, bytes, arrays..., n, by, bits...)
                        : DeviceRadixSort::SortKeys(storage, bytes, arrays..., n, by, bits...);
    };
    const auto sort_pairs = [&](void* storage, std::size_t& bytes, auto&&... arrays) {
      return descending ? DeviceRadixSort::SortPairsDescending(storage, bytes, arrays..., n, by, bits...)
                        : DeviceRadixSort::SortPairs(storage, bytes, arrays..., n, by, bits...);
    };
    in_two_phases([&](void* storage,
                      std::size_t& bytes) { return sort_keys(storage, bytes, in.span().data(), out.span().data()); },
                  3);
    in.expect(structs, "input");
    out.expect(in_order(structs, positions), "keys");
    in_two_phases([&](void* storage, std::size_t& bytes) {
      return sort_pairs(storage, bytes, in.span().data(), out.span().data(), values_in.span().data(),
                        values_out.span().data());
    });
    out.expect(in_order(structs, positions), "keys of pairs");
    values_out.expect(in_order(values, positions), "values");
    DoubleBuffer<T> buffers(first.span().data(), second.span().data());
    in_two_phases([&](void* storage, std::size_t& bytes) { return sort_keys(storage, bytes, buffers); });
    (buffers.selector == 0 ? first : second).expect(in_order(structs, positions), "keys in two buffers");
    array<T> pairs_first(structs), pairs_second(n);
    DoubleBuffer<T> k(pairs_first.span().data(), pairs_second.span().data());
    DoubleBuffer<std::uint32_t> v(values_second.span().data(), values_first.span().data());
    v.selector = 1;
    in_two_phases([&](void* storage, std::size_t& bytes) { return sort_pairs(storage, bytes, k, v); });
    (k.selector == 0 ? pairs_first : pairs_second).expect(in_order(structs, positions), "keys of pairs in buffers");
    (v.selector == 1 ? values_first : values_second).expect(in_order(values, positions), "values in buffers");
  }
}

SIMT_TEST(cub_decomposer, the_first_member_decides) {
  check_calls<compare_tests::mixed>(many / 4, 0, 56, by_mixed{});
  check_calls<compare_tests::three_words>(2000, 0, 160, by_three_words{});
}

SIMT_TEST(cub_decomposer, windows_count_from_the_last_member) {
  for (const auto& [begin, end] : {std::pair{0, 56}, {8, 24}, {24, 56}, {3, 30}, {20, 20}, {0, 8}})
    check_calls<compare_tests::mixed>(1500, begin, end, by_mixed{}, begin, end);
  for (const auto& [begin, end] : {std::pair{0, 160}, {32, 96}, {60, 132}, {0, 64}, {128, 160}})
    check_calls<compare_tests::three_words>(1500, begin, end, by_three_words{}, begin, end);
}

/// Which member decides is known at run time; numbers are taken apart too.
struct low_half {
  std::uint32_t mask;
  SORTILE_HOST_DEVICE SORTILE_TEST_TUPLE<std::uint32_t&> operator()(std::uint32_t& key) const {
    key &= mask;
    return {key};
  }
};

SIMT_TEST(cub_decomposer, may_have_a_state_and_change_its_copy) {
  const auto keys = random_keys<std::uint32_t>(3000, 1);
  array<std::uint32_t> in(keys), out(keys.size());
  in_two_phases([&](void* storage, std::size_t& bytes) {
    return DeviceRadixSort::SortKeys(storage, bytes, in.span().data(), out.span().data(), keys.size(), low_half{0xffff},
                                     cudaStream_t{});
  });
  auto expected = keys;
  std::stable_sort(expected.begin(), expected.end(), [](auto a, auto b) { return (a & 0xffff) < (b & 0xffff); });
  out.expect(expected, "by the lower half");
}

SIMT_TEST(cub_decomposer, none_and_what_is_refused) {
  using T = by_mixed::type;
  T* const none = nullptr;
  in_two_phases([&](void* storage, std::size_t& bytes) {
    return DeviceRadixSort::SortKeys(storage, bytes, none, none, 0, by_mixed{});
  });
  std::size_t bytes = 0;
  EXPECT_EQ(DeviceRadixSort::SortKeys(nullptr, bytes, none, none, 10, by_mixed{}, 0, 57), cudaErrorInvalidValue);
  EXPECT_NE(std::string(cub::last_error_message()).find("keys of 56 bits"), std::string::npos);
  EXPECT_EQ(DeviceRadixSort::SortKeys(nullptr, bytes, none, none, -10, by_mixed{}), cudaErrorInvalidValue);
}

} // namespace
} // namespace sortile::cub_tests::inline SORTILE_BACKEND
