// The groups of equal keys of a sorted array: how many there are, where each begins, its key, and the group of each
// key; in one read. Plain C++; the idea is in find_groups_kernel.hpp.
#pragma once

#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// Arrays in device memory, apart from each other. Outputs may be null: then they are not wanted. All but the keys hold
/// numbers of index_bytes.
template <class Word>
struct find_groups_request {
  const Word* sorted = nullptr;
  const void* order = nullptr; ///< the sorted keys' positions; for `first` and `inverse`
  std::uint64_t n = 0;         ///< at least 1
  key_codec<Word> codec;
  unsigned index_bytes = 8; ///< 4 or 8
  Word* keys_out = nullptr;
  void* first = nullptr;
  void* counts = nullptr;  ///< with offsets
  void* offsets = nullptr; ///< n + 1
  void* inverse = nullptr;
  std::uint64_t* groups = nullptr; ///< their number; written once, so that it may lie in pinned memory of the host
  void* workspace = nullptr;       ///< find_groups_workspace_bytes(n), aligned to 128
};

std::size_t find_groups_workspace_bytes(std::uint64_t n);

/// Asynchronous on the queue; allocates nothing.
template <class Word>
void find_groups(const simt::queue& q, const find_groups_request<Word>& request);

namespace detail {
inline constexpr unsigned find_groups_threads = 256, find_groups_items = 16;
inline constexpr std::size_t find_groups_number_bytes = 128;
inline constexpr std::uint64_t find_groups_tile = std::uint64_t{find_groups_threads} * find_groups_items;

template <class Backend, class Word>
SORTILE_LAUNCH void launch_find_groups(const simt::queue& q, const find_groups_request<Word>& request);
} // namespace detail

} // namespace sortile::kernels
