// The candidates for the first k of n keys, in the order of their positions: four launches, however large n is. A sort
// of the candidates, and write_first(), make the result of them. Plain C++; filter_kernel.hpp has the idea.
#pragma once

#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// Keys below a pivot, `candidates` at most, and as many as k keys that equal it, of which the first ones are missing
/// where the candidates are fewer than k. Arrays in device memory, apart from each other.
template <class Word>
struct filter_request {
  const Word* keys = nullptr;
  std::uint64_t n = 0, k = 0; ///< 0 < k ≤ n
  key_codec<Word> codec;

  std::uint64_t capacity = 0; ///< of the candidates, at least k
  Word* candidates = nullptr;
  Word* equals = nullptr;      ///< k of them
  unsigned position_bytes = 0; ///< of positions that come along: 0, 4 (n ≤ 2^32) or 8
  void* positions = nullptr;   ///< of the candidates
  void* equal_positions = nullptr;
  std::uint64_t* count = nullptr; ///< becomes the number of candidates

  void* workspace = nullptr; ///< filter_workspace_bytes(), aligned to 128
};

/// Room for the candidates of nearly all inputs.
std::uint64_t filter_capacity(std::size_t key_bytes, std::uint64_t n, std::uint64_t k);
std::uint64_t filter_sample(std::size_t key_bytes, std::uint64_t n);
std::size_t filter_workspace_bytes(std::size_t key_bytes, std::uint64_t n);

template <class Word>
void filter(const simt::queue& q, const filter_request<Word>& request);

/// The first k keys and their positions: sorted candidates, then keys that equal the pivot.
template <class Word>
struct write_first_request {
  std::uint64_t k = 0;
  const std::uint64_t* count = nullptr; ///< candidates
  const Word* candidates = nullptr;
  const Word* equals = nullptr;
  Word* keys_out = nullptr; ///< null: not wanted
  unsigned position_bytes = 0;
  const void* positions = nullptr;
  const void* equal_positions = nullptr;
  void* positions_out = nullptr;   ///< null: not wanted
  unsigned position_out_bytes = 0; ///< 4 or 8, not less than position_bytes
};
template <class Word>
void write_first(const simt::queue& q, const write_first_request<Word>& request);

namespace detail {

/// How an array is cut into tiles, and where everything lies in the workspace.
struct filter_shape {
  static constexpr unsigned threads = 256, thread_bytes = 128; ///< 32 keys a thread at most
  static constexpr std::uint64_t tile(std::size_t key_bytes) {
    return std::uint64_t{threads} * (key_bytes < 4 ? 32 : thread_bytes / key_bytes);
  }
  static constexpr unsigned digit_bits = 8; ///< of the search for the k-th key
  static constexpr unsigned bins = 1u << digit_bits;

  std::uint32_t tiles = 0; ///< with one more for an array that begins between multiples of 16 bytes
  std::size_t state = 0, histograms = 0, chain = 0, bytes = 0;
  filter_shape(std::size_t key_bytes, std::uint64_t n);
};

template <class Backend, class Word>
SORTILE_LAUNCH void launch_filter(const simt::queue& q, const filter_request<Word>& request);
template <class Backend, class Word>
SORTILE_LAUNCH void launch_write_first(const simt::queue& q, const write_first_request<Word>& request);

} // namespace detail
} // namespace sortile::kernels
