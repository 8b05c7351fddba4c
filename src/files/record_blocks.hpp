// Writes records of one size that are made block by block.
#pragma once

#include "files/block_writer.hpp"

#include <algorithm>
#include <cstddef>

namespace sortile::files {

inline constexpr std::size_t block_bytes = std::size_t{1} << 20;

/// Appends `count` records of `record_bytes`; fill(begin, end, to) makes records [begin, end) at `to`, on any thread.
template <class Fill>
void write_fixed_records(output& to, unsigned threads, std::size_t count, std::size_t record_bytes, Fill&& fill,
                         const std::function<void(double)>& done = {}) {
  const std::size_t per_block = std::max<std::size_t>(1, block_bytes / record_bytes);
  write_blocks(
      to, threads, count / per_block + (count % per_block != 0),
      [&](std::size_t block, block_buffer& buffer) {
        const std::size_t begin = block * per_block;
        const std::size_t end = std::min(count, begin + per_block);
        char* bytes = buffer.room((end - begin) * record_bytes);
        fill(begin, end, bytes);
        return std::string_view(bytes, (end - begin) * record_bytes);
      },
      done);
}

} // namespace sortile::files
