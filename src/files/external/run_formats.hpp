// The formats that are sorted in pieces: what sorts a piece, in which order runs are merged, and how much memory that
// takes.
#pragma once

#include "files/array_file.hpp"
#include "files/external/external_sort.hpp"
#include "files/fixed_records.hpp"
#include "files/record_order.hpp"

#include <sortile/options.hpp>

#include <cstddef>
#include <functional>

namespace sortile::files {

/// Lines, rows of a table, or records of one size. \param unique  of records equal in the order, only the first
run_format record_runs(const record_shape& shape, const record_order& order, bool unique, const options& opts);

/// Arrays whose keys the library sorts.
run_format array_runs(const array_layout& layout, const options& opts);

/// Bytes that a sort of n records needs beside their text; the engine as `opts` choose it.
std::function<std::size_t(std::size_t n)> memory_of_records(const record_order& order, const options& opts);
/// The same for arrays.
std::function<std::size_t(std::size_t n)> memory_of_arrays(const array_layout& layout, const options& opts);

} // namespace sortile::files
