// Where the scan saw that all pairs are in order already, or backwards: the output from the input, by the whole grid. A
// copy, or the input from its end (reverse_array.hpp).
#pragma once

#include "kernels/pairs/pair_types.hpp"
#include "kernels/reverse_array.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Value>
struct pairs_at_once {
  static constexpr bool has_values = value_size<Value> != 0;

  const simt::global<const Word>& keys;
  const simt::global<const Value>& values;
  const simt::global<Word>& out;
  const simt::global<Value>& out_values;
  std::uint32_t n;
  bool write_keys, make_indices; // values are the places in the input
  bool copy_keys, copy_values;   // outputs are not the inputs

  SORTILE_DEVICE void copy() const {
    if (copy_keys)
      copy_array(keys, out);
    if constexpr (has_values) {
      if (make_indices) {
        if constexpr (value_size<Value> <= 8)
          for (auto i = std::uint64_t{simt::block_index()} * simt::block_size() + simt::thread_index(); i < n;
               i += std::uint64_t{simt::grid_size()} * simt::block_size())
            out_values[i] = Value(i);
      } else if (copy_values) {
        copy_array(values, out_values);
      }
    }
  }
  SORTILE_DEVICE void reverse() const {
    if (write_keys)
      reverse_array<1>(keys, out, n);
    if constexpr (has_values) {
      if (!make_indices)
        reverse_array<1>(values, out_values, n);
      else if constexpr (value_size<Value> <= 8)
        reversed_indices(out_values, n);
    }
  }

 private:
  template <class T>
  SORTILE_DEVICE void copy_array(const simt::global<const T>& from, const simt::global<T>& to) const {
    constexpr unsigned vector = 16 / sizeof(T);
    const std::uint32_t first = simt::block_index() * simt::block_size() + simt::thread_index(), whole = n / vector;
    for (std::uint64_t i = first; i < whole; i += std::uint64_t{simt::grid_size()} * simt::block_size())
      simt::store_vector<int(vector)>(to, i * vector, simt::load_vector<int(vector)>(from, i * vector));
    const std::uint32_t behind = whole * vector + first;
    if (behind < n && first < vector)
      to[behind] = from.load(behind);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
