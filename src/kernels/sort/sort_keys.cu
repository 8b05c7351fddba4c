// Sort of keys of 32 and 64 bits.
#include "kernels/sort/sort_keys_instance.hpp"

SORTILE_SORT_KEYS_INSTANCE(std::uint32_t)
SORTILE_SORT_KEYS_INSTANCE(std::uint64_t)
