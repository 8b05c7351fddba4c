// MSD radix sort: from the most significant digit down, recursing into buckets.
//
// Idea. Distribute the keys by their leading digit. The buckets are then in order among themselves, and each can be
// sorted by itself, by the digits that are left. Small buckets are sorted by one block in shared memory, all of their
// remaining bits at once:
//
//   $ sortile classics show --example radix-msd-buckets
//   input: 1101 0010 1100 0101 1111 0100 0001
//   keys 0 to 6 by bits 2 to 3
//     keys             1101 0010 1100 0101 | 1111 0100 0001
//     thread              0    0    0    0 |    0    0    0
//     tiles sorted     0010 0101 1101 1100 | 0001 0100 1111
//     sizes of buckets
//       digit 0        1 1
//       digit 1        1 1
//       digit 3        2 1
//     where they begin
//       digit 0        0 1
//       digit 1        2 3
//       digit 3        4 6
//     buckets written  0010 0001 0101 0100   1101 1100 1111
//     from block          0    1    0    1      0    0    1
//   buckets left to a block each: 2
//     keys 0 to 3, 4 bits left: 0010 0001 0101 0100
//     keys 4 to 6, 2 bits left: 1101 1100 1111
//   result: 0001 0010 0100 0101 1100 1101 1111
//
// A bucket that is larger than `local` is divided by the next digit, the roles of data and spare exchanged. Of the
// others, neighbours that fit one block together are sorted as one bucket, so the keys 0 to 3 above are two buckets.
//
// Each pass is the stable one of radix_buckets.hpp over a part of the array, so the whole is stable. A bucket whose
// keys have no bits left is done.
//
// Source: Knuth, TAOCP vol. 3, 5.2.2 (radix exchange) and 5.2.5; McIlroy, Bostic & McIlroy, "Engineering Radix Sort",
// 1993; on GPUs: Stehle & Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort", 2017.
//
// The recursion is driven by the host: a stack of buckets, for each of which the 256 bucket beginnings are read back.
// Stehle & Jacobsen keep that on the device, as radix-msd-launching does; here the read-back is the price of seeing the
// recursion.
//
// Cost: random 32-bit keys, n = 2^24: one pass gives 256 buckets of 2^16, a second 65536 of 256 keys, one launch sorts
// these. 2 passes and a local sort: 10 (key + value) sizes of traffic, against 8 passes of 4 sizes for LSD at 4 bits.
// What leading digits do not tell apart costs nothing. Launches: four a bucket that is too large
// (its pass is three: tiles, scan, runs; one fetches the bucket beginnings), and a read-back: 257 of them here. Shared
// memory: 2048 records and 1 KiB. Parameter: `local`, the largest bucket that one block sorts (32 to 2048).
//
// What it teaches: with the most significant digit first the problem falls apart into independent parts that fit near
// memory. That is why the fastest sorts begin there. Limits: skew: where most keys share their leading digits per pass
// moves everything to one bucket and gains nothing; tiny buckets leave most of a block idle; and the recursion by host
// makes many launches of little work.
#include "classics/radix_buckets.hpp"

#include <bit>

namespace sortile::classics {
namespace {

constexpr unsigned most_local = 2048; // records that one block sorts

/// A bucket: where it lies, and how many of its low bits are still unsorted.
struct segment {
  std::uint32_t first, count, bits, in_spare;
};

template <class Word, bool Pairs>
struct sort_segments {
  static constexpr unsigned block_threads = 256, keys = most_local / block_threads;
  using shared = tile_storage<Word, Pairs, block_threads, keys>;
  records<Word, Pairs> data, spare;
  key_codec<Word> codec;
  simt::global<const segment> segments;

  SORTILE_DEVICE void operator()(shared& s) const {
    const segment mine = segments.load(simt::block_index());
    sort_bucket(s, mine.in_spare ? spare : data, data, mine.first, mine.count, codec, mine.bits);
  }
};

/// Column 0 of a table.
struct first_of_rows {
  static constexpr unsigned block_threads = 256;
  simt::global<const std::uint32_t> table;
  unsigned rows, columns;
  simt::global<std::uint32_t> firsts;
  SORTILE_DEVICE void operator()() const {
    const unsigned row = simt::thread_index();
    if (row < rows)
      firsts[row] = table.load(std::uint64_t{row} * columns);
  }
};

template <class Word, bool Pairs>
class recursion {
 public:
  recursion(job& j, const records<Word, Pairs>& data, const records<Word, Pairs>& spare, const key_codec<Word>& codec)
      : j_(j), data_(data), spare_(spare), codec_(codec),
        pass_(j.on, j.asked.n, j.parameter("bits"), j.parameter("tile")), begins_(j.on, 1u << j.parameter("bits")) {}

  void run() {
    const unsigned local = j_.parameter("local");
    std::vector<segment> stack = {{0, static_cast<std::uint32_t>(j_.asked.n), codec_.bits, 0}}, small;
    while (!stack.empty()) {
      const segment s = stack.back();
      stack.pop_back();
      if (s.count <= local)
        small.push_back(s);
      else if (s.bits > 0)
        distribute(s, stack);
      else if (s.in_spare)
        copy_to_data(s);
    }
    j_.show("buckets left to a block each: " + std::to_string(small.size()));
    if (j_.shows_steps())
      for (const segment& s : small)
        j_.show("  keys " + std::to_string(s.first) + " to " + std::to_string(s.first + s.count - 1) + ", " +
                    std::to_string(s.bits) + " bits left",
                untyped(part(s.in_spare ? spare_ : data_, s)), s.count);
    if (small.empty())
      return;
    const device_array<segment> segments(j_.on, small.size());
    j_.on.copy_to_device(segments.data(), small.data(), small.size() * sizeof(segment));
    simt::launch(j_.on.queue(),
                 {.grid = static_cast<unsigned>(small.size()), .block = whole_warps(std::bit_ceil(local) / 8)},
                 sort_segments<Word, Pairs>{data_, spare_, codec_, view(segments)});
  }

 private:
  static records<Word, Pairs> part(const records<Word, Pairs>& r, const segment& s) {
    return piece_of(r, s.first, s.count);
  }

  /// Moves a bucket to the other array, ordered by its leading digit; what comes out goes onto the stack.
  void distribute(const segment& s, std::vector<segment>& stack) {
    const unsigned bits = std::min(j_.parameter("bits"), s.bits), values = 1u << bits;
    const digit_place digit{s.bits - bits, bits};
    telling t = j_.tell("keys " + std::to_string(s.first) + " to " + std::to_string(s.first + s.count - 1) +
                        " by bits " + std::to_string(digit.first_bit) + " to " + std::to_string(s.bits - 1));
    pass_(part(s.in_spare ? spare_ : data_, s), part(s.in_spare ? data_ : spare_, s), s.count, codec_, digit, t);
    simt::launch(j_.on.queue(), {},
                 first_of_rows{view(pass_.table()), values, blocks_for(s.count, pass_.tile()), view(begins_)});
    const std::vector<std::uint32_t> begins = begins_.to_host();
    std::vector<segment> children;
    for (unsigned v = 0; v < values; ++v) {
      const std::uint32_t count = (v + 1 < values ? begins[v + 1] : s.count) - begins[v];
      if (!children.empty() && children.back().count + count <= j_.parameter("local")) {
        children.back().count += count;
        children.back().bits = s.bits; // several digits: this one decides again
      } else if (count != 0) {
        children.push_back({s.first + begins[v], count, digit.first_bit, s.in_spare ^ 1});
      }
    }
    stack.insert(stack.end(), children.rbegin(), children.rend());
  }

  void copy_to_data(const segment& s) {
    const records<Word, Pairs> from = part(spare_, s), to = part(data_, s);
    j_.on.copy_on_device(to.keys.data(), from.keys.data(), s.count * sizeof(Word));
    if constexpr (Pairs)
      j_.on.copy_on_device(to.values.data(), from.values.data(), s.count * sizeof(std::uint32_t));
  }

  job& j_;
  records<Word, Pairs> data_, spare_;
  key_codec<Word> codec_;
  bucket_pass<Word, Pairs, 8> pass_;
  device_array<std::uint32_t> begins_;
};

template <class Word, bool Pairs>
void msd(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  if (j.asked.n == 0)
    return;
  recursion<Word, Pairs>(j, data, spare, codec).run();
}

} // namespace

SORTILE_CLASSICS_OF(radix_msd) {
  return {{.name = "radix-msd",
           .family = "radix",
           .summary = "from the leading digit down, recursing into buckets; small ones are sorted by one block",
           .work = "b n",
           .depth = "b log n",
           .source = "McIlroy, Bostic & McIlroy 1993; Stehle & Jacobsen 2017",
           .steps_show = "each bucket as it is distributed, with its table; the buckets that one block sorts",
           .stable = true,
           .tile = most_local,
           .parameters = {{"local", 4, most_local, most_local, "keys that one block sorts", false, 1, true},
                          {"bits", 1, 8, 8, "bits a pass"},
                          tile_parameter(most_local)},
           .run = [](job& j) { with_records(j, [&](auto&... a) { msd(j, a...); }); }}};
}

} // namespace sortile::classics
