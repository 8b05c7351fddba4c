// The programs that lie beside this one: some commands of sortile are programs of their own, as git's are.
#pragma once

#include "command_line.hpp"

#include <string>

namespace sortile::cli {

/// Where a program of sortile's is: in the folder of this one. Empty where it is not.
std::string path_beside(const std::string& name);

/// Becomes the program `name`, which gets the whole command line. \throws invalid_argument where it is not there
int run_beside(const std::string& name, const command_line& line);

} // namespace sortile::cli
