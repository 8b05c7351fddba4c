// Sorts an array of several axes along one of them: `sortile sort --rows` and `--axis`.
#pragma once

#include "files/array_file.hpp"
#include "files/output.hpp"

#include <sortile/request.hpp>

namespace sortile::files {

/// The plan for sorting along an axis. \throws as sort_array_along()
plan explain_array_along(const array_file& array, long axis, const options& opts);

/// Writes the array's header, and its elements in order along `axis`: 0 is the first axis, −1 the last. Stable.
/// \throws invalid_argument where there is no such axis, or the elements are records
void sort_array_along(const array_file& array, long axis, output& to, const options& opts);

} // namespace sortile::files
