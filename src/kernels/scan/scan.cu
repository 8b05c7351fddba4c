// Launches scans: by resident blocks where these can run and pay, else a tile a block.
#include "kernels/clear_words.hpp"
#include "kernels/scan/resident_scan_kernel.hpp"
#include "kernels/scan/scan.hpp"
#include "kernels/scan/scan_kernel.hpp"
#include "kernels/send.hpp"
#include "primitives/operators.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

template <class Op, class T>
class scan_launcher {
 public:
  scan_launcher(const simt::queue& q, const scan_request<T>& r)
      : q_(q), r_(r), in_offset_(std::uint32_t(reinterpret_cast<std::uintptr_t>(r.in) % 16)),
        out_offset_(std::uint32_t(reinterpret_cast<std::uintptr_t>(r.out) % 16)),
        initial_(r.initial ? *r.initial : Op::template identity<T>()) {}

  void launch() const {
    if (is_large() && in_offset_ == out_offset_ && simt::can_run<resident>(q_))
      by_resident_blocks();
    else
      by_tiles();
  }

 private:
  using cut = detail::scan_cut<T>;
  using resident_cut = detail::resident_scan_cut;
  using kernel = scan_kernel<T, Op, scan_tuning<cut::threads, cut::vectors, cut::min_blocks>>;
  using resident = resident_scan_kernel<
      T, Op,
      resident_scan_tuning<resident_cut::scanners, resident_cut::folders, resident_cut::rows, resident_cut::stages>>;
  static_assert(kernel::tile_items == detail::scan_tile_items<T>);
  static_assert(resident::tile_items == detail::resident_scan_tile_items<T>);
  using chain = primitives::look_back_chain<T>;

  bool is_large() const { return r_.n * sizeof(T) >= detail::large_scan_bytes; }
  std::uint32_t lead() const { return std::uint32_t(in_offset_ / sizeof(T)); }
  std::uint32_t tiles(std::uint64_t tile_items) const {
    return std::uint32_t(detail::scan_tiles(r_.n, lead(), tile_items));
  }
  chain cleared_chain(std::uint32_t tiles) const {
    clear(q_, r_.workspace, chain::bytes(tiles));
    return {r_.workspace, tiles};
  }

  void by_tiles() const {
    const std::uint32_t all = tiles(kernel::tile_items);
    simt::launch(q_, {.grid = all},
                 kernel{.in = {r_.in, r_.n},
                        .out = {r_.out, r_.n},
                        .n = r_.n,
                        .chain = cleared_chain(all),
                        .initial = initial_,
                        .tiles = all,
                        .lead = lead(),
                        .vectors_allowed = in_offset_ == out_offset_,
                        .streamed = is_large(),
                        .exclusive = r_.kind == scan_kind::exclusive});
  }
  void by_resident_blocks() const {
    const std::uint32_t all = tiles(resident::tile_items);
    simt::launch(q_, {.grid = std::min(all, simt::resident_blocks<resident>(q_))},
                 resident{.in = {r_.in, r_.n},
                          .out = {r_.out, r_.n},
                          .n = r_.n,
                          .chain = cleared_chain(all),
                          .initial = initial_,
                          .tiles = all,
                          .lead = lead(),
                          .exclusive = r_.kind == scan_kind::exclusive});
  }

  const simt::queue& q_;
  const scan_request<T>& r_;
  std::uint32_t in_offset_, out_offset_; // bytes behind a multiple of 16
  T initial_;
};

/// Sums wrap, so they need no sign.
template <class T>
auto unsigned_request(const scan_request<T>& r) {
  using U = std::make_unsigned_t<T>;
  scan_request<U> u{.in = reinterpret_cast<const U*>(r.in),
                    .out = reinterpret_cast<U*>(r.out),
                    .n = r.n,
                    .kind = r.kind,
                    .workspace = r.workspace};
  if (r.initial)
    u.initial = static_cast<U>(*r.initial);
  return u;
}

template <class T>
void launch(const simt::queue& q, const scan_request<T>& r) {
  if (r.op == scan_operator::maximum)
    scan_launcher<primitives::maximum, T>(q, r).launch();
  else
    scan_launcher<primitives::plus, std::make_unsigned_t<T>>(q, unsigned_request(r)).launch();
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

SORTILE_LAUNCHES(std::uint32_t, scan_request, launch)
SORTILE_LAUNCHES(std::int32_t, scan_request, launch)
SORTILE_LAUNCHES(std::uint64_t, scan_request, launch)
SORTILE_LAUNCHES(std::int64_t, scan_request, launch)
