// See record_write.hpp. The records lie anywhere in the text. Their starts are asked for ahead of time and noted for a
// block, so that its bytes, which are asked for in turn, need no second look at the starts: the two lookups for a
// record that is far ahead would stand in the way of the copies.
#include "files/record_write.hpp"

#include "files/block_writer.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace sortile::files {

namespace {

constexpr std::size_t most_block_records = std::size_t{1} << 14;
constexpr std::size_t usual_block_bytes = std::size_t{1} << 19;
constexpr std::size_t starts_ahead = 24;
constexpr std::size_t text_ahead = 24;
constexpr std::size_t cache_line = 64;

struct span_of_text {
  std::uint64_t begin;
  std::size_t size; // with the delimiter
};

// \return bytes of all
std::size_t find_records(const record_table& records, std::span<const std::uint32_t> ids, span_of_text* found) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i + starts_ahead < ids.size())
      records.starts.prefetch(ids[i + starts_ahead]);
    const std::uint64_t begin = records.starts[ids[i]];
    found[i] = {begin, records.starts[ids[i] + std::size_t{1}] - begin};
    size += found[i].size;
  }
  return size;
}

void prefetch_text(const char* begin, std::size_t size) {
  __builtin_prefetch(begin);
  if (size > cache_line)
    __builtin_prefetch(begin + cache_line);
}

void fill_block(const record_table& records, std::span<const span_of_text> found, char* to) {
  const char* const text = records.text.data();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i + text_ahead < found.size())
      prefetch_text(text + found[i + text_ahead].begin, found[i + text_ahead].size);
    const std::size_t size = found[i].size - records.gap; // the last delimiter may be missing in the text
    std::memcpy(to, text + found[i].begin, size);
    to += size;
    if (records.gap != 0)
      *to++ = records.delimiter;
  }
}

} // namespace

void write_records(const record_table& records, std::span<const std::uint32_t> ids, output& to, unsigned threads,
                   const std::function<void(double)>& done) {
  const std::size_t record_bytes = records.text.size() / std::max<std::size_t>(1, records.size()) + 1;
  const std::size_t block_records = std::clamp<std::size_t>(usual_block_bytes / record_bytes, 1, most_block_records);
  write_blocks(
      to, threads, (ids.size() + block_records - 1) / block_records,
      [&](std::size_t block, block_buffer& buffer) {
        const std::span<const std::uint32_t> part =
            ids.subspan(block * block_records, std::min(block_records, ids.size() - block * block_records));
        thread_local std::vector<span_of_text> found;
        found.resize(part.size());
        const std::size_t size = find_records(records, part, found.data());
        char* bytes = buffer.room(size);
        fill_block(records, found, bytes);
        return std::string_view(bytes, size);
      },
      done);
}

} // namespace sortile::files
