// A caller's workspace: exactly as large as asked for is enough, its contents never matter, nothing beyond it is
// touched.
#include "testing/guarded_buffer.hpp"
#include "testing/workloads.hpp"
#include "tests/short_tests.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

namespace sortile::testing {
namespace {

/// Sorts with exactly the workspace asked for, poisoned by the seed; gives the result.
std::vector<std::byte> sorted_with(key_type type, payload carries, std::size_t n, std::uint64_t poison) {
  guarded_buffer keys(n * key_bytes(type)), values(n * 8, 0, 5);
  workload_named("few:900").fill({type, n, 3}, 0, n, keys.data());
  const bool alone = carries == payload::none;
  guarded_buffer out(n * 8);
  const sort_request request{.type = type,
                             .n = n,
                             .keys_in = keys.data(),
                             .keys_out = keys.data(),
                             .carries = carries,
                             .value_bytes = alone ? 0u : 8u,
                             .values_in = carries == payload::values ? values.data() : nullptr,
                             .values_out = alone                        ? nullptr
                                           : carries == payload::values ? values.data()
                                                                        : out.data()};
  guarded_buffer workspace(workspace_bytes(request), 0, poison);
  run(request, {.workspace = workspace.bytes()});
  EXPECT_EQ(workspace.damage() + keys.damage() + values.damage() + out.damage(), "");
  std::vector<std::byte> result(keys.data(), keys.data() + keys.size());
  const guarded_buffer& moved = carries == payload::indices ? out : values;
  result.insert(result.end(), moved.data(), moved.data() + moved.size());
  return result;
}

TEST(workspace, contents_never_matter) {
  one_in taken(4);
  for (const key_type type : all_key_types)
    for (const payload carries : {payload::none, payload::values, payload::indices})
      for (const std::size_t n : {10u, 1000u, 90'000u}) {
        if (!taken())
          continue;
        const std::vector<std::byte> first = sorted_with(type, carries, n, 1);
        EXPECT_EQ(first, sorted_with(type, carries, n, 2)) << name(type) << " n=" << n;
      }
}

TEST(workspace, is_enough_whatever_the_threads) {
  one_in taken(4);
  for (const key_type type : {key_type::u16, key_type::u32, key_type::f32, key_type::f64})
    for (const char* workload : {"few:200", "few:16", "range:256", "uniform"})
      for (const std::size_t n : {66'000u, 132'333u, 262'000u, 600'000u})
        for (const unsigned threads : {2u, 6u, 16u, 64u}) {
          if (!taken() && n != 132'333u) // between what one thread sorts and what two do
            continue;
          guarded_buffer keys(n * key_bytes(type));
          workload_named(workload).fill({type, n, 3}, 0, n, keys.data());
          const sort_request request{.type = type, .n = n, .keys_in = keys.data(), .keys_out = keys.data()};
          guarded_buffer workspace(workspace_bytes(request, {.threads = threads}), 0, 1);
          run(request, {.threads = threads, .workspace = workspace.bytes()});
          ASSERT_EQ(workspace.damage() + keys.damage(), "")
              << name(type) << ' ' << workload << " n=" << n << ", " << threads << " threads";
        }
}

TEST(workspace, may_be_larger_than_asked_for) {
  std::vector<std::uint32_t> keys = make_keys<std::uint32_t>("uniform", 50'000, 1);
  const sort_request request{.n = keys.size(), .keys_in = keys.data(), .keys_out = keys.data()};
  guarded_buffer workspace(2 * workspace_bytes(request) + 4096, 0, 9);
  const guarded_buffer same(workspace.size(), 0, 9);
  sortile::sort(keys, {.workspace = workspace.bytes()});
  EXPECT_TRUE(sortile::is_sorted(keys));
  const std::size_t used = workspace_bytes(request);
  EXPECT_TRUE(std::equal(workspace.data() + used, workspace.data() + workspace.size(), same.data() + used))
      << "what lies beyond the size asked for was written";
}

TEST(workspace, of_a_double_buffer_is_smaller) {
  std::vector<std::uint64_t> a(2'000'000), b(a.size()), c(a.size()), d(a.size());
  sort_request request{.type = key_type::u64,
                       .n = a.size(),
                       .keys_in = a.data(),
                       .keys_out = b.data(),
                       .carries = payload::values,
                       .value_bytes = 8,
                       .values_in = c.data(),
                       .values_out = d.data()};
  const std::size_t apart = workspace_bytes(request);
  request.input_is_scratch = true;
  EXPECT_LT(workspace_bytes(request), apart / 2) << "the input serves as the second buffer";
}

} // namespace
} // namespace sortile::testing
