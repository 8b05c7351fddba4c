// The groups of equal keys: how many there are, where each begins, its key, and the group of each key. Plain C++.
//
//   sorted keys            one read (find_groups_kernel.hpp)
//   few, as they came      sort, search and all outputs in one launch of one block (short_groups_kernel.hpp)
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
  const Word* keys = nullptr;
  std::uint64_t n = 0;    ///< at least 1
  bool are_sorted = true; ///< else n is short_groups_most(sizeof(Word)) at most
  key_codec<Word> codec;
  unsigned index_bytes = 8; ///< 4 or 8
  void* order = nullptr;    ///< positions of the keys in order: of sorted ones read, for `first` and `inverse`
  Word* keys_out = nullptr;
  void* first = nullptr;
  void* counts = nullptr;  ///< of sorted keys with offsets
  void* offsets = nullptr; ///< n + 1
  void* inverse = nullptr;
  std::uint64_t* groups = nullptr; ///< their number; written once, so that it may lie in pinned memory of the host
  void* workspace = nullptr;       ///< of sorted keys: find_groups_workspace_bytes(n), aligned to 128
};

std::size_t find_groups_workspace_bytes(std::uint64_t n);

/// Of keys of so many bytes. One block sorts so many as fast as a grid, whose blocks wait for each other.
constexpr std::uint64_t short_groups_most(std::size_t word) {
  return word <= 4 ? 4096 : word == 8 ? 2048 : 1365;
}

/// Asynchronous on the queue; allocates nothing.
template <class Word>
void find_groups(const simt::queue& q, const find_groups_request<Word>& request);

namespace detail {
inline constexpr unsigned find_groups_threads = 256, find_groups_items = 16;
inline constexpr std::size_t find_groups_number_bytes = 128;
inline constexpr std::uint64_t find_groups_tile = std::uint64_t{find_groups_threads} * find_groups_items;

inline constexpr unsigned short_groups_threads = 1024;
inline constexpr int short_groups_items = 4;
inline constexpr std::uint32_t short_groups_room = short_groups_threads * unsigned(short_groups_items);
} // namespace detail

} // namespace sortile::kernels
