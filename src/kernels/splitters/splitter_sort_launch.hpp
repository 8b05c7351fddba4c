// Between the checked request and the kernels: how a sort between splitters is cut, where its tables lie in the
// workspace. The launches are declared for each backend and defined in the .cu files, one for each key width.
#pragma once

#include "kernels/pairs/sort_pairs_launch.hpp"
#include "kernels/splitters/splitter_sort.hpp"

namespace sortile::kernels::detail {

/// As of a sort of pairs, with two partitions always.
inline sort_pairs_plan splitter_plan_of(std::uint64_t n, unsigned partition_bits) {
  auto p = sort_pairs_plan::of(n, partition_bits);
  const unsigned bits = std::max(p.first_bits + p.second_bits, 2u);
  p.first_bits = (bits + 1) / 2;
  p.second_bits = bits - p.first_bits;
  return p;
}

/// Byte offsets.
struct splitter_layout {
  static constexpr std::size_t alignment = sort_pairs_layout::alignment;
  template <class Word>
  static constexpr std::size_t bytes_of_spread = 2 * sizeof(Word) + 16; ///< at most

  std::size_t findings, order, coarse_start, coarse_cuts, count, left, most, cuts, start, spreads, fine, keys,
      work_keys, values, bytes;

  template <class Word>
  static splitter_layout of(const sort_pairs_plan& p, const sort_pairs_request<Word>& r) {
    splitter_layout l{};
    std::size_t at = 0;
    const auto take = [&at](std::size_t bytes) {
      return (at += sort_pairs_layout::rounded(bytes)) - sort_pairs_layout::rounded(bytes);
    };
    const std::size_t bins = p.bins(), rows = sort_pairs_plan::chunks(r.n), n = std::size_t(r.n);
    l.findings = take(alignment);
    l.order = take(rows * 4);
    l.coarse_start = take((p.coarse() + 1) * 4);
    l.coarse_cuts = take(p.coarse() * sizeof(Word));
    l.count = take(bins * 4);
    l.left = take(bins * 4);
    l.most = take(bins * 4);
    l.cuts = take(bins * sizeof(Word));
    l.start = take((bins + 1) * 4);
    l.spreads = take(bins * bytes_of_spread<Word>);
    l.fine = take(rows * bins * 4); // of the first level first
    l.keys = take(r.input_is_scratch ? 0 : n * sizeof(Word));
    l.work_keys = take(r.keys_out == nullptr ? n * sizeof(Word) : 0);
    l.values = take(r.input_is_scratch ? 0 : n * r.value_bytes);
    l.bytes = at;
    return l;
  }
};

template <class Backend, class Word>
SORTILE_LAUNCH void launch_splitter_sort(const simt::queue& q, const splitter_sort_request<Word>& request,
                                         const sort_pairs_plan& plan);

} // namespace sortile::kernels::detail
