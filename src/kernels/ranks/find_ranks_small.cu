// The search for ranks of keys of 8 and 16 bits.
#include "kernels/ranks/find_ranks_instance.hpp"

SORTILE_FIND_RANKS_LAUNCHES(std::uint8_t)
SORTILE_FIND_RANKS_LAUNCHES(std::uint16_t)
