// Between the checked request and the kernels: how a sort of pairs is cut, where its tables lie in the workspace. The
// launches are declared for each backend and defined in sort_pairs_u32.cu and sort_pairs_u64.cu.
#pragma once

#include "kernels/pairs/sort_pairs.hpp"

#include <algorithm>
#include <bit>

namespace sortile::kernels::detail {

struct sort_pairs_plan {
  static constexpr unsigned most_bits = 16, most_bits_at_once = 8, most_chunks = 132;
  static constexpr std::uint64_t bucket_pairs = 4096,
                                 chunk_pairs = 1024; // the second: at least, where there are several

  unsigned first_bits, second_bits; ///< of the two partitions; 0: left out

  std::uint32_t bins() const { return 1u << (first_bits + second_bits); }
  std::uint32_t coarse() const { return 1u << first_bits; }
  std::uint32_t fine() const { return 1u << second_bits; }
  static std::uint32_t chunks(std::uint64_t n) {
    return std::uint32_t(std::clamp<std::uint64_t>(n / chunk_pairs, 1, most_chunks));
  }

  static sort_pairs_plan of(std::uint64_t n, unsigned partition_bits) {
    unsigned bits = partition_bits;
    if (bits > most_bits) { // follows n
      const auto buckets = (n + bucket_pairs - 1) / bucket_pairs;
      bits = n <= sort_pairs_small ? 0 : std::min(most_bits, unsigned(std::bit_width(buckets - 1)));
    }
    const unsigned first = bits <= most_bits_at_once ? bits : (bits + 1) / 2;
    return {first, bits - first};
  }
};

/// Byte offsets.
struct sort_pairs_layout {
  static constexpr std::size_t alignment = 128;
  static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

  std::size_t findings, spread, order, start, count, left, coarse, fine, keys, work_keys, values, bytes;

  template <class Word>
  static sort_pairs_layout of(const sort_pairs_plan& p, const sort_pairs_request<Word>& r) {
    sort_pairs_layout l{};
    if (p.bins() == 1)
      return l;
    std::size_t at = 0;
    const auto take = [&at](std::size_t bytes) { return (at += rounded(bytes)) - rounded(bytes); };
    const std::size_t bins = p.bins(), rows = sort_pairs_plan::chunks(r.n), n = std::size_t(r.n);
    l.findings = take(alignment);
    l.spread = take(alignment);
    l.order = take(rows * 4);
    l.start = take((bins + 1) * 4);
    l.count = take(bins * 4);
    l.left = take(bins * 4);
    l.fine = take(rows * bins * 4);
    l.coarse = p.second_bits == 0 ? l.fine : take(rows * p.coarse() * 4);
    l.keys = take(r.input_is_scratch ? 0 : n * sizeof(Word));
    l.work_keys = take(r.keys_out == nullptr ? n * sizeof(Word) : 0);
    l.values = take(r.input_is_scratch ? 0 : n * r.value_bytes);
    l.bytes = at;
    return l;
  }
};

template <class Backend, class Word>
SORTILE_LAUNCH void launch_sort_pairs(const simt::queue& q, const sort_pairs_request<Word>& request,
                                      const sort_pairs_plan& plan);

} // namespace sortile::kernels::detail
