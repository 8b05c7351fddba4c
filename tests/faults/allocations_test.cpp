// What a call allocates: with the caller's workspace next to nothing, without it the workspace and next to nothing
// more.
#include "testing/guarded_buffer.hpp"
#include "testing/workloads.hpp"
#include "tests/faults/allocation_hooks.hpp"

#include <sortile/groups.hpp>
#include <sortile/select.hpp>
#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <array>
#include <numeric>

namespace sortile::testing {
namespace {

constexpr std::size_t n = 2'000'000;
constexpr std::size_t next_to_nothing = 1 << 20; // bookkeeping of a plan and of threads, whatever n is

std::size_t bytes_allocated_by(const sort_request& request, const options& opts) {
  const std::size_t before = allocations_so_far().bytes;
  run(request, opts);
  return allocations_so_far().bytes - before;
}

TEST(allocations, with_a_given_workspace_are_next_to_none) {
  guarded_buffer keys(n * 16), keys_out(n * 16), values(n * 16), values_out(n * 16);
  for (const key_type type : all_key_types)
    for (const payload carries : {payload::none, payload::values, payload::indices})
      for (const std::size_t value_bytes : {4u, 8u, 16u}) {
        if ((carries == payload::indices && value_bytes > 8) || (carries == payload::none && value_bytes > 4))
          continue;
        const sort_request request{.type = type,
                                   .n = n / 4,
                                   .keys_in = keys.data(),
                                   .keys_out = keys_out.data(),
                                   .carries = carries,
                                   .value_bytes = carries == payload::none ? 0 : value_bytes,
                                   .values_in = values.data(),
                                   .values_out = values_out.data()};
        run(request); // threads are started once
        const guarded_buffer workspace(workspace_bytes(request));
        const options opts{.workspace = std::span(const_cast<std::byte*>(workspace.data()), workspace.size())};
        EXPECT_LT(bytes_allocated_by(request, opts), next_to_nothing)
            << name(type) << ", payload " << static_cast<int>(carries) << " of " << value_bytes;
      }
}

TEST(allocations, of_short_sorts_are_none) {
  const std::vector<std::uint64_t> many = make_keys<std::uint64_t>("uniform", 100'000, 1);
  std::vector<std::uint64_t> keys, values(many.size()), positions(many.size());
  const auto allocated_by = [&](std::size_t length, auto sort) {
    keys.assign(many.begin(), many.begin() + static_cast<std::ptrdiff_t>(length));
    sort(); // what is made once
    keys.assign(many.begin(), many.begin() + static_cast<std::ptrdiff_t>(length));
    const std::size_t before = allocations_so_far().bytes;
    sort();
    return allocations_so_far().bytes - before;
  };
  if (!__builtin_cpu_supports("avx512vbmi2"))
    GTEST_SKIP() << "short sorts are done by vectors, which this processor does not have";
  for (const std::size_t length : {2u, 16u, 100u, 128u, 1000u, 100'000u}) {
    EXPECT_EQ(allocated_by(length, [&] { sort(keys); }), 0u) << length << " keys";
    if (length > 128)
      continue;
    EXPECT_EQ(allocated_by(length, [&] { sort_by_key(keys, std::span(values).first(length)); }), 0u)
        << length << " pairs";
    EXPECT_EQ(allocated_by(length, [&] { argsort(keys, std::span(positions).first(length)); }), 0u)
        << length << " positions";
  }
}

TEST(allocations, of_calls_on_few_keys_are_none) {
  if (!__builtin_cpu_supports("avx2"))
    GTEST_SKIP() << "short calls are done by vectors, which this processor does not have";
  alignas(16) std::array<std::byte, 2048> from{}, to{};
  std::array<std::byte, 128 * 24> values{}, values_out{};
  std::array<std::uint64_t, 129> numbers{}, positions{};
  std::iota(positions.begin(), positions.end(), 0);
  for (const key_type type : all_key_types)
    for (const std::size_t n : {2u, 9u, 12u, 64u, 128u}) {
      workload_named("uniform").fill({type, n, n}, 0, n, from.data());
      const auto expect_none = [&](const char* call, auto done) {
        done(); // what is made once
        const std::size_t before = allocations_so_far().allocations;
        done();
        EXPECT_EQ(allocations_so_far().allocations, before) << call << " of " << n << " keys of " << name(type);
      };
      const options usual;
      for (const payload carries : {payload::none, payload::values, payload::indices}) {
        const std::size_t width = carries == payload::none ? 0 : carries == payload::values ? 24 : 8;
        void* const out = carries == payload::indices ? static_cast<void*>(numbers.data()) : values_out.data();
        const sort_request sort{type, n, from.data(), to.data(), carries, width, values.data(), out};
        const top_k_request top{type, n, n / 2, from.data(), to.data(), carries, width, values.data(), out};
        expect_none("a sort", [&] { run(sort, usual); });
        expect_none("a top-k", [&] { run(top, usual); });
      }
      expect_none("a partial sort", [&] {
        run(partial_sort_request{type, n, n / 2, to.data(), 24, values.data()}, usual);
      });
      expect_none("nth_element", [&] { run(nth_element_request{type, n, n / 2, to.data()}, usual); });
      expect_none("groups", [&] {
        run(groups_request{.type = type, .n = n, .keys = from.data(), .keys_out = to.data(), .counts = numbers.data()},
            usual);
      });
      expect_none("a check of order", [&] { static_cast<void>(first_disorder(type, from.data(), n, usual)); });
      const std::array<sorted_run, 2> runs{{{from.data(), nullptr, n / 2}, {from.data(), nullptr, n - n / 2}}};
      expect_none("a merge", [&] { run(merge_request{.type = type, .runs = runs, .keys_out = to.data()}, usual); });
      expect_none("a permutation", [&] { run(permute_request{n, positions.data(), 8, values.data(), 24}, usual); });
      if (key_bytes(type) > 8)
        continue; // of which rows are ordered by the usual way
      const std::array<column, 2> columns{column{type, from.data()}, {type, from.data(), order::descending}};
      const std::array<row_array, 1> arrays{{{values.data(), 24}}};
      expect_none("rows", [&] { run(sort_rows_request{n, columns, arrays}, usual); });
    }
}

/// Nor do a few first of more keys.
TEST(allocations, of_few_first_keys_are_none) {
  if (!__builtin_cpu_supports("avx2"))
    GTEST_SKIP() << "short calls are done by vectors, which this processor does not have";
  constexpr std::size_t length = 50'000, k = 100;
  alignas(16) static std::array<std::byte, length * 16> from{};
  alignas(16) std::array<std::byte, k * 16> to{};
  static std::array<std::uint64_t, length> values{};
  std::array<std::uint64_t, k> values_out{};
  const auto expect_none = [&](const char* call, key_type type, auto done) {
    done(); // what is made once
    const std::size_t before = allocations_so_far().allocations;
    done();
    EXPECT_EQ(allocations_so_far().allocations, before) << call << " of keys of " << name(type);
  };
  const options usual;
  for (const key_type type : all_key_types) {
    workload_named("uniform").fill({type, length, length}, 0, length, from.data());
    for (const payload carries : {payload::none, payload::values, payload::indices})
      expect_none("a top-k", type, [&] {
        run(top_k_request{type, length, k, from.data(), to.data(), carries, carries == payload::none ? 0u : 8u,
                          values.data(), values_out.data()},
            usual);
      });
    expect_none("a partial sort", type, [&] {
      run(partial_sort_request{type, length, k, from.data(), 8, values.data()}, usual);
    });
  }
}

TEST(allocations, without_one_are_the_workspace) {
  std::vector<std::uint64_t> keys = make_keys<std::uint64_t>("uniform", n, 1);
  const sort_request request{.type = key_type::u64, .n = n, .keys_in = keys.data(), .keys_out = keys.data()};
  run(request);
  release_scratch(); // what is kept for the next call is not allocated by it
  const std::size_t live = allocations_so_far().live_bytes;
  const std::size_t allocated = bytes_allocated_by(request, {});
  release_scratch();
  EXPECT_GE(allocated, workspace_bytes(request)) << "the counters see what the library allocates";
  EXPECT_LT(allocated, workspace_bytes(request) + next_to_nothing + (std::size_t{8} << 20))
      << "rounded up to huge pages";
  EXPECT_LE(allocations_so_far().live_bytes, live + 4096) << "given back";
}

TEST(allocations, of_a_plan_do_not_grow_with_n) {
  const auto of_plan = [](std::size_t length) {
    std::byte* nowhere = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);
    const std::size_t before = allocations_so_far().bytes;
    static_cast<void>(explain({.type = key_type::u64, .n = length, .keys_in = nowhere, .keys_out = nowhere}));
    return allocations_so_far().bytes - before;
  };
  EXPECT_LT(of_plan(std::size_t{1} << 36), next_to_nothing);
}

} // namespace
} // namespace sortile::testing
