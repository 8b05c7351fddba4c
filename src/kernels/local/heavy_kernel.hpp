// Sorts heavy buckets (heavy_buckets.hpp): all blocks split them, meet, and write their values; then a block sorts an
// end of one, the keys beside its value. A cooperative launch, which returns at once where there is no such bucket.
//
// An end that shared storage holds is sorted there, as a deferred bucket is. Of a longer one, frequent values are taken
// out, one after the other: keys below and above such a value go to the two ends of its stretch of another array, the
// value is written between, and each end is treated likewise. What has no frequent value is sorted digit by digit
// (large_sort_kernel.hpp).
//
// A kernel of its own: in large_sort_kernel.hpp it cost registers that other keys' buckets need.
#pragma once

#include "kernels/local/heavy_buckets.hpp"
#include "kernels/local/large_sort_kernel.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Image = integer_image<Word>>
struct heavy_kernel {
  using large = large_sort_kernel<Word>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = large::block_threads, min_blocks = 1, most_pieces = 16;
  struct piece {
    std::uint32_t begin, end, in_out;
    SORTILE_DEVICE std::uint32_t keys() const { return end - begin; }
  };
  struct shared {
    typename large::shared sorting;
    simt::shared_array<piece, most_pieces> pieces; // that wait
    simt::shared_array<std::uint32_t, 2> sides;    // keys below and above a value
  };

  heavy_buckets<Word, Image> heavy;
  bucket_list deferred;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint32_t listed = heavy.listed();
    if (listed == 0)
      return;
    for_giant_parts(heavy.list, listed, simt::grid_size(), [this](const giant_part& p) { heavy.split(p); });
    simt::grid_barrier();
    for_giant_parts(heavy.list, listed, simt::grid_size(), [this](const giant_part& p) { heavy.write_value(p); });
    const Word differ = differing_bits<Word>(deferred.findings);
    const std::uint32_t in_out = heavy.others().data() == heavy.out.data() ? 1 : 0;
    for (std::uint32_t q = simt::block_index(); q < 2 * listed; q += simt::grid_size())
      if (const auto side = heavy.side(q / 2, q % 2); side.begin != side.end)
        sort(s, {side.begin, side.end, in_out}, differ);
  }

 private:
  SORTILE_DEVICE simt::global<const Word> keys_of(const piece& p) const {
    return p.in_out != 0 ? heavy.out : heavy.spare;
  }

  /// Sorts a piece, as long as it helps by taking out frequent values. Ends with a barrier.
  SORTILE_DEVICE void sort(shared& s, piece now, Word differ) const {
    constexpr unsigned enough_votes = 4;
    unsigned waiting = 0, splits = 0;
    for (;;) {
      const bool many = now.keys() > large::held;
      frequent_value<Word> v{};
      if (many)
        v = frequent_value<Word>::of(keys_of(now), now.begin, now.keys());
      if (many && v.votes >= enough_votes && splits < most_pieces) {
        ++splits;
        const auto ends = part(s, now, v.value);
        if (ends.below != 0) {
          if (simt::thread_index() == 0)
            s.pieces[waiting] = {now.begin, now.begin + ends.below, 1 - now.in_out};
          ++waiting;
        }
        now = {now.end - ends.above, now.end, 1 - now.in_out};
      } else {
        const large by_digits{keys_of(now), heavy.out,   heavy.spare,     heavy.start,
                              deferred,     heavy.image, 8 * sizeof(Word)};
        if (many)
          by_digits.sort(s.sorting.tile, now.begin, now.end, differ);
        else
          by_digits.sort_held(s.sorting.bucket, now.begin, now.keys());
        now.begin = now.end;
      }
      simt::block_barrier();
      if (now.keys() != 0)
        continue;
      if (waiting == 0)
        return;
      now = s.pieces.load(--waiting);
      simt::block_barrier();
    }
  }
  struct two_ends {
    std::uint32_t below, above;
  };
  /// Puts the keys below and above the value to the ends of their stretch of the other array, and the value between
  /// them into the output. All of them have been read before: in the output they may lie themselves.
  SORTILE_DEVICE two_ends part(shared& s, const piece& p, Word value) const {
    const unsigned t = simt::thread_index();
    const simt::global<const Word> from = keys_of(p);
    const simt::global<Word> to = p.in_out != 0 ? heavy.spare : heavy.out;
    if (t < 2)
      s.sides[t] = 0;
    simt::block_barrier();
    for (std::uint64_t first = p.begin; first < p.end; first += block_threads) {
      const Word key = first + t < p.end ? from.load(first + t) : value;
      const bool is_below = heavy.image.less(key, value), is_above = heavy.image.less(value, key);
      if (!simt::warp_any(is_below || is_above))
        continue;
      const std::uint32_t front = take_numbers(s.sides.view(), 0, is_below, simt::block_scope),
                          back = take_numbers(s.sides.view(), 1, is_above, simt::block_scope);
      if (is_below)
        to[p.begin + front] = key;
      if (is_above)
        to[p.end - 1 - back] = key;
    }
    simt::block_barrier();
    const two_ends ends{s.sides.load(0), s.sides.load(1)};
    for (std::uint64_t i = std::uint64_t{p.begin} + ends.below + t; i < p.end - ends.above; i += block_threads)
      heavy.out[i] = value;
    return ends;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
