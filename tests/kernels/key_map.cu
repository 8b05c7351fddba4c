// The spread by distribution: the map itself, and sorts of keys that need it, or cannot have it.
#include "kernels/key_scan/key_map.hpp"
#include "kernels/key_scan/key_map_kernel.hpp"
#include "tests/kernels/key_sort_checks.hpp"

#include <cmath>

namespace sortile::simt_tests {
namespace {

/// Keys whose logarithm lies evenly between so many bits: twice as dense at half the size.
template <class Word>
std::vector<Word> even_logarithms(std::size_t n, double bits, double from = 0) {
  const double all = double(Word(~Word{0}) >> 8);
  return changed<Word>(
      n, [&](Word r, std::size_t) { return Word(std::exp2(from + (bits - from) * (double(r >> 8) / all))); });
}

/// What is skewed in its interval but smooth is spread by a map; what is not smooth is given away before it is read.
SIMT_TEST(key_map, skewed_keys_are_spread_by_their_distribution) {
  constexpr std::size_t n = 150'001;
  const auto spread = [&](simt::queue q, const auto& keys, unsigned bits, bool given_away) {
    check_verdict(q, keys, bits, given_away, 0, never, 0);
  };
  on_every_schedule(
      [&](simt::queue q) {
        spread(q, even_logarithms<std::uint64_t>(n, 62), 5, false);
        spread(q, even_logarithms<std::uint64_t>(n, 40), 9, false);
        spread(q, even_logarithms<std::uint32_t>(n, 31, 9), 5, false); // 13 keys a value at the most
        auto offset = even_logarithms<std::uint64_t>(n, 50); // far from 0, and two outside of what a sample sees
        for (std::uint64_t& key : offset)
          key += std::uint64_t{1} << 60;
        offset[33'333] = 3;
        offset[44'444] = ~std::uint64_t{0} - 1;
        spread(q, offset, 5, false);
        spread(q, make_keys<std::uint64_t>(n, shape::uniform), 9, false);
        auto falling = even_logarithms<std::uint64_t>(n, 50); // dense at the upper end
        for (std::uint64_t& key : falling)
          key = ~key;
        spread(q, falling, 5, false);
      },
      0);
  on_every_schedule([&](simt::queue q) { spread(q, even_logarithms<std::uint64_t>(30'001, 62), 3, false); }, 1);
}

/// Frequent values of 64 bits keep their buckets to themselves, nearly; the keys beside them are sorted, on both sides.
SIMT_TEST(key_map, frequent_values_have_buckets_of_their_own) {
  constexpr std::size_t n = 150'001;
  const auto spread = [&](simt::queue q, const auto& keys, bool given_away = false) {
    check_verdict(q, keys, 5, given_away, 0, never, 0);
  };
  const auto with_frequent = [&](auto word, unsigned of_eight, unsigned values) {
    using Word = decltype(word);
    auto keys = make_keys<Word>(n, shape::uniform);
    for (std::size_t i = 0; i < n; ++i)
      if (i % 8 < of_eight)
        keys[i] = keys[(i / 8 * 2654435761u >> 7) % values / of_eight * 8 + of_eight]; // one that stays, of so many
    return keys;
  };
  on_every_schedule(
      [&](simt::queue q) {
        spread(q, make_keys<std::uint64_t>(n, shape::few), true); // no others among them: better counted
        spread(q, make_keys<std::uint32_t>(n, shape::few), true);
        spread(q, with_frequent(std::uint64_t{}, 4, 1));
        spread(q, with_frequent(std::uint64_t{}, 7, 20));
        auto zeros = with_frequent(std::uint64_t{}, 4, 1);
        for (std::size_t i = 0; i < n; ++i)
          if (i % 2 == 0)
            zeros[i] = i % 1000 != 0 ? 0 : i % 7; // and a few very small ones
        spread(q, zeros);
        auto side_by_side = with_frequent(std::uint64_t{}, 7, 1); // three frequent values in one bucket
        for (std::size_t i = 0; i < n; ++i)
          if (i % 8 < 7)
            side_by_side[i] += i % 3;
        spread(q, side_by_side);
        auto zipf = make_keys<std::uint64_t>(n, shape::uniform); // the r-th value about as often as 1 / r says
        for (std::uint64_t& key : zipf)
          key = std::uint64_t(std::exp(double(key >> 11) * 0x1p-53 * std::log(double(n)))) * 0x9e3779b97f4a7c15u;
        spread(q, zipf, true);
      },
      0);
}

template <class Word>
struct how {
  unsigned bits = 5;
  bool in_place = false, given_away = false;
  order direction = order::ascending;
  kernels::partition_tiles tiles = kernels::partition_tiles::follow_n;
};
/// Keys that a map may spread, sorted in any way; what is given away stays as it was.
template <class Word>
void check_spread(simt::queue q, const std::vector<Word>& keys, how<Word> h) {
  SCOPED_TRACE("n " + std::to_string(keys.size()) + ", bits " + std::to_string(h.bits) +
               (h.in_place ? ", in place" : "") + (h.direction == order::descending ? ", descending" : ""));
  const std::vector<Word> sevens(keys.size(), Word(7));
  buffer<Word> in(keys), out(sevens);
  buffer<std::uint32_t> told(1, 99);
  kernels::typed_request<Word> r{
      .keys_in = in.view().data(),
      .keys_out = h.in_place ? in.view().data() : out.view().data(),
      .n = keys.size(),
      .codec = make_key_codec<Word>(unsigned_type<Word>, h.direction, {}),
      .verdict = {told.view().data()},
      .tuning = {.partition_bits = h.bits, .tiles = h.tiles, .sample_from = 0, .map_keys_from = 0}};
  r.workspace_bytes = kernels::sort_keys_workspace_bytes(r);
  buffer<std::uint64_t> workspace(r.workspace_bytes / 8 + 16, 0x5a5a5a5a5a5a5a5au);
  r.workspace = workspace.view().data();
  kernels::sort_keys(q, r);
  std::vector<Word> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  if (h.direction == order::descending)
    std::reverse(sorted.begin(), sorted.end());
  EXPECT_EQ(told.host()[0] & kernels::verdict::roles, h.given_away ? 1u : 0u);
  EXPECT_TRUE((h.in_place ? in : out).host() == (!h.given_away ? sorted : h.in_place ? keys : sevens));
  EXPECT_TRUE(h.in_place || in.host() == keys) << "the input has changed";
  for (std::size_t i = r.workspace_bytes / 8; i < workspace.host().size(); ++i)
    EXPECT_EQ(workspace.host()[i], 0x5a5a5a5a5a5a5a5au) << "behind the workspace";
}

/// Of heavy buckets, too, which are split into the array that is free: the output, or in place the spare one, of one
/// partition, of wide tiles or others, or of two.
SIMT_TEST(key_map, heavy_buckets_in_every_array) {
  constexpr std::size_t n = 45'001;
  auto heavy = make_keys<std::uint64_t>(n, shape::uniform); // a third and a quarter have one value each
  for (std::size_t i = 0; i < n; ++i)
    heavy[i] = i % 3 == 0 ? std::uint64_t{5} << 60 : i % 3 == 1 && i % 4 != 0 ? 12'345 : heavy[i];
  on_every_schedule(
      [&](simt::queue q) {
        for (const bool in_place : {false, true})
          for (const order direction : {order::ascending, order::descending})
            for (const unsigned bits : {4u, 9u, 10u})
              check_spread<std::uint64_t>(q, heavy, {.bits = bits, .in_place = in_place, .direction = direction});
      },
      0);
}

/// Tiles follow n alone; here none of n, with a map, in one partition and in two.
SIMT_TEST(key_map, tiles_of_both_sizes) {
  constexpr std::size_t n = 60'001;
  on_every_schedule(
      [&](simt::queue q) {
        for (const auto tiles : {kernels::partition_tiles::small, kernels::partition_tiles::large})
          for (const bool in_place : {false, true}) {
            check_spread<std::uint64_t>(q, even_logarithms<std::uint64_t>(n, 62),
                                        {.bits = in_place ? 4u : 10u, .in_place = in_place, .tiles = tiles});
            check_spread<std::uint32_t>(q, even_logarithms<std::uint32_t>(n, 31, 9),
                                        {.bits = in_place ? 10u : 4u, .in_place = in_place, .tiles = tiles});
          }
      },
      0);
}

/// Where a map is asked for of any number of keys. No sample of so few is skewed, so none is drawn.
SIMT_TEST(key_map, asked_for_of_a_few_keys) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t n : {1u, 2u, 3u, 7u, 8u, 9u, 16u, 17u}) {
          const auto direction = n % 2 == 0 ? order::descending : order::ascending;
          check_spread<std::uint64_t>(q, even_logarithms<std::uint64_t>(n, 62), {.bits = 3, .direction = direction});
          check_spread<std::uint32_t>(q, make_keys<std::uint32_t>(n, shape::few),
                                      {.bits = 9, .in_place = true, .direction = direction});
        }
      },
      0);
}

/// The map's kernel alone: blocks that count their parts of a sample, and the last one of them, which draws.
template <class Word>
void check_drawn(simt::queue q, const std::vector<Word>& keys, unsigned blocks) {
  SCOPED_TRACE("n " + std::to_string(keys.size()) + ", " + std::to_string(8 * sizeof(Word)) + " bits");
  using kernel = kernels::key_map_kernel<Word>;
  using map_of = kernels::key_map<Word>;
  constexpr std::uint32_t cells = map_of::cells, poison = 0x5a5a5a5a, fits = 4096;
  const std::size_t n = keys.size();
  const unsigned bits = kernels::sort_tuning{}.map_sample_bits(n);
  const unsigned grid = kernel::blocks(bits, 132);
  EXPECT_EQ(grid, blocks);
  auto asked = kernels::key_window<Word>::of(0, Word(~Word{0}));
  asked.by_distribution = 1;
  buffer<Word> in(keys);
  buffer<kernels::key_window<Word>> window(std::vector{asked});
  buffer<std::uint32_t> counts(cells + sizeof(Word) / 4), words(map_of::words, poison), told(1, 99);
  buffer<std::uint64_t> findings(kernels::finding_words);
  simt::launch(q, {.grid = grid},
               kernel{.in = {in.view().data(), n},
                      .window = {window.view().data(), 1},
                      .cells = counts.view(),
                      .words = words.view(),
                      .findings = findings.view(),
                      .told = kernels::verdict::of({told.view().data()}),
                      .image = {0},
                      .limits = kernel::sample::of(n, 5, 4 * fits, fits),
                      .n = std::uint32_t(n),
                      .sample_bits = bits});
  const auto counted = counts.host(), drawn = words.host();
  std::vector<std::uint32_t> expected;
  std::uint32_t before = 0;
  for (std::uint32_t c = 0; c < cells; ++c) {
    const std::uint32_t height = counted[c] << (31 - bits);
    expected.insert(expected.end(), {map_of::base(c, before, height), height});
    before += height;
  }
  EXPECT_EQ(before, 1u << 31) << "a sample is missing, or counted twice";
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), drawn.begin())) << "drawn before all had counted";
  EXPECT_NE(drawn[map_of::center_at], poison) << "no center";
  EXPECT_EQ(findings.host()[kernels::finding_sampled], grid);
  if (n >= kernel::sample::samples) { // of fewer, some are drawn twice
    EXPECT_EQ(findings.host()[kernels::finding_skewed], 0u);
    EXPECT_EQ(told.host()[0], 99u) << "given away";
  }
}

SIMT_TEST(key_map, the_last_block_draws_what_all_have_counted) {
  on_every_schedule([](simt::queue q) { check_drawn(q, even_logarithms<std::uint64_t>(65'536, 62), 2); }, 24);
  on_every_schedule(
      [](simt::queue q) {
        check_drawn(q, even_logarithms<std::uint64_t>(65'535, 62), 1);
        check_drawn(q, even_logarithms<std::uint32_t>(131'072, 31, 9), 4);
        for (std::size_t n = 1; n <= 17; ++n) // fewer than samples
          check_drawn(q, even_logarithms<std::uint64_t>(n, 62), 1);
      },
      0);
}

/// Where there are two fallbacks, keys that differ in few digits are given to the passes at once.
SIMT_TEST(key_map, few_digits_are_left_to_the_passes) {
  constexpr std::size_t n = 100'001;
  constexpr std::uint32_t passes = 2;
  on_every_schedule(
      [&](simt::queue q) {
        const auto check = [&](const auto& keys, std::uint32_t role) {
          check_verdict(q, keys, 5, true, 0, never, 0, passes, role);
        };
        const auto in_clusters = [](unsigned bits) { // seven of eight keys are in one of three
          return [bits](std::uint64_t r, std::size_t i) {
            const std::uint64_t key = r >> (64 - bits);
            return i % 8 == 0 ? key : ((i % 3 + 4) << (bits - 3)) + key % 1'000'000 + 77;
          };
        };
        check(changed<std::uint64_t>(n, in_clusters(64)), 1);
        check(changed<std::uint64_t>(n, in_clusters(40)), passes); // they differ in five digits
        check(changed<std::uint64_t>(n, [](auto r, auto) { return 5'000'000 + r % 100'000; }), passes);
        check(make_keys<std::uint64_t>(n, shape::few), passes);      // they differ in all, but have few values
        check(make_keys<std::uint64_t>(n, shape::and_of_3), passes); // most of the bits in which they differ are clear
      },
      0);
}

/// The map's places of these images, and where it says that each bucket begins.
template <class Word>
struct ask_map {
  static constexpr unsigned block_threads = 64;
  simt::global<const std::uint32_t> words;
  simt::global<const Word> images;
  simt::global<std::uint32_t> places;
  simt::global<Word> first;
  std::uint32_t n, buckets;
  unsigned bits;
  SORTILE_DEVICE void operator()() const {
    using map = kernels::key_map<Word>;
    const Word center = kernels::center_of<Word>(words);
    for (std::uint32_t i = simt::thread_index(); i < n; i += block_threads)
      places[i] = map::spread(words, center, images.load(i));
    for (std::uint32_t b = simt::thread_index(); b < buckets; b += block_threads)
      first[b] = map::first_of(words, center, b, bits);
  }
};
template <class Word>
void check_map(simt::queue q, const std::vector<std::uint32_t>& heights, Word center, unsigned bits) {
  using map_of = kernels::key_map<Word>;
  std::vector<std::uint32_t> words;
  std::uint32_t before = 0;
  for (std::uint32_t cell = 0; cell < heights.size(); ++cell) {
    words.insert(words.end(), {map_of::base(cell, before, heights[cell]), heights[cell]});
    before += heights[cell];
  }
  words.insert(words.end(), {std::uint32_t(center), std::uint32_t(std::uint64_t(center) >> 32), 0, 0});
  std::vector<Word> images{0, 1, 2, 3, Word(~Word{0}), Word(~Word{0} - 1)};
  for (const Word r : even_logarithms<Word>(2000, 8 * sizeof(Word) - 0.01))
    for (const Word near : {Word(center - r), Word(center + r)})
      for (const Word each : {Word(near - 1), near, Word(near + 1)})
        images.push_back(each);
  std::sort(images.begin(), images.end());
  const auto n = std::uint32_t(images.size()), buckets = 1u << bits;
  buffer<std::uint32_t> map(words), places(n);
  buffer<Word> asked(images), first(buckets);
  simt::launch(q, {.grid = 1}, ask_map<Word>{map.view(), asked.view(), places.view(), first.view(), n, buckets, bits});
  const auto y = places.host();
  const auto begins = first.host();
  EXPECT_TRUE(std::is_sorted(y.begin(), y.end()));
  EXPECT_LT(y.back(), 1u << 31);
  std::size_t wrong = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t bucket = y[i] >> (31 - bits);
    wrong += images[i] < begins[bucket] ||
             (bucket + 1 < buckets && images[i] >= begins[bucket + 1] && begins[bucket + 1] != Word(~Word{0}));
  }
  EXPECT_EQ(wrong, 0u) << "images outside of their bucket's limits, center " << std::uint64_t(center);
}
// A map's sample is an eighth of the keys, within limits.
constexpr kernels::sort_tuning usual{};
static_assert(usual.map_sample_bits(1) == 4 && usual.map_sample_bits(255) == 4 && usual.map_sample_bits(256) == 5);
static_assert(usual.map_sample_bits(1u << 21) == 18 && usual.map_sample_bits((1u << 26) - 1) == 18);
static_assert(usual.map_sample_bits(1u << 26) == 20 && usual.map_sample_bits(std::uint64_t{1} << 32) == 20);

SIMT_TEST(key_map, a_map_knows_where_its_buckets_begin) {
  const auto check = [](simt::queue q, auto word) {
    using Word = decltype(word);
    constexpr unsigned cells = kernels::key_map<Word>::cells;
    const auto draws = noise(cells, 7);
    std::vector<std::uint32_t> even(cells, (1u << 31) / cells), few(cells), one(cells), drawn(cells);
    one[cells / 2] = 1u << 31;
    few[0] = few[cells / 3] = few[cells / 2 + 77] = few[cells - 1] = 1u << 29;
    for (unsigned c = 0; c < cells; ++c)
      drawn[c] = draws[c] % 3 == 0 ? draws[c] % ((1u << 31) / cells) : 0;
    for (const auto& heights : {even, few, one, drawn})
      for (const Word center : {Word{1}, Word{1000}, Word(Word(~Word{0}) / 2), Word(~Word{0} - 1)})
        check_map<Word>(q, heights, center, center == 1000 ? 1 : 11);
  };
  on_every_schedule(
      [&](simt::queue q) {
        check(q, std::uint32_t{});
        check(q, std::uint64_t{});
      },
      0);
}

} // namespace
} // namespace sortile::simt_tests
