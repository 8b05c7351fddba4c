// The launches of one pass of merges, of equal runs (merge_sort.hpp) or of a list (merge_list.hpp).
#pragma once

#include "kernels/any_order/border_kernels.hpp"
#include "kernels/any_order/launch_here.hpp"
#include "kernels/any_order/merge_kernel.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Queues one pass of merges, to `merged` or, the last one, to the caller's arrays.
template <class Arrays, class Runs, class Less>
void launch_merges(const simt::queue& q, const merge_layout<typename Runs::lengths>& layout, unsigned threads,
                   const Runs& runs, const merge_words& words, simt::global<typename Arrays::element> merged,
                   bool is_last, const Arrays& arrays, const by_key<Less>& less) {
  using shape = sort_shape<typename Arrays::element>;
  const std::uint64_t places = layout.all_slabs * most_ways;
  const simt::global<std::uint32_t> unusable{words.unusable, layout.groups};
  const slab_borders<std::uint64_t> found{{words.borders, places}};
  const auto keys = keys_of(runs);
  using keys_type = decltype(keys_of(runs));
  simt::launch(q, {.grid = static_cast<unsigned>(layout.all_chunks), .block = layout.ways * simt::warp_size},
               slab_border_kernel<keys_type, Less>{
                   .runs = keys, .layout = layout, .borders = found, .unusable = unusable, .less = less});
  const unsigned capacity = shape::of_bytes.slab_capacity(threads, layout.ways);
  const slab_borders<const std::uint64_t> borders{{words.borders, places}};
  using check = slab_check_kernel<typename Runs::lengths>;
  simt::launch(q, {.grid = static_cast<unsigned>(pieces_of(layout.all_slabs, check::block_threads))},
               check{.layout = layout, .capacity = capacity, .borders = borders, .unusable = unusable});
  using merge = slab_merge_kernel<Arrays, Runs, Less>;
  launch_here(q,
              {.grid = static_cast<unsigned>(layout.all_slabs),
               .block = threads,
               .dynamic_shared = merge::dynamic_bytes(capacity)},
              merge{.runs = runs,
                    .layout = layout,
                    .borders = borders,
                    .unusable = unusable,
                    .merged = merged,
                    .is_last = is_last,
                    .arrays = arrays,
                    .less = less,
                    .capacity = capacity});
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
