// Sorts of keys alone, of 4 and 8 bytes, by vectors and a few threads, in place.
#pragma once

#include "cpu/radix_job.hpp"

#include <sortile/request.hpp>

namespace sortile::cpu {

/// Whether these are keys alone, by all of their bits, which vectors sort.
bool sorts_keys_alone(const sort_request& request, const bit_window& bits);

/// Whether they are on so many threads, without a partition.
bool sorts_by_quicksort(const sort_request& request, const bit_window& bits, unsigned threads);

/// Bytes of radix_job::scratch that such a sort needs: counters of keys from a small range. A partition needs its own.
std::size_t quicksort_bytes(std::size_t n, std::size_t key_bytes, unsigned threads);

/// Sorts n keys from job.keys_in to job.keys_out, which may be the same. Of floats, job.spare_keys takes zeros and NaNs
/// where −0 or a NaN is met; false where they do not fit there, and job.keys_in is as it was.
bool sort_keys_alone(const radix_job& job);

} // namespace sortile::cpu
