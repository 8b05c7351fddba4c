// What selections refuse, and with which words.
#include "tests/expect_refusal.hpp"

#include <sortile/select.hpp>

#include <gtest/gtest.h>

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
  expect_invalid([&] { (void)quantiles(some, above); }, {"probability 1.5"});
  expect_invalid([&] { (void)median(std::vector<double>{}); }, {"have no quantiles", "at least 1"});
  expect_invalid([&] { (void)median(some, {.order = order::descending}); }, {"ascending order"});
  std::vector<char> values(4);
  expect_invalid([&] { partial_sort_by_key(some, values, 1); }, {"values"});
}

} // namespace
} // namespace sortile
