// Passes of an LSD sort, one of them or several in turn: each moves every key, and its value, to where its digit
// belongs, equal digits in order.
//
// Several passes a launch: a block that finds no more tiles adds how many it has moved to a counter of the pass, and
// goes on when all are counted. They were all drawn by running blocks, so nobody waits for a block that has not begun.
// A fallback comes this way: a launch that has nothing to do costs one to three microseconds.
//
// Positions beyond the tile have 64 bits where there are 2^32 keys or more. Does nothing where no key differs in the
// digit, or where one pass sets apart those that do; the next one then sorts the ends (keys_apart.hpp). Of pairs with
// few values the digits are those of their ranks (value_ranks.hpp). Of keys alone, passes leave out a heavy key
// (heavy_key.hpp). Without any active pass the first one writes the output (write_at_once.hpp).
#pragma once

#include "kernels/lsd/lsd_tile_moves.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned ValueBytes, lsd_tiles Tiles, lsd_passes_by By = lsd_passes_of<Word>(Tiles, ValueBytes)>
struct lsd_pass_kernel : lsd_tile_moves<Word, ValueBytes, Tiles, By> {
  using moves = lsd_tile_moves<Word, ValueBytes, Tiles, By>;
  using moves::block_threads, moves::items, moves::radix, moves::may_rank, moves::has_values, moves::sets_apart,
      moves::may_part;
  using moves::keys, moves::values, moves::count, moves::passes, moves::codec, moves::findings, moves::counts,
      moves::counted, moves::tickets, moves::finished, moves::begin, moves::end, moves::wants;
  using typename moves::course, typename moves::shared, typename moves::tile, typename moves::loads,
      typename moves::ranks_of_values, typename moves::value_type;

  SORTILE_DEVICE void operator()(shared& s) const {
    const lsd_work work = passes.work(findings);
    if (begin == 0 && work.passes == 0) {
      if constexpr (By != lsd_passes_by::ranks)
        write_at_once(s);
    } else if (By == lsd_passes_by::either || work.by_rank == (By == lsd_passes_by::ranks)) {
      sort(s);
    }
  }

 private:
  /// The active ones of this launch's passes. Which pass it is is kept in shared storage, too.
  SORTILE_DEVICE void sort(shared& s) const {
    for (unsigned pass = begin; pass < end;) {
      std::uint64_t n = count.load(); // on its way with what passes are active
      const lsd_work work = passes.work(findings);
      if (n == 0) // not called: findings are another sort's
        return;
      if constexpr (may_part)
        n = work.parted() ? work.others : n;
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
      if constexpr (may_part)
        if (work.parted() && work.passes >> pass == 1)
          return close_gap(s);
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

  /// What the last pass has left for a heavy key.
  SORTILE_DEVICE void close_gap(shared& s) const {
    await_all_tiles(s);
    const parted_findings<Word> found{findings};
    parted_gap::close(keys.target(s.going.load(0).keys_to_output), found.key(), found.below(), found.times(), s.gap);
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
    const std::uint64_t here = apart ? keys_apart::of(findings).count(t, n) : count_of_digit<ByRank>(s, pass, work);
    const auto start = primitives::block_exclusive_scan(s.scan, here, primitives::plus{}, std::uint64_t{0});
    const auto path = keys.template path<may_part>(work);
    const unsigned shift = ByRank  ? pass * ranks_of_values::digit_bits
                           : apart ? work.high * passes.digit_bits
                                   : codec.shift + pass * passes.digit_bits;
    if (t < radix)
      s.start[t] = start.before;
    if constexpr (may_part)
      if (work.parted() && before + 1 == all && t < radix)
        s.start[t] = start.before + parted_findings<Word>{findings}.leave_gap(s.gap, any_image<Word>(codec), shift, t,
                                                                              start.before, here);
    if (t != 0)
      return;
    s.moved = 0;
    s.n = n;
    s.going = {.tiles = std::uint32_t((n + tile::size - 1) / tile::size),
               .odd = before % 2,
               .pass = pass,
               .shift = shift,
               .mask = ByRank ? radix - 1 : passes.mask(codec.bits, pass),
               .first = before == 0 && !work.parted(),
               .keys_to_output = path.writes_output(before, all),
               .values_to_output = has_values && values.writes_output(before, all),
               .write_keys = wants.keys || before + 1 < all || apart,
               .far = count.load() >> 32 != 0,
               .plain_floats = codec.infinity != 0 && codec.mask == Word(~Word{0}) && findings.load(lsd_special) == 0,
               .apart = apart,
               .usual = apart ? keys_apart::usual<Word>(findings, work.high * passes.digit_bits) : Word{0}};
  }
  /// Of digit t, by thread t. Has barriers where it is of ranks.
  template <bool ByRank>
  SORTILE_DEVICE std::uint64_t count_of_digit(shared& s, unsigned pass, const lsd_work& work) const {
    const unsigned t = simt::thread_index();
    if constexpr (ByRank)
      return ranks_of_values::template find<block_threads>(s.value_ranks, counted, pass, s.moved, scratch(s));
    std::uint64_t here = t < radix ? counts.load(pass * radix + t) : 0;
    if constexpr (may_part)
      if (passes.part && t < radix && !work.parted())
        here += parted_findings<Word>{findings}.with_digit(any_image<Word>(codec), pass * passes.digit_bits, t);
    return here;
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
    const auto path = keys.template path<may_part>(work);
    loads::load(path.source(before == 0 && !work.parted(), path.writes_output(before, all)), n, at,
                k); // on their way while the course is set
    set_course<ByRank>(s, pass, n, before, work);
    simt::block_barrier();
    this->template move_tiles<ByRank>(s, at, k);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
