// Routings in host memory: the CPU engine, the template, and what is refused.
#include "tests/expect_refusal.hpp"
#include "tests/route/route_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace sortile::testing {
namespace {

TEST(Route, RandomCases) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const auto found = check_route(random_route(seed, "", 200'000));
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST(Route, TypesAndSpreads) {
  for (const key_type type : expert_types)
    for (const spread experts : all_spreads)
      for (const std::size_t expert_count : {1, 8, 127, 128, 129, 256, 257, 1024}) {
        const auto found = check_route(
            {.type = type, .n = 40'000, .expert_count = expert_count, .experts = experts, .seed = 3, .threads = 3});
        ASSERT_TRUE(found) << found.complaint;
      }
}

TEST(Route, OfARange) {
  const std::vector<std::int32_t> experts{1, 0, 1, -1, 0};
  const auto r = route(experts, 2);
  using numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(r.offsets, (numbers{0, 2, 4}));
  EXPECT_EQ(r.counts, (numbers{2, 2}));
  EXPECT_EQ(r.order, (numbers{1, 4, 0, 2}));
  EXPECT_EQ(r.inverse, (numbers{2, 0, 3, ~0u, 1}));
  EXPECT_EQ(r.block_experts, (numbers{0, 0, 1, 1}));
  EXPECT_EQ(r.dropped, 1u);
}

TEST(Route, PadsToBlocks) {
  const std::vector<std::int64_t> experts{2, 0, 2, 2, 5};
  const auto r = route<std::int64_t>(experts, 4, 2);
  using numbers = std::vector<std::int64_t>;
  EXPECT_EQ(r.offsets, (numbers{0, 2, 2, 6, 6}));
  EXPECT_EQ(r.counts, (numbers{1, 0, 3, 0}));
  EXPECT_EQ(r.order, (numbers{1, 5, 0, 2, 3, 5}));
  EXPECT_EQ(r.inverse, (numbers{2, 0, 3, 4, -1}));
  EXPECT_EQ(r.block_experts, (numbers{0, 2, 2}));
  EXPECT_EQ(r.dropped, 1u);
  const auto nothing = route(std::vector<std::uint8_t>{}, 3, 4);
  EXPECT_EQ(nothing.offsets, (std::vector<std::uint32_t>{0, 0, 0, 0}));
  EXPECT_TRUE(nothing.order.empty() && nothing.block_experts.empty());
}

TEST(Route, RowsAreEnoughAndNoMore) {
  EXPECT_EQ(route_rows(10, 4), 10u);
  EXPECT_EQ(route_rows(0, 4, 16), 0u);
  EXPECT_EQ(route_rows(3, 1024, 16), 48u);                     // three experts with a pair each
  EXPECT_EQ(route_rows(100, 4, 16), (100 + 4 * 15) / 16 * 16); // 10 blocks: 97 pairs of one, one of each other
  const auto r = route(std::vector<std::uint32_t>{0, 1, 2, 3, 3, 3, 3, 3}, 4, 4);
  EXPECT_EQ(r.order.size(), route_rows(8, 4, 4));
}

TEST(Route, BracedListsOfSortsStaySorts) {
  std::vector<std::uint32_t> keys{2, 1}, out(2);
  run({.type = key_type::u32, .n = 2, .keys_in = keys.data(), .keys_out = out.data()});
  EXPECT_EQ(out, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_GT(workspace_bytes({.type = key_type::u32, .n = 100'000'000}), 0u);
  EXPECT_EQ(explain({.type = key_type::u32, .n = 0}).engine, "cpu");
}

TEST(Route, IsExplained) {
  const plan p = explain(route_request{.n = 1000, .expert_count = 8});
  EXPECT_EQ(p.engine, "cpu");
  ASSERT_EQ(p.steps.size(), 2u);
  EXPECT_EQ(p.steps[0].bytes_read, 4000u);
  EXPECT_NE(p.steps[0].detail.find("8 experts"), std::string::npos);
}

TEST(Route, Misuse) {
  std::vector<std::int32_t> experts(8);
  std::vector<std::uint32_t> out(8), other(9);
  const auto refused = [&](auto change, const std::vector<std::string>& words, const options& opts = {}) {
    route_request r{.n = 8, .experts = experts.data(), .expert_count = 8, .order = out.data()};
    change(r);
    expect_invalid([&] { run(r, opts); }, words);
  };
  refused([](auto& r) { r.experts = nullptr; }, {"experts is null"});
  refused([](auto& r) { r.type = key_type::f32; }, {"f32", "integers"});
  refused([](auto& r) { r.type = key_type::bf16; }, {"bf16", "integers"});
  refused([](auto& r) { r.type = key_type::i128; }, {"i128", "integers"});
  refused([](auto& r) { r.expert_count = 0; }, {"expert_count = 0"});
  refused([](auto& r) { r.expert_count = 4097; }, {"expert_count = 4097", "4096"});
  refused([](auto& r) { r.block = 0; }, {"block = 0"});
  refused([](auto& r) { r.block = std::size_t{1} << 32; }, {"rows"});
  refused([](auto& r) { r.n = std::size_t{1} << 32; }, {"rows"});
  // Before room for so many rows is asked for.
  expect_invalid([&] { static_cast<void>(route(experts, 4, std::size_t{1} << 40)); }, {"rows", "2^32"});
  expect_invalid([&] { static_cast<void>(route(experts, 4, ~std::size_t{0})); }, {"rows", "2^32"});
  const std::size_t longest_block = ((std::size_t{1} << 32) - 2) / 7;
  EXPECT_EQ(route(std::vector<int>{}, 7, longest_block).offsets, std::vector<std::uint32_t>(8, 0));
  refused([](auto& r) { r.index_bytes = 2; }, {"indices of 2 bytes", "4 and 8"});
  refused([&](auto& r) { r.inverse = out.data() + 1; }, {"order and inverse overlap"});
  refused([&](auto& r) { r.offsets = experts.data(); }, {"experts and offsets overlap"});
  refused([&](auto& r) { r.counts = reinterpret_cast<std::byte*>(other.data()) + 1; }, {"counts is not aligned"});
  refused([](auto&) {}, {"options::order"}, {.order = order::descending});
  refused([](auto&) {}, {"options::progress"}, {.progress = [](double) { return true; }});
  refused([](auto&) {}, {"options::workspace_limit"}, {.workspace_limit = 1});
  alignas(workspace_alignment) static std::byte space[1024];
  refused([](auto&) {}, {"workspace", "its own"}, {.workspace = space});
  expect_refusal<engine_unusable>(
      [&] {
        run(route_request{.n = 8, .experts = experts.data(), .expert_count = 8},
            {.engine = "cpu", .memory = memory::device});
      },
      status::engine_unusable, {"device memory"});
  EXPECT_THROW(static_cast<void>(route(experts, 8, 0)), invalid_argument);
  EXPECT_THROW(static_cast<void>(route(experts, 0)), invalid_argument);
  EXPECT_EQ(workspace_bytes(route_request{.n = 1000, .expert_count = 8}), 0u);
}

#if !defined(__SANITIZE_THREAD__) // which sees the race that this is about
TEST(Route, StaysWithinTheRowsWhereExpertsAreWrittenMeanwhile) {
  constexpr std::size_t n = 1 << 16;
  constexpr std::uint32_t untouched = ~0u;
  std::vector<std::uint32_t> experts(n), order(2 * n, untouched), inverse(n);
  std::atomic<bool> ends{false};
  std::thread writes([&] {
    for (std::uint32_t expert = 0; !ends.load(std::memory_order_relaxed); expert = 1 - expert)
      for (std::size_t i = 0; i < n; ++i)
        static_cast<volatile std::uint32_t*>(experts.data())[i] = expert;
  });
  // Rows for n pairs of one expert begin behind those of the other, where the first pass has seen all go there.
  for (int trial = 0; trial < 500; ++trial)
    run(route_request{.type = key_type::u32,
                      .n = n,
                      .experts = experts.data(),
                      .expert_count = 2,
                      .index_bytes = 4,
                      .order = order.data(),
                      .inverse = inverse.data()});
  ends = true;
  writes.join();
  EXPECT_TRUE(std::all_of(order.begin() + n, order.end(), [](std::uint32_t row) { return row == untouched; }));
}
#endif

} // namespace
} // namespace sortile::testing
