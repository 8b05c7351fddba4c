// Arrays made by kernels hold the registry's keys, on the executor and, where there is one, on a GPU.
#include "bench/gpu/device_arrays.hpp"
#include "classics/machine.hpp"
#include "simt/executor/device.hpp"
#include "testing/key_space.hpp"

#include <sortile/device.hpp>
#include <sortile/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace sortile::bench {
namespace {

/// What the host makes, −0 as device arrays have it.
std::vector<std::byte> expected(const testing::workload& w, const testing::array_shape& shape) {
  std::vector<std::byte> bytes(shape.n * key_bytes(shape.type));
  w.fill(shape, 0, shape.n, bytes.data());
  testing::with_word(shape.type, [&]<class Word>(Word) {
    const Word minus_zero = testing::key_space<Word>(shape.type).sign();
    auto* const keys = reinterpret_cast<Word*>(bytes.data());
    if (is_float(shape.type))
      std::replace(keys, keys + shape.n, minus_zero, Word(minus_zero | 1));
  });
  return bytes;
}

/// Calls fn(workload, shape) for every workload and every type that it suits.
template <class Function>
void for_every_array(std::uint64_t n, const Function& fn) {
  for (const testing::workload_info& info : testing::all_workloads())
    for (const key_type type : all_key_types)
      if (const testing::workload w = testing::workload_named(info.name); w.suits(type))
        fn(w, testing::array_shape{type, n, 11});
}

TEST(device_arrays, hold_the_hosts_keys_bit_for_bit) {
  executor::device pretended;
  for_every_array(700, [&](const testing::workload& w, const testing::array_shape& shape) {
    std::vector<std::byte> made(shape.n * key_bytes(shape.type));
    fill_with_keys(simt::queue::executor(pretended), made.data(), w, shape);
    EXPECT_EQ(made, expected(w, shape)) << w.spec() << " " << name(shape.type);
  });
}

/// Kernels fuse products and sums where they can and have other functions: none of it may show.
TEST(device_arrays, hold_the_hosts_keys_on_a_gpu) {
  if (first_usable_device() == nullptr)
    GTEST_SKIP() << "no usable GPU";
  classics::machine gpu = classics::machine::cuda();
  for_every_array(20'000, [&](const testing::workload& w, const testing::array_shape& shape) {
    const classics::device_array<std::byte> made(gpu, shape.n * key_bytes(shape.type));
    fill_with_keys(gpu.queue(), made.data(), w, shape);
    EXPECT_EQ(made.to_host(), expected(w, shape)) << w.spec() << " " << name(shape.type);
  });
}

TEST(device_arrays, refuse_what_the_workload_refuses) {
  executor::device pretended;
  const auto q = simt::queue::executor(pretended);
  std::uint32_t key = 7;
  EXPECT_THROW(fill_with_keys(q, &key, testing::workload_named("unit"), {key_type::u32, 1, 1}), invalid_argument);
  EXPECT_THROW(fill_with_keys(q, &key, testing::workload_named("range:65536"), {key_type::u8, 1, 1}), invalid_argument);
  EXPECT_EQ(key, 7u);
}

TEST(device_arrays, positions_and_differences) {
  executor::device pretended;
  const auto q = simt::queue::executor(pretended);
  std::vector<std::uint32_t> a(1000), b(1000);
  fill_with_positions(q, a.data(), 4, a.size());
  std::iota(b.begin(), b.end(), 0u);
  std::uint64_t differences = 0;
  count_differences(q, a.data(), b.data(), 4000, &differences);
  EXPECT_EQ(differences, 0u);
  b[0] = 7;
  b[999] = 7;
  count_differences(q, a.data(), b.data(), 4000, &differences);
  EXPECT_EQ(differences, 2u);
  EXPECT_THROW(fill_with_positions(q, a.data(), 2, 4), invalid_argument);
  EXPECT_THROW(count_differences(q, a.data(), b.data(), 3, &differences), invalid_argument);
}

} // namespace
} // namespace sortile::bench
