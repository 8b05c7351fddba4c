// The texts of a field or column, each where it lies in its record: what the library's sort of strings takes.
#pragma once

#include "files/memory.hpp"
#include "files/record_order.hpp"
#include "files/record_table.hpp"

#include <optional>
#include <string_view>

namespace sortile::files {

/// Whether the first part of the order is a field or column by its bytes.
bool begins_with_one_text(const record_order& order);

/// Whether most records begin with the same word in the first part of the order, as a look at a few tells. Words are
/// then a slow way to sort it, since what lies before a word is read again for each.
bool begin_alike(const record_table& records, const record_order& order);

/// The text of each record in the first part of the order. Nothing where one of them does not lie in its record as it
/// is: a cell with doubled quotes. O(text) on `threads` threads, 16 bytes a record. \throws out_of_memory
std::optional<raw_array<std::string_view>> text_views(const record_table& records, const record_order& order,
                                                      unsigned threads);

} // namespace sortile::files
