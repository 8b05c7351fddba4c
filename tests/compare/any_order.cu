// Sorts and merges by any order against std::stable_sort and std::merge: keys of 1 to 64 bytes, sizes around those of
// tiles and passes, values, positions, and functions that are no order at all.
#include "tests/compare/fixture.hpp"
#include "tests/expect_refusal.hpp"
#include "tests/short_tests.hpp"

#include <array>
#include <list>
#include <map>

namespace sortile::compare_tests::inline SORTILE_BACKEND {
namespace {

using testing::a_few;
using testing::expect_invalid;
using testing::expect_refusal;
using testing::unless_short;

/// A key of so many bytes, of which a number in the last ones decides: few values, so that ties show what is stable.
template <std::size_t Bytes, class Number>
struct sized {
  unsigned char rest[Bytes - sizeof(Number)];
  Number number = 7; // not trivially default constructible
};
template <class Number>
struct sized<sizeof(Number), Number> {
  Number number = 7;
};

/// By bits that a state turns round: no library key sorts so.
struct by_number {
  unsigned turned;
  template <class T>
  SORTILE_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return (unsigned(a.number) ^ turned) < (unsigned(b.number) ^ turned);
  }
};

enum class form { random, few, sorted, reversed, equal, saw, organ_pipe };
constexpr form all_forms[] = {form::random, form::few, form::sorted,    form::reversed,
                              form::equal,  form::saw, form::organ_pipe};

std::uint64_t number_of(form f, std::size_t i, std::size_t n, random_engine& random) {
  switch (f) {
  case form::random:
    return random();
  case form::few:
    return random() % 5;
  case form::sorted:
    return i;
  case form::reversed:
    return n - i;
  case form::equal:
    return 3;
  case form::saw:
    return i % 1000;
  default:
    return i < n / 2 ? i : n - i;
  }
}

template <class T>
std::vector<T> keys_of(form f, std::size_t n, std::uint64_t seed) {
  random_engine random(seed);
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto* const bytes = reinterpret_cast<unsigned char*>(&v[i]);
    for (std::size_t b = 0; b < sizeof(T); ++b)
      bytes[b] = static_cast<unsigned char>(random());
    v[i].number = static_cast<decltype(v[i].number)>(number_of(f, i, n, random));
  }
  return v;
}

template <class T, class Less>
std::vector<std::uint64_t> stable_order(const std::vector<T>& v, const Less& less) {
  std::vector<std::uint64_t> positions(v.size());
  std::iota(positions.begin(), positions.end(), 0u);
  std::stable_sort(positions.begin(), positions.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return less(v[a], v[b]); });
  return positions;
}

template <class T, class Less>
void check_keys(const std::vector<T>& v, const Less& less) {
  const auto expected = in_order(v, stable_order(v, less));
  array<T> in(v), out(v.size()), both(v);
  sortile::sort(in.span(), out.span(), on_device(less));
  sortile::sort(both.span(), on_device(less));
  finish();
  in.expect(v, "input");
  out.expect(expected, "out of place");
  both.expect(expected, "in place");
}

template <class V, class T, class Less>
void check_pairs(const std::vector<T>& v, const Less& less) {
  std::vector<V> values(v.size());
  for (std::size_t i = 0; i < v.size(); ++i)
    std::memcpy(static_cast<void*>(&values[i]), &i, std::min(sizeof(V), sizeof i));
  const auto positions = stable_order(v, less);
  const auto expected = in_order(v, positions);
  const auto expected_values = in_order(values, positions);
  array<T> in(v), out(v.size()), both(v);
  array<V> values_in(values), values_out(v.size()), values_both(values);
  sort_by_key(in.span(), values_in.span(), out.span(), values_out.span(), on_device(less));
  sort_by_key(both.span(), values_both.span(), on_device(less));
  finish();
  in.expect(v, "input");
  values_in.expect(values, "input values");
  out.expect(expected, "out of place");
  values_out.expect(expected_values, "values out of place");
  both.expect(expected, "in place");
  values_both.expect(expected_values, "values in place");
}

template <class Index, class T, class Less>
void check_positions(const std::vector<T>& v, const Less& less) {
  const auto order = stable_order(v, less);
  array<T> in(v);
  array<Index> positions(v.size());
  argsort(in.span(), positions.span(), on_device(less));
  finish();
  in.expect(v, "input");
  positions.expect({order.begin(), order.end()}, "positions");
}

template <class T, class Less>
void check_merge(std::vector<T> a, std::vector<T> b, const Less& less) {
  std::stable_sort(a.begin(), a.end(), less);
  std::stable_sort(b.begin(), b.end(), less);
  std::vector<T> both(a);
  both.insert(both.end(), b.begin(), b.end());
  array<T> first(a), second(b), out(both.size());
  sortile::merge(first.span(), second.span(), out.span(), on_device(less));
  finish();
  out.expect(in_order(both, stable_order(both, less)), "merged");
}

/// Runs that lie apart, each in order.
template <class T>
class sorted_runs {
 public:
  template <class Less>
  sorted_runs(const std::vector<std::size_t>& lengths, form f, const Less& less) {
    for (const std::size_t length : lengths) {
      std::vector<T> run = keys_of<T>(f, length, lists_.size() + 1);
      std::stable_sort(run.begin(), run.end(), less);
      all_.insert(all_.end(), run.begin(), run.end());
      lists_.emplace_back(run);
    }
  }
  const std::vector<T>& all() const { return all_; }
  std::vector<std::span<const T>> spans() {
    std::vector<std::span<const T>> spans;
    for (array<T>& run : lists_)
      spans.push_back(run.span());
    return spans;
  }

 private:
  std::list<array<T>> lists_;
  std::vector<T> all_;
};

template <class T>
void check_merge(const std::vector<std::size_t>& lengths, form f) {
  sorted_runs<T> runs(lengths, f, by_number{0});
  array<T> out(runs.all().size());
  const auto described = make_comparison_merge(runs.spans(), out.span(), on_device(by_number{0}));
  testing::guarded_buffer space(workspace_bytes(described), 0, 0, where);
  space.poison(lengths.size());
  run(described, {.workspace = space.bytes()});
  finish();
  EXPECT_EQ(space.damage(), "");
  out.expect(in_order(runs.all(), stable_order(runs.all(), by_number{0})), "merged");
}

/// Keys of type T that one block sorts.
template <class T>
constexpr std::size_t largest_tile = kernels::sort_shape<kernels::key_alone<T>>::capacity;

/// Keys of type T up to which one level of splitters suffices.
template <class T>
constexpr std::size_t one_level = kernels::splitter_plan::share(largest_tile<T>)
                                  << kernels::splitter_shape<T>::most_bits;

/// Keys of type T that one block sorts though ranks could, and those up to which ranks do.
template <class T>
using sort_of = kernels::any_order_sort<kernels::keys_alone<T>, by_number>;

/// Around the ends of threads' parts, tiles and (of large keys) levels of splitters.
template <class T>
std::vector<std::size_t> sizes() {
  std::vector<std::size_t> all{0, 1, 2, 16, 17, 18, 33, 1000};
  const std::size_t tile = largest_tile<T>;
  for (const std::size_t edge : {tile / 4, tile / 2, tile, 2 * tile})
    for (const std::size_t n : {edge - 1, edge, edge + 1})
      all.push_back(n);
  all.push_back(5 * tile + 333);
  const std::size_t few = sort_of<T>::few, ranked = sort_of<T>::by_ranks::most;
  for (const std::size_t n : {few, few + 1, few + 127, few + 129, ranked, ranked + 1})
    all.push_back(n);
  if (sizeof(T) >= 32)
    for (const std::size_t n : {one_level<T>, one_level<T> + 1, 2 * one_level<T> + 77})
      all.push_back(n);
  return unless_short(all, std::vector<std::size_t>{1, 33, tile / 4 + 1, few + 1, tile, tile + 1,
                                                    sizeof(T) >= 32 ? one_level<T> + 1 : 2 * tile + 5});
}

template <class T>
void check_all_sizes() {
  std::uint64_t seed = 1;
  for (const std::size_t n : sizes<T>()) {
    const form f = all_forms[seed % std::size(all_forms)];
    SCOPED_TRACE("n = " + std::to_string(n) + ", form " + std::to_string(int(f)));
    const by_number less{seed % 2 == 0 ? 0u : 0x55u};
    check_keys(keys_of<T>(form::random, n, seed), less);
    check_keys(keys_of<T>(f, n, seed), less);
    ++seed;
    if (::testing::Test::HasFailure())
      return;
  }
}

SIMT_TEST(any_order, keys_of_1_byte) {
  check_all_sizes<sized<1, std::uint8_t>>();
}
SIMT_TEST(any_order, keys_of_3_bytes) {
  check_all_sizes<sized<3, std::uint8_t>>();
}
SIMT_TEST(any_order, keys_of_4_bytes) {
  check_all_sizes<sized<4, std::uint32_t>>();
}
SIMT_TEST(any_order, keys_of_8_bytes) {
  check_all_sizes<sized<8, std::uint16_t>>();
}
SIMT_TEST(any_order, keys_of_16_bytes) {
  check_all_sizes<sized<16, std::uint64_t>>();
}
SIMT_TEST(any_order, keys_of_32_bytes) {
  check_all_sizes<sized<32, std::uint32_t>>();
}
SIMT_TEST(any_order, keys_of_64_bytes) {
  check_all_sizes<sized<64, std::uint16_t>>();
}

SIMT_TEST(any_order, forms) {
  using T = sized<64, std::uint32_t>;
  for (const std::size_t n : {8 * largest_tile<T> + 77, one_level<T> + 1234}) // one level of splitters, and two
    for (const form f : all_forms) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", form " + std::to_string(int(f)));
      check_keys(keys_of<T>(f, n, 5), by_number{0});
    }
}

/// Keys that lie where the samples of a first level are drawn are low, all others high: one bucket has nearly all of
/// them, and no block holds it.
template <class T>
std::vector<T> against_the_samples(std::size_t n, std::size_t samples) {
  auto keys = keys_of<T>(form::random, n, 3);
  for (T& key : keys)
    key.number = static_cast<decltype(key.number)>(1000 + key.number % 50'000);
  for (std::size_t i = 0; i < samples; ++i)
    keys[kernels::sample_place(i, samples, n)].number = static_cast<decltype(T::number)>(i % 1000);
  return keys;
}

/// Elements of 8 bytes have blocks of their own for the buckets of two levels; here nearly all splitters are equal
/// ones.
SIMT_TEST(any_order, two_levels_of_few_keys_of_8_bytes) {
  using T = sized<8, std::uint16_t>;
  using plan = kernels::splitter_plan;
  const std::size_t n = one_level<T> + 1;
  ASSERT_EQ(plan::of(n, largest_tile<T>, kernels::splitter_shape<T>::most_bits).levels, 2u);
  const auto keys = keys_of<T>(form::few, n, 11);
  array<T> both(keys);
  sortile::sort(both.span(), on_device(by_number{0}));
  finish();
  both.expect(in_order(keys, stable_order(keys, by_number{0})), "few keys");
}

/// Each splitter knows the last one that equals it: else frequent keys would not be parted by their positions.
SIMT_TEST(any_order, splitters_know_their_equals) {
  using T = sized<8, std::uint64_t>;
  using arrays = kernels::keys_alone<T>;
  using held = kernels::held<T>;
  constexpr unsigned bits = 6, buckets = 1u << bits;
  const std::size_t n = 5000;
  for (const form f : {form::few, form::equal, form::sorted}) {
    SCOPED_TRACE("form " + std::to_string(int(f)));
    const auto keys = keys_of<T>(f, n, 4);
    simt_tests::on_every_schedule([&](const simt::queue& q) {
      array<T> in(keys), out(n);
      const simt_tests::buffer<held> nodes(buckets);
      const simt_tests::buffer<std::uint64_t> positions(buckets);
      const simt_tests::buffer<std::uint32_t> last(buckets), large(1);
      kernels::launch_here(
          q, {.grid = 1},
          kernels::any_order_splitters_kernel<arrays, by_number>{
              .arrays = {kernels::held_input(in.span().data(), n), kernels::held_output(out.span().data(), n)},
              .records = {},
              .is_first_level = true,
              .segments = {.n = n, .count = 1, .tile = 512},
              .samples = 16 * buckets,
              .rows = {nodes.view(), positions.view(), last.view(), bits},
              .is_ranked = false,
              .ranked = {},
              .numbers = {},
              .large = large.view(),
              .less = {by_number{0}}});
      finish();
      const auto tree = nodes.host();
      const auto splitter = [&](unsigned b) {
        return __builtin_bit_cast(T, tree[kernels::node_of_splitter(b, bits)]).number;
      };
      const auto found = last.host();
      for (unsigned b = 0; b + 1 < buckets; ++b) {
        unsigned expected = b;
        while (expected + 2 < buckets && splitter(expected + 1) == splitter(b))
          ++expected;
        EXPECT_EQ(found[b], expected) << "splitter " << b;
      }
    });
  }
}

/// Parts of more tiles than a block gathers at a time, short and long ones. Two buckets: the lower numbers and the
/// rest.
template <bool AreLong>
void check_gathering() {
  using T = sized<8, std::uint32_t>;
  using arrays = kernels::keys_alone<T>;
  using kernel = kernels::any_order_bucket_kernel<arrays, by_number, 128>;
  constexpr unsigned tile = 24, tiles = kernel::table + 50, n = tile * tiles, capacity = largest_tile<T>;
  constexpr unsigned lane_bits = 1, border = 1000; // two lanes for a part: more than 16 elements are a long one
  static_assert(n / 2 + tile <= capacity);
  auto keys = keys_of<T>(form::few, n, 5);
  std::vector<std::uint16_t> rows;
  for (unsigned i = 0; i < tiles; ++i) {
    const unsigned lower = AreLong ? (i < tiles / 2 ? tile : 0) : i * 7 % (tile + 1);
    for (unsigned p = lower; p < tile; ++p)
      keys[i * tile + p].number += border;
    rows.insert(rows.end(), {std::uint16_t{0}, std::uint16_t(lower), std::uint16_t{tile}});
  }
  const auto expected = in_order(keys, stable_order(keys, by_number{0}));
  simt_tests::on_every_schedule(
      [&](const simt::queue& q) {
        array<T> in(keys), out(n);
        const simt_tests::buffer<std::uint16_t> places(rows);
        const simt_tests::buffer<std::uint32_t> last(std::vector<std::uint32_t>{0, 1}), large_count(1);
        const simt_tests::buffer<std::uint64_t> large_places(2);
        const auto* const records = reinterpret_cast<const typename arrays::element*>(in.span().data());
        kernels::launch_here(
            q, {.grid = 2, .dynamic_shared = 2 * capacity * sizeof(T)},
            kernel{.arrays = {kernels::held_input(in.span().data(), n), kernels::held_output(out.span().data(), n)},
                   .records = {records, n},
                   .segments = {.start = {}, .n = n, .count = 1, .tile = tile},
                   .places = {places.view(), 3},
                   .last_equal = last.view(),
                   .bits = 1,
                   .lane_bits = lane_bits,
                   .capacity = capacity,
                   .large = {large_count.view(), large_places.view()},
                   .less = {by_number{0}}});
        finish();
        EXPECT_EQ(large_count.host()[0], 0u);
        out.expect(expected, AreLong ? "long parts" : "short parts");
      },
      5);
}
SIMT_TEST(any_order, buckets_of_many_tiles) {
  check_gathering<false>();
  check_gathering<true>();
}

/// Numbers of buckets are bytes up to 256 of them, and words beyond, which whole sorts have from 2^28 elements on.
SIMT_TEST(any_order, partitions_by_bytes_and_words) {
  using T = sized<8, std::uint32_t>;
  using arrays = kernels::keys_alone<T>;
  using element = typename arrays::element;
  const std::size_t n = kernels::partition_shape<element>::most_tile + 1001;
  const auto keys = keys_of<T>(form::random, n, 6);
  for (const unsigned bits : {5u, 9u}) {
    SCOPED_TRACE(std::to_string(bits) + " bits");
    const unsigned buckets = 1u << bits;
    std::vector<std::uint8_t> bytes(n);
    std::vector<std::uint16_t> words(n);
    std::vector<std::uint64_t> totals(buckets), order(n);
    for (std::size_t i = 0; i < n; ++i) {
      bytes[i] = static_cast<std::uint8_t>(words[i] = static_cast<std::uint16_t>(keys[i].number >> (32 - bits)));
      ++totals[words[i]];
    }
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) { return words[a] < words[b]; });
    const auto expected = in_order(keys, order);
    simt_tests::on_every_schedule(
        [&](const simt::queue& q) {
          array<T> in(keys), records(n), unused(n);
          const simt_tests::buffer<std::uint8_t> found_bytes(bytes);
          const simt_tests::buffer<std::uint16_t> found_words(words);
          const simt_tests::buffer<std::uint64_t> before(buckets), sums(totals), starts(buckets + 1);
          kernels::launch_here(
              q, {.grid = 1},
              kernels::any_order_partition_apart_kernel<arrays>{
                  .arrays = {kernels::held_input(in.span().data(), n), kernels::held_output(unused.span().data(), n)},
                  .records = {reinterpret_cast<element*>(records.span().data()), n},
                  .n = n,
                  .bits = bits,
                  .found = {found_bytes.view(), found_words.view(), bits <= 8},
                  .before = before.view(),
                  .totals = sums.view(),
                  .starts = starts.view(),
                  .chunks = 1,
                  .tiles_a_chunk = 2});
          finish();
          records.expect(expected, "records");
          const auto found = starts.host();
          std::uint64_t lower = 0;
          for (unsigned b = 0; b < buckets; ++b) {
            EXPECT_EQ(found[b], lower) << "bucket " << b;
            lower += totals[b];
          }
          EXPECT_EQ(found[buckets], n);
        },
        5);
  }
}

SIMT_TEST(any_order, few_elements_by_ranks) {
  using T = sized<4, std::uint32_t>;
  for (const form f : all_forms) {
    SCOPED_TRACE("form " + std::to_string(int(f)));
    const auto keys = keys_of<T>(f, 1025 + 200 * std::size_t(f), 7);
    check_keys(keys, by_number{0});
    check_pairs<std::uint64_t>(keys, by_number{0x55});
    check_positions<std::uint32_t>(keys, by_number{0});
  }
}

SIMT_TEST(any_order, keys_chosen_by_where_samples_are_drawn) {
  using T = sized<64, std::uint32_t>;
  using shape = kernels::splitter_shape<T>;
  const auto check = [](std::size_t n) {
    const auto plan = kernels::splitter_plan::of(n, largest_tile<T>, shape::most_bits);
    const unsigned bits = plan.levels == 1 ? plan.second_bits : plan.first_bits;
    const std::size_t samples = shape::samples_wanted(plan.levels, bits);
    SCOPED_TRACE("n = " + std::to_string(n));
    const auto keys = against_the_samples<T>(n, samples);
    check_keys(keys, by_number{0});
    check_pairs<std::uint32_t>(keys, by_number{0});
    check_positions<std::uint32_t>(keys, by_number{0});
  };
  check(3 * largest_tile<T>);
  check(one_level<T> + 500);
}

/// The way of more keys than two levels of splitters take, here with fewer.
template <class T>
void check_merges(std::size_t n, form f) {
  using arrays = kernels::keys_alone<T>;
  using element = kernels::key_alone<T>;
  const auto keys = keys_of<T>(f, n, n);
  const auto expected = in_order(keys, stable_order(keys, by_number{0}));
  for (const bool output_holds_runs : {true, false}) {
    const kernels::any_order_merge_sort<arrays, by_number> sort(n, output_holds_runs);
    simt_tests::on_every_schedule([&](const simt::queue& q) {
      array<T> in(keys), out(n);
      array<std::uint64_t> space(sort.workspace_bytes() / 8 + 1);
      sort.launch(q, {kernels::held_input(in.span().data(), n), kernels::held_output(out.span().data(), n)},
                  output_holds_runs ? reinterpret_cast<element*>(out.span().data()) : nullptr, by_number{0},
                  reinterpret_cast<std::byte*>(space.span().data()));
      finish();
      out.expect(expected, "merged");
    });
  }
}

SIMT_TEST(any_order, merges_of_up_to_eight_runs) {
  using T = sized<64, std::uint64_t>;
  for (const std::size_t tiles : a_few(1, {std::size_t{9}, std::size_t{2}}))
    for (const form f : {form::random, form::few}) {
      SCOPED_TRACE(std::to_string(tiles) + " tiles, form " + std::to_string(int(f)));
      check_merges<T>(tiles * largest_tile<T> - 5, f);
    }
}

SIMT_TEST(any_order, more_keys_never_take_less_workspace) {
  const auto workspace_of = [](std::uint64_t n, auto key, auto less) {
    using T = decltype(key);
    const std::span<T> nowhere(reinterpret_cast<T*>(std::uintptr_t{1} << 40), n);
    const std::span<std::uint32_t> values(reinterpret_cast<std::uint32_t*>(std::uintptr_t{1} << 50), n);
    return std::array{workspace_bytes(make_comparison_sort(nowhere, nowhere, on_device(less))),
                      workspace_bytes(make_comparison_sort(nowhere, values, nowhere, values, on_device(less)))};
  };
  const auto check = [&](auto key) {
    using T = decltype(key);
    std::array<std::size_t, 2> before{};
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t n = 1; n < std::uint64_t{1} << 36; n += 1 + n / 7)
      sizes.push_back(n);
    for (unsigned bits = 0; bits <= 2 * kernels::splitter_shape<T>::most_bits; ++bits)
      for (const std::uint64_t more : {0, 1})
        sizes.push_back((kernels::splitter_plan::share(largest_tile<T>) << bits) + more);
    std::sort(sizes.begin(), sizes.end());
    for (const std::uint64_t n : sizes) {
      const auto now = workspace_of(n, key, by_number{0});
      EXPECT_GE(now[0], before[0]) << n << " keys of " << sizeof(T);
      EXPECT_GE(now[1], before[1]) << n << " keys of " << sizeof(T) << " with values";
      before = now;
    }
  };
  check(sized<4, std::uint32_t>{});
  check(sized<8, std::uint16_t>{});
  check(sized<64, std::uint32_t>{});
}

struct five_bytes {
  char bytes[5];
};
struct hundred_bytes {
  char bytes[100];
};

SIMT_TEST(any_order, values_and_positions) {
  using four = sized<4, std::uint32_t>;
  using long_key = sized<64, std::uint16_t>;
  for (const std::size_t n : a_few(3, {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{5637},
                                       std::size_t{9000}, std::size_t{23456}})) {
    SCOPED_TRACE("n = " + std::to_string(n));
    const auto keys = keys_of<four>(n % 2 == 0 ? form::few : form::random, n, n + 1);
    const auto long_keys = keys_of<long_key>(form::few, n, n + 2);
    check_pairs<std::uint32_t>(keys, by_number{0});
    check_pairs<five_bytes>(keys, by_number{0});
    check_pairs<hundred_bytes>(keys, by_number{0});
    check_positions<std::uint32_t>(keys, by_number{0});
    check_positions<std::uint64_t>(long_keys, by_number{0});
    check_pairs<std::uint64_t>(long_keys, by_number{1});
  }
}

SIMT_TEST(any_order, merges_of_two_ranges) {
  using T = sized<16, std::uint32_t>;
  const std::size_t tile = largest_tile<T>;
  const std::pair<std::size_t, std::size_t> lengths[] = {
      {0, 0},        {0, 5},        {5, 0},        {1, 1},           {100, 100},
      {3, 4 * tile}, {4 * tile, 3}, {0, 2 * tile}, {tile, tile + 1}, {3 * tile, 2 * tile + 11}};
  for (const auto& [first, second] : lengths)
    for (const form f : {form::random, form::few, form::sorted}) {
      SCOPED_TRACE(std::to_string(first) + " and " + std::to_string(second) + ", form " + std::to_string(int(f)));
      check_merge(keys_of<T>(f, first, 1), keys_of<T>(f, second, 2), by_number{0});
    }
}

SIMT_TEST(any_order, merges_of_lists) {
  using T = sized<16, std::uint32_t>;
  const std::size_t tile = largest_tile<T>;
  std::vector<std::size_t> huge_and_tiny(20, 3);
  huge_and_tiny[7] = 3 * tile + 5;
  const std::vector<std::vector<std::size_t>> shapes = {{},
                                                        {0, 0},
                                                        {9},
                                                        {0, 5, 0},
                                                        {1, 0, 2 * tile},
                                                        {tile, 1, tile / 2},
                                                        {10, 20, 30, 40, 50, 60, 70, 80},
                                                        {10, 20, 30, 40, 50, 60, 70, 80, 90},
                                                        huge_and_tiny,
                                                        std::vector<std::size_t>(70, 41)};
  for (const auto& lengths : shapes)
    for (const form f : {form::random, form::few, form::equal}) {
      SCOPED_TRACE(std::to_string(lengths.size()) + " runs, form " + std::to_string(int(f)));
      check_merge<T>(lengths, f);
    }
  check_merge<sized<1, std::uint8_t>>({300, 4000, 0, 17, 9000}, form::random);
  check_merge<sized<64, std::uint64_t>>(std::vector<std::size_t>(9, 77), form::few);
}

SIMT_TEST(any_order, merges_of_two_are_lists_of_two) {
  using T = sized<8, std::uint64_t>;
  sorted_runs<T> runs({500, 300}, form::few, by_number{0});
  array<T> out(800);
  const auto spans = runs.spans();
  EXPECT_EQ(workspace_bytes(make_comparison_merge(spans[0], spans[1], out.span(), on_device(by_number{0}))),
            workspace_bytes(make_comparison_merge(spans, out.span(), on_device(by_number{0}))));
  sortile::merge(spans, out.span(), on_device(by_number{0}));
  finish();
  out.expect(in_order(runs.all(), stable_order(runs.all(), by_number{0})), "merged");
}

/// In memory that no device reaches, too.
SIMT_TEST(any_order, an_empty_run_may_lie_anywhere) {
  using T = sized<8, std::uint64_t>;
  sorted_runs<T> runs({500, 300}, form::few, by_number{0});
  array<T> out(800);
  const std::vector<T> elsewhere(1);
  auto spans = runs.spans();
  spans.insert(spans.begin() + 1, std::span(elsewhere).first(0));
  sortile::merge(spans, out.span(), on_device(by_number{0}));
  finish();
  out.expect(in_order(runs.all(), stable_order(runs.all(), by_number{0})), "merged");
}

// Functions that are no strict weak order.

enum class mistake { less_or_equal, always, at_random, in_a_circle, with_nans, mostly_right };

/// One type for all, so that kernels are compiled once.
struct no_order {
  mistake made;
  template <class T>
  SORTILE_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    const std::uint64_t mixed = (a.number * 0x9e3779b97f4a7c15u) ^ (b.number * 0xc2b2ae3d27d4eb4fu);
    switch (made) {
    case mistake::less_or_equal:
      return a.number <= b.number;
    case mistake::always:
      return true;
    case mistake::at_random: // whatever, by both elements
      return ((mixed * 0xff51afd7ed558ccdu) >> 40 & 1) != 0;
    case mistake::in_a_circle: // stone, scissors, paper
      return (a.number + 1) % 3 == b.number % 3;
    case mistake::with_nans: // one of four is neither before nor behind anything
      return a.number % 4 != 0 && b.number % 4 != 0 && a.number < b.number;
    default: // an order, but for one pair of sixty-four: cuts of runs look right and are not
      return (a.number < b.number) != ((mixed * 0xff51afd7ed558ccdu) >> 58 == 0);
    }
  }
};

template <class T>
std::map<std::string, std::size_t> counted(const T* data, std::size_t n) {
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = 0; i < n; ++i)
    ++counts[std::string(reinterpret_cast<const char*>(data + i), sizeof(T))];
  return counts;
}

template <class T, class Less>
void check_none_is_lost(std::size_t n, const Less& less) {
  const auto keys = keys_of<T>(form::random, n, n);
  array<T> both(keys), merged(n);
  array<T> first(std::vector<T>(keys.begin(), keys.begin() + std::ptrdiff_t(n / 3)));
  array<T> second(std::vector<T>(keys.begin() + std::ptrdiff_t(n / 3), keys.end()));
  sortile::sort(both.span(), on_device(less));
  sortile::merge(first.span(), second.span(), merged.span(), on_device(less));
  array<T> of_many(n);
  std::vector<std::span<const T>> runs; // in two passes
  const std::size_t rest = second.span().size(), piece = rest / 11;
  runs.push_back(first.span());
  for (std::size_t i = 0; i < 11; ++i)
    runs.push_back(second.span().subspan(i * piece, i == 10 ? rest - 10 * piece : piece));
  sortile::merge(runs, of_many.span(), on_device(less));
  finish();
  const auto before = counted(keys.data(), n);
  EXPECT_TRUE(counted(both.span().data(), n) == before) << "sorted";
  EXPECT_TRUE(counted(merged.span().data(), n) == before) << "merged";
  EXPECT_TRUE(counted(of_many.span().data(), n) == before) << "twelve runs merged";
}

void check_none_is_lost(mistake made) {
  using T = sized<64, std::uint32_t>;
  const std::size_t tile = largest_tile<T>;
  static_assert(sort_of<T>::few < sort_of<T>::by_ranks::most - 1);
  // One block, ranks, splitters.
  for (const std::size_t n : {std::size_t{100}, sort_of<T>::by_ranks::most - 1, tile, 3 * tile, one_level<T> + 7}) {
    SCOPED_TRACE("n = " + std::to_string(n));
    check_none_is_lost<T>(n, no_order{made});
  }
}

SIMT_TEST(no_order, less_or_equal_loses_none) {
  check_none_is_lost(mistake::less_or_equal);
}
SIMT_TEST(no_order, always_loses_none) {
  check_none_is_lost(mistake::always);
}
SIMT_TEST(no_order, at_random_loses_none) {
  check_none_is_lost(mistake::at_random);
}
SIMT_TEST(no_order, a_circle_loses_none) {
  check_none_is_lost(mistake::in_a_circle);
}
SIMT_TEST(no_order, nans_lose_none) {
  check_none_is_lost(mistake::with_nans);
  using small = sized<8, std::uint64_t>;
  check_none_is_lost<small>(2 * largest_tile<small> + 7, no_order{mistake::with_nans});
}

SIMT_TEST(no_order, mostly_right_loses_none) {
  check_none_is_lost(mistake::mostly_right);
}

/// The library's kernel as a type of this unit, which launches it.
struct check_kernel : kernels::slab_check_kernel<kernels::equal_lengths> {};

/// Whether a merge of two runs of 100 keys in three slabs, of at most 100 keys, can use these inner borders.
bool usable(std::array<std::uint64_t, 2> first, std::array<std::uint64_t, 2> second) {
  const kernels::merge_layout<kernels::equal_lengths> layout{
      .lengths = {200, 100}, .ways = 2, .cut = {10, 7}, .slab_step = 3, .all_slabs = 3};
  bool result = false;
  std::vector<std::uint64_t> borders(3 * kernels::most_ways, ~std::uint64_t{0});
  for (unsigned j = 0; j < 2; ++j) {
    borders[kernels::most_ways + j] = first[j];
    borders[2 * kernels::most_ways + j] = second[j];
  }
  simt_tests::on_every_schedule([&](const simt::queue& q) {
    const simt_tests::buffer<std::uint64_t> places(borders);
    const simt_tests::buffer<std::uint32_t> unusable(1, 0);
    simt::launch(q, {.grid = 1}, check_kernel{{layout, 100, {places.view()}, unusable.view()}});
    result = unusable.host()[0] == 0;
  });
  return result;
}

SIMT_TEST(slab_borders, are_checked_before_they_are_used) {
  EXPECT_TRUE(usable({30, 40}, {60, 70}));
  EXPECT_TRUE(usable({100, 0}, {100, 60})) << "a slab may be full, or have nothing of a run";
  EXPECT_FALSE(usable({30, 40}, {29, 70})) << "ends before it begins";
  EXPECT_FALSE(usable({30, 40}, {101, 70})) << "behind the end of the run";
  EXPECT_FALSE(usable({1, 2}, {50, 54})) << "101 keys";
}

#if !SORTILE_ON_CUDA
/// The executor of a call takes its seed and its checks from the environment.
SIMT_TEST(any_order, whatever_the_schedule) {
  using T = sized<64, std::uint32_t>;
  const char* const given = std::getenv("SORTILE_EXECUTOR_SEED");
  for (int seed = 1; seed <= (given != nullptr ? 1 : 6) && !::testing::Test::HasFailure(); ++seed) {
    if (given == nullptr)
      setenv("SORTILE_EXECUTOR_SEED", std::to_string(seed).c_str(), 1);
    setenv("SORTILE_EXECUTOR_CHECKS", std::to_string(unsigned(executor::all_checks)).c_str(), 1);
    SCOPED_TRACE("SORTILE_EXECUTOR_SEED=" + std::string(std::getenv("SORTILE_EXECUTOR_SEED")));
    check_keys(keys_of<T>(form::few, 3 * largest_tile<T> + 9, std::uint64_t(seed)), by_number{0});
    check_merge(keys_of<T>(form::random, 900, 1), keys_of<T>(form::random, 700, 2), by_number{0});
    check_none_is_lost<T>(1700, no_order{mistake::at_random});
    unsetenv("SORTILE_EXECUTOR_CHECKS");
    if (given == nullptr)
      unsetenv("SORTILE_EXECUTOR_SEED");
  }
}
#endif

/// As calls.cu does.
SIMT_TEST(any_order_calls, an_order_of_two_units) {
  check_downwards(20'000);
}

using number = sized<4, std::uint32_t>;

SIMT_TEST(any_order_calls, the_workspace_that_is_asked_for_is_enough_whatever_it_holds) {
  using T = sized<64, std::uint16_t>;
  for (const std::size_t tiles : {9, 65}) { // one level of splitters, and two
    const auto keys = keys_of<T>(form::random, tiles * largest_tile<T>, 2);
    const auto expected = in_order(keys, stable_order(keys, by_number{0}));
    array<T> both(keys);
    const auto described = make_comparison_sort(both.span(), both.span(), on_device(by_number{0}));
    // The elements, with two levels the bucket of each, and tables.
    const std::size_t bucket = tiles == 65 ? sizeof(std::uint16_t) : 0;
    EXPECT_LT(workspace_bytes(described), keys.size() * (sizeof(T) + bucket) * 104 / 100 + 1024);
    testing::guarded_buffer space(workspace_bytes(described), 0, 0, where);
    space.poison(tiles);
    run(described, {.workspace = space.bytes()});
    finish();
    both.expect(expected, "keys");
    EXPECT_EQ(space.damage(), "");
  }
}

SIMT_TEST(any_order_calls, refuse_what_they_cannot_do) {
  array<number> keys(keys_of<number>(form::random, 9000, 1)), other(9000), shorter(8999);
  array<std::uint32_t> values(9000);
  const auto by = on_device(by_number{0});
  const auto in = keys.span(), out = other.span();
  expect_invalid([&] { sortile::sort(in, shorter.span(), by); }, {"9000", "8999", "as many"});
  expect_invalid([&] { sort_by_key(in, values.span().first(8999), by); }, {"keys", "values", "9000", "8999"});
  expect_invalid([&] { sort_by_key(in, values.span(), in, values.span().first(8999), by); }, {"values_out"});
  expect_invalid([&] { argsort(in, values.span().first(1), by); }, {"positions", "9000"});
  expect_invalid([&] { sortile::merge(in, in, out, by); }, {"18000", "9000"});
  expect_invalid([&] { sortile::merge(in.first(5), in.subspan(5), in, by); }, {"overlap"});
  const std::vector<std::span<number>> runs = {in.first(5), out.first(7), in.subspan(5, 8988)};
  expect_invalid([&] { sortile::merge(runs, out, by); }, {"a run", "out", "overlap"});
  expect_invalid([&] { sortile::merge(runs, out.first(8999), by); }, {"all runs together", "9000", "8999"});
  expect_invalid([&] { sortile::sort(in.first(8000), in.subspan(1, 8000), by); }, {"in", "out", "overlap"});
  expect_invalid([&] { sort_by_key(in, values.span(), out, values.span(), by); }, {"in place"});
  expect_invalid([&] { sortile::sort(std::span<number>(static_cast<number*>(nullptr), 3), by); }, {"out", "null", "3"});
  expect_invalid([&] { sortile::sort(in, by, {.order = order::descending}); }, {"comparison", "direction"});
  expect_invalid([&] { sortile::sort(in, by, {.bits = {.begin = 1}}); }, {"whole elements"});
  expect_invalid([&] { sortile::sort(in, by, {.progress = [](double) { return true; }}); }, {"progress"});
  expect_invalid([&] { sortile::sort(in, by, {.workspace_limit = 5}); }, {"limit"});
  expect_refusal<engine_unusable>([&] { sortile::sort(in, by, {.engine = "cpu"}); }, status::engine_unusable,
                                  {"cpu", "a sort by a comparison"});
  expect_refusal<unknown_engine>([&] { sortile::sort(in, by, {.engine = "abacus"}); }, status::unknown_engine,
                                 {"abacus"});
  testing::guarded_buffer space(workspace_bytes(make_comparison_sort(in, out, by)) + 128, 0, 0, where);
  expect_refusal<workspace_too_small>([&] { sortile::sort(in, out, by, {.workspace = space.bytes().first(128)}); },
                                      status::workspace_too_small, {"bytes"});
  expect_invalid([&] { sortile::sort(in, out, by, {.workspace = space.bytes().subspan(1)}); },
                 {"workspace", "aligned"});
  keys.expect(keys_of<number>(form::random, 9000, 1), "nothing has moved");
}

} // namespace
} // namespace sortile::compare_tests::inline SORTILE_BACKEND
