// How a row of a large segment is moved to its pieces, tile by tile: ranked, staged in shared storage, written in runs.
//
// Keys that equal each other in all bits may change places: such a key takes its rank from one atomic addition. Others,
// and values, keep their order: ranks are counted as in the passes of the LSD sort (stable/stable_tile.hpp), and so
// they are in a tile of floats with a −0 or a NaN.
#pragma once

#include "kernels/local/bin_words.hpp"
#include "kernels/segments/segment_items.hpp"
#include "kernels/stable/stable_tile.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, segment_elements Elements>
struct segment_moves {
  static constexpr bool placed = Elements == segment_elements::placed, floats = Elements == segment_elements::floats;
  using partition = detail::segment_partition;
  static constexpr unsigned block_threads = partition::threads, radix = partition::radix;
  static constexpr int items = int(partition::items(sizeof(Word), placed));
  using tile = stable_tile<block_threads, items>;
  static constexpr unsigned stage_words = tile::size * (placed && sizeof(Word) < 8 ? 8 : sizeof(Word)) / 4;

  struct storage {
    alignas(16) simt::shared_array<std::uint32_t, stage_words> stage;
    typename tile::storage ranks;
    simt::shared_array<std::uint64_t, radix> base;  // where the tile's keys of a digit go, less their place in the tile
    simt::shared_array<std::uint32_t, radix> as;    // what a digit is ranked as
    simt::shared_array<std::uint32_t, radix> total; // of the tile
    primitives::block_scan_storage<std::uint32_t, block_threads> scan;
  };

  /// What an entry is partitioned by: the highest digit that it is still to be sorted by, or of floats the place in the
  /// range of a sample. Below that the digit is 0, above it the greatest; there all bits are still to be sorted by.
  struct digit_of {
    segment_arrays<Word> arrays;
    unsigned shift;
    std::uint32_t mask;
    Word first; // of the range, shifted
    bool ranged;

    static SORTILE_DEVICE digit_of of(const segment_arrays<Word>& arrays, const segment_item& item) {
      const unsigned bits = item.bits_left < partition::digit_bits ? item.bits_left : partition::digit_bits;
      return {arrays, item.bits_left - bits, (1u << bits) - 1, 0, false};
    }
    /// Of images from least to greatest. Rounded so that images with one digit have the bits above it in common.
    static SORTILE_DEVICE digit_of within(const segment_arrays<Word>& arrays, Word least, Word greatest) {
      const unsigned bits = kernels::bits_of(Word(greatest - least));
      unsigned shift = bits > partition::digit_bits ? bits - partition::digit_bits : 0;
      if (Word(greatest >> shift) - Word(least >> shift) > radix - 3)
        ++shift;
      return {arrays, shift, 0, Word(least >> shift), true};
    }
    /// The same for 0 and −0.
    static SORTILE_DEVICE Word image(const segment_arrays<Word>& arrays, Word key) {
      const Word x = arrays.template image<Elements>(key);
      return floats && x == Word(~arrays.codec.sign) ? arrays.codec.sign : x;
    }
    SORTILE_DEVICE std::uint32_t operator()(Word key) const {
      const Word x = Word(image(arrays, key) >> shift);
      if (!floats || !ranged)
        return std::uint32_t(x) & mask;
      return x < first ? 0 : Word(x - first) < radix - 2 ? std::uint32_t(x - first) + 1 : radix - 1;
    }
    /// Of a bucket of the entry.
    SORTILE_DEVICE unsigned bits_left(const segment_item& item, std::uint32_t digit) const {
      return floats && ranged && (digit == 0 || digit == radix - 1) ? item.bits_left : shift;
    }
  };

  segment_arrays<Word> arrays;

  /// Elements from … to of an entry. s.base says where the digits' keys of this row go, s.as what they are ranked as.
  SORTILE_DEVICE void move(storage& s, const segment_item& item, const digit_of& digit, std::uint64_t from,
                           std::uint64_t to) const {
    for (std::uint64_t first = from; first < to; first += tile::size) {
      const auto n = to - first < tile::size ? std::uint32_t(to - first) : tile::size;
      if constexpr (placed)
        move_tile(s, item, digit, first, n);
      else
        spread_tile(s, item, digit, first, n);
    }
    simt::block_barrier();
  }

  /// To the same places of the output.
  SORTILE_DEVICE void copy(const segment_item& item, std::uint64_t from, std::uint64_t to) const {
    const auto keys = arrays.from(item.source);
    for (std::uint64_t p = from + simt::thread_index(); p < to; p += block_threads) {
      if (arrays.keys_wanted)
        arrays.out.store(item.begin + p, keys.load(item.begin + p));
      for (unsigned w = 0; w < arrays.values.words; ++w)
        arrays.values.store_word(item.begin + p, w, arrays.values.word(item, p, w));
    }
  }

 private:
  /// Keys alone, equal ones in any order.
  SORTILE_DEVICE void spread_tile(storage& s, const segment_item& item, const digit_of& digit, std::uint64_t first,
                                  std::uint32_t n) const {
    const auto keys = arrays.from(item.source);
    const unsigned t = simt::thread_index();
    Word k[items];
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      k[i] = place_in_rows(i) < n ? keys.load(item.begin + first + place_in_rows(i)) : Word{0};
    if (t < radix)
      s.ranks.count[t] = 0;
    if constexpr (floats) {
      bool is_told = true;
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i)
        is_told = is_told && arrays.is_told(k[i]);
      if (simt::block_any(!is_told))
        return move_tile(s, item, digit, first, n);
    } else {
      simt::block_barrier();
    }
    std::uint32_t ranks[items]; // and digits, from bit 24 on
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (place_in_rows(i) < n) {
        const std::uint32_t d = s.as.load(digit(k[i]));
        ranks[i] = s.ranks.count.fetch_add(d, 1u, simt::relaxed, simt::block_scope) | d << 24;
      }
    simt::block_barrier();
    const std::uint32_t total = t < radix ? s.ranks.count.load(t) : 0;
    const std::uint32_t before =
        primitives::block_exclusive_scan(s.scan, total, primitives::plus{}, std::uint32_t{0}).before;
    if (t < radix) {
      s.ranks.offset[t] = before;
      s.base[t] -= before;
    }
    simt::block_barrier();
    const auto stage = simt::view_as<Word>(s.stage.view());
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (place_in_rows(i) < n)
        stage[s.ranks.offset.load(ranks[i] >> 24) + (ranks[i] & 0xffffff)] = k[i];
    simt::block_barrier();
    const auto out = arrays.to(segment_arrays<Word>::target(item.source));
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      if (place_in_rows(i) < n) {
        const Word key = stage.load(place_in_rows(i));
        out.store(s.base.load(s.as.load(digit(key))) + place_in_rows(i), key);
      }
    simt::block_barrier();
    if (t < radix)
      s.base[t] += before + total;
  }
  static SORTILE_DEVICE std::uint32_t place_in_rows(int i) {
    return unsigned(i) * block_threads + simt::thread_index();
  }

  SORTILE_DEVICE void move_tile(storage& s, const segment_item& item, const digit_of& digit, std::uint64_t first,
                                std::uint32_t n) const {
    const auto keys = arrays.from(item.source);
    Word k[items];
    packed_digits<items> mine;
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i) {
      const std::uint32_t p = tile::position(i);
      k[i] = p < n ? keys.load(item.begin + first + p) : Word{0};
      mine.set(i, p < n ? s.as.load(digit(k[i])) : radix - 1); // absent ones stand last, and are not written
    }
    tile::count(s.ranks, mine, [&](unsigned d, std::uint32_t total) { s.total[d] = total; });
    std::uint32_t places[items];
    tile::rank(s.ranks, mine, [&](int i, std::uint32_t place) { places[i] = place; });
    const auto stage = simt::view_as<Word>(s.stage.view());
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      stage[places[i]] = k[i];
    simt::block_barrier();
    packed_digits<items> written;
    const segment_source target = segment_arrays<Word>::target(item.source);
    const auto out = arrays.to(target);
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i) {
      const std::uint32_t p = unsigned(i) * block_threads + simt::thread_index();
      const Word key = stage.load(p);
      const std::uint32_t d = p < n ? s.as.load(digit(key)) : 0;
      written.set(i, d);
      if (p < n)
        out.store(s.base.load(d) + p - s.ranks.offset.load(d), key);
    }
    move_values(s, item, first, n, places, written, target);
    simt::block_barrier();
    const unsigned d = simt::thread_index();
    // No barrier behind this: the thread wrote both words itself, and count() of the next tile has barriers before
    // another thread reads them. Of the highest digit absent elements are counted too, in an entry's last tile alone.
    if (d < radix)
      s.base[d] += s.total.load(d);
  }

  SORTILE_DEVICE void move_values(storage& s, const segment_item& item, std::uint64_t first, std::uint32_t n,
                                  const std::uint32_t (&places)[items], const packed_digits<items>& written,
                                  segment_source target) const {
    const value_arrays& v = arrays.values;
    if (v.words == 0)
      return;
    if (v.words == 1)
      return move_words<std::uint32_t>(s, item, first, n, places, written, target, 1);
    move_words<std::uint64_t>(s, item, first, n, places, written, target, v.words / 2);
  }
  /// Values of `parts` words each.
  template <class Part>
  SORTILE_DEVICE void move_words(storage& s, const segment_item& item, std::uint64_t first, std::uint32_t n,
                                 const std::uint32_t (&places)[items], const packed_digits<items>& written,
                                 segment_source target, unsigned parts) const {
    const value_arrays& v = arrays.values;
    const auto from = v.template from<Part>(item.source);
    const auto to = v.template to<Part>(target);
    const auto stage = simt::view_as<Part>(s.stage.view());
    for (unsigned part = 0; part < parts; ++part) {
      Part x[items];
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i) {
        const std::uint64_t p = first + tile::position(i);
        x[i] = tile::position(i) >= n ? Part{0}
               : v.makes(item.source) ? Part(p)
                                      : from.load((item.begin + p) * parts + part);
      }
      simt::block_barrier(); // what was staged before is written
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i)
        stage[places[i]] = x[i];
      simt::block_barrier();
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i) {
        const std::uint32_t p = unsigned(i) * block_threads + simt::thread_index(), d = written.get(i);
        if (p < n)
          to.store((s.base.load(d) + p - s.ranks.offset.load(d)) * parts + part, stage.load(p));
      }
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
