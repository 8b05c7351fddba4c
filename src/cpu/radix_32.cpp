// The radix sort of 32-bit keys.
#include "cpu/radix_instances.hpp"

namespace sortile::cpu {

template const kernels<std::uint32_t>& best_kernels();
template const movers<std::uint32_t>& best_movers(std::size_t);
template bool radix_sort_keys<std::uint32_t>(const radix_job&);
template void sort_keys_in_place<std::uint32_t>(const radix_job&);

} // namespace sortile::cpu
