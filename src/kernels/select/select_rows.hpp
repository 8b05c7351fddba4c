// The first k keys of each of many rows, in order, in one launch, for k up to a few thousand: a block a row, or a warp
// where rows and k are short. Plain C++; the idea is in select_rows_kernel.hpp.
#pragma once

#include "kernels/select/row_numbers.hpp"
#include "kernels/select/sample_groups.hpp"
#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <sortile/segments.hpp>

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// Of n < 2^31 - 1 keys a row. Results of row r begin at r · k. Or of segments that `where` says, of form offsets or
/// ranges, of an array of n < 2^31 - 1 keys: segment r is row r then, and its results are min(k, its length).
template <class Word>
struct select_rows_request {
  const Word* keys = nullptr;
  std::uint64_t rows = 0, n = 0, stride = 0, k = 0; ///< k ≤ n ≤ stride, unless there are segments
  key_codec<Word> codec;
  Word* keys_out = nullptr;      ///< null: not wanted
  void* positions_out = nullptr; ///< null: not wanted
  unsigned position_bytes = 0;   ///< 4 or 8
  bool positions_in_all = false; ///< positions count from the first row's beginning, else from that of their row
  row_numbers results{};         ///< of each row, where it has less than k; those behind stay as they are
  segments where{};              ///< no count: rows of one length
  bool nan_last = false;         ///< NaN behind all others in a descending order too; with whole keys
};

/// Whether blocks have the room for that. Then they nearly always read each row once.
bool select_rows_fits(std::size_t key_bytes, std::uint64_t n, std::uint64_t k);
/// The same of segments of such an array. A long one of which nearly as much is wanted as there is room for is read
/// some times.
bool select_segments_fit(std::size_t key_bytes, std::uint64_t n, std::uint64_t k);

/// Asynchronous on the queue; allocates nothing, needs no workspace.
template <class Word>
void select_rows(const simt::queue& q, const select_rows_request<Word>& request);

namespace detail {

/// What a block of the kernel has room for, and the sample that it takes.
struct select_rows_shape {
  static constexpr unsigned threads = 512;
  int items = 0; ///< candidates a thread
  SORTILE_HOST_DEVICE constexpr std::uint32_t capacity() const { return threads * unsigned(items); }
  static SORTILE_HOST_DEVICE constexpr select_rows_shape of(std::size_t key_bytes) {
    return {key_bytes <= 4 ? 16 : key_bytes == 8 ? 8 : 4};
  }
};
struct select_rows_sample {
  static constexpr std::uint32_t most = 4096;
  sample_groups of_row;   ///< no groups: none is taken, all keys are candidates
  bool in_groups = false; ///< the smallest of each group is searched, else all
  std::uint32_t rank = 0; ///< of the pivot, among these
  static SORTILE_HOST_DEVICE constexpr select_rows_sample of(std::size_t key_bytes, std::uint32_t n, std::uint32_t k);
};

/// primitives::sample_rank_behind(), for kernels too: 5 √(p (1 − p / m)) as the root of 25 times that.
SORTILE_HOST_DEVICE constexpr std::uint32_t rank_behind(std::uint32_t k, std::uint32_t n, std::uint32_t m) {
  const auto p = std::uint32_t(std::uint64_t{k} * m / n);
  const std::uint32_t square = 25 * (std::uint32_t(std::uint64_t{p} * (m - p) / m));
  std::uint32_t root = 0;
  for (std::uint32_t bit = 1u << 9; bit > 0; bit /= 2) // m is up to 4096
    if (const std::uint32_t more = root | bit; more * more <= square)
      root = more;
  const std::uint32_t rank = p + root + 6;
  return rank < m ? rank : m - 1;
}

constexpr select_rows_sample select_rows_sample::of(std::size_t key_bytes, std::uint32_t n, std::uint32_t k) {
  constexpr std::uint32_t all_below = 1024, large_from = 65536;
  constexpr std::uint32_t groups = select_rows_shape::threads; // one for each thread, unless many keys lie below
  if (n <= all_below)
    return {};
  const std::uint32_t m = n >= large_from ? most : most / 4, rank = rank_behind(k, n, m);
  const bool saves = rank < m - m / 4, grouped = rank < groups / 4;
  if (!saves && n <= select_rows_shape::of(key_bytes).capacity())
    return {};
  return {{groups, m / groups}, grouped, rank};
}
} // namespace detail

} // namespace sortile::kernels
