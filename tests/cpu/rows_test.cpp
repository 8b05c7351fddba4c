// The order of rows by several columns against the oracle: one word, several, ties, ranks of few values.
#include "cpu/cpu_engine.hpp"
#include "testing/guarded_buffer.hpp"
#include "testing/oracle.hpp"
#include "testing/workloads.hpp"
#include "tests/rising_progress.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace sortile {
namespace {

using testing::guarded_buffer;

struct test_column {
  key_type type;
  order direction;
  const char* workload;
  bool with_extremes = false; ///< all bits clear, and all set, in some rows
};

void check(const std::vector<test_column>& wanted_columns, std::size_t n, std::size_t index_bytes, std::uint64_t seed,
           unsigned threads) {
  std::vector<guarded_buffer> data;
  std::vector<column> columns;
  std::vector<testing::oracle_column> oracle;
  for (const test_column& c : wanted_columns) {
    data.emplace_back(n * key_bytes(c.type), key_bytes(c.type) % 64);
    testing::workload_named(c.workload).fill({c.type, n, seed + data.size()}, 0, n, data.back().data());
    for (std::size_t i = 0; c.with_extremes && i < n; i += 997)
      std::memset(data.back().data() + i * key_bytes(c.type), i % 2 == 0 ? 0 : 0xff, key_bytes(c.type));
    columns.push_back({c.type, data.back().data(), c.direction});
    oracle.push_back({{c.type, c.direction, {}}, data.back().data()});
  }
  guarded_buffer indices(n * index_bytes, index_bytes);
  testing::rising_progress progress;
  options opts;
  opts.progress = progress.callback();
  cpu::argsort_rows({n, columns, indices.data(), index_bytes}, opts, threads);
  EXPECT_EQ(progress.last(), 1.0);
  EXPECT_EQ(indices.damage(), "");
  const auto wanted = testing::stable_row_order(oracle, n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t index = 0;
    std::memcpy(&index, indices.data() + i * index_bytes, index_bytes);
    ASSERT_EQ(index, wanted[i]) << "row " << i << " of " << n << ", " << columns.size() << " columns, seed " << seed
                                << ", " << threads << " threads";
  }
}

constexpr order up = order::ascending, down = order::descending;

TEST(Rows, RandomColumns) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 200 && !::testing::Test::HasFatalFailure(); ++i) {
    std::vector<test_column> columns(1 + random() % 12);
    for (test_column& c : columns) {
      c.type = all_key_types[random() % std::size(all_key_types)];
      c.direction = random() % 2 == 0 ? up : down;
      c.workload = is_float(c.type) && random() % 2 == 0 ? "specials" : random() % 4 == 0 ? "equal" : "few:3";
    }
    check(columns, random() % 600, random() % 2 == 0 ? 4 : 8, random(), 1 + static_cast<unsigned>(random() % 3));
  }
}

TEST(Rows, OneWordOf32And64Bits) {
  check({{key_type::u32, down, "few:3"}, {key_type::f64, up, "few:3"}, {key_type::i16, up, "few:50"}}, 60'000, 4, 1, 2);
  check({{key_type::u16, down, "uniform"}, {key_type::i8, up, "uniform"}, {key_type::f32, up, "specials"}}, 60'000, 8,
        2, 3);
}

/// Fewer rows than have their values ranked, so that each column of 64 bits is a word by itself, and groups are tied.
TEST(Rows, TiesByOneToEightThreads) {
  for (unsigned threads = 1; threads <= 8; ++threads)
    check({{key_type::u64, up, "few:3"},
           {key_type::f64, down, "specials"},
           {key_type::i128, down, "few:20"},
           {key_type::i64, up, "root-dup"},
           {key_type::u128, up, "uniform"}},
          20'000, threads % 2 == 0 ? 4 : 8, threads, threads);
}

TEST(Rows, FirstColumnsAllEqualOrAllDifferent) {
  for (const unsigned threads : {1u, 4u}) {
    check({{key_type::u64, up, "equal"}, {key_type::f64, down, "equal"}}, 20'000, 4, 1, threads);
    check({{key_type::u64, up, "equal"}, {key_type::i128, down, "equal"}, {key_type::u64, down, "uniform"}}, 20'000, 4,
          2, threads);
    check({{key_type::u64, down, "uniform"}, {key_type::u64, up, "uniform"}}, 20'000, 8, 3, threads);
    check({{key_type::u64, up, "sorted"}, {key_type::u64, up, "uniform"}}, 70'000, 4, 4, threads);
    check({{key_type::i128, up, "few:2"}, {key_type::u128, down, "sorted"}}, 70'000, 4, 5, threads);
  }
}

/// Enough rows for ranks; as many values as make tables grow, and more than they hold.
TEST(Rows, FewValues) {
  for (const char* const values : {"few:50", "few:3000", "few:16000", "few:20000", "zipf"})
    for (const order direction : {up, down})
      check({{key_type::u64, direction, values},
             {key_type::f64, direction, "few:100"},
             {key_type::f32, up, "specials"},
             {key_type::i32, down, values}},
            70'000, 4, 7, 3);
}

/// Ranges that need all bits, as those do that are not read.
TEST(Rows, WholeRanges) {
  for (const key_type type : all_key_types)
    for (const order direction : {up, down})
      check({{type, direction, "uniform", true}, {key_type::u64, direction, "uniform", true}}, 40'000, 4, 9, 2);
}

TEST(Rows, OneColumn) {
  for (const key_type type : all_key_types)
    check({{type, type == key_type::f32 ? down : up, is_float(type) ? "specials" : "few:200"}}, 40'000, 8, 3, 2);
}

} // namespace
} // namespace sortile
