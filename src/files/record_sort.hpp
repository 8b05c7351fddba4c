// Sorts text records by their keys: a radix sort over the keys' words, most significant word first.
#pragma once

#include "files/memory.hpp"
#include "files/record_order.hpp"
#include "files/record_table.hpp"

#include <sortile/request.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace sortile::files {

/// Records at most that one sort takes: their numbers have 32 bits.
inline constexpr std::size_t most_records = 0xffffffff;

/// The numbers of the records, in order. Stable. `opts` chooses the engine and the threads (its order and bits take no
/// part). Memory: 12 bytes a record, and what the engine needs to sort n 64-bit keys with 32-bit positions; for keys of
/// a locale those too, about eight times the text; for an order that begins with a field or column by its bytes up to
/// 17 bytes a record more. \param distinct  of the records that are equal in all parts, the first alone \param most
/// only so many, the first in order: few of many are found without sorting the others \throws invalid_argument for more
/// than most_records; out_of_memory, cancelled, … as run()
raw_array<std::uint32_t> sort_records(const record_table& records, const record_order& order, const options& opts,
                                      bool distinct = false, std::size_t most = SIZE_MAX);

/// Keeps the first of the records that are equal in all parts; returns how many remain at the front of `sorted`.
/// \param counts  how many records each of them stands for: room for all; empty: not wanted
std::size_t keep_first_of_equals(const record_table& records, const record_order& order,
                                 std::span<std::uint32_t> sorted, unsigned threads,
                                 std::span<std::uint64_t> counts = {});

/// The first of the records [from, to) that is smaller than the one before it in that range (`strict`: not larger).
std::optional<std::size_t> first_disorder(const record_table& records, const record_order& order, bool strict,
                                          unsigned threads, std::size_t from = 0, std::size_t to = SIZE_MAX);

/// The steps that sort_records() will take for n records of that many bytes, with the engine's own plan for the first
/// word.
plan explain_record_sort(std::size_t n, std::size_t text_bytes, const record_order& order, const options& opts);

/// One line on a part of a key: "column 'size', as number, descending".
std::string describe(const key_part& part);

} // namespace sortile::files
