// The device's work for each kind of selection, by one name: what the engines plan and run a `selection` with.
#pragma once

#include "gpu/device_partial_sort.hpp"
#include "gpu/device_ranks.hpp"
#include "gpu/device_select.hpp"
#include "plan/engine.hpp"

#include <concepts>

namespace sortile::gpu {

inline device_select work_of(const top_k_request& request, const options& opts, const device_facts& device,
                             workspace_for what) {
  return {request, opts, device, what};
}
inline device_partial_sort work_of(const partial_sort_request& request, const options& opts, const device_facts& device,
                                   workspace_for what) {
  return {request, opts, device, what};
}
inline device_partial_sort work_of(const nth_element_request& request, const options& opts, const device_facts& device,
                                   workspace_for what) {
  return {request, opts, device, what};
}
/// Of ranks and quantiles, of arrays and of segments.
template <class Request>
requires std::constructible_from<device_ranks, const Request&, const options&, const device_facts&,
                                 device_ranks::tuning, workspace_for>
    device_ranks work_of(const Request& request, const options& opts, const device_facts& device, workspace_for what) {
  return {request, opts, device, {}, what};
}
inline device_select work_of(const segmented_top_k_request& request, const options& opts, const device_facts& device,
                             workspace_for) {
  return {request, opts, device};
}

/// visit(request, its work), the request being of its own type.
template <class Visit>
auto with_selection(const selection& wanted, const options& opts, const device_facts& device, workspace_for what,
                    Visit visit) {
  return std::visit([&](const auto& request) { return visit(request, work_of(request, opts, device, what)); }, wanted);
}

inline std::size_t selection_workspace_bytes(const selection& wanted, const options& opts, const device_facts& device,
                                             workspace_for what) {
  return with_selection(wanted, opts, device, what,
                        [](const auto&, const auto& work) { return work.workspace_bytes(); });
}
inline void add_selection_steps(const selection& wanted, const options& opts, const device_facts& device,
                                std::vector<plan_step>& steps) {
  with_selection(wanted, opts, device, workspace_for::this_call,
                 [&](const auto&, const auto& work) { work.add_steps(steps); });
}

} // namespace sortile::gpu
