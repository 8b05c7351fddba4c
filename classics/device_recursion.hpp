// Recursion by wide division that stays on the device, as a part: kernels launch what comes after them, the host
// launches the first and waits. radix_msd_launching.cu and sample_sort_launching.cu tell its stories.
//
//   a level of the recursion: all parts that are to be divided, as a list of parts and a list of their tiles
//
//     (split)  a block a part: its splitters, where the keys have to be looked at for them   choose_level_splitters
//     count    a block a tile: sizes of its buckets, added to the part's                     count_tile
//              the last block of a part plans: places of the buckets, what becomes of each
//     move     a block a tile: reserves a place in each bucket, writes its keys as runs      move_tile
//
// Each of these grids launches the next "at its end"; the move of a level launches the next level's first grid, that of
// the last level a block for each part that is left. Such a launch (CUDA's tail launch) begins when the grid that asked
// for it has ended. So one thread of each grid
// makes the next launch, nobody polls, and no more launches are pending than one: the number of parts, which the data
// decide, is a grid's size and not a number of launches. The depth of the nesting is that of the recursion, and known
// beforehand; the device runtime allows 24.
//
// Within a grid the blocks of one part meet once: each adds its sizes to the part's, fences, and takes a ticket; who
// takes the last one sees all sizes. It goes through the buckets in order and groups them: neighbours that fit one
// block together are left to it, a bucket that is larger becomes a part of the next level, unless its keys are all
// equal.
//
// Invariants: parts of a level and what is left do not overlap; a part has more than `small` keys, so a level has fewer
// than n / small of them; lists are written by the level before, counters are zero when a part is listed. Unstable: a
// tile's place in a bucket is that of its atomic.
//
// Workspace: of each of two levels 4 bytes a bucket for n / small parts, and lists; 16 bytes for each part that is
// left.
#pragma once

#include "classics/parts.hpp"
#include "classics/scan.hpp"

namespace sortile::classics::inline SORTILE_BACKEND {

inline constexpr unsigned most_divided_at_once = 2048, most_division_buckets = 256, deepest_nesting = 24;

/// The parts that are to be divided, and how far that has come.
template <class Word>
struct level_of_parts {
  simt::global<part> parts;
  simt::global<std::uint32_t> sizes;      // [2]: parts, tiles
  simt::global<std::uint32_t> first_tile; // [parts]
  simt::global<std::uint32_t> tickets;    // [parts]: tiles that have been counted
  simt::global<std::uint32_t> of_tile;    // [tiles]: its part
  simt::global<std::uint32_t> counts;     // [parts][buckets]: keys, then the next place within the part
  simt::global<Word> splitters;           // [parts][a part's]
};

/// For --steps: the parts that were divided, into buckets of which sizes; empty where nobody looks.
template <class Word>
struct told_divisions {
  simt::global<std::uint32_t> number; // [1]
  simt::global<part> parts;
  simt::global<std::uint32_t> counts; // [parts][buckets]
  simt::global<Word> splitters;       // [parts][a part's]
};

/// Where a block of a level works: tile [first, first + count) of part q.
struct tile_of_part {
  std::uint32_t q, first, count;
  part p;
};

/// What all kernels of a recursion are given. `Division` says which bucket a key belongs to:
///   load(storage, splitters, q)      for part q, into shared memory; followed by a barrier
///   bucket(storage, image, depth)    one of `buckets()`
///   settles(bucket, depth)           whether its keys are all equal
///   sort(local_storage, in, out, p)  one block of threads_for(small), 256 at most, sorts a part that is left
///   find(sampling_storage, in, p, splitters, q)   the splitters() of part q, where `has_splitters`
template <class Division, class Word, bool Pairs>
struct device_recursion {
  using division_type = Division;
  using word = Word;
  static constexpr bool has_values = Pairs;

  records<Word, Pairs> data, spare;
  key_codec<Word> codec;
  Division division;
  unsigned small, tile, deepest;
  level_of_parts<Word> now, next;
  simt::global<part> left;               // to be sorted by a block each
  simt::global<std::uint32_t> left_size; // [1]
  simt::global<std::uint32_t> fallen;    // [1]: of what is left, parts larger than a block's tile
  simt::global<std::uint32_t> launches;  // [1]: from the device
  told_divisions<Word> told;

  SORTILE_DEVICE const records<Word, Pairs>& holder(const part& p) const { return p.in_spare ? spare : data; }
  SORTILE_DEVICE const records<Word, Pairs>& other(const part& p) const { return p.in_spare ? data : spare; }
  SORTILE_DEVICE tile_of_part tile_of(unsigned block) const {
    const std::uint32_t q = now.of_tile.load(block);
    const part p = now.parts.load(q);
    const std::uint32_t first = (block - now.first_tile.load(q)) * tile, rest = p.count - first;
    return {q, first, rest < tile ? rest : tile, p};
  }
  SORTILE_DEVICE std::uint32_t tiles_of(std::uint32_t count) const { return (count + tile - 1) / tile; }
};

template <class Recursion>
struct count_tile;
template <class Recursion>
struct move_tile;

/// The first thread of the grid: what is launched when it has ended.
template <class Recursion, class Kernel>
SORTILE_DEVICE void launch_next(const Recursion& r, unsigned grid, const Kernel& kernel, unsigned block = 0) {
  if (simt::block_index() == 0 && simt::thread_index() == 0 && grid != 0) {
    r.launches.fetch_add(0, 1u);
    simt::launch_at_end({.grid = grid, .block = block}, kernel);
  }
}

/// A part a block, the last of the chain. Parts that are larger than a block's tile were divided too often, or hold
/// equal keys alone; the first fall back to the bitonic network in global memory.
template <class Recursion>
struct sort_what_is_left {
  static constexpr unsigned block_threads = 256;
  using shared = typename Recursion::division_type::local_storage;
  Recursion r;

  SORTILE_DEVICE void operator()(shared& s) const {
    const part p = r.left.load(simt::block_index());
    if (p.count <= r.small)
      return r.division.sort(s, r.holder(p), r.data, p);
    if (p.in_spare)
      for (std::uint32_t i = p.first + simt::thread_index(); i < p.first + p.count; i += simt::block_size())
        r.data.store(i, r.spare.load(i));
    sort_by_one_block(r.data, p.first, p.count, r.codec);
  }
};

/// What divides each part of a level.
template <class Recursion>
struct choose_level_splitters {
  static constexpr unsigned block_threads = 256;
  using shared = typename Recursion::division_type::sampling_storage;
  Recursion r;
  unsigned tiles; // of the level

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned q = simt::block_index();
    const part p = r.now.parts.load(q);
    r.division.find(s, r.holder(p), p, r.now.splitters, q);
    launch_next(r, tiles, count_tile<Recursion>{r});
  }
};

/// Neighbouring buckets with one fate.
struct bucket_group {
  enum fate : std::uint32_t { left_to_a_block, divided, settled };
  std::uint32_t first, count, depth, what;
  std::uint32_t at, tile; // in the list of what is left or of parts; in that of tiles
};

template <class Recursion>
struct count_tile {
  static constexpr unsigned block_threads = 256;
  struct shared {
    typename Recursion::division_type::storage search;
    simt::shared_array<std::uint32_t, most_division_buckets> counts, begins;
    simt::shared_array<bucket_group, most_division_buckets> groups;
    simt::shared_value<std::uint32_t> is_last, groups_in_use, told_at;
  };
  Recursion r;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), buckets = r.division.buckets();
    const tile_of_part at = r.tile_of(simt::block_index());
    const std::uint32_t q = at.q, first = at.first, count = at.count;
    const part p = at.p;
    r.division.load(s.search, r.now.splitters, q);
    for (unsigned b = t; b < buckets; b += block_threads)
      s.counts[b] = 0u;
    simt::block_barrier();
    const records<Word, Pairs>& in = r.holder(p);
    for (std::uint32_t i = t; i < count; i += block_threads)
      s.counts.fetch_add(r.division.bucket(s.search, r.codec.image(in.keys.load(p.first + first + i)), p.depth), 1u);
    simt::block_barrier();
    for (unsigned b = t; b < buckets; b += block_threads)
      if (const std::uint32_t mine = s.counts.load(b); mine != 0)
        r.now.counts.fetch_add(std::uint64_t{q} * buckets + b, mine);
    simt::fence(simt::device_scope); // each thread's sizes, before the block's ticket
    simt::block_barrier();
    if (t == 0)
      s.is_last = r.now.tickets.fetch_add(q, 1u) + 1 == r.tiles_of(p.count);
    simt::block_barrier();
    if (s.is_last != 0)
      plan(s, q, p);
    launch_next(r, simt::grid_size(), move_tile<Recursion>{r});
  }

 private:
  using Word = typename Recursion::word;
  static constexpr bool Pairs = Recursion::has_values;

  SORTILE_DEVICE void plan(shared& s, std::uint32_t q, const part& p) const {
    const unsigned t = simt::thread_index(), buckets = r.division.buckets();
    const std::uint64_t row = std::uint64_t{q} * buckets;
    simt::fence(simt::device_scope);
    for (unsigned b = t; b < buckets; b += block_threads)
      s.counts[b] = r.now.counts.load(row + b, simt::relaxed);
    simt::block_barrier();
    if (t == 0)
      group_buckets(s, p);
    tell(s, q, p);
    simt::block_barrier();
    for (unsigned b = t; b < buckets; b += block_threads)
      r.now.counts[row + b] = s.begins.load(b);
    for (std::uint32_t g = 0; g < s.groups_in_use; ++g)
      list(s.groups.load(g), p.in_spare ^ 1);
  }

  /// One thread: at most 256 sizes, and three atomics for the room in the lists.
  SORTILE_DEVICE void group_buckets(shared& s, const part& p) const {
    std::uint32_t begin = 0, used = 0, parts = 0, tiles = 0, left = 0;
    bucket_group last{0, 0, 0, bucket_group::settled, 0, 0};
    for (unsigned b = 0; b < r.division.buckets(); ++b) {
      const std::uint32_t count = s.counts.load(b);
      s.begins[b] = begin;
      if (count != 0 && last.what == bucket_group::left_to_a_block && last.count + count <= r.small) {
        last.count += count;
        last.depth = p.depth; // several buckets: what divided them decides again
      } else if (count != 0) {
        keep(s, used, last);
        last = {p.first + begin, count, p.depth + 1, fate_of(b, count, p), 0, 0};
      }
      begin += count;
    }
    keep(s, used, last);
    for (std::uint32_t g = 0; g < used; ++g) { // places, from 0 on
      bucket_group group = s.groups.load(g);
      group.at = group.what == bucket_group::divided ? parts++ : left;
      group.tile = tiles;
      if (group.what == bucket_group::divided)
        tiles += r.tiles_of(group.count);
      else
        left += blocks_of(group, p.in_spare ^ 1);
      if (group.what == bucket_group::left_to_a_block && group.count > r.small)
        r.fallen.fetch_add(0, 1u);
      s.groups.store(g, group);
    }
    const std::uint32_t first_part = parts == 0 ? 0 : r.next.sizes.fetch_add(0, parts);
    const std::uint32_t first_tile = tiles == 0 ? 0 : r.next.sizes.fetch_add(1, tiles);
    const std::uint32_t first_left = left == 0 ? 0 : r.left_size.fetch_add(0, left);
    for (std::uint32_t g = 0; g < used; ++g) {
      bucket_group group = s.groups.load(g);
      group.at += group.what == bucket_group::divided ? first_part : first_left;
      group.tile += first_tile;
      s.groups.store(g, group);
    }
    s.groups_in_use = used;
  }

  SORTILE_DEVICE void keep(shared& s, std::uint32_t& used, const bucket_group& g) const {
    if (g.count != 0)
      s.groups.store(used++, g);
  }

  SORTILE_DEVICE std::uint32_t fate_of(unsigned bucket, std::uint32_t count, const part& p) const {
    return count <= r.small                      ? bucket_group::left_to_a_block
           : r.division.settles(bucket, p.depth) ? bucket_group::settled
           : p.depth + 1 > r.deepest             ? bucket_group::left_to_a_block
                                                 : bucket_group::divided;
  }

  /// Blocks at the end of the chain: equal keys have but to be copied, pieces that fit a block, if they lie in `spare`.
  SORTILE_DEVICE std::uint32_t blocks_of(const bucket_group& g, std::uint32_t in_spare) const {
    return g.what == bucket_group::left_to_a_block ? 1 : in_spare ? (g.count + r.small - 1) / r.small : 0;
  }

  /// By the whole block.
  SORTILE_DEVICE void list(const bucket_group& g, std::uint32_t in_spare) const {
    const unsigned t = simt::thread_index(), buckets = r.division.buckets();
    if (g.what != bucket_group::divided) {
      const std::uint32_t blocks = blocks_of(g, in_spare);
      for (std::uint32_t k = t; k < blocks; k += block_threads) {
        const std::uint32_t first = k * r.small, rest = g.count - first;
        r.left.store(g.at + k, {g.first + first, blocks == 1 || rest < r.small ? rest : r.small, g.depth, in_spare});
      }
      return;
    }
    if (t == 0) {
      r.next.parts.store(g.at, {g.first, g.count, g.depth, in_spare});
      r.next.first_tile[g.at] = g.tile;
      r.next.tickets[g.at] = 0u;
    }
    for (unsigned b = t; b < buckets; b += block_threads)
      r.next.counts[std::uint64_t{g.at} * buckets + b] = 0u;
    for (std::uint32_t k = t; k < r.tiles_of(g.count); k += block_threads)
      r.next.of_tile[g.tile + k] = g.at;
  }

  SORTILE_DEVICE void tell(shared& s, std::uint32_t q, const part& p) const {
    if (r.told.number.data() == nullptr)
      return;
    const unsigned t = simt::thread_index(), buckets = r.division.buckets(), splitters = r.division.splitters();
    if (t == 0)
      s.told_at = r.told.number.fetch_add(0, 1u);
    simt::block_barrier();
    const std::uint64_t at = s.told_at;
    if (t == 0)
      r.told.parts.store(at, p);
    for (unsigned b = t; b < buckets; b += block_threads)
      r.told.counts[at * buckets + b] = s.counts.load(b);
    for (unsigned d = t; d < splitters; d += block_threads)
      r.told.splitters[at * splitters + d] = r.now.splitters.load(std::uint64_t{q} * splitters + d);
  }
};

template <class Recursion>
struct move_tile {
  static constexpr unsigned block_threads = 256;
  using Word = typename Recursion::word;
  static constexpr bool Pairs = Recursion::has_values;
  struct shared {
    typename Recursion::division_type::storage search;
    simt::shared_array<std::uint32_t, padded<32>(most_division_buckets)> begins; // in the tile
    simt::shared_array<std::uint32_t, most_division_buckets> taken, places;      // places: in the part
    simt::shared_array<record<Word, Pairs>, most_divided_at_once> tile;          // by buckets
  };
  Recursion r;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), buckets = r.division.buckets();
    const tile_of_part at = r.tile_of(simt::block_index());
    const std::uint32_t q = at.q, first = at.first, count = at.count;
    const part p = at.p;
    r.division.load(s.search, r.now.splitters, q);
    for (unsigned b = t; b < most_division_buckets; b += block_threads) {
      s.begins[padded<32>(b)] = 0u;
      s.taken[b] = 0u;
    }
    simt::block_barrier();
    const records<Word, Pairs>& in = r.holder(p);
    const auto bucket = [&](Word key) { return r.division.bucket(s.search, r.codec.image(key), p.depth); };
    for (std::uint32_t i = t; i < count; i += block_threads)
      s.begins.fetch_add(padded<32>(bucket(in.keys.load(p.first + first + i))), 1u);
    simt::block_barrier();
    for (unsigned b = t; b < buckets; b += block_threads)
      if (const std::uint32_t mine = s.begins.load(padded<32>(b)); mine != 0)
        s.places[b] = r.now.counts.fetch_add(std::uint64_t{q} * buckets + b, mine);
    scan_block<32>(s.begins, most_division_buckets);
    for (std::uint32_t i = t; i < count; i += block_threads) {
      const record<Word, Pairs> mine = in.load(p.first + first + i);
      const unsigned b = bucket(mine.key);
      s.tile.store(s.begins.load(padded<32>(b)) + s.taken.fetch_add(b, 1u), mine);
    }
    simt::block_barrier();
    for (std::uint32_t i = t; i < count; i += block_threads) {
      const record<Word, Pairs> moved = s.tile.load(i);
      const unsigned b = bucket(moved.key);
      r.other(p).store(p.first + s.places.load(b) + i - s.begins.load(padded<32>(b)), moved);
    }
    if (simt::block_index() == 0 && t == 0)
      go_on();
  }

 private:
  /// The next level, or the end. Its lists are complete: the counts, which wrote them, have ended.
  SORTILE_DEVICE void go_on() const {
    const std::uint32_t parts = r.next.sizes.load(0), tiles = r.next.sizes.load(1);
    Recursion further = r;
    further.now = r.next;
    further.next = r.now;
    r.now.sizes[0] = 0u;
    r.now.sizes[1] = 0u;
    if (parts == 0)
      launch_next(r, r.left_size.load(0), sort_what_is_left<Recursion>{r}, r.division.threads_for(r.small));
    else if constexpr (Recursion::division_type::has_splitters)
      launch_next(r, parts, choose_level_splitters<Recursion>{further, tiles});
    else
      launch_next(r, tiles, count_tile<Recursion>{further});
  }
};

} // namespace sortile::classics::inline SORTILE_BACKEND
