// Merges sorted array files into one.
#pragma once

#include "files/array_file.hpp"
#include "files/output.hpp"

#include <sortile/options.hpp>

#include <span>

namespace sortile::files {

/// Writes the records of all arrays in order, under a header of their own format. Stable: equal keys keep the order of
/// the files. Needs memory for all keys and values twice. \throws io_failure naming file and position where one is not
/// in order, or where the records are not of one type
void merge_arrays(std::span<const array_file> arrays, output& to, const options& opts, bool check_order = true);

} // namespace sortile::files
