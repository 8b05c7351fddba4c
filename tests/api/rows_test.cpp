// Rows ordered by several keys, and permutations, against the oracle.
#include "testing/guarded_buffer.hpp"
#include "testing/oracle.hpp"
#include "testing/workloads.hpp"
#include "tests/expect_refusal.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace sortile::testing {
namespace {

constexpr const char* coarse[] = {"few:3", "few:20", "sorted", "equal", "root-dup", "zipf"};

/// Columns of random types, directions and workloads with few distinct keys, so that ties reach the last one.
struct table {
  table(std::uint64_t seed, std::size_t n, std::size_t width) {
    for (std::size_t c = 0; c < width; ++c) {
      const std::uint64_t draw = random_bits(seed, c);
      const key_type type = all_key_types[draw % std::size(all_key_types)];
      const order direction = (draw >> 8) % 2 == 0 ? order::ascending : order::descending;
      const char* workload =
          is_float(type) && (draw >> 16) % 3 == 0 ? "specials" : coarse[(draw >> 24) % std::size(coarse)];
      data.emplace_back(n * key_bytes(type), key_bytes(type));
      workload_named(workload).fill({type, n, draw}, 0, n, data.back().data());
      columns.push_back({type, data.back().data(), direction});
      oracle.push_back({{type, direction}, data.back().data()});
    }
  }
  std::vector<guarded_buffer> data;
  std::vector<column> columns;
  std::vector<oracle_column> oracle;
};

TEST(argsort_rows, equals_the_oracle) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const std::size_t n = seed % 10 == 0 ? 40'000 : random_bits(seed, 99) % 800;
    const table t(seed, n, 1 + seed % 5);
    const std::vector<std::uint64_t> expected = stable_row_order(t.oracle, n);
    const std::size_t index_bytes = seed % 2 == 0 ? 4 : 8;
    guarded_buffer indices(n * index_bytes, index_bytes);
    run(rows_request{.n = n, .columns = t.columns, .indices_out = indices.data(), .index_bytes = index_bytes},
        {.threads = static_cast<unsigned>(seed % 4)});
    EXPECT_EQ(indices.damage(), "");
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t index = 0;
      std::memcpy(&index, indices.data() + i * index_bytes, index_bytes);
      ASSERT_EQ(index, expected[i]) << "row " << i << " of " << n << ", seed " << seed;
    }
  }
}

TEST(sort_rows, rearranges_every_column) {
  std::vector<std::int32_t> size = {5, 7, 5, 7};
  std::vector<double> price = {2, 1, 1, 2};
  std::vector<char> name = {'a', 'b', 'c', 'd'};
  sortile::sort_rows(std::array{by(size, order::descending), by(price)}, std::tie(size, price, name));
  EXPECT_EQ(size, (std::vector<std::int32_t>{7, 7, 5, 5}));
  EXPECT_EQ(price, (std::vector<double>{1, 2, 1, 2}));
  EXPECT_EQ(name, (std::vector<char>{'b', 'd', 'c', 'a'}));
}

TEST(sort_rows, of_columns_with_another_length_is_refused_and_moves_nothing) {
  const std::vector<std::int32_t> three = {3, 1, 2}, five = {5, 4, 3, 2, 1};
  std::vector<std::int32_t> a = five, b = five;
  const auto refuse = [&](std::vector<column> columns, const std::vector<std::string>& words) {
    expect_invalid([&] { sort_rows(columns, std::tie(a, b)); }, words);
    std::vector<std::uint32_t> positions(5);
    expect_invalid([&] { argsort_rows(columns, positions); }, words);
    EXPECT_TRUE(a == five && b == five);
  };
  refuse({by(three)}, {"column 0", "3 keys", "5 rows"});
  refuse({by(a), by(three)}, {"column 1", "3 keys", "5 rows"});
  refuse({by(std::span(a).first(0))}, {"column 0", "0 keys"});
  const std::vector<std::int32_t> six(6);
  refuse({by(six)}, {"6 keys", "5 rows"});
  sort_rows(std::array{column{key_type::i32, a.data()}}, std::tie(a, b)); // a length that is not said
  EXPECT_TRUE(sortile::is_sorted(a) && sortile::is_sorted(b));
}

TEST(sort_rows, equals_the_oracle_with_values_of_any_size) {
  for (const std::size_t n : {0u, 1u, 2u, 1000u, 50'000u}) {
    const table t(n + 7, n, 3);
    const std::vector<std::uint64_t> order = stable_row_order(t.oracle, n);
    std::vector<guarded_buffer> arrays;
    std::vector<std::vector<std::byte>> expected;
    std::vector<row_array> described;
    for (const std::size_t value_bytes : {1u, 4u, 8u, 12u, 40u}) {
      arrays.emplace_back(n * value_bytes, 1, n + value_bytes);
      expected.push_back(gather(arrays.back().data(), value_bytes, order));
    }
    for (std::size_t i = 0; i < arrays.size(); ++i)
      described.push_back({arrays[i].data(), std::size_t{std::array{1u, 4u, 8u, 12u, 40u}[i]}});
    run(sort_rows_request{n, t.columns, described}, {.threads = 3});
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      EXPECT_TRUE(n == 0 || std::memcmp(arrays[i].data(), expected[i].data(), expected[i].size()) == 0)
          << n << ", " << i;
      EXPECT_EQ(arrays[i].damage(), "");
    }
  }
}

TEST(sort_rows, cancelled_moves_nothing) {
  std::vector<std::uint32_t> keys = make_keys<std::uint32_t>("uniform", 100'000, 1), values = keys;
  const std::vector<std::uint32_t> kept = keys;
  unsigned calls = 0;
  while (true) { // cancelled at its first call, then at its second, ..., until no call is left
    unsigned left = calls++;
    try {
      sort_rows(std::array{by(keys)}, std::tie(keys, values),
                {.threads = 1, .progress = [&](double) { return left-- > 0; }});
      break;
    } catch (const cancelled&) {
      ASSERT_TRUE(keys == kept && values == kept) << "call " << calls;
    }
  }
  EXPECT_GT(calls, 1u);
  EXPECT_TRUE(sortile::is_sorted(keys) && keys == values);
}

TEST(sort_rows, refuses_misuse_by_name) {
  std::vector<float> keys(4);
  const std::array<column, 1> one{by(keys)};
  const auto refuse = [&](std::vector<row_array> arrays, const options& opts, const std::vector<std::string>& words) {
    expect_invalid([&] { run(sort_rows_request{4, one, arrays}, opts); }, words);
  };
  alignas(128) std::byte space[256];
  const row_array good{keys.data(), 4};
  refuse({good, good}, {}, {"array 0", "array 1", "overlap"});
  refuse({good, {keys.data() + 1, 4}}, {}, {"overlap"});
  refuse({{nullptr, 4}}, {}, {"array 0", "null"});
  refuse({{keys.data(), 0}}, {}, {"0 bytes"});
  refuse({{keys.data(), SIZE_MAX / 4}}, {}, {"more than memory can address"});
  refuse({good}, {.order = order::descending}, {"order", "default"});
  refuse({good}, {.workspace = space}, {"workspace", "sort of rows"});
  expect_invalid([&] { sort_rows(one, std::tie(keys, keys)); }, {"overlap"});
  const std::vector<column> none;
  expect_invalid([&] { sort_rows(none, std::tie(keys)); }, {"no column"});
}

TEST(permute, equals_a_gather) {
  for (const std::size_t n : {0u, 1u, 2u, 1000u, 150'000u})
    for (const std::size_t value_bytes : {1u, 2u, 3u, 4u, 8u, 12u, 16u, 24u, 40u})
      for (const std::size_t index_bytes : {4u, 8u}) {
        const std::vector<std::uint64_t> keys = make_keys<std::uint64_t>("uniform", n, n);
        const std::vector<std::uint64_t> order = stable_order({key_type::u64}, keys.data(), n);
        guarded_buffer indices(n * index_bytes, index_bytes), values(n * value_bytes, 5, n);
        for (std::size_t i = 0; i < n; ++i)
          std::memcpy(indices.data() + i * index_bytes, &order[i], index_bytes);
        const std::vector<std::byte> expected = gather(values.data(), value_bytes, order);
        run(permute_request{n, indices.data(), index_bytes, values.data(), value_bytes});
        EXPECT_TRUE(n == 0 || std::memcmp(values.data(), expected.data(), expected.size()) == 0)
            << n << " values of " << value_bytes;
        EXPECT_EQ(values.damage() + indices.damage(), "");
      }
}

TEST(argsort_rows, refuses_misuse_by_name) {
  std::vector<float> keys(4);
  std::vector<std::uint32_t> indices(4);
  const column good = by(keys);
  const auto refuse = [&](const rows_request& r, const options& opts, const std::vector<std::string>& words) {
    expect_invalid([&] { run(r, opts); }, words);
  };
  const std::vector<column> one = {good}, holey = {good, {key_type::u8, nullptr}}, none = {};
  refuse({4, none, indices.data(), 4}, {}, {"no column"});
  refuse({4, holey, indices.data(), 4}, {}, {"column 1", "null"});
  refuse({4, one, nullptr, 4}, {}, {"indices", "null"});
  refuse({4, one, indices.data(), 3}, {}, {"3 bytes", "4 and 8"});
  refuse({4, one, keys.data(), 4}, {}, {"column 0", "overlap"});
  refuse({4, one, indices.data(), 4}, {.order = order::descending}, {"order", "default"});
  refuse({4, one, indices.data(), 4}, {.bits = {0, 8}}, {"bits", "default"});
}

} // namespace
} // namespace sortile::testing
