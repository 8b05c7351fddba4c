// What all programs of the command line do: parse, run the chosen command, and turn whatever goes wrong into one line
// and an exit status.
#pragma once

#include "command_line.hpp"

#include <string>
#include <vector>

namespace sortile::cli {

/// main() of a program. `own`: the words with which `sortile` begins when it starts this program, put in front of the
/// arguments where they do not begin with one of its commands; `add_commands` adds those.
int run_program(int argc, char** argv, const std::vector<std::string>& own, void (*add_commands)(command_line&));

} // namespace sortile::cli
