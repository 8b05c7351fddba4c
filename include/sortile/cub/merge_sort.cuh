// DeviceMergeSort: stable sorts by a functor, in place or as a copy.
//
// Each call is a sort by a comparison (compare.cuh), all of whose kernels are compiled in this translation unit; keys
// of up to 64 bytes. CUB's own functors need not be const, so each comparison calls a copy, which costs nothing where
// the functor is small.
#pragma once

#include <sortile/cub/call.cuh>

namespace sortile::cub::inline SORTILE_BACKEND {
namespace detail {

template <class T, class Op>
struct compared_by {
  Op compare_op;

  SORTILE_DEVICE bool operator()(const T& a, const T& b) const {
    Op before = compare_op;
    return static_cast<bool>(before(a, b));
  }
};

template <class T, class Op>
constexpr bool check_comparison() {
  constexpr bool compares = requires(Op & before, const T& t) {
    static_cast<bool>(before(t, t));
  };
  static_assert(compares, "sortile: compare_op must be callable with two keys, and say whether the first comes before "
                          "the second");
  static_assert(std::is_trivially_copyable_v<Op>,
                "sortile: compare_op is copied to the device as bytes and must be trivially copyable");
  static_assert(value<T>, "sortile: keys are moved as bytes and must be trivially copyable");
  return compares && std::is_trivially_copyable_v<Op> && value<T>;
}

template <class K, class V, class Op>
auto comparison_sort_of(const call_arrays<K, V>& arrays, std::size_t n, const Op& compare_op) {
  const std::span<const K> in(arrays.keys_in, n);
  const std::span<K> out(arrays.keys_out, n);
  const auto by = on_device(compared_by<K, Op>{compare_op});
  if constexpr (call_arrays<K, V>::has_values)
    return make_comparison_sort(in, std::span<const V>(arrays.values_in, n), out, std::span<V>(arrays.values_out, n),
                                by);
  else
    return make_comparison_sort(in, out, by);
}

template <class K, class V, class N, class Op>
cudaError_t merge_sort(void* d_temp_storage, std::size_t& temp_storage_bytes, const call_arrays<K, V>& arrays,
                       N num_items, const Op& compare_op, cudaStream_t stream) {
  if constexpr (check_comparison<K, Op>() && check_value<V>())
    return two_phases(
        d_temp_storage, temp_storage_bytes, stream,
        [&](const options& opts) {
          return enough_anywhere<K, V>([&](const call_arrays<K, V>& at) {
            return workspace_bytes(comparison_sort_of(at, checked_count("num_items", num_items), compare_op), opts);
          });
        },
        [&](const options& opts) {
          run(comparison_sort_of(arrays, checked_count("num_items", num_items), compare_op), opts);
        });
  else
    return cudaErrorInvalidValue;
}

template <class In, class Out, class N, class Op>
cudaError_t merge_sort_at(void* d_temp_storage, std::size_t& temp_storage_bytes, In in, Out out, N num_items,
                          const Op& compare_op, cudaStream_t stream) {
  if constexpr (check_arrays<In, Out>() && check_same<In, Out>())
    return merge_sort(d_temp_storage, temp_storage_bytes, arrays_of(as_input(in), std::to_address(out)), num_items,
                      compare_op, stream);
  else
    return cudaErrorInvalidValue;
}

template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut, class N, class Op>
cudaError_t merge_sort_at(void* d_temp_storage, std::size_t& temp_storage_bytes, KeysIn keys_in, ValuesIn values_in,
                          KeysOut keys_out, ValuesOut values_out, N num_items, const Op& compare_op,
                          cudaStream_t stream) {
  if constexpr (check_arrays<KeysIn, ValuesIn, KeysOut, ValuesOut>() && check_same<KeysIn, KeysOut>() &&
                check_same<ValuesIn, ValuesOut>())
    return merge_sort(
        d_temp_storage, temp_storage_bytes,
        arrays_of(as_input(keys_in), std::to_address(keys_out), as_input(values_in), std::to_address(values_out)),
        num_items, compare_op, stream);
  else
    return cudaErrorInvalidValue;
}

} // namespace detail

/// Stable sorts so that compare_op(later, earlier) holds for no two keys; those called Stable… are the same. Keys of
/// any trivially copyable type of up to 64 bytes, values of any. A functor that is no strict weak order gives some
/// permutation, and nothing worse. Storage: docs/compare.md.
struct DeviceMergeSort {
  template <class KeyIterator, class N, class Op>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, KeyIterator d_keys, N num_items,
                              Op compare_op, cudaStream_t stream = nullptr) {
    return detail::merge_sort_at(d_temp_storage, temp_storage_bytes, d_keys, d_keys, num_items, compare_op, stream);
  }
  template <class KeyInputIterator, class KeyIterator, class N, class Op>
  static cudaError_t SortKeysCopy(void* d_temp_storage, std::size_t& temp_storage_bytes, KeyInputIterator d_input_keys,
                                  KeyIterator d_output_keys, N num_items, Op compare_op,
                                  cudaStream_t stream = nullptr) {
    return detail::merge_sort_at(d_temp_storage, temp_storage_bytes, d_input_keys, d_output_keys, num_items, compare_op,
                                 stream);
  }
  template <class KeyIterator, class ValueIterator, class N, class Op>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, KeyIterator d_keys,
                               ValueIterator d_values, N num_items, Op compare_op, cudaStream_t stream = nullptr) {
    return detail::merge_sort_at(d_temp_storage, temp_storage_bytes, d_keys, d_values, d_keys, d_values, num_items,
                                 compare_op, stream);
  }
  template <class KeyInputIterator, class ValueInputIterator, class KeyIterator, class ValueIterator, class N, class Op>
  static cudaError_t SortPairsCopy(void* d_temp_storage, std::size_t& temp_storage_bytes, KeyInputIterator d_input_keys,
                                   ValueInputIterator d_input_values, KeyIterator d_output_keys,
                                   ValueIterator d_output_values, N num_items, Op compare_op,
                                   cudaStream_t stream = nullptr) {
    return detail::merge_sort_at(d_temp_storage, temp_storage_bytes, d_input_keys, d_input_values, d_output_keys,
                                 d_output_values, num_items, compare_op, stream);
  }

  template <class KeyIterator, class N, class Op>
  static cudaError_t StableSortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, KeyIterator d_keys,
                                    N num_items, Op compare_op, cudaStream_t stream = nullptr) {
    return detail::merge_sort_at(d_temp_storage, temp_storage_bytes, d_keys, d_keys, num_items, compare_op, stream);
  }
  template <class KeyInputIterator, class KeyIterator, class N, class Op>
  static cudaError_t StableSortKeysCopy(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                        KeyInputIterator d_input_keys, KeyIterator d_output_keys, N num_items,
                                        Op compare_op, cudaStream_t stream = nullptr) {
    return detail::merge_sort_at(d_temp_storage, temp_storage_bytes, d_input_keys, d_output_keys, num_items, compare_op,
                                 stream);
  }
  template <class KeyIterator, class ValueIterator, class N, class Op>
  static cudaError_t StableSortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, KeyIterator d_keys,
                                     ValueIterator d_values, N num_items, Op compare_op,
                                     cudaStream_t stream = nullptr) {
    return detail::merge_sort_at(d_temp_storage, temp_storage_bytes, d_keys, d_values, d_keys, d_values, num_items,
                                 compare_op, stream);
  }

  // CUB's calls that allocate by themselves: refused.
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t SortKeys(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t SortKeysCopy(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t SortPairs(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t SortPairsCopy(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t StableSortKeys(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t StableSortKeysCopy(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t StableSortPairs(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
};

} // namespace sortile::cub::inline SORTILE_BACKEND
