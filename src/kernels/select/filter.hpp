// The candidates for the first k of n keys, in the order of their positions: four launches, however large n is. Where
// candidates are up to some 16,000 the last of them ranks these, too, and writes the result; for more a sort and
// write_first() do. Plain C++; filter_kernel.hpp has the idea.
#pragma once

#include "kernels/select/row_numbers.hpp"
#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// Where the first k keys go, and their positions.
template <class Word>
struct first_keys {
  Word* keys = nullptr;        ///< null: not wanted
  void* positions = nullptr;   ///< null: not wanted
  unsigned position_bytes = 0; ///< 4 or 8, not less than those of candidates; 0 where they have none
  row_numbers results{};       ///< one: how many of k are written, where it is less
};

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

  bool finishes = false;   ///< the result is written: filter_finishes() must hold
  first_keys<Word> result; ///< then

  void* workspace = nullptr; ///< filter_workspace_bytes(), aligned to 128
};

/// What is sampled to choose the pivot: groups · each keys. The smallest of each group count, and the pivot is the one
/// of this rank among them (filter_pivot_kernels.hpp).
struct filter_sample {
  std::uint32_t groups = 0, each = 0, rank = 0;
  std::uint64_t expected = 0; ///< candidates
  std::uint64_t capacity = 0; ///< room for those of nearly all inputs, at least k
  std::uint64_t keys() const { return std::uint64_t{groups} * each; }

  /// Whether the candidates are so few that the filter's last launch ranks them, by comparing each with all.
  bool is_ranked(std::size_t key_bytes) const { return expected <= (key_bytes == 16 ? 8192u : 16384u); }
  /// Whether a filter of n keys leaves so little that what it costs is less than a sort of all takes.
  bool is_worth_it(std::uint64_t n) const { return capacity < n / 2; }

  /// The sample that needs the least room for its candidates. Where they are sorted, not ranked, the one that with them
  /// costs the least, of those that need up to 1.15 times as much, and less than what makes a filter worth it if any
  /// does. 0 < k ≤ n, n ≥ 1024.
  static filter_sample of(std::size_t key_bytes, std::uint64_t n, std::uint64_t k);
};
/// filter_sample::is_ranked of the sample that is chosen.
bool filter_finishes(std::size_t key_bytes, std::uint64_t n, std::uint64_t k);
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
  unsigned position_bytes = 0;
  const void* positions = nullptr;
  const void* equal_positions = nullptr;
  first_keys<Word> result;
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
  static constexpr unsigned finish_threads = 1024;
  static constexpr std::uint32_t most_groups(std::size_t key_bytes) { return key_bytes == 16 ? 8192 : 16384; }

  std::uint32_t tiles = 0;
  std::size_t state = 0, smallest = 0, histograms = 0, chain = 0, bytes = 0;
  filter_shape(std::size_t key_bytes, std::uint64_t n);
};

} // namespace detail
} // namespace sortile::kernels
