#include "gpu/device_merge.hpp"

#include "primitives/with_word.hpp"

#include <algorithm>
#include <string>

namespace sortile::gpu {
namespace {

/// Whether values of 4 or 8 bytes lie where kernels can take each as a word.
bool are_words(const merge_request& r) {
  if (r.value_bytes != 4 && r.value_bytes != 8)
    return false;
  std::uintptr_t all = reinterpret_cast<std::uintptr_t>(r.values_out);
  for (const sorted_run& run : r.runs)
    if (run.n > 0)
      all |= reinterpret_cast<std::uintptr_t>(run.values);
  return all % r.value_bytes == 0;
}

std::string runs_of(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " run" : " runs");
}

} // namespace

device_merge::device_merge(const merge_request& request, const options& opts, const device_facts& device,
                           const tuning& tuned, workspace_for what)
    : request_(request), options_{.order = opts.order, .bits = opts.bits}, device_(device) {
  for (const sorted_run& run : request.runs) {
    n_ += run.n;
    count_ += run.n > 0;
  }
  if (count_ == 0)
    return;
  if (value_bytes() > 0)
    values_ = are_words(request) ? values_are::carried : values_are::gathered;
  way_ = count_ == 1 ? way::copy : merges(key_bytes(request.type), n_, count_, tuned) ? way::merge : way::sort;
  lay_out(what);
}

bool device_merge::merges(std::size_t key_bytes, std::uint64_t n, std::uint64_t runs, const tuning& tuned) {
  return (runs == 2 || n > tuned.sorted_up_to) && kernels::merge_passes::of(runs).passes <= most_passes(key_bytes);
}

sort_request device_merge::sort_in_place() const {
  return {.type = request_.type,
          .n = n_,
          .keys_in = request_.keys_out,
          .keys_out = request_.keys_out,
          .carries = value_bytes() == 0 ? payload::none : payload::values,
          .value_bytes = value_bytes(),
          .values_in = request_.values_out,
          .values_out = request_.values_out};
}

void device_merge::lay_out(workspace_for what) {
  kernels::arena a;
  if (way_ == way::merge) {
    const bool numbered = values_ == values_are::gathered;
    plan_ =
        kernels::list_merge_plan::of(n_, count_, key_bytes(request_.type), numbered ? number_bytes() : value_bytes());
    layout_.numbers = a.take(numbered ? n_ * number_bytes() : 0);
    layout_.rest = a.take(plan_.bytes);
  } else if (way_ == way::sort) {
    const sort_request sort = sort_in_place();
    layout_.rest = a.take(std::max(kernels::run_table_bytes(count_),
                                   what == workspace_for::this_call
                                       ? device_sort(sort, options_, device_).workspace_bytes()
                                       : device_sort::workspace_at_any_place(sort, options_, device_, what)));
  }
  layout_.bytes = a.bytes();
}

void device_merge::add_steps(std::vector<plan_step>& steps) const {
  const std::size_t key = key_bytes(request_.type), keys = n_ * key, values = n_ * value_bytes();
  if (way_ == way::copy)
    steps.push_back({"copy", "the only run that has elements", keys + values, keys + values});
  if (way_ == way::merge) {
    const bool numbered = values_ == values_are::gathered;
    const std::size_t moved = numbered ? n_ * number_bytes() : values;
    const unsigned passes = plan_.passes.passes;
    for (unsigned pass = 0; pass < passes; ++pass)
      steps.push_back({"merge",
                       (pass == 0 ? runs_of(count_) + ", up to " : "up to ") + std::to_string(plan_.passes.ways) +
                           " at once; pass " + std::to_string(pass + 1) + " of " + std::to_string(passes) + " (" +
                           most_merged() + ")",
                       keys + (numbered && pass == 0 ? 0 : moved), keys + moved});
    if (numbered)
      steps.push_back(
          {"gather", "the values, from all runs, by the numbers of the merged elements", moved + values, values});
  }
  if (way_ == way::sort) {
    steps.push_back(
        {"copy", runs_of(count_) + " end to end, to be sorted: " + why_sorted(), keys + values, keys + values});
    device_sort(sort_in_place(), options_, device_).add_steps(steps);
  }
}

std::string device_merge::most_merged() const {
  const unsigned most = most_passes(key_bytes(request_.type));
  std::uint64_t runs = 1;
  for (unsigned pass = 0; pass < most; ++pass)
    runs *= kernels::most_ways;
  return "more than " + std::to_string(runs) + " are sorted, which costs less than " + std::to_string(most + 1) +
         " passes";
}

std::string device_merge::why_sorted() const {
  const unsigned most = most_passes(key_bytes(request_.type));
  if (most == 0)
    return "of keys of 8 and 16 bits a sort costs no more than a merge";
  if (kernels::merge_passes::of(count_).passes > most)
    return most_merged();
  return "so few take fewer launches";
}

void device_merge::move(const simt::queue& q, bool values, const void* numbers, std::byte* table,
                        bool is_listed) const {
  kernels::move_runs(q, {.runs = request_.runs,
                         .values = values,
                         .bytes = values ? value_bytes() : key_bytes(request_.type),
                         .out = values ? request_.values_out : request_.keys_out,
                         .numbers = numbers,
                         .number_bytes = unsigned(number_bytes()),
                         .table = table,
                         .is_listed = is_listed});
}

template <class Word>
void device_merge::merge(const simt::queue& q, std::byte* workspace) const {
  const bool numbered = values_ == values_are::gathered;
  std::byte* const numbers = workspace + layout_.numbers;
  kernels::merge_runs(
      q, kernels::merge_runs_request<Word>{.runs = request_.runs,
                                           .codec = make_key_codec<Word>(request_.type, options_.order, options_.bits),
                                           .keys_out = static_cast<Word*>(request_.keys_out),
                                           .values_out = numbered ? numbers : request_.values_out,
                                           .value_bytes = unsigned(numbered ? number_bytes() : value_bytes()),
                                           .numbered = numbered,
                                           .plan = plan_,
                                           .workspace = workspace + layout_.rest});
  if (numbered)
    move(q, true, numbers, workspace + layout_.rest + plan_.table, true);
}

void device_merge::launch(const simt::queue& q, void* workspace) const {
  auto* const space = static_cast<std::byte*>(workspace);
  if (way_ == way::merge)
    return with_word(request_.type, [&]<class Word>(Word) {
      if constexpr (sizeof(Word) >= 4)
        merge<Word>(q, space);
    });
  if (way_ == way::nothing)
    return;
  move(q, false, nullptr, space, false);
  if (value_bytes() > 0)
    move(q, true, nullptr, space, true);
  if (way_ == way::sort)
    device_sort(sort_in_place(), options_, device_).launch(q, space + layout_.rest);
}

} // namespace sortile::gpu
