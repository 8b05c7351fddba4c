// Tests of the vector kernels: by every instruction set that this processor has, of keys of 4 and 8 bytes.
#pragma once

#include "cpu/radix_job.hpp"
#include "cpu/vector_sort.hpp"

#include <gtest/gtest.h>

namespace sortile::cpu {

/// A key width, and the instruction set whose vectors take it.
template <class Key, instruction_set Set>
struct vectors {
  using key = Key;
  static constexpr instruction_set set = Set;
};
using all_vectors =
    ::testing::Types<vectors<std::uint32_t, instruction_set::avx512>, vectors<std::uint64_t, instruction_set::avx512>,
                     vectors<std::uint32_t, instruction_set::avx2>, vectors<std::uint64_t, instruction_set::avx2>>;

/// Forces the instruction set; skips where the processor lacks it.
template <class Vectors>
class vector_fixture : public ::testing::Test {
 protected:
  const vector_kernels<typename Vectors::key>* kernels = nullptr;

  void SetUp() override {
    if (!has(Vectors::set))
      GTEST_SKIP() << "no " << name(Vectors::set) << " here";
    tuning().widest = Vectors::set;
    kernels = best_vector_kernels<typename Vectors::key>();
    ASSERT_NE(kernels, nullptr);
  }
  void TearDown() override { tuning() = before_; }

 private:
  const radix_tuning before_ = tuning();
};

} // namespace sortile::cpu
