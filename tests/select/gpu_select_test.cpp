// Selections of arrays in device memory, on a GPU: the cases of the executor, and captured graphs.
#include "kernels/sample_place.hpp"
#include "kernels/select/filter.hpp"
#include "tests/captured_graph.hpp"
#include "tests/gpu/gpu_fixture.hpp"
#include "tests/select/groups_case.hpp"
#include "tests/select/in_place_case.hpp"
#include "tests/short_tests.hpp"

#include "testing/workloads.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace sortile::testing {
namespace {

class gpu_select : public gpu {};

TEST_F(gpu_select, RandomCases) {
  for (std::uint64_t seed = 0; seed < unless_short<std::uint64_t>(1500, 400); ++seed) {
    top_k_case c = random_top_k(seed, "", seed % 20 == 0 ? 400'000 : 40'000);
    c.where = &managed_memory;
    const auto found = check(c);
    ASSERT_TRUE(found) << found.complaint;
  }
}

/// Beyond what one block selects from: filters of several waves of blocks, whose candidates are ranked or sorted.
TEST_F(gpu_select, LongArrays) {
  std::uint64_t seed = 0;
  for (const key_type type : {key_type::u32, key_type::f32, key_type::u64, key_type::u128, key_type::f16, key_type::i8})
    for (const char* workload : {"uniform", "reversed", "few:3"})
      for (const std::size_t k : a_few<std::size_t>(1, {1000, 7000, 60'000})) {
        const auto found = check(top_k_case{.type = type,
                                            .n = 2'500'001 + seed % 3,
                                            .k = k,
                                            .workload = workload,
                                            .seed = ++seed,
                                            .direction = seed % 2 == 0 ? order::ascending : order::descending,
                                            .carries = payload::indices,
                                            .value_bytes = seed % 4 == 0 ? 8u : 4u,
                                            .where = &managed_memory});
        ASSERT_TRUE(found) << found.complaint;
      }
}

/// All keys at which a sample looks are larger than the others: too many candidates, so that the filter runs again with
/// the k-th key, and what it finds then is ranked.
TEST_F(gpu_select, SamplesThatMislead) {
  const std::size_t n = 1'000'003;
  for (const std::size_t k : {1u, 900u, 20'000u}) {
    const std::size_t m = kernels::filter_sample::of(4, n, k).keys();
    auto given = make_keys<std::uint32_t>("range:60000", n, k);
    for (std::size_t i = 0; i < m; ++i)
      given[kernels::sample_place(i, m, n)] = 0xffff0000u + static_cast<std::uint32_t>(i % 1000);
    device_array<std::uint32_t> keys(given), out(k), positions(k);
    run(top_k_request{.type = key_type::u32,
                      .n = n,
                      .k = k,
                      .keys_in = keys.span().data(),
                      .keys_out = out.span().data(),
                      .carries = payload::indices,
                      .value_bytes = 4,
                      .values_out = positions.span().data()},
        {.memory = memory::device});
    SORTILE_CUDA_CHECK(cudaDeviceSynchronize());
    const auto order = stable_order({key_type::u32}, given.data(), n);
    const auto found = positions.host();
    for (std::size_t i = 0; i < k; ++i)
      ASSERT_EQ(found[i], order[i]) << "k = " << k << ", place " << i;
  }
}

/// Rows that lanes of a warp hold, by the hundreds of thousands of keys.
TEST_F(gpu_select, ShortRows) {
  std::uint64_t seed = 0;
  for (const std::size_t n : {31u, 200u, 256u, 257u, 1000u, 1024u})
    for (const std::size_t k : {1u, 16u, 17u, 31u, 40u, 64u})
      for (const key_type type : {key_type::f32, key_type::u64, key_type::i16}) {
        const auto found = check(top_k_case{.type = type,
                                            .n = n,
                                            .k = std::min(k, n),
                                            .rows = 301,
                                            .gap = seed % 3 == 0 ? 1u : 0u,
                                            .workload = std::array{"uniform", "few:5", "zeros", "outliers"}[seed % 4],
                                            .seed = ++seed,
                                            .carries = payload::indices,
                                            .value_bytes = 4,
                                            .where = &managed_memory});
        ASSERT_TRUE(found) << found.complaint;
      }
}

/// Against the CPU engine, through the front door: what the executor's cases check is the same there.
TEST_F(gpu_select, Ranks) {
  std::uint64_t seed = 0;
  for (const char* workload : {"uniform", "equal", "few:3", "sorted", "reversed", "zipf", "normal", "mostly-equal"})
    for (const std::size_t n : a_few<std::size_t>(1, {1000, 3'000'000, 600'001})) {
      const auto given = make_keys<float>(workload, n, ++seed);
      device_array<float> keys(given), found(4);
      const std::vector<std::size_t> ranks{n / 2, 0, n - 1, n / 2 + 1};
      run(ranks_request{.type = key_type::f32,
                        .n = n,
                        .keys = keys.span().data(),
                        .ranks = ranks,
                        .keys_out = found.span().data()},
          {.memory = memory::device});
      SORTILE_CUDA_CHECK(cudaDeviceSynchronize());
      const auto wanted = keys_at_ranks(given, ranks), is = found.host();
      ASSERT_EQ(std::memcmp(is.data(), wanted.data(), 4 * sizeof(float)), 0) << workload << ", n = " << n;
    }
}

TEST_F(gpu_select, QuantilesAreCapturedAndReplayedWithOtherKeys) {
  const std::size_t n = 2'000'000;
  const std::vector<double> at{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  device_array<std::uint64_t> keys(make_keys<std::uint64_t>("uniform", n, 1));
  device_array<double> results(at.size());
  const device::stream stream;
  options opts{.memory = memory::device, .stream = stream.get()};
  const quantiles_request request{
      .type = key_type::u64, .n = n, .keys = keys.span().data(), .probabilities = at, .results = results.span().data()};
  device_array<std::byte> workspace(workspace_bytes(request, opts));
  opts.workspace = workspace.span();
  const captured_graph graph(stream.get(), [&] { run(request, opts); });
  for (const char* workload : {"uniform", "few:3", "reversed", "zipf"}) {
    const auto given = make_keys<std::uint64_t>(workload, n, 7);
    keys.set(given);
    graph.replay();
    ASSERT_EQ(results.host(), quantiles(given, at)) << workload;
  }
}

TEST_F(gpu_select, Groups) {
  for (std::uint64_t seed = 0; seed < unless_short<std::uint64_t>(600, 150); ++seed) {
    top_k_case c = random_top_k(seed, "", seed % 10 == 0 ? 400'000 : 20'000);
    c.where = &managed_memory;
    const auto found = check_groups(c, seed % 2 == 0 ? 4 : 8, static_cast<unsigned>(random_bits(seed, 99) % 64));
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST_F(gpu_select, LargeArrays) {
  std::uint64_t seed = 0;
  for (const char* workload : {"uniform", "equal", "few:3", "sorted", "reversed", "zipf", "normal", "mostly-equal"})
    for (const key_type type : {key_type::u32, key_type::f64})
      for (const std::size_t k : a_few<std::size_t>(1, {1, 100'000, 1000})) {
        const auto found = check(top_k_case{.type = type,
                                            .n = 1'000'000,
                                            .k = k,
                                            .workload = workload,
                                            .seed = ++seed,
                                            .carries = payload::indices,
                                            .value_bytes = 4,
                                            .own_workspace = true,
                                            .where = &managed_memory});
        ASSERT_TRUE(found) << found.complaint;
      }
}

TEST_F(gpu_select, IsCapturedAndReplayedWithOtherKeys) {
  const std::size_t n = 500'000, k = 100;
  device_array<std::uint32_t> keys(make_keys<std::uint32_t>("uniform", n, 1)), out(k), positions(k);
  const device::stream stream;
  options opts{.memory = memory::device, .stream = stream.get()};
  const top_k_request request{.type = key_type::u32,
                              .n = n,
                              .k = k,
                              .keys_in = keys.span().data(),
                              .keys_out = out.span().data(),
                              .carries = payload::indices,
                              .value_bytes = 4,
                              .values_out = positions.span().data()};
  device_array<std::byte> workspace(workspace_bytes(request, opts));
  opts.workspace = workspace.span();
  const captured_graph graph(stream.get(), [&] { run(request, opts); });
  for (const char* workload : {"uniform", "few:3", "reversed"}) {
    const auto given = make_keys<std::uint32_t>(workload, n, 7);
    keys.set(given);
    graph.replay();
    const auto order = stable_order({key_type::u32}, given.data(), n);
    const auto found = positions.host();
    for (std::size_t i = 0; i < k; ++i)
      ASSERT_EQ(found[i], order[i]) << workload << ", place " << i;
  }
}

TEST_F(gpu_select, Segments) {
  for (std::uint64_t seed = 0; seed < unless_short<std::uint64_t>(1200, 250); ++seed) {
    top_k_case c = random_segmented_top_k(seed, "", seed % 20 == 0 ? 2'000'000 : 40'000);
    c.where = &managed_memory;
    c.own_workspace = seed % 2 == 0;
    const auto found = check(c);
    ASSERT_TRUE(found) << found.complaint;
  }
}

/// By each way of rows: lanes of a warp, a block, a filter that ranks or sorts, a sort of all.
TEST_F(gpu_select, IsCapturedAndReplayedWithOtherNumbersOfResults) {
  struct shape {
    std::size_t n, k, rows;
  };
  for (const auto [n, k, rows] : {shape{256, 40, 300}, shape{1000, 16, 300}, shape{20'000, 500, 20},
                                  shape{500'000, 100, 3}, shape{500'000, 30'000, 2}, shape{100'000, 90'000, 2}}) {
    const auto given = make_keys<std::uint32_t>("uniform", rows * n, 1);
    std::vector<std::uint32_t> values(rows * n);
    std::iota(values.begin(), values.end(), 7u);
    device_array<std::uint32_t> keys(given), values_in(values), out(rows * k), values_out(rows * k), counts(rows);
    const device::stream stream;
    options opts{.memory = memory::device, .stream = stream.get()};
    const top_k_request request{.type = key_type::u32,
                                .n = n,
                                .k = k,
                                .keys_in = keys.span().data(),
                                .keys_out = out.span().data(),
                                .carries = payload::values,
                                .value_bytes = 4,
                                .values_in = values_in.span().data(),
                                .values_out = values_out.span().data(),
                                .rows = rows,
                                .row_k = counts.span().data(),
                                .row_k_bytes = 4};
    device_array<std::byte> workspace(workspace_bytes(request, opts));
    opts.workspace = workspace.span();
    const captured_graph graph(stream.get(), [&] { run(request, opts); });
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto wanted = random_row_k(seed, rows, k);
      counts.set({wanted.begin(), wanted.end()});
      out.set(std::vector<std::uint32_t>(rows * k, 12345));
      values_out.set(std::vector<std::uint32_t>(rows * k, 12345));
      graph.replay();
      const auto found = out.host(), moved = values_out.host();
      for (std::size_t row = 0; row < rows; ++row) {
        const auto order = stable_order({key_type::u32}, given.data() + row * n, n);
        for (std::size_t i = 0; i < k; ++i) {
          const bool has = i < wanted[row];
          ASSERT_EQ(found[row * k + i], has ? given[row * n + order[i]] : 12345u)
              << "n = " << n << ", k = " << k << ", row " << row << ", place " << i;
          ASSERT_EQ(moved[row * k + i], has ? values[row * n + order[i]] : 12345u)
              << "n = " << n << ", k = " << k << ", row " << row << ", place " << i;
        }
      }
    }
  }
}

TEST_F(gpu_select, SegmentsAreCapturedAndReplayedWithOtherOffsets) {
  const std::size_t n = 300'000, k = 60;
  for (const std::size_t count : {50u, 5000u}) { // a block each, and short ones
    const auto given = make_keys<float>("normal", n, 1);
    device_array<float> keys(given);
    device_array<std::uint32_t> positions(count * k);
    device_array<std::uint64_t> offsets(count + 1), counts(count);
    const device::stream stream;
    options opts{.memory = memory::device, .stream = stream.get()};
    const segmented_top_k_request request{
        {.type = key_type::f32,
         .n = n,
         .k = k,
         .keys_in = keys.span().data(),
         .carries = payload::indices,
         .value_bytes = 4,
         .values_out = positions.span().data(),
         .row_k = counts.span().data()},
        {.form = segment_form::offsets, .count = count, .begins = offsets.span().data()}};
    device_array<std::byte> workspace(workspace_bytes(request, opts));
    opts.workspace = workspace.span();
    const captured_graph graph(stream.get(), [&] { run(request, opts); });
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      std::vector<std::uint64_t> at(count + 1);
      for (std::size_t i = 0; i < count; ++i)
        at[i] = seed == 3 && i > 0 ? n : random_bits(seed, i) % (n + 1); // at last nearly all in one
      at.back() = n;
      std::sort(at.begin(), at.end());
      const auto wanted = random_row_k(seed, count, k);
      offsets.set(at);
      counts.set(wanted);
      positions.set(std::vector<std::uint32_t>(count * k, 0xffffffffu));
      graph.replay();
      const auto found = positions.host();
      for (std::size_t i = 0; i < count; ++i) {
        const auto order = stable_order({key_type::f32}, given.data() + at[i], at[i + 1] - at[i]);
        for (std::size_t j = 0; j < k; ++j)
          ASSERT_EQ(found[i * k + j], j < wanted[i] && j < order.size() ? std::uint32_t(order[j]) : 0xffffffffu)
              << count << " segments, " << i << ", place " << j;
      }
    }
  }
}

/// Against the CPU engine, which finds them segment by segment.
TEST_F(gpu_select, RanksAndQuantilesOfSegmentsAreReplayedWithOtherOffsets) {
  const std::size_t n = 300'001;
  const std::vector<std::size_t> ranks{0, 5, 3000};
  const std::vector<double> at{0, 0.3, 0.5, 1};
  for (const std::size_t count : {40u, 5000u}) {
    const auto given = make_keys<double>("normal", n, count);
    device_array<double> keys(given), found(count * ranks.size()), numbers(count * at.size());
    device_array<std::uint32_t> offsets(count + 1);
    const device::stream stream;
    options opts{.memory = memory::device, .stream = stream.get()};
    const segments where{
        .form = segment_form::offsets, .count = count, .begins = offsets.span().data(), .offset_bytes = 4};
    const segmented_ranks_request some{
        {.type = key_type::f64, .n = n, .keys = keys.span().data(), .ranks = ranks, .keys_out = found.span().data()},
        where};
    const segmented_quantiles_request quantiles{{.type = key_type::f64,
                                                 .n = n,
                                                 .keys = keys.span().data(),
                                                 .probabilities = at,
                                                 .results = numbers.span().data()},
                                                where};
    device_array<std::byte> workspace(std::max(workspace_bytes(some, opts), workspace_bytes(quantiles, opts)));
    opts.workspace = workspace.span();
    const captured_graph graph(stream.get(), [&] {
      run(some, opts);
      run(quantiles, opts);
    });
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      std::vector<std::uint32_t> cuts(count + 1);
      for (std::size_t i = 0; i < count; ++i)
        cuts[i] = seed == 3 && i > 0 ? n : random_bits(seed, i) % (n + 1); // at last nearly all in one
      cuts.back() = n;
      std::sort(cuts.begin(), cuts.end());
      offsets.set(cuts);
      found.set(std::vector<double>(count * ranks.size(), 0));
      graph.replay();
      const segments here = segments::by_offsets(cuts);
      const auto right = segment_quantiles(given, at, here);
      const auto is = numbers.host();
      ASSERT_EQ(found.host(), segment_keys_at_ranks(given, ranks, here)) << count << " segments";
      for (std::size_t i = 0; i < right.size(); ++i)
        ASSERT_TRUE(is[i] == right[i] || (is[i] != is[i] && right[i] != right[i]))
            << count << " segments, result " << i;
    }
  }
}

TEST_F(gpu_select, InPlace) {
  for (std::uint64_t seed = 0; seed < unless_short<std::uint64_t>(900, 200); ++seed) {
    top_k_case c = random_in_place(seed, "", seed % 20 == 0 ? 400'000 : 40'000);
    c.where = &managed_memory;
    for (const auto& found : {check_partial_sort(c), check_nth_element(c)})
      ASSERT_TRUE(found) << found.complaint;
  }
}

TEST_F(gpu_select, LargeArraysInPlace) {
  std::uint64_t seed = 0;
  for (const char* workload : {"uniform", "equal", "few:3", "sorted", "reversed", "zipf"})
    for (const key_type type : {key_type::u32, key_type::f64})
      for (const std::size_t k : a_few<std::size_t>(1, {1, 100'000, 1000, 999'000})) {
        const top_k_case c{.type = type,
                           .n = 1'000'000,
                           .k = k,
                           .workload = workload,
                           .seed = ++seed,
                           .carries = payload::values,
                           .value_bytes = 8,
                           .own_workspace = true,
                           .where = &managed_memory};
        for (const auto& found : {check_partial_sort(c), check_nth_element(c)})
          ASSERT_TRUE(found) << found.complaint;
      }
}

TEST_F(gpu_select, InPlaceIsCapturedAndReplayedWithOtherKeys) {
  const std::size_t n = 500'000, k = 1000;
  device_array<std::uint32_t> keys(n), other(n), values(n);
  const device::stream stream;
  options opts{.memory = memory::device, .stream = stream.get()};
  const partial_sort_request first{.type = key_type::u32,
                                   .n = n,
                                   .k = k,
                                   .keys = keys.span().data(),
                                   .value_bytes = 4,
                                   .values = values.span().data()};
  const nth_element_request last{.type = key_type::u32, .n = n, .nth = n - k, .keys = other.span().data()};
  device_array<std::byte> workspace(std::max(workspace_bytes(first, opts), workspace_bytes(last, opts)));
  opts.workspace = workspace.span();
  const captured_graph graph(stream.get(), [&] {
    run(first, opts);
    run(last, opts);
  });
  std::vector<std::uint32_t> positions(n);
  std::iota(positions.begin(), positions.end(), 0u);
  for (const char* workload : {"uniform", "few:3", "reversed"}) {
    const auto given = make_keys<std::uint32_t>(workload, n, 7);
    keys.set(given);
    other.set(given);
    values.set(positions);
    graph.replay();
    const auto order = stable_order({key_type::u32}, given.data(), n);
    const auto places = partially_sorted(order, k);
    const auto found = values.host(), sorted = keys.host(), parted = other.host();
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(found[i], places[i]) << workload << ", place " << i;
      ASSERT_EQ(sorted[i], given[places[i]]) << workload << ", place " << i;
      ASSERT_TRUE(i < n - k ? parted[i] <= parted[n - k] : parted[i] >= parted[n - k]) << workload << ", place " << i;
    }
    ASSERT_EQ(parted[n - k], given[order[n - k]]) << workload;
  }
}

} // namespace
} // namespace sortile::testing
