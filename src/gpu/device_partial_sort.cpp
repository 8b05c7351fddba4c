#include "gpu/device_partial_sort.hpp"

#include "kernels/arena.hpp"
#include "kernels/select/displace.hpp"
#include "kernels/values/move_values.hpp"
#include "plan/nowhere.hpp"

#include <algorithm>

namespace sortile::gpu {
namespace {

/// Whether keys that compare equal are equal in all bits.
bool equal_keys_are_alike(key_type type, const bit_window& bits) {
  return !is_float(type) && bits.begin == 0 && bits.end >= key_bits(type);
}

order opposite(order of) {
  return of == order::ascending ? order::descending : order::ascending;
}

} // namespace

device_partial_sort::device_partial_sort(const partial_sort_request& request, const options& opts,
                                         const device_facts& device, workspace_for what)
    : request_(request), options_{.order = opts.order, .bits = opts.bits}, device_(device), what_(what) {
  plan(false);
}

device_partial_sort::device_partial_sort(const nth_element_request& r, const options& opts, const device_facts& device,
                                         workspace_for what)
    : request_{.type = r.type, .n = r.n, .k = r.nth < r.n ? r.nth + 1 : 0, .keys = r.keys}, options_{.order =
                                                                                                         opts.order,
                                                                                                     .bits = opts.bits},
      device_(device), what_(what) {
  if (r.nth < r.n && r.n - r.nth <= r.nth && equal_keys_are_alike(r.type, opts.bits)) {
    request_.k = r.n - r.nth;
    options_.order = opposite(opts.order);
    at_end_ = true;
  }
  plan(true);
}

void device_partial_sort::plan(bool others_stand_anywhere) {
  if (request_.k == 0)
    return;
  way_ = request_.k == request_.n ? way::whole : way::parts;
  if (way_ == way::parts && others_stand_anywhere && selection(nowhere()).sorts_all()) {
    way_ = way::whole;
    if (at_end_)
      options_.order = opposite(options_.order);
  }
  lay_out();
}

void device_partial_sort::lay_out() {
  if (way_ == way::whole) {
    layout_.bytes = device_sort::workspace_at_any_place(whole_sort(), options_, device_, what_);
    return;
  }
  kernels::arena space;
  layout_.keys = space.take(request_.k * key_bytes(request_.type));
  layout_.positions = space.take(request_.k * position_bytes());
  layout_.values = space.take(request_.k * request_.value_bytes);
  layout_.rest = space.take(0);
  space.take(std::max(selection(nowhere()).workspace_bytes(), position_sort(nowhere()).workspace_bytes()));
  layout_.bytes = space.bytes();
}

sort_request device_partial_sort::whole_sort() const {
  const bool pairs = request_.value_bytes > 0;
  return {.type = request_.type,
          .n = request_.n,
          .keys_in = request_.keys,
          .keys_out = request_.keys,
          .carries = pairs ? payload::values : payload::none,
          .value_bytes = request_.value_bytes,
          .values_in = request_.values,
          .values_out = request_.values};
}

device_select device_partial_sort::selection(std::byte* workspace) const {
  const top_k_request first{.type = request_.type,
                            .n = request_.n,
                            .k = request_.k,
                            .keys_in = request_.keys,
                            .keys_out = workspace + layout_.keys,
                            .carries = payload::indices,
                            .value_bytes = position_bytes(),
                            .values_out = workspace + layout_.positions};
  return {first, options_, device_, what_};
}

device_sort device_partial_sort::position_sort(std::byte* workspace) const {
  std::byte* const positions = workspace + layout_.positions;
  const sort_request ascending{.type = position_bytes() == 4 ? key_type::u32 : key_type::u64,
                               .n = request_.k,
                               .keys_in = positions,
                               .keys_out = positions};
  return {ascending, {}, device_};
}

void device_partial_sort::add_steps(std::vector<plan_step>& steps) const {
  if (way_ == way::nothing)
    return;
  if (way_ == way::whole)
    return device_sort(whole_sort(), options_, device_).add_steps(steps);
  const std::size_t element = key_bytes(request_.type) + request_.value_bytes, first = request_.k * element;
  selection(nowhere()).add_steps(steps);
  if (request_.value_bytes > 0)
    steps.push_back({"gather", "the values of these, by position",
                     request_.k * (request_.value_bytes + position_bytes()), request_.k * request_.value_bytes});
  position_sort(nowhere()).add_steps(steps);
  steps.push_back({"displace",
                   std::string("what stands in the ") + (at_end_ ? "last " : "first ") + std::to_string(request_.k) +
                       " places, to where these come from",
                   first + request_.k * position_bytes(), first});
  steps.push_back({"copy", "these to their places", first, first});
}

void device_partial_sort::launch(const simt::queue& q, void* workspace) const {
  auto* const space = static_cast<std::byte*>(workspace);
  if (way_ == way::nothing)
    return;
  if (way_ == way::whole)
    return device_sort(whole_sort(), options_, device_).launch(q, space);
  selection(space).launch(q, space + layout_.rest);
  if (request_.value_bytes > 0)
    kernels::move_values(q, {request_.k, request_.values, request_.value_bytes, space + layout_.values,
                             request_.value_bytes, space + layout_.positions, position_bytes(), request_.n});
  position_sort(space).launch(q, space + layout_.rest);
  put(q, space, request_.keys, key_bytes(request_.type), layout_.keys);
  if (request_.value_bytes > 0)
    put(q, space, request_.values, request_.value_bytes, layout_.values);
}

void device_partial_sort::put(const simt::queue& q, std::byte* workspace, void* elements, std::size_t bytes,
                              std::size_t first) const {
  const std::size_t k = request_.k, begin = at_end_ ? request_.n - k : 0;
  kernels::displace(q, {.elements = elements,
                        .n = request_.n,
                        .element_bytes = bytes,
                        .chosen = workspace + layout_.positions,
                        .position_bytes = position_bytes(),
                        .k = k,
                        .begin = begin});
  const auto copy = [&](std::size_t from, std::size_t to, std::size_t count) {
    kernels::move_values(q, {count, workspace + first + from * bytes, bytes,
                             static_cast<std::byte*>(elements) + (begin + to) * bytes, bytes});
  };
  if (!at_end_)
    return copy(0, 0, k);
  copy(k - 1, 0, 1);
  copy(0, 1, k - 1);
}

} // namespace sortile::gpu
