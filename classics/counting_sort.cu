// Parallel counting sort: every thread counts its own keys, a scan over all counts gives every thread its places.
//
// Idea. To sort keys of few values, count how often each occurs; the exclusive scan of the counts is where each value
// begins in the output. In parallel each thread takes a stretch of neighbouring keys and counts those alone, into a
// column of its own. Read row by row, a row for each value, the table is in the order of the output: all threads' keys
// of value 0, then those of value 1. So one scan tells every thread where its keys of every value go, and it walks its
// stretch again and puts them there, counting up. No two threads write to one place, and none needs an atomic:
//
//   $ sortile classics show --example counting-places
//   input: 10 01 00 10 11 00 01 01
//   bits 0 to 1
//     keys    10 01 00 10 | 11 00 01 01
//     counts of threads
//       0     1 1
//       1     1 2
//       2     2 0
//       3     0 1
//     their scan
//       0     0 1
//       1     2 3
//       2     5 7
//       3     7 7
//     placed  00 00 01 01   01 10 10 11
//   result: 00 00 01 01 01 10 10 11
//
// Each stretch is walked in order, and stretches stand in the table in order, so the sort is stable, and keys of many
// bits are sorted by passes of `bits` each, the lowest first.
//
// Source: Seward 1954 (counting); Zagha & Blelloch, "Radix sort for vector multiprocessors", 1991, where each processor
// of the vector machine has a column.
//
// Cost of a pass of r bits, records of s bytes: reads 2 s, writes s, and 2^r words of table for each thread, written,
// scanned and read: 16 × 2^r bytes for `keys` records. So stretches have to be long: at 16 keys and 4 bits that is as
// much again as the records. A thread's keys stand next to one another, so neighbours of a warp read `keys` records
// apart, and write anywhere.
//
// What it teaches: where the table of radix_buckets.cu comes from, before blocks sort their tiles; and why a GPU wants
// that sort: here nothing is coalesced. Limits: the stride, and a table that grows with the number of threads.
#include "classics/scan.hpp"

namespace sortile::classics {
namespace {

/// What both kernels know of a pass: thread t has the keys from t × stretch on, and column t of the table.
template <class Word>
struct counting_pass {
  std::uint64_t n;
  key_codec<Word> codec;
  unsigned first_bit, values, stretch, threads;

  SORTILE_DEVICE unsigned digit(Word key) const {
    return static_cast<unsigned>(codec.image(key) >> first_bit) & (values - 1);
  }
  SORTILE_DEVICE std::uint64_t cell(unsigned value) const { return std::uint64_t{value} * threads + grid_thread(); }
};

template <class Word>
struct count_stretches {
  static constexpr unsigned block_threads = 256;
  counting_pass<Word> pass;
  simt::global<const Word> keys;
  simt::global<std::uint32_t> table; // [values][threads]

  SORTILE_DEVICE void operator()() const {
    if (grid_thread() >= pass.threads)
      return;
    for (unsigned v = 0; v < pass.values; ++v)
      table[pass.cell(v)] = 0u;
    const std::uint64_t first = grid_thread() * pass.stretch;
    for (std::uint64_t i = first; i < first + pass.stretch && i < pass.n; ++i) {
      const std::uint64_t cell = pass.cell(pass.digit(keys.load(i)));
      table[cell] = table.load(cell) + 1;
    }
  }
};

template <class Word, bool Pairs>
struct place_stretches {
  static constexpr unsigned block_threads = 256;
  counting_pass<Word> pass;
  records<Word, Pairs> from, to;
  simt::global<std::uint32_t> table; // scanned; counts up

  SORTILE_DEVICE void operator()() const {
    if (grid_thread() >= pass.threads)
      return;
    const std::uint64_t first = grid_thread() * pass.stretch;
    for (std::uint64_t i = first; i < first + pass.stretch && i < pass.n; ++i) {
      const auto r = from.load(i);
      const std::uint64_t cell = pass.cell(pass.digit(r.key));
      const std::uint32_t place = table.load(cell);
      table[cell] = place + 1;
      to.store(place, r);
    }
  }
};

template <class Word, bool Pairs>
void counting(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  const std::uint64_t n = j.asked.n;
  const unsigned a_pass = j.parameter("bits"), stretch = j.parameter("keys"), tile = j.parameter("tile");
  const unsigned threads = blocks_for(n, stretch);
  const simt::launch_config all{.grid = blocks_for(threads, tile), .block = tile};
  const device_array<std::uint32_t> table(j.on, std::size_t{threads} << a_pass);
  const single_pass_scan scan(j.on, table.size());
  for (unsigned bit = 0; bit < codec.bits && n > 0; bit += a_pass) {
    const unsigned values = 1u << std::min(a_pass, codec.bits - bit);
    const counting_pass<Word> pass{n, codec, bit, values, stretch, threads};
    telling t = j.tell(name_of_bits(bit, std::min(a_pass, codec.bits - bit)));
    t.keys("keys", untyped(data), n, stretch);
    simt::launch(j.on.queue(), all, count_stretches<Word>{pass, data.keys, view(table)});
    if (t.is_read())
      t.table("counts of threads", fetch(j.on, view(table), std::uint64_t{values} * threads), threads);
    scan(view(table), view(table), std::uint64_t{values} * threads);
    if (t.is_read())
      t.table("their scan", fetch(j.on, view(table), std::uint64_t{values} * threads), threads);
    simt::launch(j.on.queue(), all, place_stretches<Word, Pairs>{pass, data, spare, view(table)});
    std::swap(data, spare);
    t.moved("placed", untyped(data), n, 0);
  }
}

} // namespace

SORTILE_CLASSICS_OF(counting_sort) {
  return {{.name = "counting-sort",
           .family = "radix",
           .summary = "every thread counts a stretch of keys, a scan over all counts gives every key its place",
           .work = "(b / r) (n + 2^r p)",
           .depth = "(b / r) (n / p + log n)",
           .source = "Seward 1954; Zagha & Blelloch 1991",
           .steps_show = "of each pass the counts of threads, their scan, and the placed keys",
           .stable = true,
           .tile = 256 * 32,
           .parameters = {{"bits", 1, 4, 8, "bits a pass"},
                          {"keys", 1, 16, 32, "keys a thread"},
                          {"tile", 4, 256, 256, "threads of a block", true, 1, true}},
           .run = [](job& j) { with_records(j, [&](auto&... a) { counting(j, a...); }); }}};
}

} // namespace sortile::classics
