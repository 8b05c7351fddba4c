// Scans and digit histograms in host memory: the CPU engine, the templates, and what is refused.
#include "tests/expect_refusal.hpp"
#include "tests/scan/scan_case.hpp"
#include "tests/scan/scan_plans.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace sortile::testing {
namespace {

TEST(Scan, RandomCases) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto found = check_scan(random_scan(seed, "", 500'000));
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST(DigitHistogram, RandomCases) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto found = check_histogram(random_histogram(seed, "", 300'000));
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST(Scan, OfRanges) {
  const std::vector<std::uint32_t> lengths{3, 0, 4, 1};
  std::vector<std::uint32_t> begins(4);
  exclusive_scan(lengths, begins);
  EXPECT_EQ(begins, (std::vector<std::uint32_t>{0, 3, 3, 7}));
  std::vector<std::int64_t> heights{-5, 2, -9, 7};
  inclusive_scan(heights, heights, scan_operator::maximum);
  EXPECT_EQ(heights, (std::vector<std::int64_t>{-5, 2, 2, 7}));
  exclusive_scan(heights, heights, scan_operator::maximum);
  EXPECT_EQ(heights[0], std::numeric_limits<std::int64_t>::lowest());
  expect_invalid([&] { inclusive_scan(lengths, std::span(begins).first(3)); },
                 {"inclusive_scan", "in", "4", "out", "3"});
}

TEST(Scan, Plans) {
  check_plans("");
}

TEST(DigitHistogram, OfARange) {
  const std::vector<std::uint16_t> keys{0x0102, 0x0103, 0x0202};
  const std::vector<std::uint64_t> counts = digit_histogram(keys);
  ASSERT_EQ(counts.size(), 512u);
  EXPECT_EQ(counts[2], 2u);
  EXPECT_EQ(counts[3], 1u);
  EXPECT_EQ(counts[256 + 1], 2u);
  EXPECT_EQ(counts[256 + 2], 1u);
}

// More keys than a table of 32-bit counters takes at a time; stretches in which a digit does not differ, and others.
TEST(DigitHistogram, OfMoreKeysThanATableTakes) {
  std::vector<std::uint16_t> keys((std::size_t{1} << 24) + 12'345);
  std::vector<std::uint64_t> expected(512);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<std::uint16_t>((i >> 20) % 2 == 0 ? 300 : i * 77);
    ++expected[keys[i] & 255];
    ++expected[256 + (keys[i] >> 8)];
  }
  EXPECT_EQ(digit_histogram(keys, {.threads = 1}), expected);
  EXPECT_EQ(digit_histogram(keys, {.threads = 2}), expected);
}

TEST(Scan, Misuse) {
  std::vector<std::uint32_t> in(8), out(8);
  const auto refused = [&](auto change, const std::vector<std::string>& words, const options& opts = {}) {
    scan_request r{.type = key_type::u32, .n = 8, .in = in.data(), .out = out.data()};
    change(r);
    expect_invalid([&] { run(r, opts); }, words);
  };
  refused([](auto& r) { r.in = nullptr; }, {"in is null"});
  refused([](auto& r) { r.out = nullptr; }, {"out is null"});
  refused([&](auto& r) { r.out = in.data() + 1; }, {"in and out overlap"});
  refused([](auto& r) { r.type = key_type::f32; }, {"f32", "u32, i32, u64 and i64"});
  refused([](auto& r) { r.op = static_cast<scan_operator>(7); }, {"operator number 7"});
  refused([](auto& r) { r.kind = static_cast<scan_kind>(7); }, {"kind number 7"});
  refused([](auto& r) { r.initial = std::uint64_t{1} << 32; }, {"initial = 4294967296", "u32"});
  refused([](auto& r) { r.initial = ~std::uint64_t{0}; }, {"initial", "u32"}); // −1 is no number of this type
  const auto of_i32 = [&](std::uint64_t initial) {
    run(scan_request{.type = key_type::i32,
                     .n = 1,
                     .in = in.data(),
                     .out = out.data(),
                     .kind = scan_kind::exclusive,
                     .initial = initial});
    return static_cast<std::int32_t>(out[0]);
  };
  EXPECT_EQ(of_i32(0xfffffffb), -5);
  EXPECT_EQ(of_i32(~std::uint64_t{4}), -5);
  expect_invalid([&] { of_i32(~std::uint64_t{0} << 32); }, {"initial", "i32"});
  refused([](auto&) {}, {"options::order"}, {.order = order::descending});
  refused([](auto&) {}, {"options::progress"}, {.progress = [](double) { return true; }});
  refused([](auto&) {}, {"options::workspace_limit"}, {.workspace_limit = 1});
  alignas(workspace_alignment) static std::byte space[1024];
  refused([](auto&) {}, {"workspace", "needs none"}, {.workspace = space});
  options nobody;
  nobody.engine = "gnat";
  expect_refusal<unknown_engine>([&] { run(scan_request{.n = 8, .in = in.data(), .out = out.data()}, nobody); },
                                 status::unknown_engine, {"gnat"});
  expect_refusal<engine_unusable>(
      [&] {
        run(scan_request{.n = 8, .in = in.data(), .out = out.data()}, {.engine = "cpu", .memory = memory::device});
      },
      status::engine_unusable, {"device memory"});
  EXPECT_EQ(workspace_bytes(scan_request{.n = 1000}), 0u);
}

TEST(DigitHistogram, Misuse) {
  std::vector<std::uint64_t> keys(4096), counts(2048);
  const auto refused = [&](auto change, const std::vector<std::string>& words, const options& opts = {}) {
    histogram_request r{.type = key_type::u64, .n = 10, .keys = keys.data(), .counts = counts.data()};
    change(r);
    expect_invalid([&] { run(r, opts); }, words);
  };
  refused([](auto& r) { r.keys = nullptr; }, {"keys is null"});
  refused([](auto& r) { r.counts = nullptr; }, {"counts is null"});
  refused([&](auto& r) { r.counts = keys.data() + 9; }, {"keys and counts overlap"});
  refused([](auto&) {}, {"bit window"}, {.bits = {3, 99}});
}

} // namespace
} // namespace sortile::testing
