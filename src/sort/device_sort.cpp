#include "sort/device_sort.hpp"

#include "kernels/arena.hpp"
#include "kernels/count/check_count.hpp"
#include "kernels/lsd/lsd_sort.hpp"
#include "kernels/narrow/count_sort.hpp"
#include "kernels/pairs/sort_pairs.hpp"
#include "kernels/sample/sample_sort.hpp"
#include "kernels/sort/sort_keys.hpp"
#include "kernels/splitters/splitter_sort.hpp"
#include "kernels/values/move_values.hpp"
#include "plan/nowhere.hpp"
#include "primitives/with_word.hpp"

#include <algorithm>

namespace sortile::gpu {
namespace {

constexpr bool is_any(const device_facts& device) {
  return device.architecture == any_device.architecture;
}

/// The request for n keys, with the same arrays present and the same ones in place, aligned to vectors or no more than
/// they have to be; values_off: how far the values are from such a place.
sort_request elsewhere(const sort_request& request, std::size_t n, bool keys_aligned, std::size_t values_off) {
  const std::size_t keys_off = keys_aligned ? 0 : key_bytes(request.type);
  const bool in_place = request.keys_in == request.keys_out;
  sort_request r = request;
  r.n = n;
  r.keys_in = nowhere(0, keys_off);
  r.keys_out = request.keys_out == nullptr ? nullptr : nowhere(in_place ? 0 : 1, keys_off);
  if (r.carries == payload::values)
    r.values_in = nowhere(2, values_off);
  if (r.carries != payload::none)
    r.values_out = nowhere(r.carries == payload::values && request.values_in == request.values_out ? 2 : 3, values_off);
  return r;
}

/// A sort as the stages know it.
template <class Word>
struct sorter_calls {
  std::size_t (*room)(const kernels::typed_request<Word>&);
  void (*launch)(const simt::queue&, const kernels::typed_request<Word>&, unsigned step);
};
template <class Word>
sorter_calls<Word> calls_of(sorter which) {
  using request = kernels::typed_request<Word>;
  if constexpr (sizeof(Word) <= 2)
    if (which == sorter::counting)
      return {kernels::count_sort_workspace_bytes<Word>,
              [](const simt::queue& q, const request& r, unsigned) { kernels::count_sort(q, r); }};
  if (which == sorter::sample)
    return {kernels::sample_sort_workspace_bytes<Word>,
            [](const simt::queue& q, const request& r, unsigned) { kernels::sample_sort(q, r); }};
  if constexpr (sizeof(Word) >= 4)
    if (which == sorter::keys)
      return {kernels::sort_keys_workspace_bytes<Word>, kernels::sort_keys<Word>};
  if constexpr (sizeof(Word) == 4 || sizeof(Word) == 8)
    if (which == sorter::pairs)
      return {kernels::sort_pairs_workspace_bytes<Word>, kernels::sort_pairs<Word>};
  if constexpr (sizeof(Word) >= 8)
    if (which == sorter::splitters)
      return {kernels::splitter_sort_workspace_bytes<Word>, kernels::splitter_sort<Word>};
  return {kernels::lsd_workspace_bytes<Word>, kernels::lsd_sort<Word>};
}

} // namespace

device_sort::device_sort(const sort_request& request, const options& opts, const device_facts& device)
    : request_(request), order_(opts.order), bits_(opts.bits),
      facts_(facts_of(request, opts, is_any(device) ? device_facts{} : device)), by_(sorters_for(facts_)),
      stages_(stages_of(facts_, by_)) {
  lay_out();
  if (!is_any(device))
    return;
  // All that the multiprocessors decide is whether a sample sort fits. Here it does; on one of them it fits least.
  for (const device_facts known :
       {device_facts{oldest_architecture, 0}, {oldest_architecture, 1}, {.multiprocessors = 1}})
    bytes_ = std::max(bytes_, device_sort(request, opts, known).workspace_bytes());
}

namespace {

/// The most that sorts of so many keys take, request.n at most, at any alignment.
std::size_t most_at_any_place(const sort_request& request, const sort_facts& f, std::span<const std::size_t> counts,
                              const options& opts, const device_facts& device) {
  std::size_t most = 0;
  for (const std::size_t n : counts)
    for (const bool keys_aligned : {true, false}) {
      const std::size_t values_off = f.values == value_handling::moved ? 1 : keys_aligned ? 0 : f.given_alignment();
      if (n <= request.n)
        most = std::max(most,
                        device_sort(elsewhere(request, n, keys_aligned, values_off), opts, device).workspace_bytes());
    }
  return most;
}

} // namespace

std::size_t device_sort::enough_workspace(const sort_request& request, const options& opts,
                                          const device_facts& device) {
  const sort_facts f = facts_of(request, opts, device);
  std::vector<std::size_t> counts = last_before_changes(key_bytes(request.type) + f.value_bytes);
  if (device.multiprocessors != 0)
    counts.push_back(most_of_a_sample(f));
  counts.push_back(request.n);
  return most_at_any_place(request, f, counts, opts, device);
}

std::size_t device_sort::workspace_at_any_place(const sort_request& request, const options& opts,
                                                const device_facts& device, workspace_for what) {
  return what == workspace_for::such_calls
             ? enough_workspace(request, opts, device)
             : most_at_any_place(request, facts_of(request, opts, device), {&request.n, 1}, opts, device);
}

std::string_view device_sort::why_refused(const sort_request& request) {
  const sort_facts f = facts_of(request, {}, {});
  const bool moves = f.values == value_handling::moved || f.values == value_handling::gathered;
  return request.device_n != nullptr && moves
             ? "where n lies in device memory, values must have 4, 8 or 16 bytes and be aligned to that"
             : "";
}

void device_sort::lay_out() {
  kernels::arena space;
  for (std::size_t a = 0; a < areas; ++a) {
    std::size_t needed = 0;
    for (stage& s : stages_) {
      if (area(a) == area::sorter && s.opens()) // last: by now it is known where moved values lie
        s.rooms[0].bytes = room_of(s);
      for (const room& r : s.rooms)
        if (r.where == area(a))
          needed = std::max(needed, r.bytes);
    }
    offsets_[a] = space.take(needed);
  }
  bytes_ = space.bytes();
}

std::size_t device_sort::room_of(const stage& s) const {
  return with_word(request_.type, [&]<class Word>(Word) {
    const auto r = typed<Word>(nowhere(4), s.role);
    const std::size_t bytes = calls_of<Word>(s.by).room(r);
    // On an unknown device, which may have few multiprocessors, the LSD sort may stand in.
    return s.by == sorter::sample && facts_.device.multiprocessors == 0
               ? std::max(bytes, calls_of<Word>(sorter::lsd).room(r))
               : bytes;
  });
}

std::byte* device_sort::moved_out(std::byte* workspace) const {
  return at(workspace, facts_.values == value_handling::moved && facts_.in_place ? area::moved_in : area::moved_out);
}

template <class Word>
kernels::typed_request<Word> device_sort::typed(std::byte* workspace, unsigned role) const {
  kernels::typed_request<Word> r;
  r.keys_in = static_cast<const Word*>(request_.keys_in);
  r.keys_out = static_cast<Word*>(request_.keys_out);
  if (facts_.values == value_handling::direct)
    r.values_in = request_.values_in;
  else if (facts_.values == value_handling::moved)
    r.values_in = at(workspace, area::moved_in);
  if (facts_.values == value_handling::direct || facts_.values == value_handling::indices)
    r.values_out = request_.values_out;
  else if (facts_.values != value_handling::none)
    r.values_out = moved_out(workspace);
  r.value_bytes = facts_.value_bytes;
  r.make_indices = facts_.makes_indices();
  r.input_is_scratch = facts_.double_buffer;
  r.n = request_.n;
  r.device_n = request_.device_n;
  r.codec = make_key_codec<Word>(request_.type, order_, bits_);
  r.workspace = at(workspace, area::sorter);
  r.workspace_bytes = bytes_ - offsets_[std::size_t(area::sorter)];
  if (by_[1] != sorter::nothing)
    r.verdict = {reinterpret_cast<std::uint32_t*>(at(workspace, area::verdict)), role, by_[2] == sorter::lsd ? 2u : 0u};
  r.fallback_sees_order = by_[1] == sorter::lsd;
  r.leaves_to_passes = by_[role] == sorter::splitters && (role == 0 || facts_.key_bits == 64);
  r.architecture = facts_.device.architecture;
  return r;
}

void device_sort::add_steps(std::vector<plan_step>& steps) const {
  for (const stage& s : stages_)
    steps.push_back({s.name, s.text(), s.bytes_read, s.bytes_written});
}

void device_sort::launch(const simt::queue& q, void* workspace) const {
  if (request_.device_status != nullptr)
    kernels::check_count(q, request_.device_n, request_.n, request_.device_status);
  for (const stage& s : stages_)
    launch(q, static_cast<std::byte*>(workspace), s);
}

void device_sort::launch(const simt::queue& q, std::byte* workspace, const stage& s) const {
  if (s.work != stage_work::sort)
    return move(q, workspace, s);
  if (s.step == stage::with_the_one_before)
    return;
  with_word(request_.type, [&]<class Word>(Word) {
    auto r = typed<Word>(workspace, s.role);
    const bool passes_follow = s.role + 1 < by_.size() && by_[s.role + 1] == sorter::lsd;
    if (passes_follow || (s.role != 0 && s.by == sorter::lsd)) {
      r.verdict.zeroed = static_cast<std::uint64_t*>(r.workspace);
      r.verdict.zeroed_words = kernels::lsd_zeroed_bytes(r) / sizeof(std::uint64_t);
    }
    const bool too_many =
        s.by == sorter::sample && facts_.device.multiprocessors == 0 && request_.n > kernels::sample_sort_most(q, r);
    calls_of<Word>(too_many ? sorter::lsd : s.by).launch(q, r, s.step);
  });
}

void device_sort::move(const simt::queue& q, std::byte* workspace, const stage& s) const {
  const std::size_t bytes = request_.value_bytes, width = facts_.value_bytes;
  void* const gathered = facts_.in_place ? at(workspace, area::gathered) : request_.values_out;
  switch (s.work) {
  case stage_work::sort:
    return;
  case stage_work::move_in:
    return kernels::move_values(q, {request_.n, request_.values_in, bytes, at(workspace, area::moved_in), width});
  case stage_work::move_out:
    return kernels::move_values(q, {request_.n, moved_out(workspace), width, request_.values_out, bytes});
  case stage_work::gather:
    return kernels::move_values(
        q, {request_.n, request_.values_in, bytes, gathered, bytes, moved_out(workspace), unsigned(width)});
  case stage_work::copy_back:
    return kernels::move_values(q, {request_.n, gathered, bytes, request_.values_out, bytes});
  }
}

} // namespace sortile::gpu
