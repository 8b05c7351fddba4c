// Values moved by position, or from one width to another: simple parallel loops over untyped arrays.
#pragma once

#include "plan/progress.hpp"

#include <cstddef>

namespace sortile::cpu {

/// to[i] = from[indices[i]] for values of `width` bytes; indices of 4 or 8 bytes, all below n. The arrays do not
/// overlap. `progress` counts values, and may cancel; null where nobody wants to know.
void gather(const void* from, const void* indices, std::size_t index_bytes, std::size_t n, std::size_t width, void* to,
            unsigned threads, progress_meter* progress = nullptr);

/// values[i] becomes what values[indices[i]] was, through `space` of n * width bytes. Never fails: where threads cannot
/// be had, the calling one does all of it.
void rearrange(void* values, const void* indices, std::size_t index_bytes, std::size_t n, std::size_t width,
               void* space, unsigned threads) noexcept;

/// Copies n values of from_width bytes to places of to_width bytes: what is missing is left as it is, what is too much
/// is dropped.
void rewiden(const void* from, std::size_t from_width, std::size_t n, void* to, std::size_t to_width, unsigned threads);

/// Makes 64-bit numbers of n 32-bit ones, from where these lie on.
void widen_in_place(void* numbers, std::size_t n, unsigned threads);
/// The opposite.
void narrow_in_place(void* numbers, std::size_t n);

/// memcpy by several threads.
void copy(const void* from, std::size_t bytes, void* to, unsigned threads);

} // namespace sortile::cpu
