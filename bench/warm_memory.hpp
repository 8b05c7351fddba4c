// Touches memory before a bench measures.
#pragma once

#include "bench/row.hpp"

#include <vector>

namespace sortile::bench {

/// Touches as much memory as the largest row will use, on huge pages where they are to be had, and gives it back. In a
/// virtual machine the first touch of a page can cost fifty times that of later ones, because the host has to find the
/// page; nobody's sort should pay for that.
void warm_memory(const std::vector<row_spec>& rows);

} // namespace sortile::bench
