#include "gpu/device_groups.hpp"

#include "kernels/arena.hpp"
#include "kernels/groups/find_groups.hpp"
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
  order_ = a.take(needs_order(request_) && request.order == nullptr ? n * width : 0);
  offsets_ = a.take(request.counts != nullptr && request.offsets == nullptr ? (n + 1) * width : 0);
  const sort_request sort = sort_of(nowhere(0), nowhere(1));
  rest_ = a.take(std::max(device_sort::workspace_at_any_place(sort, options_, device_, what),
                          kernels::find_groups_workspace_bytes(n)));
  bytes_ = a.bytes();
}

sort_request device_groups::sort_of(std::byte* workspace, const void* keys) const {
  sort_request r{.type = request_.type, .n = request_.n, .keys_in = keys, .keys_out = workspace};
  if (needs_order(request_)) {
    r.carries = payload::indices;
    r.value_bytes = request_.index_bytes;
    r.values_out = order_at(workspace);
  }
  return r;
}

void device_groups::add_steps(std::vector<plan_step>& steps) const {
  if (request_.n == 0)
    return;
  if (short_) {
    plan_step step = groups_step(request_, 1, "one block sorts the keys and finds where groups begin, in one launch");
    step.bytes_read = request_.n * key_bytes(request_.type);
    step.bytes_written += request_.order == nullptr ? 0 : request_.n * request_.index_bytes;
    steps.push_back(std::move(step));
    return;
  }
  device_sort(sort_of(nowhere(0), nowhere(1)), options_, device_).add_steps(steps);
  steps.push_back(groups_step(request_, 1, "where sorted keys differ, told from tile to tile in one pass"));
}

void device_groups::launch(const simt::queue& q, void* workspace) const {
  auto* const space = static_cast<std::byte*>(workspace);
  if (!short_)
    device_sort(sort_of(space, request_.keys), options_, device_).launch(q, space + rest_);
  with_word(request_.type, [&]<class Word>(Word) {
    kernels::find_groups_request<Word> r{.keys = static_cast<const Word*>(request_.keys),
                                         .n = request_.n,
                                         .are_sorted = false,
                                         .codec = make_key_codec<Word>(request_.type, options_.order, options_.bits),
                                         .index_bytes = unsigned(request_.index_bytes),
                                         .order = request_.order,
                                         .keys_out = static_cast<Word*>(request_.keys_out),
                                         .first = request_.first,
                                         .counts = request_.counts,
                                         .offsets = request_.offsets,
                                         .inverse = request_.inverse,
                                         .groups = request_.device_groups};
    if (!short_) {
      r.keys = reinterpret_cast<const Word*>(space);
      r.are_sorted = true;
      r.order = order_at(space);
      r.offsets = offsets_at(space);
      r.workspace = space + rest_;
    }
    kernels::find_groups(q, r);
  });
}

} // namespace sortile::gpu
