// What a custom call of XLA's is given: attributes and arrays, read and checked. All throw invalid_argument.
#pragma once

#include "xla_abi.hpp"

#include <sortile/segments.hpp>
#include <sortile/types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::python {

/// Nothing for types that have no order here.
std::optional<key_type> key_type_of_xla(xla::data_type type);

/// An attribute of 64-bit integers: a scalar, or an array.
std::int64_t attribute(const xla::call_frame& frame, std::string_view name);
std::vector<std::size_t> list_attribute(const xla::call_frame& frame, std::string_view name);

/// An argument or a result, by its number.
const xla::buffer& item(const xla::buffers& of, std::int64_t i, const char* name);
/// Bytes of an element that has an order here.
std::size_t width_of(const xla::buffer& b);
std::size_t row_length(const xla::buffer& keys);
std::size_t row_count(const xla::buffer& keys);
std::size_t elements_of(const xla::buffer& b);
void need_same_shape(const xla::buffer& a, const xla::buffer& b);
/// The length of the last axis of results that are so many of each row of keys.
std::size_t count_of_each_row(const xla::buffer& keys, const xla::buffer& results);

/// Numbers of 32 or 64 bits along one axis.
const xla::buffer& offsets_of(const xla::call_frame& frame, std::int64_t argument, const char* name);
/// Segments whose begins are this argument; with `ranges` the next one are their ends.
segments segments_at(const xla::call_frame& frame, std::int64_t first, bool ranges);
/// A result of a routing, or of groups: numbers as wide as all others, and as many as are written.
void* numbers_of(const xla::call_frame& frame, std::int64_t result, std::size_t count, std::size_t index_bytes);

} // namespace sortile::python
