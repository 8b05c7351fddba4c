// Short sorts and merges, straight from the front door: no plan, no workspace, no allocation.
#pragma once

#include <sortile/request.hpp>

namespace sortile::cpu {

/// Keys alone that are sorted at once: what the L2 cache holds, and no second thread pays.
inline constexpr std::size_t most_short_bytes = std::size_t{1} << 20;

/// Does a short sort at once, and returns true. False: nothing was done, and the request goes on to the front door's
/// checks, which name every misuse. `engine_is_open`: no other engine than this one was asked for.
bool sort_small(const sort_request& request, const options& opts, bool engine_is_open) noexcept;

/// The same by the options as they are by default, where no other engine was asked for and there is no driver.
bool sort_small(const sort_request& request) noexcept;

/// Whether sort_small() sorts a checked request whatever its keys are: where a limit of the workspace is given, it
/// takes only such requests, so that explain() knows which these are.
bool sorts_at_once(const sort_request& request, const options& opts);

/// Such a request, with progress told before and after.
void sort_at_once(const sort_request& request, const options& opts);

/// Keys that are sorted as words which hold a key and its position.
inline constexpr std::size_t most_in_words = 128;
/// Bytes of what may travel with them: copies of all of it lie on the stack.
inline constexpr std::size_t widest_in_words = 64;

/// Writes the order of 1 to most_in_words keys of any type, by opts.order and opts.bits. False where this processor has
/// no vectors for it, or no such bits are: nothing was written.
bool order_few(key_type type, const void* keys, std::size_t n, const options& opts, std::uint8_t* positions) noexcept;

/// A merge of two runs of keys alone that one thread does, or of more runs with few keys, which are put behind each
/// other and sorted: that gives what a stable merge does. False: nothing lasting was done.
bool merge_small(const merge_request& request, const options& opts, bool engine_is_open) noexcept;

/// The order of few rows: short sorts by one column after another, the last first. False: nothing was done.
bool argsort_rows_small(const rows_request& request, const options& opts, bool engine_is_open) noexcept;

} // namespace sortile::cpu
