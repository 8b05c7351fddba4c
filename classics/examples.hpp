// Worked examples: a few keys on which a classic shows what its essay, or a textbook's figure, is about.
// `sortile classics show --example NAME` prints them, and tests/classics/examples holds what it prints.
#pragma once

#include "classics/classic.hpp"

#include <cstdint>
#include <map>
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

/// Parameters on which n keys, not many, show what the classic does: those of its first example, small tiles. A tile of
/// the example's that would hold all n keys is made as small as it can be.
std::map<std::string, unsigned> parameters_to_follow(const classic& c, std::uint64_t n);

/// A line each: name, classic, what to look at.
std::string list_of_examples();

} // namespace sortile::classics
