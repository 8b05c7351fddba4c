// The words by which all records are sorted first.
#pragma once

#include "files/record_order.hpp"
#include "files/record_table.hpp"

#include <cstdint>
#include <span>

namespace sortile::files {

/// Makes the first word of the first part, for every record. \return whether the words are the whole part: integers
bool first_words(const record_table& records, const record_order& order, std::span<std::uint64_t> words,
                 unsigned threads);

/// Words that are the whole first part of a key of several, and of so few values that many records share one, get the
/// beginning of the second part's first word into the bits that they leave free. Equal words still mean that the first
/// parts are equal, and of unequal ones the smaller comes first; the second part has then to be looked at from its
/// beginning.
void add_second_part(const record_table& records, const record_order& order, std::span<std::uint64_t> words,
                     unsigned threads);

} // namespace sortile::files
