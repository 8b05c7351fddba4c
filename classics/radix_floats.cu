// Radix sort of floats, negatives included: as the literature does it, by an order-preserving change of the keys.
//
// Idea. The bits of positive IEEE floats, read as unsigned numbers, are in the order of their values: sign 0, then the
// exponent, then the fraction. Two things are wrong with the rest. Negative floats have sign bit 1 and so come after
// the positive ones; and among themselves they are in order of magnitude, which is the wrong way round. One change
// mends both: flip the sign bit of positive keys, flip every bit of negative ones.
//
//   $ sortile classics show --example radix-negative-floats   # lines 1 to 2
//   input: 1 -2 -0 2 0 -1
//   flipped, as unsigned numbers: bf800000 3fffffff 7fffffff c0000000 80000000 407fffff
//
// A signed number x of the bits gives the mask without a branch: flip is bits ^ mask, mask = −(bits >> 31) | 80000000;
// back, the flipped sign tells which mask it was: mask = ((flipped >> 31) − 1) | 80000000.
//
// The map is one to one, so every bit pattern comes back as it was. The sort between sees plain unsigned numbers.
//
// The order is IEEE 754's totalOrder, not the order of values: −0 before +0; NaNs with the sign bit before −infinity,
// the others after +infinity, by payload. All other sorts of the gallery, and the library, order by value with the
// zeros equal and every NaN last; they ask a codec for the image of a key as they extract a digit
// (primitives/key_codec.hpp) and never change the key. So this file's task is its own: sorted in total order.
//
// Source: Terdiman, "Radix Sort Revisited", 2000 (negative floats); Herf, "Radix Tricks", 2001 (the flip, fused with
// the first and the last pass).
//
// Cost: the LSD radix sort of radix_buckets.cu, `bits` per pass with 8 keys per thread, and two launches that read and
// write every key once (16 bytes a 4-byte key); fused with the passes they would cost no traffic.
//
// What it teaches: an order is a bijection away from unsigned comparison. Limits: −0 and +0 come apart, which is not
// what a comparison sort with < does; it sorts floats only; descending is the complement of the flipped key.
#include "classics/radix_buckets.hpp"

namespace sortile::classics {

extern const task total_order;

#if !SORTILE_ON_CUDA
namespace {

/// Floats as signed integers in total order: those below zero with their magnitude turned round.
template <class Word>
void to_signed_integers(host_arrays& a, key_type type) {
  const auto sign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  auto* keys = reinterpret_cast<Word*>(a.keys.data());
  for (std::size_t i = 0; i < a.n; ++i)
    if ((keys[i] & sign) != 0)
      keys[i] ^= static_cast<Word>(~sign);
  a.type = type;
}

testing::verdict check_total_order(const request& asked, bool stable, const host_arrays& before,
                                   const host_arrays& after) {
  host_arrays in = before, out = after;
  request integers = asked;
  integers.type = asked.type == key_type::f32 ? key_type::i32 : key_type::i64;
  for (host_arrays* a : {&in, &out})
    asked.type == key_type::f32 ? to_signed_integers<std::uint32_t>(*a, integers.type)
                                : to_signed_integers<std::uint64_t>(*a, integers.type);
  return sorting.check(integers, stable, in, out);
}

} // namespace

const task total_order{
    .name = "sort in total order", .promise = "all floats in IEEE 754's total order", .check = check_total_order};
#endif

namespace {

template <class Word>
struct flip_floats {
  static constexpr unsigned block_threads = 256;
  simt::global<Word> keys;
  std::uint64_t n;
  bool back;

  SORTILE_DEVICE void operator()() const {
    constexpr unsigned last = 8 * sizeof(Word) - 1;
    const std::uint64_t i = grid_thread();
    if (i >= n)
      return;
    const Word bits = keys.load(i), top = bits >> last;
    keys[i] = bits ^ ((back ? top - 1 : Word{0} - top) | Word{1} << last);
  }
};

template <class Word>
std::vector<std::string> hexadecimal(const std::vector<Word>& all) {
  std::vector<std::string> texts;
  for (const Word bits : all)
    texts.push_back(
        key_as_text(sizeof(Word) == 4 ? key_type::u32 : key_type::u64, &bits, notation::hexadecimal, 8 * sizeof(Word)));
  return texts;
}

template <class Word, bool Pairs>
void sort_floats(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare) {
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const key_type integers = sizeof(Word) == 4 ? key_type::u32 : key_type::u64;
  const auto codec = make_key_codec<Word>(integers, j.asked.direction, j.asked.bits);
  const unsigned blocks = blocks_for(n, flip_floats<Word>::block_threads);
  simt::launch(j.on.queue(), {.grid = blocks}, flip_floats<Word>{data.keys, n, false});
  if (j.shows_steps())
    j.tell("flipped, as unsigned numbers").words("", hexadecimal(fetch(j.on, data.keys, n)));
  j.shown = notation::hexadecimal;
  sort_by_buckets<8>(j, data, spare, codec, j.parameter("bits"), j.parameter("tile"));
  j.shown = j.asked.shown;
  simt::launch(j.on.queue(), {.grid = blocks}, flip_floats<Word>{data.keys, n, true});
  j.show("flipped back", untyped(data), n);
}

constexpr key_type floats[] = {key_type::f32, key_type::f64};

} // namespace

SORTILE_CLASSICS_OF(radix_floats) {
  return {{.name = "radix-floats",
           .family = "radix",
           .summary = "floats flipped to unsigned numbers, sorted, flipped back: total order, -0 before +0",
           .work = "b n",
           .depth = "b log n",
           .source = "Terdiman 2000; Herf 2001",
           .steps_show = "the flipped bits, each pass over them, the keys flipped back",
           .stable = true,
           .changes_keys = true,
           .types = floats,
           .tile = 2048,
           .parameters = {{"bits", 1, 4, 8, "bits a pass"}, tile_parameter(2048)},
           .task = &total_order,
           .run = [](job& j) {
             with_records(j, [&](auto& data, auto& spare, const auto&) { sort_floats(j, data, spare); });
           }}};
}

} // namespace sortile::classics
