// The sort of pairs against std::stable_sort: sizes about its tiles, chunks and buckets, distributions that its steps
// find hard, both widths, every type of key and value, directions, in place and apart, indices, with any number of
// buckets and of chunks. Values say where a pair came from, so that every comparison is one of stability too.
#include "kernels/pairs/large_pairs_kernel.hpp"
#include "kernels/pairs/spread_digits.hpp"
#include "kernels/pairs/stable_partition_kernel.hpp"
#include "tests/kernels/pair_sort_checks.hpp"
#include "tests/kernels/refusals.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace sortile::simt_tests {
namespace {

using namespace pair_checks;

template <class Word, class Value>
void check_sizes() {
  constexpr auto value_bytes = unsigned(kernels::value_size<Value>);
  using image = kernels::integer_image<Word>;
  constexpr std::size_t tile = kernels::stable_partition_kernel<Word, Value, kernels::spread_digits<Word, image>>::tile;
  constexpr std::size_t small = kernels::sort_pairs_small,
                        bucket = kernels::local_pairs_kernel<Word, Value, image>::capacity;
  on_every_schedule(
      [&](simt::queue q) {
        for (const int n : a_few(3, {0, 1, 2, 3, 5, 31, 33, 1000}))
          check<Word>(q, std::size_t(n), shape::uniform, {.value_bytes = value_bytes});
      },
      2);
  on_every_schedule(
      [&](simt::queue q) {
        const how<Word> by_n{.value_bytes = value_bytes};
        auto one_chunk = by_n, two_chunks = by_n;
        one_chunk.bits = 5, one_chunk.chunks = 1;
        two_chunks.bits = 9, two_chunks.chunks = 2;
        one_in taken(4);
        for (const std::size_t n :
             a_few(3, {small - 1, small, small + 1, bucket + 1, tile - 1, tile, tile + 1, 2 * tile + 3}))
          for (const auto& h : {by_n, one_chunk, two_chunks})
            if (taken())
              check<Word>(q, n, shape::uniform, h);
        for (const std::size_t n : a_few(1, {3 * tile - 1, 4 * tile + 129})) // several tiles a chunk
          check<Word>(q, n, shape::uniform, {.value_bytes = value_bytes, .bits = 10, .chunks = 3});
      },
      0);
}

SIMT_TEST(sort_pairs, sizes_u32_u32) {
  check_sizes<std::uint32_t, std::uint32_t>();
}
SIMT_TEST(sort_pairs, sizes_u64_u64) {
  check_sizes<std::uint64_t, std::uint64_t>();
}
SIMT_TEST(sort_pairs, sizes_u64_u32) {
  check_sizes<std::uint64_t, std::uint32_t>();
}
SIMT_TEST(sort_pairs, sizes_u32_u64) {
  check_sizes<std::uint32_t, std::uint64_t>();
}
SIMT_TEST(sort_pairs, sizes_without_values) {
  check_sizes<std::uint32_t, kernels::no_value>();
  check_sizes<std::uint64_t, kernels::no_value>();
}
SIMT_TEST(sort_pairs, sizes_with_wide_values) {
  check_sizes<std::uint32_t, kernels::wide_value>();
  check_sizes<std::uint64_t, kernels::wide_value>();
}

template <class Word>
void check_shapes() {
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(3);
        for (const shape kind : shapes_of(all_shapes)) {
          for (const bool in_place : a_few(1, {false, true}))
            for (const unsigned bits : {3u, 9u})
              if (taken())
                check<Word>(q, 9001, kind,
                            {.value_bytes = bits == 3 ? 8u : 4u,
                             .keys_in_place = in_place,
                             .values_in_place = in_place,
                             .bits = bits});
          if (taken())
            check<Word>(q, 4479, kind, {.value_bytes = 4});
          if (taken())
            check<Word>(q, unless_short(70001, 20001), kind, {.value_bytes = sizeof(Word)});
        }
      },
      0);
}
/// Double buffers, of one partition and of two; also of pairs that turn out to be in order, and of those given away.
template <class Word>
void check_scratch() {
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(2);
        for (const shape kind : shapes_of(all_shapes))
          for (const unsigned bits : {0u, 3u, 9u})
            for (const unsigned value_bytes : {0u, 4u, 16u})
              if (taken())
                check<Word>(q, bits == 0 ? 4001 : 9001, kind,
                            {.value_bytes = value_bytes,
                             .ask_verdict = value_bytes == 4,
                             .input_is_scratch = true,
                             .bits = bits});
      },
      0);
}
SIMT_TEST(sort_pairs, double_buffers_u32) {
  check_scratch<std::uint32_t>();
}
SIMT_TEST(sort_pairs, double_buffers_u64) {
  check_scratch<std::uint64_t>();
}

/// Doubles alone, of which each occurs some times; where a bucket has zeros of both signs or NaNs, none is counted.
SIMT_TEST(sort_pairs, equal_doubles_alone) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const bool special : {false, true}) {
          auto keys = make_keys<std::uint64_t>(12'001, shape::uniform);
          for (std::size_t i = 0; i < keys.size(); ++i) {
            keys[i] = 0x3ff0000000000000u | (1 + keys[i] % 700) * 0x9e3779b97f4a7c15u >> 12; // 1 to 2
            if (special && i % 97 == 0)
              keys[i] = i % 2 == 0 ? std::uint64_t{1} << 63 : i % 3 == 0 ? 0 : 0x7ff8000000000000u + i;
          }
          check_sort(q, keys, {.type = key_type::f64, .value_bytes = 0, .bits = 2});
        }
      },
      1);
}

/// One block alone: skew that is seen before bins are filled, and skew that only the bins find.
template <class Word>
void check_one_block() {
  on_every_schedule(
      [&](simt::queue q) {
        for (const int n :
             a_few(5, {2, 4, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097}))
          for (const shape kind : {shape::few, shape::and_of_3, shape::equal, shape::one_giant_bucket})
            for (const unsigned width : {4u, 16u})
              check<Word>(q, std::size_t(n), kind, {.value_bytes = width, .keys_in_place = width == 4});
      },
      0);
  on_every_schedule(
      [&](simt::queue q) {
        for (const shape kind : {shape::few, shape::and_of_3, shape::one_giant_bucket})
          check<Word>(q, 1501, kind, {.value_bytes = 8});
      },
      3);
}
SIMT_TEST(sort_pairs, in_one_block_u32) {
  check_one_block<std::uint32_t>();
}
SIMT_TEST(sort_pairs, in_one_block_u64) {
  check_one_block<std::uint64_t>();
}

SIMT_TEST(sort_pairs, shapes_u32) {
  check_shapes<std::uint32_t>();
}
SIMT_TEST(sort_pairs, shapes_u64) {
  check_shapes<std::uint64_t>();
}

template <class Word>
void check_types(simt::queue q, std::initializer_list<key_type> types) {
  one_in taken(7);
  for (const key_type type : types)
    for (const order direction : {order::ascending, order::descending})
      for (const unsigned value_bytes : {0u, 4u, 16u}) {
        SCOPED_TRACE("type " + std::to_string(int(type)) + (direction == order::ascending ? "" : ", descending"));
        const how<Word> h{.type = type, .direction = direction, .value_bytes = value_bytes};
        auto cut = h;
        cut.bits = value_bytes == 4 ? 9 : 5;
        for (const shape kind : a_few(1, {shape::uniform, shape::sorted, shape::special})) {
          if (taken())
            check<Word>(q, 3001, kind, h);
          if (taken())
            check<Word>(q, 6007, kind, cut);
        }
      }
}
SIMT_TEST(sort_pairs, types_and_directions) {
  on_every_schedule(
      [&](simt::queue q) {
        check_types<std::uint32_t>(q, {key_type::u32, key_type::i32, key_type::f32});
        check_types<std::uint64_t>(q, {key_type::u64, key_type::i64, key_type::f64});
      },
      0);
}

template <class Word>
void check_indices(simt::queue q) {
  one_in taken(11);
  for (const unsigned value_bytes : {4u, 8u})
    for (const shape kind : a_few(2, {shape::uniform, shape::few, shape::sorted, shape::one_giant_bucket}))
      for (const bool want_keys : {false, true})
        for (const bool in_place : {false, true}) {
          if (in_place && !want_keys)
            continue;
          const how<Word> h{
              .value_bytes = value_bytes, .indices = true, .want_keys = want_keys, .keys_in_place = in_place};
          for (const auto& [n, bits] : a_few(3, {std::pair{2500u, ~0u}, std::pair{9000u, 9u}, std::pair{9000u, 4u},
                                                 std::pair{unless_short(30001u, 12001u), ~0u}})) {
            if (!taken())
              continue;
            auto here = h;
            here.bits = bits;
            check<Word>(q, n, kind, here);
          }
        }
}
SIMT_TEST(sort_pairs, indices) {
  on_every_schedule(
      [&](simt::queue q) {
        check_indices<std::uint32_t>(q);
        check_indices<std::uint64_t>(q);
      },
      0);
}

SIMT_TEST(sort_pairs, one_side_in_place) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const unsigned bits : a_few(1, {4u, 9u})) {
          check<std::uint32_t>(q, 12001, shape::uniform, {.keys_in_place = true, .bits = bits});
          check<std::uint32_t>(q, 12001, shape::sorted, {.keys_in_place = true, .bits = bits});
          check<std::uint64_t>(q, 12001, shape::one_giant_bucket, {.values_in_place = true, .bits = bits});
          check<std::uint64_t>(q, 12001, shape::uniform, {.want_keys = false, .values_in_place = true, .bits = bits});
        }
      },
      0);
}

SIMT_TEST(sort_pairs, all_bits) {
  on_every_schedule(
      [&](simt::queue q) { // a block a bucket
        check<std::uint64_t>(q, 9001, shape::uniform, {.value_bytes = 8, .bits = unless_short(16u, 12u)});
      },
      0);
}

/// Where a bucket is too large, nothing is touched and the caller is told; otherwise the sort is as ever.
SIMT_TEST(sort_pairs, inputs_that_it_gives_away) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const shape kind : {shape::uniform, shape::equal, shape::one_giant_bucket, shape::reversed})
          for (const unsigned bits : {4u, 9u}) {
            check<std::uint32_t>(q, 20001, kind, {.ask_verdict = true, .bits = bits});
            check<std::uint64_t>(q, 20001, kind,
                                 {.keys_in_place = true, .values_in_place = true, .ask_verdict = true, .bits = bits});
          }
        check<std::uint32_t>(q, 4000, shape::narrow, {.ask_verdict = true});
      },
      unless_short(1u, 0u));
}
/// 6000 to 7000 pairs a bucket, more than the local step takes; where there is a step for these, they suit.
SIMT_TEST(sort_pairs, large_buckets) {
  on_every_schedule(
      [&](simt::queue q) {
        auto keys = make_keys<std::uint32_t>(unless_short(33'000, 20'000), shape::uniform);
        for (std::size_t i = 0; i < keys.size(); ++i)
          keys[i] = std::uint32_t(i % (keys.size() / 6500)) << 28 | (keys[i] & 0x3fffff); // of 1024 buckets
        keys.front() = 0;
        keys.back() = ~0u;
        for (const unsigned width : {4u, 8u, 16u})
          for (const bool in_place : {false, true})
            check_sort<std::uint32_t>(q, keys,
                                      {.value_bytes = width,
                                       .keys_in_place = in_place,
                                       .values_in_place = in_place,
                                       .ask_verdict = true,
                                       .bits = 10,
                                       .large_buckets_from = 0,
                                       .must_suit = true});
        check_sort<std::uint32_t>(
            q, keys,
            {.type = key_type::f32, .ask_verdict = true, .bits = 10, .large_buckets_from = 0, .must_suit = true});
        EXPECT_TRUE(gives_away<std::uint32_t>(q, keys, {.bits = 10}));
        for (auto& k : keys)
          k = k % 8 == 0 ? k : std::uint32_t{5} << 28 | (k & 0x3ffff);
        EXPECT_TRUE(gives_away<std::uint32_t>(q, keys, {.bits = 10, .large_buckets_from = 0}));
      },
      short_tests() ? 0 : 1);
}
SIMT_TEST(sort_pairs, what_suits) {
  on_every_schedule(
      [&](simt::queue q) {
        const auto told = [&](shape kind, std::size_t n) {
          const auto codec = make_key_codec<std::uint32_t>(key_type::u32, order::ascending, {});
          const buffer<std::uint32_t> keys(make_keys<std::uint32_t>(n, kind, codec)), out(n), values(n), verdict(1, 7u);
          kernels::typed_request<std::uint32_t> r{.keys_in = keys.view().data(),
                                                  .keys_out = out.view().data(),
                                                  .values_in = values.view().data(),
                                                  .values_out = values.view().data(),
                                                  .value_bytes = 4,
                                                  .n = n,
                                                  .codec = codec,
                                                  .verdict = {verdict.view().data()}};
          r.workspace_bytes = kernels::sort_pairs_workspace_bytes(r);
          const buffer<std::uint64_t> workspace(r.workspace_bytes / 8 + 16);
          r.workspace = workspace.view().data();
          kernels::sort_pairs(q, r);
          return verdict.host()[0] & kernels::verdict::roles;
        };
        EXPECT_EQ(told(shape::uniform, 0), 0u);
        EXPECT_EQ(told(shape::uniform, 30000), 0u);
        EXPECT_EQ(told(shape::sorted, 30000), 0u);
        EXPECT_EQ(told(shape::equal, 30000), 0u); // in order
        EXPECT_EQ(told(shape::narrow, 4000), 0u); // one bucket
        EXPECT_EQ(told(shape::narrow, 8000), 0u); // 8 keys a value
        EXPECT_EQ(told(shape::narrow, 30000), 1u);
        EXPECT_EQ(told(shape::few, 30000), 1u);
        EXPECT_EQ(told(shape::one_giant_bucket, 30000), 1u);
      },
      0);
}

[[maybe_unused]] constexpr std::uint64_t never = ~std::uint64_t{0};

/// Left to another sort by a sample alone: but for the sample, a reading of all keys less than by the counts.
template <class Word>
void check_given_away_by_sample(simt::queue q, const std::vector<Word>& keys, how<Word> h) {
  h.ask_verdict = true;
  h.sample_from = 0;
  check_sort(q, keys, h);
  EXPECT_TRUE(gives_away(q, keys, h));
#if !SORTILE_ON_CUDA
  const auto bytes_read = [&](std::uint64_t sample_from) {
    executor::device counting({.checks = executor::check::counters});
    h.sample_from = sample_from;
    EXPECT_TRUE(gives_away(simt::queue::executor(counting), keys, h));
    return counting.counted().global_loads.bytes;
  };
  EXPECT_GT(bytes_read(never), bytes_read(0) + keys.size() * sizeof(Word) / 2);
#endif
}

SIMT_TEST(sort_pairs, skewed_ones_are_given_away_by_a_sample) {
  constexpr std::size_t n = 150'001;
  const auto u32 = make_key_codec<std::uint32_t>(key_type::u32, {}, {});
  const auto u64 = make_key_codec<std::uint64_t>(key_type::u64, {}, {});
  std::vector<std::uint32_t> floats; // most of them near 0: uneven by their bits and by value
  for (const std::uint32_t r : noise(n)) {
    const float x = float(std::int32_t(r)) * 0x1p-31f;
    floats.push_back(std::bit_cast<std::uint32_t>(x * x * x));
  }
  on_every_schedule(
      [&](simt::queue q) {
        check_given_away_by_sample<std::uint32_t>(q, make_keys(n, shape::and_of_3, u32), {.bits = 6});
        check_given_away_by_sample<std::uint64_t>(q, make_keys(n, shape::and_of_3, u64), {.value_bytes = 8, .bits = 9});
        check_given_away_by_sample<std::uint32_t>(q, make_keys(n, shape::one_giant_bucket, u32),
                                                  {.keys_in_place = true, .values_in_place = true, .bits = 11});
        check_given_away_by_sample<std::uint64_t>(q, make_keys(n, shape::narrow, u64),
                                                  {.type = key_type::i64, .bits = 6});
        check_given_away_by_sample<std::uint32_t>(q, make_keys(n, shape::few, u32), {.value_bytes = 16, .bits = 6});
        for (const order direction : {order::ascending, order::descending})
          check_given_away_by_sample<std::uint32_t>(
              q, floats, {.type = key_type::f32, .direction = direction, .value_bytes = 0, .bits = 9});
      },
      unless_short(1u, 0u));
}
/// The sample judges nothing, or finds nothing: the sort is as without it.
SIMT_TEST(sort_pairs, what_a_sample_does_not_leave) {
  constexpr std::size_t n = 60'001;
  const auto u32 = make_key_codec<std::uint32_t>(key_type::u32, {}, {});
  const auto u64 = make_key_codec<std::uint64_t>(key_type::u64, {}, {});
  on_every_schedule(
      [&](simt::queue q) {
        const auto taken = [&]<class Word>(const std::vector<Word>& keys, how<Word> h) {
          h.ask_verdict = true;
          h.sample_from = 0;
          check_sort(q, keys, h);
          EXPECT_FALSE(gives_away(q, keys, h));
        };
        taken(make_keys(n, shape::uniform, u32), how<std::uint32_t>{.bits = 5});
        taken(make_keys(n, shape::uniform, u64), how<std::uint64_t>{.type = key_type::i64, .bits = 12});
        taken(make_keys(n, shape::equal, u32), how<std::uint32_t>{.bits = 5});
        auto in_order = make_keys(n, shape::one_giant_bucket, u32); // and skewed: a copy
        std::sort(in_order.begin(), in_order.end());
        taken(in_order, how<std::uint32_t>{.bits = 6});
        auto outliers = make_keys(n, shape::uniform, u64);
        outliers[0] = outliers[n / 3] = 0;
        outliers[n - 1] = outliers[n / 2] = ~std::uint64_t{0};
        taken(outliers, how<std::uint64_t>{.bits = 6});
      },
      0);
}

SIMT_TEST(sort_pairs, many_schedules) {
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(2); // short inputs are for GPUs, where there is one schedule
        const auto check_one = [&]<class Word>(std::size_t n, shape kind, const how<Word>& h) {
          if (taken())
            check<Word>(q, n, kind, h);
        };
        using u32 = how<std::uint32_t>;
        using u64 = how<std::uint64_t>;
        check_one(3001, shape::uniform, u32{.bits = 4, .chunks = 2});
        check_one(7000, shape::one_giant_bucket, u32{.keys_in_place = true, .values_in_place = true, .bits = 6});
        check_one(2002, shape::uniform, u64{.value_bytes = 8, .bits = 9, .chunks = 3});
        check_one(2002, shape::and_of_3, u64{.bits = 9, .chunks = 4});
        check_one(1501, shape::sorted, u64{.bits = 2});
        check_one(1501, shape::few, u32{.value_bytes = 8, .indices = true});
        check_one(2503, shape::special, u32{.type = key_type::f32, .value_bytes = 16, .bits = 10});
      },
      3);
}

/// 2^15 equal top digits in one chunk make the scan's counters give pairs away.
SIMT_TEST(sort_pairs, counters_that_fill) {
  on_every_schedule(
      [&](simt::queue q) {
        auto keys =
            make_keys<std::uint32_t>(300000, shape::uniform, make_key_codec<std::uint32_t>(key_type::u32, {}, {}));
        for (std::size_t i = 0; i < keys.size(); ++i)
          keys[i] = i % 8 != 0 ? keys[i] >> 12 : keys[i];
        EXPECT_TRUE(gives_away<std::uint32_t>(q, keys, {.bits = 8}));
        if (short_tests()) // one block sorts most of them
          return;
        check_sort<std::uint32_t>(q, keys, {.bits = 8});
        check_sort<std::uint32_t>(q, keys, {.bits = 12, .chunks = 1});
      },
      0);
}

/// Requests of every kind, drawn; large ones where there is a GPU.
template <class Word>
void check_random(simt::queue q, unsigned requests, std::size_t most) {
  const auto draws = noise(10 * requests, 99 + sizeof(Word));
  constexpr bool narrow = sizeof(Word) == 4;
  const key_type types[] = {narrow ? key_type::u32 : key_type::u64, narrow ? key_type::i32 : key_type::i64,
                            narrow ? key_type::f32 : key_type::f64};
  for (unsigned i = 0; i < requests; ++i) {
    const auto pick = [&](unsigned j, std::uint32_t below) { return draws[10 * i + j] % below; };
    how<Word> h{.type = types[pick(0, 3)],
                .direction = pick(1, 2) != 0 ? order::descending : order::ascending,
                .value_bytes = 4 * (1u << pick(2, 4)) % 32};
    h.indices = h.value_bytes % 16 != 0 && pick(3, 3) == 0;
    h.want_keys = h.value_bytes == 0 || pick(4, 3) != 0;
    h.keys_in_place = h.want_keys && pick(5, 3) == 0;
    h.values_in_place = pick(6, 3) == 0;
    h.ask_verdict = pick(7, 3) == 0;
    const auto n = std::size_t(std::exp2(double(pick(8, 1u << 16)) / (1u << 16) * std::log2(double(most))));
    SCOPED_TRACE("request " + std::to_string(i) + ", type " + std::to_string(int(h.type)));
    // Distributions of one bucket take one block long; they have their tests above.
    check<Word>(q, n, all_shapes[n > 100000 ? std::array{0, 1, 4, 5, 6}[pick(9, 5)] : pick(9, std::size(all_shapes))],
                h);
  }
}
SIMT_TEST(sort_pairs, random_requests) {
  on_every_schedule(
      [&](simt::queue q) {
        const unsigned requests = unless_short(q.is_executor() ? 25u : 120u, 6u);
        const std::size_t most = unless_short(q.is_executor() ? 50'000 : 3'000'000, 10'000);
        check_random<std::uint32_t>(q, requests, most);
        check_random<std::uint64_t>(q, requests, most);
      },
      0);
}

SIMT_TEST(sort_pairs, misuse_is_refused_by_name) {
  on_every_schedule(
      [&](simt::queue q) {
        const buffer<std::uint32_t> in(5004), out(5004), values(5004), values_out(5004);
        kernels::typed_request<std::uint32_t> good{.keys_in = in.view().data(),
                                                   .keys_out = out.view().data(),
                                                   .values_in = values.view().data(),
                                                   .values_out = values_out.view().data(),
                                                   .value_bytes = 4,
                                                   .n = 5000,
                                                   .codec = make_key_codec<std::uint32_t>(key_type::u32, {}, {})};
        good.workspace_bytes = kernels::sort_pairs_workspace_bytes(good);
        const buffer<std::uint64_t> workspace(good.workspace_bytes / 8 + 16);
        good.workspace = workspace.view().data();
        const auto refused = refusals_of(good, [&](const auto& r) { kernels::sort_pairs(q, r); });
        EXPECT_NO_THROW(kernels::sort_pairs(q, good));
        refused("keys_in is null", [](auto& r) { r.keys_in = nullptr; });
        refused("values_in is null", [](auto& r) { r.values_in = nullptr; });
        refused("values_out is null", [](auto& r) { r.values_out = nullptr; });
        refused("keys_in is not aligned", [](auto& r) { r.keys_in += 1; });
        refused("values_out is not aligned", [](auto& r) { r.values_out = static_cast<char*>(r.values_out) + 8; });
        refused("overlap", [](auto& r) { r.keys_out = const_cast<std::uint32_t*>(r.keys_in) + 4; });
        refused("overlap", [](auto& r) { r.values_out = r.keys_out; });
        refused("overlap", [](auto& r) { r.values_in = r.keys_in; });
        refused("8 bytes", [](auto& r) { r.workspace_bytes = 8; });
        refused("overlap", [](auto& r) { r.workspace = r.keys_out; });
        refused("at most", [](auto& r) { r.n = kernels::sort_pairs_most + 1; });
        refused("partition_bits = 17", [](auto& r) { r.tuning.partition_bits = 17; });
        refused("partition_bits = 0", [](auto& r) { r.tuning.partition_bits = 0; });
        refused("chunks = 0", [](auto& r) { r.tuning.chunks = 0; });
        refused("chunks = 133", [](auto& r) { r.tuning.chunks = 133; });
        refused("value_bytes = 2", [](auto& r) { r.value_bytes = 2; });
        refused("indices of 16", [](auto& r) { r.make_indices = true, r.value_bytes = 16; });
        refused("nothing to write", [](auto& r) { r.keys_out = nullptr, r.value_bytes = 0; });
        refused("bit window", [](auto& r) { r.codec = make_key_codec<std::uint32_t>(key_type::u32, {}, {8, 16}); });
      },
      0);
}

} // namespace
} // namespace sortile::simt_tests
