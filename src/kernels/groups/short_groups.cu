// Launches the search for groups of a short array.
#include "kernels/groups/short_groups_kernel.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

template <class Index, class Word>
void launch_short_as(const simt::queue& q, const short_groups_request<Word>& r) {
  const auto numbers = [](void* at, std::uint64_t count) {
    return simt::global<Index>{static_cast<Index*>(at), at == nullptr ? 0 : count};
  };
  simt::launch(q, {.grid = 1},
               short_groups_kernel<Word, Index>{.keys = {r.keys, r.n},
                                                .keys_out = {r.keys_out, r.keys_out == nullptr ? 0 : r.n},
                                                .first = numbers(r.first, r.n),
                                                .counts = numbers(r.counts, r.n),
                                                .offsets = numbers(r.offsets, r.n + 1),
                                                .order = numbers(r.order, r.n),
                                                .inverse = numbers(r.inverse, r.n),
                                                .groups = {r.groups, 1},
                                                .codec = r.codec,
                                                .n = std::uint32_t(r.n),
                                                .writes_keys = r.keys_out != nullptr,
                                                .writes_first = r.first != nullptr,
                                                .writes_counts = r.counts != nullptr,
                                                .writes_offsets = r.offsets != nullptr,
                                                .writes_order = r.order != nullptr,
                                                .writes_inverse = r.inverse != nullptr});
}

template <class Word>
void launch_short(const simt::queue& q, const short_groups_request<Word>& r) {
  if (r.index_bytes == 4)
    launch_short_as<std::uint32_t>(q, r);
  else
    launch_short_as<std::uint64_t>(q, r);
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

namespace sortile::kernels::detail {

#define SORTILE_SHORT_GROUPS(WORD)                                                                                     \
  template <>                                                                                                          \
  void launch_short_groups<simt::this_backend, WORD>(const simt::queue& q, const short_groups_request<WORD>& r) {      \
    launch_short(q, r);                                                                                                \
  }
SORTILE_SHORT_GROUPS(std::uint8_t)
SORTILE_SHORT_GROUPS(std::uint16_t)
SORTILE_SHORT_GROUPS(std::uint32_t)
SORTILE_SHORT_GROUPS(std::uint64_t)
SORTILE_SHORT_GROUPS(uint128)
#undef SORTILE_SHORT_GROUPS

} // namespace sortile::kernels::detail
