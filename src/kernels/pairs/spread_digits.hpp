// Digits of y for the stable partition (stable_partition_kernel.hpp), in the sort of pairs. The scan has counted them
// all. A sample tells how keys are spread, or a map (pair_map.hpp), and the second partition's shares are cut at cells.
#pragma once

#include "kernels/pairs/key_spread.hpp"
#include "kernels/pairs/own_tables.hpp"
#include "kernels/pairs/pair_map.hpp"
#include "kernels/pairs/partition_shares.hpp"
#include "kernels/pairs/thread_bytes.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Image>
struct spread_digits {
  static constexpr bool remembers = false; ///< a digit is quicker made than kept
  using numbers = map_numbers<Word, Image>;
  using number = typename numbers::number;
  struct storage {
    alignas(16) simt::shared_array<std::uint32_t, numbers::map::words> map;
    simt::shared_array<key_spread<Word, Image>, 1> spread; // here for the registers' sake, as what follows
    simt::shared_array<number, 1> center;
    simt::shared_value<std::uint32_t> mapped;
    typename own_tables::scan_storage scan;
  };

  simt::global<const std::uint32_t> coarse;
  own_tables tables; // of a partition that makes its own
  simt::global<const key_spread<Word, Image>> spread;
  simt::global<const std::uint32_t> map; // of one word where there is none
  pairs_gate gate;
  Image image;
  bool may_map;

  SORTILE_DEVICE bool makes_places() const { return tables.made_here; }
  /// False, in all threads, where there is nothing to do. `place`: where the pairs of this thread's digit go, if the
  /// block makes its own tables.
  SORTILE_DEVICE bool begin(storage& s, const simt::shared_view<std::uint32_t>& scratch, std::uint32_t& place) const {
    const auto keys = spread.load(0); // asked for before anything waits
    const bool mapped = may_map && gate.findings.load(pair_mapped) != 0;
    if (!tables.made_here ? gate.idle() : !tables.make(scratch, s.scan, [&](unsigned, std::uint32_t p) { place = p; }))
      return false;
    if (mapped)
      fetch_map<number>(s.map, map, 1024);
    if (simt::thread_index() == 0) {
      s.spread[0] = keys;
      s.mapped = mapped ? 1 : 0;
      if (mapped)
        s.center[0] = center_of<number>(map);
    }
    return true;
  }
  SORTILE_DEVICE void enter(storage&, const stable_shape&, std::uint32_t) const {}

  /// Of one key, of whichever kind.
  struct any_digit {
    const spread_digits& of;
    storage& s;
    const stable_shape& shape;
    SORTILE_DEVICE std::uint32_t operator()(Word key) const {
      return s.mapped != 0 ? of.by_map(s, shape)(key) : of.by_spread(s, shape)(key);
    }
  };
  SORTILE_DEVICE any_digit digit(storage& s, const stable_shape& shape) const { return {*this, s, shape}; }
  /// Nothing travels beside the keys.
  template <int Items>
  struct beside {};
  template <int Items, class Place, class IsThere>
  SORTILE_DEVICE void fetch(beside<Items>&, Place, IsThere) const {}
  template <int Items>
  SORTILE_DEVICE thread_bytes<Items> digits(storage& s, const stable_shape& shape, const Word (&keys)[Items],
                                            const beside<Items>&) const {
    thread_bytes<Items> found{};
    const auto of_all = [&](const auto& of) {
      SORTILE_UNROLL
      for (int i = 0; i < Items; ++i)
        found.set(i, of(keys[i]));
    };
    if (s.mapped != 0)
      of_all(by_map(s, shape));
    else
      of_all(by_spread(s, shape));
    return found;
  }

  /// The block's share of the pairs, and the chunk whose pairs of the segment it begins with.
  SORTILE_DEVICE partition_piece first_piece(const segment_starts& segments, const stable_shape& shape, std::uint32_t n,
                                             std::uint32_t& cell) const {
    if (shape.segments == 1) {
      cell = simt::block_index();
      return even_share(segments, shape.share, n);
    }
    const std::uint64_t low = std::uint64_t{simt::block_index()} * shape.share;
    std::uint32_t unused = 0;
    const std::uint32_t stop = first_cell(segments, shape, n, low + shape.share, unused).next;
    partition_piece p = first_cell(segments, shape, n, low, cell);
    p.stop = stop;
    if (p.next < p.stop && segments.move(p))
      cell = 0;
    return p;
  }

 private:
  SORTILE_DEVICE digits_of<Word, Image> by_spread(storage& s, const stable_shape& shape) const {
    return {image, s.spread.load(0), shape.shift, shape.mask};
  }
  SORTILE_DEVICE mapped_digits<Word, Image> by_map(storage& s, const stable_shape& shape) const {
    return {{image, s.spread.load(0)}, s.center.load(0), s.map.view(), shape.shift, shape.mask};
  }
  /// The first cell that begins at x or later. By all threads.
  SORTILE_DEVICE partition_piece first_cell(const segment_starts& segments, const stable_shape& shape, std::uint32_t n,
                                            std::uint64_t x, std::uint32_t& cell) const {
    const unsigned t = simt::thread_index();
    partition_piece p{};
    if (x >= n) {
      p.next = n;
      return p;
    }
    p.segment = segments.holding(std::uint32_t(x));
    const std::uint32_t b = segments.of(p.segment);
    cell = simt::block_count(t < shape.chunks && b + coarse.load(t * shape.segments + p.segment) < x);
    p.next = cell < shape.chunks ? b + coarse.load(cell * shape.segments + p.segment) : segments.of(p.segment + 1);
    return p;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
