// Crowded 32-bit keys: buckets of any size are counted, with as many buckets as large sorts have. Sorts of few keys are
// cut as those are (partition_bits), which makes nearly all buckets empty; the kernels behind the local step are tried
// on buckets of their own, under many schedules.
#include "kernels/crowds/fill_giants_kernel.hpp"
#include "kernels/sort/sort_keys.hpp"
#include "tests/simt/fixture.hpp"

#include <sortile/error.hpp>

#include <algorithm>

namespace sortile::simt_tests {
namespace {

using Word = std::uint32_t;
constexpr std::uint32_t giant = kernels::sort_keys_request<Word>::least_giant;

/// key(r, s, i) for all i, of two random words.
template <class F>
std::vector<Word> made(std::size_t n, F key) {
  const auto random = noise(2 * n, std::uint32_t(n) + 5);
  std::vector<Word> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = key(random[2 * i], random[2 * i + 1], i);
  return keys;
}

struct how {
  bool in_place = false;
  key_type type = key_type::u32;
  order direction = order::ascending;
  std::uint32_t giant_from = giant;
};

/// Sorts as keys of a large input are sorted.
void check_sort(simt::queue q, const std::vector<Word>& keys, how h = {}) {
  const std::size_t n = keys.size(), zone = 16;
  const auto codec = make_key_codec<Word>(h.type, h.direction, {});
  std::vector<Word> expected = keys;
  std::sort(expected.begin(), expected.end(), [&](Word a, Word b) { return codec.image(a) < codec.image(b); });
  expected.resize(n + zone, 0xa5a5a5a5);
  std::vector<Word> guarded = keys;
  guarded.resize(n + zone, 0xa5a5a5a5);
  buffer<Word> in(guarded), out(n + zone, 0xa5a5a5a5);
  const std::size_t bytes = kernels::sort_keys_workspace_bytes<Word>(n, 16);
  buffer<std::uint64_t> workspace(bytes / 8 + 16, 0x5a5a5a5a5a5a5a5au); // poisoned
  buffer<std::uint32_t> told(1, 99);
  kernels::sort_keys(q, kernels::sort_keys_request<Word>{.in = in.view().data(),
                                                         .out = h.in_place ? in.view().data() : out.view().data(),
                                                         .n = n,
                                                         .codec = codec,
                                                         .workspace = workspace.view().data(),
                                                         .workspace_bytes = bytes,
                                                         .unsuited = told.view().data(),
                                                         .partition_bits = 16,
                                                         .sample_from = 0,
                                                         .giant_from = h.giant_from});
  const auto got = h.in_place ? in.host() : out.host();
  const auto wrong = std::mismatch(expected.begin(), expected.end(), got.begin());
  EXPECT_EQ(wrong.first - expected.begin(), std::ptrdiff_t(n + zone)) << "is the first wrong key";
  EXPECT_TRUE(h.in_place || in.host() == guarded) << "the input has changed";
  EXPECT_EQ(told.host()[0], 0u) << "left to another sort";
  const auto behind = workspace.host();
  for (std::size_t i = bytes / 8; i < behind.size(); ++i)
    EXPECT_EQ(behind[i], 0x5a5a5a5a5a5a5a5au);
}

constexpr std::size_t local_capacity = kernels::local_sort_kernel<Word>::capacity;
constexpr Word far = 0x80000000; // from the keys of a test that lie low: makes the window as wide as the type

/// Random keys of one bucket, `others` of them each in another.
std::vector<Word> one_bucket(std::size_t n, std::size_t others) {
  return made(n, [&](Word r, Word s, std::size_t i) { return i % (n / others) == 0 ? s : 0x12340000 | (r & 0xffff); });
}

SIMT_TEST(crowded_keys, a_bucket_of_any_size) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t n :
             {local_capacity, local_capacity + 1, std::size_t{kernels::bucket_fill<1024>::tile},
              std::size_t{kernels::bucket_fill<1024>::tile} + 1, std::size_t{32'768}, std::size_t{giant} - 1,
              std::size_t{giant}, std::size_t{giant} + 5, std::size_t{200'003}})
          for (const bool in_place : {false, true}) {
            SCOPED_TRACE("n " + std::to_string(n));
            auto keys = one_bucket(n + 2, 2);
            keys[1] = far | 5;
            keys[n] = 3;
            check_sort(q, keys, {.in_place = in_place});
          }
      },
      0);
}

SIMT_TEST(crowded_keys, distributions) {
  const std::vector<std::vector<Word>> inputs = {
      made(250'000, [](Word r, Word s, std::size_t i) { return r & s & (r * 2654435761u ^ Word(i)); }), // as AND of 3
      made(250'000, [](Word r, Word, std::size_t i) { return i == 77'777 ? far : r & 0xffff; }),
      made(250'000, [](Word, Word, std::size_t i) { return i == 88'888 ? far : 42u; }),        // all equal but one
      made(250'000, [](Word r, Word, std::size_t) { return (r & 1) != 0 ? 0xd0000000 : 7u; }), // two values
      made(250'000,
           [](Word r, Word s, std::size_t) { return ((r & 1) != 0 ? 0xd0000000 : 0x20000000) | (s & 0xffff); }),
      made(250'000, [](Word r, Word, std::size_t) { return (r % 3) * 0x31415926; }),
      made(250'000, [](Word r, Word, std::size_t) { return r >> 12; }),         // 16 values a bucket
      made(250'000, [](Word r, Word s, std::size_t) { return r >> (s % 32); }), // numbers of all magnitudes
      made(250'000, [](Word r, Word s, std::size_t) { return 0x9e3779b9u * (r >> (s % 32)); }), // as Zipf's, mixed
      made(250'000, [](Word r, Word s, std::size_t) { return (r % 40) << 26 | (s & 0x3fff); }), // 40 buckets of 6250
  };
  on_every_schedule(
      [&](simt::queue q) {
        for (std::size_t k = 0; k < inputs.size(); ++k) {
          SCOPED_TRACE("input " + std::to_string(k));
          check_sort(q, inputs[k], {.in_place = k % 2 == 0});
          check_sort(q, inputs[k], {.in_place = k % 2 != 0, .type = key_type::i32, .direction = order::descending});
          check_sort(q, inputs[k], {.giant_from = 1u << 17});
        }
      },
      0);
}

/// The sample sees every (n − 1) / 8191th key: all others lie outside of the window.
std::vector<Word> strays(std::size_t n, Word inside, Word outside_low, Word outside_high) {
  auto keys = made(n, [&](Word r, Word s, std::size_t) {
    return (s & 1) != 0 && outside_low != 0 ? outside_low + (r & 0xffffff) : outside_high + (r & 0xffffff);
  });
  for (std::size_t i = 0; i < 8192; ++i)
    keys[i * (n - 1) / 8191] = inside + Word(i * 2654435761u >> 19);
  return keys;
}

SIMT_TEST(crowded_keys, keys_that_no_sample_shows) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const bool in_place : {false, true}) {
          check_sort(q, strays(100'000, 0x40000000, 0, 0x80000000), {.in_place = in_place}); // looked at again
          check_sort(q, strays(200'000, 0x40000000, 0x100, 0x80000000), {.in_place = in_place});
          check_sort(q, strays(200'000, 0x40000000, 0x100, 0x10000), {.in_place = in_place});
          check_sort(q, strays(60'000, 0x40000000, 0x100, 0x80000000), {.in_place = in_place}); // by digits
          check_sort(q, strays(60'000, 0, 0, 0x80000000), {.in_place = in_place});
        }
        auto few = made(100'000, [](Word r, Word, std::size_t) { return 1000 + r % 9; });
        few[55'555] = 5;
        check_sort(q, few);
        few[55'555] = far;
        check_sort(q, few);
        auto dense = made(100'000, [](Word r, Word, std::size_t) { return 70'000 + r % 200'000; });
        dense[33'333] = far;
        dense[44'444] = 1;
        check_sort(q, dense, {.in_place = true});
      },
      0);
}

} // namespace
} // namespace sortile::simt_tests
