// The progress callback: told by the caller's thread, never falls, ends at 1, cancels.
#include "testing/request_case.hpp"
#include "testing/workloads.hpp"
#include "tests/expect_refusal.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace sortile::testing {
namespace {

struct told {
  std::vector<double> fractions;
  std::thread::id thread = std::this_thread::get_id();
  bool by_another = false;

  options opts() {
    return {.progress = [this](double fraction) {
      by_another = by_another || std::this_thread::get_id() != thread;
      fractions.push_back(fraction);
      return true;
    }};
  }

  void expect_right(const std::string& of) const {
    ASSERT_FALSE(fractions.empty()) << of;
    EXPECT_FALSE(by_another) << of << ": called from another thread";
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end())) << of;
    EXPECT_GE(fractions.front(), 0) << of;
    EXPECT_EQ(fractions.back(), 1) << of;
  }
};

TEST(progress, is_told_in_order_and_ends_at_one) {
  for (const std::size_t n : {0u, 1u, 100u, 20'000u, 3'000'000u}) {
    told sort, pairs, positions;
    std::vector<std::uint64_t> keys = make_keys<std::uint64_t>("uniform", n, 1);
    std::vector<std::uint32_t> values(n);
    static_cast<void>(sortile::argsort(keys, positions.opts()));
    std::vector<std::uint64_t> again = keys;
    sortile::sort_by_key(again, values, pairs.opts());
    sortile::sort(keys, sort.opts());
    sort.expect_right("sort of " + std::to_string(n));
    pairs.expect_right("sort_by_key of " + std::to_string(n));
    positions.expect_right("argsort of " + std::to_string(n));
  }
}

TEST(progress, of_the_other_calls_ends_at_one_too) {
  for (const std::size_t n : {0u, 1u, 100u, 400'000u}) {
    told merge, rows, check;
    const std::vector<std::uint32_t> a = make_keys<std::uint32_t>("sorted", n, 1);
    const std::vector<std::uint8_t> b = make_keys<std::uint8_t>("few:3", n, 1);
    std::vector<std::uint32_t> merged(2 * n), positions(n);
    sortile::merge(a, a, merged, merge.opts());
    sortile::argsort_rows(std::array{by(b), by(a)}, positions, rows.opts());
    EXPECT_TRUE(sortile::is_sorted(a, check.opts()));
    merge.expect_right("merge of " + std::to_string(n));
    rows.expect_right("argsort_rows of " + std::to_string(n));
    check.expect_right("is_sorted of " + std::to_string(n));
  }
}

TEST(progress, cancels_the_other_calls) {
  const std::vector<std::uint32_t> a = make_keys<std::uint32_t>("sorted", 400'000, 1);
  std::vector<std::uint32_t> merged(2 * a.size()), positions(a.size());
  const options refuse{.progress = [](double) { return false; }};
  const auto expect_cancelled = [](const auto& call) {
    expect_refusal<cancelled>(call, status::cancelled, {"cancel"});
  };
  expect_cancelled([&] { sortile::merge(a, a, merged, refuse); });
  expect_cancelled([&] { sortile::argsort_rows(std::array{by(a)}, positions, refuse); });
  expect_cancelled([&] { static_cast<void>(sortile::is_sorted(a, refuse)); });
}

TEST(progress, of_a_large_sort_is_told_more_than_once) {
  told sort;
  std::vector<std::uint64_t> keys = make_keys<std::uint64_t>("uniform", 4'000'000, 1);
  sortile::sort(keys, sort.opts());
  EXPECT_GT(sort.fractions.size(), 2u);
}

/// Input and output apart: a cancelled sort leaves the input as it was; and the next call works.
TEST(progress, cancels_at_any_call) {
  const std::vector<std::uint32_t> keys = make_keys<std::uint32_t>("uniform", 2'000'000, 1), kept = keys;
  std::vector<std::uint32_t> out(keys.size());
  for (unsigned allowed = 0; allowed < 3; ++allowed) {
    unsigned calls = 0;
    const options opts{.progress = [&](double) { return calls++ < allowed; }};
    expect_refusal<cancelled>([&] { sortile::sort(keys, out, opts); }, status::cancelled, {"cancel"});
    EXPECT_EQ(calls, allowed + 1) << "no call follows the refusal";
    EXPECT_EQ(keys, kept);
  }
  sortile::sort(keys, out);
  EXPECT_TRUE(sortile::is_sorted(out));
}

/// At whatever call: inputs that may only be read are as they were, nothing else is written, and the same request is
/// sorted right afterwards, on the same threads.
TEST(progress, cancels_random_requests_at_random_calls) {
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    request_case c = random_case(seed, {""}, seed % 5 == 0 ? 400'000 : 20'000);
    c.refused_call = 1 + random_bits(seed, 1) % (seed % 2 == 0 ? 3 : 40);
    const verdict v = check(c);
    ASSERT_TRUE(v) << v.complaint << "\n  in " << to_string(c);
    c.refused_call = 0;
    const verdict whole = check(c);
    ASSERT_TRUE(whole) << whole.complaint << "\n  after a cancellation, in " << to_string(c);
  }
}

} // namespace
} // namespace sortile::testing
