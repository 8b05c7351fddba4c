// The arguments of `sortile sort` as sort(1) takes them: options behind operands, bundles of letters, shortened long
// options, and keys in the form +1 -2. Turned into plain long options for the parser that knows what they mean.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace sortile::cli {

/// Arguments after the name of the command, as `sort` (of which the options are taken) is to parse them.
/// POSIXLY_CORRECT and _POSIX2_VERSION in the environment have the meaning that they have for it.
/// \param sort_alone  options that sort(1) has not do not exist: no shortened name means one of them
/// \throws invalid_argument in the words of GNU sort, which scripts may look for
std::vector<std::string> plain_sort_arguments(const CLI::App& sort, std::vector<std::string> given, bool sort_alone);

/// Options that sort(1) has not need a value that is not empty: an empty one is a variable of a shell that was not set.
/// \throws invalid_argument
void need_values(const CLI::App& command);

/// What sort(1) has not goes, for the help of the command that is called by its name.
void keep_options_of_sort(CLI::App& sort);

} // namespace sortile::cli
