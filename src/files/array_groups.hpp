// The distinct keys of an array file, and how often each occurs: `sortile sort --unique` of arrays.
#pragma once

#include "files/array_file.hpp"
#include "files/memory.hpp"
#include "files/output.hpp"

#include <sortile/groups.hpp>

namespace sortile::files {

/// The first `size` elements count.
struct distinct_keys {
  raw_array<char> keys;
  raw_array<std::uint64_t> counts; ///< empty where they are not wanted
  std::size_t size = 0;
};

/// The distinct keys of an array of keys alone, in the order of `opts`; equal keys are those that run(groups_request)
/// takes for equal.
distinct_keys find_distinct(const array_file& array, bool counted, const options& opts);

/// Writes them in the file's format and byte order. \param counts_inside  of .npy files: as records with a field count
void write_distinct(const array_file& array, const distinct_keys& found, bool counts_inside, output& to,
                    unsigned threads);

/// The plan for it: that of the sort, and the steps behind it.
plan explain_array_groups(const array_file& array, const options& opts);

} // namespace sortile::files
