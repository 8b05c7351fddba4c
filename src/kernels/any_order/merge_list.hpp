// The stable merge of a list of sorted runs, of any number and lengths, each wherever the caller has it.
//
//   two       two runs are merged by merge path: merge_two.hpp
//   list      more than eight runs are written to a table in the workspace (run_list.hpp)
//   passes    groups of up to eight neighbouring runs become one run each, until there is one: slabs.hpp, two small
//             launches and one that reads and writes every element once
//
// Between two passes keys and values lie apart, in the workspace and in the output by turns, so that all passes are the
// same kernels. Runs of no elements are left out beforehand.
//
// Cost for n elements of E bytes in k runs: ceil(log8 k) reads and writes of n E bytes, and log2(k) comparisons an
// element. Workspace: 64 bytes a slab, of some hundred to some thousand elements; 24 bytes a run, of more than eight,
// and then n elements.
//
// Merging k lists at once in parallel, by a multisequence selection of where each processor begins: Varman, Scheufler,
// Iyer and Ricard 1991. Here samples are ranked once for all blocks, and more than eight lists take passes, since what
// a block can merge in shared storage has to hold some elements of each.
#pragma once

#include "kernels/any_order/merge_launch.hpp"
#include "kernels/any_order/merge_two.hpp"
#include "kernels/any_order/run_list.hpp"

#include <algorithm>
#include <vector>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Runs in their order, on the host.
struct run_sequence {
  std::vector<listed_run> list{};
  std::uint64_t n = 0;

  void add(const void* keys, const void* values, std::uint64_t length) {
    if (length > 0)
      list.push_back({keys, values, n});
    n += length;
  }
};

// Where a pass writes its elements, and the next one reads them.

template <class Key>
struct key_column {
  using runs = listed_keys<Key>;
  Key* keys;

  keys_alone<Key> output(std::uint64_t n) const { return {{nullptr, 0}, held_output(keys, n)}; }
  runs input() const { return {reinterpret_cast<const held<Key>*>(keys)}; }
  static runs listed(bool) { return {nullptr}; }
  static key_column in(std::byte* workspace, const list_merge_plan& plan) {
    return {reinterpret_cast<Key*>(workspace + plan.keys)};
  }
};

template <class Key, class Value>
struct pair_columns {
  using runs = listed_pairs<Key, Value>;
  Key* keys;
  Value* values;

  keys_and_values<Key, Value> output(std::uint64_t n) const {
    return {{nullptr, 0}, held_output(keys, n), {nullptr, 0}, held_output(values, n)};
  }
  runs input() const {
    return {reinterpret_cast<const held<Key>*>(keys), reinterpret_cast<const held<Value>*>(values), false};
  }
  static runs listed(bool numbered) { return {nullptr, nullptr, numbered}; }
  static pair_columns in(std::byte* workspace, const list_merge_plan& plan) {
    return {reinterpret_cast<Key*>(workspace + plan.keys), reinterpret_cast<Value*>(workspace + plan.values)};
  }
};

/// The list as kernels take it; queues what writes its table, if it has one that is not written yet.
inline run_list listed_on_device(const simt::queue& q, const run_sequence& runs, std::byte* table, bool writes = true) {
  run_list list{.n = runs.n, .count = runs.list.size()};
  if (list.count <= run_list::few) {
    std::copy(runs.list.begin(), runs.list.end(), list.here);
    return list;
  }
  auto* const entries = reinterpret_cast<listed_run*>(table);
  list.table = {entries, list.count};
  for (std::uint64_t first = 0; writes && first < list.count; first += list_runs_kernel::batch) {
    list_runs_kernel kernel{};
    kernel.table = {entries, list.count};
    kernel.first = first;
    const auto count = unsigned(std::min<std::uint64_t>(list_runs_kernel::batch, list.count - first));
    std::copy_n(runs.list.begin() + std::ptrdiff_t(first), count, kernel.runs);
    launch_here(q, {.grid = count}, kernel);
  }
  return list;
}

/// Queues the merge of some elements, `plan` being that of these runs. `numbered`: values are the elements' numbers
/// through all runs.
template <class Columns, class Less>
void launch_list_merge(const simt::queue& q, const list_merge_plan& plan, const run_sequence& runs, const Columns& out,
                       bool numbered, const Less& less, std::byte* workspace) {
  const Columns between = Columns::in(workspace, plan);
  const merge_words words{reinterpret_cast<std::uint64_t*>(workspace + plan.borders),
                          reinterpret_cast<std::uint32_t*>(workspace + plan.unusable)};
  const run_list list = listed_on_device(q, runs, workspace + plan.table);
  if (plan.is_of_two())
    return launch_two_merge(q, plan.tile, list, Columns::listed(numbered), words, out.output(plan.n),
                            by_key<Less>{less});
  merge_layout<listed_lengths> layout{.lengths = {list}, .ways = plan.passes.ways, .cut = plan.cut};
  layout.slab_step = plan.slab_elements();
  layout.chunk_step = std::uint64_t{plan.cut.distance} * simt::warp_size;
  auto from = Columns::listed(numbered);
  for (unsigned left = plan.passes.passes; left > 0; --left, layout.lengths.span *= plan.passes.ways) {
    const Columns& to = left % 2 == 1 ? out : between;
    layout.groups = plan.groups(layout.lengths.span);
    layout.all_slabs = plan.slabs(layout.groups);
    layout.all_chunks = plan.pieces(layout.chunk_step, layout.groups);
    launch_merges(q, layout, plan.threads, from, words, {nullptr, 0}, true, to.output(plan.n), by_key<Less>{less});
    from = to.input();
  }
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
