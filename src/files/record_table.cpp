// See record_table.hpp. Two passes over slices of the text: count the delimiters, then note them; both run on all
// threads.
#include "files/record_table.hpp"

#include "files/parallel.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace sortile::files {

namespace {

constexpr std::size_t table_slice_bytes = std::size_t{1} << 20;

} // namespace

record_table split_lines(std::string_view text, char delimiter, unsigned threads) {
  const slices parts(text.size(), threads, table_slice_bytes);
  std::vector<std::size_t> before(parts.count() + 1, 0); // delimiters before each slice
  parallel_for(threads, parts.count(), [&](std::size_t i) {
    before[i + 1] =
        static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(parts.begin(i)),
                                            text.begin() + static_cast<std::ptrdiff_t>(parts.end(i)), delimiter));
  });
  for (std::size_t i = 0; i < parts.count(); ++i)
    before[i + 1] += before[i];

  const bool open_end = !text.empty() && text.back() != delimiter;
  const std::size_t records = before.back() + (open_end ? 1 : 0);
  record_table table{.text = text, .delimiter = delimiter, .starts = raw_array<std::uint64_t>(records + 1)};
  table.starts[0] = 0;
  if (open_end)
    table.starts[records] = text.size() + 1;
  parallel_for(threads, parts.count(), [&](std::size_t i) {
    std::uint64_t* next = table.starts.data() + 1 + before[i];
    const char* at = text.data() + parts.begin(i);
    const char* const end = text.data() + parts.end(i);
    while (at != end &&
           (at = static_cast<const char*>(std::memchr(at, delimiter, static_cast<std::size_t>(end - at)))) != nullptr)
      *next++ = static_cast<std::uint64_t>(++at - text.data());
  });
  return table;
}

record_table split_evenly(std::string_view text, std::size_t record_bytes, unsigned threads) {
  constexpr std::size_t slice_records = std::size_t{1} << 16;
  const std::size_t n = text.size() / record_bytes;
  record_table table{.text = text.substr(0, n * record_bytes), .gap = 0, .starts = raw_array<std::uint64_t>(n + 1)};
  parallel_slices(threads, n + 1, slice_records, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      table.starts[i] = i * record_bytes;
  });
  return table;
}

} // namespace sortile::files
