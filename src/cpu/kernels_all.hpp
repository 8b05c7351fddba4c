// The kernels of every instruction set that this compiler and processor family offer, each in a namespace of its own,
// and the choice between them at run time.
//
// The same templates are included once per instruction set, each time under the compiler's target pragma. So nothing
// else is compiled for a processor that may not be there. (With flags for whole files the linker could pick such code
// for all processors.)
#pragma once

#include "cpu/instruction_sets.hpp"
#include "cpu/intrinsics.hpp"
#include "cpu/kernels.hpp"
#include "cpu/kernels_blocks.hpp"
#include "cpu/kernels_local.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/split_tables.hpp"
#include "cpu/value_chains.hpp"
#include "cpu/vector_sort.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include "cpu/target_avx2.ipp"

#include "cpu/kernels_buckets_avx2.ipp"
#define SORTILE_CPU_ISA avx2
#define SORTILE_CPU_AVX2_HERE 1
#include "cpu/kernels_scan.ipp"

#include "cpu/kernels_partition.ipp"

#include "cpu/kernels_chains.ipp"
#undef SORTILE_CPU_ISA
#undef SORTILE_CPU_AVX2_HERE
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

// The table of the widest instruction set that is used; `table` makes that of one, a namespace. Keys of 128 bits, of
// which AVX2 holds two, have none of its: they would be 60 KB more in each program.
#if defined(SORTILE_CPU_X86)
#define SORTILE_RETURN_BEST(type, table)                                                                               \
  static constexpr type of_512 = table(avx512);                                                                        \
  if (uses(instruction_set::avx512))                                                                                   \
    return of_512;                                                                                                     \
  if constexpr (sizeof(K) <= 8) {                                                                                      \
    static constexpr type of_256 = table(avx2);                                                                        \
    if (uses(instruction_set::avx2))                                                                                   \
      return of_256;                                                                                                   \
  }                                                                                                                    \
  static constexpr type plain = table(generic);                                                                        \
  return plain
#else
#define SORTILE_RETURN_BEST(type, table)                                                                               \
  static constexpr type plain = table(generic);                                                                        \
  return plain
#endif

template <class K>
const kernels<K>& best_kernels() {
#define SORTILE_KERNELS(isa)                                                                                           \
  {isa::look<K>,                                                                                                       \
   isa::count_digit<K, std::uint64_t>,                                                                                 \
   isa::count_and_keep<K>,                                                                                             \
   isa::count_digit<K, std::uint32_t>,                                                                                 \
   isa::digits_of<K>,                                                                                                  \
   isa::differing_bits<K>,                                                                                             \
   isa::make_words<K, std::uint32_t>,                                                                                  \
   isa::make_words<K, std::uint64_t>,                                                                                  \
   isa::wrong_ties<K, std::uint32_t>,                                                                                  \
   isa::wrong_ties<K, std::uint64_t>,                                                                                  \
   isa::find_descents<K>,                                                                                              \
   isa::find_wanted<K>,                                                                                                \
   isa::write_out,                                                                                                     \
   isa::fill<K>}
  SORTILE_RETURN_BEST(kernels<K>, SORTILE_KERNELS);
#undef SORTILE_KERNELS
}

template <class K, class V>
const movers<K>& best_movers_of() {
#define SORTILE_MOVERS(isa)                                                                                            \
  [] {                                                                                                                 \
    movers<K> m{isa::partition<K, V>, local<K, V>, isa::collect<K, V>, scatter<K, V>, nullptr, nullptr};               \
    if constexpr (has_values<V>)                                                                                       \
      m.chain = isa::chain<K, V>;                                                                                      \
    if constexpr (isa::can_sort_out<K, V>)                                                                             \
      m.sort_out = isa::sort_out<K, V>;                                                                                \
    return m;                                                                                                          \
  }()
  SORTILE_RETURN_BEST(movers<K>, SORTILE_MOVERS);
#undef SORTILE_MOVERS
}
#undef SORTILE_RETURN_BEST

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
