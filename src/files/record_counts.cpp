// See record_counts.hpp.
#include "files/record_counts.hpp"

#include "files/block_writer.hpp"
#include "files/failure.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace sortile::files {

namespace {

constexpr std::size_t block_records = std::size_t{1} << 14;
constexpr std::size_t places = 7;              // of a count in front of a line
constexpr std::size_t most_around_record = 24; // a count of 20 digits, what parts it from the record, a delimiter

char* put(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

// One record with its count, as far as its delimiter.
char* put_counted(std::string_view record, std::uint64_t count, const counted_form& form, char* to) {
  if (form.place == count_place::last_field)
    return put(put(to, record), {reinterpret_cast<const char*>(&count), sizeof count});
  char digits[20];
  const std::string_view number(digits, std::to_chars(digits, digits + sizeof digits, count).ptr - digits);
  if (form.place == count_place::in_front) {
    for (std::size_t i = number.size(); i < places; ++i)
      *to++ = ' ';
    to = put(to, number);
    *to++ = ' ';
    return put(to, record);
  }
  const bool carriage_return = record.ends_with('\r');
  record.remove_suffix(carriage_return ? 1 : 0);
  to = put(to, record);
  *to++ = form.separator;
  to = put(to, number);
  return carriage_return ? put(to, "\r") : to;
}

} // namespace

void append_counted(std::string_view record, std::uint64_t count, const counted_form& form, std::string& to) {
  const std::size_t before = to.size();
  to.resize(before + record.size() + most_around_record);
  to.resize(static_cast<std::size_t>(put_counted(record, count, form, to.data() + before) - to.data()));
}

void write_counted_records(const record_table& records, std::span<const std::uint32_t> ids,
                           std::span<const std::uint64_t> counts, const counted_form& form, output& to,
                           unsigned threads, const std::function<void(double)>& done) {
  write_blocks(
      to, threads, (ids.size() + block_records - 1) / block_records,
      [&](std::size_t block, block_buffer& buffer) {
        const std::size_t begin = block * block_records;
        const std::size_t end = std::min(ids.size(), begin + block_records);
        std::size_t most = 0;
        for (std::size_t i = begin; i < end; ++i)
          most += records[ids[i]].size() + most_around_record;
        char* const bytes = buffer.room(most);
        char* at = bytes;
        for (std::size_t i = begin; i < end; ++i) {
          at = put_counted(records[ids[i]], counts[i], form, at);
          if (records.gap != 0)
            *at++ = records.delimiter;
        }
        return std::string_view(bytes, static_cast<std::size_t>(at - bytes));
      },
      done);
}

std::string prologue_with_count(const csv_table& table) {
  if (table.header.empty())
    return table.prologue;
  if (std::find(table.names.begin(), table.names.end(), count_name) != table.names.end())
    refuse("{}: has a column '{}' already, which is the name that --count gives to its own", table.name(), count_name);
  std::string prologue = table.prologue;
  const std::size_t line_end = prologue.ends_with("\r\n") ? 2 : 1;
  prologue.insert(prologue.size() - line_end, table.dialect.separator + std::string(count_name));
  return prologue;
}

std::string descr_with_count(const npy_header& header, std::string_view file) {
  const std::string field = fmt::format("('{}', {})", count_name, npy_descr(key_type::u64));
  if (!header.structured)
    return fmt::format("[('key', {}), {}]", header.descr, field);
  for (const npy_field& each : header.fields)
    if (each.name == count_name)
      refuse("{}: has a field '{}' already, which is the name that --count gives to its own", file, count_name);
  const std::size_t last = header.descr.find_last_of(')');
  return fmt::format("{}, {}]", header.descr.substr(0, last + 1), field);
}

void write_counts(std::span<const std::uint64_t> counts, bool as_npy, output& to) {
  if (as_npy)
    to.write(make_npy_header(npy_descr(key_type::u64), counts.size()));
  to.write({reinterpret_cast<const char*>(counts.data()), counts.size_bytes()});
}

} // namespace sortile::files
