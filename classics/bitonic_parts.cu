// Bitonic split and bitonic merge: the parts of the bitonic sort, for bitonic sequences of any length, however shifted.
//
// A sequence is bitonic if it rises and then falls, or is a cyclic shift of such a one. Split it at a distance of half
// its length: a[i] with a[i + n/2], the smaller to the left. Then
//   1. no element of the left half is greater than any of the right one;
//   2. both halves are bitonic.
// Merge is split upon split, down to single elements.
//
//   $ sortile classics show --example bitonic-merge-shifted
//   input: 6 9 8 5 3 1 2 4
//   distance 4
//     by block  0 0 1 1   0 0 1 1
//     compared  0<4* 1<5* 2<6* 3<7*
//     keys      3 1 2 4 | 6 9 8 5
//   distance 2
//     by block  0 0   0 0   1 1   1 1
//     compared  0<2* 1<3 4<6 5<7*
//     keys      2 1 | 3 4 | 6 5 | 8 9
//   distance 1
//     by block  0   0   0   0   1   1   1   1
//     compared  0<1* 2<3 4<5* 6<7
//     keys      1 | 2 | 3 | 4 | 5 | 6 | 8 | 9
//   result: 1 2 3 4 5 6 8 9
//
// Why it holds when shifted: think of the sequence as a circle, and of the two places i and i + n/2 as the ends of a
// diameter. Turning the diameter, the comparison changes its outcome at most twice, so the smaller ends form an arc of
// the circle, and so do the greater ones; an arc of a bitonic circle is bitonic. (By the 0-1 principle, circles of
// zeros and ones with one arc of ones are all that there is to check.)
//
// Any n: the merge is a network for the next power of two m, and the split one for the next even number. Keys greater
// than all others are imagined beyond the end. A circle stays bitonic if they are put beside its greatest key, but not
// elsewhere. So where n < m, a greatest key is found first (a reduction, 256 keys per block), and the sequence is
// turned so that it comes first: it then falls, rises, and meets the imagined keys. No comparator would move these, so
// those that would touch them are left out.
//
// Source: Batcher, "Sorting Networks and their Applications", 1968; the circle: Bilardi & Nicolau, "Adaptive Bitonic
// Sorting", 1989.
//
// Cost: split: one step, n/2 comparisons. Merge: log n steps of one launch, each reading and writing everything. Where
// n is no power of two, one read more for the greatest key, and one copy to turn.
//
// What it teaches: why the bitonic sort works; and that an arc of a circle is what a network can merge without knowing
// where it begins. Limits: comparing at fixed distances, the merge does n/2 log n comparisons, where n - 1 would do
// (merge-path, or the adaptive merge of 1989). Both are unstable.
#include "classics/network.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace sortile::classics {

// Their input is the workload's keys made bitonic: in order up to a place that the seed gives, then back down, and
// shifted by another such distance.
extern const task bitonic_splitting, bitonic_merging;

namespace {

/// Of each tile's candidates (at first: all places), the place of the greatest key.
template <class Word>
struct greatest_of_tiles {
  static constexpr unsigned block_threads = 256;
  struct shared {
    simt::shared_array<Word, block_threads> image;
    simt::shared_array<std::uint32_t, block_threads> place;
  };
  simt::global<Word> keys;
  key_codec<Word> codec;
  simt::global<std::uint32_t> candidates; // empty: all places
  std::uint64_t n;
  simt::global<std::uint32_t> winners; // [blocks]

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    const std::uint64_t i = grid_thread() < n ? grid_thread() : n - 1;
    const std::uint32_t place = candidates.data() == nullptr ? static_cast<std::uint32_t>(i) : candidates.load(i);
    s.place[t] = place;
    s.image[t] = codec.image(keys.load(place));
    for (unsigned half = block_threads / 2; half > 0; half /= 2) {
      simt::block_barrier();
      if (t < half && s.image.load(t + half) > s.image.load(t)) {
        s.image[t] = s.image.load(t + half);
        s.place[t] = s.place.load(t + half);
      }
    }
    if (t == 0)
      winners[simt::block_index()] = s.place.load(0);
  }
};

/// out[i] = in[(start + i) mod n]
template <class Word, bool Pairs>
struct rotate {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> in, out;
  std::uint64_t n;
  simt::global<std::uint32_t> start; // [1]
  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i < n)
      out.store(i, in.load((start.load(0) + i) % n));
  }
};

/// a[i] with a[i + half], half of the next even number.
template <class Word, bool Pairs>
struct split_once {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> data;
  std::uint64_t n;
  key_codec<Word> codec;
  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread(), half = n / 2 + n % 2;
    if (i + half < n)
      exchange_if_greater(data, i, i + half, codec);
  }
};

/// Turns a cyclic sequence so that a greatest key comes first.
template <class Word, bool Pairs>
void greatest_first(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  device_array<std::uint32_t> places;
  std::uint64_t left = j.asked.n;
  do {
    device_array<std::uint32_t> winners(j.on, blocks_for(left, greatest_of_tiles<Word>::block_threads));
    simt::launch(j.on.queue(), {.grid = static_cast<unsigned>(winners.size())},
                 greatest_of_tiles<Word>{data.keys, codec, view(places), left, view(winners)});
    j.on.synchronize(); // before the candidates go
    places = std::move(winners);
    left = places.size();
  } while (left > 1);
  simt::launch(j.on.queue(), {.grid = blocks_for(j.asked.n, rotate<Word, Pairs>::block_threads)},
               rotate<Word, Pairs>{data, spare, j.asked.n, view(places)});
  j.on.synchronize();
  std::swap(data, spare);
  j.show("a greatest key first", untyped(data), j.asked.n);
}

template <class Word, bool Pairs>
void split(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  const std::uint64_t n = j.asked.n;
  if (n % 2 != 0)
    greatest_first(j, data, spare, codec);
  telling t = j.tell("split");
  t.before(untyped(data), n);
  const unsigned tile = j.parameter("tile");
  if (n > 1)
    simt::launch(j.on.queue(), {.grid = blocks_for(n, tile), .block = tile / 2},
                 split_once<Word, Pairs>{data, n, codec});
  const std::uint64_t half = n / 2 + n % 2;
  std::vector<wire> pairs;
  std::vector<std::uint64_t> by_block(t.is_read() ? n : 0);
  for (std::uint64_t i = 0; t.is_read() && i + half < n; ++i) {
    pairs.push_back({i, i + half});
    by_block[i] = by_block[i + half] = i / (tile / 2);
  }
  if (n > tile)
    t.numbers("by block", by_block);
  t.compared(std::move(pairs), untyped(data), n, half);
}

template <class Word, bool Pairs>
void merge(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  const std::uint64_t n = j.asked.n;
  if (n != 0 && !std::has_single_bit(n))
    greatest_first(j, data, spare, codec);
  const unsigned block = j.parameter("tile") / 2;
  const std::uint64_t run = std::bit_ceil(n); // longer than any distance: no step mirrors
  for (std::uint64_t distance = run / 2; distance > 0; distance /= 2) {
    telling t = j.tell("distance " + std::to_string(distance));
    t.before(untyped(data), n);
    launch_network_step<bitonic_network>(j, data, n, codec, run, distance, block);
    if (t.is_read() && n > 2 * block)
      t.words("by block", blocks_of_step<bitonic_network>(n, run, distance, block));
    if (t.is_read())
      t.compared(wires_of_step<bitonic_network>(n, run, distance), untyped(data), n, distance);
  }
}

} // namespace

#if !SORTILE_ON_CUDA

namespace {

template <class Word>
std::vector<host_record<Word>> images_of(const request& asked, const host_arrays& a) {
  const auto codec = make_key_codec<Word>(asked.type, asked.direction, asked.bits);
  std::vector<host_record<Word>> all(a.n);
  for (std::size_t i = 0; i < a.n; ++i) {
    std::memcpy(&all[i].key, a.keys.data() + i * sizeof(Word), sizeof(Word));
    all[i].image = codec.image(all[i].key);
  }
  return all;
}

/// Values are positions and stay as they are.
template <class Word>
void make_bitonic(const request& asked, host_arrays& a) {
  auto all = images_of<Word>(asked, a);
  if (all.empty())
    return;
  const auto by_image = [](const auto& x, const auto& y) { return x.image < y.image; };
  const auto top = all.begin() + static_cast<std::ptrdiff_t>(asked.seed * 2654435761 % all.size());
  std::sort(all.begin(), top, by_image);
  std::sort(top, all.end(), [&](const auto& x, const auto& y) { return by_image(y, x); });
  std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(asked.seed * 40503 % all.size()), all.end());
  for (std::size_t i = 0; i < a.n; ++i)
    std::memcpy(a.keys.data() + i * sizeof(Word), &all[i].key, sizeof(Word));
}

/// Whether a circle of images rises at most once and falls at most once.
template <class Word>
bool is_bitonic(const host_record<Word>* a, std::size_t n) {
  unsigned turns = 0;
  int last = 0, first = 0; // directions: 1 up, -1 down
  for (std::size_t i = 0; i < n; ++i) {
    const Word here = a[i].image, next = a[(i + 1) % n].image;
    const int direction = next > here ? 1 : next < here ? -1 : 0;
    if (direction == 0)
      continue;
    turns += last != 0 && direction != last ? 1 : 0;
    first = first == 0 ? direction : first;
    last = direction;
  }
  return turns + (first != last ? 1 : 0) <= 2;
}

/// A workload's keys are made bitonic; own keys have to be.
template <class Word>
void prepare(const request& asked, host_arrays& a) {
  if (asked.keys.empty())
    return make_bitonic<Word>(asked, a);
  const auto all = images_of<Word>(asked, a);
  if (!is_bitonic(all.data(), all.size()))
    throw invalid_argument(
        "these keys are not bitonic (allowed: keys that rise once and fall once, or a shift of such)");
}

void prepare_bitonic(const request& asked, host_arrays& a) {
  key_bytes(asked.type) == 4 ? prepare<std::uint32_t>(asked, a) : prepare<std::uint64_t>(asked, a);
}

template <class Word>
testing::verdict judge_split(const request& asked, const host_arrays& after) {
  const auto all = images_of<Word>(asked, after);
  const std::size_t left = (all.size() + 1) / 2;
  Word greatest = 0;
  for (std::size_t i = 0; i < left; ++i)
    greatest = std::max(greatest, all[i].image);
  for (std::size_t i = left; i < all.size(); ++i)
    if (all[i].image < greatest)
      return {"element " + std::to_string(i) + ", of the right half, is less than one of the left half"};
  if (!is_bitonic(all.data(), left))
    return {"the left half is not bitonic"};
  if (!is_bitonic(all.data() + left, all.size() - left))
    return {"the right half is not bitonic"};
  return {};
}

/// The order that sorting asks for is not a split's: both arrays are sorted first, so that only their records count.
host_arrays in_order(const request& asked, const host_arrays& a) {
  host_arrays sorted = a;
  const std::size_t size = key_bytes(asked.type);
  std::vector<std::size_t> places(a.n);
  for (std::size_t i = 0; i < a.n; ++i)
    places[i] = i;
  const auto value = [&](std::size_t i) { return a.values.empty() ? 0 : a.values[i]; };
  std::sort(places.begin(), places.end(), [&](std::size_t x, std::size_t y) {
    const int keys = std::memcmp(a.keys.data() + x * size, a.keys.data() + y * size, size);
    return keys != 0 ? keys < 0 : value(x) < value(y);
  });
  for (std::size_t i = 0; i < a.n; ++i) {
    std::memcpy(sorted.keys.data() + i * size, a.keys.data() + places[i] * size, size);
    if (!a.values.empty())
      sorted.values[i] = a.values[places[i]];
  }
  return sorted;
}

testing::verdict check_split(const request& asked, bool, const host_arrays& before, const host_arrays& after) {
  const host_arrays in = in_order(asked, before), out = in_order(asked, after);
  if (in.keys != out.keys || in.values != out.values)
    return {"the records are not those of the input"};
  return key_bytes(asked.type) == 4 ? judge_split<std::uint32_t>(asked, after)
                                    : judge_split<std::uint64_t>(asked, after);
}

testing::verdict check_merge(const request& asked, bool stable, const host_arrays& before, const host_arrays& after) {
  return sorting.check(asked, stable, before, after);
}

} // namespace

const task bitonic_splitting{.name = "bitonic split",
                             .promise = "no key of the left half is after any of the right one, both are bitonic",
                             .prepare = prepare_bitonic,
                             .check = check_split};
const task bitonic_merging{.name = "bitonic merge",
                           .promise = "all keys in order, each with its value",
                           .prepare = prepare_bitonic,
                           .check = check_merge};
#endif

SORTILE_CLASSICS_OF(bitonic_parts) {
  classic merging{.name = "bitonic-merge",
                  .family = "network",
                  .summary = "a bitonic sequence, however shifted, becomes sorted: splits at halved distances",
                  .work = "n log n",
                  .depth = "log n",
                  .source = "Batcher 1968",
                  .steps_show =
                      "the sequence with its greatest key first where n needs that, each split and its comparators",
                  .tile = 512,
                  .parameters = {{"tile", 4, 512, 512, "keys of a block", true, 1, true}},
                  .task = &bitonic_merging,
                  .run = [](job& j) { with_records(j, [&](auto&... a) { merge(j, a...); }); }};
  classic splitting = merging;
  splitting.name = "bitonic-split";
  splitting.summary = "one step: the smaller keys of a bitonic sequence to the left, both halves bitonic";
  splitting.work = "n";
  splitting.depth = "1";
  splitting.task = &bitonic_splitting;
  splitting.run = [](job& j) { with_records(j, [&](auto&... a) { split(j, a...); }); };
  return {splitting, merging};
}

} // namespace sortile::classics
