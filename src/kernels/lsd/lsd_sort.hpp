// Stable sort by the least significant digit first (LSD); plain C++. It takes everything: any key type, order and bit
// window, any values, any distribution, any n.
//
//   scan    one read: how often each value of each digit occurs, which bits differ, whether the keys are sorted
//   pass    one per digit of up to 8 bits, lowest first: one stable scatter, one read and one write of keys and values
//   copy    only where keys or values are sorted in place or in scratch; see below
//
// A fallback, which mostly has nothing to do, makes all its passes in one launch, and leaves zeroing to the sort before
// it. Else a digit in which no key differs costs an empty launch. Sorted keys cost the scan and a copy (in place: no
// copy). Keys of 32 and 64 bits with few values are counted by value (lsd/value_table.hpp): of up to 512 values, keys
// alone cost the scan and one write, and pairs the scan and one pass (two beyond 256 values). High digits in which
// hardly any keys differ cost one pass together (lsd/keys_apart.hpp). Of keys alone, passes leave out one that a third
// of all are or more (lsd/heavy_key.hpp). Strictly descending keys cost the scan and a copy
// backwards; of whole integers without values, equal neighbours are allowed there, too. The list of launches depends on
// the request alone, never on the keys, and nothing is read back. Deterministic. Does nothing where the verdict does
// not call it.
//
// Order. By codec.image within its bit window: −0 equals +0, all NaNs are equal; equal keys keep their input order;
// bits are never altered.
//
// Where the result lies. Passes alternate between the output and a second array. Out of place the first pass reads the
// input and writes whichever of the two makes the last one write the output. In place the first pass has to write the
// second array; with input_is_scratch the input is the second array, and the first pass has to write the output. So
// after an odd (in scratch: even) number of passes in which keys differ, the result is in the wrong array. Only the
// device knows that, so a last launch copies it then. Uniform keys of 16, 32, 64 and 128 bits need no copy in place,
// and need one with scratch. Where a heavy key is left out it is the other way round.
//
// Source: Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs" (2022);
// stable/stable_tile.hpp and lsd/lsd_pass_kernel.hpp say what is different here.
//
// When not to use it: keys alone that are spread evenly; two partitions by the highest digits move less (sort/).
#pragma once

#include "kernels/arena.hpp"
#include "kernels/typed_request.hpp"

#include <algorithm>
#include <cmath>

namespace sortile::kernels {

/// Bytes of workspace for a request: the spare arrays, 1 KB a tile, and up to 17 KB for the values that are counted. Of
/// the pointers it matters only which are null and which are equal.
template <class Word>
std::size_t lsd_workspace_bytes(const typed_request<Word>& request);

/// How many of them, from the first on, are zero before the scan: a launch of this sort sees to that, or the last one
/// of the sort before (verdict_place::zeroed). A multiple of 8.
template <class Word>
std::size_t lsd_zeroed_bytes(const typed_request<Word>& request);

/// How a bit window is cut: into digits of the same width, the last perhaps narrower, one a pass; none of no bits.
struct lsd_digits {
  static constexpr unsigned most_bits = 8;
  unsigned passes, bits;

  static constexpr lsd_digits of(unsigned window_bits) {
    const unsigned passes = (window_bits + most_bits - 1) / most_bits;
    return {passes, passes == 0 ? 0 : (window_bits + passes - 1) / passes};
  }
};

/// Steps: scan, and one for each pass, at least one. Throws invalid_argument, workspace_too_small, or simt::error where
/// a launch is refused.
template <class Word>
void lsd_sort(const simt::queue& q, const typed_request<Word>& request, unsigned step = all_steps);

// ---- between the checked request and the kernels

namespace detail {

/// What becomes of keys that have few values (lsd/value_table.hpp).
enum class few_values {
  not_counted,
  written, ///< the output, from the counts
  ranked,  ///< passes go by the values' ranks
};

struct lsd_values {
  static constexpr unsigned slots = 1024, most = slots / 2; ///< the slots without image 0's; values that are few

  template <class Word>
  static constexpr bool of_width = sizeof(Word) == 4 || sizeof(Word) == 8;
  /// A bit window may leave out bits that keys of one image differ in: nothing is written from counts then, and there
  /// are fewer passes to be saved.
  template <class Word>
  static few_values use(const typed_request<Word>& r) {
    if (!of_width<Word> || r.codec.mask != Word(~Word{0}))
      return few_values::not_counted;
    return r.value_bytes == 0 ? few_values::written : few_values::ranked;
  }
};

/// Which keys may be set apart from the others (lsd/keys_apart.hpp).
struct lsd_apart_limits {
  static constexpr unsigned rarity_bits = 12; ///< a block's are one key in 2^rarity_bits, and a few

  template <class Word>
  static constexpr bool of_width = sizeof(Word) >= 4;
  /// Of n keys, so that one block sorts them in a quarter of a pass.
  static std::uint32_t most(std::uint64_t n) { return std::uint32_t(std::sqrt(double(n)) / 4); }
};

/// Where others are parted from a heavy key (lsd/heavy_key.hpp).
struct lsd_parting {
  static constexpr unsigned least_votes = 8, least_of_thousand = 360; ///< of 32 keys, of 1000
  static constexpr unsigned least_others = 5;                         ///< of 1024, to say that they have few values

  /// Of keys that may be written from the counts of their values: there, too, equal images have to mean equal keys. Up
  /// to 2^20 keys, of which each block has a small tile or two, half of them take as long as all.
  static bool of(few_values few, lsd_tiles shape) {
    return few == few_values::written && (shape == lsd_tiles::middle || shape == lsd_tiles::large);
  }
};

constexpr std::size_t lsd_findings_bytes = 256;

struct lsd_plan {
  static constexpr unsigned radix = 1u << lsd_digits::most_bits, most_passes = 16;

  unsigned digit_bits, passes; ///< passes of the same width, the last perhaps narrower; none for an empty window
  std::uint32_t tile_keys, tiles, portion_tiles;
  lsd_tiles shape; ///< of the tiles, not follow_n
  few_values few;
  std::uint32_t most_apart; ///< keys that may be set apart
  bool part;                ///< others from a heavy key

  /// How many keys find room with their images and values where a tile's keys, or its values, are staged. Values begin
  /// at a multiple of their size.
  template <class Word>
  std::uint32_t staged_pairs(unsigned value_bytes) const {
    const auto width = std::uint32_t(sizeof(Word));
    return (tile_keys * std::max(width, value_bytes) - value_bytes) / (2 * width + value_bytes);
  }
  std::uint32_t portions() const { return (tiles + portion_tiles - 1) / portion_tiles; }
  /// The scan, and passes: an empty window makes all keys equal, and the first pass copies.
  unsigned steps() const { return 1 + std::max(passes, 1u); }
};

/// Large tiles write longer runs, small ones keep all multiprocessors busy where there are few tiles, and fit the 163
/// KB of sm_80. 2^20 keys are 8192 a multiprocessor: there a broad tile of so many takes no longer than two or three
/// small ones, and needs at most half the words of look-back. Middle tiles are for what lies between. Of up to 128 MB
/// of pairs, two blocks a multiprocessor with a middle tile each are quicker than one with a large tile. Up to 2^24
/// keys alone have slightly smaller tiles than the large ones, which 2^22 … 2^24 keys fill evenly: where a block has
/// few tiles, an incomplete last one counts. Measured on the H100 with CUDA 13.0 (docs/performance-log-gpu.md).
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
    if (three_registers(value_bytes))
      return tiles == lsd_tiles::middle ? lsd_shape{512, 2, 10} : lsd_shape{1024, 1, 10};
    if (wide == 8)
      return tiles == lsd_tiles::middle ? lsd_shape{512, 2, 11} : lsd_shape{1024, 1, 12};
    return tiles == lsd_tiles::middle ? lsd_shape{512, 2, 6} : lsd_shape{1024, 1, 6};
  }
};

/// Which of a sort's two arrays a pass writes (lsd_sort.hpp): alternating towards the output where the input is
/// neither, or from the first pass on.
enum class lsd_route { ends_in_output, starts_in_spare, starts_in_output };

/// Byte offsets. [0, portions) has to be zero before the scan, [portions, keys) before the first pass.
struct lsd_layout {
  std::size_t findings, tickets, finished, counts, value_images, value_counts, portions, status;
  std::size_t keys, more_keys, values, bytes; ///< spare arrays; equal to what follows if left out
};

template <class Word>
constexpr bool lsd_has_middle_tiles = sizeof(Word) == 4 || sizeof(Word) == 8;

template <class Word>
constexpr bool lsd_has_broad_tiles(unsigned value_bytes) {
  return lsd_has_middle_tiles<Word> && value_bytes <= 8;
}

template <class Word>
lsd_tiles lsd_tiles_for(const typed_request<Word>& r) {
  constexpr std::uint64_t least_broad = (1u << 19) + 1, middle_keys = 1u << 24,
                          middle_bytes = 1u << 27; // bytes of pairs
  const std::uint64_t most_small = r.value_bytes == 0 && !lsd_has_middle_tiles<Word> ? 1u << 21 : 1u << 20;
  const bool has_broad = lsd_has_broad_tiles<Word>(r.value_bytes);
  if (r.tuning.passes_tiles == lsd_tiles::middle && !lsd_has_middle_tiles<Word>)
    return lsd_tiles::large;
  if (r.tuning.passes_tiles == lsd_tiles::broad && !has_broad)
    return lsd_tiles::small;
  if (r.tuning.passes_tiles != lsd_tiles::follow_n)
    return r.tuning.passes_tiles;
  if (r.architecture < 90 || r.n <= most_small)
    return has_broad && r.architecture >= 90 && r.n >= least_broad ? lsd_tiles::broad : lsd_tiles::small;
  const bool fits = r.value_bytes == 0 ? r.n <= middle_keys : r.n * (sizeof(Word) + r.value_bytes) <= middle_bytes;
  return fits && lsd_has_middle_tiles<Word> ? lsd_tiles::middle : lsd_tiles::large;
}

template <class Word>
lsd_plan plan_lsd(const typed_request<Word>& r) {
  lsd_plan p{};
  const auto digits = lsd_digits::of(r.codec.bits);
  p.passes = digits.passes;
  p.digit_bits = digits.bits;
  p.shape = lsd_tiles_for(r);
  p.few = lsd_values::use(r);
  p.tile_keys = lsd_shape<Word>::of(p.shape, r.value_bytes).keys();
  if (lsd_apart_limits::of_width<Word> && r.codec.mask == Word(~Word{0}))
    p.most_apart = std::min(lsd_apart_limits::most(r.n), p.staged_pairs<Word>(r.value_bytes));
  p.part = lsd_parting::of(p.few, p.shape);
  p.tiles = std::uint32_t((r.n + p.tile_keys - 1) / p.tile_keys);
  const std::uint32_t most = ((1u << 30) - 1) / p.tile_keys; // counts of 30 bits
  p.portion_tiles = r.tuning.portion_tiles == 0 ? most : std::min(most, r.tuning.portion_tiles);
  return p;
}

/// The array beside keys_out that passes go through, where it is not the input; and one in keys_out's place.
template <class Word>
bool needs_spare_keys(const typed_request<Word>& r, const lsd_plan& p) {
  const bool input_serves = r.input_is_scratch && r.keys_in != r.keys_out;
  return p.passes >= (r.keys_in == r.keys_out ? 1u : 2u) && !input_serves;
}
template <class Word>
bool needs_more_keys(const typed_request<Word>& r, const lsd_plan& p) {
  return r.keys_out == nullptr && p.passes >= (r.input_is_scratch ? 2u : 3u);
}
template <class Word>
bool needs_spare_values(const typed_request<Word>& r, const lsd_plan& p) {
  const bool input_serves = r.input_is_scratch && !r.make_indices && r.values_in != r.values_out;
  return r.value_bytes != 0 && p.passes >= (r.values_in == r.values_out && !r.make_indices ? 1u : 2u) && !input_serves;
}

template <class Word>
lsd_layout lay_out_lsd(const typed_request<Word>& r, const lsd_plan& p) {
  lsd_layout l{};
  arena a;
  const std::size_t n = std::size_t(r.n), column = std::size_t{lsd_plan::radix} * 8;
  l.findings = a.take(lsd_findings_bytes);
  l.tickets = a.take(lsd_plan::most_passes * 4);
  l.finished = a.take(lsd_plan::most_passes * 4);
  l.counts = a.take(p.passes * column);
  const std::size_t slots =
      lsd_values::of_width<Word> ? lsd_values::slots + 1 : 0; // windows need no less than all bits
  l.value_images = a.take(slots * sizeof(Word));
  l.value_counts = a.take(slots * 8);
  l.portions = a.take((std::size_t{p.portions()} - 1) * column);
  l.status = a.take(std::size_t{p.tiles} * lsd_plan::radix * 4);
  l.keys = a.take(needs_spare_keys(r, p) ? n * sizeof(Word) : 0);
  l.more_keys = a.take(needs_more_keys(r, p) ? n * sizeof(Word) : 0);
  l.values = a.take(needs_spare_values(r, p) ? n * r.value_bytes : 0);
  l.bytes = a.bytes();
  return l;
}

template <class Backend, class Word>
SORTILE_LAUNCH void launch_lsd_sort(const simt::queue& q, const typed_request<Word>& request, const lsd_plan& plan,
                                    unsigned step);

} // namespace detail

} // namespace sortile::kernels
