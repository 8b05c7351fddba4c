// Included by the one source file of each key width: instantiates the sort and its kernels for all value widths.
#pragma once

#include "cpu/in_place.hpp"
#include "cpu/kernels_all.hpp"
#include "cpu/radix_sort.hpp"

namespace sortile::cpu {

template <class K, template <class, class> class Sorter>
void sort_with(const radix_job& job) {
  switch (job.value_width) {
  case 4:
    return Sorter<K, value_bytes<4>>(job).run();
  case 8:
    return Sorter<K, value_bytes<8>>(job).run();
  case 16:
    return Sorter<K, value_bytes<16>>(job).run();
  default:
    return Sorter<K, no_value>(job).run();
  }
}

template <class K>
void radix_sort_keys(const radix_job& job) {
  sort_with<K, radix_sorter>(job);
}

template <class K>
void sort_keys_in_place(const radix_job& job) {
  sort_with<K, in_place_sorter>(job);
}

} // namespace sortile::cpu
