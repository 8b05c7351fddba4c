// The groups of a short array in one launch of one block: sort, search for groups and all outputs together. Plain C++;
// the idea is in short_groups_kernel.hpp.
#pragma once

#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// As find_groups_request, of keys as they came. No array overlaps another; all but the keys hold numbers of
/// index_bytes.
template <class Word>
struct short_groups_request {
  const Word* keys = nullptr;
  std::uint64_t n = 0; ///< 1 to short_groups_most(sizeof(Word))
  key_codec<Word> codec;
  unsigned index_bytes = 8; ///< 4 or 8
  Word* keys_out = nullptr;
  void* first = nullptr;
  void* counts = nullptr;
  void* offsets = nullptr; ///< n + 1
  void* order = nullptr;
  void* inverse = nullptr;
  std::uint64_t* groups = nullptr; ///< their number
};

/// Of keys of so many bytes. One block sorts so many as fast as a grid, whose blocks wait for each other.
constexpr std::uint64_t short_groups_most(std::size_t word) {
  return word <= 4 ? 4096 : word == 8 ? 2048 : 1365;
}

/// Asynchronous on the queue; needs no workspace.
template <class Word>
void short_groups(const simt::queue& q, const short_groups_request<Word>& request);

namespace detail {
inline constexpr unsigned short_groups_threads = 1024;
inline constexpr int short_groups_items = 4;
inline constexpr std::uint32_t short_groups_room = short_groups_threads * unsigned(short_groups_items);

template <class Backend, class Word>
SORTILE_LAUNCH void launch_short_groups(const simt::queue& q, const short_groups_request<Word>& request);
} // namespace detail

} // namespace sortile::kernels
