// The search for ranks of keys of 64 and 128 bits.
#include "kernels/ranks/find_ranks_instance.hpp"

SORTILE_FIND_RANKS_LAUNCHES(std::uint64_t)
SORTILE_FIND_RANKS_LAUNCHES(uint128)
