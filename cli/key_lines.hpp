// Keys as decimal lines.
#pragma once

#include <sortile/types.hpp>

#include <cstddef>
#include <string>

namespace sortile::cli {

/// Appends n keys of a type, one a line; floats in the shortest form that reads back as the same value.
void append_lines(key_type type, const void* keys, std::size_t n, std::string& text);

} // namespace sortile::cli
