// The first k keys of each of many rows, in order, in one launch, for k up to a few thousand: a block a row, or a warp
// where rows and k are short. Plain C++; the idea is in select_rows_kernel.hpp.
#pragma once

#include "kernels/select/sample_groups.hpp"
#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// Of n < 2^31 - 1 keys a row. Results of row r begin at r · k.
template <class Word>
struct select_rows_request {
  const Word* keys = nullptr;
  std::uint64_t rows = 0, n = 0, stride = 0, k = 0; ///< k ≤ n ≤ stride
  key_codec<Word> codec;
  Word* keys_out = nullptr;      ///< null: not wanted
  void* positions_out = nullptr; ///< null: not wanted
  unsigned position_bytes = 0;   ///< 4 or 8
  bool positions_in_all = false; ///< positions count from the first row's beginning, else from that of their row
  bool nan_last = false;         ///< NaN behind all others in a descending order too; with whole keys
};

/// Whether blocks have the room for that. Then they nearly always read each row once.
bool select_rows_fits(std::size_t key_bytes, std::uint64_t n, std::uint64_t k);

/// Asynchronous on the queue; allocates nothing, needs no workspace.
template <class Word>
void select_rows(const simt::queue& q, const select_rows_request<Word>& request);

namespace detail {

/// What a block of the kernel has room for, and the sample that it takes.
struct select_rows_shape {
  static constexpr unsigned threads = 512;
  int items = 0; ///< candidates a thread
  constexpr std::uint32_t capacity() const { return threads * unsigned(items); }
  static constexpr select_rows_shape of(std::size_t key_bytes) {
    return {key_bytes <= 4 ? 16 : key_bytes == 8 ? 8 : 4};
  }
};
struct select_rows_sample {
  static constexpr std::uint32_t most = 4096;
  sample_groups of_row;   ///< no groups: none is taken, all keys are candidates
  bool in_groups = false; ///< the smallest of each group is searched, else all
  std::uint32_t rank = 0; ///< of the pivot, among these
  static select_rows_sample of(std::size_t key_bytes, std::uint64_t n, std::uint64_t k);
};

template <class Backend, class Word>
SORTILE_LAUNCH void launch_select_rows(const simt::queue& q, const select_rows_request<Word>& request,
                                       const select_rows_sample& sample);
} // namespace detail

} // namespace sortile::kernels
