// Odd-even transposition sort: neighbours compare and exchange, in two alternating pairings.
//
// Idea. In an even phase the keys at 0 and 1, 2 and 3, … are put in order, in an odd phase those at 1 and 2, 3 and 4, …
// After n phases everything is sorted. It is bubble sort with all of a pass's independent exchanges done at once.
//
//   $ sortile classics show --example transposition-4
//   input: 3 2 1 0
//   phase 0, even
//     compared  0<1* 2<3*
//     keys      2 3 0 1
//   phase 1, odd
//     compared  1<2*
//     keys      2 0 3 1
//   phase 2, even
//     compared  0<1* 2<3*
//     keys      0 2 1 3
//   phase 3, odd
//     compared  1<2*
//     keys      0 1 2 3
//   result: 0 1 2 3
//
// "0<1*" says that places 0 and 1 were compared, and exchanged.
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
//                               launches. Tiles of four with edges of two, which two phases use up:
//
//   $ sortile classics show --example transposition-edges   # lines 1 to 6
//   input: 8 7 6 5 4 3 2 1
//   phases 0 to 1, edges of 2
//     block loads
//       0   8 7   6 5 | 4 3
//       1   6 5 | 4 3   2 1
//     keys  7 5 8 3 | 6 1 4 2
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
  unsigned pairs;                        // a block

  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    const std::uint64_t i = 2 * (std::uint64_t{simt::block_index()} * pairs + t) + parity;
    const bool moved = t < pairs && i + 1 < n && exchange_if_greater(data, i, i + 1, codec);
    if (exchanged.data() != nullptr && simt::warp_any(moved) && simt::lane_index() == 0)
      exchanged.store(0, 1u, simt::relaxed);
  }
};

template <class Word, bool Pairs>
struct transpose_tiles {
  static constexpr unsigned most = 512, most_edge = most / 8, block_threads = (most + 2 * most_edge) / 2;
  struct shared {
    simt::shared_array<record<Word, Pairs>, most + 2 * most_edge> tile;
  };
  records<Word, Pairs> in, out;
  std::uint64_t n;
  key_codec<Word> codec;
  simt::global<std::uint32_t> exchanged; // [1], or empty
  unsigned own, edge;                    // edge: even

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), threads = simt::block_size(), window = own + 2 * edge;
    // Place 0 of the window. An even number: the parities of tile and array agree.
    const std::int64_t base = std::int64_t{simt::block_index()} * own - edge;
    const auto exists = [&](unsigned place) {
      return base + place >= 0 && static_cast<std::uint64_t>(base + place) < n;
    };
    for (unsigned i = t; i < window; i += threads)
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
    for (unsigned i = edge + t; i < edge + own; i += threads)
      if (exists(i))
        out.store(static_cast<std::uint64_t>(base + i), s.tile.load(i));
  }
};

/// A phase's pairs, for steps.
std::vector<wire> pairs_of_phase(std::uint64_t n, unsigned parity) {
  std::vector<wire> pairs;
  for (std::uint64_t i = parity; i + 1 < n; i += 2)
    pairs.push_back({i, i + 1});
  return pairs;
}

/// The flag that an early exit asks for.
class change_flag {
 public:
  change_flag(machine& on, bool used) : flag_(on, used ? 1 : 0) {}
  simt::global<std::uint32_t> seen() const { return view(flag_); }
  void clear() const { flag_.clear(); }
  bool used() const { return flag_.size() != 0; }
  bool unchanged() const { return used() && flag_.at(0) == 0; }
  /// For --steps, where there is a flag.
  void tell(telling& t) const {
    if (used())
      t.flags("exchanged", flag_);
  }

 private:
  device_array<std::uint32_t> flag_;
};

template <class Word, bool Pairs>
void in_global_memory(job& j, records<Word, Pairs>& data, const key_codec<Word>& codec, bool early_exit) {
  using kernel = transpose_pairs<Word, Pairs>;
  const std::uint64_t n = j.asked.n;
  const unsigned tile = j.parameter("tile"), pairs = tile / 2;
  const change_flag flag(j.on, early_exit);
  for (std::uint64_t phase = 0; phase < n; ++phase) {
    if (phase % 2 == 0)
      flag.clear();
    const auto parity = static_cast<unsigned>(phase % 2);
    telling t = j.tell("phase " + std::to_string(phase) + (parity ? ", odd" : ", even"));
    t.before(untyped(data), n);
    simt::launch(j.on.queue(), {.grid = blocks_for(n, tile), .block = early_exit ? whole_warps(pairs) : pairs},
                 kernel{data, n, codec, parity, flag.seen(), pairs});
    flag.tell(t);
    if (t.is_read())
      t.compared(pairs_of_phase(n, parity), untyped(data), n, tile);
    t.end();
    if (phase % 2 == 1 && flag.unchanged()) {
      j.show("two phases exchanged nothing: sorted");
      return;
    }
  }
}

/// What each block loads: its tile, and what lies beyond both edges.
template <class Word, bool Pairs>
void tell_windows(job& j, telling& t, const records<Word, Pairs>& data, std::uint64_t own, std::uint64_t edge) {
  if (!t.is_read())
    return;
  const std::uint64_t n = j.asked.n;
  t.before(untyped(data), n);
  for (std::uint64_t first = 0; first < n; first += own) {
    const std::uint64_t begin = first - std::min(first, edge), end = std::min(first + own + edge, n);
    t.keys(std::to_string(first / own), untyped(piece_of(data, begin, end - begin)), end - begin)
        .in_table("block loads");
    t.bounds({first - begin, std::min(first + own, n) - begin});
  }
}

template <class Word, bool Pairs>
void in_tiles(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec,
              bool early_exit) {
  using kernel = transpose_tiles<Word, Pairs>;
  const std::uint64_t n = j.asked.n;
  const unsigned own = j.parameter("tile"), edge = std::max(2u, own / 8), pairs = (own + 2 * edge) / 2,
                 threads = (pairs + simt::warp_size - 1) / simt::warp_size * simt::warp_size; // whole warps, for votes
  const change_flag flag(j.on, early_exit);
  for (std::uint64_t phase = 0; phase < n; phase += edge) {
    flag.clear();
    telling t = j.tell("phases " + std::to_string(phase) + " to " + std::to_string(phase + edge - 1) + ", edges of " +
                       std::to_string(edge));
    tell_windows(j, t, data, own, edge);
    simt::launch(j.on.queue(), {.grid = blocks_for(n, own), .block = threads},
                 kernel{data, spare, n, codec, flag.seen(), own, edge});
    std::swap(data, spare);
    flag.tell(t);
    t.moved("keys", untyped(data), n, 0, own);
    t.end();
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
          .parameters = {tile_parameter(512)},
          .run = run};
}

} // namespace

SORTILE_CLASSICS_OF(transposition) {
  return {transposition("transposition", "odd-even transposition: neighbours exchange, a launch a phase",
                        "the keys after each phase, and which places were compared",
                        [](job& j) {
                          with_records(j, [&](auto& d, auto&, auto& codec) { in_global_memory(j, d, codec, false); });
                        }),
          transposition("transposition-early-exit", "the same until a double phase exchanges nothing",
                        "the keys after each phase, and which places were compared",
                        [](job& j) {
                          with_records(j, [&](auto& d, auto&, auto& codec) { in_global_memory(j, d, codec, true); });
                        }),
          transposition("transposition-tiles",
                        "64 phases a launch on tiles in shared memory that overlap by 64 at each edge",
                        "what each block loads, the keys after each launch",
                        [](job& j) { with_records(j, [&](auto&... a) { in_tiles(j, a..., false); }); }),
          transposition("transposition-tiles-early-exit", "the same until a launch exchanges nothing",
                        "what each block loads, the keys after each launch",
                        [](job& j) { with_records(j, [&](auto&... a) { in_tiles(j, a..., true); }); })};
}

} // namespace sortile::classics
