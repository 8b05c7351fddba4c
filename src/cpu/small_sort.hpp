// Short sorts and merges, straight from the front door: no plan, no workspace, no allocation.
#pragma once

#include <sortile/request.hpp>

namespace sortile::cpu {

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

/// A merge of few keys alone, which are put behind each other and sorted: that gives what a stable merge does. False:
/// nothing lasting was done.
bool merge_small(const merge_request& request, const options& opts, bool engine_is_open) noexcept;

/// The order of few rows: short sorts by one column after another, the last first. False: nothing was done.
bool argsort_rows_small(const rows_request& request, const options& opts, bool engine_is_open) noexcept;

} // namespace sortile::cpu
