// Launches a planned scan; included by the .cu files, one for each operator.
#pragma once

#include "kernels/clear_words.hpp"
#include "kernels/scan/resident_scan_kernel.hpp"
#include "kernels/scan/scan.hpp"
#include "kernels/scan/scan_kernel.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// The chain of a launch of so many tiles, cleared where nobody has prepared it.
template <class T>
primitives::look_back_chain<T> chain_for(const simt::queue& q, const detail::scan_plan<T>& p, std::uint32_t tiles) {
  using chain = primitives::look_back_chain<T>;
  if (p.prepared)
    return chain(p.workspace, p.capacity);
  clear(q, p.workspace, chain::bytes(tiles));
  return chain(p.workspace, tiles);
}

template <class Op, class T>
void launch_scan_by_tiles(const simt::queue& q, const detail::scan_plan<T>& p) {
  using cut = detail::scan_cut<T>;
  using kernel = scan_kernel<T, Op, scan_tuning<cut::threads, cut::vectors, cut::min_blocks>>;
  static_assert(kernel::tile_items == detail::scan_tile_items<T>);
  const auto tiles = std::uint32_t(detail::scan_tiles(p.n, p.lead, kernel::tile_items));
  simt::launch(q, {.grid = tiles},
               kernel{.in = {p.in, p.n},
                      .out = {p.out, p.n},
                      .n = p.n,
                      .chain = chain_for(q, p, tiles),
                      .initial = p.initial,
                      .tiles = tiles,
                      .lead = p.lead,
                      .vectors_allowed = p.vectors_allowed,
                      .streamed = p.large,
                      .exclusive = p.exclusive});
}

template <class Kernel, class T>
void launch_resident_scan(const simt::queue& q, const detail::scan_plan<T>& p) {
  static_assert(Kernel::tile_items == detail::resident_scan_tile_items<T>);
  const auto tiles = std::uint32_t(detail::scan_tiles(p.n, p.lead, Kernel::tile_items));
  simt::launch(q, {.grid = std::min(tiles, simt::resident_blocks<Kernel>(q))},
               Kernel{.in = {p.in, p.n},
                      .out = {p.out, p.n},
                      .n = p.n,
                      .chain = chain_for(q, p, tiles),
                      .initial = p.initial,
                      .tiles = tiles,
                      .lead = p.lead,
                      .exclusive = p.exclusive});
}

template <class Op, class T>
void launch_scan(const simt::queue& q, const detail::scan_plan<T>& p) {
  using cut = detail::resident_scan_cut;
  using resident =
      resident_scan_kernel<T, Op, resident_scan_tuning<cut::scanners, cut::folders, cut::rows, cut::stages>>;
  if (p.large && p.vectors_allowed && simt::can_run<resident>(q))
    launch_resident_scan<resident>(q, p);
  else
    launch_scan_by_tiles<Op>(q, p);
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
