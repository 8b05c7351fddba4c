// Sorts within segments by keys of 16 bits.
#include "kernels/segments/segmented_instance.hpp"

SORTILE_LAUNCHES(std::uint16_t, segmented_sort_request, launch_segmented_sort)
