// The groups of a short array, by one block in one launch.
//
//   sort      keys with their places by merging in shared storage, as sample_sort_kernel.hpp does in one block
//   begins    thread t has the elements 4t … 4t + 3; one whose image differs from the one before begins a group, and a
//             scan of the block numbers them
//   write     each element its group and its place; the first of a group what is wanted of the group
//   counts    the groups' beginnings stand in shared storage too: counts are their differences
//
//   sorted    2 2 2 5   7 7 9 9       thread 0, thread 1
//   begins    1 0 0 1   1 0 1 0       2 and 2 of them: thread 1's first group is number 2
//   starts    0 3 4 6 8               counts 3 1 2 2
//
// The sort, find_groups and its counts are four launches that wait for each other, 3 µs each; the work of a few
// thousand keys is less than one of them. The keys are read twice, the second time those that are written.
#pragma once

#include "kernels/groups/group_arrays.hpp"
#include "kernels/sample/sample_elements.hpp"
#include "primitives/block_merge_sort.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Index>
struct short_groups_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = detail::short_groups_threads, min_blocks = 1;
  static constexpr int items = detail::short_groups_items;
  using element = sample_element<Word, true>;
  using packed = packing<Word, element>;

  struct shared {
    alignas(16) simt::shared_array<element, primitives::merge_sort_room<element>(detail::short_groups_room)> elements;
    simt::shared_array<std::uint32_t, detail::short_groups_room + 1> starts; // of the groups, then n
    primitives::block_scan_storage<std::uint32_t, block_threads> scan;
  };

  simt::global<const Word> keys;
  group_arrays<Word, Index> of_groups;
  simt::global<std::uint64_t> groups; // [1]
  key_codec<Word> codec;
  std::uint32_t n;

  SORTILE_DEVICE void operator()(shared& s) const {
    primitives::block_merge_sort<items, element>::sort_loaded(
        s.elements.view(), n, packed::greatest(), [&](std::uint32_t i) { return keys.load(i); },
        [&](Word key, std::uint32_t i) { return packed::pack(codec.image(key), i); });
    simt::block_barrier();
    const std::uint32_t begin = simt::thread_index() * unsigned(items);
    element mine[items];
    bool begins[items];
    std::uint32_t sum = 0;
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i) {
      const std::uint32_t p = begin + unsigned(i);
      begins[i] = p < n;
      if (p < n) {
        mine[i] = at(s, p);
        if (p > 0)
          begins[i] = packed::image(mine[i]) != packed::image(i > 0 ? mine[i > 0 ? i - 1 : 0] : at(s, p - 1));
      }
      sum += begins[i] ? 1 : 0;
    }
    const auto numbers = primitives::block_exclusive_scan(s.scan, sum, primitives::plus{}, std::uint32_t{0});
    std::uint32_t group = numbers.before - 1; // of the element before
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (begin + unsigned(i) < n) {
        group += begins[i] ? 1 : 0;
        write(s, begin + unsigned(i), packed::place(mine[i]), group, begins[i]);
      }
    if (simt::thread_index() == 0) {
      s.starts[numbers.total] = n;
      groups[0] = numbers.total;
      if (is_wanted(of_groups.offsets))
        of_groups.offsets[numbers.total] = Index(n);
    }
    if (!is_wanted(of_groups.counts))
      return;
    simt::block_barrier();
    for (std::uint32_t g = simt::thread_index(); g < numbers.total; g += block_threads)
      of_groups.counts[g] = Index(s.starts.load(g + 1) - s.starts.load(g));
  }

 private:
  static SORTILE_DEVICE element at(shared& s, std::uint32_t i) {
    return s.elements.load(primitives::merge_sort_place<element>(i));
  }
  SORTILE_DEVICE void write(shared& s, std::uint32_t i, std::uint32_t place, std::uint32_t group, bool begins) const {
    if (is_wanted(of_groups.order))
      of_groups.order[i] = Index(place);
    if (is_wanted(of_groups.inverse))
      of_groups.inverse[place] = Index(group);
    if (!begins)
      return;
    s.starts[group] = i;
    if (is_wanted(of_groups.keys))
      of_groups.keys[group] = keys.load(place);
    if (is_wanted(of_groups.first))
      of_groups.first[group] = Index(place);
    if (is_wanted(of_groups.offsets))
      of_groups.offsets[group] = Index(i);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
