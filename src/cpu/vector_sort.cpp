// The vector sorts of every instruction set, and the choice between them; see the header.
#include "cpu/vector_sort.hpp"
#include "cpu/instruction_sets.hpp"
#include "cpu/radix_job.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(                                                                                          \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,bmi,bmi2,lzcnt,popcnt"))),                   \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,bmi,bmi2,lzcnt,popcnt,prefer-vector-width=512")
#endif
#define SORTILE_CPU_ISA avx512
#include "cpu/vector_avx512.ipp"

#include "cpu/vector_sort.ipp"
#undef SORTILE_CPU_ISA
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace sortile::cpu {

namespace {

#if defined(SORTILE_CPU_AVX512)
template <class S>
constexpr vector_kernels<typename S::T> avx512_kernels{avx512::sort_unseen<S>, avx512::sort_keys<S>};
#endif

} // namespace

template <>
const vector_kernels<std::uint32_t>* best_vector_kernels() {
#if defined(SORTILE_CPU_AVX512)
  if (tuning().wide_kernels && has_avx512())
    return &avx512_kernels<avx512::vector_32>;
#endif
  return nullptr;
}

template <>
const vector_kernels<std::uint64_t>* best_vector_kernels() {
#if defined(SORTILE_CPU_AVX512)
  if (tuning().wide_kernels && has_avx512())
    return &avx512_kernels<avx512::vector_64>;
#endif
  return nullptr;
}

} // namespace sortile::cpu
