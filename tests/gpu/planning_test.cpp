// Sorts of arrays in device memory can be planned on a machine without a device; what contradicts itself is refused.
#include "tests/expect_refusal.hpp"

#include <sortile/device.hpp>
#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

namespace sortile::testing {
namespace {

void* at(std::size_t address) {
  return reinterpret_cast<void*>(address); // compared, never followed
}

sort_request request_of(std::size_t n, key_type type = key_type::u32) {
  return {.type = type, .n = n, .keys_in = at(std::size_t{1} << 40), .keys_out = at(std::size_t{1} << 41)};
}

const options in_device_memory{.memory = memory::device};

TEST(planning_for_device_memory, needs_no_device) {
  for (const key_type type : all_key_types) {
    const std::size_t n = std::size_t{1} << 24;
    const plan p = explain(request_of(n, type), in_device_memory);
    EXPECT_EQ(p.engine, "cuda");
    EXPECT_GE(p.steps.size(), 2u);
    EXPECT_EQ(p.workspace_bytes, workspace_bytes(request_of(n, type), in_device_memory));
    EXPECT_LE(p.workspace_bytes, n * key_bytes(type) * 2 + (64u << 20)) << name(type);
  }
}

TEST(planning_for_device_memory, costs_nothing_for_nothing) {
  EXPECT_EQ(workspace_bytes(request_of(0), in_device_memory), 0u);
}

TEST(planning_for_device_memory, shows_what_is_done_for_values_of_odd_sizes) {
  sort_request r = request_of(1000);
  r.carries = payload::values;
  r.values_in = at(std::size_t{1} << 42);
  r.values_out = at(std::size_t{1} << 43);
  r.value_bytes = 3;
  EXPECT_NE(to_string(explain(r, in_device_memory)).find("move"), std::string::npos);
  r.value_bytes = 100;
  EXPECT_NE(to_string(explain(r, in_device_memory)).find("gather"), std::string::npos);
}

TEST(planning_for_device_memory, refuses_what_cannot_be_done_with_n_on_the_device) {
  sort_request r = request_of(1000);
  const std::uint64_t n = 5;
  r.device_n = &n;
  EXPECT_EQ(explain(r, in_device_memory).engine, "cuda");
  expect_invalid([&] { static_cast<void>(explain(r)); }, {"device_n", "memory::device"});
  auto told = r;
  told.device_status = static_cast<std::uint32_t*>(at(std::size_t{1} << 44));
  EXPECT_EQ(explain(told, in_device_memory).engine, "cuda");
  told.device_status = static_cast<std::uint32_t*>(at((std::size_t{1} << 44) + 2));
  expect_invalid([&] { static_cast<void>(explain(told, in_device_memory)); }, {"device_status", "aligned"});
  told.device_status = static_cast<std::uint32_t*>(told.keys_out);
  expect_invalid([&] { static_cast<void>(explain(told, in_device_memory)); }, {"device_status", "keys_out", "overlap"});
  told = r;
  told.device_n = nullptr;
  told.device_status = static_cast<std::uint32_t*>(at(std::size_t{1} << 44));
  expect_invalid([&] { static_cast<void>(explain(told, in_device_memory)); }, {"device_status", "device_n"});
  r.carries = payload::values;
  r.values_in = at(std::size_t{1} << 42);
  r.values_out = at(std::size_t{1} << 43);
  r.value_bytes = 3;
  expect_refusal<engine_unusable>([&] { static_cast<void>(explain(r, in_device_memory)); }, status::engine_unusable,
                                  {"4, 8 or 16 bytes"});
}

TEST(planning_for_device_memory, names_the_other_engines_limits) {
  for (const char* engine : {"cpu", "executor"}) {
    options opts = in_device_memory;
    opts.engine = engine;
    expect_refusal<engine_unusable>([&] { run(request_of(10), opts); }, status::engine_unusable, {engine, "memory"});
  }
}

TEST(device_memory_options, running_without_a_device_is_refused_with_the_reason) {
  if (first_usable_device() != nullptr)
    GTEST_SKIP() << "there is a GPU";
  expect_refusal<engine_unusable>([&] { run(request_of(10), in_device_memory); }, status::engine_unusable, {"cuda"});
}

TEST(device_memory_options, options_that_contradict_each_other_are_refused) {
  std::vector<std::uint32_t> keys = {3, 1, 2};
  const auto refused = [&](const options& opts, const std::vector<std::string>& words) {
    expect_invalid([&] { sort(keys, opts); }, words);
    EXPECT_EQ(keys, (std::vector<std::uint32_t>{3, 1, 2}));
  };
  refused({.stream = keys.data()}, {"stream", "memory::device"});
  refused({.progress = [](double) { return true; }, .memory = memory::device}, {"progress"});
  refused({.memory = static_cast<memory>(7)}, {"memory number 7"});
}

TEST(device_memory_options, calls_without_kernels_are_refused) {
  const std::vector<std::uint32_t> a = {1, 2};
  expect_refusal<engine_unusable>([&] { static_cast<void>(sortile::is_sorted(a, in_device_memory)); },
                                  status::engine_unusable, {"device memory"});
}

} // namespace
} // namespace sortile::testing
