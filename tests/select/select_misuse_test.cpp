// What selections refuse, and with which words.
#include "tests/expect_refusal.hpp"

#include <sortile/select.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace sortile {
namespace {

using testing::expect_invalid;
using testing::expect_refusal;

const std::vector<std::uint32_t> keys{3, 1, 2, 5, 4};
std::vector<std::uint32_t> out(5);

top_k_request plain() {
  return {.type = key_type::u32, .n = 5, .k = 2, .keys_in = keys.data(), .keys_out = out.data()};
}

TEST(SelectMisuse, TopK) {
  const auto refused = [](auto change, const std::vector<std::string>& words, const options& opts = {}) {
    top_k_request r = plain();
    change(r);
    expect_invalid([&] { run(r, opts); }, words);
  };
  refused([](auto& r) { r.k = 6; }, {"k = 6", "n = 5"});
  refused([](auto& r) { r.keys_in = nullptr; }, {"keys_in is null"});
  refused([](auto& r) { r.keys_out = nullptr; }, {"keys_out is null"});
  refused([](auto& r) { r.keys_out = const_cast<std::uint32_t*>(keys.data()) + 4; }, {"keys_in and keys_out overlap"});
  refused([](auto& r) { r.carries = payload::values; }, {"values of 0 bytes"});
  refused([](auto& r) { r.carries = payload::indices, r.value_bytes = 2; }, {"indices of 2 bytes", "4 and 8"});
  refused([](auto& r) { r.rows = 2, r.stride = 4; }, {"overlap with a stride of 4"});
  refused([](auto& r) { r.rows = ~std::size_t{0}; }, {"more than memory can address"});
  refused([](auto& r) { r.keys_in = reinterpret_cast<const char*>(keys.data()) + 1; }, {"not aligned"});
  EXPECT_NO_THROW(run(top_k_request{.type = key_type::u32, .keys_in = reinterpret_cast<const char*>(keys.data()) + 1}));
  refused([](auto&) {}, {"bit window"}, {.bits = {3, 40}});
  refused([](auto&) {}, {"stream"}, {.stream = out.data()});
  refused([](auto&) {}, {"options::workspace_limit", "only sorts"}, {.workspace_limit = 1 << 20});
}

TEST(SelectMisuse, RowsWithAKOfTheirOwn) {
  std::vector<std::uint32_t> counts{1, 2, 3};
  const auto refused = [&](auto change, const std::vector<std::string>& words, const options& opts = {}) {
    top_k_request r = plain();
    r.row_k = counts.data();
    r.row_k_bytes = 4;
    change(r);
    expect_invalid([&] { run(r, opts); }, words);
  };
  refused([](auto& r) { r.row_k_bytes = 2; }, {"row_k has numbers of 2 bytes", "4 and 8"});
  refused([&](auto& r) { r.row_k = reinterpret_cast<const char*>(counts.data()) + 2; },
          {"row_k is not aligned to the 4"});
  refused([&](auto& r) { r.row_k = r.keys_out; }, {"row_k and keys_out overlap", "apart"});
  alignas(workspace_alignment) static std::byte memory[1 << 16];
  refused([&](auto& r) { r.row_k = memory; }, {"row_k and the workspace overlap"}, {.workspace = memory});
  std::vector<std::uint32_t> results(3);
  expect_invalid([&] { (void)top_k(keys, static_cast<std::size_t>(-1)); }, {"sortile::top_k: k = -1"});
  expect_invalid([&] { (void)arg_top_k(keys, static_cast<std::size_t>(-2)); }, {"sortile::arg_top_k: k = -2"});
  expect_invalid([&] { top_k(keys, results, counts); }, {"sortile::top_k", "the input has 5", "3 rows"});
  expect_invalid([&] { top_k(std::vector<std::uint32_t>(6), out, counts); }, {"the output has 5", "3 rows"});
  const std::span<const std::uint32_t> no_counts;
  expect_invalid([&] { top_k(keys, results, no_counts); }, {"sortile::top_k", "the input has 5", "counts has none"});
  expect_invalid([&] { arg_top_k(std::span<const int>(), results, no_counts); },
                 {"sortile::arg_top_k", "the output has 3", "counts has none"});
}

/// Positions count from the beginning of their row: its length is what they must be able to number. No key is read.
TEST(SelectMisuse, PositionsOfLongRows) {
  const std::vector<std::uint32_t> counts(4);
  const auto find = [&](std::size_t n) {
    arg_top_k(std::span(reinterpret_cast<const std::uint8_t*>(keys.data()), n), std::span<std::int32_t>(), counts);
  };
  EXPECT_NO_THROW(find(std::size_t{1} << 32));
  expect_invalid([&] { find(std::size_t{1} << 34); }, {"arg_top_k", std::to_string(std::size_t{1} << 32)});
}

TEST(SelectMisuse, TopKWithinSegments) {
  const std::vector<std::uint32_t> offsets{0, 2, 5};
  const auto refused = [&](auto change, const std::vector<std::string>& words, const options& opts = {}) {
    segmented_top_k_request r{plain(), segments::by_offsets(offsets)};
    change(r);
    expect_invalid([&] { run(r, opts); }, words);
  };
  refused([](auto& r) { r.arrays.rows = 2; }, {"rows = 2", "stride = 0", "at 1 and 0"});
  refused([](auto& r) { r.where = segments::rows(1, 5); }, {"offsets or ranges", "top_k_request"});
  refused([](auto& r) { r.where.offset_bytes = 2; }, {"offsets of 2 bytes", "4 and 8"});
  refused([](auto& r) { r.where.begins = nullptr; }, {"begins is null", "2 segments"});
  refused([](auto& r) { r.arrays.n = 4; }, {"segment 1", "reaches beyond", "4 elements"});
  refused([](auto& r) { r.arrays.keys_out = nullptr; }, {"keys_out is null", "4 elements"});
  refused([&](auto& r) { r.arrays.keys_out = const_cast<std::uint32_t*>(offsets.data()); },
          {"begins and keys_out overlap"});
  refused([](auto& r) { r.arrays.row_k = keys.data(), r.arrays.row_k_bytes = 3; }, {"numbers of 3 bytes"});
  refused([](auto& r) { r.where.count = std::size_t{1} << 62; }, {"more"});
  alignas(workspace_alignment) static std::byte memory[1 << 16];
  refused([](auto&) {}, {"a workspace is given to a top-k within segments"}, {.workspace = memory});
  refused([](auto&) {}, {"options::workspace_limit"}, {.workspace_limit = 1 << 20});
  const std::vector<std::uint32_t> falling{0, 4, 2}, begins{0, 1}, ends{3, 5};
  refused([&](auto& r) { r.where = segments::by_offsets(falling); }, {"segment 1 begins at 4 and ends at 2"});
  refused([&](auto& r) { r.where = segments::by_ranges(begins, ends); }, {"segments 0", "overlap"});
  std::vector<std::uint32_t> some(4);
  expect_invalid([&] { segment_top_k(keys, out, segments::by_offsets(offsets)); },
                 {"sortile::segment_top_k", "the output has 5", "2 segments"});
  expect_invalid([&] { segment_top_k(keys, some, segments::by_offsets(offsets), std::vector<std::uint32_t>(3)); },
                 {"segment_top_k", "segments", "counts"});
}

TEST(SelectMisuse, Workspaces) {
  alignas(workspace_alignment) static std::byte memory[1 << 16];
  options opts;
  opts.workspace = {memory, 1};
  expect_refusal<workspace_too_small>([&] { run(plain(), opts); }, status::workspace_too_small, {"1 bytes", "needs"});
  opts.workspace = {memory + 1, sizeof memory - 1};
  expect_invalid([&] { run(plain(), opts); }, {"not aligned to the 128 bytes"});
  opts.workspace = {memory, sizeof memory};
  top_k_request r = plain();
  r.keys_out = memory;
  expect_invalid([&] { run(r, opts); }, {"keys_out and the workspace overlap"});
}

TEST(SelectMisuse, Engines) {
  options opts;
  opts.engine = "gnat";
  expect_refusal<unknown_engine>([&] { run(plain(), opts); }, status::unknown_engine, {"gnat"});
  std::vector<std::uint32_t> some = keys;
  expect_refusal<engine_unusable>([&] { nth_element(some, 2, {.memory = memory::device}); }, status::engine_unusable,
                                  {"device memory"});
  expect_refusal<engine_unusable>([&] { partial_sort(some, 2, {.memory = memory::device}); }, status::engine_unusable,
                                  {"device memory"});
}

TEST(SelectMisuse, SearchesForRanks) {
  const std::array<std::size_t, 1> ranks{2};
  const std::array<double, 1> half{0.5};
  double median = 0;
  const auto refused = [&](auto change, const std::vector<std::string>& words, const options& opts = {}) {
    ranks_request r{.type = key_type::u32, .n = 5, .keys = keys.data(), .ranks = ranks, .keys_out = out.data()};
    quantiles_request q{.type = key_type::u32, .n = 5, .keys = keys.data(), .probabilities = half, .results = &median};
    change(r);
    change(q);
    expect_invalid([&] { run(r, opts); }, words);
    expect_invalid([&] { run(q, opts); }, words);
    expect_invalid([&] { (void)workspace_bytes(r, opts); }, words);
    expect_invalid([&] { (void)explain(q, opts); }, words);
  };
  refused([](auto& r) { r.rows = 2, r.stride = 4; }, {"overlap with a stride of 4"});
  refused([](auto& r) { r.keys = reinterpret_cast<const char*>(keys.data()) + 1; }, {"keys is not aligned"});
  refused([](auto&) {}, {"options::workspace_limit"}, {.workspace_limit = 1 << 20});
  refused([](auto&) {}, {"options::workspace_limit"}, {.workspace_limit = 1 << 20, .memory = memory::device});
  alignas(workspace_alignment) static std::byte space[1 << 16];
  refused([](auto&) {}, {"a workspace is given"}, {.workspace = {space, sizeof space}});
  const auto overlaps = [](auto& r) {
    if constexpr (requires { r.results; })
      r.results = reinterpret_cast<double*>(const_cast<std::uint32_t*>(keys.data()));
    else
      r.keys_out = const_cast<std::uint32_t*>(keys.data());
  };
  refused(overlaps, {"overlap"});
  refused(overlaps, {"overlap"}, {.memory = memory::device});
}

/// Results over the list that says what is searched for: the first result would change what comes next.
TEST(SelectMisuse, ListsUnderTheirResults) {
  for (const std::size_t n : {std::size_t{1000}, std::size_t{100'000}, (std::size_t{1} << 20) + 1}) {
    const std::vector<std::uint64_t> many(n, ~std::uint64_t{0});
    std::vector<std::size_t> list{0, 0, 0, 1, 2, 3, 4, 0, 0, 0};
    const std::vector<std::size_t> before = list;
    const std::span<const std::size_t> ranks = std::span(list).subspan(3, 4);
    ranks_request r{.type = key_type::u64, .n = n, .keys = many.data(), .ranks = ranks};
    for (const std::size_t first : {0u, 3u, 6u}) {
      r.keys_out = list.data() + first;
      expect_invalid([&] { run(r); }, {"ranks and keys_out overlap", "apart"});
    }
    r.rows = 2, r.n = n / 2, r.ranks = ranks.first(2), r.keys_out = list.data() + 1; // the second row's results
    expect_invalid([&] { run(r); }, {"ranks and keys_out overlap", "apart"});
    std::vector<double> probabilities{0.5, 0.25};
    const quantiles_request q{.type = key_type::u64,
                              .n = n,
                              .keys = many.data(),
                              .probabilities = probabilities,
                              .results = probabilities.data()};
    expect_invalid([&] { run(q); }, {"probabilities and results overlap", "apart"});
    EXPECT_EQ(list, before);
    EXPECT_EQ(probabilities, (std::vector<double>{0.5, 0.25}));
  }
}

TEST(SelectMisuse, InPlace) {
  alignas(workspace_alignment) static std::byte space[1 << 16];
  std::vector<std::uint32_t> some = keys, values(5);
  const auto refused = [&](auto change, const std::vector<std::string>& words, const options& opts = {}) {
    partial_sort_request p{.n = 5, .k = 2, .keys = some.data(), .value_bytes = 4, .values = values.data()};
    nth_element_request e{.n = 5, .nth = 2, .keys = some.data()};
    change(p);
    change(e);
    expect_invalid([&] { run(p, opts); }, words);
    expect_invalid([&] { run(e, opts); }, words);
    expect_invalid([&] { (void)workspace_bytes(p, opts); }, words);
    expect_invalid([&] { (void)explain(e, opts); }, words);
  };
  refused([](auto& r) { r.keys = reinterpret_cast<char*>(r.keys) + 1; }, {"keys is not aligned"});
  refused([](auto& r) { r.n = 1; }, {" = 2 is above n = 1"});
  refused([](auto&) {}, {"bit window"}, {.bits = {3, 40}});
  refused([](auto&) {}, {"a workspace is given"}, {.workspace = {space, sizeof space}});
  for (const memory where : {memory::host, memory::device}) {
    refused([](auto&) {}, {"options::workspace_limit"}, {.workspace_limit = 1 << 20, .memory = where});
    options opts;
    opts.memory = where;
    expect_invalid(
        [&] {
          run(partial_sort_request{.n = 5, .k = 2, .keys = some.data(), .value_bytes = 4, .values = some.data() + 4},
              opts);
        },
        {"keys and values overlap"});
    expect_invalid([&] { run(partial_sort_request{.n = 5, .k = 2, .keys = some.data(), .value_bytes = 4}, opts); },
                   {"values is null"});
    expect_invalid([&] { run(nth_element_request{.n = 5, .nth = 2}, opts); }, {"keys is null"});
  }
}

TEST(SelectMisuse, Others) {
  std::vector<std::uint32_t> some = keys;
  expect_invalid([&] { partial_sort(some, 6); }, {"k = 6", "n = 5"});
  expect_invalid([&] { nth_element(some, 6); }, {"nth = 6"});
  const std::vector<std::size_t> ranks{0, 5};
  expect_invalid([&] { (void)keys_at_ranks(some, ranks); }, {"rank 5", "0 to n - 1"});
  const std::vector<double> above{1.5};
  expect_invalid([&] { (void)quantiles(some, above); }, {"probability 1.5 "});
  const std::vector<double> tiny{-1e-300}, nan{std::numeric_limits<double>::quiet_NaN()};
  expect_invalid([&] { (void)quantiles(some, tiny); }, {"probability -1e-300 "});
  expect_invalid([&] { (void)quantiles(some, nan); }, {"probability nan "});
  expect_invalid([&] { (void)median(std::vector<double>{}); }, {"have no quantiles", "at least 1"});
  expect_invalid([&] { (void)median(some, {.order = order::descending}); }, {"ascending order"});
  std::vector<char> values(4);
  expect_invalid([&] { partial_sort_by_key(some, values, 1); }, {"values"});
}

} // namespace
} // namespace sortile
