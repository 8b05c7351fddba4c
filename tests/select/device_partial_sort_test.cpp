// Partial sorts and nth_element by kernels: on the executor through the front door, and under many schedules with every
// check.
#include "gpu/device_partial_sort.hpp"
#include "kernels/select/displace.hpp"
#include "simt/executor/device.hpp"
#include "tests/expect_refusal.hpp"
#include "tests/select/in_place_case.hpp"
#include "tests/short_tests.hpp"

#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace sortile {
namespace {

using testing::check_nth_element;
using testing::check_partial_sort;
using testing::guarded_buffer;
using testing::top_k_case;

TEST(DevicePartialSort, RandomCasesOnTheExecutor) {
  const std::uint64_t cases = testing::unless_short(300, 60);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const top_k_case c = testing::random_in_place(seed, "executor", seed % 10 == 0 ? 150'000 : 20'000);
    for (const auto& found : {check_partial_sort(c), check_nth_element(c)})
      ASSERT_TRUE(found) << found.complaint;
  }
}

/// Each way: first ones by one block, by the filter, by a sort of all; an end, and both sides of the middle.
TEST(DevicePartialSort, EveryWayOfEveryWidth) {
  std::uint64_t seed = 0;
  testing::one_in wanted(7);
  for (const key_type type : {key_type::u8, key_type::i16, key_type::f16, key_type::u32, key_type::f32, key_type::i64,
                              key_type::f64, key_type::u128})
    for (const std::size_t n : {std::size_t{3000}, std::size_t{70'001}})
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}, n / 10, n / 2 - 1, n / 2, n - n / 10, n - 1, n}) {
        if (!wanted())
          continue;
        const top_k_case c{.type = type,
                           .n = n,
                           .k = k,
                           .workload = testing::random_workload(++seed, type),
                           .seed = seed,
                           .direction = seed % 2 == 0 ? order::ascending : order::descending,
                           .carries = payload::values,
                           .value_bytes = std::size_t{1} << seed % 5,
                           .engine = "executor"};
        for (const auto& found : {check_partial_sort(c), check_nth_element(c)})
          ASSERT_TRUE(found) << found.complaint;
      }
}

/// Keys that compare equal and differ in bits, the place among them: from either end it is the stable sort's.
TEST(DevicePartialSort, NthAmongKeysThatDifferInBits) {
  const std::size_t n = 5000;
  struct keys_of {
    key_type type;
    const char* workload;
    bit_window bits;
  };
  for (const auto& [type, workload, bits] : {keys_of{key_type::f32, "zeros:1", {}}, keys_of{key_type::f64, "nan:1", {}},
                                             keys_of{key_type::u32, "uniform", {30, 32}}})
    for (const std::size_t nth : {std::size_t{10}, n / 2, n - 10, n - 1})
      for (const order direction : {order::ascending, order::descending}) {
        const auto found = check_nth_element(top_k_case{.type = type,
                                                        .n = n,
                                                        .k = nth,
                                                        .workload = workload,
                                                        .seed = nth,
                                                        .direction = direction,
                                                        .bits = bits,
                                                        .engine = "executor"});
        ASSERT_TRUE(found) << found.complaint;
      }
}

/// Partial sorts of u32 keys with values as device_partial_sort does them on one executor.
void check_on(executor::device& device, const std::string& workload, std::size_t n, std::size_t k, std::uint64_t seed) {
  const std::string text = workload + ", first " + std::to_string(k) + " of " + std::to_string(n) +
                           ", SORTILE_EXECUTOR_SEED=" + std::to_string(seed);
  const auto given = testing::make_keys<std::uint32_t>(workload, n, seed);
  const auto order = testing::stable_order({key_type::u32}, given.data(), n);
  const auto places = testing::partially_sorted(order, k);
  guarded_buffer keys = guarded_buffer::copy_of(given.data(), n * 4), values(n * 8, 0, seed);
  const auto keys_wanted = testing::gather(keys.data(), 4, places),
             values_wanted = testing::gather(values.data(), 8, places);
  const partial_sort_request request{
      .type = key_type::u32, .n = n, .k = k, .keys = keys.data(), .value_bytes = 8, .values = values.data()};
  const gpu::device_partial_sort sort(request, {}, {});
  guarded_buffer workspace(sort.workspace_bytes(), 0, 99); // nothing may depend on what was there
  sort.launch(simt::queue::executor(device), workspace.data());
  ASSERT_EQ(keys.damage() + values.damage() + workspace.damage(), "") << text;
  ASSERT_EQ(std::memcmp(keys.data(), keys_wanted.data(), keys.size()), 0) << text;
  ASSERT_EQ(std::memcmp(values.data(), values_wanted.data(), values.size()), 0) << text;
}

TEST(DevicePartialSort, UnderManySchedules) {
  const unsigned schedules = testing::unless_short(12, 3);
  for (unsigned seed = 1; seed <= schedules; ++seed) {
    executor::device device({.seed = seed, .checks = executor::all_checks});
    const char* const workload = seed % 3 == 0 ? "few:5" : seed % 3 == 1 ? "uniform" : "reversed";
    check_on(device, workload, 70'000, 600, seed);
    check_on(device, workload, 3000, 1100, seed);
    check_on(device, workload, 3000, 3000, seed);
  }
}

/// The last keys of an nth_element from the end lie behind it, and the key itself is found in the opposite order.
TEST(DevicePartialSort, FromTheEndCostsWhatTheFrontCosts) {
  const std::size_t n = 10'000'000;
  options opts;
  opts.engine = "executor";
  const auto planned = [&](std::size_t nth, key_type type) {
    const plan p = explain(nth_element_request{.type = type, .n = n, .nth = nth}, opts);
    EXPECT_EQ(p.workspace_bytes, workspace_bytes(nth_element_request{.type = type, .n = n, .nth = nth}, opts));
    return std::pair{std::string(p.steps.front().name), p.workspace_bytes};
  };
  EXPECT_EQ(planned(99, key_type::i64), planned(n - 100, key_type::i64));
  EXPECT_EQ(planned(99, key_type::i64).first, "sample");
  EXPECT_LT(planned(99, key_type::i64).second, n);
  EXPECT_NE(planned(n / 2, key_type::i64).first, "sample");   // all are sorted, in place
  EXPECT_NE(planned(n - 100, key_type::f64).first, "sample"); // zeros and NaNs differ in bits
}

TEST(DevicePartialSort, ExplainsItsWays) {
  options opts;
  opts.engine = "executor";
  const auto steps = [&](std::size_t n, std::size_t k, std::size_t value_bytes) {
    std::string names;
    for (const plan_step& step :
         explain(partial_sort_request{.type = key_type::u32, .n = n, .k = k, .value_bytes = value_bytes}, opts).steps)
      names += std::string(step.name) + " ";
    return names;
  };
  EXPECT_EQ(steps(1'000'000, 0, 0), "");
  EXPECT_EQ(steps(1'000'000, 100, 0).rfind("sample filter fallback ", 0), 0u);
  EXPECT_NE(steps(1'000'000, 100, 0).find(" displace copy "), std::string::npos);
  EXPECT_EQ(steps(1'000'000, 100, 0).find("gather"), std::string::npos);
  EXPECT_NE(steps(1'000'000, 100, 4).find(" gather "), std::string::npos);
  EXPECT_EQ(steps(1'000'000, 1'000'000, 0).find("displace"), std::string::npos);
}

/// Positions that an executor's displace is to make room for, and the array as it must be then.
struct room {
  std::size_t n, k, begin, bytes;
  unsigned position_bytes;
  std::vector<std::uint64_t> chosen;
};

void check_displace(executor::device& device, const room& r, std::uint64_t seed) {
  const std::string text = "n = " + std::to_string(r.n) + ", k = " + std::to_string(r.k) +
                           ", begin = " + std::to_string(r.begin) + ", elements of " + std::to_string(r.bytes) +
                           ", positions of " + std::to_string(r.position_bytes) +
                           ", SORTILE_EXECUTOR_SEED=" + std::to_string(seed);
  guarded_buffer elements(r.n * r.bytes, seed % 2, seed), chosen(r.k * r.position_bytes, 0);
  for (std::size_t i = 0; i < r.k; ++i)
    std::memcpy(chosen.data() + i * r.position_bytes, &r.chosen[i], r.position_bytes);
  std::vector<bool> is_chosen(r.n);
  for (const std::uint64_t position : r.chosen)
    is_chosen[position] = true;
  std::vector<std::byte> wanted(elements.data(), elements.data() + elements.size());
  std::size_t hole = 0;
  for (std::size_t place = r.begin; place < r.begin + r.k; ++place) {
    if (is_chosen[place])
      continue;
    while (!is_chosen[hole] || (hole >= r.begin && hole < r.begin + r.k))
      ++hole;
    std::memcpy(wanted.data() + hole++ * r.bytes, elements.data() + place * r.bytes, r.bytes);
  }
  kernels::displace(simt::queue::executor(device), {.elements = elements.data(),
                                                    .n = r.n,
                                                    .element_bytes = r.bytes,
                                                    .chosen = chosen.data(),
                                                    .position_bytes = r.position_bytes,
                                                    .k = r.k,
                                                    .begin = r.begin});
  ASSERT_EQ(elements.damage() + chosen.damage(), "") << text;
  ASSERT_EQ(std::memcmp(elements.data(), wanted.data(), wanted.size()), 0) << text;
}

/// k of n positions: some at the front, some at the back, or all over.
std::vector<std::uint64_t> draw_positions(std::size_t n, std::size_t k, std::uint64_t seed) {
  std::vector<std::uint64_t> all(n);
  std::iota(all.begin(), all.end(), 0u);
  if (seed % 3 != 0)
    for (std::size_t i = 0; i < k; ++i)
      std::swap(all[i], all[i + testing::random_bits(seed, i) % (n - i)]);
  if (seed % 5 == 1)
    for (std::uint64_t& position : all)
      position = n - 1 - position;
  all.resize(k);
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Displace, UnderManySchedules) {
  const unsigned schedules = testing::unless_short(300, 80);
  for (unsigned seed = 1; seed <= schedules; ++seed) {
    const auto draw = [seed](unsigned what, std::size_t below) {
      return static_cast<std::size_t>(testing::random_bits(seed, 1'000'000 + what) % below);
    };
    const std::size_t widths[] = {1, 2, 3, 4, 8, 12, 16, 40, 200};
    room r{.n = 1 + draw(0, seed % 7 == 0 ? 3000 : 60), .bytes = widths[draw(1, std::size(widths))]};
    r.k = draw(2, r.n + 1);
    const std::size_t begins[] = {0, r.n - r.k, draw(3, r.n - r.k + 1)};
    r.begin = begins[seed % 3];
    r.position_bytes = draw(4, 2) == 0 ? 4 : 8;
    r.chosen = draw_positions(r.n, r.k, seed);
    executor::device device({.seed = seed, .checks = executor::all_checks});
    check_displace(device, r, seed);
  }
}

TEST(Displace, Refuses) {
  executor::device device({.seed = 1});
  std::vector<std::uint32_t> elements(10), chosen{3, 5};
  const auto refused = [&](auto change, const std::vector<std::string>& words) {
    kernels::displace_request r{
        .elements = elements.data(), .n = 10, .element_bytes = 4, .chosen = chosen.data(), .k = 2};
    change(r);
    testing::expect_invalid([&] { kernels::displace(simt::queue::executor(device), r); }, words);
  };
  refused([](auto& r) { r.k = 11; }, {"k = 11", "n = 10"});
  refused([](auto& r) { r.begin = 9; }, {"from 9 on", "n = 10"});
  refused([](auto& r) { r.element_bytes = 0; }, {"elements of 0 bytes"});
  refused([](auto& r) { r.position_bytes = 2; }, {"positions of 2 bytes", "4 and 8"});
  refused([](auto& r) { r.elements = nullptr; }, {"elements is null"});
  refused([](auto& r) { r.chosen = nullptr; }, {"chosen is null"});
  refused([&](auto& r) { r.chosen = elements.data() + 8; }, {"elements and chosen overlap"});
}

} // namespace
} // namespace sortile
