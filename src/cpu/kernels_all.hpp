// The kernels of every instruction set that this compiler and processor family offer, each in a namespace of its own,
// and the choice between them at run time.
//
// The same templates are included once per instruction set, each time under the compiler's target pragma. So nothing
// else is compiled for a processor that may not be there. (With flags for whole files the linker could pick such code
// for all processors.)
#pragma once

#include "cpu/instruction_sets.hpp"
#include "cpu/kernels.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/vector_sort.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SORTILE_CPU_ISA generic
#include "cpu/kernels_scan.ipp"

#include "cpu/kernels_partition.ipp"

#include "cpu/kernels_blocks.ipp"

#include "cpu/kernels_local.ipp"
#undef SORTILE_CPU_ISA

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
#define SORTILE_CPU_AVX512_HERE 1
#include "cpu/kernels_scan.ipp"

#include "cpu/kernels_partition.ipp"

#include "cpu/kernels_blocks.ipp"

#include "cpu/kernels_local.ipp"
#undef SORTILE_CPU_ISA
#undef SORTILE_CPU_AVX512_HERE
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace sortile::cpu {

template <class K, class V>
const kernels<K, V>& best_kernels() {
#if defined(SORTILE_CPU_X86)
  static constexpr kernels<K, V> wide{avx512::look<K>, avx512::histogram<K>, avx512::partition<K, V>,
                                      avx512::local<K, V>, avx512::collect<K, V>, avx512::write_out};
  if (uses(instruction_set::avx512))
    return wide;
#endif
  static constexpr kernels<K, V> plain{generic::look<K>, generic::histogram<K>, generic::partition<K, V>,
                                       generic::local<K, V>, generic::collect<K, V>, generic::write_out};
  return plain;
}

} // namespace sortile::cpu
