// The registry: every classic of the gallery, gathered from the files that define them.
//
// A file `some_sort.cu`, listed in CMakeLists.txt, ends with
//
//     SORTILE_CLASSICS_OF(some_sort) {
//       return {{.name = "some-sort", .family = …, .run = …}};
//     }
//
// It is compiled for both backends; the registry takes the descriptions of one and the functions of both.
#pragma once

#include "classics/classic.hpp"

#include <span>
#include <string>
#include <string_view>

#define SORTILE_CLASSICS_OF(FILE)                                                                                      \
  template <class Backend>                                                                                             \
  std::vector<classic> classics_of_##FILE();                                                                           \
  template <>                                                                                                          \
  std::vector<classic> classics_of_##FILE<simt::this_backend>()

namespace sortile::classics {

/// All classics, in the order of the files in CMakeLists.txt.
std::span<const classic> all_classics();

/// \throws invalid_argument listing the names where there is none of this one
const classic& classic_named(std::string_view name);

/// The registry as text: a line each, or a Markdown table (docs/classics.md).
std::string list_of_classics();
std::string markdown_table_of_classics();

} // namespace sortile::classics
