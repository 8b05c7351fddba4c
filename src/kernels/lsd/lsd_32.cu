// Stable sort by keys of 32 bits.
#include "kernels/lsd/lsd_instance.hpp"

SORTILE_LSD_INSTANCE(std::uint32_t)
