// What a call allocates: with the caller's workspace next to nothing, without it the workspace and next to nothing
// more.
#include "testing/guarded_buffer.hpp"
#include "testing/workloads.hpp"
#include "tests/faults/allocation_hooks.hpp"
#include "tests/faults/taken_slots.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

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

TEST(allocations, without_one_are_the_workspace) {
  std::vector<std::uint64_t> keys = make_keys<std::uint64_t>("uniform", n, 1);
  const sort_request request{.type = key_type::u64, .n = n, .keys_in = keys.data(), .keys_out = keys.data()};
  const all_slots_taken heap_alone;
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
