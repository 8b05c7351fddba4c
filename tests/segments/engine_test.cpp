// Sorts within segments on the CPU engine: every mix of lengths, every step forced by small tuning, any threads.
#include "cpu/radix_job.hpp"
#include "tests/segments/segment_case.hpp"
#include "tests/short_tests.hpp"

#include <gtest/gtest.h>

namespace sortile::testing {
namespace {

constexpr const char* engine_name = "cpu";

void expect_right(const segment_case& c) {
  try {
    EXPECT_EQ(check(c).complaint, "") << to_string(c);
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what() << " in " << to_string(c);
  }
}

/// So small that short segments go through partitions, and threads share segments.
class small_tuning {
 public:
  explicit small_tuning(cpu::instruction_set widest) {
    cpu::tuning() = {.bucket_bytes = 512,
                     .local_bytes = 2048,
                     .vector_bytes = 4096,
                     .skewed_vector_bytes = 4096,
                     .alone_below_bytes = 1024,
                     .stream_from_bytes = 4096,
                     .widest = widest};
  }
  ~small_tuning() { cpu::tuning() = kept_; }

 private:
  cpu::radix_tuning kept_ = cpu::tuning();
};

TEST(segments_on_cpu, every_mix_of_lengths) {
  for (const std::string& mix : all_length_mixes())
    for (const key_type type : all_key_types)
      for (const std::size_t value_bytes : {0u, 4u, 8u, 5u}) {
        segment_case c{.type = type, .shape = shape_of(mix, 9000, value_bytes + 1), .seed = 7, .engine = engine_name};
        c.workload = is_float(type) ? "specials" : "uniform";
        c.carries = value_bytes == 0 ? payload::none : payload::values;
        c.value_bytes = value_bytes;
        c.in_place = value_bytes != 4;
        expect_right(c);
      }
}

TEST(segments_on_cpu, random_cases) {
  for (std::uint64_t seed = 0; seed < unless_short<std::uint64_t>(3000, 600); ++seed)
    expect_right(random_segment_case(seed, engine_name, seed % 16 == 0 ? 60'000 : 4000));
}

TEST(segments_on_cpu, random_cases_through_every_step) {
  for (const cpu::instruction_set widest : cpu::all_instruction_sets) {
    const small_tuning small(widest);
    for (std::uint64_t seed = 0; seed < unless_short<std::uint64_t>(2000, 500); ++seed) {
      segment_case c = random_segment_case(seed + 10'000 * static_cast<unsigned>(widest), engine_name, 6000);
      c.threads = 1 + unsigned(seed % 4);
      expect_right(c);
    }
  }
}

TEST(segments_on_cpu, tiny_segments_of_every_length) {
  for (std::size_t length = 0; length <= 40; ++length)
    for (const key_type type :
         {key_type::u32, key_type::i32, key_type::f32, key_type::u64, key_type::f64, key_type::u16})
      for (const bool descending : {false, true}) {
        segment_case c{.type = type, .shape = rows_shape(331, length, length), .seed = length, .engine = engine_name};
        c.direction = descending ? order::descending : order::ascending;
        expect_right(c);
        c.workload = is_float(type) ? "specials" : "few:3";
        c.in_place = false;
        expect_right(c);
        c.shape = rows_shape(200, length, length + 3);
        expect_right(c);
      }
}

TEST(segments_on_cpu, columns_of_every_width) {
  for (const std::size_t rows : {1u, 2u, 63u, 64u, 65u, 300u})
    for (const std::size_t columns : {1u, 2u, 17u, 64u, 130u})
      for (const payload carries : {payload::none, payload::values, payload::indices}) {
        segment_case c{.type = key_type::i16,
                       .shape = columns_shape(rows, columns, columns + rows % 3),
                       .seed = rows,
                       .engine = engine_name};
        c.carries = carries;
        c.value_bytes = carries == payload::none ? 0 : carries == payload::indices ? 8 : 3;
        c.in_place = columns % 2 == 0;
        c.own_workspace = true;
        expect_right(c);
      }
}

TEST(segments_on_cpu, a_long_segment_among_millions_of_empty_ones) {
  const std::size_t count = unless_short<std::size_t>(5'000'000, 1'000'000), n = 400'000;
  std::vector<std::uint32_t> offsets(count + 1, 0);
  std::fill(offsets.begin() + static_cast<std::ptrdiff_t>(count / 2), offsets.end(), std::uint32_t{n});
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
  std::vector<std::uint32_t> expected = keys;
  std::sort(expected.begin(), expected.end());
  segment_sort(keys, segments::by_offsets(offsets), {.engine = engine_name});
  EXPECT_EQ(keys, expected);
}

} // namespace
} // namespace sortile::testing
