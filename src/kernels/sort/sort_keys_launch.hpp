// Between the checked request and the kernels: how a sort of keys is cut, where its tables lie in the workspace. The
// launches are declared for each backend and defined in the .cu files.
#pragma once

#include "kernels/sort/sort_keys.hpp"

#include <algorithm>
#include <bit>

namespace sortile::kernels::detail {

struct sort_keys_plan {
  static constexpr unsigned most_bits = 16, most_bits_at_once = 8;
  static constexpr std::uint64_t bucket_keys = 4096;
  static constexpr std::uint64_t least_counted = (bucket_keys << (most_bits - 1)) + 1; ///< 32-bit keys
  /// As many keys as one block sorts in one launch.
  template <class Word>
  static constexpr std::uint64_t one_block = sizeof(Word) == 4   ? 8192
                                             : sizeof(Word) == 8 ? 6144
                                                                 : 4096;

  unsigned first_bits, second_bits; ///< of the two partitions; 0: left out
  bool in_one_block;
  bool counts; ///< buckets have few enough values to be counted, so that no keys are too crowded

  std::uint32_t bins() const { return 1u << (first_bits + second_bits); }
  std::uint32_t coarse() const { return 1u << first_bits; }
  std::uint32_t fine() const { return 1u << second_bits; }

  template <class Word>
  static sort_keys_plan of(std::uint64_t n, unsigned partition_bits) {
    unsigned bits = partition_bits;
    const bool follows_n = bits > most_bits;
    if (follows_n && n <= one_block<Word>)
      return {0, 0, true, false};
    if (follows_n)
      bits = std::min(most_bits, unsigned(std::bit_width((n + bucket_keys - 1) / bucket_keys - 1)));
    const unsigned first = bits <= most_bits_at_once ? bits : (bits + 1) / 2;
    return {first, bits - first, false, sizeof(Word) == 4 && bits == most_bits};
  }
};

/// Byte offsets. What has to be zero before the look stands at the front: the list of buckets left is where the second
/// look counts, long before.
struct sort_keys_layout {
  static constexpr std::size_t alignment = 128;
  static constexpr std::uint32_t least_giant = sort_keys_request<std::uint32_t>::least_giant;
  static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

  std::size_t window, count, left, start, coarse_next, coarse_left, fine_next, fine_left, giants, keys, bytes;

  /// Of so many keys, in buckets that are giant from `least` keys on.
  static std::uint64_t most_giants(std::uint64_t n, std::uint32_t least) { return n / least; }

  template <class Word>
  static sort_keys_layout of(const sort_keys_plan& p, std::uint64_t n, bool input_is_scratch) {
    const std::size_t bins = rounded(std::size_t{p.bins()} * 4), coarse = rounded(std::size_t{p.coarse()} * 4);
    sort_keys_layout l{};
    if (p.in_one_block)
      return l;
    l.count = alignment;
    l.left = l.count + bins;
    l.start = l.left + bins;
    l.coarse_next = l.start + bins + alignment;
    l.coarse_left = l.coarse_next + coarse;
    l.fine_next = l.coarse_left + coarse;
    l.fine_left = l.fine_next + bins;
    l.window = l.fine_left + bins;
    l.giants = l.window + alignment;
    l.keys = l.giants + (p.counts ? rounded(3 * (most_giants(n, least_giant) + 1) * 4) : 0);
    l.bytes = l.keys + (input_is_scratch ? 0 : rounded(std::size_t(n) * sizeof(Word)));
    return l;
  }
};

template <class Backend, class Word>
SORTILE_LAUNCH void launch_sort_keys(const simt::queue& q, const sort_keys_request<Word>& request,
                                     const sort_keys_plan& plan);
/// The same where the codec is that of floats; by a plan that counts.
template <class Backend>
SORTILE_LAUNCH void launch_sort_floats(const simt::queue& q, const sort_keys_request<std::uint32_t>& request,
                                       const sort_keys_plan& plan);

} // namespace sortile::kernels::detail
