// Out of memory: whichever allocation fails, the call throws out_of_memory, inputs that may only be read are as they
// were, nothing leaks, and the next call works.
#include "testing/workloads.hpp"
#include "tests/faults/allocation_hooks.hpp"
#include "tests/faults/taken_slots.hpp"

#include <sortile/sortile.h>
#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

namespace sortile::testing {
namespace {

/// Fails every allocation of the call in turn, until the call succeeds without reaching the one that is to fail.
void fail_each_allocation(const std::string& what, const std::function<void()>& call) {
  const all_slots_taken heap_alone;
  call(); // thread pools and the like are made once and stay
  constexpr long limit = 20'000;
  for (long countdown = 0; countdown < limit; ++countdown) {
    const std::size_t live = allocations_so_far().live_bytes;
    std::string complaint;
    bool ended = false;
    fail_allocation(countdown);
    try {
      call();
      ended = !allocation_has_failed();
    } catch (const out_of_memory& e) {
      fail_allocation(-1);
      if (std::string(e.what()).find("memory") == std::string::npos)
        complaint = std::string("a message that does not say so: ") + e.what();
    } catch (const std::exception& e) {
      fail_allocation(-1);
      complaint = std::string("another exception: ") + e.what();
    }
    fail_allocation(-1);
    ASSERT_EQ(complaint, "") << what << ", allocation " << countdown;
    ASSERT_LE(allocations_so_far().live_bytes, live + 4096)
        << what << " leaks where allocation " << countdown << " fails";
    if (ended) {
      EXPECT_GT(countdown, 0) << what << " allocates nothing, so nothing was tested";
      return;
    }
  }
  FAIL() << what << " makes more than " << limit << " allocations";
}

TEST(out_of_memory, in_any_sort_is_named_and_leaves_the_input) {
  for (const std::size_t n : {200'000u, 3'000'000u}) { // shorter sorts of keys alone may do without any memory
    const std::vector<std::uint64_t> keys = make_keys<std::uint64_t>("uniform", n, 1), kept = keys;
    std::vector<std::uint64_t> out(n);
    std::vector<std::uint32_t> values(n), values_out(n), positions(n);
    const std::string of = " of " + std::to_string(n);
    fail_each_allocation("sort" + of, [&] { sortile::sort(keys, out); });
    fail_each_allocation("sort_by_key" + of, [&] { sortile::sort_by_key(keys, values, out, values_out); });
    fail_each_allocation("argsort" + of, [&] { sortile::argsort(keys, positions); });
    EXPECT_EQ(keys, kept);
    sortile::sort(keys, out);
    EXPECT_TRUE(sortile::is_sorted(out));
  }
}

TEST(out_of_memory, in_merges_rows_and_permutations_is_named) {
  const std::size_t n = 200'000;
  std::vector<std::uint32_t> a = make_keys<std::uint32_t>("sorted", n, 1), b = a, out(2 * n), positions(n);
  std::vector<double> values(n);
  fail_each_allocation("merge", [&] { sortile::merge(a, b, out); });
  fail_each_allocation("argsort_rows", [&] { sortile::argsort_rows(std::array{by(a), by(b)}, positions); });
  fail_each_allocation("permute", [&] { sortile::permute(positions, values); });
}

struct labelled {
  std::uint16_t key;
  std::uint32_t place;
  std::array<char, 20> rest;
  bool operator==(const labelled&) const = default;
};

/// Whichever allocation fails, all columns are as they were, or all are sorted: rows never come apart.
TEST(out_of_memory, in_a_sort_of_rows_or_structs_moves_nothing) {
  const std::size_t n = 150'000;
  const std::vector<std::uint32_t> keys = make_keys<std::uint32_t>("few:1000", n, 1);
  std::vector<std::uint64_t> places(n);
  for (std::size_t i = 0; i < n; ++i)
    places[i] = i;
  std::vector<std::uint32_t> first = keys;
  std::vector<std::uint64_t> second = places;
  std::vector<labelled> structs(n), kept(n);
  for (std::size_t i = 0; i < n; ++i)
    kept[i] = {static_cast<std::uint16_t>(keys[i]), static_cast<std::uint32_t>(i), {}};
  const auto sorted_whole_rows = [&] { // allocates nothing
    for (std::size_t i = 0; i < n; ++i)
      if (keys[second[i]] != first[i] || (i > 0 && first[i - 1] < first[i]))
        return false;
    return true;
  };
  fail_each_allocation("sort_rows", [&] {
    first = keys;
    second = places;
    try {
      sort_rows(std::array{by(first, order::descending), by(second)}, std::tie(first, second));
    } catch (const std::exception&) {
      fail_allocation(-1);
      EXPECT_TRUE(first == keys && second == places) << "rows have come apart";
      throw;
    }
    EXPECT_TRUE(sorted_whole_rows());
  });
  structs = kept;
  fail_each_allocation("sort of structs", [&] {
    std::copy(kept.begin(), kept.end(), structs.begin());
    try {
      sort(structs, by(&labelled::key), by(&labelled::place, order::descending));
    } catch (const std::exception&) {
      fail_allocation(-1);
      EXPECT_TRUE(structs == kept) << "structs have moved";
      throw;
    }
  });
  fail_each_allocation("argsort of structs", [&] { static_cast<void>(sortile::argsort(kept, by(&labelled::key))); });
  fail_each_allocation("argsort to a vector", [&] { static_cast<void>(sortile::argsort(keys)); });
}

TEST(out_of_memory, in_a_plan_is_named) {
  std::vector<std::uint32_t> keys = make_keys<std::uint32_t>("sorted", 2'000'000, 1);
  const sort_request request{.n = keys.size(), .keys_in = keys.data(), .keys_out = keys.data()};
  fail_each_allocation("explain", [&] { static_cast<void>(explain(request)); });
}

/// Where not even a message can be allocated, the failure still has its name, in C++ and in C.
TEST(out_of_memory, without_memory_for_its_message) {
  const std::size_t n = 3'000'000;
  const std::vector<std::uint32_t> keys = make_keys<std::uint32_t>("uniform", n, 1);
  std::vector<std::uint32_t> out(n);
  const all_slots_taken heap_alone;
  for (long countdown = 0; countdown < 4; ++countdown) {
    bool named = false;
    fail_allocations_from(countdown);
    try {
      sortile::sort(keys, out, {.threads = 1});
    } catch (const out_of_memory&) {
      named = true;
    } catch (const std::exception&) {
    }
    const bool reached = allocation_has_failed();
    fail_allocation(-1);
    EXPECT_EQ(named, reached) << countdown;
    sortile_options one_thread = SORTILE_OPTIONS_INIT;
    one_thread.threads = 1;
    fail_allocations_from(countdown);
    const sortile_status got = sortile_sort(SORTILE_U32, keys.data(), out.data(), n, &one_thread);
    const bool reached_in_c = allocation_has_failed();
    fail_allocation(-1);
    EXPECT_EQ(got, reached_in_c ? SORTILE_OUT_OF_MEMORY : SORTILE_OK) << countdown;
    if (countdown == 0)
      EXPECT_TRUE(reached && reached_in_c);
  }
}

TEST(out_of_memory, is_a_status_in_c) {
  const std::size_t n = 3'000'000;
  const std::vector<std::uint32_t> keys = make_keys<std::uint32_t>("uniform", n, 1);
  std::vector<std::uint32_t> out(n);
  const all_slots_taken heap_alone;
  ASSERT_EQ(sortile_sort(SORTILE_U32, keys.data(), out.data(), n, nullptr), SORTILE_OK);
  fail_allocation(0);
  const sortile_status got = sortile_sort(SORTILE_U32, keys.data(), out.data(), n, nullptr);
  fail_allocation(-1);
  EXPECT_EQ(got, SORTILE_OUT_OF_MEMORY) << sortile_error_message();
  EXPECT_NE(std::string(sortile_error_message()).find("memory"), std::string::npos);
}

/// More than any machine has: the size is named, nothing is written.
TEST(out_of_memory, of_an_impossible_size_says_how_much) {
  double keys[4] = {4, 3, 2, 1};              // integers may be sorted without any workspace
  const std::size_t n = std::size_t{1} << 45; // 256 TiB of keys: more than the address space
  const sort_request request{.type = key_type::f64, .n = n, .keys_in = keys, .keys_out = keys};
  const std::size_t wanted = workspace_bytes(request);
  ASSERT_GT(wanted, n);
  try {
    run(request);
    FAIL() << "sorted more than there is";
  } catch (const out_of_memory& e) {
    EXPECT_NE(std::string(e.what()).find(std::to_string(wanted)), std::string::npos) << e.what();
  }
  EXPECT_EQ(keys[0], 4);
  EXPECT_EQ(keys[3], 1);
}

} // namespace
} // namespace sortile::testing
