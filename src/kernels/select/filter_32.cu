// The filter of keys of 32 bits.
#include "kernels/select/filter_instance.hpp"

SORTILE_FILTER_LAUNCHES(std::uint32_t)
