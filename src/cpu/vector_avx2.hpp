// The vector sorts in AVX2, as templates: included by the one source file of each key width.
#pragma once

#include "cpu/few_places.hpp"
#include "cpu/intrinsics.hpp"
#include "cpu/misplaced.hpp"
#include "cpu/split_tables.hpp"
#include "cpu/three_parts.hpp"
#include "cpu/vector_parts.hpp"
#include "cpu/vector_ranks.hpp"
#include "cpu/vector_select.hpp"

#if defined(SORTILE_CPU_X86)

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#define SORTILE_INLINE __attribute__((always_inline)) inline

#include "cpu/target_avx2.ipp"
#define SORTILE_CPU_ISA avx2
#include "cpu/vector_avx2.ipp"

#include "cpu/vector_leaves.ipp"

#include "cpu/vector_splits.ipp"

#include "cpu/vector_sort.ipp"

#include "cpu/vector_select.ipp"

#include "cpu/vector_parts.ipp"

#include "cpu/vector_ranks.ipp"

#include "cpu/few_places.ipp"
#undef SORTILE_CPU_ISA
#include "cpu/target_end.ipp"

namespace sortile::cpu {

/// The kernels of vectors S.
template <class S>
inline constexpr vector_kernels<avx2::key_bits<S>> avx2_kernels{
    avx2::place_in_order<S>, avx2::sort_unseen<S>, avx2::sort_keys<S>, avx2::select_keys<S>, avx2::find_ranks<S>};

} // namespace sortile::cpu

#endif
