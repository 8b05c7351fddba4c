// The filter of keys of 64 and 128 bits.
#include "kernels/select/filter_instance.hpp"

namespace sortile::kernels::detail {

SORTILE_FILTER_LAUNCHES(std::uint64_t)
SORTILE_FILTER_LAUNCHES(uint128)

} // namespace sortile::kernels::detail
