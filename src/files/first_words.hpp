// The words by which all records are sorted first.
#pragma once

#include "files/record_order.hpp"
#include "files/record_table.hpp"

#include <cstdint>
#include <optional>
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

/// Words that hold the numbers of their records.
struct numbered_words {
  int number_bits = 0;    ///< the lowest
  bool are_whole = false; ///< nothing of the words was cut off
};

/// Puts the number of its record behind each word, as much as fits of which is kept. So sorting them is a stable sort
/// by those. Nothing is changed and nothing returned where so much is cut off that many would become alike. \param
/// words  two at least
std::optional<numbered_words> number_words(std::span<std::uint64_t> words, unsigned threads);

/// Takes the numbers out again. What stays of the words tells which were alike. \param ids  room for them
void take_numbers(std::span<std::uint64_t> words, const numbered_words& how, std::uint32_t* ids, unsigned threads);

} // namespace sortile::files
