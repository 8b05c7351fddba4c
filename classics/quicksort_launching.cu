// Quicksort by dynamic parallelism: the kernel that has divided a part launches the kernels for its sides.
//
// Idea. The recursion of quicksort as it is written in a book: divide, call yourself for the left side, call yourself
// for the right one. On a GPU the calls are launches from the device, and nobody waits for them (fire and forget): the
// sort is done when all grids that descend from the first are done.
//
//   host ──▶ start ──▶ divide [0, n)
//                        ├──▶ divide [0, less)
//                        │       ├──▶ divide …
//                        │       └ 700 keys: this block sorts them itself
//                        └──▶ divide [less + equal, n)
//
// Sixteen keys, parts of four and fewer sorted by the block:
//
//   $ sortile classics show --example quicksort-children
//   input: 12 3 6 9 15 8 5 10 9 6 11 13 4 10 7 0
//   keys 0 to 15 about 9: 8 less, 2 equal, 6 greater
//   keys 0 to 7 about 3: 1 less, 1 equal, 6 greater
//   keys 0 to 0: sorted by the block
//   keys 2 to 7 about 6: 2 less, 2 equal, 2 greater
//   keys 2 to 3: sorted by the block
//   keys 6 to 7: sorted by the block
//   keys 10 to 15 about 11: 2 less, 1 equal, 3 greater
//   keys 10 to 11: sorted by the block
//   keys 13 to 15: sorted by the block
//   4 launches from the device
//   result: 0 3 4 5 6 6 7 8 9 9 10 10 11 12 13 15
//
// A part belongs to one block. It counts the keys that are less than the pivot, equal and greater (votes of warps, one
// shared counter a region), moves them to the other array, places taken from shared counters by fetch-and-add, and
// puts the equal ones where they belong for good. Then its first thread launches a block for each side that is larger
// than `small`; smaller ones it sorts itself, by the bitonic network in shared memory.
//
// A part at depth 18 or more has had bad pivots (or random ones that were none too good). It falls back to the bitonic
// network in global memory, by its one block; a note says how often. That also keeps the nesting within what the device
// runtime allows (24).
//
// The runtime holds at most 2048 launches that have not begun. The parts of such launches do not overlap, and each is
// larger than `small`: where n / 2048 is more than the parameter, it takes its place, and there are never too many.
//
// Launches are counted on the device, and read back: the run fails if there were none.
//
// Source: Hoare 1962; CUDA's sample cdpAdvancedQuicksort; Cederman & Tsigas 2009.
//
// Cost: as quicksort-atomic, without round trips to the host; a launch from the device takes about as long as one from
// the host, but different blocks launch at once. The first division is the work of one block, n / 256 steps, the second
// that of two: a depth of 2 n / 256, which the host-driven form, where the whole grid divides, does not have.
//
// What it teaches: recursion whose shape the data decide, without the host; and its price: the top of the tree has no
// parallelism unless divisions are parallel too. Limits: n at most 2^21, since one block sorts no more than 1024 keys
// in shared memory, and n / 2048 must not be more; unstable.
#include "classics/parts.hpp"

#include <sortile/error.hpp>

#include <algorithm>

namespace sortile::classics {
namespace {

constexpr unsigned deepest = 18, pending_launches = 2048;

/// For --steps: what happened to a part.
template <class Word>
struct division_log {
  part p;
  std::uint32_t less, equal; // both 0: sorted by its block
  Word pivot;
};

template <class Word, bool Pairs>
struct divide {
  static constexpr unsigned block_threads = 256, regions = 3; // less, equal, greater
  struct shared : quicksort_storage<Word, Pairs> {
    simt::shared_array<std::uint32_t, regions> size, taken;
  };
  records<Word, Pairs> data, spare;
  part p;
  key_codec<Word> codec;
  pivot_rule rule;
  unsigned small;
  simt::global<std::uint32_t> launches, fallen; // [1] each
  simt::global<division_log<Word>> log;         // [n], or empty: nobody looks
  simt::global<std::uint32_t> logged;           // [1]

  SORTILE_DEVICE void operator()(shared& s) const {
    const records<Word, Pairs>& in = p.in_spare ? spare : data;
    if (p.count <= small) {
      tell({p, 0, 0, 0});
      sort_small_part(s, in, data, p.first, p.count, codec);
    } else if (p.depth >= deepest) {
      fall_over();
    } else {
      choose_pivot(s, in, p.first, p.count, codec, rule);
      move(s, in, p.in_spare ? data : spare);
      go_on(s);
    }
  }

 private:
  SORTILE_DEVICE static unsigned region_of(Word image, Word pivot) {
    return image < pivot ? 0 : image == pivot ? 1 : 2;
  }

  /// f(i, exists) for the keys of the part; whole warps take every turn.
  template <class Function>
  SORTILE_DEVICE void for_each_key(Function&& f) const {
    for (std::uint32_t base = 0; base < p.count; base += block_threads) {
      const std::uint32_t i = base + simt::thread_index();
      f(i, i < p.count);
    }
  }

  SORTILE_DEVICE void move(shared& s, const records<Word, Pairs>& in, const records<Word, Pairs>& out) const {
    const unsigned t = simt::thread_index();
    if (t < regions) {
      s.size[t] = 0u;
      s.taken[t] = 0u;
    }
    simt::block_barrier();
    const Word pivot = s.pivot.load(0);
    for_each_key([&](std::uint32_t i, bool exists) {
      const unsigned mine = exists ? region_of(codec.image(in.keys.load(p.first + i)), pivot) : regions;
      for (unsigned r = 0; r < regions; ++r) {
        const unsigned votes = simt::ballot(mine == r);
        if (votes != 0 && simt::lane_index() == 0)
          s.size.fetch_add(r, static_cast<std::uint32_t>(simt::popcount(votes)));
      }
    });
    simt::block_barrier();
    for_each_key([&](std::uint32_t i, bool exists) {
      record<Word, Pairs> moved{};
      if (exists)
        moved = in.load(p.first + i);
      const unsigned mine = exists ? region_of(codec.image(moved.key), pivot) : regions;
      std::uint32_t begin = p.first;
      for (unsigned r = 0; r < regions; ++r) {
        const unsigned votes = simt::ballot(mine == r);
        std::uint32_t taken = 0;
        if (votes != 0 && simt::lane_index() == 0)
          taken = s.taken.fetch_add(r, static_cast<std::uint32_t>(simt::popcount(votes)));
        taken = simt::shuffle(taken, 0);
        if (mine == r)
          out.store(begin + taken + static_cast<unsigned>(simt::popcount(votes & simt::lanes_below())), moved);
        begin += s.size.load(r);
      }
    });
    simt::block_barrier();
    if (!p.in_spare) // the middle has come to `spare`
      for (std::uint32_t i = t; i < s.size.load(1); i += block_threads)
        data.store(p.first + s.size.load(0) + i, out.load(p.first + s.size.load(0) + i));
    simt::fence(simt::device_scope);
    simt::block_barrier();
  }

  SORTILE_DEVICE void tell(const division_log<Word>& what) const {
    if (log.data() != nullptr && simt::thread_index() == 0)
      log.store(logged.fetch_add(0, 1u), what);
  }

  SORTILE_DEVICE void go_on(shared& s) const {
    const std::uint32_t less = s.size.load(0), greater = s.size.load(2);
    tell({p, less, s.size.load(1), s.pivot.load(0)});
    const part sides[] = {{p.first, less, p.depth + 1, p.in_spare ^ 1},
                          {p.first + p.count - greater, greater, p.depth + 1, p.in_spare ^ 1}};
    for (const part& side : sides)
      if (side.count > small && simt::thread_index() == 0) {
        launches.fetch_add(0, 1u);
        divide child = *this;
        child.p = side;
        simt::launch_and_forget({.grid = 1}, child);
      }
    for (const part& side : sides)
      if (side.count <= small && side.count != 0) {
        tell({side, 0, 0, 0});
        sort_small_part(s, side.in_spare ? spare : data, data, side.first, side.count, codec);
      }
  }

  /// The bitonic network in global memory, by this block.
  SORTILE_DEVICE void fall_over() const {
    const unsigned t = simt::thread_index();
    tell({p, 0, 0, 0});
    if (t == 0)
      fallen.fetch_add(0, 1u);
    if (p.in_spare)
      for (std::uint32_t i = p.first + t; i < p.first + p.count; i += block_threads)
        data.store(i, spare.load(i));
    sort_by_one_block(data, p.first, p.count, codec);
  }
};

/// The root of the tree; one thread is enough.
template <class Word, bool Pairs>
struct start {
  static constexpr unsigned block_threads = 32;
  divide<Word, Pairs> whole;
  SORTILE_DEVICE void operator()() const {
    if (simt::thread_index() == 0) {
      whole.launches.fetch_add(0, 1u);
      simt::launch_and_forget({.grid = 1}, whole);
    }
  }
};

/// Each part divided holds some keys equal to its pivot, or two sides: fewer than 2 n lines.
template <class Word>
void show_log(job& j, const key_codec<Word>& codec, simt::global<Word> sorted,
              const device_array<division_log<Word>>& log, std::uint32_t logged) {
  if (!j.shows_steps())
    return;
  const std::vector<division_log<Word>> lines = log.to_host();
  const std::vector<Word> all = fetch(j.on, sorted, j.asked.n);
  for (std::uint32_t i = 0; i < logged; ++i) {
    const division_log<Word>& l = lines[i];
    const auto number = [](auto n) { return std::to_string(n); };
    const std::string keys = "keys " + number(l.p.first) + " to " + number(l.p.first + l.p.count - 1);
    if (l.less == 0 && l.equal == 0)
      j.show(keys + ": sorted by the block");
    else
      j.show(keys + " about " + keys_of_images(j, codec, {l.pivot}, all).front() + ": " + number(l.less) + " less, " +
             number(l.equal) + " equal, " + number(l.p.count - l.less - l.equal) + " greater");
  }
}

template <class Word, bool Pairs>
void quicksort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  if (j.asked.n == 0)
    return;
  const device_array<std::uint32_t> launches(j.on, 1), fallen(j.on, 1), logged(j.on, 1);
  const device_array<division_log<Word>> log(j.on, j.shows_steps() ? 2 * j.asked.n : 0);
  launches.clear();
  fallen.clear();
  logged.clear();
  const unsigned small = std::max(j.parameter("small"), static_cast<unsigned>(j.asked.n / pending_launches));
  const part whole{0, static_cast<std::uint32_t>(j.asked.n), 0, 0};
  simt::launch(j.on.queue(), {},
               start<Word, Pairs>{{data, spare, whole, codec, pivot_rule(j.parameter("pivot")), small, view(launches),
                                   view(fallen), view(log), view(logged)}});
  const std::uint32_t count = launches.at(0);
  if (count == 0)
    throw device_failure("quicksort-launching: no kernel was launched from the device");
  show_log(j, codec, data.keys, log, logged.at(0));
  j.note(std::to_string(count) + " launches from the device");
  if (const std::uint32_t parts = fallen.at(0); parts != 0)
    j.note("parts that fell back to the bitonic sort, after " + std::to_string(deepest) +
           " divisions: " + std::to_string(parts));
}

} // namespace

SORTILE_CLASSICS_OF(quicksort_launching) {
  return {{.name = "quicksort-launching",
           .family = "quicksort",
           .summary = "a block divides a part and launches blocks for its sides (dynamic parallelism)",
           .work = "n log n expected, n log^2 n at worst",
           .depth = "n expected",
           .source = "Hoare 1962; Cederman & Tsigas 2009",
           .steps_show = "each division and each part that a block sorts, in the order in which they happen; launches "
                         "from the device",
           .largest_n = std::uint64_t{1} << 21,
           .tile = 1024,
           .parameters = {{"pivot", 0, 2, 3, "first, random, median of three, by histogram"},
                          {"small", 4, 1024, 1024, "keys that one block sorts", false, 1, true}},
           .run = [](job& j) { with_records(j, [&](auto&... a) { quicksort(j, a...); }); }}};
}

} // namespace sortile::classics
