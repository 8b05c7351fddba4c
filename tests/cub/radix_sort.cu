// DeviceRadixSort by the keys' own order: types, directions, windows, DoubleBuffers, values, sizes, storage, misuse.
#include "tests/cub/fixture.hpp"

namespace sortile::cub_tests::inline SORTILE_BACKEND {
namespace {

using cub::DeviceRadixSort;
using cub::DoubleBuffer;

template <class K>
void check_keys(std::size_t n, const asked& a) {
  const auto keys = random_keys<K>(n, n + 1);
  const auto expected = in_order(keys, positions_in_order(keys, a));
  const int end = a.end_bit < 0 ? int(8 * sizeof(K)) : a.end_bit;
  array<K> in(keys), out(n);
  in_two_phases([&](void* storage, std::size_t& bytes) {
    return a.descending
               ? DeviceRadixSort::SortKeysDescending(storage, bytes, in.span().data(), out.span().data(), n,
                                                     a.begin_bit, end)
               : DeviceRadixSort::SortKeys(storage, bytes, in.span().data(), out.span().data(), n, a.begin_bit, end);
  });
  in.expect(keys, "input");
  out.expect(expected, "keys");
}

template <class K, class V = std::uint32_t>
void check_pairs(std::size_t n, const asked& a, std::size_t off = 0) {
  const auto keys = random_keys<K>(n, n + 2);
  const auto values = numbered<V>(n);
  const auto positions = positions_in_order(keys, a);
  const int end = a.end_bit < 0 ? int(8 * sizeof(K)) : a.end_bit;
  array<K> in(keys), out(n);
  array<V> values_in(values), values_out(n);
  in_two_phases(
      [&](void* storage, std::size_t& bytes) {
        return a.descending
                   ? DeviceRadixSort::SortPairsDescending(storage, bytes, in.span().data(), out.span().data(),
                                                          values_in.span().data(), values_out.span().data(), n,
                                                          a.begin_bit, end)
                   : DeviceRadixSort::SortPairs(storage, bytes, in.span().data(), out.span().data(),
                                                values_in.span().data(), values_out.span().data(), n, a.begin_bit, end);
      },
      off);
  in.expect(keys, "input");
  values_in.expect(values, "input values");
  out.expect(in_order(keys, positions), "keys");
  values_out.expect(in_order(values, positions), "values");
}

template <class K>
void check_type() {
  SCOPED_TRACE(name(key_type_of<K>));
  for (const bool descending : {false, true}) {
    check_keys<K>(3000, {.descending = descending});
    check_pairs<K>(2500, {.descending = descending});
  }
}

SIMT_TEST(cub_radix_sort, every_key_type) {
  check_type<char>();
  check_type<unsigned char>();
  check_type<short>();
  check_type<unsigned short>();
  check_type<int>();
  check_type<unsigned>();
  check_type<long>();
  check_type<unsigned long long>();
  check_type<int128>();
  check_type<uint128>();
  check_type<__half>();
  check_type<__nv_bfloat16>();
  check_type<float>();
  check_type<double>();
}

template <class K>
void check_windows() {
  constexpr int width = 8 * sizeof(K);
  SCOPED_TRACE(name(key_type_of<K>));
  for (const auto& [begin, end] : {std::pair{0, 0}, {width, width}, {1, width / 2 + 1}, {width / 2, width}, {0, width}})
    for (const bool descending : {false, true}) {
      SCOPED_TRACE(std::to_string(begin) + " to " + std::to_string(end));
      check_keys<K>(1200, {descending, begin, end});
      check_pairs<K>(1200, {descending, begin, end});
    }
}

SIMT_TEST(cub_radix_sort, windows_of_bits) {
  check_windows<std::uint32_t>();
  check_windows<std::int64_t>();
  check_windows<float>();
  check_windows<__half>();
}

template <class K, class V>
void check_buffers(std::size_t n, const asked& a, int selector, int value_selector) {
  const auto keys = random_keys<K>(n, 5);
  const auto values = numbered<V>(n);
  const auto positions = positions_in_order(keys, a);
  array<K> first(keys), second(keys), alone_first(keys), alone_second(keys);
  array<V> values_first(values), values_second(values);
  const auto buffers = []<class T>(array<T>& one, array<T>& other, int which) {
    DoubleBuffer<T> b(one.span().data(), other.span().data());
    b.selector = which;
    return b;
  };
  auto alone = buffers(alone_first, alone_second, selector), k = buffers(first, second, selector);
  auto v = buffers(values_first, values_second, value_selector);
  K* const holders[] = {alone.Current(), alone.Alternate()};
  in_two_phases([&](void* storage, std::size_t& bytes) {
    const int before = alone.selector;
    const cudaError_t result = a.descending ? DeviceRadixSort::SortKeysDescending(storage, bytes, alone, n)
                                            : DeviceRadixSort::SortKeys(storage, bytes, alone, n);
    if (storage == nullptr) {
      EXPECT_EQ(alone.selector, before) << "a question changes nothing";
    }
    return result;
  });
  in_two_phases([&](void* storage, std::size_t& bytes) {
    return a.descending ? DeviceRadixSort::SortPairsDescending(storage, bytes, k, v, n)
                        : DeviceRadixSort::SortPairs(storage, bytes, k, v, n);
  });
  EXPECT_TRUE(alone.Current() == holders[0] || alone.Current() == holders[1]);
  EXPECT_EQ(k.selector == selector, v.selector == value_selector)
      << "both results are in the other buffers, or neither";
  (alone.selector == 0 ? alone_first : alone_second).expect(in_order(keys, positions), "keys alone");
  (k.selector == 0 ? first : second).expect(in_order(keys, positions), "keys");
  (v.selector == 0 ? values_first : values_second).expect(in_order(values, positions), "values");
}

SIMT_TEST(cub_radix_sort, the_selector_names_the_buffer_with_the_result) {
  for (const int selector : {0, 1})
    for (const int value_selector : {0, 1}) {
      check_buffers<int, float>(700, {.descending = value_selector == 1}, selector, value_selector);
      check_buffers<std::uint64_t, std::uint64_t>(many, {.descending = selector == 1}, selector, value_selector);
    }
}

struct three_floats {
  float x, y, z;
};
struct two_ints {
  int first, second; // aligned to half of their size
};
struct long_value {
  char text[37];
};

SIMT_TEST(cub_radix_sort, values_of_any_size) {
  check_pairs<std::uint32_t, char>(2000, {});
  check_pairs<std::uint32_t, three_floats>(2000, {});
  check_pairs<std::uint64_t, two_ints>(2000, {});
  check_pairs<float, two_ints>(many, {});
  check_pairs<std::int16_t, long_value>(2000, {.descending = true});
}

SIMT_TEST(cub_radix_sort, storage_at_any_address) {
  for (const std::size_t off : {1u, 4u, 64u, 127u}) {
    SCOPED_TRACE(off);
    check_pairs<std::uint32_t>(many, {}, off);
  }
}

template <class N>
void check_size_type() {
  const auto keys = random_keys<int>(900, 6);
  array<int> in(keys), out(keys.size());
  in_two_phases([&](void* storage, std::size_t& bytes) {
    return DeviceRadixSort::SortKeys(storage, bytes, in.span().data(), out.span().data(), N(keys.size()));
  });
  out.expect(in_order(keys, positions_in_order(keys)), "keys");
  in_two_phases([&](void* storage, std::size_t& bytes) {
    int* const none = nullptr;
    return DeviceRadixSort::SortPairs(storage, bytes, none, none, none, none, N(0));
  });
}

SIMT_TEST(cub_radix_sort, sizes_of_any_type_and_none) {
  check_size_type<short>();
  check_size_type<int>();
  check_size_type<unsigned>();
  check_size_type<long long>();
  check_size_type<std::uint64_t>();
}

SIMT_TEST(cub_radix_sort, in_place_in_the_storage_that_was_asked_for) {
  const auto keys = random_keys<std::uint64_t>(many, 7);
  array<std::uint64_t> both(keys);
  in_two_phases([&](void* storage, std::size_t& bytes) {
    return DeviceRadixSort::SortKeys(storage, bytes, both.span().data(), both.span().data(), keys.size());
  });
  both.expect(in_order(keys, positions_in_order(keys)), "keys");
}

/// The call is refused with this code, and the message has these words.
void expect_refused(cudaError_t result, const char* words, cudaError_t code = cudaErrorInvalidValue) {
  EXPECT_EQ(result, code);
  EXPECT_NE(std::string(cub::last_error_message()).find(words), std::string::npos) << cub::last_error_message();
}

SIMT_TEST(cub_radix_sort, refusals_have_a_code_and_a_sentence) {
  const auto keys = random_keys<int>(1000, 9);
  array<int> in(keys), out(keys);
  int* const a = in.span().data();
  int* const b = out.span().data();
  std::size_t bytes = 0;
  expect_refused(DeviceRadixSort::SortKeys(nullptr, bytes, a, b, -1), "num_items is -1; it must be 0 at least");
  expect_refused(DeviceRadixSort::SortKeys(nullptr, bytes, a, b, 10, 0, 33),
                 "the bits [0, 33) do not fit keys of 32 bits");
  expect_refused(DeviceRadixSort::SortKeys(nullptr, bytes, a, b, 10, -1, 8), "the bits [-1, 8)");
  expect_refused(DeviceRadixSort::SortKeys(nullptr, bytes, a, b, 10, 9, 8), "the bits [9, 8)");
  EXPECT_EQ(bytes, 0u) << "a refused question has no answer";
  expect_success(DeviceRadixSort::SortKeys(nullptr, bytes, a, b, 1000));
  testing::guarded_buffer storage(bytes, 0, 0, where);
  int* const none = nullptr;
  expect_refused(DeviceRadixSort::SortKeys(storage.data(), bytes, none, b, 1000), "keys_in is null");
  expect_refused(DeviceRadixSort::SortKeys(storage.data(), bytes, a, a + 1, 1000), "overlap");
  DoubleBuffer<int> buffers(a, none);
  expect_refused(DeviceRadixSort::SortKeys(storage.data(), bytes, buffers, 1000), "keys_out is null");
  EXPECT_EQ(buffers.selector, 0);
  out.expect(keys, "nothing has been written");
}

SIMT_TEST(cub_radix_sort, too_little_storage_is_refused) {
  const auto keys = random_keys<int>(many, 9);
  array<int> in(keys), out(keys);
  std::size_t bytes = 0;
  expect_success(DeviceRadixSort::SortPairs(nullptr, bytes, in.span().data(), out.span().data(), in.span().data(),
                                            out.span().data(), many));
  testing::guarded_buffer storage(bytes, 0, 0, where);
  array<int> values(keys), values_out(keys);
  for (std::size_t given : {std::size_t{1}, bytes / 2})
    expect_refused(DeviceRadixSort::SortPairs(storage.data(), given, in.span().data(), out.span().data(),
                                              values.span().data(), values_out.span().data(), many),
                   "workspace");
  for (std::size_t given : {0u, 1u, 63u}) // at any address
    expect_refused(DeviceRadixSort::SortPairs(storage.data() + 1, given, in.span().data(), out.span().data(),
                                              values.span().data(), values_out.span().data(), many),
                   ("has " + std::to_string(given) + " bytes, fewer than the ").c_str());
  out.expect(keys, "nothing has been written");
}

} // namespace
} // namespace sortile::cub_tests::inline SORTILE_BACKEND
