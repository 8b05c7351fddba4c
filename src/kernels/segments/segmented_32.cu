// Sorts within segments by keys of 32 bits.
#include "kernels/segments/segmented_instance.hpp"

SORTILE_SEGMENTS_INSTANCE(std::uint32_t)
