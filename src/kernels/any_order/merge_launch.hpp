// The launches of one pass of merges, of equal runs (merge_sort.hpp) or of a list (merge_list.hpp).
#pragma once

#include "kernels/any_order/border_kernels.hpp"
#include "kernels/any_order/launch_here.hpp"
#include "kernels/any_order/merge_kernel.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// The words of a merge that lie in the workspace.
struct merge_words {
  std::uint64_t* borders;
  std::uint32_t* unusable;
};

/// Queues one pass of merges, to `merged` or, the last one, to the caller's arrays.
template <class Arrays, class Runs, class Less>
void launch_merges(const simt::queue& q, const merge_layout<typename Runs::lengths>& layout, unsigned threads,
                   const Runs& runs, const merge_words& words, simt::global<typename Arrays::element> merged,
                   bool is_last, const Arrays& arrays, const by_key<Less>& less) {
  using shape = sort_shape<typename Arrays::element>;
  const std::uint64_t places = layout.all_slabs * most_ways;
  const simt::global<std::uint32_t> unusable{words.unusable, layout.groups};
  simt::launch(
      q, {.grid = static_cast<unsigned>(layout.all_chunks), .block = layout.ways * simt::warp_size},
      slab_border_kernel<Runs, Less>{
          .runs = runs, .layout = layout, .borders = {{words.borders, places}}, .unusable = unusable, .less = less});
  const slab_borders<const std::uint64_t> borders{{words.borders, places}};
  using check = slab_check_kernel<typename Runs::lengths>;
  simt::launch(q, {.grid = static_cast<unsigned>(pieces_of(layout.all_slabs, check::block_threads))},
               check{.layout = layout,
                     .capacity = shape::of_bytes.slab_capacity(threads),
                     .borders = borders,
                     .unusable = unusable});
  launch_here(q, {.grid = static_cast<unsigned>(layout.all_slabs), .block = threads},
              slab_merge_kernel<Arrays, Runs, Less>{.runs = runs,
                                                    .layout = layout,
                                                    .borders = borders,
                                                    .unusable = unusable,
                                                    .merged = merged,
                                                    .is_last = is_last,
                                                    .arrays = arrays,
                                                    .less = less});
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
