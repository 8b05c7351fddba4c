// Permutations in place, and the refusal of positions that do not exist.
#include "cpu/cpu_engine.hpp"
#include "testing/guarded_buffer.hpp"
#include "testing/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

namespace sortile {
namespace {

using testing::guarded_buffer;

// Also where both are empty, and a pointer may be null.
bool equal_bytes(const void* a, const void* b, std::size_t count) {
  return count == 0 || std::memcmp(a, b, count) == 0;
}

template <class Index>
void check(std::size_t n, std::size_t width, unsigned threads) {
  std::vector<Index> indices(n);
  std::iota(indices.begin(), indices.end(), Index{0});
  std::shuffle(indices.begin(), indices.end(), std::mt19937_64(n));
  guarded_buffer values(n * width, 1, 42);
  const std::vector<std::byte> before(values.data(), values.data() + values.size());
  cpu::permute({n, indices.data(), sizeof(Index), values.data(), width}, threads);
  const auto wanted = testing::gather(before.data(), width, {indices.begin(), indices.end()});
  EXPECT_TRUE(equal_bytes(values.data(), wanted.data(), wanted.size())) << n << " values of " << width;
  EXPECT_EQ(values.damage(), "");
}

TEST(Permute, EveryWidth) {
  for (const std::size_t width : {1u, 2u, 3u, 4u, 8u, 12u, 16u, 33u})
    for (const std::size_t n : {0u, 1u, 1000u, 70'000u}) {
      check<std::uint32_t>(n, width, 2);
      check<std::uint64_t>(n, width, 3);
    }
}

TEST(Permute, WrongIndexIsNamedAndNothingMoves) {
  std::vector<std::uint64_t> indices(100'000, 3);
  indices[70'001] = 100'000;
  indices[90'000] = 1u << 31;
  std::vector<std::uint32_t> values(100'000);
  std::iota(values.begin(), values.end(), 0u);
  const auto before = values;
  try {
    cpu::permute({values.size(), indices.data(), 8, values.data(), 4}, 2);
    FAIL() << "not refused";
  } catch (const invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("index 100000 at position 70001"), std::string::npos) << e.what();
  }
  EXPECT_EQ(values, before);
}

} // namespace
} // namespace sortile
