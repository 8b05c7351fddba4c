// A bucket's sort where its keys lie in clusters: by finer bins, or counted; and which keys even these cannot take.
#include "kernels/local/refined_sort_kernel.hpp"
#include "tests/kernels/key_sort_checks.hpp"

#include <algorithm>

namespace sortile::simt_tests {
namespace {

template <class Word>
struct refine_kernel {
  using refining = kernels::refined_sort_kernel<Word>;
  static constexpr unsigned block_threads = refining::block_threads;
  using shared = typename refining::shared;

  refining step;
  std::uint32_t begin, end;
  simt::global<std::uint32_t> took;

  SORTILE_DEVICE void operator()(shared& s) const {
    const bool sorted = step.sort(s, begin, end);
    if (simt::thread_index() == 0)
      took[0] = sorted ? 1 : 0;
  }
};

/// Sorts all but the first `begin` keys as one bucket, and sees that no other key is written. Whether it was taken.
template <class Word>
bool refined(simt::queue q, const std::vector<Word>& keys, std::uint32_t begin = 0, bool descending = false,
             bool in_place = false) {
  const std::size_t n = keys.size(), zone = 8;
  auto guarded = keys;
  guarded.resize(n + zone, Word(5));
  const std::vector<Word> untouched(n + zone, Word(7));
  buffer<Word> in(guarded), out(untouched);
  buffer<std::uint32_t> took(1, 9);
  buffer<Word>& to = in_place ? in : out;
  const kernels::integer_image<Word> image{descending ? Word(~Word{0}) : Word{0}};
  using refining = kernels::refined_sort_kernel<Word>;
  const refining step{{.original = in.view(),
                       .in = in.view(),
                       .out = to.view(),
                       .start = {},
                       .deferred = {},
                       .window = {},
                       .image = image,
                       .n = std::uint32_t(n),
                       .bits = 0,
                       .copy_if_sorted = false}};
  simt::launch(q, {.grid = 1}, refine_kernel<Word>{step, begin, std::uint32_t(n), took.view()});
  const bool taken = took.host()[0] == 1;
  std::vector<Word> expected = in_place ? guarded : untouched;
  if (taken) {
    std::copy(keys.begin() + begin, keys.end(), expected.begin() + begin);
    std::sort(expected.begin() + begin, expected.begin() + std::ptrdiff_t(n),
              [&](Word a, Word b) { return descending ? b < a : a < b; });
  }
  EXPECT_TRUE(to.host() == expected);
  return taken;
}

template <class Word>
constexpr std::size_t full = kernels::local_sort_kernel<Word>::capacity - 5;

/// n keys in clusters of `width` images each, one spacing apart.
template <class Word>
std::vector<Word> clusters(std::size_t n, unsigned many, Word spacing, Word width) {
  return changed<Word>(n, [&](Word r, std::size_t i) {
    return Word(Word(i * 7919 % many) * spacing + Word(r * Word(0x9e3779b97f4a7c15u) >> 3) % width);
  });
}

template <class Word>
void check_clusters(simt::queue q) {
  constexpr unsigned width = 8 * sizeof(Word);
  constexpr Word one = 1;
  const std::size_t n = full<Word>;
  const auto taken = [&](const std::vector<Word>& keys, auto... how) { EXPECT_TRUE(refined(q, keys, how...)); };
  taken(clusters<Word>(n, 60, one << (width - 6), one << (width - 12))); // finer bins of many values
  taken(clusters<Word>(n, 16, one << 14, 1000), 3);                      // of one value; not aligned
  taken(clusters<Word>(n, 1000, one << (width - 10), 12), 1, true);      // counted after the list is full
  taken(clusters<Word>(n, 64, one << 14, 300), 2);                       // counted at once; in one bank of words
  // Three values: counted at once; those that differ in more than 32 bits by large_sort_kernel.hpp.
  EXPECT_EQ(refined(q, clusters<Word>(n, 3, one << (width - 2), 1), 0, false, true), sizeof(Word) == 4);
  taken(clusters<Word>(n, 1, 1, 9000), 2, true, true);                     // bins of one value from the start
  taken(clusters<Word>(n / 3, 7, one << (width - 3), one << (width / 2))); // several times refined
  taken(clusters<Word>(n, 1, 1, 1));
  taken(clusters<Word>(2, 2, one << (width - 1), 1));
  taken(clusters<Word>(1, 1, 1, 1), 0, true);
  taken(make_keys<Word>(n, shape::uniform), 1);
}

SIMT_TEST(refined_bins, clusters_u32) {
  on_every_schedule([](simt::queue q) { check_clusters<std::uint32_t>(q); }, 0);
}
SIMT_TEST(refined_bins, clusters_u64) {
  on_every_schedule([](simt::queue q) { check_clusters<std::uint64_t>(q); }, 1);
}
SIMT_TEST(refined_bins, clusters_u128) {
  on_every_schedule([](simt::queue q) { check_clusters<uint128>(q); }, 0);
}
/// Clusters within clusters within clusters are sorted by digits; so is one that bins reach slowly, since all others
/// occur.
SIMT_TEST(refined_bins, what_is_not_taken) {
  on_every_schedule(
      [](simt::queue q) {
        const auto every_fourth_bit = changed<std::uint64_t>(
            full<std::uint64_t>, [](std::uint64_t r, std::size_t) { return r & 0x4444444444444444u; });
        EXPECT_FALSE(refined(q, every_fourth_bit));
        const auto one_cluster_among_even_keys = changed<std::uint64_t>(
            full<std::uint64_t>, [](std::uint64_t r, std::size_t i) { return i % 2 == 0 ? r : r & 0xffff; });
        EXPECT_FALSE(refined(q, one_cluster_among_even_keys));
        const auto of_three_levels = changed<std::uint64_t>(full<std::uint64_t>, [](std::uint64_t r, std::size_t i) {
          return (r & 0x7000000000000000u) | (r & 0xffff) << 20 | i % 3;
        });
        EXPECT_TRUE(refined(q, of_three_levels));
      },
      0);
}

/// In a sort: the buckets of many clusters, some too large and some with keys from outside of the sample's interval.
template <class Word>
void check_sort(simt::queue q, unsigned many) {
  const std::size_t n = 60'001;
  auto keys = clusters<Word>(n, many, Word(Word{1} << (8 * sizeof(Word) - 2)) / many, 900);
  keys[n / 3] = Word(~Word{0});
  for (std::size_t i = 0; i < 6000; ++i)
    keys[i * 7] = Word(keys[i * 7] & 0xff);
  const auto got = sorted_by_buckets(q, keys, {}, {.partition_bits = 5, .refined_bytes_from = 0});
  std::sort(keys.begin(), keys.end());
  EXPECT_TRUE(got == keys);
}
/// Values that occur some times each, far apart in all bits: in every bucket, and beside keys that occur once.
SIMT_TEST(refined_bins, equal_keys_in_a_sort) {
  on_every_schedule(
      [](simt::queue q) {
        for (const std::uint64_t values : {2500, 11'000}) // in all 16 buckets
          for (const std::uint64_t once : {0, 3}) {
            auto keys = changed<std::uint64_t>(40'001, [&](std::uint64_t r, std::size_t i) {
              return i % 4 < once ? r : (1 + r % values) * 0x9e3779b97f4a7c15u;
            });
            const auto got = sorted_by_buckets(q, keys, {}, {.partition_bits = 4, .refined_bytes_from = 0});
            std::sort(keys.begin(), keys.end());
            EXPECT_TRUE(got == keys) << values << ' ' << once;
          }
      },
      1);
}
SIMT_TEST(refined_bins, in_a_sort) {
  on_every_schedule(
      [](simt::queue q) {
        check_sort<std::uint32_t>(q, 200);
        check_sort<std::uint64_t>(q, 200);
      },
      1);
}

} // namespace
} // namespace sortile::simt_tests
