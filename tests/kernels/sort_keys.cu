// The sort of keys against std::sort: sizes about its tiles and buckets, distributions that its steps find hard, all
// widths, signs and directions, in place and apart, with any number of buckets.
#include "kernels/key_scan/key_scan_kernel.hpp"
#include "kernels/local/large_sort_kernel.hpp"
#include "kernels/sort/sort_keys.hpp"
#include "tests/kernels/key_sort_checks.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <cstring>

namespace sortile::simt_tests {
namespace {

template <class Word>
struct how {
  key_type type = unsigned_type<Word>;
  order direction = order::ascending;
  unsigned partition_bits = kernels::sort_tuning::follows_n;
  bool in_place = false, input_is_scratch = false;
  kernels::partition_tiles tiles = kernels::partition_tiles::follow_n;
};

template <class Word>
void check_sort(simt::queue q, const std::vector<Word>& keys, how<Word> h) {
  const std::size_t n = keys.size();
  const auto codec = make_key_codec<Word>(h.type, h.direction, {});
  std::vector<Word> expected = keys;
  std::sort(expected.begin(), expected.end(), [&](Word a, Word b) { return codec.image(a) < codec.image(b); });
  constexpr std::size_t zone = 16; // words behind, which must stay as they are
  std::vector<Word> guarded = keys;
  guarded.resize(n + zone, Word(0xa5a5a5a5));
  buffer<Word> in(guarded), out(n + zone, Word(0xa5a5a5a5));
  kernels::typed_request<Word> r{.keys_in = in.view().data(),
                                 .keys_out = h.in_place ? in.view().data() : out.view().data(),
                                 .input_is_scratch = h.input_is_scratch,
                                 .n = n,
                                 .codec = codec,
                                 .tuning = {.partition_bits = h.partition_bits, .tiles = h.tiles}};
  const std::size_t bytes = r.workspace_bytes = kernels::sort_keys_workspace_bytes(r);
  buffer<std::uint64_t> workspace(bytes / 8 + 16, 0x5a5a5a5a5a5a5a5au); // poisoned
  r.workspace = workspace.view().data();
  kernels::sort_keys(q, r);
  expected.resize(n + zone, Word(0xa5a5a5a5));
  const auto got = h.in_place ? in.host() : out.host();
  const auto wrong = std::mismatch(expected.begin(), expected.end(), got.begin());
  EXPECT_EQ(wrong.first - expected.begin(), std::ptrdiff_t(n + zone)) << "is the first wrong key";
  auto given = in.host();
  if (h.input_is_scratch) // but what stands behind it stays
    std::copy_n(keys.begin(), n, given.begin());
  EXPECT_TRUE(h.in_place || given == guarded) << "the input has changed";
  const auto behind = workspace.host();
  for (std::size_t i = bytes / 8; i < behind.size(); ++i)
    EXPECT_EQ(behind[i], 0x5a5a5a5a5a5a5a5au);
}

template <class Word>
void check_shapes(simt::queue q, std::size_t n, how<Word> h) {
  for (const shape kind : shapes_of(partition_shapes)) {
    SCOPED_TRACE("n " + std::to_string(n) + ", shape " + std::to_string(int(kind)) + ", bits " +
                 std::to_string(int(h.partition_bits)));
    check_sort(q, make_keys<Word>(n, kind), h);
  }
}

template <class Word>
void check_sizes() {
  constexpr std::size_t vector = 16 / sizeof(Word);
  constexpr std::size_t small_tile = kernels::partition_kernel<Word, kernels::tile_size::small>::tile_keys;
  constexpr std::size_t large_tile = kernels::partition_kernel<Word, kernels::tile_size::large>::tile_keys;
  constexpr std::size_t bucket = kernels::local_sort_kernel<Word>::capacity;
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, vector + 1, std::size_t{1000}})
          check_sort(q, make_keys<Word>(n, shape::uniform), {});
      },
      2);
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t tile : {small_tile, large_tile})
          for (const std::size_t n :
               {bucket - 1, bucket, bucket + 1, tile - 1, tile, tile + 1, 2 * tile + vector - 1}) {
            SCOPED_TRACE("n " + std::to_string(n));
            const auto tiles = tile == small_tile ? kernels::partition_tiles::small : kernels::partition_tiles::large;
            check_sort(q, make_keys<Word>(n, shape::uniform), {.partition_bits = 5, .tiles = tiles});
            check_sort(q, make_keys<Word>(n, shape::uniform), {.partition_bits = 10, .tiles = tiles});
          }
        constexpr std::size_t wide_tile = kernels::partition_kernel<Word, kernels::tile_size::wide>::tile_keys;
        for (const std::size_t n : a_few(2, {wide_tile - 1, 4 * wide_tile + vector - 1, wide_tile + 1}))
          check_sort(q, make_keys<Word>(n, shape::uniform), {.partition_bits = 9});
      },
      0);
}

SIMT_TEST(sort_keys, sizes_u32) {
  check_sizes<std::uint32_t>();
}
SIMT_TEST(sort_keys, sizes_u64) {
  check_sizes<std::uint64_t>();
}

SIMT_TEST(sort_keys, sizes_u128) {
  check_sizes<uint128>();
}

template <class Word>
void check_forced_shapes(simt::queue q, std::initializer_list<unsigned> all_bits) {
  for (const bool in_place : a_few(1, {false, true}))
    for (const unsigned bits : all_bits)
      check_shapes<Word>(q, 9000, {.partition_bits = bits, .in_place = in_place});
}
SIMT_TEST(sort_keys, shapes_u32) {
  on_every_schedule(
      [](simt::queue q) {
        check_forced_shapes<std::uint32_t>(q, {0, 3, 9, 10});
        check_shapes<std::uint32_t>(q, unless_short(70001, 20001), {});
      },
      0);
}
SIMT_TEST(sort_keys, shapes_u64) {
  on_every_schedule(
      [](simt::queue q) {
        check_forced_shapes<std::uint64_t>(q, {0, 3, 9, 10});
        check_shapes<std::uint64_t>(q, unless_short(50001, 20001),
                                    {.partition_bits = 10, .tiles = kernels::partition_tiles::large});
      },
      0);
}
SIMT_TEST(sort_keys, shapes_u128) {
  on_every_schedule(
      [](simt::queue q) {
        check_forced_shapes<uint128>(q, {3, 9, 10});
        check_shapes<uint128>(q, 20001, {.partition_bits = 10, .tiles = kernels::partition_tiles::large});
      },
      0);
}

SIMT_TEST(sort_keys, double_buffers) {
  on_every_schedule(
      [](simt::queue q) {
        one_in taken(2); // in short tests 0 bits of 4 and 16 bytes, 10 of 8
        for (const unsigned bits : a_few(2, {0u, 3u, 10u})) {
          if (taken())
            check_shapes<std::uint32_t>(q, 9000, {.partition_bits = bits, .input_is_scratch = true});
          if (taken())
            check_shapes<std::uint64_t>(q, 9000, {.partition_bits = bits, .input_is_scratch = true});
          if (taken())
            check_shapes<uint128>(q, 5000, {.partition_bits = bits, .input_is_scratch = true});
        }
        // Counted, in 2^16 blocks; skewed_keys has other shapes.
        for (const shape kind : a_few(2, partition_shapes))
          check_sort(q, make_keys<std::uint32_t>(20001, kind), {.partition_bits = 16, .input_is_scratch = true});
      },
      0);
}

SIMT_TEST(sort_keys, shapes_on_many_schedules) {
  on_every_schedule(
      [&](simt::queue q) {
        check_sort(q, make_keys<std::uint32_t>(3001, shape::uniform), {.partition_bits = 4});
        check_sort(q, make_keys<std::uint32_t>(2503, shape::one_giant_bucket), {.partition_bits = 6, .in_place = true});
        check_sort(q, make_keys<std::uint64_t>(2002, shape::uniform), {.partition_bits = 9});
        check_sort(q, make_keys<std::uint64_t>(2002, shape::and_of_3),
                   {.partition_bits = 10, .tiles = kernels::partition_tiles::large});
        // Each value twice: more keys find their bin taken than a list holds.
        check_sort(q, make_keys<std::uint32_t>(9000, shape::organ_pipe), {.partition_bits = 2});
        check_sort(q, make_keys<std::uint64_t>(9001, shape::organ_pipe), {.partition_bits = 2, .in_place = true});
        check_sort(q, make_keys<std::uint64_t>(1501, shape::sorted), {.partition_bits = 2});
        check_sort(q, make_keys<uint128>(2002, shape::uniform), {.partition_bits = 9});
        check_sort(q, make_keys<uint128>(2503, shape::one_giant_bucket),
                   {.partition_bits = 6, .in_place = true, .tiles = kernels::partition_tiles::large});
      },
      3);
}

/// One launch of one block, in which the scan, the bins and the way out of full bins all happen.
template <class Word>
void check_one_block(std::size_t capacity) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const bool in_place : {false, true}) {
          for (const std::size_t n :
               a_few(3, {std::size_t{1}, std::size_t{6}, std::size_t{2503}, capacity - 1, capacity}))
            check_shapes<Word>(q, n, {.in_place = in_place});
          check_sort(q, make_keys<Word>(capacity + 1, shape::uniform), {.in_place = in_place});
          // as many as a warp merges, and one more
          for (const std::size_t n : {std::size_t{128}, std::size_t{129}})
            for (const shape kind : {shape::uniform, shape::sorted})
              check_sort(q, make_keys<Word>(n, kind), {.in_place = in_place});
          // skewed keys, about the sizes of a warp's runs and of a block's vectors.
          for (const int n :
               a_few(5, {31, 32, 33, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 2047, 2048, 2049, 4095}))
            for (const shape kind : {shape::few, shape::and_of_3})
              check_sort(q, make_keys<Word>(std::size_t(n), kind), {.in_place = in_place});
        }
        check_sort(q, make_keys<Word>(1000, shape::uniform), {.direction = order::descending});
        check_sort(q, make_keys<Word>(1000, shape::few), {.direction = order::descending});
      },
      0);
  on_every_schedule(
      [&](simt::queue q) {
        check_sort(q, make_keys<Word>(1501, shape::uniform), {});
        check_sort(q, make_keys<Word>(1501, shape::few), {.in_place = true});
        check_sort(q, make_keys<Word>(1501, shape::nearly_sorted), {.in_place = true});
      },
      4);
}

SIMT_TEST(sort_keys, in_one_block_u32) {
  check_one_block<std::uint32_t>(8192);
}
SIMT_TEST(sort_keys, in_one_block_u64) {
  check_one_block<std::uint64_t>(6144);
}

SIMT_TEST(sort_keys, in_one_block_u128) {
  check_one_block<uint128>(4096);
}

SIMT_TEST(sort_keys, signs_and_directions) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const shape kind : {shape::uniform, shape::few, shape::sorted}) {
          const auto narrow = make_keys<std::uint32_t>(5003, kind);
          const auto wide = make_keys<std::uint64_t>(5003, kind);
          check_sort(q, narrow, {.type = key_type::i32, .partition_bits = 5});
          check_sort(q, narrow, {.direction = order::descending, .partition_bits = 10});
          check_sort(q, wide, {.type = key_type::i64, .direction = order::descending, .partition_bits = 5});
          const auto widest = make_keys<uint128>(5003, kind);
          check_sort(q, widest, {.type = key_type::i128, .partition_bits = 10});
          check_sort(q, widest, {.type = key_type::i128, .direction = order::descending});
        }
      },
      0);
}

/// 2^15 equal top digits in one block make the scan's counters give keys away.
SIMT_TEST(sort_keys, counters_that_fill) {
  on_every_schedule(
      [&](simt::queue q) {
        auto keys = make_keys<std::uint32_t>(300000, shape::uniform);
        for (std::size_t i = 0; i < keys.size(); ++i)
          keys[i] = i % 8 != 0 ? keys[i] >> 12 : keys[i];
        check_verdict(q, keys, 8, true);
        if (!short_tests()) // one block sorts most of them
          check_sort(q, keys, {.partition_bits = 8});
      },
      0);
}

SIMT_TEST(sort_keys, what_suits) {
  on_every_schedule(
      [&](simt::queue q) {
        check_verdict(q, make_keys<std::uint32_t>(70'001, shape::uniform), 5, false);
        check_verdict(q, make_keys<std::uint64_t>(50'001, shape::uniform), 9, false);
        check_verdict(q, make_keys<std::uint32_t>(70'001, shape::one_giant_bucket), 5, true);
        check_verdict(q, make_keys<std::uint64_t>(50'001, shape::and_of_3), 9, true);
        check_verdict(q, make_keys<std::uint64_t>(70'001, shape::sorted), 9, false);
        check_verdict(q, make_keys<uint128>(50'001, shape::uniform), 9, false);
        check_verdict(q, make_keys<uint128>(50'001, shape::one_giant_bucket), 5, true);
        check_verdict(q, make_keys<uint128>(50'001, shape::and_of_3), 9, true);
        auto low = make_keys<uint128>(40'001, shape::uniform); // the same above bit 70, then only the lowest 64 differ
        for (uint128& key : low)
          key = (key >> 58) | uint128{3} << 90;
        check_verdict(q, low, 5, false);
        for (uint128& key : low)
          key = std::uint64_t(key);
        check_verdict(q, low, 5, false);
        for (uint128& key : low)
          key = (uint128{5} << 64) + std::uint64_t(key % 100'000);
        check_verdict(q, low, 5, true);
        for (uint128& key : low)
          key = (uint128{5} << 64) - 100 + std::uint64_t(key % 200);
        check_verdict(q, low, 8, false); // from the counts
        auto dense = make_keys<std::uint32_t>(70'001, shape::uniform);
        for (std::uint32_t& key : dense)
          key = 5'000'000 + key % 100'000;
        check_verdict(q, dense, 5, false); // three passes are not quicker
        auto wide = changed<std::uint64_t>(70'001, [](auto r, auto) { return 5'000'000 + r % 100'000; });
        check_verdict(q, wide, 5, true);
        for (std::uint32_t& key : dense)
          key = 0x4d'0000 + key % 60'000;
        check_verdict(q, dense, 5, true);
        for (std::uint32_t& key : dense)
          key += 10'000; // beyond a multiple of 2^16
        check_verdict(q, dense, 5, false);
        for (std::uint32_t& key : dense)
          key = 5'000'000 + key % 200;
        check_verdict(q, dense, 8, false);                                // from the counts
        auto outliers = make_keys<std::uint64_t>(70'001, shape::uniform); // one far from the window of the others
        for (std::uint64_t& key : outliers)
          key = (key >> 20) + (std::uint64_t{1} << 50);
        outliers[33'333] = 3;
        outliers[44'444] = ~std::uint64_t{0} - 1;
        check_verdict(q, outliers, 7, false);
      },
      0);
}

/// Numbers of all magnitudes alike, up to 2^width: ranks by Zipf's law.
template <class Word>
std::vector<Word> magnitudes(std::size_t n) {
  const auto draws = noise(n, 5);
  return changed<Word>(n, [&](Word r, std::size_t i) {
    const unsigned bits = draws[i] % (8 * sizeof(Word));
    return Word(Word{1} << bits) | (r & Word((Word{1} << bits) - 1));
  });
}

/// Left to another sort by a sample alone, of many keys and of few: but for the sample, a reading of all keys less than
/// by the counts. `by_few`: a sample of few keys is enough.
template <class Word>
void check_given_away_by_sample(simt::queue q, const std::vector<Word>& keys, unsigned bits, bool by_few = true) {
  check_verdict(q, keys, bits, true, 0, 0);
  if (by_few)
    check_verdict(q, keys, bits, true, 0, never);
#if !SORTILE_ON_CUDA
  const auto bytes_read = [&](std::uint64_t sample_from, std::uint64_t many_samples_from) {
    executor::device counting({.checks = executor::check::counters});
    check_verdict(simt::queue::executor(counting), keys, bits, true, sample_from, many_samples_from);
    return counting.counted().global_loads.bytes;
  };
  const auto at_least = keys.size() * sizeof(Word) / 2;
  EXPECT_GT(bytes_read(never, never), bytes_read(0, 0) + at_least);
  if (by_few)
    EXPECT_GT(bytes_read(never, never), bytes_read(0, never) + at_least);
#endif
}

/// Buckets that large_sort_kernel holds are no reason to give keys away, unless they are many; larger ones are.
SIMT_TEST(sort_keys, somewhat_large_buckets_are_kept) {
  const auto buckets_of = []<class Word>(Word, std::initializer_list<std::size_t> sizes, std::uint64_t values) {
    std::vector<Word> keys;
    Word bucket = 0;
    for (const std::size_t size : sizes) {
      const auto low = make_keys<Word>(size, shape::uniform);
      for (const Word key : low)
        keys.push_back(Word(Word(key % values * 0x9e3779b97f4a7c15u) >> 3 | bucket << (8 * sizeof(Word) - 3)));
      ++bucket;
    }
    for (std::size_t i = 0; i < keys.size(); ++i)
      std::swap(keys[i], keys[i * 7919 % keys.size()]);
    return keys;
  };
  on_every_schedule(
      [&](simt::queue q) {
        constexpr std::uint64_t any = ~std::uint64_t{0};
        const auto check = [&](auto word, std::initializer_list<std::size_t> sizes, bool given_away,
                               std::uint64_t values) {
          SCOPED_TRACE(std::to_string(sizeof word) + " bytes, buckets of " + std::to_string(*sizes.begin()) + " and " +
                       std::to_string(*(sizes.begin() + 1)) + ", values " + std::to_string(values));
          check_verdict(q, buckets_of(word, sizes, values), 3, given_away);
        };
        for (const std::uint64_t values : {any, std::uint64_t{300}, std::uint64_t{2200}})
          check(std::uint64_t{}, {7000, 5000, 7000, 5000, 9000, 5000, 5000, 5000}, false, values);
        check(std::uint64_t{}, {7000, 7000, 7000, 7000, 7000, 5000, 5000, 5000}, true, any);
        check(std::uint64_t{}, {11'000, 5000, 5000, 5000, 5000, 5000, 5000, 5000}, true, any);
        check(std::uint32_t{}, {7000, 5000, 5000, 5000, 5000, 5000, 5000, 5000}, false, any);
        check(std::uint32_t{}, {7000, 7000, 5000, 5000, 5000, 5000, 5000, 5000}, true, any);
      },
      0);
}
/// Even buckets of values that repeat: the passes', of 32 bits and from so many keys on.
SIMT_TEST(sort_keys, what_repeats_is_given_to_the_passes_by_a_sample) {
  constexpr std::uint32_t passes = 2;
  const auto repeated = []<class Word>(Word, std::uint64_t values) {
    return changed<Word>(120'001, [values](std::uint64_t r, auto) { return r % values * 0x9e3779b97f4a7c15u >> 9; });
  };
  on_every_schedule(
      [&](simt::queue q) {
        const auto role = [&](auto keys, std::uint64_t repeats_from) {
          buffer<std::uint32_t> told(1, 99);
          const auto got = sorted_by_buckets(
              q, keys, {told.view().data(), 0, passes},
              {.partition_bits = 6, .sample_from = 0, .map_keys_from = 0, .repeats_from = repeats_from});
          const std::uint32_t found = told.host()[0] & kernels::verdict::roles;
          if (found == 0) {
            std::sort(keys.begin(), keys.end());
            EXPECT_TRUE(got == keys);
          }
          return found;
        };
        EXPECT_EQ(role(repeated(std::uint32_t{}, 60'000), 0), passes);
        EXPECT_EQ(role(repeated(std::uint32_t{}, 60'000), never), 0u);
        EXPECT_EQ(role(make_keys<std::uint32_t>(120'001, shape::uniform), 0), 0u);
        EXPECT_EQ(role(repeated(std::uint64_t{}, 20'000), 0), 0u) << "of 64 bits";
      },
      0);
}
SIMT_TEST(sort_keys, skewed_ones_are_given_away_by_a_sample) {
  constexpr std::size_t n = 120'001;
  on_every_schedule(
      [&](simt::queue q) {
        check_given_away_by_sample(q, make_keys<std::uint32_t>(n, shape::and_of_3), 5);
        check_given_away_by_sample(q, make_keys<std::uint64_t>(n, shape::and_of_3), 9);
        check_given_away_by_sample(q, make_keys<uint128>(n, shape::and_of_3), 5);
        check_given_away_by_sample(q, magnitudes<std::uint32_t>(n), 5);
        check_given_away_by_sample(q, magnitudes<std::uint64_t>(n), 8);
        check_given_away_by_sample(q, make_keys<std::uint32_t>(n, shape::one_giant_bucket), 13,
                                   false); // bins of two buckets
        check_given_away_by_sample(q, make_keys<std::uint64_t>(n, shape::one_giant_bucket), 0);
        check_given_away_by_sample(q, changed<std::uint32_t>(n, [](auto r, auto) { return 0x4d'0000 + r % 60'000; }),
                                   5);
        check_given_away_by_sample(
            q, changed<std::uint64_t>(n, [](auto r, auto i) { return i % 3 == 0 ? r : r >> 13; }), 8);
        check_given_away_by_sample(q, changed<std::uint32_t>(n, [](auto r, auto) { return r & ~0x20000000u; }), 5,
                                   false); // pairs alone, and hardly of few samples
      },
      0);
  on_every_schedule(
      [&](simt::queue q) {
        check_verdict(q, make_keys<std::uint32_t>(n, shape::and_of_3), 5, true, 0);
        check_verdict(q, magnitudes<std::uint64_t>(n), 8, true, 0);
      },
      1);
}

/// The sample judges nothing, or finds nothing: the sort is as without it.
SIMT_TEST(sort_keys, what_a_sample_does_not_leave) {
  constexpr std::size_t n = 60'001;
  on_every_schedule(
      [&](simt::queue q) {
        check_verdict(q, make_keys<std::uint32_t>(n, shape::uniform), 5, false, 0);
        check_verdict(q, make_keys<std::uint64_t>(n, shape::uniform), 13, false, 0);
        check_verdict(q, make_keys<uint128>(n, shape::uniform), 6, false, 0);
        for (const unsigned bits : {8u, 10u}) // from the counts
          check_verdict(q, changed<std::uint32_t>(n, [&](auto r, auto) { return r & ((1u << bits) - 1); }), bits, false,
                        0);
        check_verdict(q, make_keys<std::uint32_t>(n, shape::equal), 5, false, 0);
        check_verdict(q, make_keys<std::uint64_t>(n, shape::equal), 0, false, 0);
        auto in_order = make_keys<std::uint32_t>(n, shape::one_giant_bucket); // and skewed: a copy
        std::sort(in_order.begin(), in_order.end());
        check_verdict(q, in_order, 5, false, 0);
        check_verdict(q, changed<std::uint64_t>(n, [](auto, auto i) { return i; }), 5, false, 0);
        auto outliers = changed<std::uint64_t>(n, [](auto r, auto) { return (r >> 20) + (std::uint64_t{1} << 50); });
        outliers[33'333] = 3;
        outliers[44'444] = ~std::uint64_t{0} - 1;
        check_verdict(q, outliers, 7, false, 0);
        check_verdict(q, make_keys<std::uint32_t>(15'000, shape::narrow), 3, true, 0); // too few to judge, but dense
      },
      0);
}

SIMT_TEST(sort_keys, few_values_are_written_from_their_counts) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::uint32_t values : {2u, 3u, 7u, 64u, 200u, 255u, 256u}) { // the window is a little wider
          const auto few = changed<std::uint32_t>(30'001, [&](auto r, auto) { return 77 + r % values; });
          check_verdict(q, few, values > 200 ? 9 : 8, false);
          check_verdict(q, changed<std::uint64_t>(20'001, [&](auto r, auto) { return (r % values) - 100; }), 8,
                        values > 100); // below and above 0: all bits differ
        }
        // One far from the window of the others: their counts are of no use for partitions.
        auto outliers = changed<std::uint32_t>(30'001, [](auto r, auto) { return 1000 + r % 9; });
        outliers[15'555] = 5;
        check_verdict(q, outliers, 8, true);
      },
      0);
}

/// Every image of a window of so many has its own counters, all it says, and is found again from each.
template <class Word>
void check_counters_of(std::uint32_t values, unsigned bits) {
  const std::uint32_t buckets = 1u << bits;
  const auto w = kernels::key_window<Word>::of(Word(1000), Word(1000 + values - 1));
  const std::uint32_t spare = w.buckets_a_value(buckets);
  EXPECT_GE(4 * spare, 2 * (buckets / values)) << values;
  std::uint32_t taken = 0; // buckets below
  for (std::uint32_t v = 0; v < values; ++v) {
    const std::uint32_t own = w.spread(Word(v)) >> (kernels::key_window<Word>::spread_bits - bits);
    ASSERT_GE(own, taken) << v << " of " << values;
    for (const std::uint32_t bucket : {own, own + spare - 1})
      ASSERT_EQ(w.last_of(bucket, bits), Word(v)) << bucket << " of " << values;
    taken = own + spare;
  }
  EXPECT_LE(taken, buckets) << values;
}
TEST(key_window, values_have_counters_of_their_own) {
  for (const unsigned bits : {3u, 8u, 16u})
    for (std::uint32_t values = 1; values <= 1u << bits; values += values < 300 ? 1 : values / 7) {
      check_counters_of<std::uint32_t>(values, bits);
      check_counters_of<std::uint64_t>(values, bits);
      check_counters_of<uint128>(values, bits);
    }
}

SIMT_TEST(sort_keys, misuse_is_refused_by_name) {
  on_every_schedule(
      [&](simt::queue q) {
        buffer<std::uint32_t> in(64), out(64);
        kernels::typed_request<std::uint32_t> good{.keys_in = in.view().data(),
                                                   .keys_out = out.view().data(),
                                                   .n = 60,
                                                   .codec = make_key_codec<std::uint32_t>(key_type::u32, {}, {})};
        EXPECT_EQ(kernels::sort_keys_workspace_bytes(good), 0u) << "one block needs none";
        good.tuning.partition_bits = 3;
        good.workspace_bytes = kernels::sort_keys_workspace_bytes(good);
        buffer<std::uint64_t> workspace(good.workspace_bytes / 8 + 16);
        good.workspace = workspace.view().data();
        const auto refused = [&](auto change) {
          auto r = good;
          change(r);
          EXPECT_THROW(kernels::sort_keys(q, r), sortile::error);
        };
        EXPECT_NO_THROW(kernels::sort_keys(q, good));
        refused([](auto& r) { r.keys_in = nullptr; });
        refused([](auto& r) { r.keys_in += 1; });
        refused([](auto& r) { r.keys_out += 2; });
        refused([](auto& r) { r.keys_out = const_cast<std::uint32_t*>(r.keys_in) + 4; });
        refused([](auto& r) { r.workspace_bytes = 8; });
        refused([](auto& r) { r.workspace = r.keys_out; });
        refused([](auto& r) { r.n = kernels::sort_keys_most + 1; });
        refused([](auto& r) { r.tuning.partition_bits = 17; });
        refused([](auto& r) { r.codec = make_key_codec<std::uint32_t>(key_type::f32, {}, {}); });
        refused([](auto& r) { r.codec = make_key_codec<std::uint32_t>(key_type::u32, {}, {8, 16}); });
      },
      0);
}

} // namespace
} // namespace sortile::simt_tests
