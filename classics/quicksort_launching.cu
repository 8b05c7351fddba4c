// Quicksort by dynamic parallelism: the kernel that has divided a part launches the kernels for its sides.
//
// Idea. The recursion of quicksort as it is written in a book: divide, call yourself for the left side, call yourself
// for the right one. On a GPU the calls are launches from the device, and nobody waits for them (fire and forget): the
// sort is done when all grids that descend from the first are done.
//
// Sixteen keys, parts of four and fewer sorted by the block:
//
//   $ sortile classics show --example quicksort-children
//   input: 12 3 6 9 15 8 5 10 9 6 11 13 4 10 7 0
//   keys 0 to 15 about 9: 8 less, 2 equal, 6 greater
//     keys      12 3 6 9 15 8 5 10   9 6   11 13  4 10  7  0
//     moved      3 6 8 5  6 4 7  0 | 9 9 | 12 15 10 11 13 10
//     launches  keys 0 to 7 | keys 10 to 15
//   keys 0 to 7 about 3: 1 less, 1 equal, 6 greater
//     keys      3   6   8 5 6 4 7 0
//     moved     0 | 3 | 6 8 5 6 4 7
//     launches  keys 2 to 7
//   keys 0 to 0, sorted by the block: 0
//   keys 2 to 7 about 6: 2 less, 2 equal, 2 greater
//     keys   6 8   5 6   4 7
//     moved  5 4 | 6 6 | 8 7
//   keys 2 to 3, sorted by the block: 4 5
//   keys 6 to 7, sorted by the block: 7 8
//   keys 10 to 15 about 11: 2 less, 1 equal, 3 greater
//     keys   12 15   10   11 13 10
//     moved  10 10 | 11 | 12 15 13
//   keys 10 to 11, sorted by the block: 10 10
//   keys 13 to 15, sorted by the block: 12 13 15
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

/// Barriers of a block until a part is divided: of the moves, and before them where the pivot is one by histogram.
constexpr unsigned barriers_of_move = 4, barriers_of_histogram = 3;

/// For --steps: what happened to a part.
template <class Word>
struct told_part {
  part p;
  std::uint32_t less, equal; // both 0: sorted by its block
  std::uint32_t launch;      // how many blocks had begun before this one
  Word pivot;
};

/// For --steps: parts in the order in which they were done, and the array after so many divisions of each part; empty
/// where nobody looks.
template <class Word, bool Pairs>
struct launch_log {
  simt::global<told_part<Word>> parts; // [2 n]: a part that is divided holds keys equal to its pivot, or has two sides
  simt::global<std::uint32_t> number;  // [1]
  simt::global<std::uint32_t> begun;   // [1]
  records<Word, Pairs> after;          // [deepest + 1][n]
  std::uint64_t n;

  SORTILE_DEVICE bool is_read() const { return parts.data() != nullptr; }
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
  launch_log<Word, Pairs> log;

  SORTILE_DEVICE void operator()(shared& s) const {
    const records<Word, Pairs>& in = p.in_spare ? spare : data;
    const std::uint32_t launch = log.is_read() && simt::thread_index() == 0 ? log.begun.fetch_add(0, 1u) : 0;
    if (p.count <= small) {
      tell({p, 0, 0, launch, 0});
      sort_small_part(s, in, data, p.first, p.count, codec);
    } else if (p.depth >= deepest) {
      fall_over(launch);
    } else {
      choose_pivot(s, in, p.first, p.count, codec, rule);
      move(s, in, p.in_spare ? data : spare);
      tell_division(s, p.in_spare ? data : spare, launch);
      go_on(s, launch);
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

  SORTILE_DEVICE void tell(const told_part<Word>& what) const {
    if (log.is_read() && simt::thread_index() == 0)
      log.parts.store(log.number.fetch_add(0, 1u), what);
  }

  SORTILE_DEVICE void tell_division(shared& s, const records<Word, Pairs>& out, std::uint32_t launch) const {
    if (!log.is_read())
      return;
    tell({p, s.size.load(0), s.size.load(1), launch, s.pivot.load(0)});
    for_each_key([&](std::uint32_t i, bool exists) {
      if (exists)
        log.after.store((p.depth + 1) * log.n + p.first + i, out.load(p.first + i));
    });
    simt::block_barrier(); // before the sides' blocks move them
  }

  SORTILE_DEVICE void go_on(shared& s, std::uint32_t launch) const {
    const std::uint32_t less = s.size.load(0), greater = s.size.load(2);
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
        tell({side, 0, 0, launch, 0});
        sort_small_part(s, side.in_spare ? spare : data, data, side.first, side.count, codec);
      }
  }

  /// The bitonic network in global memory, by this block.
  SORTILE_DEVICE void fall_over(std::uint32_t launch) const {
    const unsigned t = simt::thread_index();
    tell({p, 0, 0, launch, 0});
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

/// What a run logs for its steps, and how it tells them.
template <class Word, bool Pairs>
class launch_story {
 public:
  launch_story(job& j, const records<Word, Pairs>& data)
      : j_(j), parts_(j.on, j.shows_steps() ? 2 * j.asked.n : 0), numbers_(j.on, 2),
        keys_(j.on, j.shows_steps() ? (deepest + 1) * j.asked.n : 0), values_(j.on, Pairs ? keys_.size() : 0) {
    numbers_.clear();
    if (!j.shows_steps())
      return;
    j.on.copy_on_device(keys_.data(), data.keys.data(), j.asked.n * sizeof(Word), j.on.queue());
    if constexpr (Pairs)
      j.on.copy_on_device(values_.data(), data.values.data(), j.asked.n * sizeof(std::uint32_t), j.on.queue());
  }

  launch_log<Word, Pairs> log() const {
    return {view(parts_), {numbers_.data(), 1}, {numbers_.data() + 1, 1}, {view(keys_), view(values_)}, j_.asked.n};
  }

  /// `launches`: from the device, all of them. Each was of one block, so the blocks have begun in the order of the
  /// executor's launches.
  void tell(const key_codec<Word>& codec, const records<Word, Pairs>& sorted, std::uint32_t launches, pivot_rule rule,
            unsigned small) const {
    if (!j_.shows_steps())
      return;
    const std::vector<std::uint32_t> numbers = numbers_.to_host();
    const std::vector<told_part<Word>> parts = parts_.to_host();
    for (std::uint32_t i = 0; i < numbers[0]; ++i) {
      const part& p = parts[i].p;
      const bool divided = parts[i].less != 0 || parts[i].equal != 0;
      telling t = j_.tell(name(p) + (divided ? title_of_division(parts[i], codec) : ", sorted by the block"));
      t.done_before_last(launches - 1 - parts[i].launch);
      if (divided)
        tell_division(t, parts[i], rule, small);
      else
        t.keys("", untyped(piece_of(sorted, p.first, p.count)), p.count);
    }
  }

 private:
  static std::string name(const part& p) { return divided_array<Word, Pairs>::name(p); }

  /// The records of a part after so many divisions.
  records<Word, Pairs> records_after(unsigned divisions, const part& p) const {
    return piece_of(log().after, divisions * j_.asked.n + p.first, p.count);
  }

  static std::uint32_t greater_of(const told_part<Word>& told) { return told.p.count - told.less - told.equal; }

  std::string title_of_division(const told_part<Word>& told, const key_codec<Word>& codec) const {
    const std::vector<Word> keys = fetch(j_.on, records_after(told.p.depth, told.p).keys, told.p.count);
    const auto number = [](auto n) { return std::to_string(n); };
    return " about " + keys_of_images(j_, codec, {told.pivot}, keys).front() + ": " + number(told.less) + " less, " +
           number(told.equal) + " equal, " + number(greater_of(told)) + " greater";
  }

  void tell_division(telling& t, const told_part<Word>& told, pivot_rule rule, unsigned small) const {
    const part& p = told.p;
    t.done_at_barrier(barriers_of_move + (rule == pivot_rule::histogram ? barriers_of_histogram : 0));
    t.keys("keys", untyped(records_after(p.depth, p)), p.count)
        .moved("moved", untyped(records_after(p.depth + 1, p)), p.count, 0)
        .bounds({told.less, std::uint64_t{told.less} + told.equal});
    const std::uint32_t greater = greater_of(told);
    std::vector<std::string> launched;
    for (const part& side : {part{p.first, told.less, 0, 0}, part{p.first + p.count - greater, greater, 0, 0}})
      if (side.count > small)
        launched.push_back(name(side));
    if (!launched.empty())
      t.words("launches", std::move(launched), 1);
  }

  job& j_;
  device_array<told_part<Word>> parts_;
  device_array<std::uint32_t> numbers_; // [2]: of parts told, of blocks that have begun
  device_array<Word> keys_;             // [deepest + 1][n]
  device_array<std::uint32_t> values_;
};

template <class Word, bool Pairs>
void quicksort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  if (j.asked.n == 0)
    return;
  const device_array<std::uint32_t> launches(j.on, 1), fallen(j.on, 1);
  const launch_story<Word, Pairs> story(j, data);
  launches.clear();
  fallen.clear();
  const unsigned small = std::max(j.parameter("small"), static_cast<unsigned>(j.asked.n / pending_launches));
  const auto rule = static_cast<pivot_rule>(j.parameter("pivot"));
  const part whole{0, static_cast<std::uint32_t>(j.asked.n), 0, 0};
  simt::launch(j.on.queue(), {},
               start<Word, Pairs>{{data, spare, whole, codec, rule, small, view(launches), view(fallen), story.log()}});
  const std::uint32_t count = launches.at(0);
  if (count == 0)
    throw device_failure("quicksort-launching: no kernel was launched from the device");
  story.tell(codec, data, count, rule, small);
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
           .steps_show = "of each division the part before and after it and the sides that get a block; the parts that "
                         "a block sorts; launches from the device",
           .largest_n = std::uint64_t{1} << 21,
           .tile = 1024,
           .parameters = {{"pivot", 0, 2, 3, "first, random, median of three, by histogram"},
                          {"small", 4, 1024, 1024, "keys that one block sorts", false, 1, true}},
           .run = [](job& j) { with_records(j, [&](auto&... a) { quicksort(j, a...); }); }}};
}

} // namespace sortile::classics
