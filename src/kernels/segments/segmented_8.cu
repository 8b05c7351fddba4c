// Sorts within segments by keys of 8 bits.
#include "kernels/segments/segmented_instance.hpp"

SORTILE_SEGMENTS_INSTANCE(std::uint8_t)
