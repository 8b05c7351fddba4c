// Launches the search for groups.
#include "kernels/clear_words.hpp"
#include "kernels/groups/find_groups_kernel.hpp"
#include "kernels/groups/short_groups_kernel.hpp"
#include "kernels/send.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

template <class Index, class Word>
void launch_sorted(const simt::queue& q, const find_groups_request<Word>& r) {
  using kernel = find_groups_kernel<Word, Index>;
  const auto tiles = std::uint32_t((r.n + detail::find_groups_tile - 1) / detail::find_groups_tile);
  std::uint64_t* const number = r.counts == nullptr ? r.groups : static_cast<std::uint64_t*>(r.workspace);
  void* const chain = static_cast<std::byte*>(r.workspace) + detail::find_groups_number_bytes;
  clear(q, chain, kernel::chain::bytes(tiles));
  simt::launch(q, {.grid = tiles},
               kernel{.sorted = {r.keys, r.n},
                      .of_groups = group_arrays<Word, Index>::of(r),
                      .groups = {number, 1},
                      .tiles_before = {chain, tiles},
                      .n = r.n,
                      .codec = r.codec,
                      .tiles = tiles});
  if (r.counts == nullptr)
    return;
  using counter = count_groups_kernel<Index>;
  constexpr std::uint64_t most_blocks = 2048;
  const std::uint64_t blocks = (r.n + counter::block_threads - 1) / counter::block_threads;
  simt::launch(q, {.grid = unsigned(std::min(blocks, most_blocks))},
               counter{.offsets = {static_cast<const Index*>(r.offsets), r.n + 1},
                       .groups = {number, 1},
                       .groups_out = {r.groups, 1},
                       .counts = {static_cast<Index*>(r.counts), r.n}});
}

template <class Index, class Word>
void launch_short(const simt::queue& q, const find_groups_request<Word>& r) {
  simt::launch(q, {.grid = 1},
               short_groups_kernel<Word, Index>{.keys = {r.keys, r.n},
                                                .of_groups = group_arrays<Word, Index>::of(r),
                                                .groups = {r.groups, 1},
                                                .codec = r.codec,
                                                .n = std::uint32_t(r.n)});
}

template <class Index, class Word>
void launch_indexed(const simt::queue& q, const find_groups_request<Word>& r) {
  if (r.are_sorted)
    launch_sorted<Index>(q, r);
  else
    launch_short<Index>(q, r);
}

template <class Word>
void launch(const simt::queue& q, const find_groups_request<Word>& r) {
  if (r.index_bytes == 4)
    launch_indexed<std::uint32_t>(q, r);
  else
    launch_indexed<std::uint64_t>(q, r);
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

SORTILE_EACH_WORD(SORTILE_LAUNCHES, find_groups_request, launch)
