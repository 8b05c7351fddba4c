// Worked examples: a few keys on which a classic shows what its essay, or a textbook's figure, is about.
// `sortile classics show --example NAME` prints them, and tests/classics/examples holds what it prints.
#pragma once

#include "classics/classic.hpp"

#include <span>
#include <string>
#include <string_view>

namespace sortile::classics {

struct example {
  std::string_view name, classic;
  std::string_view look; ///< what to look at, in a sentence
  request asked;
};

std::span<const example> all_examples();
/// \throws invalid_argument listing the names
const example& example_named(std::string_view name);
/// Null where there is none.
const example* first_example_of(std::string_view classic);

/// A line each: name, classic, what to look at.
std::string list_of_examples();

} // namespace sortile::classics
