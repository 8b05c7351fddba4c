// Stable sort by keys of 128 bits.
#include "kernels/lsd/lsd_instance.hpp"

SORTILE_LSD_INSTANCE(uint128)
