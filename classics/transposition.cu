// Odd-even transposition sort: neighbours compare and exchange, in two alternating pairings.
//
// Idea. In an even phase the keys at 0 and 1, 2 and 3, … are put in order, in an odd phase those at 1 and 2, 3 and 4, …
// After n phases everything is sorted. It is bubble sort with all of a pass's independent exchanges done at once.
//
//   input        3 2 1 0
//   even phase  [2 3][0 1]
//   odd phase    2[0 3]1
//   even phase  [0 2][1 3]
//   odd phase    0[1 2]3
//
// Why n phases: by the 0-1 principle it is enough to sort zeros and ones. The rightmost one moves right in every phase
// from the second on at the latest; the next one can be held up by it once, and so on: the k-th has arrived after n
// phases.
//
// Forms:
//   transposition               one launch per phase, one thread per pair, in global memory: the end of a launch
//                               separates the phases
//   transposition-early-exit    the same; after two phases that exchange nothing, the array is sorted. The flag is read
//                               back by the host after each double phase
//   transposition-tiles         a launch does 64 phases on tiles of 512 records in shared memory. A tile needs what
//                               happens beyond its edges, so it takes 64 records more on each side. These have no
//                               neighbours of their own and go wrong from the outside in, one record per phase, but
//                               the tile itself stays right. So the tiles exchange 64 records over every edge between
//                               launches:
//
//             |◀ 64 ▶|◀──────── 512 ────────▶|◀ 64 ▶|
//      phase 0 ......|.......................|......     . right
//      phase 1 x.....|.......................|.....x     x had no partner, or had one that was wrong
//      phase 3 xxx...|.......................|...xxx
//
//   transposition-tiles-early-exit   the same, until a launch exchanges nothing
//
// Exchanges of neighbours, and none of equal ones: stable in every form.
//
// Source: Habermann, "Parallel Neighbor-Sort", 1972; Knuth, TAOCP vol. 3, 5.3.4, exercise 37; ghost zones: Meng &
// Skadron 2009.
//
// Cost: n (n − 1) / 2 comparisons in n steps, whatever the machine. In global memory each phase reads everything, and
// writes what it exchanges: up to 2 n² records of traffic. Tiles: (512 + 128 + 512) / 512 records per key for 64
// phases, 57 times less, for a quarter more comparisons. Early exit: a read-back each, and n phases still where one key
// must cross the array; input that is nearly sorted ends soon.
//
// What it teaches: the simplest parallel sort; that a grid-wide barrier is the end of a launch; and that work can be
// done twice, in neighbouring tiles, to save communication. Limits: n² work. It is of use below some thousand keys, and
// on meshes, where a processor sees nothing but its neighbours.
#include "classics/compare_exchange.hpp"

namespace sortile::classics {
namespace {

template <class Word, bool Pairs>
struct transpose_pairs {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> data;
  std::uint64_t n;
  key_codec<Word> codec;
  unsigned parity;
  simt::global<std::uint32_t> exchanged; // [1], or empty: nobody asks

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = 2 * grid_thread() + parity;
    const bool moved = i + 1 < n && exchange_if_greater(data, i, i + 1, codec);
    if (exchanged.data() != nullptr && simt::warp_any(moved) && simt::lane_index() == 0)
      exchanged.store(0, 1u, simt::relaxed);
  }
};

template <class Word, bool Pairs>
struct transpose_tiles {
  static constexpr unsigned own = 512, edge = 64, window = own + 2 * edge, block_threads = window / 2;
  struct shared {
    simt::shared_array<record<Word, Pairs>, window> tile;
  };
  records<Word, Pairs> in, out;
  std::uint64_t n;
  key_codec<Word> codec;
  simt::global<std::uint32_t> exchanged; // [1], or empty

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    // Place 0 of the window. An even number: the parities of tile and array agree.
    const std::int64_t base = std::int64_t{simt::block_index()} * own - edge;
    const auto exists = [&](unsigned place) {
      return base + place >= 0 && static_cast<std::uint64_t>(base + place) < n;
    };
    for (unsigned i = t; i < window; i += block_threads)
      if (exists(i))
        s.tile.store(i, in.load(static_cast<std::uint64_t>(base + i)));
    bool moved = false;
    for (unsigned phase = 0; phase < edge; ++phase) {
      simt::block_barrier();
      const unsigned i = 2 * t + phase % 2;
      if (i + 1 < window && exists(i) && exists(i + 1))
        moved |= exchange_if_greater(s.tile, i, i + 1, codec);
    }
    if (exchanged.data() != nullptr && simt::warp_any(moved) && simt::lane_index() == 0)
      exchanged.store(0, 1u, simt::relaxed);
    simt::block_barrier();
    for (unsigned i = edge + t; i < edge + own; i += block_threads)
      if (exists(i))
        out.store(static_cast<std::uint64_t>(base + i), s.tile.load(i));
  }
};

/// The flag that an early exit asks for.
class change_flag {
 public:
  change_flag(machine& on, bool used) : flag_(on, used ? 1 : 0) {}
  simt::global<std::uint32_t> seen() const { return view(flag_); }
  void clear() const { flag_.clear(); }
  bool used() const { return flag_.size() != 0; }
  bool unchanged() const { return used() && flag_.at(0) == 0; }

 private:
  device_array<std::uint32_t> flag_;
};

template <class Word, bool Pairs>
void in_global_memory(job& j, records<Word, Pairs>& data, const key_codec<Word>& codec, bool early_exit) {
  using kernel = transpose_pairs<Word, Pairs>;
  const std::uint64_t n = j.asked.n;
  const change_flag flag(j.on, early_exit);
  for (std::uint64_t phase = 0; phase < n; ++phase) {
    if (phase % 2 == 0)
      flag.clear();
    const auto parity = static_cast<unsigned>(phase % 2);
    simt::launch(j.on.queue(), {.grid = blocks_for(n, 2 * kernel::block_threads)},
                 kernel{data, n, codec, parity, flag.seen()});
    if (j.shows_steps())
      j.show("phase " + std::to_string(phase) + (parity ? ", odd" : ", even"), untyped(data), n);
    if (phase % 2 == 1 && flag.unchanged()) {
      j.show("two phases exchanged nothing: sorted");
      return;
    }
  }
}

template <class Word, bool Pairs>
void in_tiles(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec,
              bool early_exit) {
  using kernel = transpose_tiles<Word, Pairs>;
  const std::uint64_t n = j.asked.n;
  const change_flag flag(j.on, early_exit);
  for (std::uint64_t phase = 0; phase < n; phase += kernel::edge) {
    flag.clear();
    simt::launch(j.on.queue(), {.grid = blocks_for(n, kernel::own)}, kernel{data, spare, n, codec, flag.seen()});
    std::swap(data, spare);
    if (j.shows_steps())
      j.show("after phase " + std::to_string(phase + kernel::edge - 1), untyped(data), n);
    if (flag.unchanged()) {
      j.show("a launch exchanged nothing: sorted");
      return;
    }
  }
}

classic transposition(std::string_view name, std::string_view summary, std::string_view steps_show, run_function run) {
  return {.name = name,
          .family = "transposition",
          .summary = summary,
          .work = "n^2 / 2",
          .depth = "n",
          .source = "Habermann 1972; Knuth, TAOCP vol. 3, 5.3.4",
          .steps_show = steps_show,
          .stable = true,
          .largest_n = std::uint64_t{1} << 16,
          .tile = 512,
          .run = run};
}

} // namespace

SORTILE_CLASSICS_OF(transposition) {
  return {transposition("transposition", "odd-even transposition: neighbours exchange, a launch a phase", "each phase",
                        [](job& j) {
                          with_records(j, [&](auto& d, auto&, auto& codec) { in_global_memory(j, d, codec, false); });
                        }),
          transposition("transposition-early-exit", "the same until a double phase exchanges nothing", "each phase",
                        [](job& j) {
                          with_records(j, [&](auto& d, auto&, auto& codec) { in_global_memory(j, d, codec, true); });
                        }),
          transposition("transposition-tiles",
                        "64 phases a launch on tiles in shared memory that overlap by 64 at each edge", "each launch",
                        [](job& j) { with_records(j, [&](auto&... a) { in_tiles(j, a..., false); }); }),
          transposition("transposition-tiles-early-exit", "the same until a launch exchanges nothing", "each launch",
                        [](job& j) { with_records(j, [&](auto&... a) { in_tiles(j, a..., true); }); })};
}

} // namespace sortile::classics
