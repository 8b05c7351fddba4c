// See array_file.hpp.
#include "files/array_file.hpp"

#include "files/failure.hpp"
#include "files/npy.hpp"

#include <algorithm>
#include <bit>

namespace sortile::files {

namespace {

std::string field_names(const npy_header& header) {
  std::string names;
  for (const std::vector<npy_field>* fields : {&header.fields, &header.nested})
    for (const npy_field& field : *fields)
      if (field.can_be_ordered())
        names += (names.empty() ? "" : ", ") + field.name;
  return names.empty() ? "none" : names;
}

} // namespace

const npy_field& key_field(const npy_header& header, const std::string& wanted, std::string_view name) {
  const npy_field* found = wanted.empty() ? &header.fields.front() : nullptr;
  if (!wanted.empty() && !header.structured)
    fail(name, "the array has no fields, so that it cannot be ordered by '{}'", wanted);
  for (const std::vector<npy_field>* fields : {&header.fields, &header.nested})
    for (const npy_field& field : *fields)
      if (found == nullptr && field.name == wanted)
        found = &field;
  if (found == nullptr)
    fail(name, "the records have no field '{}' (fields that can be keys: {})", wanted, field_names(header));
  if (!found->can_be_ordered())
    fail(name, "{} cannot be ordered (allowed: i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8, b1, M8, m8, S, U{})",
         header.structured ? fmt::format("the field '{}' of dtype {}", found->name, found->descr)
                           : fmt::format("the dtype {}", found->descr),
         header.structured ? fmt::format("; fields that can be keys: {}, chosen with --key", field_names(header)) : "");
  return *found;
}

bool looks_like_npy(std::string_view bytes) {
  return bytes.starts_with(npy_magic);
}

array_file open_npy(const std::string& path, const std::string& field) {
  return open_npy(input(path), field);
}

array_layout layout_of(const npy_header& header, const std::string& field, std::string_view name) {
  const npy_field& key = key_field(header, field, name);
  if (!key.key)
    fail(name, "the dtype {} is no key of the library's", key.descr);
  const bool other_order = key.big_endian == (std::endian::native == std::endian::little);
  return {.key = *key.key,
          .swapped = other_order && key.bytes > 1,
          .key_offset = key.offset,
          .record_bytes = header.record_bytes};
}

array_file open_npy(input source, const std::string& field, npy_axes axes) {
  const npy_header header = parse_npy(source.bytes(), source.name(), axes);
  const array_layout layout = layout_of(header, field, source.name());
  array_file file{
      .source = std::move(source), .layout = layout, .count = header.count, .header = {}, .data = {}, .descr = {}};
  file.header = file.source.bytes().substr(0, header.data_offset);
  file.data = file.source.bytes().substr(header.data_offset);
  file.descr = header.descr;
  file.shape = header.shape;
  file.axes_reversed = header.fortran_order;
  if (file.axes_reversed)
    std::reverse(file.shape.begin(), file.shape.end());
  return file;
}

array_file open_raw(const std::string& path, key_type type) {
  return open_raw(input(path), type);
}

array_layout layout_of(key_type type) {
  return {.key = type, .swapped = false, .key_offset = 0, .record_bytes = key_bytes(type)};
}

array_file array_of(const array_layout& layout, std::string_view data) {
  return {.source = {},
          .layout = layout,
          .count = data.size() / layout.record_bytes,
          .header = {},
          .data = data,
          .descr = {}};
}

void need_whole_keys(key_type type, std::uint64_t bytes, std::string_view name) {
  if (bytes % key_bytes(type) != 0)
    fail(name, "{} bytes are no whole number of {} keys of {} bytes ({} bytes are left over)", bytes,
         sortile::name(type), key_bytes(type), bytes % key_bytes(type));
}

array_file open_raw(input source, key_type type) {
  array_file file{.source = std::move(source), .layout = {}, .count = 0, .header = {}, .data = {}, .descr = {}};
  const std::size_t size = file.source.bytes().size();
  need_whole_keys(type, size, file.name());
  file.layout = layout_of(type);
  file.count = size / key_bytes(type);
  file.data = file.source.bytes();
  return file;
}

values_layout layout_of_values(std::string_view begin, std::string_view name,
                               std::optional<std::size_t> element_bytes) {
  if (!looks_like_npy(begin)) {
    if (!element_bytes)
      fail(name, "the type of raw values must be said (--values-type u32, or a number of bytes)");
    return {*element_bytes, {}};
  }
  npy_header header = parse_npy_header(begin, name);
  if (element_bytes && *element_bytes != header.record_bytes)
    fail(name, "its elements have {} bytes, not {} as the values' type says", header.record_bytes, *element_bytes);
  return {header.record_bytes, std::move(header)};
}

values_file open_values(input source, std::optional<std::size_t> element_bytes) {
  const values_layout layout = layout_of_values(source.bytes(), source.name(), element_bytes);
  values_file file{
      .source = std::move(source), .element_bytes = layout.element_bytes, .count = 0, .header = {}, .data = {}};
  const std::string_view bytes = file.source.bytes();
  file.header = bytes.substr(0, layout.npy ? layout.npy->data_offset : 0);
  file.data = bytes.substr(file.header.size());
  if (layout.npy)
    need_whole_array(*layout.npy, file.data.size(), file.source.name());
  else if (file.data.size() % layout.element_bytes != 0)
    fail(file.source.name(), "{} bytes are no whole number of values of {} bytes", bytes.size(), layout.element_bytes);
  file.count = layout.npy ? layout.npy->count : file.data.size() / layout.element_bytes;
  return file;
}

} // namespace sortile::files
