// Parts of a sort of an array file: its first records in order, and quantiles of its keys, of all or of each line.
#pragma once

#include "files/array_axis.hpp"
#include "files/array_file.hpp"
#include "files/output.hpp"

#include <sortile/select.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sortile::files {

/// The plan for the first k records (all, where there are fewer).
plan explain_array_top(const array_file& array, std::size_t k, const options& opts);

/// Writes a header and the first k records in order (all, where there are fewer): those that sort_array() begins with.
void write_array_top(const array_file& array, std::size_t k, output& to, const options& opts);

/// The same of keys and values in two files, each with a header of its own where it is a .npy file.
plan explain_array_top(const array_file& keys, const values_file& values, std::size_t k, const options& opts);
void write_array_top(const array_file& keys, const values_file& values, std::size_t k, output& keys_to,
                     output& values_to, const options& opts);

/// Quantiles of the keys (sortile::quantiles) as text: integers that are keys to the last digit, others as doubles.
/// \throws io_failure where there are no keys
std::vector<std::string> array_quantiles(const array_file& array, const std::vector<double>& probabilities,
                                         const options& opts);

/// The plan for them.
plan explain_array_quantiles(const array_file& array, const std::vector<double>& probabilities, const options& opts);

/// The quantiles of each line of `data` along an axis, line by line, as text. \throws io_failure where lines have no
/// keys
std::vector<std::string> quantiles_along(const array_layout& layout, const axis_shape& shape, std::string_view data,
                                         const std::vector<double>& probabilities, const options& opts);
plan explain_quantiles_along(const array_layout& layout, const axis_shape& shape,
                             const std::vector<double>& probabilities, const options& opts);
/// Bytes that quantiles_along() takes beside the data.
std::size_t memory_of_quantiles(const array_layout& layout, const axis_shape& shape);

} // namespace sortile::files
