// Sorts of keys alone, of 4 and 8 bytes, by vectors and a few threads, in place.
#pragma once

#include "cpu/radix_job.hpp"

#include <sortile/request.hpp>

namespace sortile::cpu {

/// Whether keys alone, by all of their bits, on so many threads are sorted so.
bool sorts_by_quicksort(const sort_request& request, const bit_window& bits, unsigned threads);

/// Bytes of radix_job::scratch that such a sort needs: counters of keys from a small range.
std::size_t quicksort_bytes(std::size_t n, std::size_t key_bytes, unsigned threads);

/// Sorts n keys from job.keys_in to job.keys_out, which may be the same. Of floats, job.spare_keys takes zeros and NaNs.
void sort_by_quicksort(const radix_job& job);

} // namespace sortile::cpu
