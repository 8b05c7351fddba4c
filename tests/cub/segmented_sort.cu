// DeviceSegmentedSort and DeviceSegmentedRadixSort: every call, both forms of offsets, empty segments, gaps, windows.
#include "tests/cub/fixture.hpp"

namespace sortile::cub_tests::inline SORTILE_BACKEND {
namespace {

using cub::DeviceSegmentedRadixSort;
using cub::DeviceSegmentedSort;
using cub::DoubleBuffer;

/// Segments of every length that one way of the kernels is for, some empty; with gaps between them where asked.
template <class Offset>
struct segment_lists {
  std::vector<Offset> begins, ends;
  std::size_t n = 0;

  segment_lists(bool gaps, std::size_t longest) {
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{0}, std::size_t{0},
                                     std::size_t{33}, std::size_t{700}, std::size_t{2}, longest, std::size_t{0}}) {
      n += gaps ? 3 : 0;
      begins.push_back(Offset(n));
      n += length;
      ends.push_back(Offset(n));
    }
  }
  /// One more offset than segments, where there are no gaps.
  std::vector<Offset> neighbours() const {
    std::vector<Offset> offsets = begins;
    offsets.push_back(ends.back());
    return offsets;
  }
};

template <class K, class Offset>
struct segment_case {
  segment_lists<Offset> where_they_lie;
  std::vector<K> keys = random_keys<K>(where_they_lie.n, 11);
  std::vector<std::uint32_t> values = numbered<std::uint32_t>(keys.size());

  /// Positions of all elements after the sort; those outside of segments stay.
  std::vector<std::uint64_t> positions(const asked& a) const {
    std::vector<std::uint64_t> all(keys.size());
    std::iota(all.begin(), all.end(), 0u);
    for (std::size_t s = 0; s < where_they_lie.begins.size(); ++s) {
      const std::size_t b = std::size_t(where_they_lie.begins[s]), e = std::size_t(where_they_lie.ends[s]);
      const auto sorted = positions_in_order(keys, a, b, e);
      std::copy(sorted.begin(), sorted.end(), all.begin() + std::ptrdiff_t(b));
    }
    return all;
  }
};

/// Checks calls that take arrays, and DoubleBuffers, on one list of segments.
template <class K, class Offset, class Keys, class Pairs>
void check_calls(const segment_case<K, Offset>& c, const asked& a, const Keys& sort_keys, const Pairs& sort_pairs) {
  const auto positions = c.positions(a);
  const std::size_t n = c.keys.size();
  array<K> in(c.keys), out(c.keys), pairs_out(c.keys), first(c.keys), second(c.keys), third(c.keys), fourth(c.keys);
  array<std::uint32_t> values_in(c.values), values_out(c.values), values_first(c.values), values_second(c.values);
  K* const from = in.span().data();
  in_two_phases(
      [&](void* s, std::size_t& b) { return sort_keys(s, b, static_cast<const K*>(from), out.span().data()); }, 7);
  in.expect(c.keys, "input");
  out.expect(in_order(c.keys, positions), "keys");
  in_two_phases([&](void* s, std::size_t& b) {
    return sort_pairs(s, b, static_cast<const K*>(from), pairs_out.span().data(), values_in.span().data(),
                      values_out.span().data());
  });
  values_in.expect(c.values, "input values");
  pairs_out.expect(in_order(c.keys, positions), "keys of pairs");
  values_out.expect(in_order(c.values, positions), "values");
  DoubleBuffer<K> alone(first.span().data(), second.span().data()), k(third.span().data(), fourth.span().data());
  DoubleBuffer<std::uint32_t> v(values_first.span().data(), values_second.span().data());
  k.selector = n > 0 ? 1 : 0;
  in_two_phases([&](void* s, std::size_t& b) { return sort_keys(s, b, alone); });
  in_two_phases([&](void* s, std::size_t& b) { return sort_pairs(s, b, k, v); });
  (alone.selector == 0 ? first : second).expect(in_order(c.keys, positions), "keys in two buffers");
  (k.selector == 0 ? third : fourth).expect(in_order(c.keys, positions), "keys of pairs in two buffers");
  (v.selector == 0 ? values_first : values_second).expect(in_order(c.values, positions), "values in two buffers");
}

/// How many items and segments there are, and where they begin and end.
template <class Offset>
struct given_segments {
  std::int64_t items, count;
  const Offset *begins, *ends;
};

template <class K, class Offset>
void check_all_calls(const segment_case<K, Offset>& c, const given_segments<Offset>& g) {
  const auto merge = [&](auto&& call) {
    return [&, call](auto&&... x) { return call(x..., g.items, g.count, g.begins, g.ends); };
  };
#define SORTILE_CALLS(NAME) merge([](auto&&... x) { return DeviceSegmentedSort::NAME(x...); })
  check_calls(c, {}, SORTILE_CALLS(SortKeys), SORTILE_CALLS(SortPairs));
  check_calls(c, {.descending = true}, SORTILE_CALLS(SortKeysDescending), SORTILE_CALLS(SortPairsDescending));
  check_calls(c, {}, SORTILE_CALLS(StableSortKeys), SORTILE_CALLS(StableSortPairs));
  check_calls(c, {.descending = true}, SORTILE_CALLS(StableSortKeysDescending),
              SORTILE_CALLS(StableSortPairsDescending));
#undef SORTILE_CALLS
}

template <class K, class Offset>
void check_windows(const segment_case<K, Offset>& c, const given_segments<Offset>& g, int begin, int end) {
  const auto bits = [&](auto&& call) {
    return
        [&, call](auto&&... x) { return call(x..., g.items, g.count, g.begins, g.ends, begin, end, cudaStream_t{}); };
  };
#define SORTILE_CALLS(NAME) bits([](auto&&... x) { return DeviceSegmentedRadixSort::NAME(x...); })
  check_calls(c, {false, begin, end}, SORTILE_CALLS(SortKeys), SORTILE_CALLS(SortPairs));
  check_calls(c, {true, begin, end}, SORTILE_CALLS(SortKeysDescending), SORTILE_CALLS(SortPairsDescending));
#undef SORTILE_CALLS
}

constexpr std::size_t longest = SORTILE_ON_CUDA ? 100'000 : 9000;

SIMT_TEST(cub_segmented_sort, neighbouring_segments) {
  const segment_case<std::uint32_t, int> c{segment_lists<int>(false, longest)};
  array<int> offsets(c.where_they_lie.neighbours());
  const int* const begins = offsets.span().data();
  check_all_calls(c, given_segments<int>{std::int64_t(c.keys.size()), 10, begins, begins + 1});
}

SIMT_TEST(cub_segmented_sort, segments_with_gaps) {
  const segment_case<float, std::int64_t> c{segment_lists<std::int64_t>(true, 900)};
  array<std::int64_t> begins(c.where_they_lie.begins), ends(c.where_they_lie.ends);
  check_all_calls(
      c, given_segments<std::int64_t>{std::int64_t(c.keys.size()), 10, begins.span().data(), ends.span().data()});
}

SIMT_TEST(cub_segmented_sort, windows_of_bits) {
  const segment_case<std::int64_t, unsigned> c{segment_lists<unsigned>(true, 2000)};
  array<unsigned> begins(c.where_they_lie.begins), ends(c.where_they_lie.ends);
  const given_segments<unsigned> g{std::int64_t(c.keys.size()), 10, begins.span().data(), ends.span().data()};
  check_windows(c, g, 0, 64);
  check_windows(c, g, 5, 40);
  check_windows(c, g, 33, 33);
}

SIMT_TEST(cub_segmented_sort, half_floats) {
  const segment_case<__half, int> c{segment_lists<int>(false, 1000)};
  array<int> offsets(c.where_they_lie.neighbours());
  const int* const begins = offsets.span().data();
  check_windows(c, given_segments<int>{std::int64_t(c.keys.size()), 10, begins, begins + 1}, 0, 16);
}

SIMT_TEST(cub_segmented_sort, none_and_what_is_refused) {
  int* const none = nullptr;
  in_two_phases([&](void* s, std::size_t& b) {
    return DeviceSegmentedSort::SortPairs(s, b, none, none, none, none, 0, 0, none, none);
  });
  std::size_t bytes = 0;
  EXPECT_EQ(DeviceSegmentedSort::SortKeys(nullptr, bytes, none, none, 10, -2, none, none), cudaErrorInvalidValue);
  EXPECT_NE(std::string(cub::last_error_message()).find("num_segments is -2"), std::string::npos);
  EXPECT_EQ(DeviceSegmentedRadixSort::SortKeys(nullptr, bytes, none, none, 10, 2, none, none, 0, 40),
            cudaErrorInvalidValue);
}

} // namespace
} // namespace sortile::cub_tests::inline SORTILE_BACKEND
