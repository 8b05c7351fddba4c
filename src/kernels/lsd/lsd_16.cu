// Stable sort by keys of 16 bits.
#include "kernels/lsd/lsd_instance.hpp"

SORTILE_LSD_INSTANCE(std::uint16_t)
