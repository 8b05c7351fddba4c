// The sorts and merges by any order that a caller asks for, each an object that knows its workspace and its launches.
#pragma once

#include "kernels/any_order/any_order_sort.hpp"
#include "kernels/any_order/gather_kernel.hpp"
#include "kernels/any_order/merge_list.hpp"

#include <type_traits>

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Key, class Less>
struct sort_keys_by {
  std::uint64_t n;
  const Key* in;
  Key* out;
  Less less;
  any_order_sort<keys_alone<Key>, Less> sort{n, true};

  std::size_t workspace_bytes() const { return sort.workspace_bytes(); }
  void launch(const simt::queue& q, std::byte* workspace) const {
    sort.launch(q, {held_input(in, n), held_output(out, n)}, reinterpret_cast<key_alone<Key>*>(out), less, workspace);
  }
};

template <class Key, class Index, class Less>
struct sort_positions_by {
  std::uint64_t n;
  const Key* in;
  Index* positions;
  Less less;
  any_order_sort<keys_and_positions<Key, Index>, Less> sort{n, false};

  std::size_t workspace_bytes() const { return sort.workspace_bytes(); }
  void launch(const simt::queue& q, std::byte* workspace) const {
    sort.launch(q, {held_input(in, n), held_output(positions, n)}, nullptr, less, workspace);
  }
};

/// Bytes of a key with its value up to which the value travels along. Larger ones are moved once, by position.
inline constexpr std::size_t most_travelling_bytes = 64;

template <class Key, class Value, class Less>
struct sort_pairs_by {
  std::uint64_t n;
  const Key* in;
  const Value* values_in;
  Key* out;
  Value* values_out;
  Less less;
  any_order_sort<keys_and_values<Key, Value>, Less> sort{n, false};

  std::size_t workspace_bytes() const { return sort.workspace_bytes(); }
  void launch(const simt::queue& q, std::byte* workspace) const {
    sort.launch(q, {held_input(in, n), held_output(out, n), held_input(values_in, n), held_output(values_out, n)},
                nullptr, less, workspace);
  }
};

/// positions | the sort's own, then, in place, the elements on their way
template <class Key, class Value, class Less>
struct gather_pairs_by {
  std::uint64_t n;
  const Key* in;
  const Value* values_in;
  Key* out;
  Value* values_out;
  Less less;

  std::size_t workspace_bytes() const {
    const std::size_t element = sizeof(Key) > sizeof(Value) ? sizeof(Key) : sizeof(Value);
    const std::size_t room = in == out ? n * element : 0, own = positions(nullptr).workspace_bytes();
    return own_offset() + (room > own ? room : own);
  }
  void launch(const simt::queue& q, std::byte* workspace) const {
    if (n == 0)
      return;
    auto* const order = reinterpret_cast<std::uint64_t*>(workspace);
    std::byte* const own = workspace + own_offset();
    positions(order).launch(q, own);
    gather(q, values_in, order, values_out, n, own);
    gather(q, in, order, out, n, own);
  }

 private:
  sort_positions_by<Key, std::uint64_t, Less> positions(std::uint64_t* to) const { return {n, in, to, less}; }
  std::size_t own_offset() const {
    arena a;
    a.take(n * sizeof(std::uint64_t));
    return a.bytes();
  }
};

template <class Key, class Value, class Less>
using sort_values_by = std::conditional_t<sizeof(key_with<Key, Value>) <= most_travelling_bytes,
                                          sort_pairs_by<Key, Value, Less>, gather_pairs_by<Key, Value, Less>>;

template <class Key, class Less>
struct merge_by {
  run_sequence runs;
  Key* out;
  Less less;
  list_merge_plan plan = list_merge_plan::of(runs.n, runs.list.size(), sizeof(Key), 0);

  std::size_t workspace_bytes() const { return runs.n == 0 ? 0 : plan.bytes; }
  void launch(const simt::queue& q, std::byte* workspace) const {
    if (runs.n > 0)
      launch_list_merge(q, plan, runs, key_column<Key>{out}, false, less, workspace);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
