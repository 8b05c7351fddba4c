// DeviceSegmentedSort and DeviceSegmentedRadixSort: many sorts in one call, each of a part of one array.
//
// Both are segmented_request (segments.hpp): offsets are read on the device when the work is done. Where the ends are
// the begins one place on, which is how neighbouring segments are mostly given, each offset is read once.
#pragma once

#include <sortile/cub/call.cuh>

namespace sortile::cub::inline SORTILE_BACKEND {
namespace detail {

/// Whether begins and ends are arrays of offsets; where they are not, the compilation ends here.
template <class Begins, class Ends>
constexpr bool check_offsets() {
  if constexpr (is_pointer_like<Begins> && is_pointer_like<Ends>) {
    constexpr bool fits = segment_offset<std::iter_value_t<Begins>> && segment_offset<std::iter_value_t<Ends>> &&
                          sizeof(std::iter_value_t<Begins>) == sizeof(std::iter_value_t<Ends>);
    static_assert(fits, "sortile: begin and end offsets must be integers of one width, of 32 or 64 bits");
    return fits;
  } else {
    static_assert(
        sortile::detail::never<Begins>,
        "sortile: segment offsets are given as pointers to device memory; iterators that compute them are not "
        "taken (for segments of one length sortile::segments::rows needs no offsets)");
    return false;
  }
}

template <class V>
constexpr bool check_segment_value() {
  constexpr bool fits = std::is_same_v<V, NullType> || sizeof(V) == 4 || sizeof(V) == 8 || sizeof(V) == 16;
  static_assert(fits,
                "sortile: values that are sorted within segments must have 4, 8 or 16 bytes; others follow by their "
                "positions, sorted as values");
  return check_value<V>() && fits;
}

template <class Begins, class Ends>
segments segments_between(std::int64_t num_segments, Begins begin_offsets, Ends end_offsets) {
  const auto* const begins = std::to_address(begin_offsets);
  const auto* const ends = std::to_address(end_offsets);
  const bool neighbours = begins != nullptr && static_cast<const void*>(begins + 1) == static_cast<const void*>(ends);
  return {.form = neighbours ? segment_form::offsets : segment_form::ranges,
          .count = checked_count("num_segments", num_segments),
          .begins = begins,
          .ends = neighbours ? nullptr : ends,
          .offset_bytes = sizeof(*begins)};
}

template <class K, class V, class Begins, class Ends>
cudaError_t segmented_sort(void* d_temp_storage, std::size_t& temp_storage_bytes, const call_arrays<K, V>& arrays,
                           std::int64_t num_items, std::int64_t num_segments, Begins begins, Ends ends, order direction,
                           cudaStream_t stream, int begin_bit = 0, int end_bit = 8 * sizeof(K)) {
  if constexpr (check_key<K>() && check_segment_value<V>() && check_offsets<Begins, Ends>()) {
    const auto by = [&](options opts) {
      opts.order = direction;
      opts.bits = checked_window(begin_bit, end_bit, key_bits(key_type_of<K>));
      return opts;
    };
    return two_phases(
        d_temp_storage, temp_storage_bytes, stream,
        [&](const options& opts) {
          segments where = segments_between(num_segments, begins, ends);
          where.begins = where.ends = nullptr; // the size depends on no address
          const sort_request nowhere = request_of(call_arrays<K, V>{}, checked_count("num_items", num_items));
          return workspace_bytes(segmented_request{nowhere, where}, by(opts));
        },
        [&](const options& opts) {
          run(segmented_request{request_of(arrays, checked_count("num_items", num_items)),
                                segments_between(num_segments, begins, ends)},
              by(opts));
          if (num_items > 0 && num_segments > 0)
            arrays.flip();
        });
  } else {
    return cudaErrorInvalidValue;
  }
}

} // namespace detail

/// Stable sorts of the keys, or pairs, of each segment [d_begin_offsets[i], d_end_offsets[i]), i < num_segments; those
/// called Stable… are the same. Segments may be empty, and are any mix of lengths; they do not overlap. What lies in no
/// segment is neither read nor written. With DoubleBuffers the result is in the other buffers, where elements outside
/// of all segments are those that were there. Offsets are pointers to integers of 32 or 64 bits in device memory. Keys
/// as DeviceRadixSort takes without a decomposer; values of 4, 8 or 16 bytes, aligned to that.
struct DeviceSegmentedSort {
  template <class K, class Begins, class Ends>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in, K* d_keys_out,
                              std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                              Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys_in, d_keys_out),
                                  num_items, num_segments, d_begin_offsets, d_end_offsets, order::ascending, stream);
  }
  template <class K, class Begins, class Ends>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                              std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                              Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::ascending, stream);
  }
  template <class K, class V, class Begins, class Ends>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in, K* d_keys_out,
                               const V* d_values_in, V* d_values_out, std::int64_t num_items, std::int64_t num_segments,
                               Begins d_begin_offsets, Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes,
                                  detail::arrays_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::ascending, stream);
  }
  template <class K, class V, class Begins, class Ends>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                               DoubleBuffer<V>& d_values, std::int64_t num_items, std::int64_t num_segments,
                               Begins d_begin_offsets, Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys, d_values), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::ascending, stream);
  }
  template <class K, class Begins, class Ends>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in,
                                        K* d_keys_out, std::int64_t num_items, std::int64_t num_segments,
                                        Begins d_begin_offsets, Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys_in, d_keys_out),
                                  num_items, num_segments, d_begin_offsets, d_end_offsets, order::descending, stream);
  }
  template <class K, class Begins, class Ends>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                                        std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                                        Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::descending, stream);
  }
  template <class K, class V, class Begins, class Ends>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in,
                                         K* d_keys_out, const V* d_values_in, V* d_values_out, std::int64_t num_items,
                                         std::int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                                         cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes,
                                  detail::arrays_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::descending, stream);
  }
  template <class K, class V, class Begins, class Ends>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                                         DoubleBuffer<V>& d_values, std::int64_t num_items, std::int64_t num_segments,
                                         Begins d_begin_offsets, Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys, d_values), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::descending, stream);
  }

  template <class K, class Begins, class Ends>
  static cudaError_t StableSortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in,
                                    K* d_keys_out, std::int64_t num_items, std::int64_t num_segments,
                                    Begins d_begin_offsets, Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys_in, d_keys_out),
                                  num_items, num_segments, d_begin_offsets, d_end_offsets, order::ascending, stream);
  }
  template <class K, class Begins, class Ends>
  static cudaError_t StableSortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                                    std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                                    Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::ascending, stream);
  }
  template <class K, class V, class Begins, class Ends>
  static cudaError_t StableSortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in,
                                     K* d_keys_out, const V* d_values_in, V* d_values_out, std::int64_t num_items,
                                     std::int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                                     cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes,
                                  detail::arrays_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::ascending, stream);
  }
  template <class K, class V, class Begins, class Ends>
  static cudaError_t StableSortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                                     DoubleBuffer<V>& d_values, std::int64_t num_items, std::int64_t num_segments,
                                     Begins d_begin_offsets, Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys, d_values), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::ascending, stream);
  }
  template <class K, class Begins, class Ends>
  static cudaError_t StableSortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in,
                                              K* d_keys_out, std::int64_t num_items, std::int64_t num_segments,
                                              Begins d_begin_offsets, Ends d_end_offsets,
                                              cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys_in, d_keys_out),
                                  num_items, num_segments, d_begin_offsets, d_end_offsets, order::descending, stream);
  }
  template <class K, class Begins, class Ends>
  static cudaError_t StableSortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                              DoubleBuffer<K>& d_keys, std::int64_t num_items,
                                              std::int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                                              cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::descending, stream);
  }
  template <class K, class V, class Begins, class Ends>
  static cudaError_t
  StableSortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in, K* d_keys_out,
                            const V* d_values_in, V* d_values_out, std::int64_t num_items, std::int64_t num_segments,
                            Begins d_begin_offsets, Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes,
                                  detail::arrays_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::descending, stream);
  }
  template <class K, class V, class Begins, class Ends>
  static cudaError_t
  StableSortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                            DoubleBuffer<V>& d_values, std::int64_t num_items, std::int64_t num_segments,
                            Begins d_begin_offsets, Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys, d_values), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::descending, stream);
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
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t StableSortKeys(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t StableSortPairs(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t StableSortKeysDescending(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t StableSortPairsDescending(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
};

/// The same, by the bits [begin_bit, end_bit) of the keys' images.
struct DeviceSegmentedRadixSort {
  template <class K, class Begins, class Ends>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in, K* d_keys_out,
                              std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                              Ends d_end_offsets, int begin_bit = 0, int end_bit = sizeof(K) * 8,
                              cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys_in, d_keys_out),
                                  num_items, num_segments, d_begin_offsets, d_end_offsets, order::ascending, stream,
                                  begin_bit, end_bit);
  }
  template <class K, class Begins, class Ends>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                              std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                              Ends d_end_offsets, int begin_bit = 0, int end_bit = sizeof(K) * 8,
                              cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::ascending, stream, begin_bit,
                                  end_bit);
  }
  template <class K, class V, class Begins, class Ends>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in, K* d_keys_out,
                               const V* d_values_in, V* d_values_out, std::int64_t num_items, std::int64_t num_segments,
                               Begins d_begin_offsets, Ends d_end_offsets, int begin_bit = 0,
                               int end_bit = sizeof(K) * 8, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(
        d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys_in, d_keys_out, d_values_in, d_values_out),
        num_items, num_segments, d_begin_offsets, d_end_offsets, order::ascending, stream, begin_bit, end_bit);
  }
  template <class K, class V, class Begins, class Ends>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                               DoubleBuffer<V>& d_values, std::int64_t num_items, std::int64_t num_segments,
                               Begins d_begin_offsets, Ends d_end_offsets, int begin_bit = 0,
                               int end_bit = sizeof(K) * 8, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys, d_values), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::ascending, stream, begin_bit,
                                  end_bit);
  }
  template <class K, class Begins, class Ends>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in,
                                        K* d_keys_out, std::int64_t num_items, std::int64_t num_segments,
                                        Begins d_begin_offsets, Ends d_end_offsets, int begin_bit = 0,
                                        int end_bit = sizeof(K) * 8, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys_in, d_keys_out),
                                  num_items, num_segments, d_begin_offsets, d_end_offsets, order::descending, stream,
                                  begin_bit, end_bit);
  }
  template <class K, class Begins, class Ends>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                                        std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                                        Ends d_end_offsets, int begin_bit = 0, int end_bit = sizeof(K) * 8,
                                        cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::descending, stream, begin_bit,
                                  end_bit);
  }
  template <class K, class V, class Begins, class Ends>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const K* d_keys_in,
                                         K* d_keys_out, const V* d_values_in, V* d_values_out, std::int64_t num_items,
                                         std::int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                                         int begin_bit = 0, int end_bit = sizeof(K) * 8,
                                         cudaStream_t stream = nullptr) {
    return detail::segmented_sort(
        d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys_in, d_keys_out, d_values_in, d_values_out),
        num_items, num_segments, d_begin_offsets, d_end_offsets, order::descending, stream, begin_bit, end_bit);
  }
  template <class K, class V, class Begins, class Ends>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<K>& d_keys,
                                         DoubleBuffer<V>& d_values, std::int64_t num_items, std::int64_t num_segments,
                                         Begins d_begin_offsets, Ends d_end_offsets, int begin_bit = 0,
                                         int end_bit = sizeof(K) * 8, cudaStream_t stream = nullptr) {
    return detail::segmented_sort(d_temp_storage, temp_storage_bytes, detail::arrays_of(d_keys, d_values), num_items,
                                  num_segments, d_begin_offsets, d_end_offsets, order::descending, stream, begin_bit,
                                  end_bit);
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
