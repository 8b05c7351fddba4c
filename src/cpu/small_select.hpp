// Selections straight from the front door: no plan, no workspace, and no allocation but of what a longer array that is
// only read is gathered in, and of the first keys of a long partial sort.
#pragma once

#include <sortile/select.hpp>

namespace sortile::cpu {

/// Does a selection of keys of 4 and 8 bytes by vectors at once, and returns true. False: nothing was done, and the
/// request goes on to the front door's checks, which name every misuse. `engine_is_open`: no other engine than this one
/// was asked for.
bool select_small(const nth_element_request& request, const options& opts, bool engine_is_open) noexcept;

/// The same without a look at its arguments, where sorts_by_vectors() holds.
void select_by_vectors(const nth_element_request& request, order direction) noexcept;

/// The same of few ranks, and of arrays that one thread reads sooner than several.
bool select_small(const ranks_request& request, const options& opts, bool engine_is_open);
bool select_small(const quantiles_request& request, const options& opts, bool engine_is_open);

/// The keys of the ranks of one row, by one thread and without a look at the arguments, where sorts_by_vectors() holds.
/// False where there are too many ranks or keys for that, and nothing was done.
bool search_by_vectors(const ranks_request& row, order direction);

/// The same of the first keys of arrays that are as short, without values or positions.
bool select_small(const top_k_request& request, const options& opts, bool engine_is_open);
bool select_small(const partial_sort_request& request, const options& opts, bool engine_is_open);

} // namespace sortile::cpu
