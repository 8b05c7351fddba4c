// Included by the one source file of each key width: instantiates the sort and its kernels for all value widths.
#pragma once

#include "cpu/kernels_all.hpp"
#include "cpu/radix_sort.hpp"

namespace sortile::cpu {

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
