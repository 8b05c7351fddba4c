// The search for ranks of keys of 32 bits.
#include "kernels/ranks/find_ranks_instance.hpp"

SORTILE_FIND_RANKS_LAUNCHES(std::uint32_t)
