// The radix sort of 8-bit keys.
#include "cpu/radix_instances.hpp"

namespace sortile::cpu {

template const kernels<std::uint8_t>& best_kernels();
template const movers<std::uint8_t>& best_movers(std::size_t);
template bool radix_sort_keys<std::uint8_t>(const radix_job&);
template void sort_keys_in_place<std::uint8_t>(const radix_job&);

} // namespace sortile::cpu
