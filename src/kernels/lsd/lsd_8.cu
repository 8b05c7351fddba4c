// Stable sort by keys of 8 bits.
#include "kernels/lsd/lsd_instance.hpp"

SORTILE_LSD_INSTANCE(std::uint8_t)
