// The order of rows by several columns against the oracle: composites of 32, 64 and 128 bits, and cascades of groups.
#include "cpu/cpu_engine.hpp"
#include "testing/guarded_buffer.hpp"
#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace sortile {
namespace {

using testing::guarded_buffer;

void check(const std::vector<key_type>& types, const std::vector<order>& directions, std::size_t n,
           std::size_t index_bytes, std::uint64_t seed, unsigned threads) {
  std::vector<guarded_buffer> data;
  std::vector<column> columns;
  std::vector<testing::oracle_column> oracle;
  for (std::size_t c = 0; c < types.size(); ++c) {
    data.emplace_back(n * key_bytes(types[c]), key_bytes(types[c]) % 64);
    const char* workload = c + 1 == types.size() ? "few:50" : is_float(types[c]) && seed % 2 == 0 ? "nan-mix" : "few:3";
    const bool known = std::any_of(testing::all_workloads().begin(), testing::all_workloads().end(),
                                   [&](const auto& info) { return info.name == workload; });
    testing::workload_named(known ? workload : "few:4").fill({types[c], n, seed + c}, 0, n, data.back().data());
    columns.push_back({types[c], data.back().data(), directions[c]});
    oracle.push_back({{types[c], directions[c], {}}, data.back().data()});
  }
  guarded_buffer indices(n * index_bytes, index_bytes);
  double last = 0;
  options opts;
  opts.progress = [&](double done) {
    EXPECT_GE(done, last);
    last = done;
    return true;
  };
  cpu::argsort_rows({n, columns, indices.data(), index_bytes}, opts, threads);
  EXPECT_EQ(last, 1.0);
  EXPECT_EQ(indices.damage(), "");
  const auto wanted = testing::stable_row_order(oracle, n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t index = 0;
    std::memcpy(&index, indices.data() + i * index_bytes, index_bytes);
    ASSERT_EQ(index, wanted[i]) << "row " << i << " of " << n << ", " << types.size() << " columns, seed " << seed;
  }
}

TEST(Rows, RandomColumns) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 200 && !::testing::Test::HasFatalFailure(); ++i) {
    std::vector<key_type> types(1 + random() % 6);
    std::vector<order> directions;
    for (key_type& type : types) {
      type = all_key_types[random() % std::size(all_key_types)];
      directions.push_back(random() % 2 == 0 ? order::ascending : order::descending);
    }
    check(types, directions, random() % 600, random() % 2 == 0 ? 4 : 8, random(),
          1 + static_cast<unsigned>(random() % 3));
  }
}

TEST(Rows, ManyRows) {
  check({key_type::u32, key_type::f64, key_type::i16}, {order::descending, order::ascending, order::ascending}, 60'000,
        4, 1, 2);
  check({key_type::i128, key_type::u64, key_type::u128}, {order::ascending, order::descending, order::descending},
        60'000, 8, 2, 3);
}

} // namespace
} // namespace sortile
