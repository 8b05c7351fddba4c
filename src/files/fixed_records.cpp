// See fixed_records.hpp.
#include "files/fixed_records.hpp"

#include "files/failure.hpp"
#include "files/parallel.hpp"

#include <bit>
#include <utility>

namespace sortile::files {

namespace {

using form = key_part::form;

// A field and its direction: NAME[:asc|:desc].
struct field_choice {
  std::string name;
  bool descending;
};

field_choice parse_field_choice(const std::string& text, bool reverse) {
  for (const std::string_view word : {":asc", ":desc"})
    if (text.ends_with(word))
      return {text.substr(0, text.size() - word.size()), word == ":desc"};
  return {text, reverse};
}

fixed_records cut(input source, std::size_t header_bytes, std::size_t record_bytes, unsigned threads) {
  fixed_records file{
      .source = std::move(source), .header = {}, .descr = {}, .record_bytes = record_bytes, .records = {}, .order = {}};
  const std::string_view bytes = file.source.bytes();
  const std::string_view data = bytes.substr(header_bytes);
  file.header = bytes.substr(0, header_bytes);
  need_whole_records(file.name(), header_bytes, data.size(), record_bytes);
  file.records = split_evenly(data, record_bytes, threads);
  return file;
}

} // namespace

key_part part_of(const npy_field& field, bool reverse) {
  key_part part{.where = key_part::place::range, .reverse = reverse};
  part.binary = {.offset = field.offset, .bytes = field.bytes, .big_endian = field.big_endian};
  switch (field.what) {
  case npy_field::kind::bytes:
    part.as = form::bytes;
    break;
  case npy_field::kind::characters:
    part.as = form::code_points;
    break;
  default:
    part.as = form::value;
    part.binary.type = field.key.value_or(key_type::i64);
    part.binary.smallest_last = field.what == npy_field::kind::time;
  }
  return part;
}

record_order order_of_ranges(std::size_t record_bytes, const std::vector<std::string>& keys, bool reverse) {
  record_order order;
  for (const std::string& text : keys) {
    const range_key key = parse_range_key(text);
    if (key.offset > record_bytes || key.bytes > record_bytes - key.offset)
      refuse("--key {}: reaches beyond the record's {} bytes", text, record_bytes);
    key_part part{.where = key_part::place::range,
                  .as = key.type ? form::value : form::bytes,
                  .reverse = key.descending.value_or(reverse)};
    part.binary = {.offset = key.offset,
                   .bytes = key.bytes,
                   .type = key.type.value_or(key_type::u8),
                   .big_endian = key.big_endian.value_or(false)};
    order.push_back(part);
  }
  if (order.empty()) {
    order.push_back({.where = key_part::place::range, .as = form::bytes, .reverse = reverse});
    order.back().binary = {.offset = 0, .bytes = record_bytes};
  }
  return order;
}

fixed_records open_records(input source, std::size_t record_bytes, const std::vector<std::string>& keys, bool reverse,
                           unsigned threads) {
  record_order order = order_of_ranges(record_bytes, keys, reverse);
  fixed_records file = cut(std::move(source), 0, record_bytes, threads);
  file.order = std::move(order);
  return file;
}

record_order order_of_fields(const npy_header& header, const std::vector<std::string>& keys, bool reverse,
                             std::string_view name) {
  record_order order;
  for (const std::string& key : keys.empty() ? std::vector<std::string>{""} : keys) {
    const field_choice choice = parse_field_choice(key, reverse);
    order.push_back(part_of(key_field(header, choice.name, name), choice.descending));
  }
  return order;
}

record_order order_of_keys(const array_layout& layout, const options& opts) {
  key_part key{
      .where = key_part::place::range, .as = key_part::form::value, .reverse = opts.order == order::descending};
  key.binary = {.offset = layout.key_offset,
                .bytes = layout.key_size(),
                .type = layout.key,
                .big_endian = layout.swapped == (std::endian::native == std::endian::little),
                .bits_begin = opts.bits.begin,
                .bits_end = opts.bits.end};
  return {key};
}

fixed_records as_records(array_file array, const options& opts) {
  const std::size_t bytes = array.layout.record_bytes;
  return {.source = std::move(array.source),
          .header = array.header,
          .descr = std::move(array.descr),
          .record_bytes = bytes,
          .records = split_evenly(array.data, bytes, thread_count(opts.threads)),
          .order = order_of_keys(array.layout, opts)};
}

void need_whole_records(std::string_view name, std::uint64_t header_bytes, std::uint64_t data_bytes,
                        std::size_t record_bytes) {
  if (const std::uint64_t rest = data_bytes % record_bytes; rest != 0)
    fail(name, "{} bytes are no whole number of records of {} bytes ({} bytes are left over, from offset {} on)",
         data_bytes, record_bytes, rest, header_bytes + data_bytes - rest);
}

fixed_records open_npy_records(input source, const std::vector<std::string>& keys, bool reverse, unsigned threads) {
  const npy_header header = parse_npy(source.bytes(), source.name());
  record_order order = order_of_fields(header, keys, reverse, source.name());
  fixed_records file = cut(std::move(source), header.data_offset, header.record_bytes, threads);
  file.order = std::move(order);
  file.descr = header.descr;
  return file;
}

bool needs_records(std::string_view bytes, std::string_view name, const std::vector<std::string>& keys) {
  const npy_header header = parse_npy_header(bytes, name);
  if (keys.size() > 1)
    return true;
  const field_choice choice = parse_field_choice(keys.empty() ? "" : keys[0], false);
  return !key_field(header, choice.name, name).key || (!keys.empty() && choice.name != keys[0]);
}

} // namespace sortile::files
