// The keys of a table's rows, from the cells of the columns that decide: one string of bytes a row.
//
// The strings compare as the rows do (normalized_keys.hpp), so that what sorts lines sorts them. Of a column with
// nulls, a byte tells whether the cell is one; all nulls are alike. A number's image has the number's width, the upper
// byte first; where no column is text, all strings have one length and end in no mark.
#pragma once

#include "files/columnar/columnar_table.hpp"
#include "files/memory.hpp"
#include "files/normalized_keys.hpp"
#include "files/record_order.hpp"

#include <sortile/options.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sortile::files {

/// How a column orders the rows.
struct columnar_key {
  const column_cells& cells;
  key_part part{};          ///< of texts: their form, and where it is to be turned round; of numbers the latter
  bool nulls_first = false; ///< whatever the direction
};

/// The bytes of each row's key where all have as many: where no column is text.
std::optional<std::size_t> bytes_of_columnar_key(std::span<const columnar_key> order);

/// The rows' numbers in their order, equal ones as they come, where keys have at most 8 bytes: each is a number then,
/// which compares as the string does. With the rows' numbers in them (first_words.hpp) they are sorted alone, where
/// that leaves few alike. \throws out_of_memory
raw_array<std::uint32_t> sort_columnar_words(std::size_t rows, std::span<const columnar_key> order,
                                             const options& opts);

/// O(cells) on `threads` threads. \throws out_of_memory
normalized_keys make_columnar_keys(std::size_t rows, std::span<const columnar_key> order, unsigned threads);

/// How such keys of some rows are compared.
record_order order_of_columnar_keys(std::size_t rows, std::span<const columnar_key> order);

} // namespace sortile::files
