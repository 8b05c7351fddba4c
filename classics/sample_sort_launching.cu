// Sample sort whose recursion stays on the device: levels of parts, each with splitters of its own.
//
// Idea. sample-sort divides into 127 buckets and lets the host decide about each: of 2^22 keys thousands of buckets
// of a few thousand keys are divided again, each with a round trip. Here all parts of a level are divided together, and
// no bucket is ever seen by the host. It launches the first grid, and each grid the one after it: splitters, counts,
// moves, level by level, and at the end a block for each part that is left.
//
//   $ sortile classics show --example sample-levels
//   input: 12 3 44 7 31 25 9 18 40 5 29 16
//   level 0, keys 0 to 11 in 3 tiles
//     splitters  5 9 16
//     bucket     0 1 2 3 4 5 6
//     size       1 1 1 1 1 1 6
//     begins at  0 1 2 3 4 5 6
//   level 1, keys 6 to 11 in 2 tiles
//     splitters  18 29 40
//     bucket     1 2 3 4 5 6
//     size       1 1 1 1 1 1
//     begins at  0 1 2 3 4 5
//   parts left to a block each: 4
//     keys 0 to 3
//     keys 4 to 5
//     keys 6 to 9
//     keys 10 to 11
//   6 launches from the device
//   result: 3 5 7 9 12 16 18 25 29 31 40 44
//
// A block a part takes the sample, sorts it and writes the splitters; the blocks of all tiles count, and the last of a
// part lists its buckets; the blocks of all tiles move. The essay of device_recursion.hpp has the protocol. Buckets of
// keys equal to a splitter are done, as in sample_sort.cu, however large; where they lie in the wrong array, blocks at
// the end copy them.
//
// A part that was divided 7 times falls back to the bitonic network, by its one block, and a note says so: deeper the
// launches would nest further than the device runtime allows (3 launches a level, and the last).
//
// Source: Frazer & McKellar, "Samplesort", 1970; Leischner, Osipov & Sanders, "GPU Sample Sort", 2010; NVIDIA, CUDA
// Programming Guide, "Tail launch".
//
// Cost: as sample-sort, log_64(n / 1024) levels of divisions; 3 launches a level in place of 5 and a round trip a part.
// Runs of about 16 records for tiles of 2048 are written from shared memory, so that a warp's store touches few
// sectors. Shared memory: 2048 records and 5 KiB. Workspace: two levels of lists, 508 bytes of counters and the
// splitters for each 1024 keys. Parameters: `ways`, `oversampling`, `small`, `tile`.
//
// What it teaches: what was a tree of calls becomes a few flat grids; the cost of small parts is then that of their
// keys, not of their number. Limits: a level waits for its slowest part, so an uneven sample costs more than in a tree;
// one block samples a part; unstable.
#include "classics/recursion_on_device.hpp"
#include "classics/sample_division.hpp"

namespace sortile::classics {
namespace {

constexpr unsigned most_small = 1024, most_levels = (deepest_nesting - 1) / 3;

/// Buckets between splitters, and for the keys equal to one.
template <class Word, bool Pairs>
struct by_own_splitters {
  static constexpr bool has_splitters = true;
  using storage = splitter_search<Word>;
  using sampling_storage = sample_storage<Word>;
  struct local_storage {
    simt::shared_array<record<Word, Pairs>, most_small> tile;
  };
  key_codec<Word> codec;
  unsigned ways, oversampling;

  SORTILE_HOST_DEVICE unsigned buckets() const { return buckets_of(ways); }
  SORTILE_HOST_DEVICE unsigned splitters() const { return ways - 1; }
  SORTILE_DEVICE void find(sampling_storage& s, const records<Word, Pairs>& in, const part& p,
                           simt::global<Word> chosen, std::uint32_t q) const {
    choose_splitters_of(s, in, p, codec, ways, oversampling, chosen, std::uint64_t{q} * splitters());
  }
  SORTILE_DEVICE void load(storage& s, simt::global<const Word> chosen, std::uint32_t q) const {
    s.load(chosen, ways, std::uint64_t{q} * splitters());
  }
  SORTILE_DEVICE unsigned bucket(const storage& s, Word image, unsigned) const { return s.bucket(image, ways); }
  SORTILE_DEVICE bool settles(unsigned bucket, unsigned) const { return bucket % 2 == 1; }
  SORTILE_HOST_DEVICE unsigned threads_for(unsigned small) const {
    return small < 256 * 2 ? (small / 2 + simt::warp_size - 1) / simt::warp_size * simt::warp_size : 256;
  }
  SORTILE_DEVICE void sort(local_storage& s, const records<Word, Pairs>& in, const records<Word, Pairs>& out,
                           const part& p) const {
    sort_small_part(s, in, out, p.first, p.count, codec);
  }
};

template <class Word, bool Pairs>
void sample_sort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  if (j.asked.n == 0)
    return;
  const by_own_splitters<Word, Pairs> division{codec, j.parameter("ways"), j.parameter("oversampling")};
  recursion_on_device(j, data, spare, codec, division, most_levels - 1)
      .run([&](telling& t, const part&, const std::vector<Word>& splitters) {
        t.words("splitters", keys_of_images(j, codec, splitters, fetch(j.on, data.keys, j.asked.n)));
      });
}

} // namespace

SORTILE_CLASSICS_OF(sample_sort_launching) {
  return {{.name = "sample-sort-launching",
           .family = "sample",
           .summary = "sample-sort without the host: a level's parts in one grid, which launches the next level",
           .work = "n log n expected",
           .depth = "log^2 n expected",
           .source = "Frazer & McKellar 1970; Leischner, Osipov & Sanders 2010",
           .steps_show = "of each part its splitters, the sizes of its buckets and where they begin; the parts that "
                         "one block sorts; launches from the device",
           .tile = most_divided_at_once,
           .parameters = {{"ways", 2, most_ways, most_ways, "buckets, one more than splitters", true},
                          tile_parameter(most_divided_at_once),
                          {"oversampling", 1, 8, most_oversampling, "sampled keys a bucket"},
                          {"small", 4, most_small, most_small, "keys that one block sorts", false, 1, true}},
           .run = [](job& j) { with_records(j, [&](auto&... a) { sample_sort(j, a...); }); }}};
}

} // namespace sortile::classics
