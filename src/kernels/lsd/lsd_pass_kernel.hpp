// Passes of an LSD sort, one of them or several in turn: each moves every key, and its value, to where its digit
// belongs, equal digits in order.
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
//
// Several passes a launch: a block that finds no more tiles adds how many it has moved to a counter of the pass, and
// goes on when all are counted. They were all drawn by running blocks, so nobody waits for a block that has not begun.
// A fallback comes this way: a launch that has nothing to do costs one to three microseconds.
//
// Positions beyond the tile have 64 bits where there are 2^32 keys or more. Does nothing where no key differs in the
// digit, or where one pass sets apart those that do; the next one then sorts the ends (keys_apart.hpp). Of pairs with
// few values the digits are those of their ranks (value_ranks.hpp). Without any active pass the first one writes the
// output (write_at_once.hpp).
#pragma once

#include "kernels/lsd/keys_apart.hpp"
#include "kernels/lsd/lsd_look_back.hpp"
#include "kernels/lsd/lsd_tile_loads.hpp"
#include "kernels/lsd/value_ranks.hpp"
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

template <class Word, unsigned ValueBytes, lsd_tiles Tiles, lsd_passes_by By = lsd_passes_of<Word>(Tiles, ValueBytes)>
struct lsd_pass_kernel {
  static constexpr auto cut = detail::lsd_shape<Word>::of(Tiles, ValueBytes);
  static constexpr bool starts_early = true, keeps_l1 = true;
  static constexpr unsigned block_threads = cut.threads, min_blocks = cut.blocks, radix = 256;
  static constexpr int items = cut.items;
  using tile = stable_tile<block_threads, items>;
  using loads = lsd_tile_loads<tile, items>;
  using value_type = typename lsd_value<ValueBytes>::type;
  using staged = std::conditional_t<(sizeof(value_type) > sizeof(Word)), value_type, Word>;
  using scan_storage = primitives::block_scan_storage<std::uint64_t, block_threads>;
  static constexpr bool may_rank = By != lsd_passes_by::images;
  static constexpr bool has_values = ValueBytes != 0,
                        sets_apart = lsd_may_set_apart<Word> && By != lsd_passes_by::ranks;
  using ranks_of_values = value_ranks<Word>;
  struct no_ranks {};

  /// What a pass goes by. It is kept in shared storage, as n is, since registers bound the tile's size. The arrays are
  /// chosen from the kernel's arguments wherever they are used, so that the compiler knows that they are global memory.
  /// (Of a pointer kept in shared storage it cannot know that: then no load from the stage may pass a store before it,
  /// and a thread's writes go one by one.)
  struct course {
    std::uint32_t tiles;
    std::uint32_t odd; // active passes before this one, modulo 2
    std::uint32_t pass, shift, mask;
    bool first, keys_to_output, values_to_output, write_keys;
    bool plain_floats; // neither −0 nor NaN among them
    bool apart;        // the digit is a class (keys_apart.hpp)
    Word usual;        // the high digits of nearly all keys, shifted like theirs
  };

  struct shared {
    alignas(16) simt::shared_array<staged, tile::size> stage; // keys, then values
    typename tile::storage ranks;
    simt::shared_array<std::uint64_t, radix> start; // of each bucket
    /// Where the tile's first key of a digit goes, less its staged place: halves of 64 bits. Of fewer than 2^32 keys
    /// only the lower halves are read: a place is looked up once a key and once a value, and shared storage is what a
    /// pass waits for.
    simt::shared_array<std::uint32_t, radix> place, place_high;
    simt::shared_value<std::uint32_t> next;
    simt::shared_value<std::uint32_t> moved; // tiles of this pass, by this block
    simt::shared_value<std::uint64_t> n;
    simt::shared_value<course> going;
    scan_storage scan;
    std::conditional_t<may_rank, typename ranks_of_values::storage, no_ranks> value_ranks;
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

  SORTILE_DEVICE void operator()(shared& s) const {
    const lsd_work work = passes.work(lsd_seen::of(findings));
    if (begin == 0 && work.passes == 0) {
      if constexpr (By != lsd_passes_by::ranks)
        write_at_once(s);
    } else if (By == lsd_passes_by::either || work.by_rank == (By == lsd_passes_by::ranks)) {
      sort(s);
    }
  }

 private:
  /// Values come before the ranking, the next keys before anything is written: where registers hold both.
  static constexpr bool early =
      (Tiles == lsd_tiles::middle || Tiles == lsd_tiles::large) && detail::lsd_shape<Word>::three_registers(ValueBytes);

  /// A thread's staged places are computed for each tile: kept, they are spilled.
  static constexpr bool own_places_again = !has_values || Tiles == lsd_tiles::large;
  /// The active ones of this launch's passes. Which pass it is is kept in shared storage, too.
  SORTILE_DEVICE void sort(shared& s) const {
    for (unsigned pass = begin; pass < end;) {
      const std::uint64_t n = count.load(); // on its way with what passes are active
      const lsd_work work = passes.work(lsd_seen::of(findings));
      if (n == 0) // not called: findings are another sort's
        return;
      if ((work.passes >> pass & 1) == 0) {
        if constexpr (sets_apart)
          if (pass == work.ends_at())
            return sort_ends(s, n, work);
        ++pass;
        continue;
      }
      if constexpr (By == lsd_passes_by::images)
        move<false>(s, pass, n, work);
      else if constexpr (By == lsd_passes_by::ranks)
        move<true>(s, pass, n, work);
      else if (work.by_rank)
        move<true>(s, pass, n, work);
      else
        move<false>(s, pass, n, work);
      if (end - begin == 1)
        return;
      pass = s.going.load(0).pass + 1;
      if (pass < end)
        await_all_tiles(s);
    }
  }
  /// Has barriers. What the tiles of this pass have become can be read then, and all shared storage is free.
  SORTILE_DEVICE void await_all_tiles(shared& s) const {
    simt::block_barrier(); // written by all threads
    if (simt::thread_index() == 0) {
      const course c = s.going.load(0);
      finished.fetch_add(c.pass, std::uint32_t(s.moved), simt::release);
      while (finished.load(c.pass, simt::acquire) != c.tiles)
        simt::spin_hint(100);
    }
    simt::block_barrier();
  }

  /// Of what the last active pass has set apart, by one block.
  SORTILE_DEVICE void sort_ends(shared& s, std::uint64_t n, const lsd_work& work) const {
    if (simt::block_index() != 0)
      return;
    const unsigned all = simt::popcount(work.passes);
    ends_sort<Word, value_type, has_values>{simt::view_as<std::uint32_t>(s.stage.view()),
                                            keys.target(keys.writes_output(all - 1, all)),
                                            values.target(has_values && values.writes_output(all - 1, all))}
        .sort(any_image<Word>(codec), keys_apart::of(findings), n);
  }

  /// Where no pass is active.
  SORTILE_DEVICE void write_at_once(shared& s) const {
    const auto seen = lsd_seen::of(findings);
    const std::uint64_t n = count.load();
    if (n == 0) // not called: findings are another sort's
      return;
    const lsd_write_at_once<Word, ValueBytes> output{keys, values, wants, n};
    if constexpr (lsd_write_at_once<Word, ValueBytes>::counts_suffice)
      if (passes.writes_counted(seen) && (wants.copy_keys || !is_in_order(seen.order)))
        return output.template counted<block_threads>(counted, codec, s.next, s.scan, scratch(s));
    if (is_backwards(seen.order))
      return output.reverse();
    output.copy();
  }
  /// The stage, where nothing is staged.
  static SORTILE_DEVICE simt::shared_view<std::uint64_t> scratch(shared& s) {
    static_assert(!lsd_values::of_width<Word> || sizeof(s.stage) >= value_runs<Word, block_threads>::storage_bytes);
    return simt::view_as<std::uint64_t>(s.stage.view());
  }

  /// Has barriers; all threads may read the course after the next one.
  template <bool ByRank>
  SORTILE_DEVICE void set_course(shared& s, unsigned pass, std::uint64_t n, unsigned before,
                                 const lsd_work& work) const {
    const unsigned t = simt::thread_index(), all = simt::popcount(work.passes);
    const bool apart = sets_apart && pass == work.apart;
    const std::uint64_t here = apart ? keys_apart::of(findings).count(t, n) : count_of_digit<ByRank>(s, pass);
    const auto start = primitives::block_exclusive_scan(s.scan, here, primitives::plus{}, std::uint64_t{0});
    if (t < radix)
      s.start[t] = start.before;
    if (t != 0)
      return;
    s.moved = 0;
    s.n = n;
    s.going = {.tiles = std::uint32_t((n + tile::size - 1) / tile::size),
               .odd = before % 2,
               .pass = pass,
               .shift = ByRank  ? pass * ranks_of_values::digit_bits
                        : apart ? work.high * passes.digit_bits
                                : codec.shift + pass * passes.digit_bits,
               .mask = ByRank ? radix - 1 : passes.mask(codec.bits, pass),
               .first = before == 0,
               .keys_to_output = keys.writes_output(before, all),
               .values_to_output = has_values && values.writes_output(before, all),
               .write_keys = wants.keys || before + 1 < all || apart,
               .plain_floats = codec.infinity != 0 && codec.mask == Word(~Word{0}) && findings.load(lsd_special) == 0,
               .apart = apart,
               .usual = apart ? keys_apart::usual<Word>(findings, work.high * passes.digit_bits) : Word{0}};
  }
  /// Of digit t, by thread t. Has barriers where it is of ranks.
  template <bool ByRank>
  SORTILE_DEVICE std::uint64_t count_of_digit(shared& s, unsigned pass) const {
    const unsigned t = simt::thread_index();
    if constexpr (ByRank)
      return ranks_of_values::template find<block_threads>(s.value_ranks, counted, pass, s.moved, scratch(s));
    else
      return t < radix ? counts.load(pass * radix + t) : 0;
  }
  SORTILE_DEVICE bool makes_values(shared& s) const { return wants.make_indices && s.going.load(0).first; }

  /// Calls f once, with digit_of(key): by a function for integers, one for floats without −0 and NaNs, one for all, or
  /// one for classes, so that the question is not asked for each key.
  template <bool ByRank, class F>
  SORTILE_DEVICE void by_kind_of_digit(shared& s, F f) const {
    constexpr bool may_be_float = sizeof(Word) >= 2 && sizeof(Word) <= 8;
    const course c = s.going.load(0);
    if constexpr (ByRank) {
      const any_image<Word> image(codec);
      f([&](Word key) { return ranks_of_values::rank_of(s.value_ranks, image.image(key)) >> c.shift & c.mask; });
    } else {
      const auto digits_of = [&](const auto& image) {
        f([&](Word key) { return std::uint32_t(image.image(key) >> c.shift) & c.mask; });
      };
      if constexpr (sets_apart)
        if (c.apart) {
          const any_image<Word> image(codec);
          return f([&](Word key) { return std::uint32_t(apart_class_of(Word(image.image(key) >> c.shift), c.usual)); });
        }
      if constexpr (lsd_may_be_plain_floats<Word> && !has_values) // large tiles of pairs have no registers for it
        if (c.plain_floats)
          return digits_of(float_image<Word>{codec.complement});
      if constexpr (may_be_float)
        if (codec.infinity != 0)
          return digits_of(any_image<Word>(codec));
      digits_of(integer_image<Word>{Word(codec.sign ^ codec.complement)});
    }
  }

  /// By ranks it is a loop of its own: a question in the loops of all passes would cost them registers.
  template <bool ByRank>
  SORTILE_DEVICE void move(shared& s, unsigned pass, std::uint64_t n, const lsd_work& work) const {
    const unsigned t = simt::thread_index();
    const unsigned all = simt::popcount(work.passes), before = simt::popcount(work.passes & ((1u << pass) - 1));
    if (t == 0)
      s.next = tickets.fetch_add(pass, 1u);
    simt::block_barrier();
    std::uint32_t at = s.next;
    Word k[items];
    loads::load(keys.source(before == 0, keys.writes_output(before, all)), n, at,
                k); // on their way while the course is set
    set_course<ByRank>(s, pass, n, before, work);
    simt::block_barrier();
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
      std::uint32_t places[(items + 1) / 2] = {}; // two a word
      value_type x[has_values ? items : 1];
      if constexpr (early)
        load_values(s, at, x);
      const auto stage = simt::view_as<Word>(s.stage.view());
      tile::rank(s.ranks, digits, [&](int i, std::uint32_t place) {
        stage[place] = k[i];
        if constexpr (has_values)
          places[i / 2] = i % 2 == 0 ? place : places[i / 2] | place << 16;
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
        move_values<ByRank>(s, at, places, x);
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
    const std::uint64_t place =
        earlier.place_of(c.odd, at, c.tiles, d, total, [&] { return s.start.load(d); }) - s.ranks.offset.load(d);
    s.place[d] = std::uint32_t(place);
    s.place_high[d] = std::uint32_t(place >> 32);
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
          to.store(place_of<far>(s, d, p), key);
      });
    });
  }
  /// Where the staged place p of digit d goes.
  template <bool Far>
  static SORTILE_DEVICE auto place_of(shared& s, std::uint32_t d, std::uint32_t p) {
    const std::uint32_t low = s.place.load(d);
    if constexpr (Far)
      return (std::uint64_t{s.place_high.load(d)} << 32 | low) + p;
    else
      return low + p; // modulo 2^32
  }
  /// f(i, p, p < m, far) for the staged places p of this thread; that all are within, and none is far, is asked once.
  template <class F>
  static SORTILE_DEVICE void each_staged(shared& s, std::uint32_t m, F f) {
    const unsigned t = own_places_again ? simt::opaque(simt::thread_index()) : simt::thread_index();
    if (m == tile::size && s.n >> 32 == 0) {
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i)
        f(i, unsigned(i) * block_threads + t, true, std::false_type{});
    } else {
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i) {
        const std::uint32_t p = unsigned(i) * block_threads + t;
        f(i, p, p < m, std::true_type{});
      }
    }
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
  SORTILE_DEVICE void move_values(shared& s, std::uint32_t at, const std::uint32_t (&places)[(items + 1) / 2],
                                  const value_type (&x)[items]) const {
    packed_digits<items> digits;
    write_keys<ByRank>(s, at, digits);
    simt::block_barrier();
    const auto stage = simt::view_as<value_type>(s.stage.view());
    SORTILE_UNROLL
    for (int i = 0; i < items; ++i)
      stage[i % 2 == 0 ? places[i / 2] & 0xffff : places[i / 2] >> 16] = x[i];
    simt::block_barrier();
    const auto to = values.target(s.going.load(0).values_to_output);
    each_staged(s, keys_of(s, at), [&](int i, std::uint32_t p, bool within, auto far) {
      if (within)
        to.store(place_of<far>(s, digits.get(i), p), stage.load(p));
    });
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
