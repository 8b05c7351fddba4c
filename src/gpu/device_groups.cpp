#include "gpu/device_groups.hpp"

#include "kernels/arena.hpp"
#include "kernels/groups/find_groups.hpp"
#include "kernels/groups/short_groups.hpp"
#include "plan/nowhere.hpp"
#include "primitives/with_word.hpp"

#include <algorithm>

namespace sortile::gpu {

device_groups::device_groups(const groups_request& request, const options& opts, const device_facts& device,
                             workspace_for what)
    : request_(request), options_{.order = opts.order, .bits = opts.bits}, device_(device) {
  short_ = request.n <= kernels::short_groups_most(key_bytes(request.type));
  if (request.n == 0 || (short_ && what == workspace_for::this_call))
    return;
  kernels::arena a;
  const std::size_t n = request.n, width = request.index_bytes;
  a.take(n * key_bytes(request.type));
  order_ = a.take(needs_order() && request.order == nullptr ? n * width : 0);
  offsets_ = a.take(request.counts != nullptr && request.offsets == nullptr ? (n + 1) * width : 0);
  const sort_request sort = sort_of(nowhere(0), nowhere(1));
  rest_ = a.take(std::max(device_sort::workspace_at_any_place(sort, options_, device_, what),
                          kernels::find_groups_workspace_bytes(n)));
  bytes_ = a.bytes();
}

sort_request device_groups::sort_of(std::byte* workspace, const void* keys) const {
  sort_request r{.type = request_.type, .n = request_.n, .keys_in = keys, .keys_out = workspace};
  if (needs_order()) {
    r.carries = payload::indices;
    r.value_bytes = request_.index_bytes;
    r.values_out = order_at(workspace);
  }
  return r;
}

void device_groups::launch(const simt::queue& q, void* workspace) const {
  auto* const space = static_cast<std::byte*>(workspace);
  if (short_)
    return with_word(request_.type, [&]<class Word>(Word) { launch_short<Word>(q); });
  device_sort(sort_of(space, request_.keys), options_, device_).launch(q, space + rest_);
  with_word(request_.type, [&]<class Word>(Word) { launch_groups<Word>(q, space); });
}

template <class Word>
void device_groups::launch_short(const simt::queue& q) const {
  kernels::short_groups(q, kernels::short_groups_request<Word>{
                               .keys = static_cast<const Word*>(request_.keys),
                               .n = request_.n,
                               .codec = make_key_codec<Word>(request_.type, options_.order, options_.bits),
                               .index_bytes = unsigned(request_.index_bytes),
                               .keys_out = static_cast<Word*>(request_.keys_out),
                               .first = request_.first,
                               .counts = request_.counts,
                               .offsets = request_.offsets,
                               .order = request_.order,
                               .inverse = request_.inverse,
                               .groups = request_.device_groups});
}

template <class Word>
void device_groups::launch_groups(const simt::queue& q, std::byte* workspace) const {
  kernels::find_groups(
      q, kernels::find_groups_request<Word>{.sorted = reinterpret_cast<const Word*>(workspace),
                                            .order = order_at(workspace),
                                            .n = request_.n,
                                            .codec = make_key_codec<Word>(request_.type, options_.order, options_.bits),
                                            .index_bytes = unsigned(request_.index_bytes),
                                            .keys_out = static_cast<Word*>(request_.keys_out),
                                            .first = request_.first,
                                            .counts = request_.counts,
                                            .offsets = offsets_at(workspace),
                                            .inverse = request_.inverse,
                                            .groups = request_.device_groups,
                                            .workspace = workspace + rest_});
}

} // namespace sortile::gpu
