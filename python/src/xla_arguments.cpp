#include "xla_arguments.hpp"

#include <sortile/error.hpp>

#include <algorithm>

namespace sortile::python {

namespace {

/// An attribute of 64-bit integers: a scalar, or an array.
template <class Value>
const Value& attribute_of(const xla::call_frame& frame, std::string_view name, int kind) {
  for (std::int64_t i = 0; i < frame.attrs.size; ++i) {
    const xla::text& found = *frame.attrs.names[i];
    const auto* const value = static_cast<const Value*>(frame.attrs.items[i]);
    if (std::string_view(found.data, found.length) == name && frame.attrs.kinds[i] == kind &&
        value->type == xla::data_type::s64)
      return *value;
  }
  throw invalid_argument("sortile: the custom call has no attribute " + std::string(name));
}

/// Whether the first `axes` axes are as long in both.
bool same_axes(const xla::buffer& a, const xla::buffer& b, std::int64_t axes) {
  return std::equal(a.dims, a.dims + axes, b.dims);
}

} // namespace

std::optional<key_type> key_type_of_xla(xla::data_type type) {
  switch (type) {
  case xla::data_type::pred:
  case xla::data_type::u8:
    return key_type::u8;
  case xla::data_type::u16:
    return key_type::u16;
  case xla::data_type::u32:
    return key_type::u32;
  case xla::data_type::u64:
    return key_type::u64;
  case xla::data_type::s8:
    return key_type::i8;
  case xla::data_type::s16:
    return key_type::i16;
  case xla::data_type::s32:
    return key_type::i32;
  case xla::data_type::s64:
    return key_type::i64;
  case xla::data_type::f16:
    return key_type::f16;
  case xla::data_type::bf16:
    return key_type::bf16;
  case xla::data_type::f32:
    return key_type::f32;
  case xla::data_type::f64:
    return key_type::f64;
  }
  return std::nullopt;
}

std::int64_t attribute(const xla::call_frame& frame, std::string_view name) {
  return *static_cast<const std::int64_t*>(attribute_of<xla::scalar>(frame, name, xla::scalar_kind).value);
}

std::vector<std::size_t> list_attribute(const xla::call_frame& frame, std::string_view name) {
  const xla::array& list = attribute_of<xla::array>(frame, name, xla::array_kind);
  const auto* const numbers = static_cast<const std::int64_t*>(list.data);
  return {numbers, numbers + list.size};
}

const xla::buffer& item(const xla::buffers& of, std::int64_t i, const char* name) {
  if (i >= of.size || of.kinds[i] != xla::buffer_kind)
    throw invalid_argument("sortile: the custom call has no " + std::string(name));
  return *static_cast<const xla::buffer*>(of.items[i]);
}

std::size_t width_of(const xla::buffer& b) {
  const std::optional<key_type> type = key_type_of_xla(b.type);
  if (!type)
    throw invalid_argument("sortile: XLA's data type " + std::to_string(static_cast<int>(b.type)) +
                           " has no order here, and does not travel");
  return key_bytes(*type);
}

void need_same_shape(const xla::buffer& a, const xla::buffer& b) {
  if (a.rank != b.rank || !same_axes(a, b, a.rank))
    throw invalid_argument("sortile: the arrays of the custom call differ in their shapes");
}

std::size_t count_of_each_row(const xla::buffer& keys, const xla::buffer& results) {
  if (keys.rank == 0 || keys.rank != results.rank || !same_axes(keys, results, keys.rank - 1))
    throw invalid_argument("sortile: the results of the custom call have another shape than the keys");
  return static_cast<std::size_t>(results.dims[results.rank - 1]);
}

std::size_t row_length(const xla::buffer& keys) {
  return keys.rank == 0 ? 1 : static_cast<std::size_t>(keys.dims[keys.rank - 1]);
}

std::size_t row_count(const xla::buffer& keys) {
  std::size_t rows = 1;
  for (std::int64_t i = 0; i + 1 < keys.rank; ++i)
    rows *= static_cast<std::size_t>(keys.dims[i]);
  return rows;
}

const xla::buffer& offsets_of(const xla::call_frame& frame, std::int64_t argument, const char* name) {
  const xla::buffer& found = item(frame.arguments, argument, name);
  const std::size_t width = width_of(found);
  if (found.rank != 1 || (width != 4 && width != 8) || is_float(*key_type_of_xla(found.type)))
    throw invalid_argument("sortile: the " + std::string(name) +
                           " of the custom call are no numbers of 32 or 64 bits along one axis");
  return found;
}

segments segments_at(const xla::call_frame& frame, std::int64_t first, bool ranges) {
  const xla::buffer& begins = offsets_of(frame, first, "begins");
  const auto given = static_cast<std::size_t>(begins.dims[0]);
  segments where{.form = segment_form::offsets,
                 .count = given == 0 ? 0 : given - 1,
                 .begins = begins.data,
                 .offset_bytes = width_of(begins)};
  if (ranges) {
    const xla::buffer& ends = offsets_of(frame, first + 1, "ends");
    need_same_shape(begins, ends);
    if (width_of(ends) != where.offset_bytes)
      throw invalid_argument("sortile: begins and ends of the custom call differ in their types");
    where.form = segment_form::ranges;
    where.count = given;
    where.ends = ends.data;
  }
  return where;
}

std::size_t elements_of(const xla::buffer& b) {
  return row_count(b) * row_length(b);
}

void* numbers_of(const xla::call_frame& frame, std::int64_t result, std::size_t count, std::size_t index_bytes) {
  const xla::buffer& found = item(frame.results, result, "result for numbers");
  if (width_of(found) != index_bytes || elements_of(found) != count)
    throw invalid_argument("sortile: result " + std::to_string(result) + " of the custom call has " +
                           std::to_string(elements_of(found)) + " elements of " + std::to_string(width_of(found)) +
                           " bytes; written are " + std::to_string(count) + " of " + std::to_string(index_bytes));
  return found.data;
}

} // namespace sortile::python
