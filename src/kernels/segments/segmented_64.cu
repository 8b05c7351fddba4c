// Sorts within segments by keys of 64 bits.
#include "kernels/segments/segmented_instance.hpp"

SORTILE_SEGMENTS_INSTANCE(std::uint64_t)
