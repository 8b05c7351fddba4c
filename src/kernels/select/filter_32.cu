// The filter of keys of 32 bits.
#include "kernels/select/filter_instance.hpp"

namespace sortile::kernels::detail {

SORTILE_FILTER_LAUNCHES(std::uint32_t)

} // namespace sortile::kernels::detail
