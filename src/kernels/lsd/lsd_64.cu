// Stable sort by keys of 64 bits.
#include "kernels/lsd/lsd_instance.hpp"

SORTILE_LSD_INSTANCE(std::uint64_t)
