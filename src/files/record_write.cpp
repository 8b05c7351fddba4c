// See record_write.hpp. The records lie anywhere in the text: their starts, then their bytes, are asked for ahead of
// time.
#include "files/record_write.hpp"

#include "files/block_writer.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::files {

namespace {

constexpr std::size_t most_block_records = std::size_t{1} << 14;
constexpr std::size_t usual_block_bytes = std::size_t{1} << 19;
constexpr std::size_t starts_ahead = 24;
constexpr std::size_t text_ahead = 12;

std::size_t block_size(const record_table& records, std::span<const std::uint32_t> ids) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i + starts_ahead < ids.size())
      records.starts.prefetch(ids[i + starts_ahead]);
    size += records.starts[ids[i] + std::size_t{1}] - records.starts[ids[i]];
  }
  return size;
}

void fill_block(const record_table& records, std::span<const std::uint32_t> ids, char* to) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i + text_ahead < ids.size())
      __builtin_prefetch(records.text.data() + records.starts[ids[i + text_ahead]]);
    const std::string_view record = records[ids[i]];
    std::memcpy(to, record.data(), record.size());
    to += record.size();
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
        const std::size_t size = block_size(records, part);
        char* bytes = buffer.room(size);
        fill_block(records, part, bytes);
        return std::string_view(bytes, size);
      },
      done);
}

} // namespace sortile::files
