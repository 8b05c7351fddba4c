// Short sorts, which skip plan and workspace: every type, payload, order, window and form against the oracle; and what
// they must leave to the front door, untouched.
#include "cpu/radix_job.hpp"
#include "cpu/small_sort.hpp"
#include "cpu/vector_sort.hpp"
#include "testing/guarded_buffer.hpp"
#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

namespace sortile {
namespace {

using testing::guarded_buffer;

bool has_vectors() {
  return cpu::best_vector_kernels<std::uint64_t>() != nullptr;
}

std::size_t rounds(std::size_t usual) {
  const char* factor = std::getenv("SORTILE_TEST_ROUNDS");
  return factor != nullptr ? usual * static_cast<std::size_t>(std::atol(factor)) : usual;
}

// One short request with its arrays.
struct short_case {
  sort_request request;
  options opts;
  guarded_buffer keys, keys_out, values, values_out;
  std::vector<std::byte> keys_before, values_before;

  short_case(key_type type, std::size_t n, payload carries, std::size_t value_bytes, bool in_place, bool keys_wanted,
             const std::string& workload, std::uint64_t seed)
      : keys(n * key_bytes(type), key_bytes(type) % 64, seed),
        keys_out(in_place || !keys_wanted ? 0 : n * key_bytes(type), key_bytes(type) % 64, seed + 1),
        values(carries == payload::values ? n * value_bytes : 0, seed % 3, seed + 2),
        values_out(carries == payload::none || (carries == payload::values && in_place) ? 0 : n * value_bytes,
                   carries == payload::indices ? value_bytes : 1, seed + 3) {
    testing::workload_named(workload).fill({type, n, seed}, 0, n, keys.data());
    for (std::size_t i = 0; i < values.size(); ++i)
      values.data()[i] = static_cast<std::byte>(i * 31 + i / 256);
    keys_before.assign(keys.data(), keys.data() + keys.size());
    values_before.assign(values.data(), values.data() + values.size());
    request = {.type = type, .n = n, .keys_in = keys.data(), .carries = carries};
    request.keys_out = !keys_wanted ? nullptr : in_place ? keys.data() : keys_out.data();
    request.value_bytes = carries == payload::none ? 0 : value_bytes;
    request.values_in = carries == payload::values ? values.data() : nullptr;
    if (carries != payload::none)
      request.values_out = values_out.size() > 0 ? values_out.data() : values.data();
  }

  void check_result() {
    const std::vector<std::uint64_t> expected =
        testing::stable_order({request.type, opts.order, opts.bits}, keys_before.data(), request.n);
    for (guarded_buffer* b : {&keys, &keys_out, &values, &values_out})
      ASSERT_EQ(b->damage(), "");
    if (request.keys_out != nullptr) {
      const auto wanted = testing::gather(keys_before.data(), key_bytes(request.type), expected);
      ASSERT_EQ(std::memcmp(request.keys_out, wanted.data(), wanted.size()), 0) << "keys";
    }
    if (request.carries == payload::values) {
      const auto wanted = testing::gather(values_before.data(), request.value_bytes, expected);
      ASSERT_EQ(std::memcmp(request.values_out, wanted.data(), wanted.size()), 0) << "values";
    }
    if (request.carries == payload::indices)
      for (std::size_t i = 0; i < request.n; ++i) {
        std::uint64_t index = 0;
        std::memcpy(&index, values_out.data() + i * request.value_bytes, request.value_bytes);
        ASSERT_EQ(index, expected[i]) << "index " << i;
      }
  }

  bool untouched() const {
    return std::memcmp(keys.data(), keys_before.data(), keys_before.size()) == 0 &&
           (values_before.empty() || std::memcmp(values.data(), values_before.data(), values_before.size()) == 0);
  }
};

// A million with SORTILE_TEST_ROUNDS=50. Through the front door, so that what is not done at once is checked too.
TEST(short_sorts, random_requests_against_the_oracle) {
  std::mt19937_64 random(5);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const char* workloads[] = {"uniform", "few:3", "equal", "sorted", "reversed", "nearly-sorted", "and:5", "specials"};
  const cpu::radix_tuning before = cpu::tuning();
  for (std::size_t round = 0; round < rounds(20'000); ++round) {
    cpu::tuning().widest = cpu::all_instruction_sets[round % std::size(cpu::all_instruction_sets)];
    const key_type type = all_key_types[below(std::size(all_key_types))];
    const auto carries = static_cast<payload>(below(3));
    const std::size_t sizes[] = {1, 2, 3, 4, 5, 8, 8, 12, 16, 24};
    const std::size_t value_bytes =
        carries == payload::indices ? (below(2) == 0 ? 4 : 8) : sizes[below(std::size(sizes))];
    const bool keys_wanted = carries != payload::indices || below(2) == 0;
    const bool in_place = keys_wanted && below(2) == 0;
    const char* workload = workloads[below(std::size(workloads))];
    if (testing::workload_named(workload).info().floats_only && !is_float(type))
      workload = "uniform";
    short_case c(type, 1 + below(below(4) == 0 ? 600 : 140), carries, value_bytes, in_place, keys_wanted, workload,
                 random());
    c.opts.order = below(2) == 0 ? order::ascending : order::descending;
    if (below(3) == 0) {
      const unsigned a = static_cast<unsigned>(below(key_bits(type) + 1)),
                     b = static_cast<unsigned>(below(key_bits(type) + 1));
      c.opts.bits = {std::min(a, b), std::max(a, b)};
    }
    SCOPED_TRACE(std::string(name(type)) + " n=" + std::to_string(c.request.n) + " " + workload +
                 " payload=" + std::to_string(static_cast<int>(carries)) +
                 " value_bytes=" + std::to_string(value_bytes) + " round=" + std::to_string(round));
    run(c.request, c.opts);
    c.check_result();
    if (::testing::Test::HasFatalFailure())
      break;
  }
  cpu::tuning() = before;
}

TEST(short_sorts, are_done_at_once) {
  if (!has_vectors())
    GTEST_SKIP() << "this processor has no vectors that the sorts are written for";
  for (const key_type type : all_key_types) {
    if (key_bytes(type) > 8)
      continue;
    for (const payload carries : {payload::none, payload::values, payload::indices})
      for (const std::size_t n : {2u, 3u, 16u, 100u, 128u}) {
        short_case c(type, n, carries, 4, true, true, "uniform", n);
        EXPECT_TRUE(cpu::sort_small(c.request, c.opts, true)) << name(type) << " n=" << n;
        c.check_result();
      }
  }
}

// Keys of 64 bits that differ in all of them, and are equal in the 57 that a word holds.
TEST(short_sorts, repair_what_words_do_not_tell_apart) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t n = 2 + random() % 127;
    short_case c(key_type::u64, n, payload::indices, 8, true, true, "uniform", random());
    auto keys = c.keys.as<std::uint64_t>();
    for (std::uint64_t& key : keys)
      key = (random() % 3 << 62) + random() % 200;
    c.keys_before.assign(c.keys.data(), c.keys.data() + c.keys.size());
    run(c.request, c.opts);
    c.check_result();
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
  }
}

TEST(short_sorts, leave_to_the_front_door_what_is_not_plain) {
  const auto refused = [](const char* what, auto change) {
    short_case c(key_type::u32, 50, payload::values, 4, false, true, "uniform", 3);
    change(c);
    const bool done = cpu::sort_small(c.request, c.opts, true);
    EXPECT_FALSE(done) << what;
    EXPECT_TRUE(c.untouched()) << what;
  };
  using sc = short_case;
  refused("no keys", [](sc& c) { c.request.keys_in = nullptr; });
  refused("no output", [](sc& c) { c.request.keys_out = nullptr; });
  refused("no values", [](sc& c) { c.request.values_in = nullptr; });
  refused("no room for values", [](sc& c) { c.request.values_out = nullptr; });
  refused("values of no bytes", [](sc& c) { c.request.value_bytes = 0; });
  refused("large values", [](sc& c) { c.request.value_bytes = 17; });
  refused("misaligned keys", [](sc& c) { c.request.keys_in = c.keys.data() + 1; });
  refused("overlapping keys", [](sc& c) { c.request.keys_out = c.keys.data() + 4; });
  refused("keys over values", [](sc& c) { c.request.values_out = c.keys.data(); });
  refused("values in place alone", [](sc& c) { c.request.values_out = c.values.data(); });
  refused("an unknown type", [](sc& c) { c.request.type = static_cast<key_type>(99); });
  refused("an unknown order", [](sc& c) { c.opts.order = static_cast<order>(7); });
  refused("an unknown payload", [](sc& c) { c.request.carries = static_cast<payload>(9); });
  refused("a window beyond the key", [](sc& c) { c.opts.bits = {0, 33}; });
  refused("a window from behind", [](sc& c) { c.opts.bits = {9, 8}; });
  refused("device memory", [](sc& c) { c.opts.memory = memory::device; });
  refused("a double buffer", [](sc& c) { c.request.input_is_scratch = true; });
  refused("progress", [](sc& c) { c.opts.progress = [](double) { return true; }; });
  refused("128-bit keys", [](sc& c) { c.request.type = key_type::u128; });
  refused("one key", [](sc& c) { c.request.n = 1; });
  short_case c(key_type::u32, 50, payload::values, 4, false, true, "uniform", 3);
  EXPECT_FALSE(cpu::sort_small(c.request, c.opts, false)) << "another engine was asked for";
  EXPECT_EQ(cpu::sort_small(c.request, c.opts, true), has_vectors()) << "the case itself is plain";
}

} // namespace
} // namespace sortile
