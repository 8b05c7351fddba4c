// The selections of one key width, instantiated: included by one source file a width, which compiles the loops for
// every instruction set (kernels_all.hpp says why).
#pragma once

#include "cpu/instruction_sets.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/select_in_place.hpp"
#include "cpu/select_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#define SORTILE_CPU_ISA generic
#include "cpu/select_loops.ipp"
#undef SORTILE_CPU_ISA

#if defined(__x86_64__)
#include "cpu/target_avx512.ipp"
#define SORTILE_CPU_ISA avx512
#include "cpu/select_loops.ipp"
#undef SORTILE_CPU_ISA
#include "cpu/target_end.ipp"

#include "cpu/target_avx2.ipp"
#define SORTILE_CPU_ISA avx2
#include "cpu/select_loops.ipp"
#undef SORTILE_CPU_ISA
#include "cpu/target_end.ipp"
#endif

namespace sortile::cpu {

template <class K>
const select_loops<K>& best_select_loops() {
#if defined(SORTILE_CPU_X86)
  static constexpr select_loops<K> widest{avx512::below<K>,
                                          avx2::equal<K>,
                                          avx512::between<K>,
                                          avx512::next_upto<K>,
                                          avx512::least_of_columns<K>,
                                          generic::histogram_of_prefix<K>};
  static constexpr select_loops<K> wide{avx2::below<K>,
                                        avx2::equal<K>,
                                        avx2::between<K>,
                                        avx2::next_upto<K>,
                                        avx2::least_of_columns<K>,
                                        generic::histogram_of_prefix<K>};
  if (uses(instruction_set::avx512))
    return widest;
  if (uses(instruction_set::avx2))
    return wide;
#endif
  static constexpr select_loops<K> plain{generic::below<K>,
                                         generic::equal<K>,
                                         generic::between<K>,
                                         generic::next_upto<K>,
                                         generic::least_of_columns<K>,
                                         generic::histogram_of_prefix<K>};
  return plain;
}

template <class K>
const select_functions& select_functions_of() {
  static constexpr select_functions functions{positions_of_first<K>,  top_k_row<K>,           ranks_row<K>,
                                              make_room_for_first<K>, nth_element_of_long<K>, nth_element_by_splits<K>,
                                              exchange_around<K>};
  return functions;
}

} // namespace sortile::cpu
