// Launches a planned scan; included by the .cu files, one for each operator.
#pragma once

#include "kernels/clear_words.hpp"
#include "kernels/scan/scan_kernel.hpp"
#include "kernels/scan/scan_launch.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Op, class T>
void launch_scan(const simt::queue& q, const detail::scan_plan<T>& p) {
  using cut = detail::scan_cut<T>;
  using kernel = scan_kernel<T, Op, scan_tuning<cut::threads, cut::vectors, cut::min_blocks>>;
  static_assert(kernel::tile_items == detail::scan_tile_items<T>);
  using chain = primitives::look_back_chain<T>;
  if (!p.prepared)
    clear(q, p.workspace, chain::bytes(p.tiles));
  simt::launch(q, {.grid = p.tiles},
               kernel{.in = {p.in, p.n},
                      .out = {p.out, p.n},
                      .n = p.n,
                      .chain = chain(p.workspace, p.prepared ? p.capacity : p.tiles),
                      .initial = p.initial,
                      .tiles = p.tiles,
                      .lead = p.lead,
                      .vectors_allowed = p.vectors_allowed,
                      .streamed = p.streamed,
                      .exclusive = p.exclusive});
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
