// Runs of any lengths, each wherever the caller has it: how a merge finds their beginnings, and the table of them.
//
// Up to `few` runs come with a kernel's arguments. More come to a table in the workspace, by launches that carry a
// batch each: so the caller's list is read before the call returns, and a captured graph holds it.
//
// The runs of the next pass are groups of these, so one table serves all passes: run i of a pass whose runs are `span`
// of the list each begins where run i · span of the list does.
//
// Numbers of pieces. Groups have different numbers of slabs, and no second table says which slab is whose. A group that
// begins at element b has the numbers from b / S + 3 group on, S elements to a slab. Its T elements leave it more than
// T / S + 2, and it has fewer than T / S + 1.4 slabs, as each of up to eight runs may begin one sample more, of at
// least 24 a slab. (Of chunks, of 32 samples: fewer than T / S + 1.3.)
#pragma once

#include "kernels/any_order/elements.hpp"
#include "kernels/any_order/slabs.hpp"
#include "primitives/bisect.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// A run of the caller.
struct listed_run {
  const void* keys = nullptr;
  const void* values = nullptr;
  std::uint64_t start = 0; ///< elements of the runs before it
};
static_assert(sizeof(listed_run) == list_merge_plan::table_entry);

struct run_list {
  static constexpr unsigned few = list_merge_plan::few;

  std::uint64_t n = 0; ///< elements of all runs
  std::uint64_t count = 0;
  listed_run here[few]{}; ///< where there are no more
  simt::global<const listed_run> table{};

  SORTILE_DEVICE listed_run get(std::uint64_t i) const { return count <= few ? here[i] : table.load(i); }
  /// Also of runs behind the last.
  SORTILE_DEVICE std::uint64_t start(std::uint64_t i) const {
    if (i >= count)
      return n;
    return count <= few ? here[i].start : table.load(i).start;
  }
  /// The run with element i of all: the last that begins no later and has elements.
  SORTILE_DEVICE std::uint64_t run_of(std::uint64_t i) const {
    return primitives::last_that(0, count - 1, [&](std::uint64_t run) { return start(run) <= i; });
  }
};

/// The runs of a pass: `span` runs of the list each.
struct listed_lengths {
  static constexpr unsigned spare = list_merge_plan::spare_pieces;

  run_list list{};
  std::uint64_t span = 1;

  SORTILE_DEVICE std::uint64_t begin(std::uint64_t i) const { return list.start(i * span); }
  /// `step`: elements of a piece.
  SORTILE_DEVICE std::uint64_t first_piece(std::uint64_t group, unsigned ways, std::uint64_t step) const {
    return group == 0 ? 0 : begin(group * ways) / step + spare * group;
  }
  SORTILE_DEVICE group_piece piece_at(std::uint64_t number, std::uint64_t groups, unsigned ways,
                                      std::uint64_t step) const {
    return groups == 1 ? group_piece{0, 0, number} : found(list.table, span * ways, groups, number, step);
  }

 private:
  /// A call, so that a kernel's registers are not taken from what follows. Of several groups: the list has a table.
  SORTILE_DEVICE_CALL static group_piece found(simt::global<const listed_run> table, std::uint64_t runs,
                                               std::uint64_t groups, std::uint64_t number, std::uint64_t step) {
    const auto first_of = [&](std::uint64_t group) { return table.load(group * runs).start / step + spare * group; };
    std::uint64_t first = 0;
    const std::uint64_t group = primitives::last_that(0, groups - 1, [&](std::uint64_t tried) {
      const std::uint64_t begin = first_of(tried);
      first = begin <= number ? begin : first;
      return begin <= number;
    });
    return {group, first, number - first};
  }
};

// What the merge of a list reads: in the first pass each run where the caller has it, in later ones all runs one behind
// the other in `all`, which is null in the first. of(lengths, i) says where run i of the pass lies, if it has elements.

template <class T>
SORTILE_DEVICE const held<T>* listed_elements(const listed_lengths& l, std::uint64_t i, const held<T>* all,
                                              const void* listed_run::*part) {
  return all != nullptr ? all + l.begin(i) : static_cast<const held<T>*>(l.list.get(i).*part);
}

template <class Key>
struct listed_keys {
  using lengths = listed_lengths;
  struct source {
    const held<Key>* keys;
    std::uint64_t end; // places before it are the run's

    SORTILE_DEVICE source shifted(std::uint64_t by) const { return {keys + std::int64_t(by), end - by}; }
  };
  const held<Key>* all;

  SORTILE_DEVICE source of(const lengths& l, std::uint64_t i) const {
    return {listed_elements<Key>(l, i, all, &listed_run::keys), l.begin(i + 1) - l.begin(i)};
  }
  SORTILE_DEVICE key_alone<Key> load(const source& s, std::uint64_t place) const {
    return {simt::global<const held<Key>>{s.keys, s.end}.load(place)};
  }
  /// Asks the L2 for the line.
  SORTILE_DEVICE void prefetch(const source& s, std::uint64_t place) const {
    simt::prefetch(simt::global<const held<Key>>{s.keys, s.end}, place);
  }
};

template <class Key, class Value>
struct listed_pairs {
  using lengths = listed_lengths;
  struct source {
    const held<Key>* keys;
    const held<Value>* values;
    std::uint64_t first; // number of the element at place 0, through all runs
    std::uint64_t end;

    SORTILE_DEVICE source shifted(std::uint64_t by) const {
      const auto places = std::int64_t(by);
      return {keys + places, values == nullptr ? nullptr : values + places, first + by, end - by};
    }
  };
  const held<Key>* all;
  const held<Value>* all_values;
  bool numbered; ///< in the first pass values are numbers of elements

  SORTILE_DEVICE source of(const lengths& l, std::uint64_t i) const {
    return {listed_elements<Key>(l, i, all, &listed_run::keys),
            numbered ? nullptr : listed_elements<Value>(l, i, all_values, &listed_run::values), l.begin(i),
            l.begin(i + 1) - l.begin(i)};
  }
  SORTILE_DEVICE key_with<Key, Value> load(const source& s, std::uint64_t place) const {
    const held<Key> key = simt::global<const held<Key>>{s.keys, s.end}.load(place);
    if (numbered)
      return {key, __builtin_bit_cast(held<Value>, static_cast<Value>(s.first + place))};
    return {key, simt::global<const held<Value>>{s.values, s.end}.load(place)};
  }
  SORTILE_DEVICE void prefetch(const source& s, std::uint64_t place) const {
    simt::prefetch(simt::global<const held<Key>>{s.keys, s.end}, place);
    if (!numbered)
      simt::prefetch(simt::global<const held<Value>>{s.values, s.end}, place);
  }
};

template <class Key>
listed_keys<Key> keys_of(const listed_keys<Key>& runs) {
  return runs;
}
template <class Key, class Value>
listed_keys<Key> keys_of(const listed_pairs<Key, Value>& runs) {
  return {runs.all};
}

/// Writes a batch of the list to its table: each block an entry. Arguments lie in constant memory, which gives a warp
/// one address at a time, and a multiprocessor waits for each part of it that it has not read yet; so many of them
/// read.
struct list_runs_kernel {
  static constexpr unsigned block_threads = simt::warp_size, batch = 128; // 3 KB of arguments; every device takes 4

  simt::global<listed_run> table;
  std::uint64_t first;
  listed_run runs[batch];

  SORTILE_DEVICE void operator()() const {
    if (simt::thread_index() == 0)
      table.store(first + simt::block_index(), runs[simt::block_index()]);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
