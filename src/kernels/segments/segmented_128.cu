// Sorts within segments by keys of 128 bits.
#include "kernels/segments/segmented_instance.hpp"

SORTILE_LAUNCHES(uint128, segmented_sort_request, launch_segmented_sort)
