// See record_table.hpp. Two passes over slices of the text: count the delimiters, then note them; both run on all
// threads. Who reads a text in pieces has counted them already.
#include "files/record_table.hpp"

#include "files/parallel.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace sortile::files {

namespace {

constexpr std::size_t table_slice_bytes = std::size_t{1} << 20;

} // namespace

std::size_t count_bytes(std::string_view text, char wanted) {
  constexpr std::size_t lanes = 64;   // counters of a byte, which the compiler makes vectors of
  constexpr std::size_t rounds = 255; // until one may be full
  std::size_t sum = 0;
  while (text.size() >= lanes) {
    std::array<std::uint8_t, lanes> found{};
    const std::size_t blocks = std::min(rounds, text.size() / lanes);
    for (std::size_t block = 0; block < blocks; ++block)
      for (std::size_t i = 0; i < lanes; ++i)
        found[i] = static_cast<std::uint8_t>(found[i] + (text[block * lanes + i] == wanted ? 1 : 0));
    sum = std::accumulate(found.begin(), found.end(), sum);
    text.remove_prefix(blocks * lanes);
  }
  return sum + static_cast<std::size_t>(std::count(text.begin(), text.end(), wanted));
}

record_table split_lines(std::string_view text, char delimiter, unsigned threads) {
  const slices parts(text.size(), threads, table_slice_bytes);
  std::vector<record_mark> marks(parts.count());
  parallel_for(threads, parts.count(), [&](std::size_t i) {
    const std::string_view part = text.substr(parts.begin(i), parts.end(i) - parts.begin(i));
    marks[i] = {parts.begin(i) + part.rfind(delimiter) + 1, count_bytes(part, delimiter)};
  });
  std::erase_if(marks, [](const record_mark& mark) { return mark.records == 0; });
  for (std::size_t i = 1; i < marks.size(); ++i)
    marks[i].records += marks[i - 1].records;
  return split_lines(text, delimiter, marks, threads);
}

record_table split_lines(std::string_view text, char delimiter, std::span<const record_mark> marks, unsigned threads) {
  const record_mark all = marks.empty() ? record_mark{} : marks.back();
  const bool open_end = all.bytes != text.size();
  record_table table{
      .text = text, .delimiter = delimiter, .starts = record_starts(all.records + (open_end ? 2 : 1), text.size() + 1)};
  table.starts.set(0, 0);
  if (open_end)
    table.starts.set(all.records + 1, text.size() + 1);
  parallel_slices(threads, marks.size(), 1, [&](std::size_t begin, std::size_t end) {
    const record_mark before = begin == 0 ? record_mark{} : marks[begin - 1];
    std::size_t record = before.records;
    for (std::size_t at = before.bytes; at != marks[end - 1].bytes; table.starts.set(++record, at))
      at = text.find(delimiter, at) + 1;
  });
  return table;
}

record_table split_evenly(std::string_view text, std::size_t record_bytes, unsigned threads) {
  constexpr std::size_t slice_records = std::size_t{1} << 16;
  const std::size_t n = text.size() / record_bytes;
  record_table table{
      .text = text.substr(0, n * record_bytes), .gap = 0, .starts = record_starts(n + 1, n * record_bytes)};
  parallel_slices(threads, n + 1, slice_records, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      table.starts.set(i, i * record_bytes);
  });
  return table;
}

} // namespace sortile::files
