// A few first keys where they stand: partial sorts, and the selections of very few, which are done at once.
#pragma once

#include <sortile/select.hpp>

namespace sortile::cpu {

struct row_job;

/// So many of n keys at most are found sooner by one read (first_search.hpp) than by what finds more of them: a filter,
/// or vectors. Of 128 bits these take longer.
std::size_t most_by_read(key_type type, std::size_t n);
bool are_found_by_read(key_type type, std::size_t n, std::size_t k);

/// A partial sort whose keys are. Allocates its memory.
void partial_sort_few(const partial_sort_request& request, const row_job& job);

/// Keys that are ordered without memory of the caller.
inline constexpr std::size_t most_at_once = 128;

/// Whether so few of so many keys of a type are found sooner by one read than by the vectors of small_select.hpp, where
/// these do it, and so soon that no progress need be told.
bool is_read_at_once(key_type type, std::size_t n, std::size_t k);

/// Does such requests, whose arrays and options are sound and usual; no allocation.
void select_very_few(const top_k_request& row, const options& opts) noexcept;
void select_very_few(const partial_sort_request& request, const options& opts) noexcept;

} // namespace sortile::cpu
