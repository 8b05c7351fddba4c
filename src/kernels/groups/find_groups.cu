// Launches the search for groups.
#include "kernels/clear_words.hpp"
#include "kernels/groups/find_groups_kernel.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

template <class Index, class Word>
void launch_as(const simt::queue& q, const find_groups_request<Word>& r) {
  using kernel = find_groups_kernel<Word, Index>;
  const auto tiles = std::uint32_t((r.n + detail::find_groups_tile - 1) / detail::find_groups_tile);
  std::uint64_t* const number = r.counts == nullptr ? r.groups : static_cast<std::uint64_t*>(r.workspace);
  void* const chain = static_cast<std::byte*>(r.workspace) + detail::find_groups_number_bytes;
  clear(q, chain, kernel::chain::bytes(tiles));
  const auto numbers = [](void* at, std::uint64_t count) {
    return simt::global<Index>{static_cast<Index*>(at), at == nullptr ? 0 : count};
  };
  simt::launch(q, {.grid = tiles},
               kernel{.sorted = {r.sorted, r.n},
                      .order = {static_cast<const Index*>(r.order), r.order == nullptr ? 0 : r.n},
                      .keys_out = {r.keys_out, r.keys_out == nullptr ? 0 : r.n},
                      .first = numbers(r.first, r.n),
                      .offsets = numbers(r.offsets, r.n + 1),
                      .inverse = numbers(r.inverse, r.n),
                      .groups = {number, 1},
                      .tiles_before = {chain, tiles},
                      .n = r.n,
                      .codec = r.codec,
                      .tiles = tiles,
                      .writes_keys = r.keys_out != nullptr,
                      .writes_first = r.first != nullptr,
                      .writes_offsets = r.offsets != nullptr,
                      .writes_inverse = r.inverse != nullptr});
  if (r.counts == nullptr)
    return;
  using counter = count_groups_kernel<Index>;
  constexpr std::uint64_t most_blocks = 2048;
  const std::uint64_t blocks = (r.n + counter::block_threads - 1) / counter::block_threads;
  simt::launch(q, {.grid = unsigned(std::min(blocks, most_blocks))},
               counter{.offsets = {static_cast<const Index*>(r.offsets), r.n + 1},
                       .groups = {number, 1},
                       .groups_out = {r.groups, 1},
                       .counts = numbers(r.counts, r.n)});
}

template <class Word>
void launch(const simt::queue& q, const find_groups_request<Word>& r) {
  if (r.index_bytes == 4)
    launch_as<std::uint32_t>(q, r);
  else
    launch_as<std::uint64_t>(q, r);
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

namespace sortile::kernels::detail {

#define SORTILE_FIND_GROUPS(WORD)                                                                                      \
  template <>                                                                                                          \
  void launch_find_groups<simt::this_backend, WORD>(const simt::queue& q, const find_groups_request<WORD>& r) {        \
    launch(q, r);                                                                                                      \
  }
SORTILE_FIND_GROUPS(std::uint8_t)
SORTILE_FIND_GROUPS(std::uint16_t)
SORTILE_FIND_GROUPS(std::uint32_t)
SORTILE_FIND_GROUPS(std::uint64_t)
SORTILE_FIND_GROUPS(uint128)
#undef SORTILE_FIND_GROUPS

} // namespace sortile::kernels::detail
