// A sort in one launch, keys of 128 bits.
#include "kernels/sample/sample_sort_instance.hpp"

SORTILE_SAMPLE_INSTANCE(sortile::uint128)
