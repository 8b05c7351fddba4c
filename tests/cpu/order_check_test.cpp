// first_disorder: the smallest position that is out of order, whatever the threads do.
#include "cpu/cpu_engine.hpp"
#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace sortile {
namespace {

std::optional<std::size_t> find(const std::vector<float>& keys, order direction = order::ascending) {
  options opts;
  opts.order = direction;
  return cpu::first_disorder(key_type::f32, keys.data(), keys.size(), opts, 1);
}

TEST(OrderCheck, PlantedDisorder) {
  std::vector<std::uint32_t> keys(1'000'000);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<std::uint32_t>(i / 3 + 10);
  EXPECT_EQ(cpu::first_disorder(key_type::u32, keys.data(), keys.size(), {}, 2), std::nullopt);
  std::mt19937_64 random(3);
  for (int round = 0; round < 40; ++round) {
    const std::size_t first = 1 + random() % (keys.size() - 1), later = first + random() % (keys.size() - first);
    const std::uint32_t old_first = keys[first], old_later = keys[later];
    keys[first] = keys[later] = 1;
    EXPECT_EQ(cpu::first_disorder(key_type::u32, keys.data(), keys.size(), {}, 3), first);
    keys[first] = old_first;
    keys[later] = old_later;
  }
}

TEST(OrderCheck, EveryTypeAgainstTheOracle) {
  for (const key_type type : all_key_types)
    for (const order direction : {order::ascending, order::descending})
      for (const char* workload : {"sorted", "reversed", "equal", "uniform"}) {
        std::vector<std::byte> bytes(16 * 3000 + 16);
        std::byte* const keys = bytes.data() + (16 - reinterpret_cast<std::uintptr_t>(bytes.data()) % 16) % 16;
        testing::workload_named(workload).fill({type, 3000, 1}, 0, 3000, keys);
        std::optional<std::size_t> wanted;
        for (std::size_t i = 1; i < 3000 && !wanted; ++i)
          if (testing::comes_before({type, direction, {}}, keys + i * key_bytes(type),
                                    keys + (i - 1) * key_bytes(type)))
            wanted = i;
        options opts;
        opts.order = direction;
        EXPECT_EQ(cpu::first_disorder(type, keys, 3000, opts, 2), wanted) << name(type) << " " << workload;
      }
}

TEST(OrderCheck, SpecialFloats) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(find({-inf, -1, -0.0f, 0.0f, -0.0f, 1, inf, nan, -nan, nan}), std::nullopt);
  EXPECT_EQ(find({-inf, nan, inf}), 2u);
  EXPECT_EQ(find({nan, -nan, inf, 0.0f, -0.0f, 0.0f, -1}, order::descending), std::nullopt);
  EXPECT_EQ(find({}), std::nullopt);
}

} // namespace
} // namespace sortile
