// More than 2^32 keys: sort, pairs, is_sorted and merge of 2^32 + 5 keys. A test that the machine has no memory for is
// skipped, with what it needs and what there is.
#include "testing/verify.hpp"
#include "testing/workloads.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <mutex>
#include <thread>

namespace sortile::testing {
namespace {

constexpr std::size_t beyond = (std::size_t{1} << 32) + 5;

std::size_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (std::size_t kilobytes = 0; file >> name >> kilobytes >> unit;)
    if (name == "MemAvailable:")
      return kilobytes * 1024;
  return 0;
}

bool fits(std::size_t bytes, std::string& why_not) {
  const std::size_t available = available_memory();
  why_not = "needs " + std::to_string(bytes >> 20) + " MiB, available are " + std::to_string(available >> 20) + " MiB";
  return bytes + (std::size_t{1} << 30) < available;
}

/// Uninitialised memory: first touched by the threads that fill it.
using bytes = std::unique_ptr<std::byte[]>;
bytes allocate(std::size_t n) {
  return bytes(new std::byte[n]);
}

/// Calls work(begin, end) for parts of n, on all CPUs.
template <class Work>
void in_parts(std::size_t n, const Work& work) {
  const std::size_t parts = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < parts; ++p)
    threads.emplace_back([&, p] { work(n / parts * p, p + 1 == parts ? n : n / parts * (p + 1)); });
  for (std::thread& thread : threads)
    thread.join();
}

void fill(key_type type, const char* workload, std::size_t n, std::byte* keys) {
  const testing::workload w = workload_named(workload);
  in_parts(n, [&](std::size_t begin, std::size_t end) {
    w.fill({type, n, 1}, begin, end, keys + begin * key_bytes(type));
  });
}

/// The part [begin, end) of an array of pairs.
pairs_view part(key_type type, const pairs_view& all, std::size_t begin, std::size_t end) {
  const auto at = [](const void* array, std::size_t offset) { return static_cast<const std::byte*>(array) + offset; };
  return {at(all.keys, begin * key_bytes(type)),
          all.value_bytes == 0 ? nullptr : at(all.values, begin * all.value_bytes), all.value_bytes, end - begin};
}

multiset_hash hash_of(key_type type, const pairs_view& pairs) {
  multiset_hash sum;
  std::mutex one_at_a_time;
  in_parts(pairs.n, [&](std::size_t begin, std::size_t end) {
    multiset_hash hash;
    hash.add(type, part(type, pairs, begin, end));
    const std::lock_guard lock(one_at_a_time);
    sum.add(hash);
  });
  return sum;
}

/// In order, each part with the last key of the one before it; and the same multiset.
void expect_sorted(const ordering& by, const multiset_hash& before, const pairs_view& pairs) {
  std::mutex one_at_a_time;
  in_parts(pairs.n, [&](std::size_t begin, std::size_t end) {
    const pairs_view keys = part(by.type, {pairs.keys, nullptr, 0, pairs.n}, begin == 0 ? 0 : begin - 1, end);
    const verdict v = verify_order(by, keys);
    const std::lock_guard lock(one_at_a_time);
    EXPECT_TRUE(v) << "from " << begin << ": " << v.complaint;
  });
  EXPECT_EQ(hash_of(by.type, pairs).to_string(), before.to_string());
}

void sort_beyond(key_type type, const char* workload, order direction, std::size_t value_bytes) {
  const bool with_values = value_bytes > 0;
  sort_request request{
      .type = type, .n = beyond, .carries = with_values ? payload::values : payload::none, .value_bytes = value_bytes};
  const options opts{.order = direction};
  const auto address = [](std::size_t at) {
    return reinterpret_cast<void*>(at << 40);
  }; // to ask for the workspace only
  request.keys_in = request.keys_out = address(1);
  request.values_in = request.values_out = with_values ? address(2) : nullptr;
  std::string why_not;
  if (!fits(beyond * (key_bytes(type) + value_bytes) + workspace_bytes(request, opts), why_not))
    GTEST_SKIP() << why_not;

  const bytes keys = allocate(beyond * key_bytes(type)), values = allocate(beyond * value_bytes);
  fill(type, workload, beyond, keys.get());
  if (with_values)
    fill(key_type::u8, "uniform", beyond * value_bytes, values.get());
  const pairs_view pairs{keys.get(), with_values ? values.get() : nullptr, value_bytes, beyond};
  const multiset_hash before = hash_of(type, pairs);
  request.keys_in = request.keys_out = keys.get();
  request.values_in = request.values_out = with_values ? values.get() : nullptr;
  run(request, opts);
  expect_sorted({type, direction}, before, pairs);
  EXPECT_EQ(first_disorder(type, keys.get(), beyond, opts), std::nullopt);
}

TEST(beyond_32_bits, u8_keys) {
  sort_beyond(key_type::u8, "uniform", order::ascending, 0);
}
TEST(beyond_32_bits, i8_keys_all_equal_but_one) {
  sort_beyond(key_type::i8, "equal-but-one", order::descending, 0);
}
TEST(beyond_32_bits, u8_keys_with_values) {
  sort_beyond(key_type::u8, "few:3", order::ascending, 1);
}
TEST(beyond_32_bits, f16_keys) {
  sort_beyond(key_type::f16, "specials", order::ascending, 0);
}
TEST(beyond_32_bits, u32_keys) {
  sort_beyond(key_type::u32, "uniform", order::ascending, 0);
}

TEST(beyond_32_bits, disorder_near_the_end_is_found_and_runs_are_merged) {
  std::string why_not;
  if (!fits(2 * beyond, why_not))
    GTEST_SKIP() << why_not;
  const bytes runs = allocate(beyond), merged = allocate(beyond);
  const std::size_t half = beyond / 2;
  fill(key_type::u8, "sorted", half, runs.get());
  fill(key_type::u8, "sorted", beyond - half, runs.get() + half);
  EXPECT_EQ(first_disorder(key_type::u8, runs.get(), beyond), half);
  const std::vector<sorted_run> both = {{runs.get(), nullptr, half}, {runs.get() + half, nullptr, beyond - half}};
  run(merge_request{.type = key_type::u8, .runs = both, .keys_out = merged.get()});
  expect_sorted({key_type::u8}, hash_of(key_type::u8, {runs.get(), nullptr, 0, beyond}),
                {merged.get(), nullptr, 0, beyond});
  merged[beyond - 2] = std::byte{0};
  EXPECT_EQ(first_disorder(key_type::u8, merged.get(), beyond), beyond - 2);
}

} // namespace
} // namespace sortile::testing
