// Rows for the sort of pairs and of indices, against CUB's sort of pairs.
#pragma once

#include "bench/gpu/contestant.hpp"

namespace sortile::bench {

/// What travels with the keys: the caller's values, or indices, which sortile makes and CUB reads from an array that is
/// there before the clock starts.
enum class companion { values, indices };

/// n pairs of a Word out of `keys` and a Value out of `values`, sorted by both contestants and compared. Of indices,
/// sortile writes no keys. Instantiated for u32 with values of 4 bytes, u64 with 4 and 8.
template <class Word, class Value>
row pairs_row(const char* name, const shared_buffer& keys, const shared_buffer& values, std::uint64_t n,
              companion with);

/// Whether the first `bytes`, a multiple of 4, of two arrays in device memory are the same.
bool same_on_device(const void* a, const void* b, std::size_t bytes);
/// 0, 1, 2, … to n − 1.
void fill_with_indices(std::uint32_t* out, std::uint64_t n);
void fill_with_indices(std::uint64_t* out, std::uint64_t n);

} // namespace sortile::bench
