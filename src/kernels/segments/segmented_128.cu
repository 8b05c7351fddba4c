// Sorts within segments by keys of 128 bits.
#include "kernels/segments/segmented_instance.hpp"

SORTILE_SEGMENTS_INSTANCE(uint128)
