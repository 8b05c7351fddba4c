// A sort in one launch, keys of 8 bits.
#include "kernels/sample/sample_sort_instance.hpp"

SORTILE_SAMPLE_INSTANCE(std::uint8_t)
