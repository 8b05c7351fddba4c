// The filter of keys of 8 and 16 bits.
#include "kernels/select/filter_instance.hpp"

SORTILE_FILTER_LAUNCHES(std::uint8_t)
SORTILE_FILTER_LAUNCHES(std::uint16_t)
