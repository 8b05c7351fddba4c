// Merge sort in an order of one's own: a comparison is all that it asks of keys.
//
// Idea. Radix sort cuts keys into digits, so it sorts by what a number made of the key can express. Merge sort compares
// two keys and nothing else: the order is an argument, a functor, and any strict weak order will do (not before itself;
// and "neither before the other" is transitive, the equivalence whose members keep the order of the input).
//
//   struct some_order {
//     SORTILE_DEVICE bool operator()(Word x, Word y) const;   // must x come before y?
//   };
//
// The order here is not that of the keys: by the low byte of the image first, by the rest of it where that ties. It is
// what a fast hash table wants of its keys, and easy to see through:
//
//   $ sortile classics show --example merge-low-byte
//   input: 102 201 002 101 301 100 200 001
//   what decides
//     keys           102 201 002 101 301 100 200 001
//     low byte         2   1   2   1   1   0   0   1
//     then the rest    1   2   0   1   3   1   2   0
//   tiles of 4 sorted: 101 201 002 102 | 100 200 001 301
//   runs of 4 merged
//     runs               101 201 002 102 | 100 200 001 301
//     co-ranks
//       block begins at  0 4
//       of these from a  0 1
//       of these from b  0 3
//       comparisons      3 3
//     loaded by block    4 4
//     merged             100 200 001 101   201 301 002 102
//     from run             b   b   b   a     a   b   a   a
//   result: 100 200 001 101 201 301 002 102
//
// Sort, block by block and merge by merge, as merge-path does (merge_sort.cu, merge.hpp). Nothing of it knows the
// order: the functor is a template parameter and is inlined into each comparison. Its task has a verifier of its own: a
// stable sort of the host by (low byte, rest), from the definition of the image, not from the functor.
//
// Source: Green, McColl & Bader, "GPU Merge Path", 2012; orders as arguments: Musser & Stepanov, 1989.
//
// Cost: as merge-path; a comparison takes two images, two bytes, one branch more. Equal low bytes are one in 256 for
// uniform keys, so nearly all comparisons end at the byte.
//
// What it teaches: what comparison sorts are for. Limits: an order that contradicts itself (not transitive) does not
// fail: it gives some permutation of the records, of no use.
#include "classics/merge.hpp"

#include <cstring>
#include <numeric>

namespace sortile::classics {

extern const task sorting_by_low_byte;

namespace {

template <class Word>
struct low_byte_first {
  key_codec<Word> codec;
  SORTILE_DEVICE bool operator()(Word x, Word y) const {
    const Word a = codec.image(x), b = codec.image(y);
    const unsigned low_a = static_cast<unsigned>(a & 255), low_b = static_cast<unsigned>(b & 255);
    return low_a != low_b ? low_a < low_b : a < b;
  }
};

/// For --steps: what the order looks at, of the images of the keys.
template <class Word, bool Pairs>
void tell_bytes(job& j, const records<Word, Pairs>& data, const key_codec<Word>& codec) {
  if (!j.shows_steps())
    return;
  std::vector<Word> low, rest;
  for (const Word key : fetch(j.on, data.keys, j.asked.n)) {
    const Word image = codec.image(key);
    low.push_back(image & 255);
    rest.push_back(image >> 8);
  }
  j.tell("what decides").keys("keys", untyped(data), j.asked.n).numbers("low byte", low).numbers("then the rest", rest);
}

template <class Word, bool Pairs>
void by_low_byte(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  if (j.asked.n == 0)
    return;
  const low_byte_first<Word> order{codec};
  tell_bytes(j, data, codec);
  sort_tiles(j, data, order, j.parameter("tile"));
  merge_up(j, data, spare, j.parameter("tile"), [&](const auto& from, const auto& to, std::uint64_t run, telling& t) {
    launch_path_merge(j, from, to, order, run, j.parameter("tile"), t);
  });
}

} // namespace

#if !SORTILE_ON_CUDA

namespace {

/// The image as the promises define it: of the whole key, turned round for descending order, then cut to the window.
uint128 image_asked_for(const request& asked, const std::byte* key) {
  const unsigned width = key_bits(asked.type), end = asked.bits.end == bit_window::whole_key ? width : asked.bits.end;
  uint128 image = testing::image_of(asked.type, key);
  if (asked.direction == order::descending)
    image = ((uint128{1} << width) - 1) - image;
  return (image & ((uint128{1} << end) - 1)) >> asked.bits.begin;
}

testing::verdict check_low_byte_order(const request& asked, bool, const host_arrays& before, const host_arrays& after) {
  const std::size_t size = key_bytes(asked.type);
  std::vector<std::pair<unsigned, uint128>> rank(before.n);
  for (std::size_t i = 0; i < before.n; ++i) {
    const uint128 image = image_asked_for(asked, before.keys.data() + i * size);
    rank[i] = {static_cast<unsigned>(image & 255), image >> 8};
  }
  std::vector<std::size_t> places(before.n);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t x, std::size_t y) { return rank[x] < rank[y]; });
  for (std::size_t i = 0; i < before.n; ++i) {
    if (std::memcmp(after.keys.data() + i * size, before.keys.data() + places[i] * size, size) != 0)
      return {"key " + std::to_string(i) + " is not that of position " + std::to_string(places[i]) + " of the input"};
    if (!before.values.empty() && after.values[i] != before.values[places[i]])
      return {"value " + std::to_string(i) + " is not that of position " + std::to_string(places[i]) + " of the input"};
  }
  return {};
}

} // namespace

const task sorting_by_low_byte{.name = "sort by low byte",
                               .promise =
                                   "all keys in order of their low byte, then of the rest, equal ones as they were",
                               .check = check_low_byte_order};
#endif

SORTILE_CLASSICS_OF(merge_custom_order) {
  return {{.name = "merge-custom-order",
           .family = "merge",
           .summary = "merge-path in an order that is an argument: here by low byte, then by the rest",
           .work = "n log n",
           .depth = "log^2 n",
           .source = "Green, McColl & Bader 2012",
           .steps_show = "the sorted tiles; of each merge the runs, the co-ranks of blocks, the merged runs",
           .stable = true,
           .tile = 1024,
           .parameters = {{"tile", 4, 1024, 1024, "keys that one block sorts before the merges, or makes in one", true,
                           1, true}},
           .task = &sorting_by_low_byte,
           .run = [](job& j) { with_records(j, [&](auto&... a) { by_low_byte(j, a...); }); }}};
}

} // namespace sortile::classics
