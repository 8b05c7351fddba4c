// Included by the one source file of each key width: instantiates the sort and its kernels for all value widths.
#pragma once

#define SORTILE_CPU_ISA generic
#include "cpu/kernels_local.hpp"
#undef SORTILE_CPU_ISA

#include "cpu/radix_sort.hpp"

namespace sortile::cpu {

template <class K, class V>
const kernels<K, V>& best_kernels() {
  static constexpr kernels<K, V> table{generic::look<K>, generic::histogram<K>, generic::partition<K, V>,
                                       generic::local<K, V>};
  return table;
}

template <class K>
void radix_sort_keys(const radix_job& job) {
  switch (job.value_width) {
  case 4:
    return radix_sorter<K, value_bytes<4>>(job).run();
  case 8:
    return radix_sorter<K, value_bytes<8>>(job).run();
  case 16:
    return radix_sorter<K, value_bytes<16>>(job).run();
  default:
    return radix_sorter<K, no_value>(job).run();
  }
}

} // namespace sortile::cpu
