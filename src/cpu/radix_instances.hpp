// Included by the one source file of each key width: instantiates the sorts of that width and their kernels.
#pragma once

#include "cpu/in_place.hpp"
#include "cpu/kernels_all.hpp"
#include "cpu/radix_sort.hpp"

namespace sortile::cpu {

template <class K>
bool radix_sort_keys(const radix_job& job) {
  return radix_sorter<K>(job).run();
}

template <class K>
void sort_keys_in_place(const radix_job& job) {
  in_place_sorter<K>(job).run();
}

} // namespace sortile::cpu
