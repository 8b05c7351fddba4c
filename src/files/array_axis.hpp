// Sorts an array of several axes along one of them: `sortile sort --rows` and `--axis`.
#pragma once

#include "files/array_file.hpp"
#include "files/output.hpp"
#include "files/record_order.hpp"

#include <sortile/request.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace sortile::files {

/// An array's elements as a sort along one of its axes sees them: `length` of the axis for each choice of the others.
struct axis_shape {
  std::size_t before = 1, length = 1, behind = 1; ///< elements of the axes before, of the axis, behind it

  /// \param sides  of the array, as the file names them \param reversed  their first lies side by side, not the last
  /// \throws invalid_argument where there is no such axis
  axis_shape(std::span<const std::size_t> sides, bool reversed, long axis, std::string_view name);
};

/// The plan for sorting along an axis. \throws as sort_array_along()
plan explain_array_along(const array_file& array, long axis, const options& opts);

/// Writes the array's header, and its elements in order along `axis`: 0 is the first axis, −1 the last. Stable.
/// \throws invalid_argument where there is no such axis, or the elements are records
void sort_array_along(const array_file& array, long axis, output& to, const options& opts);

/// The same for elements that are ordered as records: dates, times, texts, records of a structured dtype.
/// \param order  of one element
plan explain_records_along(const npy_header& header, const record_order& order, long axis, std::string_view name,
                           const options& opts);
void sort_records_along(const input& source, const npy_header& header, const record_order& order, long axis, output& to,
                        const options& opts);

} // namespace sortile::files
