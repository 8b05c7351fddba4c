// The radix sort of 128-bit keys.
#include "cpu/radix_instances.hpp"

namespace sortile::cpu {

template const kernels<uint128, no_value>& best_kernels();
template const kernels<uint128, value_bytes<4>>& best_kernels();
template const kernels<uint128, value_bytes<8>>& best_kernels();
template const kernels<uint128, value_bytes<16>>& best_kernels();
template void radix_sort_keys<uint128>(const radix_job&);
template void sort_keys_in_place<uint128>(const radix_job&);

} // namespace sortile::cpu
