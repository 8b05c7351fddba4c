// The sort between splitters against std::stable_sort: sizes about its tiles, shares and buckets, skewed keys,
// types and directions, in place and apart, indices; buckets that the local step leaves over, and that nobody takes.
#include "kernels/splitters/divide_kernel.hpp"
#include "tests/kernels/pair_sort_checks.hpp"
#include "tests/kernels/refusals.hpp"

#include <sortile/error.hpp>

namespace sortile::simt_tests {
namespace {

using namespace pair_checks;

template <class Word>
how<Word> between(how<Word> h) {
  h.between_splitters = true;
  return h;
}

template <class Word, class Value>
void check_sizes() {
  constexpr auto value_bytes = unsigned(kernels::value_size<Value>);
  constexpr std::size_t tile = kernels::stable_partition_kernel<Word, Value, kernels::splitter_digits<Word>>::tile;
  on_every_schedule(
      [&](simt::queue q) {
        for (const int n : a_few(3, {0, 1, 2, 3, 5, 31, 33, 1000}))
          check<Word>(q, std::size_t(n), shape::uniform,
                      between<Word>({.value_bytes = value_bytes, .bits = 3, .must_suit = true}));
      },
      1);
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(3);
        for (const std::size_t n : a_few(2, {tile - 1, tile, tile + 1, 2 * tile + 3}))
          for (const unsigned chunks : {1u, 3u})
            if (taken())
              check<Word>(q, n, shape::and_of_3,
                          between<Word>({.value_bytes = value_bytes, .bits = 5, .chunks = chunks, .must_suit = true}));
        check<Word>(q, 4 * tile + 129, shape::uniform, // several tiles a share
                    between<Word>({.value_bytes = value_bytes, .bits = 9, .chunks = 2, .must_suit = true}));
      },
      0);
}
SIMT_TEST(splitter_sort, sizes_u64_u64) {
  check_sizes<std::uint64_t, std::uint64_t>();
}
SIMT_TEST(splitter_sort, sizes_u64_u32) {
  check_sizes<std::uint64_t, std::uint32_t>();
}
SIMT_TEST(splitter_sort, sizes_without_values_and_with_wide_ones) {
  check_sizes<std::uint64_t, kernels::no_value>();
  check_sizes<std::uint64_t, kernels::wide_value>();
}
SIMT_TEST(splitter_sort, sizes_u128) {
  check_sizes<uint128, kernels::no_value>();
  check_sizes<uint128, std::uint32_t>();
  check_sizes<uint128, std::uint64_t>();
}

template <class Word>
void check_shapes(bool alone = false) {
  on_every_schedule(
      [&](simt::queue q) {
        bool in_place = false;
        one_in taken(3);
        for (const shape kind : shapes_of(all_shapes)) {
          for (const unsigned bits : {3u, 8u}) {
            if (taken())
              check<Word>(q, unless_short(20011, 9001), kind,
                          between<Word>({.value_bytes = alone       ? 0u
                                                        : bits == 3 ? 8u
                                                                    : 4u,
                                         .keys_in_place = in_place,
                                         .values_in_place = in_place && !alone,
                                         .bits = bits,
                                         .must_suit = true}));
            in_place = !in_place;
          }
          in_place = !in_place; // the next one the other way round
        }
      },
      0);
}
/// Double buffers: also buckets of one key, which nobody sorts, and what is given away when the outputs have been
/// written.
template <class Word>
void check_scratch() {
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(3);
        for (const shape kind : shapes_of(all_shapes))
          for (const unsigned bits : {3u, 8u})
            if (taken())
              check<Word>(q, unless_short(20011, 9001), kind,
                          between<Word>({.value_bytes = bits == 3 ? 8u : 4u, .input_is_scratch = true, .bits = bits}));
        check<Word>(q, 40001, shape::few, between<Word>({.value_bytes = 0, .input_is_scratch = true, .bits = 10}));
      },
      0);
}
SIMT_TEST(splitter_sort, double_buffers_u64) {
  check_scratch<std::uint64_t>();
}
SIMT_TEST(splitter_sort, double_buffers_u128) {
  check_scratch<uint128>();
}

SIMT_TEST(splitter_sort, shapes_u64) {
  check_shapes<std::uint64_t>();
}
SIMT_TEST(splitter_sort, shapes_u64_alone) {
  check_shapes<std::uint64_t>(true);
}
SIMT_TEST(splitter_sort, shapes_u128) {
  check_shapes<uint128>();
}
SIMT_TEST(splitter_sort, shapes_u128_alone) {
  check_shapes<uint128>(true);
}

/// The ends of the type, of its halves and of signed numbers, each many times and among others.
template <class Word>
void check_extremes(simt::queue q) {
  constexpr unsigned width = 8 * sizeof(Word);
  constexpr Word most = Word(~Word{0}), half = Word(most >> width / 2), sign = Word(Word{1} << (width - 1));
  auto keys = make_keys<Word>(9001, shape::uniform);
  const Word ends[] = {0, 1, most, Word(most - 1), half, Word(half + 1), sign, Word(sign - 1), Word(~half)};
  check_sort(q, std::vector<Word>{most, 0, most, 0, 1}, between<Word>({.bits = 2, .must_suit = true}));
  for (const unsigned among : {1u, 3u, 50u})
    for (const order direction : {order::ascending, order::descending}) {
      SCOPED_TRACE("one in " + std::to_string(among));
      auto mixed = keys;
      for (std::size_t i = 0; i < mixed.size(); i += among)
        mixed[i] = ends[std::size_t(keys[i] >> 7) % std::size(ends)];
      check_sort(q, mixed, between<Word>({.direction = direction, .value_bytes = 8, .bits = 4, .must_suit = true}));
    }
}
SIMT_TEST(splitter_sort, extremes) {
  on_every_schedule(
      [&](simt::queue q) {
        check_extremes<std::uint64_t>(q);
        check_extremes<uint128>(q);
      },
      0);
}

SIMT_TEST(splitter_sort, many_schedules) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const shape kind : {shape::and_of_3, shape::few})
          check<std::uint64_t>(q, 3001, kind, between<std::uint64_t>({.bits = 4, .chunks = 2, .must_suit = true}));
        for (const unsigned value_bytes : {0u, 8u})
          check<uint128>(q, 3001, shape::and_of_3,
                         between<uint128>({.value_bytes = value_bytes, .bits = 4, .chunks = 2, .must_suit = true}));
      },
      3);
}

template <class Word>
void check_types(simt::queue q, std::initializer_list<key_type> types) {
  for (const key_type type : types)
    for (const order direction : {order::ascending, order::descending})
      for (const shape kind : {shape::uniform, shape::special, shape::few}) {
        SCOPED_TRACE("type " + std::to_string(int(type)) + (direction == order::ascending ? "" : ", descending"));
        check<Word>(q, 6007, kind, between<Word>({.type = type, .direction = direction, .bits = 4, .must_suit = true}));
      }
}
SIMT_TEST(splitter_sort, types_and_directions) {
  on_every_schedule(
      [&](simt::queue q) {
        check_types<std::uint64_t>(q, {key_type::u64, key_type::i64, key_type::f64});
        check_types<uint128>(q, {key_type::u128, key_type::i128});
      },
      0);
}

template <class Word>
void check_indices(simt::queue q) {
  for (const unsigned width : {4u, 8u})
    for (const bool want_keys : {true, false})
      check<Word>(
          q, 9001, shape::and_of_3,
          between<Word>({.value_bytes = width, .indices = true, .want_keys = want_keys, .bits = 5, .must_suit = true}));
  check<Word>(
      q, 9001, shape::and_of_3,
      between<Word>({.value_bytes = sizeof(Word) > 8 ? 8u : 16u, .want_keys = false, .bits = 5, .must_suit = true}));
}
SIMT_TEST(splitter_sort, indices_and_keys_that_nobody_wants) {
  on_every_schedule(
      [&](simt::queue q) {
        check_indices<std::uint64_t>(q);
        check_indices<uint128>(q);
      },
      0);
}

// Four buckets of 7500 pairs are too large for the local step, of 12,500 for both of them, of 27,500 for one block by
// digits too; of one key they may have any size.
template <class Word>
void check_too_large(simt::queue q, unsigned value_bytes) {
  for (const shape kind : {shape::uniform, shape::and_of_3})
    for (const bool in_place : {false, true}) {
      if (short_tests() && in_place == (kind == shape::uniform))
        continue;
      how<Word> h{.value_bytes = value_bytes, .keys_in_place = in_place, .bits = 2};
      h.values_in_place = in_place && value_bytes != 0;
      h.role = in_place ? 1 : 0;
      check<Word>(q, 110'000, kind, between<Word>(h)); // left alone
      h.must_suit = true;
      check<Word>(q, 30'000, kind, between<Word>(h));
      check<Word>(q, 50'000, kind, between<Word>(h));
    }
  check<Word>(q, 60'000, shape::equal, between<Word>({.bits = 4, .must_suit = true}));
  check<Word>(q, 90'000, shape::few, between<Word>({.bits = 5, .must_suit = true}));
}
SIMT_TEST(splitter_sort, too_large_buckets) {
  on_every_schedule([&](simt::queue q) { check_too_large<std::uint64_t>(q, 8); }, 0);
}
SIMT_TEST(splitter_sort, too_large_buckets_u128) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const unsigned value_bytes : a_few(2, {0u, 4u, 8u})) {
          check_too_large<uint128>(q, value_bytes);
          const std::size_t nearly_full = value_bytes == 0 ? 40'011 : value_bytes == 4 ? 33'003 : 31'003;
          check<uint128>(q, nearly_full, shape::and_of_3,
                         between<uint128>({.value_bytes = value_bytes, .bits = 2, .must_suit = true}));
        }
      },
      0);
}
// More large buckets than blocks, and words of bins that only a warp ranks, under several schedules.
SIMT_TEST(splitter_sort, left_over_and_ranked) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const shape kind : {shape::uniform, shape::and_of_3})
          check<std::uint64_t>(
              q, unless_short(60'001, 30'001), kind,
              between<std::uint64_t>({.value_bytes = 4, .bits = short_tests() ? 2u : 3u, .must_suit = true}));
        check<std::uint64_t>(q, 20'011, shape::and_of_3,
                             between<std::uint64_t>({.value_bytes = 8, .bits = 2, .must_suit = true}));
        check<std::uint64_t>(q, 20'011, shape::few,
                             between<std::uint64_t>({.value_bytes = 8, .bits = 3, .must_suit = true}));
        check<std::uint64_t>(
            q, 9'001, shape::and_of_3,
            between<std::uint64_t>({.type = key_type::f64, .value_bytes = 16, .bits = 2, .must_suit = true}));
      },
      short_tests() ? 0 : 1);
}
SIMT_TEST(splitter_sort, left_over_and_ranked_u128) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const shape kind : {shape::uniform, shape::and_of_3})
          check<uint128>(q, unless_short(60'001, 30'001), kind,
                         between<uint128>({.value_bytes = 0, .bits = short_tests() ? 2u : 3u, .must_suit = true}));
        check<uint128>(q, 30'011, shape::and_of_3, between<uint128>({.value_bytes = 8, .bits = 2, .must_suit = true}));
        check<uint128>(q, 20'011, shape::few, between<uint128>({.value_bytes = 0, .bits = 3, .must_suit = true}));
        check<uint128>(q, 9'001, shape::and_of_3, between<uint128>({.value_bytes = 4, .bits = 2, .must_suit = true}));
      },
      short_tests() ? 0 : 1);
}
template <class Word>
void check_what_is_said(simt::queue q) {
  const auto suits = [&](const std::vector<Word>& keys, unsigned bits = 2) {
    return !gives_away(q, keys, between<Word>({.bits = bits}));
  };
  EXPECT_FALSE(suits(make_keys<Word>(110'000, shape::uniform)));
  EXPECT_TRUE(suits(make_keys<Word>(30'000, shape::uniform)));
  EXPECT_TRUE(suits(make_keys<Word>(60'000, shape::equal), 4));
}
SIMT_TEST(splitter_sort, says_what_does_not_suit) {
  on_every_schedule(
      [&](simt::queue q) {
        check_what_is_said<std::uint64_t>(q);
        check_what_is_said<uint128>(q);
      },
      0);
}
// Keys that no partition by bits or intervals divides: of all magnitudes alike. 32 buckets hold all of them, none more
// than three times its share.
template <class Word>
std::vector<Word> all_magnitudes(std::vector<Word> keys) {
  for (Word& key : keys)
    key >>= unsigned(key % (8 * sizeof(Word) - 3));
  return keys;
}
SIMT_TEST(splitter_sort, skewed_at_any_depth) {
  on_every_schedule(
      [&](simt::queue q) {
        const auto keys = all_magnitudes(make_keys<std::uint64_t>(60'000, shape::uniform));
        check_sort(q, keys, between<std::uint64_t>({.bits = 5, .must_suit = true}));
        EXPECT_TRUE(gives_away(q, keys, how<std::uint64_t>{.bits = 5})) << "the sort of pairs could have taken them";
        check_sort(q, all_magnitudes(make_keys<uint128>(60'000, shape::uniform)),
                   between<uint128>({.bits = 5, .must_suit = true}));
      },
      0);
}

template <class Word>
void check_condition(simt::queue q, std::uint32_t wanted) {
  const auto keys = make_keys<Word>(3000, shape::and_of_3);
  const std::vector<Word> untouched(3000, 7u);
  const buffer<Word> in(keys), out(untouched);
  const buffer<std::uint32_t> word(1, wanted);
  kernels::typed_request<Word> r;
  r.keys_in = in.view().data();
  r.keys_out = out.view().data();
  r.n = 3000;
  r.codec = make_key_codec<Word>(unsigned_type<Word>, {}, {});
  r.tuning.partition_bits = 3;
  r.verdict = {word.view().data(), 1};
  r.workspace_bytes = kernels::splitter_sort_workspace_bytes(r);
  const buffer<uint128> workspace(r.workspace_bytes / 16 + 1, uint128{5});
  r.workspace = workspace.view().data();
  kernels::splitter_sort(q, r);
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  EXPECT_TRUE(out.host() == (wanted != 0 ? expected : untouched)) << wanted;
  EXPECT_EQ(word.host()[0], wanted);
}
SIMT_TEST(splitter_sort, on_a_condition) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::uint32_t wanted : {0u, 1u}) {
          check_condition<std::uint64_t>(q, wanted);
          check_condition<uint128>(q, wanted);
        }
      },
      1);
}

/// One block chooses the splitters of one segment.
template <class Word>
struct choosing_kernel {
  using image = kernels::integer_image<Word>;
  using splitting = typename std::conditional_t<(sizeof(Word) > 8), kernels::split_segments_kernel<Word, image>,
                                                kernels::divide_kernel<Word, kernels::no_value, image>>::split;
  using choice = typename splitting::choice_of_splitters;
  static constexpr unsigned block_threads = splitting::threads;
  static constexpr std::uint32_t most_samples = choice::most_samples;
  struct shared {
    typename choice::storage chosen;
  };
  choice splitters;
  SORTILE_DEVICE void operator()(shared& s) const { splitters.choose(s.chosen, 0); }
};
template <class Word>
constexpr std::uint32_t most_samples = choosing_kernel<Word>::most_samples;

/// The highest image of each of 2^bits buckets, from a sample of these keys.
template <class Word>
std::vector<Word> cuts_of(simt::queue q, const std::vector<Word>& keys, unsigned bits, std::uint32_t samples) {
  const buffer<Word> in(keys), cuts(std::size_t{1} << bits);
  choosing_kernel<Word> k{};
  k.splitters.in = in.view();
  k.splitters.cuts = cuts.view();
  k.splitters.n = std::uint32_t(keys.size());
  k.splitters.samples_a_bucket = samples >> bits;
  k.splitters.bits = bits;
  k.splitters.first_level = true;
  simt::launch(q, {.grid = 1}, k);
  return cuts.host();
}
// No bucket holds more than 2.5 times its share, but for those of one key; and a key that would is in one of those. By
// a sample of a part of the keys: 4 times.
template <class Word>
void check_cuts(simt::queue q, std::vector<Word> keys, unsigned bits, const char* what,
                std::uint32_t samples = most_samples<Word>) {
  const auto cuts = cuts_of(q, keys, bits, samples);
  const std::size_t twice_most = samples < keys.size() ? 8 : 5;
  const std::size_t share = keys.size() >> bits;
  const Word most = Word(~Word{0});
  EXPECT_TRUE(cuts.back() == most) << what;
  std::sort(keys.begin(), keys.end());
  for (std::size_t d = 0; d < cuts.size(); ++d) {
    const Word lowest = d == 0 ? Word{0} : Word(cuts[d - 1] + 1);
    ASSERT_TRUE(d == 0 || cuts[d - 1] < cuts[d] || cuts[d] == most) << what << ", cut " << d;
    if (d != 0 && cuts[d - 1] == cuts[d])
      break;
    const auto held = std::size_t(std::upper_bound(keys.begin(), keys.end(), cuts[d]) -
                                  std::lower_bound(keys.begin(), keys.end(), lowest));
    EXPECT_TRUE(lowest == cuts[d] || held <= share * twice_most / 2) << what << ": " << held << " keys in bucket " << d;
  }
}
template <class Word>
void check_all_cuts(simt::queue q) {
  constexpr std::size_t n = most_samples<Word>; // of which the sample has nearly all
  const auto even = make_keys<Word>(n, shape::uniform);
  auto half = even, pairs_of_shares = even;
  for (std::size_t i = 0; i < n; ++i) {
    half[i] = i % 2 != 0 ? Word(Word{1} << (8 * sizeof(Word) - 2)) : even[i];
    pairs_of_shares[i] = i % 23 * 1000; // each about as much as a bucket's share and a half
  }
  for (const unsigned bits : {3u, 5u, 8u}) {
    check_cuts(q, even, bits, "even");
    check_cuts(q, half, bits, "half of one key");
    check_cuts(q, pairs_of_shares, bits, "frequent keys");
    check_cuts(q, all_magnitudes(even), bits, "all magnitudes");
    check_cuts(q, make_keys<Word>(n, shape::few), bits < 4 ? 4 : bits, "few keys");
    check_cuts(q, make_keys<Word>(n, shape::equal), bits, "one key");
    check_cuts(q, make_keys<Word>(n, shape::and_of_3), bits, "AND of three");
  }
  for (const unsigned bits : {3u, 6u}) // a quarter of the keys, in order by fewer samples a thread, and a half
    for (const std::uint32_t part : {4u, 2u}) {
      check_cuts(q, even, bits, "even, of a part", std::uint32_t(n) / part);
      check_cuts(q, half, bits, "half of one key, of a part", std::uint32_t(n) / part);
      check_cuts(q, pairs_of_shares, bits, "frequent keys, of a part", std::uint32_t(n) / part);
      check_cuts(q, make_keys<Word>(n, shape::and_of_3), bits, "AND of three, of a part", std::uint32_t(n) / part);
    }
}
SIMT_TEST(splitter_sort, cuts) {
  on_every_schedule(
      [](simt::queue q) {
        check_all_cuts<std::uint64_t>(q);
        check_all_cuts<uint128>(q);
      },
      0);
}

TEST(splitter_sort, draws_a_place_from_each_stretch) {
  for (const std::uint32_t keys : {1u, 7u, 12'289u, 16'384u, 16'385u, 1'000'003u, 4'000'000'000u})
    for (const std::uint32_t all : {most_samples<std::uint64_t>, most_samples<uint128>}) {
      const std::uint32_t samples = std::min(keys, all);
      for (std::uint32_t i = 0; i < samples; ++i) {
        const std::uint64_t place = kernels::drawn_place(i, samples, keys);
        ASSERT_LT(place, keys);
        ASSERT_GE(place + 1, std::uint64_t{i} * keys / samples);
        ASSERT_LE(place, (std::uint64_t{i} + 1) * keys / samples);
      }
    }
}

// Keys in order, or of few digits, are given to passes where nobody has scanned them: by a sample, of which the first
// and the last key are.
template <class Word>
void check_what_passes_get(simt::queue q) {
  const auto given_away = [&](std::vector<Word> keys, key_type type = unsigned_type<Word>) {
    how<Word> h = between<Word>({.type = type, .bits = 3, .leaves_to_passes = true});
    const bool said = gives_away(q, keys, h);
    h.must_suit = !said;
    check_sort(q, keys, h); // outputs stay as they are, or are right
    return said;
  };
  constexpr unsigned width = 8 * sizeof(Word);
  EXPECT_FALSE(given_away(make_keys<Word>(9001, shape::uniform)));
  EXPECT_FALSE(given_away(make_keys<Word>(9001, shape::and_of_3)));
  EXPECT_TRUE(given_away(make_keys<Word>(9001, shape::sorted)));
  EXPECT_FALSE(given_away(make_keys<Word>(9001, shape::nearly_sorted))) << "the last key is out of order";
  EXPECT_TRUE(given_away(make_keys<Word>(9001, shape::reversed)));
  EXPECT_TRUE(given_away(make_keys<Word>(9001, shape::equal)));
  EXPECT_TRUE(given_away(make_keys<Word>(9001, shape::narrow)));
  EXPECT_FALSE(given_away({}));
  EXPECT_TRUE(given_away({5}));
  auto keys = make_keys<Word>(9001, shape::uniform);
  const auto masked = [&](Word mask) {
    auto kept = keys;
    for (Word& key : kept)
      key &= mask;
    return kept;
  };
  const Word four = Word(Word{0xff} << (width - 8) | Word{0xff} << width / 2 | 0xff00ff);
  EXPECT_TRUE(given_away(masked(four)));
  EXPECT_FALSE(given_away(masked(Word(four | 0x0800))));
  EXPECT_TRUE(given_away(masked(Word(four)), sizeof(Word) > 8 ? key_type::i128 : key_type::i64));
}
SIMT_TEST(splitter_sort, leaves_to_passes_what_they_are_quicker_with) {
  on_every_schedule(
      [&](simt::queue q) {
        check_what_passes_get<std::uint64_t>(q);
        check_what_passes_get<uint128>(q);
      },
      unless_short(1u, 0u));
}

/// So does a fallback, of pairs and of floats; its sample is large enough to tell a few outliers from many.
SIMT_TEST(splitter_sort, fallbacks_leave_few_digits_to_passes) {
  on_every_schedule(
      [](simt::queue q) {
        const auto given_away = [&](std::uint64_t mask, std::size_t outliers) {
          constexpr std::size_t n = 20'011;
          const auto draws = make_keys<std::uint64_t>(n, shape::uniform);
          auto keys = draws;
          for (std::size_t i = 0; i < n; ++i)
            keys[i] &= outliers != 0 && i % (n / outliers) == 0 ? ~std::uint64_t{0} : mask;
          for (const unsigned value_bytes : {4u, 8u}) {
            const auto h =
                between<std::uint64_t>({.value_bytes = value_bytes, .bits = 4, .leaves_to_passes = true, .role = 1});
            check_sort(q, keys, h);
          }
          return gives_away(q, keys,
                            between<std::uint64_t>({.value_bytes = 4, .bits = 4, .leaves_to_passes = true, .role = 1}));
        };
        EXPECT_TRUE(given_away(0x00ff'0000'00ff'ffff, 0)) << "four digits";
        EXPECT_FALSE(given_away(0x00ff'0000'ffff'ffff, 0)) << "five digits";
        EXPECT_FALSE(given_away(0xffff, 40)) << "two digits, but for 40 keys";
        EXPECT_TRUE(given_away(0xffff, 2)) << "and for 2, which passes set apart";
        EXPECT_FALSE(given_away(0xffff'ffff, 2)) << "four, and one for those";
        EXPECT_FALSE(given_away(0x00ff'0000'0000'ffff, 2)) << "they differ in lower digits, too";
        EXPECT_FALSE(given_away(0, 0)) << "equal";
      },
      unless_short(1u, 0u));
}

SIMT_TEST(splitter_sort, values_of_16_bytes_are_too_wide_for_128_bit_keys) {
  kernels::typed_request<uint128> r;
  r.n = 1000;
  r.codec = make_key_codec<uint128>(key_type::u128, order::ascending, {});
  r.value_bytes = 16;
  EXPECT_THROW(static_cast<void>(kernels::splitter_sort_workspace_bytes(r)), invalid_argument);
  r.value_bytes = 8;
  EXPECT_GE(kernels::splitter_sort_workspace_bytes(r), 40'000u);
}

// A fallback gives away keys that are dense at every scale, and no others: of the sample's stretches few are lopsided
// where keys are spread smoothly, in clusters, or heavy.
SIMT_TEST(splitter_sort, keys_dense_at_every_scale) {
  on_every_schedule(
      [](simt::queue q) {
        const auto h = between<std::uint64_t>({.value_bytes = 0, .bits = 4, .leaves_to_passes = true, .role = 1});
        auto many_samples = h;
        many_samples.bits = 14;
        const auto given_away = [&](shape kind) {
          return gives_away(q, make_keys<std::uint64_t>(20'011, kind), many_samples);
        };
        EXPECT_TRUE(given_away(shape::and_of_3));
        for (const shape kind : a_few(3, {shape::uniform, shape::few, shape::equal, shape::sorted, shape::clusters}))
          EXPECT_FALSE(given_away(kind)) << int(kind);
        for (const shape kind : {shape::and_of_3, shape::uniform})
          check_sort(q, make_keys<std::uint64_t>(20'011, kind), h); // untouched, or sorted
      },
      0);
}

SIMT_TEST(splitter_sort, misuse_is_refused_by_name) {
  on_every_schedule(
      [](simt::queue q) {
        const buffer<std::uint64_t> keys(2), workspace(1 << 14);
        const buffer<std::uint32_t> verdict(2);
        kernels::typed_request<std::uint64_t> good;
        good.keys_in = good.keys_out = keys.view().data();
        good.n = 2;
        good.codec = make_key_codec<std::uint64_t>(key_type::u64, {}, {});
        good.verdict.word = verdict.view().data();
        good.workspace = workspace.view().data();
        good.workspace_bytes = kernels::splitter_sort_workspace_bytes(good);
        const auto refused = refusals_of(good, [&](const auto& r) { kernels::splitter_sort(q, r); });
        refused("splitter_sort: keys_in is null", [](auto& r) { r.keys_in = nullptr; });
        refused("splitter_sort: the verdict's word is null", [](auto& r) { r.verdict = {}; });
        refused("verdict is not aligned", [](auto& r) { r.verdict.word = reinterpret_cast<std::uint32_t*>(2); });
        refused("partition_bits = 1, 2 to 16 are allowed", [](auto& r) { r.tuning.partition_bits = 1; });
        refused("partition_bits = 17", [](auto& r) { r.tuning.partition_bits = 17; });
        refused("value_bytes = 5", [](auto& r) { r.value_bytes = 5; });
        refused("1536 are needed", [](auto& r) { --r.workspace_bytes; });
      },
      0);
}

} // namespace
} // namespace sortile::simt_tests
