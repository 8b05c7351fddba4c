// Sorts records by the words of their keys: a radix sort whose digit is a word, most significant word first. One of the
// ways that sort_records() takes.
#pragma once

#include "files/memory.hpp"
#include "files/record_order.hpp"
#include "files/record_table.hpp"

#include <sortile/request.hpp>

#include <cstdint>
#include <span>

namespace sortile::files {

/// The numbers of all records, in order. Stable. \param ids  their place: one for each record
void sort_by_words(const record_table& records, const record_order& order, const options& opts,
                   std::span<std::uint32_t> ids);

/// The same of records that are in order by the whole first part: those that are equal in it are sorted by the others.
/// \param repeats  repeats[i]: is the record ids[i] equal to ids[i - 1] in the first part?
void sort_behind_first_part(const record_table& records, const record_order& order, const options& opts,
                            std::span<std::uint32_t> ids, const raw_array<char>& repeats);

/// The first `most` records in order; empty where so many share the first words of these that a sort of all is as good.
raw_array<std::uint32_t> select_by_words(const record_table& records, const record_order& order, const options& opts,
                                         std::size_t most);

} // namespace sortile::files
