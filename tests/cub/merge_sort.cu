// DeviceMergeSort: every call, by functors of numbers and of structs.
#include "tests/cub/fixture.hpp"

namespace sortile::cub_tests::inline SORTILE_BACKEND {
namespace {

using cub::DeviceMergeSort;

struct item {
  std::uint32_t key, number;
};
/// As CUB's documents have functors: not const.
struct smaller_key {
  SORTILE_HOST_DEVICE bool operator()(const item& a, const item& b) { return a.key < b.key; }
};
struct greater {
  SORTILE_HOST_DEVICE int operator()(int a, int b) const { return a > b; }
};

std::vector<item> items(std::size_t n) {
  const auto keys = random_keys<std::uint32_t>(n, n);
  std::vector<item> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = {keys[i] % 1000, std::uint32_t(i)};
  return v;
}

template <class T, class V, class Op>
void check_calls(const std::vector<T>& keys, const std::vector<V>& values, Op less) {
  const std::size_t n = keys.size();
  SCOPED_TRACE(n);
  std::vector<std::uint64_t> positions(n);
  std::iota(positions.begin(), positions.end(), 0u);
  std::stable_sort(positions.begin(), positions.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return bool(less(keys[a], keys[b])); });
  const auto sorted = in_order(keys, positions);
  array<T> in(keys), out(n);
  array<V> values_in(values), values_out(n);
  const auto expect_in_place = [&](const char* what, const auto& call) {
    array<T> both(keys);
    in_two_phases([&](void* storage, std::size_t& bytes) { return call(storage, bytes, both.span().data()); }, 1);
    both.expect(sorted, what);
  };
  const auto expect_pairs_in_place = [&](const char* what, const auto& call) {
    array<T> both(keys);
    array<V> values_both(values);
    in_two_phases([&](void* storage, std::size_t& bytes) {
      return call(storage, bytes, both.span().data(), values_both.span().data());
    });
    both.expect(sorted, what);
    values_both.expect(in_order(values, positions), what);
  };
  const auto expect_copy = [&](const char* what, const auto& call) {
    array<T> copy(n);
    in_two_phases([&](void* storage, std::size_t& bytes) {
      return call(storage, bytes, static_cast<const T*>(in.span().data()), copy.span().data());
    });
    in.expect(keys, what);
    copy.expect(sorted, what);
  };
  expect_in_place("SortKeys",
                  [&](void* s, std::size_t& b, T* k) { return DeviceMergeSort::SortKeys(s, b, k, n, less); });
  expect_in_place("StableSortKeys", [&](void* s, std::size_t& b, T* k) {
    return DeviceMergeSort::StableSortKeys(s, b, k, int(n), less);
  });
  expect_copy("SortKeysCopy", [&](void* s, std::size_t& b, const T* i, T* o) {
    return DeviceMergeSort::SortKeysCopy(s, b, i, o, std::int64_t(n), less);
  });
  expect_copy("StableSortKeysCopy", [&](void* s, std::size_t& b, const T* i, T* o) {
    return DeviceMergeSort::StableSortKeysCopy(s, b, i, o, unsigned(n), less, cudaStream_t{});
  });
  expect_pairs_in_place("SortPairs", [&](void* s, std::size_t& b, T* k, V* v) {
    return DeviceMergeSort::SortPairs(s, b, k, v, n, less);
  });
  expect_pairs_in_place("StableSortPairs", [&](void* s, std::size_t& b, T* k, V* v) {
    return DeviceMergeSort::StableSortPairs(s, b, k, v, n, less);
  });
  in_two_phases([&](void* s, std::size_t& b) {
    return DeviceMergeSort::SortPairsCopy(s, b, in.span().data(), values_in.span().data(), out.span().data(),
                                          values_out.span().data(), n, less);
  });
  in.expect(keys, "input");
  values_in.expect(values, "input values");
  out.expect(sorted, "SortPairsCopy");
  values_out.expect(in_order(values, positions), "values of SortPairsCopy");
}

SIMT_TEST(cub_merge_sort, every_call_by_a_functor_of_structs) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{300}, many / 3})
    check_calls(items(n), numbered<double>(n), smaller_key{});
}

SIMT_TEST(cub_merge_sort, every_call_by_a_functor_of_numbers) {
  check_calls(random_keys<int>(5000, 2), numbered<std::uint16_t>(5000), greater{});
}

SIMT_TEST(cub_merge_sort, refuses_what_cannot_be) {
  array<int> keys(random_keys<int>(many, 3));
  std::size_t bytes = 0;
  EXPECT_EQ(DeviceMergeSort::SortKeys(nullptr, bytes, keys.span().data(), -3, greater{}), cudaErrorInvalidValue);
  expect_success(DeviceMergeSort::SortKeys(nullptr, bytes, keys.span().data(), many, greater{}));
  EXPECT_GE(bytes, many * sizeof(int));
  testing::guarded_buffer storage(bytes, 0, 0, where);
  bytes /= 2;
  EXPECT_EQ(DeviceMergeSort::SortKeys(storage.data(), bytes, keys.span().data(), many, greater{}),
            cudaErrorInvalidValue);
  EXPECT_NE(std::string(cub::last_error_message()).find("workspace"), std::string::npos);
}

} // namespace
} // namespace sortile::cub_tests::inline SORTILE_BACKEND
