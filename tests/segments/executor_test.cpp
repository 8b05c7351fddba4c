// The kernels of sorts within segments on the executor: every mix of lengths, every class of lengths at its edges,
// skewed keys through every level of the partitions, offsets that make no segments, and all of it under many schedules.
#include "gpu/segmented_sort.hpp"
#include "kernels/segments/segmented_sort.hpp"
#include "simt/executor/device.hpp"
#include "testing/workloads.hpp"
#include "tests/segments/segment_case.hpp"
#include "tests/short_tests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace sortile::testing {
namespace {

constexpr const char* engine_name = "executor";

void expect_right(const segment_case& c, const segment_runner& runner = {}) {
  try {
    EXPECT_EQ(check(c, runner).complaint, "") << to_string(c);
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what() << " in " << to_string(c);
  }
}

/// The kernels on an executor of the test's own, with a guarded workspace that is as large as it has to be.
struct on_executor {
  executor::device& device;
  std::uint32_t* status = nullptr;

  void operator()(const segmented_request& request, const options& opts) const {
    segmented_request told = request;
    told.arrays.device_status = status;
    const gpu::device_segmented_sort sort(told, opts);
    guarded_buffer space(sort.workspace_bytes(), 0, 99);
    sort.launch(simt::queue::executor(device), space.data(), status);
    EXPECT_EQ(space.damage(), "");
  }
};

TEST(segments_on_executor, every_mix_of_lengths) {
  one_in taken(5);
  for (const std::string& mix : all_length_mixes())
    for (const key_type type :
         {key_type::u8, key_type::f16, key_type::u32, key_type::f32, key_type::i64, key_type::u128})
      for (const std::size_t value_bytes : {0u, 4u}) {
        if (!taken())
          continue;
        segment_case c{.type = type,
                       .shape = shape_of(mix, unless_short<std::size_t>(30'000, 12'000), value_bytes + 1),
                       .seed = 7,
                       .engine = engine_name};
        c.workload = is_float(type) ? "specials" : "uniform";
        c.carries = value_bytes == 0 ? payload::none : payload::values;
        c.value_bytes = value_bytes;
        c.in_place = value_bytes == 0;
        expect_right(c);
      }
}

/// Arrays of up to what a block holds, at the edges of every class, as long as a segment may be.
TEST(segments_on_executor, few_segments_of_short_arrays) {
  one_in taken(3);
  for (const bool placed : {false, true})
    for (const std::uint32_t most : kernels::detail::segment_classes::of(4, placed).most)
      for (const std::size_t n : {most - 1, most, most + 1})
        for (const char* const workload : {"uniform", "few:3"})
          for (const bool checked : {false, true}) {
            if (!taken())
              continue;
            segment_case c{.type = key_type::u32, .shape = {}, .workload = workload, .seed = n, .engine = engine_name};
            c.shape.n = n;
            for (std::size_t at = 3, length = 0; at < n; at += length, length = length * 3 + 1)
              if (at + length <= n) {
                c.shape.begins.push_back(at);
                c.shape.ends.push_back(at + length);
              }
            c.carries = placed ? payload::indices : payload::none;
            c.value_bytes = placed ? 4 : 0;
            c.in_place = !placed && n % 2 == 0;
            c.checked = checked;
            expect_right(c);
            c.shape = scattered(c.shape, n);
            expect_right(c);
            c.shape.n = n;
            c.shape.begins = {0}; // all of it
            c.shape.ends = {n};
            expect_right(c);
          }
}

TEST(segments_on_executor, random_cases) {
  for (std::uint64_t seed = 0; seed < unless_short<std::uint64_t>(400, 100); ++seed)
    expect_right(random_segment_case(seed + 70'000, engine_name, seed % 8 == 0 ? 40'000 : 3000));
}

TEST(segments_on_executor, rows_at_the_edges_of_every_class) {
  std::set<std::size_t> edges{4, 8, 16};
  for (const bool placed : {false, true}) {
    const auto classes = kernels::detail::segment_classes::of(4, placed);
    edges.insert(classes.tiny);
    edges.insert(std::begin(classes.most), std::end(classes.most));
  }
  for (const std::size_t edge : edges)
    for (const std::size_t length : {edge - 1, edge, edge + 1})
      for (const payload carries : {payload::none, payload::indices}) {
        segment_case c{
            .type = key_type::u32, .shape = rows_shape(3, length, length + 2), .seed = length, .engine = engine_name};
        c.carries = carries;
        c.value_bytes = carries == payload::none ? 0 : 8;
        c.keys_wanted = length % 2 == 0;
        if (carries == payload::none)
          c.keys_wanted = true;
        expect_right(c);
        c.type = key_type::f64;
        c.workload = "specials";
        expect_right(c);
      }
}

TEST(segments_on_executor, skewed_keys_through_every_level) {
  one_in taken(5);
  for (const char* const workload : {"equal", "few:3", "two-values", "and:5", "window:0:8", "sorted", "equal-but-one"})
    for (const key_type type : {key_type::u16, key_type::u32, key_type::u64, key_type::u128})
      for (const payload carries : {payload::none, payload::indices}) {
        if (!taken())
          continue;
        segment_case c{.type = type,
                       .shape = shape_of("huge-within", 26'000, 4),
                       .workload = workload,
                       .seed = 5,
                       .engine = engine_name};
        c.carries = carries;
        c.value_bytes = carries == payload::none ? 0 : 4;
        c.in_place = carries == payload::none;
        expect_right(c);
        c.in_place = false;
        c.keys_wanted = carries == payload::none;
        expect_right(c);
      }
}

/// Ranges of images that leave no room for places: words tell too little, and an order by them has to be put right,
/// where few neighbours are tied and where many are.
TEST(segments_on_executor, keys_that_words_do_not_tell) {
  one_in taken(5);
  for (const char* const workload : {"outliers:20", "outliers:3", "two-buckets", "and:3", "clusters", "few:5"})
    for (const key_type type : {key_type::u16, key_type::u32, key_type::i64, key_type::f64, key_type::u128})
      for (const payload carries : {payload::indices, payload::none})
        for (const std::size_t length : {4, 8, 13, 16, 24, 31, 40, 64, 100, 128, 200, 256, 500, 512}) {
          if (!taken())
            continue;
          segment_case c{.type = type,
                         .shape = rows_shape(70, length, length + 1),
                         .workload = workload,
                         .seed = length,
                         .engine = engine_name};
          c.carries = carries;
          c.value_bytes = carries == payload::none ? 0 : 4;
          c.direction = length % 3 == 0 ? order::descending : order::ascending;
          c.in_place = length % 4 == 0;
          expect_right(c);
          c.shape = shape_of("often-wide", 3000, length);
          expect_right(c);
        }
}

/// Floats alone are told by their bits, but for −0 and NaNs, which all or a few of the warps meet.
TEST(segments_on_executor, keys_that_bits_do_not_tell) {
  one_in taken(2);
  for (const char* const workload : {"nan:0.003", "nan:0.5", "zeros:0.003", "zeros:0.5", "specials", "nearly-sorted"})
    for (const key_type type : {key_type::f16, key_type::f32, key_type::f64})
      for (const order direction : {order::ascending, order::descending})
        for (const std::size_t length : {3, 12, 20, 32, 40, 100, 200, 500, 900, 2000, 20'000}) {
          if (!taken())
            continue;
          segment_case c{.type = type,
                         .shape = rows_shape(2 + 3000 / length, length, length),
                         .workload = workload,
                         .seed = length,
                         .direction = direction,
                         .engine = engine_name};
          c.in_place = length % 3 == 0;
          expect_right(c);
        }
}

/// Of few magnitudes by value, of many, and skewed integers: what counted cells make even, and what they do not.
TEST(segments_on_executor, continuous_distributions_in_blocks) {
  for (const char* const workload : {"unit", "normal", "lognormal", "exponential", "few:16"})
    for (const key_type type : {key_type::u32, key_type::f32, key_type::f64})
      for (const payload carries : {payload::none, payload::indices})
        for (const std::size_t length : {700, 1024, 4000}) {
          if (std::string(workload) == "unit" && !is_float(type))
            continue;
          segment_case c{.type = type,
                         .shape = rows_shape(3, length, length + 1),
                         .workload = workload,
                         .seed = length,
                         .engine = engine_name};
          c.carries = carries;
          c.value_bytes = carries == payload::none ? 0 : 4;
          expect_right(c);
        }
}

/// A sample of every thirty-ninth key that tells nothing of the others: below and above its range all bits are left.
TEST(segments_on_executor, floats_beyond_the_range_of_a_sample) {
  constexpr std::size_t n = 40'000, apart = (n - 1) / 1023;
  for (const float others : {1e9f, -1e9f}) {
    std::vector<float> keys(n);
    for (std::size_t i = 0; i < n; ++i)
      keys[i] = i % apart == 0 ? 1.0f : others * static_cast<float>(1 + random_bits(3, i) % 65'521);
    std::vector<float> expected = keys;
    std::sort(expected.begin(), expected.end());
    sortile::segment_sort(keys, segments::rows(1, n), {.engine = std::string(engine_name)});
    EXPECT_EQ(keys, expected);
  }
}

TEST(segments_on_executor, values_of_every_width_through_partitions) {
  for (const std::size_t bytes : {4u, 8u, 16u})
    for (const bool in_place : {false, true}) {
      segment_case c{
          .type = key_type::u32, .shape = shape_of("huge-first", 40'000, 4), .seed = bytes, .engine = engine_name};
      c.carries = payload::values;
      c.value_bytes = bytes;
      c.in_place = in_place;
      c.own_workspace = true;
      expect_right(c);
    }
}

TEST(segments_on_executor, under_many_schedules) {
  const unsigned seeds = unless_short(24u, 6u);
  for (unsigned seed = 1; seed <= seeds && !HasFailure(); ++seed) {
    executor::device checked({.seed = seed, .checks = executor::all_checks});
    for (const char* const mix : {"tiny", "edges", "alternating"})
      for (const std::size_t value_bytes : {0u, 4u}) {
        segment_case c{
            .type = seed % 2 == 0 ? key_type::u32 : key_type::f64, .shape = shape_of(mix, 3000, seed), .seed = seed};
        c.carries = value_bytes == 0 ? payload::none : payload::values;
        c.value_bytes = value_bytes;
        expect_right(c, on_executor{checked});
      }
    segment_case columns{.type = key_type::u32, .shape = columns_shape(70, 40, 41), .seed = seed};
    columns.carries = payload::indices;
    columns.value_bytes = 8;
    expect_right(columns, on_executor{checked});
    segment_case large{
        .type = key_type::u32, .shape = shape_of("huge-within", 18'000, seed), .workload = "and:3", .seed = seed};
    large.carries = payload::indices;
    large.value_bytes = 4;
    expect_right(large, on_executor{checked});
  }
}

/// Offsets as only a device can meet them: nothing outside the arrays is touched, and the status tells.
TEST(segments_on_executor, offsets_that_make_no_segments_are_told) {
  executor::device fast;
  const auto status_of = [&](const std::vector<std::uint64_t>& offsets, std::size_t n = 30'000) {
    guarded_buffer keys(n * 4, 4, 3), out(n * 4, 4, 5), values(n * 4, 4, 4);
    std::uint32_t status = 77;
    const segmented_request request{{.type = key_type::u32,
                                     .n = n,
                                     .keys_in = keys.data(),
                                     .keys_out = out.data(),
                                     .carries = payload::indices,
                                     .value_bytes = 4,
                                     .values_out = values.data()},
                                    segments::by_offsets(offsets)};
    on_executor{fast, &status}(request, {});
    EXPECT_EQ(keys.damage() + out.damage() + values.damage(), "");
    return status;
  };
  EXPECT_EQ(status_of({0, 5, 100, 20'000, 30'000}), 0u);
  EXPECT_EQ(status_of({0, 5, 3, 20'000, 30'000}), 1u);
  EXPECT_EQ(status_of({0, 5, 20'000, 30'001}), 1u);
  EXPECT_EQ(status_of({0, 5, ~std::uint64_t{0}}), 1u);
  for (const std::size_t n : {20u, 300u, 5000u}) { // which takes no lists where nobody asks
    EXPECT_EQ(status_of({0, 5, 5, n}, n), 0u) << n;
    EXPECT_EQ(status_of({0, 5, 3, n}, n), 1u) << n;
    EXPECT_EQ(status_of({0, 5, n + 1}, n), 1u) << n;
  }
  std::vector<std::uint64_t> overlapping; // more long segments than there is room for
  for (int i = 0; i < 200; ++i)
    overlapping.insert(overlapping.end(), {0, 30'000});
  EXPECT_EQ(status_of(overlapping), 1u);
  for (auto& offset : overlapping)
    offset = offset == 0 ? 100 : 1500;
  EXPECT_EQ(status_of(overlapping), 1u);
}

/// Where nobody asks, they are cut off all the same.
TEST(segments_on_executor, offsets_that_make_no_segments_are_cut_off) {
  executor::device checked({.seed = 5, .checks = executor::all_checks});
  for (const std::size_t n : {20u, 100u, 600u, 5000u, 16'384u, 20'000u})
    for (const payload carries : {payload::none, payload::indices}) {
      guarded_buffer keys(n * 4, 4, 3), out(n * 4, 4, 5), values(n * 4, 4, 4);
      std::vector<std::uint32_t> expected(n);
      std::memcpy(expected.data(), keys.data(), n * 4);
      std::sort(expected.begin() + std::ptrdiff_t(n / 2), expected.end());
      const std::vector<std::uint64_t> begins{n - 1, n + 5, ~std::uint64_t{0}, n / 2, n},
          ends{1, n + 9, 3, n + 100, ~std::uint64_t{0}};
      const segmented_request request{{.type = key_type::u32,
                                       .n = n,
                                       .keys_in = keys.data(),
                                       .keys_out = out.data(),
                                       .carries = carries,
                                       .value_bytes = carries == payload::none ? 0u : 4u,
                                       .values_out = carries == payload::none ? nullptr : values.data()},
                                      segments::by_ranges(begins, ends)};
      on_executor{checked}(request, {});
      EXPECT_EQ(keys.damage() + out.damage() + values.damage(), "");
      EXPECT_EQ(std::memcmp(static_cast<const std::uint32_t*>(static_cast<const void*>(out.data())) + n / 2,
                            expected.data() + n / 2, (n - n / 2) * 4),
                0)
          << n;
    }
}

TEST(segments_on_executor, workspace_is_enough_for_what_is_asked_and_no_more_is_touched) {
  for (const std::size_t length : {10u, 100u, 1000u, 5000u, 20'000u}) {
    segment_case c{
        .type = key_type::u64, .shape = rows_shape(2, length, length), .seed = length, .engine = engine_name};
    c.carries = payload::indices;
    c.value_bytes = 4;
    c.keys_wanted = false;
    c.own_workspace = true;
    expect_right(c);
  }
}

} // namespace
} // namespace sortile::testing
