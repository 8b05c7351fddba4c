// Merge sort: each tile is sorted by one block, then runs are merged two by two, and each merge is done in parallel.
//
// Idea. A merge of two sorted runs looks serial: what comes next depends on all that came before. But for any k one can
// ask, without the rest, where the k-th record of the merge comes from. The co-rank i says how many of the first k
// records are from the left run; the other j = k − i are from the right one. It is the one i with
//
//   a[i − 1] ≤ b[j]   and   b[j − 1] < a[i]
//
// and a binary search finds it. (≤ on one side and < on the other: of equal records those of a come first, so the merge
// is stable.) With the co-ranks of two places of the output, one thread can merge what lies between them, alone:
//
//   $ sortile classics show --example merge-two-runs
//   input: 1 4 4 7 2 3 4 8
//   tiles of 4 sorted: 1 4 4 7 | 2 3 4 8
//   runs of 4 merged
//     runs               1 4 4 7 | 2 3 4 8
//     co-ranks
//       block begins at  0 4
//       of these from a  0 2
//       of these from b  0 2
//       comparisons      2 2
//     loaded by block    4 4
//     merged             1 2 3 4   4 4 7 8
//     from run           a b b a   a b a b
//   result: 1 2 3 4 4 4 7 8
//
// Write a down the side and b along the top of a grid. The serial merge is a path from corner to corner, down for each
// record of a, right for each of b: "from run" has its steps. The places with i + j = k are a diagonal, which the path
// crosses once, at the co-rank: after four steps, down, right, right, down, it is at i = 2, j = 2, where block 1
// begins. Hence "merge path" for the same thing.
//
// Bottom-up: tiles of 1024 are sorted by merges in shared memory, four records per thread; then runs of 1024, 2048, …
//
// Forms, which differ in how a merge reads global memory:
//   merge-recursive   on the host: halves sorted by recursion, then merged by one thread
//   merge-co-rank     a thread finds the co-rank of 8 places of the output and merges them where they lie: neighbours
//                     of a warp read, and write, 8 records apart
//   merge-tiled       a block takes a section of 2048. It loads the next 512 records of a and of b, coalesced, merges
//                     512 of these 1024 in shared memory, and begins again: half of what it loads it loads once more
//   merge-circular    the same with the 512 places of a and of b as rings: what is left stays, and only what was used
//                     is loaded anew
//   merge-path        a block takes 1024 records of the output, finds the co-ranks of both ends first, and loads just
//                     what lies between: one tile in shared memory instead of two rings
//
// Source: Siebert & Träff, "Perfectly Load-balanced, Optimal, Stable, Parallel Merge", 2012 (co-ranks); Kirk & Hwu, 4th
// edition, chapter on merging (the tiled and the circular kernel); Green, McColl & Bader, "GPU Merge Path", 2012; von
// Neumann 1945.
//
// Cost, for records of s bytes: log2(n / 1024) merges. Each writes s bytes per record and reads s bytes. For 2^25
// records these are 15 merges, where 8-bit radix sort makes 4 passes. merge-tiled reads 2 s. merge-co-rank reads s, but
// by lanes 8 apart, so that it depends on the caches. On 16384 keys --counters gives, for 328 kB stored, 1515 kB loaded
// by merge-co-rank, 526 by merge-tiled, 331 by merge-circular, 336 by merge-path. Searches: 2 log2(run) dependent reads
// per block, or log2(run) per thread for merge-co-rank. Shared memory: 1024 records; 1536 for the rings.
//
// On an H100, 32 M u32 keys: co-rank 6.6 ms, tiled 14.6, circular 14.7, path 6.1. The caches, it seems, make up for
// strides of 8 records. What the rings save in traffic they lose again: each section has eight barriers, and the
// sections come one after another.
//
// What it teaches: how to cut work whose size depends on the data into equal parts; that to load what one may need
// (tiled), to keep what one has (circular) and to ask first (path) cost 2, 1 and 1 loads; and to measure before one
// believes that loads are what costs. Any order will do: the keys only need a comparison (merge_custom_order.cu).
// Limits: log n passes over memory.
#include "classics/compare_exchange.hpp"
#include "classics/merge.hpp"

namespace sortile::classics {
namespace {

template <class Word, bool Pairs>
struct merge_by_threads {
  static constexpr unsigned block_threads = 256, most = 8;
  records<Word, Pairs> from, to;
  std::uint64_t n;
  by_image<Word> before;
  std::uint64_t run;
  unsigned stretch;                 // records a thread, at most `most`
  simt::global<std::uint32_t> told; // [2 threads with work]: each one's co-rank, then its comparisons; or empty

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t first = grid_thread() * stretch;
    if (first >= n)
      return;
    const pair_of_runs<Word, Pairs> runs(from, n, run, first);
    const std::uint64_t k = first - runs.begin, left = runs.count - k, i = co_rank(k, runs.a, runs.b, before);
    if (told.data() != nullptr) {
      told.store(grid_thread(), static_cast<std::uint32_t>(i));
      told.store((n + stretch - 1) / stretch + grid_thread(), comparisons_of_co_rank(k, runs.a, runs.b, before));
    }
    merge_serially<most>(runs.a, i, runs.b, k - i, static_cast<unsigned>(left < stretch ? left : stretch), before,
                         [&](unsigned o, const auto& r) { to.store(first + o, r); });
  }
};

/// A part of a run that passes through some places of shared memory, as a ring.
template <class Array>
struct ring {
  const Array& places;
  unsigned size, first, count; // of the ring; where the part begins, how many are there
  SORTILE_DEVICE auto load(unsigned i) const { return places.load((first + i) % size); }
  SORTILE_DEVICE auto key(unsigned i) const { return load(i).key; }
};

/// How far a block has come with one of the two runs of its section.
struct progress {
  std::uint64_t next, end;      // what is to be merged of the run; [next, next + held) lies in the ring
  unsigned first = 0, held = 0; // in the ring
  SORTILE_DEVICE void forget() { first = held = 0; }
  SORTILE_DEVICE void use(unsigned count, unsigned size) {
    next += count;
    first = (first + count) % size;
    held -= count;
  }
};

template <class Word, bool Pairs, bool Circular>
struct merge_sections {
  static constexpr unsigned block_threads = 256, keys = 2, most = block_threads * keys;
  struct shared {
    simt::shared_array<record<Word, Pairs>, most> a, b, out;
    simt::shared_array<std::uint64_t, 2> cut; // co-ranks of the section's begin and end
    simt::shared_value<unsigned> used_of_a;
  };
  records<Word, Pairs> from, to;
  std::uint64_t n;
  by_image<Word> before;
  std::uint64_t run;
  unsigned section, tile;           // records of the output a block; of each run in shared memory at a time
  simt::global<std::uint32_t> told; // [2 blocks]: co-ranks of the sections' begins, then records loaded; or empty

  /// Fills the ring up, or as far as the run's part goes.
  template <class Array>
  SORTILE_DEVICE unsigned fill(Array& places, progress& p, const run_in_memory<Word, Pairs>& source) const {
    const auto there = static_cast<unsigned>(p.end - p.next < tile ? p.end - p.next : tile);
    for (unsigned x = p.held + simt::thread_index(); x < there; x += simt::block_size())
      places.store((p.first + x) % tile, source.load(p.next + x));
    const unsigned loaded = there - p.held;
    p.held = there;
    return loaded;
  }

  /// `count` records from the rings to `out`, and how many of them were from a to used_of_a.
  SORTILE_DEVICE void merge_rings(shared& s, const progress& of_a, const progress& of_b, unsigned count) const {
    const unsigned k = simt::thread_index() * keys, own = k >= count ? 0 : count - k < keys ? count - k : keys;
    if (own == 0)
      return;
    const ring<decltype(s.a)> a{s.a, tile, of_a.first, of_a.held}, b{s.b, tile, of_b.first, of_b.held};
    const unsigned i = co_rank(k, a, b, before);
    const unsigned from_a =
        merge_serially<keys>(a, i, b, k - i, own, before, [&](unsigned o, const auto& r) { s.out.store(k + o, r); });
    if (k + own == count)
      s.used_of_a = i + from_a;
  }

  SORTILE_DEVICE void tell(std::uint64_t co_rank_of_a, unsigned loaded) const {
    if (simt::thread_index() != 0 || told.data() == nullptr)
      return;
    told.store(simt::block_index(), static_cast<std::uint32_t>(co_rank_of_a));
    told.store(simt::grid_size() + simt::block_index(), loaded);
  }

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * section;
    const pair_of_runs<Word, Pairs> runs(from, n, run, first);
    const std::uint64_t k = first - runs.begin, end = k + section < runs.count ? k + section : runs.count;
    if (t < 2)
      s.cut[t] = co_rank(t == 0 ? k : end, runs.a, runs.b, before);
    simt::block_barrier();
    progress of_a{s.cut.load(0), s.cut.load(1)}, of_b{k - s.cut.load(0), end - s.cut.load(1)};
    unsigned loaded = 0;
    for (std::uint64_t done = k; done < end; done += tile) {
      const auto count = static_cast<unsigned>(end - done < tile ? end - done : tile);
      loaded += fill(s.a, of_a, runs.a) + fill(s.b, of_b, runs.b);
      simt::block_barrier();
      merge_rings(s, of_a, of_b, count);
      simt::block_barrier();
      for (unsigned x = t; x < count; x += simt::block_size())
        to.store(runs.begin + done + x, s.out.load(x));
      const unsigned used = s.used_of_a;
      of_a.use(used, tile);
      of_b.use(count - used, tile);
      if (!Circular) {
        of_a.forget();
        of_b.forget();
      }
    }
    tell(s.cut.load(0), loaded);
  }
};

template <class Word, bool Pairs>
void by_threads(job& j, const records<Word, Pairs>& from, const records<Word, Pairs>& to, const by_image<Word>& order,
                std::uint64_t run, unsigned tile, telling& t) {
  using kernel = merge_by_threads<Word, Pairs>;
  const unsigned stretch = std::min(tile, kernel::most), threads = 2 * tile / stretch; // 256 at most
  const unsigned working = blocks_for(j.asked.n, stretch);
  const device_array<std::uint32_t> told(j.on, t.is_read() ? 2 * working : 0);
  simt::launch(j.on.queue(), {.grid = blocks_for(j.asked.n, threads * stretch), .block = threads},
               kernel{from, to, j.asked.n, order, run, stretch, view(told)});
  if (t.is_read())
    tell_co_ranks(t, told.to_host(), working, run, stretch, "thread");
}

template <bool Circular, class Word, bool Pairs>
void by_sections(job& j, const records<Word, Pairs>& from, const records<Word, Pairs>& to, const by_image<Word>& order,
                 std::uint64_t run, unsigned tile, telling& t) {
  using kernel = merge_sections<Word, Pairs, Circular>;
  const unsigned at_a_time = std::min(tile / 2, kernel::most);
  const auto section = static_cast<unsigned>(std::min<std::uint64_t>(4 * at_a_time, 2 * run));
  const unsigned blocks = blocks_for(j.asked.n, section);
  const device_array<std::uint32_t> told(j.on, t.is_read() ? 2 * blocks : 0);
  simt::launch(j.on.queue(), {.grid = blocks, .block = std::max(2u, at_a_time / kernel::keys)},
               kernel{from, to, j.asked.n, order, run, section, at_a_time, view(told)});
  if (!t.is_read())
    return;
  std::vector<std::uint32_t> loaded = told.to_host();
  loaded.erase(loaded.begin(), loaded.begin() + blocks);
  t.numbers("loaded by block", loaded);
}

/// Tiles, then merge(j, from, to, order, run, tile, telling) for runs of twice the length each time.
template <class Word, bool Pairs, class Merge>
void sort_by_merges(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec,
                    const Merge& merge) {
  if (j.asked.n == 0)
    return;
  const by_image<Word> order{codec};
  const unsigned tile = j.parameter("tile");
  sort_tiles(j, data, order, tile);
  merge_up(j, data, spare, tile, [&](const auto& from, const auto& to, std::uint64_t run, telling& t) {
    merge(j, from, to, order, run, tile, t);
  });
}

/// The two sorted halves of a become one run; `spare` has n / 2 places.
template <class Word>
void merge_halves(host_record<Word>* a, host_record<Word>* spare, std::size_t n) {
  const std::size_t half = n / 2;
  std::copy(a, a + half, spare); // the right half stays: no record is written over before it has been read
  for (std::size_t left = 0, right = half, to = 0; left < half; ++to)
    a[to] = right < n && a[right].image < spare[left].image ? a[right++] : spare[left++];
}

/// merged(first, count) is called after each merge.
template <class Word, class Merged>
void sort_recursively(host_record<Word>* a, host_record<Word>* spare, std::size_t n, const Merged& merged,
                      std::size_t first = 0) {
  if (n <= 1)
    return;
  sort_recursively(a, spare, n / 2, merged, first);
  sort_recursively(a + n / 2, spare, n - n / 2, merged, first + n / 2);
  merge_halves(a, spare, n);
  merged(first, n);
}

template <class Word, bool Pairs>
void recursive(job& j, records<Word, Pairs>& data, const key_codec<Word>& codec) {
  auto all = gather(data, j.asked.n, codec);
  std::vector<host_record<Word>> spare(all.size() / 2);
  sort_recursively(all.data(), spare.data(), all.size(), [&](std::size_t first, std::size_t count) {
    if (!j.shows_steps())
      return;
    scatter(all, data);
    j.show("keys " + std::to_string(first) + " to " + std::to_string(first + count - 1) + " merged",
           untyped(piece_of(data, first, count)), count);
  });
  scatter(all, data);
}

classic merging(std::string_view name, std::string_view summary, std::string_view source, run_function run) {
  return {.name = name,
          .family = "merge",
          .summary = summary,
          .work = "n log n",
          .depth = "log^2 n",
          .source = source,
          .steps_show = "the sorted tiles; of each merge the runs, co-ranks or loads of blocks, the merged runs",
          .stable = true,
          .tile = 2048,
          .parameters = {{"tile", 4, 1024, 1024, "keys that one block sorts before the merges, or makes in one", true,
                          1, true}},
          .run = run};
}

} // namespace

SORTILE_CLASSICS_OF(merge_sort) {
  classic host = merging("merge-recursive", "halves sorted by recursion, merged by one thread, on the host",
                         "von Neumann 1945; Knuth, TAOCP vol. 3, 5.2.4",
                         [](job& j) { with_records(j, [&](auto& d, auto&, auto& codec) { recursive(j, d, codec); }); });
  host.depth = host.work;
  host.steps_show = "each merge";
  host.tile = 0;
  host.parameters = {};
  host.place = place::host;
  return {host,
          merging("merge-co-rank", "tiles, then merges: a thread finds by co-rank the 8 records that it merges",
                  "Siebert & Träff 2012; Kirk & Hwu, 4th ed.",
                  [](job& j) {
                    with_records(j,
                                 [&](auto&... a) { sort_by_merges(j, a..., [](auto&&... m) { by_threads(m...); }); });
                  }),
          merging("merge-tiled", "the same from tiles of both runs in shared memory, loaded anew for each 512 records",
                  "Kirk & Hwu, 4th ed.",
                  [](job& j) {
                    with_records(
                        j, [&](auto&... a) { sort_by_merges(j, a..., [](auto&&... m) { by_sections<false>(m...); }); });
                  }),
          merging("merge-circular", "the same with the tiles as rings: only what was used is loaded anew",
                  "Kirk & Hwu, 4th ed.",
                  [](job& j) {
                    with_records(
                        j, [&](auto&... a) { sort_by_merges(j, a..., [](auto&&... m) { by_sections<true>(m...); }); });
                  }),
          merging("merge-path", "a block finds both ends of its 1024 records of the output, and loads exactly these",
                  "Green, McColl & Bader 2012", [](job& j) {
                    with_records(
                        j, [&](auto&... a) { sort_by_merges(j, a..., [](auto&&... m) { launch_path_merge(m...); }); });
                  })};
}

} // namespace sortile::classics
