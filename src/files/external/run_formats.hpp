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

/// Cuts a piece into records; pieces come one after the other, from the first.
using record_cutter = std::function<record_table(std::string_view piece)>;

/// Records that end as `shape` says. \param unique  of records equal in the order, only the first
/// \param most  only so many, the first in order
/// \param cut  cuts the rows of tables, and looks at them; none: lines, or records of one size
run_format record_runs(const record_shape& shape, const record_order& order, bool unique, std::size_t most,
                       const options& opts, record_cutter cut = {});

/// Arrays whose keys the library sorts. \param unique, most  as record_runs()
run_format array_runs(const array_layout& layout, bool unique, std::size_t most, const options& opts);

/// Bytes that a sort of n records needs beside their text; the engine as `opts` choose it.
std::function<std::size_t(std::size_t n)> memory_of_records(const record_order& order, const options& opts);
/// The same for arrays.
std::function<std::size_t(std::size_t n)> memory_of_arrays(const array_layout& layout, const options& opts);

} // namespace sortile::files
