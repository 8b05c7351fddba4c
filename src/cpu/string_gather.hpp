// Copies of strings in an order, and the check of their offsets.
#pragma once

#include <sortile/sortile.hpp>

#include <cstddef>
#include <cstdint>

namespace sortile::cpu {

/// Copies strings in the order of n positions, one after the other, and writes where each begins: n + 1 offsets of
/// request.offset_bytes.
void gather_strings(const strings_request& request, const std::uint64_t* positions, void* offsets, char* bytes,
                    unsigned threads);

/// Whether no offset is below the one before it (with room for a separator between them) or beyond the bytes; else
/// `first_wrong` is the first string for which that does not hold.
bool offsets_rise(const strings_request& request, unsigned threads, std::size_t& first_wrong);

} // namespace sortile::cpu
