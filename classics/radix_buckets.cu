// LSD radix sort that sorts each tile in shared memory first, so that whole buckets are written: local sort, table of
// bucket sizes, coalesced write. One to eight bits per pass, one to 32 keys per thread.
//
// Idea. radix_one_bit.cu sends neighbours of a warp to two far places, key by key. Here a block first sorts its tile by
// the digit in shared memory (r stable splits by one bit for a digit of r bits), so that keys for the same bucket stand
// side by side, and then writes runs. Where a run begins follows from the sizes of all buckets of all tiles: all of
// bucket 0 come first, tile by tile, then all of bucket 1. Laid out with a row for each digit value and a column for
// each tile, that order is the row-major one, so the exclusive scan of the table is the answer for all runs at once:
//
//   $ sortile classics show --example radix-table
//   input: 10 01 00 10 11 00 01 01
//   bits 0 to 1
//     keys             10 01 00 10 | 11 00 01 01
//     tiles sorted     00 01 10 10 | 00 01 01 11
//     sizes of buckets
//       digit 0        1 1
//       digit 1        1 2
//       digit 2        2 0
//       digit 3        0 1
//     where they begin
//       digit 0        0 1
//       digit 1        2 3
//       digit 2        5 7
//       digit 3        7 7
//     buckets written  00 00 01 01   01 10 10 11
//     from block        0  1  0  1    1  0  0  1
//   result: 00 00 01 01 01 10 10 11
//
// Block 1 has two keys of digit 1, and they begin at place 3: behind the keys of digit 0 of both blocks, and behind
// digit 1 of block 0. With one bit a digit, 16 keys in four blocks of four:
//
//   $ sortile classics show --example radix-local
//   input: 1100 0011 0110 1001 1111 1000 0101 1010 1001 0110 1011 1101 0100 1010 0111 0000
//   bit 0
//     keys             1100 0011 0110 1001 | 1111 1000 0101 1010 | 1001 0110 1011 1101 | 0100 1010 0111 0000
//     tiles sorted     1100 0110 0011 1001 | 1000 1010 1111 0101 | 0110 1001 1011 1101 | 0100 1010 0000 0111
//     sizes of buckets
//       digit 0        2  2  1  3
//       digit 1        2  2  3  1
//     where they begin
//       digit 0        0  2  4  5
//       digit 1        8 10 12 15
//     buckets written  1100 0110 1000 1010   0110 0100 1010 0000   0011 1001 1111 0101   1001 1011 1101 0111
//     from block          0    0    1    1      2    3    3    3      0    0    1    1      2    2    2    3
//   result: 1100 0110 1000 1010 0110 0100 1010 0000 0011 1001 1111 0101 1001 1011 1101 0111
//
// Stability: tiles are in order within a row, each tile is sorted stably, and a run is copied as it stands.
//
// Forms:
//   radix-1bit-local      one bit per pass, one key per thread: what coalescing alone gains over radix-1bit
//   radix-bits            r = `bits` bits per pass: b / r passes instead of b. Each tile has 2^r buckets, so the table
//                         grows to 2^r entries for 256 keys, and the mean run shrinks to 256 / 2^r keys: at r = 8 it is
//                         as long as the input, and a run is one key. Wider digits want larger tiles:
//   radix-bits-coarsened  `keys` neighbours per thread (1 to 32): tiles of 256 to 8192 keys, so runs are longer and the
//                         table shorter by that factor, and a thread adds its own bits before the block scans
//
// Source: Zagha & Blelloch, "Radix sort for vector multiprocessors", 1991 (the table); Satish, Harris & Garland,
// "Designing efficient sorting algorithms for manycore GPUs", 2009; Kirk & Hwu, 4th edition, chapter on sorting.
//
// Cost of a pass, records of s bytes: the local sort reads and writes each record, the write reads and writes it again:
// 4 s bytes per record, and 12 × 2^r bytes of table a tile. A pass is three launches. Within the tile r splits, each a
// scan of 256 numbers: 2 × 8 barriers. Shared memory: the tile (keys × 256 × s bytes, at most 135 KiB) and 3 KiB.
//
// What it teaches: spend work in shared memory to make traffic regular; the balance of radix width against tile size.
// Compare radix-bits with bits = 8 and radix-bits-coarsened with keys = 16. Limits: the record is read and written
// twice a pass; a production sort ranks in registers and finds its place by look-back in the same launch, so moves it
// once.
#include "classics/radix_buckets.hpp"

namespace sortile::classics {

SORTILE_CLASSICS_OF(radix_buckets) {
  const parameter bits{"bits", 1, 4, 8, "bits a pass"};
  const parameter keys{"keys", 1, 8, 32, "keys a thread", true};
  const parameter coarsened_tile{"tile", 4, 8192, 8192, "keys of a block, at most 256 for each key of a thread",
                                 true,   1, true};
  const char* steps =
      "of each pass the keys, the sorted tiles, the table before and after its scan, the written buckets";
  return {
      {.name = "radix-1bit-local",
       .family = "radix",
       .summary = "one bit a pass; tiles are sorted in shared memory, buckets written as runs",
       .work = "b n",
       .depth = "b log n",
       .source = "Satish, Harris & Garland 2009; Kirk & Hwu, 4th ed.",
       .steps_show = steps,
       .stable = true,
       .tile = 256,
       .parameters = {tile_parameter(256)},
       .run =
           [](job& j) { with_records(j, [&](auto&... a) { sort_by_buckets<1>(j, a..., 1, j.parameter("tile")); }); }},
      {.name = "radix-bits",
       .family = "radix",
       .summary = "the same with several bits a pass: as many local splits, fewer passes",
       .work = "b n",
       .depth = "b log n",
       .source = "Satish, Harris & Garland 2009; Kirk & Hwu, 4th ed.",
       .steps_show = steps,
       .stable = true,
       .tile = 256,
       .parameters = {bits, tile_parameter(256)},
       .run =
           [](job& j) {
             with_records(j,
                          [&](auto&... a) { sort_by_buckets<1>(j, a..., j.parameter("bits"), j.parameter("tile")); });
           }},
      {.name = "radix-bits-coarsened",
       .family = "radix",
       .summary = "the same with several keys a thread: larger tiles, longer runs, a shorter table",
       .work = "b n",
       .depth = "b log n",
       .source = "Satish, Harris & Garland 2009; Kirk & Hwu, 4th ed.",
       .steps_show = steps,
       .stable = true,
       .tile = 8192,
       .parameters = {bits, keys, coarsened_tile},
       .run = [](job& j) {
         with_constant(j.parameter("keys"), [&]<unsigned Keys>(std::integral_constant<unsigned, Keys>) {
           with_records(j,
                        [&](auto&... a) { sort_by_buckets<Keys>(j, a..., j.parameter("bits"), j.parameter("tile")); });
         });
       }}};
}

} // namespace sortile::classics
