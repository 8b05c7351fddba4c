// Zeroes memory in the order of a queue, on either backend: status words before their first launch, counters.
#pragma once

#include "simt/simt.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// By the whole grid.
SORTILE_DEVICE void zero_words(const simt::global<std::uint64_t>& words, std::uint64_t count) {
  const auto stride = std::uint64_t{simt::grid_size()} * simt::block_size();
  for (auto i = std::uint64_t{simt::block_index()} * simt::block_size() + simt::thread_index(); i < count; i += stride)
    words[i] = 0;
}

struct clear_words {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;
  simt::global<std::uint64_t> words;
  std::uint64_t count;

  SORTILE_DEVICE void operator()() const { zero_words(words, count); }
};

/// `bytes`, a multiple of 8, from `memory` on, which is aligned to 8.
inline void clear(const simt::queue& q, void* memory, std::size_t bytes) {
  const std::uint64_t count = bytes / sizeof(std::uint64_t);
  if (count == 0)
    return;
  const auto blocks =
      unsigned(std::min<std::uint64_t>((count + clear_words::block_threads - 1) / clear_words::block_threads, 1024));
  simt::launch(q, {.grid = blocks}, clear_words{{static_cast<std::uint64_t*>(memory), count}, count});
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
