// Launches the last step of a search for ranks.
#include "kernels/ranks/pick_keys_kernel.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

/// A launch for each `Kernel::batch` of the items; `write` gives each launch's kernel its own.
template <class Kernel, class Request, class Item, class Out, class Write>
void launch_batches(const simt::queue& q, const Request& r, std::span<const Item> items, Out* out, Write write) {
  constexpr std::uint64_t most_blocks = 4096;
  for (std::size_t first = 0; first < items.size(); first += Kernel::batch) {
    Kernel k{};
    k.from = {r.from, r.extent};
    k.out = {out, r.rows * items.size()};
    k.rows = r.rows;
    k.stride = r.stride;
    k.results = items.size();
    k.first = first;
    k.count = std::uint32_t(std::min<std::size_t>(Kernel::batch, items.size() - first));
    write(k, items.subspan(first, k.count));
    simt::launch(q, {.grid = unsigned(std::min(r.rows, most_blocks))}, k);
  }
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

namespace sortile::kernels::detail {

#define SORTILE_PICK(WORD)                                                                                             \
  template <>                                                                                                          \
  void launch_pick_keys<simt::this_backend, WORD>(const simt::queue& q, const pick_keys_request<WORD>& r) {            \
    launch_batches<pick_keys_kernel<WORD>>(q, r, r.places, r.out, [](auto& kernel, auto places) {                      \
      std::copy(places.begin(), places.end(), kernel.places);                                                          \
    });                                                                                                                \
  }                                                                                                                    \
  template <>                                                                                                          \
  void launch_pick_quantiles<simt::this_backend, WORD>(const simt::queue& q, const pick_quantiles_request<WORD>& r) {  \
    launch_batches<pick_quantiles_kernel<WORD>>(q, r, r.quantiles, r.out, [&](auto& kernel, auto quantiles) {          \
      kernel.type = r.type;                                                                                            \
      std::copy(quantiles.begin(), quantiles.end(), kernel.quantiles);                                                 \
    });                                                                                                                \
  }
SORTILE_PICK(std::uint8_t)
SORTILE_PICK(std::uint16_t)
SORTILE_PICK(std::uint32_t)
SORTILE_PICK(std::uint64_t)
SORTILE_PICK(uint128)
#undef SORTILE_PICK

} // namespace sortile::kernels::detail
