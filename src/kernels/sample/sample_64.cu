// A sort in one launch, keys of 64 bits.
#include "kernels/sample/sample_sort_instance.hpp"

SORTILE_SAMPLE_INSTANCE(std::uint64_t)
