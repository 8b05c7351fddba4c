// The same call of CUB's and of this library's, letter for letter but for the namespace: the same bytes come out.
//
// Floats are without NaN, which CUB orders by their bits.
#include "tests/cub/fixture.hpp"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

namespace sortile::cub_tests::inline SORTILE_BACKEND {
namespace {

constexpr std::size_t n = 400'000;

/// Calls of CUB write to `theirs`, ours to `ours`.
template <class T>
struct results {
  array<T> ours{n}, theirs{n};
  void expect_equal(const char* what) {
    EXPECT_EQ(std::memcmp(ours.span().data(), theirs.span().data(), n * sizeof(T)), 0) << what;
  }
};

std::vector<float> plain_floats() {
  auto keys = random_keys<float>(n, 21);
  for (float& key : keys)
    if (std::isnan(key))
      key = -1;
  return keys;
}

struct less_magnitude {
  SORTILE_DEVICE bool operator()(const float& a, const float& b) { return fabsf(a) < fabsf(b); }
};
struct pair {
  int number;
  float value;
};
struct by_both {
  SORTILE_HOST_DEVICE cuda::std::tuple<float&, int&> operator()(pair& key) const { return {key.value, key.number}; }
};

SIMT_TEST(cub_itself, radix_sort_of_pairs) {
  array<std::uint32_t> values(numbered(n));
  results<float> out;
  results<std::uint32_t> values_out;
  for (const bool window : {false, true}) {
    const int b = window ? 9 : 0, e = window ? 25 : 32;
    SCOPED_TRACE(b);
    auto floats = plain_floats();
    if (window) // by a window, descending, CUB takes both zeros for -0, and we for +0
      std::replace(floats.begin(), floats.end(), 0.0f, 1.0f);
    array<float> keys(floats);
    in_two_phases([&](void* s, std::size_t& bytes) {
      return ::cub::DeviceRadixSort::SortPairsDescending(s, bytes, keys.span().data(), out.theirs.span().data(),
                                                         values.span().data(), values_out.theirs.span().data(), n, b,
                                                         e);
    });
    in_two_phases([&](void* s, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairsDescending(s, bytes, keys.span().data(), out.ours.span().data(),
                                                       values.span().data(), values_out.ours.span().data(), n, b, e);
    });
    out.expect_equal("keys");
    values_out.expect_equal("values");
  }
}

SIMT_TEST(cub_itself, radix_sort_by_a_decomposer) {
  const auto floats = plain_floats();
  std::vector<pair> pairs(n);
  for (std::size_t i = 0; i < n; ++i)
    pairs[i] = {int(7919 * i % 100'003) - 50'000, floats[i]};
  array<pair> keys(pairs);
  results<pair> out;
  in_two_phases([&](void* s, std::size_t& bytes) {
    return ::cub::DeviceRadixSort::SortKeys(s, bytes, keys.span().data(), out.theirs.span().data(), n, by_both{}, 3,
                                            50);
  });
  in_two_phases([&](void* s, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(s, bytes, keys.span().data(), out.ours.span().data(), n, by_both{}, 3, 50);
  });
  out.expect_equal("a window");
  in_two_phases([&](void* s, std::size_t& bytes) {
    return ::cub::DeviceRadixSort::SortKeys(s, bytes, keys.span().data(), out.theirs.span().data(), n, by_both{});
  });
  in_two_phases([&](void* s, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(s, bytes, keys.span().data(), out.ours.span().data(), n, by_both{});
  });
  out.expect_equal("all members");
}

SIMT_TEST(cub_itself, merge_sort) {
  array<float> keys(plain_floats());
  results<float> out;
  in_two_phases([&](void* s, std::size_t& bytes) {
    return ::cub::DeviceMergeSort::StableSortKeysCopy(s, bytes, keys.span().data(), out.theirs.span().data(), n,
                                                      less_magnitude{});
  });
  in_two_phases([&](void* s, std::size_t& bytes) {
    return cub::DeviceMergeSort::StableSortKeysCopy(s, bytes, keys.span().data(), out.ours.span().data(), n,
                                                    less_magnitude{});
  });
  out.expect_equal("keys");
}

SIMT_TEST(cub_itself, segmented_sort_of_pairs) {
  const auto keys_of_host = random_keys<std::uint64_t>(n, 22);
  array<std::uint64_t> keys(keys_of_host);
  array<std::uint32_t> values(numbered(n));
  std::vector<int> offsets{0};
  for (unsigned i = 0; std::size_t(offsets.back()) < n; ++i)
    offsets.push_back(std::min(int(n), offsets.back() + int(i % 3 == 0 ? 0 : i * i % 5003)));
  array<int> d_offsets(offsets);
  const int* const begins = d_offsets.span().data();
  const auto segments = std::int64_t(offsets.size() - 1);
  results<std::uint64_t> out;
  results<std::uint32_t> values_out;
  in_two_phases([&](void* s, std::size_t& bytes) {
    return ::cub::DeviceSegmentedSort::StableSortPairs(s, bytes, keys.span().data(), out.theirs.span().data(),
                                                       values.span().data(), values_out.theirs.span().data(),
                                                       std::int64_t(n), segments, begins, begins + 1);
  });
  in_two_phases([&](void* s, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::StableSortPairs(s, bytes, keys.span().data(), out.ours.span().data(),
                                                     values.span().data(), values_out.ours.span().data(),
                                                     std::int64_t(n), segments, begins, begins + 1);
  });
  out.expect_equal("keys");
  values_out.expect_equal("values");
}

} // namespace
} // namespace sortile::cub_tests::inline SORTILE_BACKEND
