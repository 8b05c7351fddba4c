// Sorts within segments by keys of 8 bits.
#include "kernels/segments/segmented_instance.hpp"

SORTILE_LAUNCHES(std::uint8_t, segmented_sort_request, launch_segmented_sort)
