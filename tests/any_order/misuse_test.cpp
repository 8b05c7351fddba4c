// What sorts by a comparison refuse, by name and before an element is read; and their workspace.
#include "testing/guarded_buffer.hpp"
#include "tests/any_order/fixture.hpp"
#include "tests/expect_refusal.hpp"

namespace sortile::testing {
namespace {

constexpr coarse_descending unread; // where a `nothing_is_read` stands

struct nothing_is_read {
  nothing_is_read() { coarse_descending::is_forbidden = true; }
  ~nothing_is_read() { coarse_descending::is_forbidden = false; }
};

TEST(any_order_misuse, an_element_that_is_read_is_noticed) {
  std::vector<std::uint32_t> all(100);
  const nothing_is_read here;
  EXPECT_THROW(sort(all, unread), std::logic_error);
}

TEST(any_order_misuse, of_options) {
  const nothing_is_read here;
  auto all = elements<sized<12>>(keys_are::random, 100, 1);
  auto owners = elements<owner>(keys_are::random, 100, 1);
  std::vector<int> values(100), numbers(100);
  const auto refuse = [&](const options& opts, const std::vector<std::string>& words) {
    expect_invalid([&] { sort(all, unread, opts); }, words);
    expect_invalid([&] { sort(owners, unread, opts); }, words);
    expect_invalid([&] { sort_by_key(all, values, unread, opts); }, words);
    expect_invalid([&] { static_cast<void>(sortile::argsort(all, unread, opts)); }, words);
    expect_invalid([&] { static_cast<void>(sortile::is_sorted(all, unread, opts)); }, words);
  };
  int stream = 0;
  refuse({.order = order::descending}, {"the comparison says the direction", "options::order"});
  refuse({.bits = {0, 8}}, {"whole elements", "options::bits"});
  refuse({.workspace_limit = 1}, {"options::workspace_limit", "only sorts of keys"});
  refuse({.memory = memory::device}, {"function of the host", "device memory", "compare.cuh"});
  refuse({.memory = static_cast<memory>(9)}, {"memory", "9"});
  refuse({.stream = &stream}, {"stream"});
  expect_invalid([&] { sort(numbers, std::greater{}, {.order = order::descending}); }, {"direction"});
  expect_refusal<unknown_engine>([&] { sort(all, unread, {.engine = "quantum"}); }, status::unknown_engine,
                                 {"quantum"});
}

TEST(any_order_misuse, of_arrays) {
  const nothing_is_read here;
  auto all = elements<sized<12>>(keys_are::random, 100, 1);
  std::vector<int> few(99);
  expect_invalid([&] { sort_by_key(all, few, unread); }, {"sort_by_key", "keys", "100", "values", "99"});
  expect_invalid([&] { argsort(all, few, unread); }, {"argsort", "100", "99"});
  expect_invalid([&] { sortile::sort(all, std::span(all).first(50), unread); }, {"in", "100", "out", "50"});
  expect_invalid([&] { sortile::sort(std::span(all).first(60), std::span(all).last(60), unread); },
                 {"in", "out", "overlap"});
  expect_invalid([&] { sort_by_key(std::span(all).first(60), std::span(all).last(60), unread); },
                 {"keys", "values", "overlap"});
  expect_invalid([&] { sortile::sort(std::span<sized<12>>(static_cast<sized<12>*>(nullptr), 3), unread); },
                 {"elements", "null"});
}

/// Enough is what is asked for, wherever the sort goes, and one byte less is refused.
template <class T, class V>
void check_workspace(std::size_t n) {
  for (const keys_are a : all_arrangements) {
    const auto given = elements<T>(a, n, 4);
    const std::size_t keys_bytes = any_order_workspace_bytes<T>(n, {.threads = 3});
    const std::size_t pairs_bytes = any_order_workspace_bytes<T, V>(n, {.threads = 3});
    guarded_buffer for_keys(keys_bytes), for_pairs(pairs_bytes);
    auto expected = given;
    std::stable_sort(expected.begin(), expected.end(), coarse_descending{});
    auto all = given;
    sort(all, coarse_descending{}, {.threads = 3, .workspace = for_keys.bytes()});
    ASSERT_EQ(all, expected);
    all = given;
    std::vector<V> values(n), positions(n);
    sort_by_key(all, values, coarse_descending{}, {.threads = 3, .workspace = for_pairs.bytes()});
    ASSERT_EQ(all, expected);
    argsort(given, positions, coarse_descending{}, {.threads = 3, .workspace = for_pairs.bytes()});
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(given[positions[i]], expected[i]);
    if constexpr (std::integral<T>) {
      sort(all, std::less{}, {.threads = 3, .workspace = for_keys.bytes()});
      argsort(given, positions, std::greater{}, {.threads = 3, .workspace = for_pairs.bytes()});
    }
    EXPECT_EQ(for_keys.damage(), "");
    EXPECT_EQ(for_pairs.damage(), "");
  }
}

TEST(any_order_misuse, of_a_workspace_is_refused_and_what_is_asked_for_is_enough) {
  for (const std::size_t n : {10u, 2048u, 2049u, 60'000u}) {
    check_workspace<std::uint32_t, std::uint32_t>(n);
    check_workspace<sized<32>, std::uint64_t>(n);
    check_workspace<owner, std::uint64_t>(n);
  }
  const nothing_is_read here;
  auto all = elements<sized<12>>(keys_are::random, 5000, 1);
  const std::size_t wanted = any_order_workspace_bytes<sized<12>>(5000, {.threads = 2});
  EXPECT_LE(wanted, 5000 * 13 + 256 + 4 * 2 * 256 * 8) << "the documents: n (T + 1), and some KB a thread";
  guarded_buffer space(wanted + 128);
  expect_refusal<workspace_too_small>(
      [&] { sort(all, unread, {.threads = 2, .workspace = space.bytes().first(wanted - 1)}); },
      status::workspace_too_small, {std::to_string(wanted - 1), std::to_string(wanted)});
  expect_invalid([&] { sort(all, unread, {.threads = 2, .workspace = space.bytes().subspan(8, wanted)}); },
                 {"workspace", std::to_string(workspace_alignment)});
  const std::span<sized<12>> within = space.as<sized<12>>().first(100);
  expect_invalid([&] { sortile::sort(within, unread, {.threads = 1, .workspace = space.bytes()}); },
                 {"the elements", "the workspace", "overlap"});
  const std::span in = within.first(500); // fewer than need a workspace
  std::vector<sized<12>> out(500);
  expect_invalid([&] { sortile::sort(in, out, unread, {.threads = 1, .workspace = space.bytes()}); },
                 {"in", "the workspace", "overlap"});
  std::vector<std::uint32_t> values(500), values_out(500);
  expect_invalid(
      [&] { sortile::sort_by_key(in, values, out, values_out, unread, {.threads = 1, .workspace = space.bytes()}); },
      {"keys_in", "the workspace", "overlap"});
}

} // namespace
} // namespace sortile::testing
