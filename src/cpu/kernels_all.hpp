// The kernels of every instruction set that this compiler and processor family offer, each in a namespace of its own,
// and the choice between them at run time.
//
// The same templates are included once per instruction set, each time under the compiler's target pragma. So nothing
// else is compiled for a processor that may not be there. (With flags for whole files the linker could pick such code
// for all processors.)
#pragma once

#include "cpu/instruction_sets.hpp"
#include "cpu/kernels.hpp"
#include "cpu/kernels_blocks.hpp"
#include "cpu/kernels_local.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/value_chains.hpp"
#include "cpu/vector_sort.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__x86_64__)
#include "cpu/target_avx2.ipp"

#include "cpu/kernels_buckets_avx2.ipp"

#include "cpu/target_end.ipp"
#endif

#define SORTILE_CPU_ISA generic
#include "cpu/kernels_scan.ipp"

#include "cpu/kernels_partition.ipp"

#include "cpu/kernels_chains.ipp"
#undef SORTILE_CPU_ISA

#if defined(__x86_64__)
#include "cpu/target_avx512.ipp"
#define SORTILE_CPU_ISA avx512
#define SORTILE_CPU_AVX512_HERE 1
#include "cpu/kernels_scan.ipp"

#include "cpu/kernels_partition.ipp"

#include "cpu/kernels_chains.ipp"
#undef SORTILE_CPU_ISA
#undef SORTILE_CPU_AVX512_HERE
#include "cpu/target_end.ipp"
#endif

namespace sortile::cpu {

template <class K>
const kernels<K>& best_kernels() {
#if defined(SORTILE_CPU_X86)
  static constexpr kernels<K> wide{avx512::look<K>,
                                   avx512::count_digit<K, std::uint64_t>,
                                   avx512::count_and_keep<K>,
                                   avx512::count_digit<K, std::uint32_t>,
                                   avx512::digits_of<K>,
                                   avx512::differing_bits<K>,
                                   avx512::make_words<K, std::uint32_t>,
                                   avx512::make_words<K, std::uint64_t>,
                                   avx512::wrong_ties<K, std::uint32_t>,
                                   avx512::wrong_ties<K, std::uint64_t>,
                                   avx512::write_out,
                                   avx512::fill<K>};
  if (uses(instruction_set::avx512))
    return wide;
#endif
  static constexpr kernels<K> plain{generic::look<K>,
                                    generic::count_digit<K, std::uint64_t>,
                                    generic::count_and_keep<K>,
                                    generic::count_digit<K, std::uint32_t>,
                                    generic::digits_of<K>,
                                    generic::differing_bits<K>,
                                    generic::make_words<K, std::uint32_t>,
                                    generic::make_words<K, std::uint64_t>,
                                    generic::wrong_ties<K, std::uint32_t>,
                                    generic::wrong_ties<K, std::uint64_t>,
                                    generic::write_out,
                                    generic::fill<K>};
  return plain;
}

template <class K, class V>
const movers<K>& best_movers_of() {
#define SORTILE_MOVERS(isa)                                                                                            \
  [] {                                                                                                                 \
    movers<K> m{isa::partition<K, V>, local<K, V>, collect<K, V>, nullptr};                                            \
    if constexpr (has_values<V>)                                                                                       \
      m.chain = isa::chain<K, V>;                                                                                      \
    return m;                                                                                                          \
  }()
#if defined(SORTILE_CPU_X86)
  static constexpr movers<K> wide = SORTILE_MOVERS(avx512);
  if (uses(instruction_set::avx512))
    return wide;
#endif
  static constexpr movers<K> plain = SORTILE_MOVERS(generic);
#undef SORTILE_MOVERS
  return plain;
}

template <class K>
const movers<K>& best_movers(std::size_t value_width) {
  switch (value_width) {
  case 4:
    return best_movers_of<K, value_bytes<4>>();
  case 8:
    return best_movers_of<K, value_bytes<8>>();
  case 16:
    return best_movers_of<K, value_bytes<16>>();
  default:
    return best_movers_of<K, no_value>();
  }
}

} // namespace sortile::cpu
