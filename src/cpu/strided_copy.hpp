// Strided segments to rows that lie one after the other, and back: how columns of a 2-D array are sorted.
#pragma once

#include <sortile/segments.hpp>

#include <cstddef>

namespace sortile::cpu {

/// rows[i · length + k] = array[i · stride + k · step], elements of `width` bytes.
void gather_rows(const segments& where, std::size_t width, const void* array, void* rows, unsigned threads);

/// The way back.
void scatter_rows(const segments& where, std::size_t width, const void* rows, void* array, unsigned threads);

} // namespace sortile::cpu
