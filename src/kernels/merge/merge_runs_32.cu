// Stable merge of runs of keys of 32 bits.
#include "kernels/merge/merge_runs_instance.hpp"

SORTILE_MERGE_INSTANCE(std::uint32_t)
