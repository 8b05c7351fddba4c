// The vector sorts in AVX-512, as templates: included by the one source file of each key width.
#pragma once

#include "cpu/intrinsics.hpp"
#include "cpu/misplaced.hpp"
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

#include "cpu/target_avx512.ipp"
#define SORTILE_CPU_ISA avx512
#include "cpu/vector_avx512.ipp"

#include "cpu/vector_leaves.ipp"

#include "cpu/vector_splits.ipp"

#include "cpu/vector_sort.ipp"

#include "cpu/vector_select.ipp"

#include "cpu/vector_parts.ipp"

#include "cpu/vector_ranks.ipp"
#undef SORTILE_CPU_ISA
#include "cpu/target_end.ipp"

namespace sortile::cpu {

/// The kernels of vectors S.
template <class S>
inline constexpr vector_kernels<avx512::key_bits<S>> avx512_kernels{avx512::place_in_order<S>, avx512::sort_unseen<S>,
                                                                    avx512::sort_keys<S>, avx512::select_keys<S>,
                                                                    avx512::find_ranks<S>};

} // namespace sortile::cpu

#endif
