// Partial sorts, nth_element, ranks and quantiles of segments, rows and columns, held against the same calls on a copy
// of each segment alone, which tests of single arrays hold against the oracle.
#include "tests/expect_refusal.hpp"
#include "tests/rising_progress.hpp"

#include "testing/workloads.hpp"

#include <sortile/select.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace sortile {
namespace {

using testing::expect_invalid;
using testing::expect_refusal;

/// Segments, and for each the places of its elements.
struct cut {
  std::string name;
  segments where;
  std::vector<std::vector<std::size_t>> places{};
};

/// Offsets, with an empty segment, one of a single key, and keys in none; the same as ranges, turned round; rows with a
/// gap; columns.
class cuts {
 public:
  explicit cuts(std::size_t n) : offsets_{2, 2, 3, std::uint32_t(n / 3), std::uint32_t(n / 2), std::uint32_t(n - 1)} {
    for (std::size_t i = 0; i + 1 < offsets_.size(); ++i) {
      begins_.insert(begins_.begin(), offsets_[i]);
      ends_.insert(ends_.begin(), offsets_[i + 1]);
    }
    add("offsets", segments::by_offsets(offsets_));
    add("ranges", segments::by_ranges(begins_, ends_));
    add("rows", segments::rows(6, n / 8, n / 8 + 1));
    add("columns", segments::columns(n / 8, 7, 8));
  }
  const std::vector<cut>& all() const { return all_; }

 private:
  void add(const char* name, const segments& where) {
    cut c{name, where};
    for (std::size_t i = 0; i < where.count; ++i) {
      const bool strided = where.form == segment_form::strided, ranges = where.form == segment_form::ranges;
      const std::size_t first = strided ? i * where.stride : ranges ? begins_[i] : offsets_[i];
      const std::size_t length = strided ? where.length : (ranges ? ends_[i] : offsets_[i + 1]) - first;
      c.places.emplace_back();
      for (std::size_t k = 0; k < length; ++k)
        c.places.back().push_back(first + k * (strided ? where.step : 1));
    }
    all_.push_back(c);
  }

  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint64_t> begins_, ends_;
  std::vector<cut> all_;
};

template <class T>
std::vector<T> taken(const std::vector<T>& from, const std::vector<std::size_t>& places) {
  std::vector<T> some;
  for (const std::size_t place : places)
    some.push_back(from[place]);
  return some;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
std::vector<T> without(std::vector<T> array, const cut& c) {
  for (const auto& places : c.places)
    for (const std::size_t place : places)
      array[place] = T{};
  return array;
}

template <class K>
void select_everything(const char* workload, std::size_t n, const options& opts) {
  const std::vector<K> keys = testing::make_keys<K>(workload, n, n);
  std::vector<std::uint32_t> positions(n);
  std::iota(positions.begin(), positions.end(), 0u);
  for (const cuts all(n); const cut& c : all.all()) {
    const std::size_t k = n / 16;
    SCOPED_TRACE(c.name + " of " + std::to_string(n) + " " + std::string(name(key_type_of<K>)));

    std::vector<K> first = keys, nth = keys;
    std::vector<std::uint32_t> values = positions;
    segment_partial_sort_by_key(first, values, k, c.where, opts);
    segment_nth_element(nth, k, c.where, opts);
    EXPECT_TRUE(same_bits(without(first, c), without(keys, c))) << "outside of all segments";
    EXPECT_TRUE(same_bits(without(nth, c), without(keys, c))) << "outside of all segments";
    const std::size_t ranks[] = {k, 0, 1};
    const bool of_one_length = c.where.form == segment_form::strided;
    const std::vector<K> at = segment_keys_at_ranks(keys, ranks, c.where, opts);
    const std::vector<double> quartiles = segment_quantiles(keys, {0.25, 1}, c.where, quantile_method::linear,
                                                            {.engine = opts.engine, .threads = opts.threads});
    for (std::size_t i = 0; i < c.where.count; ++i) {
      const std::vector<K> own = taken(keys, c.places[i]), found = taken(first, c.places[i]);
      std::vector<std::uint32_t> moved = taken(values, c.places[i]);
      const std::size_t length = own.size(), wanted = std::min(k, length);
      EXPECT_TRUE(same_bits(top_k(own, wanted, opts), top_k(found, wanted, opts))) << "segment " << i;
      EXPECT_TRUE(same_bits(top_k(own, wanted, opts), std::vector<K>(found.begin(), found.begin() + long(wanted))));
      EXPECT_TRUE(same_bits(found, taken(keys, {moved.begin(), moved.end()}))) << "values of segment " << i;
      std::sort(moved.begin(), moved.end());
      EXPECT_TRUE(std::equal(moved.begin(), moved.end(), c.places[i].begin(), c.places[i].end()));

      const std::vector<K> parted = taken(nth, c.places[i]);
      if (k < length) {
        EXPECT_TRUE(same_bits(std::vector{parted[k]}, keys_at_ranks(own, {k}, opts))) << "segment " << i;
        EXPECT_TRUE(same_bits(top_k(parted, k, opts), top_k(own, k, opts)) || std::is_floating_point_v<K>);
      }
      for (std::size_t r = 0; r < 3; ++r)
        EXPECT_TRUE(same_bits(std::vector{at[3 * i + r]},
                              ranks[r] < length ? keys_at_ranks(own, {ranks[r]}, opts) : std::vector<K>(1)))
            << "rank " << ranks[r] << " of segment " << i << (of_one_length ? "" : ", of any length");
      if (length == 0)
        EXPECT_TRUE(std::isnan(quartiles[2 * i]) && std::isnan(quartiles[2 * i + 1]));
      else
        EXPECT_TRUE(same_bits({quartiles[2 * i], quartiles[2 * i + 1]}, quantiles(own, {0.25, 1})));
    }
  }
}

TEST(SegmentSelect, IsThatOfEachSegment) {
  for (const std::size_t n : {std::size_t{24}, std::size_t{1000}, std::size_t{40'000}}) // sorted, some sorted, selected
    for (const order direction : {order::ascending, order::descending}) {
      const options opts{.order = direction, .threads = 3};
      select_everything<std::uint32_t>("few:100", n, opts);
      select_everything<double>("uniform", n, opts);
      select_everything<std::int16_t>("uniform", n, opts);
      select_everything<uint128>("few:9", n, opts);
    }
}

/// All threads take it, after the short ones.
TEST(SegmentSelect, OneLongSegment) {
  const std::size_t n = (std::size_t{1} << 20) + 5;
  const auto keys = testing::make_keys<float>("uniform", n, 1);
  const std::vector<std::uint64_t> offsets{0, 3, n - 2, n};
  const auto middle = segment_median(keys, segments::by_offsets(offsets), {.threads = 2});
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(middle[i], median(std::span(keys).subspan(offsets[i], offsets[i + 1] - offsets[i])));
}

TEST(SegmentSelect, Templates) {
  std::vector<int> v{5, 2, 8, 7, 1, 9};
  const segments rows = segments::rows(2, 3);
  EXPECT_EQ(segment_median(v, rows), (std::vector<double>{5, 7}));
  EXPECT_EQ(segment_median(v, segments::columns(2, 3)), (std::vector<double>{6, 1.5, 8.5}));
  EXPECT_EQ(segment_keys_at_ranks(v, {2, 0}, rows), (std::vector<int>{8, 2, 9, 1}));
  EXPECT_EQ(segment_quantiles(v, {0.5, 1}, rows, quantile_method::lower), (std::vector<double>{5, 8, 7, 9}));
  segment_partial_sort(v, 1, rows, {.order = order::descending});
  EXPECT_EQ(v[0], 8);
  EXPECT_EQ(v[3], 9);
  const std::vector<int> before = v;
  segment_partial_sort(v, 0, rows);
  EXPECT_EQ(v, before);
  const std::vector<std::uint32_t> nothing{0, 0};
  EXPECT_TRUE(std::isnan(segment_median(std::vector<int>(), segments::by_offsets(nothing)).front()));
  segment_partial_sort(v, 100, rows);
  EXPECT_EQ(v, (std::vector<int>{2, 5, 8, 1, 7, 9}));
}

TEST(SegmentSelect, ProgressAndItsEnd) {
  std::vector<std::uint32_t> keys = testing::make_keys<std::uint32_t>("uniform", 50'000, 1);
  testing::rising_progress told;
  options opts{.engine = "cpu", .threads = 1};
  opts.progress = told.callback();
  segment_nth_element(keys, 10, segments::rows(100, 500), opts);
  EXPECT_EQ(told.last(), 1.0);
  opts.progress = [](double) { return false; };
  const auto before = keys;
  EXPECT_THROW(segment_partial_sort(keys, 10, segments::rows(100, 500), opts), cancelled);
  EXPECT_EQ(keys, before); // told before anything has moved
}

TEST(SegmentSelect, Plans) {
  const segments rows = segments::rows(100, 1000), columns = segments::columns(1000, 100);
  const segmented_nth_element_request nth{{.type = key_type::f32, .n = 100'000, .nth = 500}, rows};
  const options cpu{.engine = "cpu"};
  EXPECT_EQ(explain(nth, cpu).engine, "cpu");
  EXPECT_EQ(explain(nth, cpu).steps.back().name, "split");
  EXPECT_EQ(workspace_bytes(nth, cpu), 0u);
  const double half = 0.5;
  EXPECT_EQ(explain(segmented_quantiles_request{{.n = 100'000, .probabilities = {&half, 1}}, columns}, cpu)
                .steps.front()
                .name,
            "transpose");
  const segments short_ones = segments::rows(10'000, 10);
  EXPECT_EQ(explain(segmented_partial_sort_request{{.n = 100'000, .k = 2}, short_ones}, cpu).steps.back().name,
            explain(segmented_request{{.n = 100'000}, short_ones}, cpu).steps.back().name);
  EXPECT_EQ(explain(segmented_quantiles_request{{.n = 100'000, .probabilities = {&half, 1}}, short_ones}, cpu)
                .steps.back()
                .name,
            "copy");
  const std::vector<std::uint32_t> none;
  EXPECT_TRUE(
      explain(segmented_nth_element_request{{.n = 5, .nth = 1}, segments::by_offsets(none)}, cpu).steps.empty());
}

TEST(SegmentSelect, Misuse) {
  std::vector<std::uint32_t> keys(12), offsets{0, 4, 12};
  const segments where = segments::by_offsets(offsets), rows = segments::rows(3, 4);
  expect_invalid([&] { (void)segment_keys_at_ranks(keys, {4}, rows); }, {"rank 4", "n = 4"});
  EXPECT_NO_THROW((void)segment_keys_at_ranks(keys, {4}, where));
  expect_invalid([&] { (void)segment_quantiles(keys, {1.5}, where); }, {"probability 1.5"});
  expect_invalid([&] { (void)segment_median(keys, where, {.order = order::descending}); }, {"quantiles", "order"});
  expect_invalid([&] { segment_nth_element(keys, 1, segments::rows(4, 4)); }, {"reach beyond the arrays' 12"});
  offsets[2] = 13;
  expect_invalid([&] { segment_nth_element(keys, 1, where); }, {"segment 1", "reaches beyond"});
  std::vector<std::uint32_t> many(1000), too_far{0, 500, 1001};
  expect_invalid([&] { (void)segment_median(many, segments::by_offsets(too_far)); }, {"segment 1", "reaches beyond"});
  offsets = {0, 8, 4};
  expect_invalid([&] { segment_partial_sort(keys, 1, where); }, {"segment 1 begins at 8 and ends at 4"});
  offsets = {0, 4, 12};
  expect_invalid([&] { segment_partial_sort(offsets, 1, segments::by_offsets(offsets)); }, {"begins and keys overlap"});
  std::vector<char> few(3);
  expect_invalid([&] { segment_partial_sort_by_key(keys, few, 1, where); }, {"segment_partial_sort_by_key", "values"});
  alignas(workspace_alignment) static std::byte memory[1 << 12];
  expect_invalid([&] { segment_nth_element(keys, 1, where, {.workspace = memory}); }, {"a workspace is given"});
  const std::size_t rank = 0;
  segmented_ranks_request r{{.n = 12, .keys = keys.data(), .ranks = {&rank, 1}, .keys_out = few.data(), .rows = 2},
                            rows};
  expect_invalid([&] { run(r); }, {"rows = 2", "the segments are the rows"});
  r.arrays.rows = 1;
  r.arrays.keys_out = keys.data() + 10;
  expect_invalid([&] { run(r); }, {"keys and keys_out overlap"});
  r.where.form = static_cast<segment_form>(7);
  expect_invalid([&] { run(r); }, {"segment form number 7"});
  expect_refusal<out_of_memory>(
      [&] {
        (void)segment_quantiles(keys, {0.5, 1}, {.count = ~std::size_t{0} - 1, .length = 0});
      },
      status::out_of_memory, {"segment_quantiles"});
}

} // namespace
} // namespace sortile
