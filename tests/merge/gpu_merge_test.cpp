// Merges of arrays in device memory, on a GPU: the cases of the executor, large ones, and captured graphs.
#include "tests/captured_graph.hpp"
#include "tests/gpu/gpu_fixture.hpp"
#include "tests/merge/merge_case.hpp"
#include "tests/short_tests.hpp"

#include <sortile/sortile.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace sortile::testing {
namespace {

class gpu_merge : public gpu {};

TEST_F(gpu_merge, RandomCasesOnCuda) {
  for (std::uint64_t seed = 0; seed < unless_short(600u, 150u); ++seed) {
    merge_case c = random_merge(seed, seed % 10 == 0 ? 1'000'000 : 60'000);
    c.where = &managed_memory;
    const verdict v = check_merge(c);
    ASSERT_TRUE(v) << v.complaint;
  }
}

TEST_F(gpu_merge, LargeOnesOnCuda) {
  for (const key_type type : {key_type::u32, key_type::f64, key_type::u128})
    for (const std::size_t count : {2, 8, 64, 100})
      for (const std::size_t value_bytes : {0, 4, 8}) {
        merge_case c{.by = {type}, .value_bytes = value_bytes, .workload = "uniform", .where = &managed_memory};
        for (std::size_t i = 0; i < count; ++i)
          c.lengths.push_back(4'000'000 / count + i * 17);
        const verdict v = check_merge(c);
        ASSERT_TRUE(v) << v.complaint;
      }
}

TEST_F(gpu_merge, ThousandsOfRunsOnCuda) {
  for (const key_type type : {key_type::u16, key_type::u32, key_type::u64}) {
    merge_case c{.by = {type}, .value_bytes = 4, .workload = "few:5", .where = &managed_memory};
    for (std::size_t i = 0; i < 5000; ++i)
      c.lengths.push_back(i % 7 * (i % 3));
    c.lengths[77] = 100'000;
    const verdict v = check_merge(c);
    ASSERT_TRUE(v) << v.complaint;
  }
}

/// A graph holds the list of runs: it is replayed with other keys, and with the caller's list gone.
void replay(std::size_t count, std::size_t length) {
  const std::size_t n = count * length;
  device_array<std::uint32_t> keys(n), values(n), out(n), values_out(n);
  const device::stream stream;
  options opts{.memory = memory::device, .stream = stream.get()};
  std::vector<sorted_run> runs;
  for (std::size_t r = 0; r < count; ++r)
    runs.push_back({keys.span().data() + r * length, values.span().data() + r * length, length});
  const merge_request request{
      .runs = runs, .keys_out = out.span().data(), .value_bytes = 4, .values_out = values_out.span().data()};
  device_array<std::byte> space(workspace_bytes(request, opts));
  opts.workspace = space.span();
  const captured_graph graph(stream.get(), [&] { run(request, opts); });
  runs.assign(runs.size(), {});
  for (std::uint64_t step = 1; step < 4; ++step) {
    std::vector<std::uint32_t> given(n), numbers(n);
    for (std::size_t i = 0; i < n; ++i)
      given[i] = static_cast<std::uint32_t>(random_bits(step, i) % 1000);
    for (std::size_t r = 0; r < count; ++r)
      std::sort(given.begin() + std::ptrdiff_t(r * length), given.begin() + std::ptrdiff_t((r + 1) * length));
    std::iota(numbers.begin(), numbers.end(), 0u);
    keys.set(given);
    values.set(numbers);
    graph.replay();
    std::stable_sort(numbers.begin(), numbers.end(), [&](auto a, auto b) { return given[a] < given[b]; });
    ASSERT_EQ(values_out.host(), numbers) << count << " runs, step " << step;
  }
}

TEST_F(gpu_merge, IsCapturedAndReplayedOnCuda) {
  replay(3, 5000);
  replay(60, 700);  // a table of runs, a sort
  replay(1000, 40); // a table of several batches
}

TEST_F(gpu_merge, TakesSpansOfTwoRangesOnCuda) {
  std::vector<float> a(70'000), b(50'000), both;
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(i / 3);
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = static_cast<float>(i / 2);
  const device_array<float> first(a), second(b), out(a.size() + b.size());
  sortile::merge(first.span(), second.span(), out.span(), {.memory = memory::device});
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  EXPECT_EQ(out.host(), both);
}

TEST_F(gpu_merge, NamesRunsThatTheDeviceCannotReachOnCuda) {
  std::vector<std::uint32_t> host(10);
  device_array<std::uint32_t> out(10);
  int pageable = 0;
  SORTILE_CUDA_CHECK(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
  if (pageable != 0)
    GTEST_SKIP() << "this device reaches all host memory";
  const std::vector<sorted_run> runs = {{host.data(), nullptr, 4}, {host.data() + 4, nullptr, 6}};
  try {
    run(merge_request{.runs = runs, .keys_out = out.span().data()}, {.memory = memory::device});
    FAIL() << "taken";
  } catch (const invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("the keys of a run"), std::string::npos) << e.what();
  }
}

} // namespace
} // namespace sortile::testing
