// Where no pass of an LSD sort has anything to do, its first launch writes the output at once:
//
//   keys of few values   each as often as it has been counted (value_runs.hpp); keys alone
//   in order             a copy of the input
//   descending           the input from its end (reverse_array.hpp)
//
// By the whole grid. Traffic: one read and one write, or one write.
#pragma once

#include "kernels/lsd/lsd_state.hpp"
#include "kernels/lsd/value_runs.hpp"
#include "kernels/reverse_array.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Copies by the whole grid, 16 bytes a thread where both are aligned to that.
template <class T>
SORTILE_DEVICE void copy_all(const simt::global<const T>& from, const simt::global<T>& to, std::uint64_t n,
                             bool vectors) {
  constexpr int vector = int(16 / sizeof(T));
  const std::uint64_t stride = std::uint64_t{simt::grid_size()} * simt::block_size();
  const std::uint64_t first = std::uint64_t{simt::block_index()} * simt::block_size() + simt::thread_index();
  const std::uint64_t whole = vectors ? n / unsigned(vector) : 0;
  constexpr int in_flight = 4;
  std::uint64_t v = first;
  for (; v + (in_flight - 1) * stride < whole; v += in_flight * stride) {
    simt::vec<T, vector> x[in_flight];
    SORTILE_UNROLL
    for (int k = 0; k < in_flight; ++k)
      x[k] = simt::load_vector<vector>(from, (v + unsigned(k) * stride) * unsigned(vector), simt::streaming);
    SORTILE_UNROLL
    for (int k = 0; k < in_flight; ++k)
      simt::store_vector<vector>(to, (v + unsigned(k) * stride) * unsigned(vector), x[k], simt::streaming);
  }
  for (; v < whole; v += stride)
    simt::store_vector<vector>(to, v * unsigned(vector), simt::load_vector<vector>(from, v * unsigned(vector)));
  for (std::uint64_t i = whole * unsigned(vector) + first; i < n; i += stride)
    to.store(i, from.load(i));
}

/// What the caller wants of keys and values, and what of them may be moved by 16 bytes.
struct lsd_wants {
  bool keys, make_indices;     ///< sorted keys; values that are positions
  bool copy_keys, copy_values; ///< the output is not the input
  bool key_vectors, value_vectors, output_vectors;
};

/// Values of 0 bytes have a type too, but nothing of it is read or written.
template <unsigned Bytes>
struct lsd_value;
template <>
struct lsd_value<0> {
  using type = std::uint8_t;
};
template <>
struct lsd_value<4> {
  using type = std::uint32_t;
};
template <>
struct lsd_value<8> {
  using type = std::uint64_t;
};
template <>
struct lsd_value<16> {
  using type = uint128;
};

template <class Word, unsigned ValueBytes>
struct lsd_write_at_once {
  using value_type = typename lsd_value<ValueBytes>::type;
  static constexpr bool has_values = ValueBytes != 0;
  static constexpr bool counts_suffice = !has_values && detail::lsd_values::of_width<Word>;

  const lsd_arrays<Word>& keys;
  const lsd_arrays<value_type>& values;
  const lsd_wants& wants;
  std::uint64_t n;

  SORTILE_DEVICE void copy() const {
    if (wants.copy_keys)
      copy_all(keys.in, keys.out, n, wants.key_vectors);
    if constexpr (has_values) {
      if (wants.copy_values)
        copy_all(values.in, values.out, n, wants.value_vectors);
      if (wants.make_indices) {
        const std::uint64_t stride = std::uint64_t{simt::grid_size()} * simt::block_size();
        for (auto i = std::uint64_t{simt::block_index()} * simt::block_size() + simt::thread_index(); i < n;
             i += stride)
          values.out.store(i, value_type(i));
      }
    }
  }

  SORTILE_DEVICE void reverse() const {
    if (wants.keys)
      reverse_array<2>(keys.in, keys.out, n);
    if constexpr (has_values) {
      if (wants.make_indices)
        reversed_indices(values.out, n);
      else
        reverse_array<2>(values.in, values.out, n);
    }
  }

  /// `counter`, `scan` and `words` are shared storage.
  template <unsigned Threads>
  SORTILE_DEVICE void
  counted(const value_table<Word>& table, const key_codec<Word>& codec, simt::shared_value<std::uint32_t>& counter,
          typename value_runs<Word, Threads>::scan_storage& scan, const simt::shared_view<std::uint64_t>& words) const {
    static_assert(counts_suffice);
    const value_runs<Word, Threads> sorted{words};
    const auto key_of = [&codec](Word image) {
      return codec.infinity == 0 ? Word(image ^ codec.sign ^ codec.complement) : any_image<Word>(codec).key_of(image);
    };
    const unsigned runs = sorted.find(table, counter, scan, key_of);
    if (wants.output_vectors)
      sorted.template write<int(16 / sizeof(Word))>(keys.out, n, runs);
    else
      sorted.template write<1>(keys.out, n, runs);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
