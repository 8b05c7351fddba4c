// The words by which all records are sorted first.
#pragma once

#include "files/record_order.hpp"
#include "files/record_table.hpp"

#include <sortile/options.hpp>

#include <cstdint>
#include <span>

namespace sortile::files {

/// Makes the first word of the first part, for every record. \return whether the words are the whole part: integers
bool first_words(const record_table& records, const record_order& order, std::span<std::uint64_t> words,
                 unsigned threads);

/// Words that are the whole first part of a key of several, and of so few values that many records share one, get the
/// beginning of the second part's first word into the bits that they leave free. Equal words still mean that the first
/// parts are equal, and of unequal ones the smaller comes first; the second part has then to be looked at from its
/// beginning. \return whether they got it
bool add_second_part(const record_table& records, const record_order& order, std::span<std::uint64_t> words,
                     unsigned threads);

/// Whether first words of text, as far as numbers of their records leave them, are likely to tell nearly all records
/// apart: a sample has none alike. \param records  two at least
bool numbers_fit_first_words(const record_table& records, const record_order& order);

/// What a sort leaves of words.
enum class sorted_words {
  whole,     ///< those that are equal were
  beginnings ///< those that are equal were alike in what there was room for
};

/// Sorts words, each with the number of its record (0, 1, …), in ascending order. Stable; those of which only the
/// beginnings were alike keep their order.
/// \param ids  room for the numbers
/// \param may_cut  whether words may be cut, where few become alike by it
sorted_words sort_numbered(std::span<std::uint64_t> words, std::uint32_t* ids, bool may_cut, const options& opts);

} // namespace sortile::files
