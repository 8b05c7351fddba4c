// Sorts within segments by keys of 32 bits.
#include "kernels/segments/segmented_instance.hpp"

SORTILE_LAUNCHES(std::uint32_t, segmented_sort_request, launch_segmented_sort)
