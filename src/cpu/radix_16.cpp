// The radix sort of 16-bit keys.
#include "cpu/radix_instances.hpp"

namespace sortile::cpu {

template const kernels<std::uint16_t, no_value>& best_kernels();
template const kernels<std::uint16_t, value_bytes<4>>& best_kernels();
template const kernels<std::uint16_t, value_bytes<8>>& best_kernels();
template const kernels<std::uint16_t, value_bytes<16>>& best_kernels();
template void radix_sort_keys<std::uint16_t>(const radix_job&);
template void sort_keys_in_place<std::uint16_t>(const radix_job&);

} // namespace sortile::cpu
