// The radix sort of 128-bit keys.
#include "cpu/radix_instances.hpp"

namespace sortile::cpu {

template const kernels<uint128>& best_kernels();
template const movers<uint128>& best_movers(std::size_t);
template bool radix_sort_keys<uint128>(const radix_job&);
template void sort_keys_in_place<uint128>(const radix_job&);

} // namespace sortile::cpu
