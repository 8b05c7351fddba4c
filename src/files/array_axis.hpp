// Sorts an array of several axes along one of them: `sortile sort --rows` and `--axis`.
//
// An array in C order is, for each choice of the axes before, a matrix of the axis by all axes behind it. Each of these
// is sorted by itself, so that an array need not be in memory as a whole.
#pragma once

#include "files/array_file.hpp"
#include "files/memory.hpp"
#include "files/output.hpp"
#include "files/record_order.hpp"

#include <sortile/request.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sortile::files {

/// An array's elements as a sort along one of its axes sees them: `length` of the axis for each choice of the others.
struct axis_shape {
  std::size_t before = 1, length = 1, behind = 1; ///< elements of the axes before, of the axis, behind it
  std::size_t most = SIZE_MAX;                    ///< of a line so many are written at most: the first ones
  std::size_t axis = 0;                           ///< its number, from 0 up

  std::size_t written() const { return std::min(most, length); }

  /// Elements that lie side by side and are sorted by themselves.
  std::size_t matrix() const { return length * behind; }
  /// All of them.
  std::size_t elements() const { return before * matrix(); }
};

/// The shape of a .npy file's array along `axis`: 0 is the first axis, −1 the last. \throws invalid_argument where
/// there is no such axis
axis_shape shape_along(const npy_header& header, long axis, std::string_view name);

/// The plan for sorting keys along an axis. \throws invalid_argument where the elements are records
plan explain_along(const array_layout& layout, const axis_shape& shape, const options& opts);
/// Bytes that sort_along() takes beside the data.
std::size_t memory_along(const array_layout& layout, const axis_shape& shape, const options& opts);
/// Writes the matrices of `data`, as many as `shape` says, their elements in order along the axis; of each line the
/// first written(). Stable.
void sort_along(const array_layout& layout, const axis_shape& shape, std::string_view data, output& to,
                const options& opts);

/// The same for elements that are ordered as records: dates, times, texts, records of a structured dtype.
struct record_elements {
  std::size_t bytes = 0;
  record_order order; ///< of one
};
plan explain_along(const record_elements& elements, const axis_shape& shape, const options& opts);
std::size_t memory_along(const record_elements& elements, const axis_shape& shape, const options& opts);
void sort_along(const record_elements& elements, const axis_shape& shape, std::string_view data, output& to,
                const options& opts);

/// Whether the elements of each line along the axis are in order.
bool in_order_along(const record_elements& elements, const axis_shape& shape, std::string_view data, unsigned threads);

/// Such elements in the order of their lines, each behind the number of its line: records that are in order where every
/// line is. They are made as far as they are wanted: those with the numbers [begin, end).
raw_array<char> number_lines(const record_elements& elements, const axis_shape& shape, std::string_view data,
                             std::size_t begin, std::size_t end, unsigned threads);
/// What they are as records: by line, then as the elements are.
record_elements numbered(const record_elements& elements);

/// Where one of them stands in the array: an index for each axis. \param record  its number
std::vector<std::size_t> index_of_element(const npy_header& header, const axis_shape& shape, std::size_t record);

} // namespace sortile::files
