// The filter of keys of 64 and 128 bits.
#include "kernels/select/filter_instance.hpp"

SORTILE_FILTER_LAUNCHES(std::uint64_t)
SORTILE_FILTER_LAUNCHES(uint128)
