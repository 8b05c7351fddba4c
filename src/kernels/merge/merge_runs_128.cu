// Stable merge of runs of keys of 128 bits.
#include "kernels/merge/merge_runs_instance.hpp"

SORTILE_MERGE_INSTANCE(uint128)
