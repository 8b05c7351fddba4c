// LSD radix sort by masks: a 0/1 mask and a scan for each digit value, positions by the lengths of the queues before.
// And: only as many passes as the span of the keys needs.
//
// Idea. The serial radix sort keeps a queue for each digit value, appends each key to its queue and strings the queues
// together. In parallel a queue is a mask: 1 where a key has this digit value. The exclusive scan of the mask numbers
// the keys of the queue, its sum is the queue's length, and a queue begins where the lengths of the queues before it
// end:
//
//   $ sortile classics show --example radix-queues-as-masks
//   input: 10 00 11 00 10 01
//   bits 0 to 1
//     keys          10 00 11 00 10 01
//     mask of 0      0  1  0  1  0  0
//     its scan       0  0  1  1  2  2
//     mask of 1      0  0  0  0  0  1
//     its scan       0  0  0  0  0  0
//     mask of 2      1  0  0  0  1  0
//     its scan       0  1  1  1  1  2
//     mask of 3      0  0  1  0  0  0
//     its scan       0  0  0  1  1  1
//     queues begin  0 2 3 5 6
//     moved         00 00 01 10 10 11
//   result: 00 00 01 10 10 11
//
// Stable: a scan numbers the keys of a queue in the order of the input.
//
// Span. A pass whose digit is the same in all keys moves nothing anywhere. Let a be the smallest image and z the
// largest: image − a lies in 0 … z − a, so only the bits of z − a need passes. Keys from a range of 256 values take 8
// bits, wherever the range lies: that covers what the skipping of constant digits would miss, ranges that cross a digit
// (255 … 300), and serves small integers, dates, and floats of one exponent.
//
// Source: the queues: Knuth, TAOCP vol. 3, 5.2.5; the mask form: Blelloch, "Vector Models for Data-Parallel Computing",
// 1990 (split, repeated); passes limited to the largest key: folklore, as old as card sorters.
//
// Forms: radix-masks (all bits of the key), radix-masks-span (the bits of the span, found by a reduction and read
// back). Parameter: `bits` per pass, 1 to 4.
//
// Cost of a pass of r bits, 4-byte keys: for each of 2^r values a mask is made (4 + 4 bytes per key), scanned (8) and
// its keys are moved (4 + 4, and 8 for those of the queue): about 2^r × 24 + 8 bytes per key, so r = 1 costs 56 bytes
// per bit, r = 2 52, r = 4 98: masks want narrow digits. One table for all values (radix_buckets.cu) takes that factor
// out.
//
// What it teaches: the parallel form of a queue, and to look at the keys before sorting them. Limits: the factor above.
#include "classics/scan.hpp"

#include <bit>

namespace sortile::classics {
namespace {

/// The digit of a key: of its image less `least`.
template <class Word>
struct offset_digit {
  key_codec<Word> codec;
  Word least;
  unsigned first_bit, bits;
  SORTILE_DEVICE unsigned operator()(Word key) const {
    return static_cast<unsigned>(static_cast<Word>(codec.image(key) - least) >> first_bit) & ((1u << bits) - 1);
  }
};

template <class Word>
struct make_mask {
  static constexpr unsigned block_threads = 256;
  simt::global<const Word> keys;
  std::uint64_t n;
  offset_digit<Word> digit;
  unsigned value;
  simt::global<std::uint32_t> mask;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i < n)
      mask[i] = digit(keys.load(i)) == value;
  }
};

/// Moves the keys of one queue; one thread leaves where the next queue begins.
template <class Word, bool Pairs>
struct move_queue {
  static constexpr unsigned block_threads = 256;
  records<Word, Pairs> from, to;
  std::uint64_t n;
  offset_digit<Word> digit;
  unsigned value;
  simt::global<const std::uint32_t> number_in_queue, length;
  simt::global<std::uint32_t> begins; // [2^bits + 1], begins[0] = 0

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    const std::uint32_t begin = begins.load(value);
    if (i == 0)
      begins[value + 1] = begin + length.load(0);
    if (i >= n)
      return;
    const auto r = from.load(i);
    if (digit(r.key) == value)
      to.store(begin + number_in_queue.load(i), r);
  }
};

template <class Word, bool Pairs>
void passes(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec, Word least,
            unsigned all_bits) {
  const std::uint64_t n = j.asked.n;
  const unsigned a_pass = j.parameter("bits"), tile = j.parameter("tile");
  const simt::launch_config blocks{.grid = blocks_for(n, tile), .block = tile};
  const device_array<std::uint32_t> mask(j.on, n), begins(j.on, (1u << a_pass) + 1);
  const single_pass_scan scan(j.on, n, 2 * tile);
  for (unsigned bit = 0; bit < all_bits; bit += a_pass) {
    const offset_digit<Word> digit{codec, least, bit, std::min(a_pass, all_bits - bit)};
    telling t = j.tell(name_of_bits(bit, digit.bits));
    t.keys("keys", untyped(data), n, tile);
    begins.clear();
    for (unsigned value = 0; value < 1u << digit.bits; ++value) {
      simt::launch(j.on.queue(), blocks, make_mask<Word>{data.keys, n, digit, value, view(mask)});
      t.flags("mask of " + std::to_string(value), mask, tile);
      scan(view(mask), view(mask));
      t.numbers("its scan", mask, tile);
      simt::launch(j.on.queue(), blocks,
                   move_queue<Word, Pairs>{data, spare, n, digit, value, view(mask), scan.total(), view(begins)});
    }
    t.numbers("queues begin", begins);
    std::swap(data, spare);
    t.moved("moved", untyped(data), n, tile);
  }
}

/// The smallest and the largest image, and for each block: reduced by the host.
template <class Word>
struct find_span {
  static constexpr unsigned block_threads = 256;
  struct shared {
    simt::shared_array<Word, block_threads> least, most;
  };
  simt::global<const Word> keys;
  std::uint64_t n;
  key_codec<Word> codec;
  simt::global<Word> bounds; // [2]: all ones and 0 at the start

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    Word least = static_cast<Word>(~Word{0}), most = 0;
    const std::uint64_t stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (std::uint64_t i = grid_thread(); i < n; i += stride) {
      const Word image = codec.image(keys.load(i));
      least = image < least ? image : least;
      most = image > most ? image : most;
    }
    s.least[t] = least;
    s.most[t] = most;
    for (unsigned half = block_threads / 2; half > 0; half /= 2) {
      simt::block_barrier();
      if (t >= half)
        continue;
      const Word other_least = s.least.load(t + half), other_most = s.most.load(t + half);
      if (other_least < s.least.load(t))
        s.least[t] = other_least;
      if (other_most > s.most.load(t))
        s.most[t] = other_most;
    }
    if (t == 0) {
      bounds.fetch_min(0, s.least.load(0));
      bounds.fetch_max(1, s.most.load(0));
    }
  }
};

template <class Word, bool Pairs>
void within_span(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const device_array<Word> bounds(j.on, 2);
  const Word start[2] = {static_cast<Word>(~Word{0}), 0};
  j.on.copy_to_device(bounds.data(), start, sizeof start);
  simt::launch(j.on.queue(), {.grid = std::min(blocks_for(n, 256), 1024u)},
               find_span<Word>{data.keys, n, codec, view(bounds)});
  const std::vector<Word> found = bounds.to_host();
  const auto bits = static_cast<unsigned>(std::bit_width(static_cast<Word>(found[1] - found[0])));
  if (j.shows_steps()) {
    const std::vector<std::string> ends = keys_of_images(j, codec, found, fetch(j.on, data.keys, n));
    j.show("keys from " + ends[0] + " to " + ends[1] + ": " + std::to_string(bits) + " bits tell them apart");
  }
  passes(j, data, spare, codec, found[0], bits);
}

} // namespace

SORTILE_CLASSICS_OF(radix_masks) {
  const parameter bits{"bits", 1, 2, 4, "bits a pass"};
  return {{.name = "radix-masks",
           .family = "radix",
           .summary = "a mask and a scan for each digit value, positions by queue lengths",
           .work = "(b / r) 2^r n",
           .depth = "(b / r) 2^r log n",
           .source = "Blelloch 1990",
           .steps_show = "each mask and its scan, where queues begin, the moved keys",
           .stable = true,
           .tile = 512,
           .parameters = {bits, tile_parameter(256)},
           .run =
               [](job& j) {
                 with_records(j, [&](auto& data, auto& spare, const auto& codec) {
                   if (j.asked.n > 0)
                     passes(j, data, spare, codec, decltype(codec.mask){0}, codec.bits);
                 });
               }},
          {.name = "radix-masks-span",
           .family = "radix",
           .summary = "the same over the bits of (largest - smallest key) alone",
           .work = "(s / r) 2^r n for spans of s bits",
           .depth = "(s / r) 2^r log n",
           .source = "Blelloch 1990",
           .steps_show = "the span, each mask and its scan, where queues begin, the moved keys",
           .stable = true,
           .tile = 512,
           .parameters = {bits, tile_parameter(256)},
           .run = [](job& j) { with_records(j, [&](auto&... a) { within_span(j, a...); }); }}};
}

} // namespace sortile::classics
