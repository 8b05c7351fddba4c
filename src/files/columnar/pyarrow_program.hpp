// The text of the program in the folder pyarrow_program, which the command gives to a Python interpreter.
#pragma once

#include <string_view>

namespace sortile::files {

std::string_view pyarrow_program();

} // namespace sortile::files
