// Selections straight from the front door: no plan, no workspace, and no allocation but of what a longer array that is
// only read is gathered in, and of the first keys of a long partial sort.
#pragma once

#include "cpu/few_ranks.hpp"

#include <sortile/select.hpp>

namespace sortile::cpu {

/// Keys that one thread selects from by vectors: of all rows at once, of a row where there is a plan. Those of more are
/// selected from in pieces (long_select.hpp), by several.
inline constexpr std::size_t most_alone = std::size_t{1} << 20;

/// From so many keys of one row on, threads share it: fewer take longer to share than they gain.
inline constexpr std::size_t shared_from = std::size_t{1} << 22;

/// Does a selection of keys of 4 and 8 bytes by vectors at once, and returns true. False: nothing was done, and the
/// request goes on to the front door's checks, which name every misuse. `engine_is_open`: no other engine than this one
/// was asked for.
bool select_small(const nth_element_request& request, const options& opts, bool engine_is_open) noexcept;

/// The same without a look at its arguments, where sorts_by_vectors() holds.
void select_by_vectors(const nth_element_request& request, order direction) noexcept;

/// The same of few ranks.
bool select_small(const ranks_request& request, const options& opts, bool engine_is_open);
bool select_small(const quantiles_request& request, const options& opts, bool engine_is_open);

/// The keys of the ranks of one row, by one thread and without a look at the arguments, where sorts_by_vectors() holds.
void search_by_vectors(const ranks_request& row, order direction, const few_ranks& ranks);

/// The same of the first keys of arrays, without values or positions.
bool select_small(const top_k_request& request, const options& opts, bool engine_is_open);
bool select_small(const partial_sort_request& request, const options& opts, bool engine_is_open);

/// Whether it does sound requests of this shape, with these options.
bool is_done_at_once(const top_k_request& request, const options& opts);
bool is_done_at_once(const partial_sort_request& request, const options& opts);

} // namespace sortile::cpu
