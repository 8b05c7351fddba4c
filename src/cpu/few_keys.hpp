// Calls on few keys of any type, straight from the front doors: no plan, no workspace, no allocation. What sorts of few
// keys are to small_sort.hpp, selections, groups, sorts of rows and permutations are to this.
//
// All return false where they have done nothing: the request then goes on to the front door's checks, which name every
// misuse. `engine_is_open`: no other engine than this one was asked for.
#pragma once

#include <sortile/groups.hpp>
#include <sortile/select.hpp>

#include <cstddef>
#include <optional>

namespace sortile::cpu {

/// Whether what travels with the keys of a top-k, and what is written, is as the front door wants it, and may be copied
/// on the stack.
bool payload_is_sound(const top_k_request& request);

/// Of one row, with values or positions too; the keys by any options::bits.
bool select_few(const top_k_request& request, const options& opts, bool engine_is_open) noexcept;
bool select_few(const partial_sort_request& request, const options& opts, bool engine_is_open) noexcept;
bool select_few(const nth_element_request& request, const options& opts, bool engine_is_open) noexcept;

/// Their number goes to `found`.
bool group_few(const groups_request& request, const options& opts, bool engine_is_open, std::size_t& found) noexcept;

bool sort_few_rows(const sort_rows_request& request, const options& opts, bool engine_is_open) noexcept;
bool permute_few(const permute_request& request, const options& opts, bool engine_is_open) noexcept;

/// The first key out of order of any number that one thread checks; the answer goes to `found`.
bool find_disorder_at_once(key_type type, const void* keys, std::size_t n, const options& opts, bool engine_is_open,
                           std::optional<std::size_t>& found) noexcept;

} // namespace sortile::cpu
