// Between the checked request and the kernels: how the window is cut into digits, which arrays a sort goes through,
// where everything lies in the workspace. The launches are declared for each backend and defined in the .cu files, one
// for each key width.
#pragma once

#include "kernels/lsd/lsd_sort.hpp"

#include <algorithm>

namespace sortile::kernels::detail {

struct lsd_plan {
  static constexpr unsigned most_digit_bits = 8, radix = 256, most_passes = 16;

  unsigned digit_bits, passes; ///< passes of the same width, the last perhaps narrower; none for an empty window
  std::uint32_t tile_keys, tiles, portion_tiles;
  lsd_tiles shape; ///< of the tiles, not follow_n

  std::uint32_t portions() const { return (tiles + portion_tiles - 1) / portion_tiles; }
};

/// Large tiles write longer runs, small ones keep all multiprocessors busy where there are few tiles, and fit the 163
/// KB of sm_80. Around 2^20 keys, which are 8192 a multiprocessor, broad ones of so many take no longer than two or
/// three small ones, and have half the words of look-back or fewer. In between runs may be shorter: up to 128 MB of
/// pairs two blocks a multiprocessor of a middle tile each are quicker than one of a large one; and of a few tiles a
/// block the last one counts, so keys alone have slightly smaller tiles, by as many blocks, that 2^22 … 2^24 of them
/// fill evenly. Measured on the H100 with CUDA 13.0 (docs/performance-log-gpu.md).
template <class Word>
struct lsd_shape {
  unsigned threads, blocks; ///< blocks a multiprocessor
  int items;
  constexpr std::uint32_t keys() const { return threads * unsigned(items); }

  /// What a key and its value take together.
  static constexpr bool three_registers(unsigned value_bytes) {
    return value_bytes != 0 && (sizeof(Word) + 3) / 4 + value_bytes / 4 == 3;
  }
  static constexpr lsd_shape of(lsd_tiles tiles, unsigned value_bytes) {
    const unsigned wide = std::max({unsigned(sizeof(Word)), value_bytes, 4u});
    if (tiles == lsd_tiles::small)
      return {512, 2, wide == 4 ? 8 : wide == 8 ? 6 : 4};
    if (tiles == lsd_tiles::broad)
      return {1024, 1, 8};
    if (value_bytes == 0 && tiles == lsd_tiles::middle)
      return wide == 4 ? lsd_shape{512, 2, 16} : lsd_shape{768, 1, 14};
    if (value_bytes == 0)
      return wide == 4 ? lsd_shape{512, 2, 20} : wide == 8 ? lsd_shape{768, 1, 16} : lsd_shape{768, 1, 8};
    if (wide == 4)
      return tiles == lsd_tiles::middle ? lsd_shape{512, 2, 16} : lsd_shape{1024, 1, 20};
    const int items = three_registers(value_bytes) ? 10 : wide == 8 ? 12 : 6;
    return tiles == lsd_tiles::middle ? lsd_shape{512, 2, items} : lsd_shape{1024, 1, items};
  }
};

/// Which of a sort's two arrays a pass writes (lsd_sort.hpp): alternating towards the output where the input is
/// neither, or from the first pass on.
enum class lsd_route { ends_in_output, starts_in_spare, starts_in_output };

/// Byte offsets. What has to be zero before the look, [0, portions), stands at the front; what has to be before the
/// first pass, [portions, keys), behind it.
struct lsd_layout {
  static constexpr std::size_t alignment = 128;
  static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

  std::size_t findings, tickets, counts, portions, status;
  std::size_t keys, more_keys, values, bytes; ///< spare arrays; equal to what follows if left out
};

template <class Word>
constexpr bool lsd_has_middle_tiles = sizeof(Word) == 4 || sizeof(Word) == 8;

template <class Word>
constexpr bool lsd_has_broad_tiles(unsigned value_bytes) {
  return lsd_has_middle_tiles<Word> && value_bytes <= 8;
}

template <class Word>
lsd_tiles lsd_tiles_for(const lsd_request<Word>& r) {
  constexpr std::uint64_t least_broad = (1u << 19) + 1, middle_keys = 1u << 24,
                          middle_bytes = 1u << 27; // bytes of pairs
  const std::uint64_t most_small = r.value_bytes == 0 && !lsd_has_middle_tiles<Word> ? 1u << 21 : 1u << 20;
  const bool has_broad = lsd_has_broad_tiles<Word>(r.value_bytes);
  if (r.tiles == lsd_tiles::middle && !lsd_has_middle_tiles<Word>)
    return lsd_tiles::large;
  if (r.tiles == lsd_tiles::broad && !has_broad)
    return lsd_tiles::small;
  if (r.tiles != lsd_tiles::follow_n)
    return r.tiles;
  if (r.architecture < 90 || r.n <= most_small)
    return has_broad && r.architecture >= 90 && r.n >= least_broad ? lsd_tiles::broad : lsd_tiles::small;
  const bool fits = r.value_bytes == 0 ? r.n <= middle_keys : r.n * (sizeof(Word) + r.value_bytes) <= middle_bytes;
  return fits && lsd_has_middle_tiles<Word> ? lsd_tiles::middle : lsd_tiles::large;
}

template <class Word>
lsd_plan plan_lsd(const lsd_request<Word>& r) {
  lsd_plan p{};
  p.passes = (r.codec.bits + lsd_plan::most_digit_bits - 1) / lsd_plan::most_digit_bits;
  p.digit_bits = p.passes == 0 ? 0 : (r.codec.bits + p.passes - 1) / p.passes;
  p.shape = lsd_tiles_for(r);
  p.tile_keys = lsd_shape<Word>::of(p.shape, r.value_bytes).keys();
  p.tiles = std::uint32_t((r.n + p.tile_keys - 1) / p.tile_keys);
  const std::uint32_t most = ((1u << 30) - 1) / p.tile_keys; // counts of 30 bits
  p.portion_tiles = r.portion_tiles == 0 ? most : std::min(most, r.portion_tiles);
  return p;
}

/// The array beside keys_out that passes go through, where it is not the input; and one in keys_out's place.
template <class Word>
bool needs_spare_keys(const lsd_request<Word>& r, const lsd_plan& p) {
  const bool input_serves = r.input_is_scratch && r.keys_in != r.keys_out;
  return p.passes >= (r.keys_in == r.keys_out ? 1u : 2u) && !input_serves;
}
template <class Word>
bool needs_more_keys(const lsd_request<Word>& r, const lsd_plan& p) {
  return r.keys_out == nullptr && p.passes >= (r.input_is_scratch ? 2u : 3u);
}
template <class Word>
bool needs_spare_values(const lsd_request<Word>& r, const lsd_plan& p) {
  const bool input_serves = r.input_is_scratch && !r.make_indices && r.values_in != r.values_out;
  return r.value_bytes != 0 && p.passes >= (r.values_in == r.values_out && !r.make_indices ? 1u : 2u) && !input_serves;
}

template <class Word>
lsd_layout lay_out_lsd(const lsd_request<Word>& r, const lsd_plan& p) {
  const auto rounded = lsd_layout::rounded;
  lsd_layout l{};
  l.findings = 0;
  l.tickets = lsd_layout::alignment;
  l.counts = l.tickets + rounded(lsd_plan::most_passes * 4);
  l.portions = l.counts + std::size_t{p.passes} * lsd_plan::radix * 8;
  l.status = l.portions + (std::size_t{p.portions()} - 1) * lsd_plan::radix * 8;
  l.keys = l.status + std::size_t{p.tiles} * lsd_plan::radix * 4;
  const std::size_t keys = rounded(std::size_t(r.n) * sizeof(Word));
  l.more_keys = l.keys + (needs_spare_keys(r, p) ? keys : 0);
  l.values = l.more_keys + (needs_more_keys(r, p) ? keys : 0);
  l.bytes = l.values + (needs_spare_values(r, p) ? rounded(std::size_t(r.n) * r.value_bytes) : 0);
  return l;
}

template <class Backend, class Word>
SORTILE_LAUNCH void launch_lsd_sort(const simt::queue& q, const lsd_request<Word>& request, const lsd_plan& plan);

} // namespace sortile::kernels::detail
