// What a block does with the tiles of a pass of an LSD sort.
//
// Persistent blocks take tiles by ticket. Of a tile a block
//
//   1  counts the digits and announces the totals                         stable_tile::count, status[tile][digit]
//   2  looks back, one thread per digit, for the digits of all earlier tiles place[digit] (lsd_look_back.hpp)
//   3  ranks its keys and stages them in order                            stable_tile::rank, stage
//   4  writes the stage out, neighbours to neighbours                     out[place[digit] + staged place]
//   5  stages and writes the values the same way
//
// Warps that do not look back rank meanwhile. Where registers hold a tile's values beside its keys (`early`), values
// are loaded during the ranking, and the next tile's keys while this one is written; so are the next keys where there
// are no values. Else the L2 is asked for the values when the tile begins, and the next keys are loaded when it has
// been written.
//
// What bounds a tile. Runs of equal digits begin and end within sectors, and such sectors are written twice. So tiles
// are as large as registers and shared storage allow: large ones have 80 to 96 KB of keys, or of values, with a block a
// multiprocessor (4-byte keys alone: 40 KB, two blocks). Not larger: loads in flight live in what shared storage leaves
// of the L1 (4-byte keys: 20 a thread, two blocks of 512, 5.5 ms for 2^28; 24 a thread 6.1). A spilled register costs
// L2 traffic for the same reason, and so does a multiprocessor that is left with more shared storage than a pass needs.
//
// Forward progress: tiles are numbered by tickets, so a tile waits only for tiles that a running block has drawn; a
// block draws its next tile before it has finished this one, but waits with this one for lower tiles only, so the
// lowest unfinished tile waits for nobody, and by induction all end. A block draws as late as the loads allow: a tile
// that is drawn long before it is announced holds up all later ones.
#pragma once

#include "kernels/lsd/heavy_key.hpp"
#include "kernels/lsd/lsd_course.hpp"
#include "kernels/lsd/lsd_look_back.hpp"
#include "kernels/lsd/lsd_places.hpp"
#include "kernels/lsd/lsd_tile_loads.hpp"
#include "kernels/lsd/write_at_once.hpp"
#include "kernels/stable/stable_tile.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Which passes a kernel makes. Large tiles leave it no registers for both.
enum class lsd_passes_by { either, images, ranks };
template <class Word>
constexpr lsd_passes_by lsd_passes_of(lsd_tiles tiles, unsigned value_bytes) {
  const bool may_rank = value_bytes != 0 && detail::lsd_values::of_width<Word>;
  return !may_rank || tiles == lsd_tiles::large ? lsd_passes_by::images : lsd_passes_by::either;
}

/// What the kernel of the passes is given, what it shares, and its loops over tiles.
template <class Word, unsigned ValueBytes, lsd_tiles Tiles, lsd_passes_by By>
struct lsd_tile_moves {
  static constexpr auto cut = detail::lsd_shape<Word>::of(Tiles, ValueBytes);
  static constexpr bool starts_early = true, keeps_l1 = true;
  static constexpr unsigned block_threads = cut.threads, min_blocks = cut.blocks, radix = 256;
  static constexpr int items = cut.items;
  using tile = stable_tile<block_threads, items>;
  using loads = lsd_tile_loads<tile, items>;
  using targets = lsd_places<block_threads, items>;
  using value_type = typename lsd_value<ValueBytes>::type;
  using staged_item = std::conditional_t<(sizeof(value_type) > sizeof(Word)), value_type, Word>;
  using scan_storage = primitives::block_scan_storage<std::uint64_t, block_threads>;
  static constexpr bool may_rank = By != lsd_passes_by::images;
  static constexpr bool has_values = ValueBytes != 0,
                        sets_apart = lsd_may_set_apart<Word> && By != lsd_passes_by::ranks,
                        may_part = !has_values && detail::lsd_values::of_width<Word>;
  using ranks_of_values = value_ranks<Word>;
  struct no_ranks {};

  using course = lsd_course<Word>;

  struct shared {
    alignas(16) simt::shared_array<staged_item, tile::size> stage; // keys, then values
    typename tile::storage ranks;
    simt::shared_array<std::uint64_t, radix> start; // of each bucket
    typename targets::storage places;
    simt::shared_value<std::uint32_t> next;
    simt::shared_value<std::uint32_t> moved; // tiles of this pass, by this block
    simt::shared_value<std::uint64_t> n;
    simt::shared_value<course> going;
    scan_storage scan;
    std::conditional_t<may_rank, typename ranks_of_values::storage, no_ranks> value_ranks;
    simt::shared_value<parted_gap> gap;
  };

  lsd_arrays<Word> keys;
  lsd_arrays<value_type> values;
  lsd_count count;
  lsd_passes passes;
  key_codec<Word> codec;
  simt::global<const std::uint64_t> findings, counts; // a pass: radix counts
  value_table<Word> counted;
  simt::global<std::uint32_t> tickets, finished; // a pass: one, and the tiles that have been moved
  lsd_look_back earlier;                         // tiles
  std::uint32_t begin, end;                      // of the passes of this launch
  lsd_wants wants;

  template <bool ByRank>
  SORTILE_DEVICE void move_tiles(shared& s, std::uint32_t at, Word (&k)[items]) const {
    const unsigned t = simt::thread_index();
    while (at < s.going.load(0).tiles) {
      if constexpr (has_values && !early)
        if (!makes_values(s))
          loads::prefetch(values_from(s), s.n, at);
      packed_digits<items> digits;
      take_digits<ByRank>(s, at, k, digits);
      std::uint32_t total = 0; // of digit t
      tile::count(s.ranks, digits, [&](std::uint32_t d, std::uint32_t keys_of_d) {
        total = keys_of_d;
        announce(s, at, d, keys_of_d);
      });
      if (t < radix)
        look_back(s, at, t, total);
      std::uint32_t drawn = 0;
      if (t == 0)
        drawn = tickets.fetch_add(s.going.load(0).pass, 1u);
      packed_places<items> staged;
      value_type x[has_values ? items : 1];
      if constexpr (early)
        load_values(s, at, x);
      const auto stage = simt::view_as<Word>(s.stage.view());
      tile::rank(s.ranks, digits, [&](int i, std::uint32_t place) {
        stage[place] = k[i];
        if constexpr (has_values)
          staged.set(i, place);
      });
      if (t == 0) {
        s.next = drawn; // last read before this tile was counted
        s.moved = s.moved + 1;
      }
      simt::block_barrier();
      const std::uint32_t next = s.next;
      if constexpr (has_values) {
        if constexpr (early)
          loads::load(keys_from(s), s.n, next, k);
        else
          load_values(s, at, x);
        move_values<ByRank>(s, at, staged, x);
        if constexpr (!early)
          loads::load(keys_from(s), s.n, next, k);
      } else {
        loads::load(keys_from(s), s.n, next, k);
        packed_digits<items> unused;
        write_keys<ByRank>(s, at, unused);
      }
      at = next;
    }
  }

  SORTILE_DEVICE simt::global<const Word> keys_from(shared& s) const {
    const course c = s.going.load(0);
    return keys.source(c.first, c.keys_to_output);
  }
  SORTILE_DEVICE simt::global<const value_type> values_from(shared& s) const {
    const course c = s.going.load(0);
    return values.source(c.first, c.values_to_output);
  }
  /// Keys of tile `at`: all, or what the end leaves.
  static SORTILE_DEVICE std::uint32_t keys_of(shared& s, std::uint32_t at) {
    const std::uint64_t left = s.n - loads::first_of(at);
    return left < tile::size ? std::uint32_t(left) : tile::size;
  }

  /// Places beyond the end count as the highest digit. Last in the tile, they move no other key and are never written.
  /// They make the totals of the last tile wrong, which nobody reads.
  template <bool ByRank>
  SORTILE_DEVICE void take_digits(shared& s, std::uint32_t at, const Word (&k)[items],
                                  packed_digits<items>& digits) const {
    const std::uint32_t m = keys_of(s, at);
    by_kind_of_digit<ByRank>(s, [&](auto digit_of) {
      if (m == tile::size) {
        SORTILE_UNROLL
        for (int i = 0; i < items; ++i)
          digits.set(i, digit_of(k[i]));
      } else {
        SORTILE_UNROLL
        for (int i = 0; i < items; ++i)
          digits.set(i, tile::position(i) < m ? digit_of(k[i]) : radix - 1);
      }
    });
  }

  SORTILE_DEVICE void announce(shared& s, std::uint32_t at, std::uint32_t d, std::uint32_t total) const {
    earlier.announce(s.going.load(0).odd, at, d, total);
  }
  SORTILE_DEVICE void look_back(shared& s, std::uint32_t at, std::uint32_t d, std::uint32_t total) const {
    const course c = s.going.load(0);
    targets::set(s.places, d, earlier.place_of(c.odd, at, c.tiles, d, total, [&] { return s.start.load(d); }),
                 s.ranks.offset.load(d));
  }

  /// Staged keys to their places; remembers the digits of those that this thread wrote. In a full tile there is no
  /// branch for each key: it would make each key a round trip to shared storage of its own.
  template <bool ByRank>
  SORTILE_DEVICE void write_keys(shared& s, std::uint32_t at, packed_digits<items>& written) const {
    const course c = s.going.load(0);
    const std::uint32_t m = c.write_keys ? keys_of(s, at) : 0;
    const auto stage = simt::view_as<Word>(s.stage.view());
    const auto to = keys.target(c.keys_to_output);
    by_kind_of_digit<ByRank>(s, [&](auto digit_of) {
      each_staged(s, m, [&](int i, std::uint32_t p, bool within, auto far) {
        const Word key = stage.load(p);
        const std::uint32_t d = digit_of(key);
        written.set(i, d);
        if (within)
          to.store(targets::template of<far>(s.places, d, p), key);
      });
    });
  }
  template <class F>
  static SORTILE_DEVICE void each_staged(shared& s, std::uint32_t m, F f) {
    targets::each(own_places_again ? simt::opaque(simt::thread_index()) : simt::thread_index(), m, s.going.load(0).far,
                  f);
  }
  SORTILE_DEVICE void load_values(shared& s, std::uint32_t at, value_type (&x)[items]) const {
    if (makes_values(s)) {
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i)
        x[i] = value_type(loads::first_of(at) + tile::position(i));
    } else {
      loads::load(values_from(s), s.n, at, x);
    }
  }
  template <bool ByRank>
  SORTILE_DEVICE void move_values(shared& s, std::uint32_t at, const packed_places<items>& staged,
                                  const value_type (&x)[items]) const {
    packed_digits<items> digits;
    write_keys<ByRank>(s, at, digits);
    simt::block_barrier();
    const auto stage = simt::view_as<value_type>(s.stage.view());
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      stage[staged.get(i)] = x[i];
    simt::block_barrier();
    const auto to = values.target(s.going.load(0).values_to_output);
    each_staged(s, keys_of(s, at), [&](int i, std::uint32_t p, bool within, auto far) {
      if (within)
        to.store(targets::template of<far>(s.places, digits.get(i), p), stage.load(p));
    });
  }

 private:
  /// Values come before the ranking, the next keys before anything is written: where registers hold both.
  static constexpr bool early =
      (Tiles == lsd_tiles::middle || Tiles == lsd_tiles::large) && detail::lsd_shape<Word>::three_registers(ValueBytes);

  /// A thread's staged places are computed for each tile: kept, they are spilled.
  static constexpr bool own_places_again = !has_values || Tiles == lsd_tiles::large;

  SORTILE_DEVICE bool makes_values(shared& s) const { return wants.make_indices && s.going.load(0).first; }

  template <bool ByRank, class F>
  SORTILE_DEVICE void by_kind_of_digit(shared& s, F f) const {
    const course c = s.going.load(0);
    c.template with_digits<ByRank, sets_apart, !has_values>(codec, s.value_ranks, f); // pairs: no registers for plain
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
