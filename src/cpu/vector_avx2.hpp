// The vector sorts in AVX2, as templates: included by the one source file of each key width.
#pragma once

#include "cpu/misplaced.hpp"
#include "cpu/vector_parts.hpp"

#if defined(SORTILE_CPU_X86)

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include <immintrin.h>

#define SORTILE_INLINE __attribute__((always_inline)) inline

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#endif
#define SORTILE_CPU_ISA avx2
#include "cpu/vector_avx2.ipp"

#include "cpu/vector_leaves.ipp"

#include "cpu/vector_splits.ipp"

#include "cpu/vector_sort.ipp"

#include "cpu/vector_parts.ipp"
#undef SORTILE_CPU_ISA
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace sortile::cpu {

/// The kernels of vectors S.
template <class S>
inline constexpr vector_kernels<avx2::key_bits<S>> avx2_kernels{avx2::sort_unseen<S>, avx2::sort_keys<S>};

} // namespace sortile::cpu

#endif
