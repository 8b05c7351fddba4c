// DeviceRadixSort: sorts keys, and pairs, by the keys' own order or by a decomposer.
//
// Without a decomposer a call is sort_request; with one it is a sort of structs (compare.cuh), of which one small
// kernel is compiled here. A DoubleBuffer of plain keys saves the third copy of the arrays; with a decomposer it does
// not.
#pragma once

#include <sortile/cub/decomposer.cuh>

namespace sortile::cub::inline SORTILE_BACKEND {
namespace detail {

/// Bits that decide, where no decomposer says how many there are.
struct key_bits_given {
  int begin, end;
};

template <class K, class V, class N>
cudaError_t radix_sort(void* d_temp_storage, std::size_t& temp_storage_bytes, const call_arrays<K, V>& arrays,
                       N num_items, order direction, key_bits_given bits, cudaStream_t stream) {
  if constexpr (check_key<K>() && check_value<V>()) {
    const auto sort_of = [&](const call_arrays<K, V>& at) {
      sort_request r = request_of(at, checked_count("num_items", num_items));
      r.input_is_scratch = arrays.double_buffered();
      return r;
    };
    const auto by = [&](options opts) {
      opts.order = direction;
      opts.bits = checked_window(bits.begin, bits.end, key_bits(key_type_of<K>));
      return opts;
    };
    return two_phases(
        d_temp_storage, temp_storage_bytes, stream,
        [&](const options& opts) {
          return enough_anywhere<K, V>(
              [&](const call_arrays<K, V>& at) { return workspace_bytes(sort_of(at), by(opts)); });
        },
        [&](const options& opts) {
          if (run(sort_of(arrays), by(opts)) == result_place::output && num_items > 0)
            arrays.flip();
        });
  } else {
    return cudaErrorInvalidValue;
  }
}

template <class T, class V, class N, class By>
cudaError_t struct_sort(void* d_temp_storage, std::size_t& temp_storage_bytes, const call_arrays<T, V>& arrays,
                        N num_items, order direction, const By& by, cudaStream_t stream) {
  return two_phases(
      d_temp_storage, temp_storage_bytes, stream,
      [&](const options& opts) {
        return enough_anywhere<T, V>([&](const call_arrays<T, V>& at) {
          return workspace_bytes(struct_sort_of(at, checked_count("num_items", num_items), by), opts);
        });
      },
      [&](options opts) {
        opts.order = direction;
        run(struct_sort_of(arrays, checked_count("num_items", num_items), by), opts);
        if (num_items > 0)
          arrays.flip();
      });
}

template <class T, class V, class N, class D>
cudaError_t radix_sort(void* d_temp_storage, std::size_t& temp_storage_bytes, const call_arrays<T, V>& arrays,
                       N num_items, order direction, const D& decomposer, cudaStream_t stream) {
  if constexpr (check_decomposer<T, D>() && check_value<V>())
    return struct_sort(d_temp_storage, temp_storage_bytes, arrays, num_items, direction, by_members<D>{decomposer},
                       stream);
  else
    return cudaErrorInvalidValue;
}

template <class T, class V, class N, class D>
cudaError_t radix_sort(void* d_temp_storage, std::size_t& temp_storage_bytes, const call_arrays<T, V>& arrays,
                       N num_items, order direction, const D& decomposer, key_bits_given bits, cudaStream_t stream) {
  if constexpr (check_decomposer<T, D>() && check_value<V>()) {
    bit_window window;
    try {
      window = checked_window(bits.begin, bits.end, decomposed_bits<D, T>);
    } catch (const error& e) {
      return failed(code_of(e.code()), e.what());
    }
    return struct_sort(d_temp_storage, temp_storage_bytes, arrays, num_items, direction,
                       by_window<D>{{decomposer}, window.begin, window.end}, stream);
  } else {
    return cudaErrorInvalidValue;
  }
}

/// What can be meant as a decomposer, beside the numbers of a bit window.
template <class D>
concept decomposing = !std::convertible_to<D, int>;

} // namespace detail

/// Stable sorts of keys, and of pairs, by the bits [begin_bit, end_bit) of the keys' images; the whole key where they
/// are left out. Keys: every integer type, __half, __nv_bfloat16, float, double; with a decomposer any trivially
/// copyable type. Values: any trivially copyable type. Sizes are of any integer type. The pointers of a call may be the
/// same for input and output, of keys and of values; else the arrays are apart.
///
/// Work O(n · key width), storage O(n); with DoubleBuffers and no decomposer 10 MB and an eighth of the arrays at most.
/// \return cudaErrorInvalidValue for arguments that cannot be, and as call.cuh says
struct DeviceRadixSort {
  template <class K, class N>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in, K* d_keys_out,
                              N num_items, int begin_bit = 0, int end_bit = sizeof(K) * 8,
                              cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys_in, d_keys_out), num_items,
                              order::ascending, {begin_bit, end_bit}, stream);
  }
  template <class K, class N, detail::decomposing D>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in, K* d_keys_out,
                              N num_items, D decomposer, cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys_in, d_keys_out), num_items,
                              order::ascending, decomposer, stream);
  }
  template <class K, class N, detail::decomposing D>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in, K* d_keys_out,
                              N num_items, D decomposer, int begin_bit, int end_bit, cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys_in, d_keys_out), num_items,
                              order::ascending, decomposer, {begin_bit, end_bit}, stream);
  }

  template <class K, class N>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                              N num_items, int begin_bit = 0, int end_bit = sizeof(K) * 8,
                              cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys), num_items,
                              order::ascending, {begin_bit, end_bit}, stream);
  }
  template <class K, class N, detail::decomposing D>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                              N num_items, D decomposer, cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys), num_items,
                              order::ascending, decomposer, stream);
  }
  template <class K, class N, detail::decomposing D>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                              N num_items, D decomposer, int begin_bit, int end_bit, cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys), num_items,
                              order::ascending, decomposer, {begin_bit, end_bit}, stream);
  }

  template <class K, class V, class N>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in, K* d_keys_out,
                               const V* d_values_in, V* d_values_out, N num_items, int begin_bit = 0,
                               int end_bit = sizeof(K) * 8, cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes,
                              detail::arrays_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                              order::ascending, {begin_bit, end_bit}, stream);
  }
  template <class K, class V, class N, detail::decomposing D>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in, K* d_keys_out,
                               const V* d_values_in, V* d_values_out, N num_items, D decomposer,
                               cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes,
                              detail::arrays_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                              order::ascending, decomposer, stream);
  }
  template <class K, class V, class N, detail::decomposing D>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in, K* d_keys_out,
                               const V* d_values_in, V* d_values_out, N num_items, D decomposer, int begin_bit,
                               int end_bit, cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes,
                              detail::arrays_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                              order::ascending, decomposer, {begin_bit, end_bit}, stream);
  }

  template <class K, class V, class N>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                               DoubleBuffer<V>& d_values, N num_items, int begin_bit = 0, int end_bit = sizeof(K) * 8,
                               cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys, d_values), num_items,
                              order::ascending, {begin_bit, end_bit}, stream);
  }
  template <class K, class V, class N, detail::decomposing D>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                               DoubleBuffer<V>& d_values, N num_items, D decomposer, cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys, d_values), num_items,
                              order::ascending, decomposer, stream);
  }
  template <class K, class V, class N, detail::decomposing D>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                               DoubleBuffer<V>& d_values, N num_items, D decomposer, int begin_bit, int end_bit,
                               cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys, d_values), num_items,
                              order::ascending, decomposer, {begin_bit, end_bit}, stream);
  }

  template <class K, class N>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in,
                                        K* d_keys_out, N num_items, int begin_bit = 0, int end_bit = sizeof(K) * 8,
                                        cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys_in, d_keys_out), num_items,
                              order::descending, {begin_bit, end_bit}, stream);
  }
  template <class K, class N, detail::decomposing D>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in,
                                        K* d_keys_out, N num_items, D decomposer, cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys_in, d_keys_out), num_items,
                              order::descending, decomposer, stream);
  }
  template <class K, class N, detail::decomposing D>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in,
                                        K* d_keys_out, N num_items, D decomposer, int begin_bit, int end_bit,
                                        cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys_in, d_keys_out), num_items,
                              order::descending, decomposer, {begin_bit, end_bit}, stream);
  }

  template <class K, class N>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                                        N num_items, int begin_bit = 0, int end_bit = sizeof(K) * 8,
                                        cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys), num_items,
                              order::descending, {begin_bit, end_bit}, stream);
  }
  template <class K, class N, detail::decomposing D>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                                        N num_items, D decomposer, cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys), num_items,
                              order::descending, decomposer, stream);
  }
  template <class K, class N, detail::decomposing D>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                                        N num_items, D decomposer, int begin_bit, int end_bit,
                                        cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys), num_items,
                              order::descending, decomposer, {begin_bit, end_bit}, stream);
  }

  template <class K, class V, class N>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in,
                                         K* d_keys_out, const V* d_values_in, V* d_values_out, N num_items,
                                         int begin_bit = 0, int end_bit = sizeof(K) * 8,
                                         cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes,
                              detail::arrays_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                              order::descending, {begin_bit, end_bit}, stream);
  }
  template <class K, class V, class N, detail::decomposing D>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in,
                                         K* d_keys_out, const V* d_values_in, V* d_values_out, N num_items,
                                         D decomposer, cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes,
                              detail::arrays_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                              order::descending, decomposer, stream);
  }
  template <class K, class V, class N, detail::decomposing D>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in,
                                         K* d_keys_out, const V* d_values_in, V* d_values_out, N num_items,
                                         D decomposer, int begin_bit, int end_bit, cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes,
                              detail::arrays_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                              order::descending, decomposer, {begin_bit, end_bit}, stream);
  }

  template <class K, class V, class N>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                                         DoubleBuffer<V>& d_values, N num_items, int begin_bit = 0,
                                         int end_bit = sizeof(K) * 8, cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys, d_values), num_items,
                              order::descending, {begin_bit, end_bit}, stream);
  }
  template <class K, class V, class N, detail::decomposing D>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                                         DoubleBuffer<V>& d_values, N num_items, D decomposer,
                                         cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys, d_values), num_items,
                              order::descending, decomposer, stream);
  }
  template <class K, class V, class N, detail::decomposing D>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                                         DoubleBuffer<V>& d_values, N num_items, D decomposer, int begin_bit,
                                         int end_bit, cudaStream_t stream = nullptr) {
    return detail::radix_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys, d_values), num_items,
                              order::descending, decomposer, {begin_bit, end_bit}, stream);
  }

  // CUB's calls that allocate by themselves: refused.
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t SortKeys(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t SortPairs(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t SortKeysDescending(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t SortPairsDescending(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
};

} // namespace sortile::cub::inline SORTILE_BACKEND
