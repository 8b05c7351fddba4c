// Parts of a sort of an array file: its first records in order, and quantiles of its keys.
#pragma once

#include "files/array_file.hpp"
#include "files/output.hpp"

#include <sortile/select.hpp>

#include <string>
#include <vector>

namespace sortile::files {

/// The plan for the first k records (all, where there are fewer).
plan explain_array_top(const array_file& array, std::size_t k, const options& opts);

/// Writes a header and the first k records in order (all, where there are fewer): those that sort_array() begins with.
void write_array_top(const array_file& array, std::size_t k, output& to, const options& opts);

/// Quantiles of the keys (sortile::quantiles) as text: integers that are keys to the last digit, others as doubles.
/// \throws io_failure where there are no keys
std::vector<std::string> array_quantiles(const array_file& array, const std::vector<double>& probabilities,
                                         const options& opts);

/// The plan for them.
plan explain_array_quantiles(const array_file& array, const std::vector<double>& probabilities, const options& opts);

} // namespace sortile::files
