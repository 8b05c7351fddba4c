// Scans and digit histograms of arrays in device memory, on a GPU: the cases of the executor, large arrays, and
// captured graphs.
#include "tests/captured_graph.hpp"
#include "tests/gpu/gpu_fixture.hpp"
#include "tests/scan/scan_case.hpp"

#include <numeric>

namespace sortile::testing {
namespace {

class gpu_scan : public gpu {};

TEST_F(gpu_scan, RandomCases) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    scan_case c = random_scan(seed, "", 2'000'000);
    c.where = &managed_memory;
    const auto found = check_scan(c);
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST_F(gpu_scan, LargeArrays) { // resident blocks
  for (const key_type type : {key_type::u32, key_type::i32, key_type::u64, key_type::i64})
    for (const scan_operator op : {scan_operator::sum, scan_operator::maximum}) {
      const auto found =
          check_scan({.type = type, .n = 9'000'001, .op = op, .in_place = true, .seed = 2, .where = &managed_memory});
      ASSERT_TRUE(found) << found.complaint;
    }
}

TEST_F(gpu_scan, Histograms) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    scan_case c = random_histogram(seed, "", 500'000);
    c.where = &managed_memory;
    const auto found = check_histogram(c);
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST_F(gpu_scan, IsCapturedAndReplayedWithOtherKeys) {
  const std::size_t n = 300'000;
  device_array<std::uint32_t> in(n), out(n);
  device_array<std::uint64_t> counts(1024);
  const device::stream stream;
  options opts{.memory = memory::device, .stream = stream.get()};
  const scan_request scan{.n = n, .in = in.span().data(), .out = out.span().data()};
  device_array<std::byte> workspace(workspace_bytes(scan, opts));
  const captured_graph graph(stream.get(), [&] {
    run(histogram_request{.n = n, .keys = in.span().data(), .counts = counts.span().data()}, opts);
    opts.workspace = workspace.span();
    run(scan, opts);
  });
  for (std::uint32_t step = 1; step < 4; ++step) {
    std::vector<std::uint32_t> given(n);
    for (std::size_t i = 0; i < n; ++i)
      given[i] = static_cast<std::uint32_t>(i) * step;
    in.set(given);
    graph.replay();
    EXPECT_EQ(counts.host(), digit_histogram(given));
    std::inclusive_scan(given.begin(), given.end(), given.begin());
    ASSERT_EQ(out.host(), given) << step;
  }
}

} // namespace
} // namespace sortile::testing
