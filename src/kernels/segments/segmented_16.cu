// Sorts within segments by keys of 16 bits.
#include "kernels/segments/segmented_instance.hpp"

SORTILE_SEGMENTS_INSTANCE(std::uint16_t)
