// Sort of keys of 128 bits.
#include "kernels/sort/sort_keys_instance.hpp"

SORTILE_SORT_KEYS_INSTANCE(uint128)
