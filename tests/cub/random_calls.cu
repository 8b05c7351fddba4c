// Calls of cub.cuh drawn at random: types of keys and values, directions, bit windows, buffers, sizes and their types,
// segments that leave gaps or are none; each compared with the oracle's stable sort.
#include "tests/cub/fixture.hpp"
#include "tests/short_tests.hpp"

#include <tuple>

namespace sortile::cub_tests::inline SORTILE_BACKEND {
namespace {

using cub::DeviceMergeSort;
using cub::DeviceRadixSort;
using cub::DeviceSegmentedRadixSort;
using cub::DeviceSegmentedSort;
using cub::DeviceTopK;
using cub::DoubleBuffer;

template <std::size_t Bytes>
struct bytes_of {
  unsigned char all[Bytes];
};
struct none {};

struct draw {
  compare_tests::random_engine random;
  std::size_t below(std::size_t n) { return std::size_t(random()) % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::size_t size(std::size_t most) { return one_in(3) ? below(3) : below(most + 1); }
};

enum class buffers { apart, in_place, two };

template <class V>
std::vector<V> values_for(std::size_t n) {
  if constexpr (std::is_same_v<V, none>)
    return {};
  else
    return numbered<V>(n);
}

/// Arrays of one call; in place, output is input.
template <class K, class V>
struct arrays_of_call {
  static constexpr bool pairs = !std::is_same_v<V, none>;
  std::vector<K> keys;
  std::vector<V> values;
  buffers how;
  array<K> in, out;
  array<V> values_in, values_out;

  arrays_of_call(std::vector<K> k, buffers b)
      : keys(std::move(k)), values(values_for<V>(keys.size())), how(b), in(keys), out(keys), values_in(values),
        values_out(values) {}
  array<K>& to() { return how == buffers::in_place ? in : out; }
  array<V>& values_to() { return how == buffers::in_place ? values_in : values_out; }

  /// What `positions` takes to the places [first, …), the rest as it was.
  void expect(const std::vector<std::uint64_t>& positions, const std::string& what) {
    if (how != buffers::in_place) {
      if (how == buffers::apart)
        in.expect(keys, (what + ", input").c_str());
      to().expect(in_order(keys, positions), (what + ", keys").c_str());
      if constexpr (pairs)
        values_to().expect(in_order(values, positions), (what + ", values").c_str());
      return;
    }
    to().expect(in_order(keys, positions), (what + ", keys in place").c_str());
    if constexpr (pairs)
      values_to().expect(in_order(values, positions), (what + ", values in place").c_str());
  }
};

std::string named(const char* call, std::size_t n, const asked& a, buffers how, std::size_t key, std::size_t value) {
  return std::string(call) + ", n = " + std::to_string(n) + (a.descending ? ", descending" : "") + ", bits " +
         std::to_string(a.begin_bit) + " to " + std::to_string(a.end_bit) + ", buffers " + std::to_string(int(how)) +
         ", keys of " + std::to_string(key) + ", values of " + std::to_string(value);
}

template <class N, class K, class V>
void check_radix_sort(draw& d) {
  constexpr int width = 8 * sizeof(K);
  const std::size_t n = d.size(std::min<std::size_t>(many / 3, std::size_t(std::numeric_limits<N>::max())));
  asked a{.descending = d.one_in(2)};
  if (d.one_in(2)) {
    const int x = int(d.below(width + 1)), y = int(d.below(width + 1));
    a = {a.descending, std::min(x, y), std::max(x, y)};
  }
  const int end = a.end_bit < 0 ? width : a.end_bit;
  arrays_of_call<K, V> arrays(random_keys<K>(n, d.random()), buffers(d.below(3)));
  auto* const in = arrays.in.span().data();
  auto* const out = arrays.to().span().data();
  DoubleBuffer<K> keys(in, out);
  [[maybe_unused]] DoubleBuffer<V> values;
  const std::size_t off = d.below(200);
  if constexpr (arrays.pairs) {
    const V* const values_in = arrays.values_in.span().data();
    V* const values_out = arrays.values_to().span().data();
    values = {arrays.values_in.span().data(), values_out};
    in_two_phases(
        [&](void* s, std::size_t& b) {
          if (arrays.how == buffers::two)
            return a.descending ? DeviceRadixSort::SortPairsDescending(s, b, keys, values, N(n), a.begin_bit, end)
                                : DeviceRadixSort::SortPairs(s, b, keys, values, N(n), a.begin_bit, end);
          return a.descending
                     ? DeviceRadixSort::SortPairsDescending(s, b, in, out, values_in, values_out, N(n), a.begin_bit,
                                                            end)
                     : DeviceRadixSort::SortPairs(s, b, in, out, values_in, values_out, N(n), a.begin_bit, end);
        },
        off);
  } else {
    in_two_phases(
        [&](void* s, std::size_t& b) {
          if (arrays.how == buffers::two)
            return a.descending ? DeviceRadixSort::SortKeysDescending(s, b, keys, N(n), a.begin_bit, end)
                                : DeviceRadixSort::SortKeys(s, b, keys, N(n), a.begin_bit, end);
          return a.descending ? DeviceRadixSort::SortKeysDescending(s, b, in, out, N(n), a.begin_bit, end)
                              : DeviceRadixSort::SortKeys(s, b, in, out, N(n), a.begin_bit, end);
        },
        off);
  }
  const std::string what = named("radix sort", n, a, arrays.how, sizeof(K), std::is_same_v<V, none> ? 0 : sizeof(V));
  const auto positions = positions_in_order(arrays.keys, a);
  if (arrays.how != buffers::two)
    return arrays.expect(positions, what);
  const auto at = keys.Current() == in ? &arrays.in : &arrays.out;
  at->expect(in_order(arrays.keys, positions), what.c_str());
  if constexpr (arrays.pairs) {
    const auto values_at = values.Current() == arrays.values_in.span().data() ? &arrays.values_in : &arrays.values_out;
    values_at->expect(in_order(arrays.values, positions), (what + ", values").c_str());
  }
}

/// Segments with gaps, empty ones, and, where `wrong`, some that are none: ends before begins, ends beyond the arrays.
template <class Offset, class K, class V, bool Radix>
void check_segmented(draw& d) {
  constexpr int width = 8 * sizeof(K);
  const std::size_t n = d.size(many / 3);
  std::vector<Offset> begins, ends;
  std::vector<std::uint64_t> positions(n);
  std::iota(positions.begin(), positions.end(), 0u);
  asked a{.descending = d.one_in(2)};
  if (Radix && d.one_in(2)) {
    const int x = int(d.below(width + 1)), y = int(d.below(width + 1));
    a = {a.descending, std::min(x, y), std::max(x, y)};
  }
  arrays_of_call<K, V> arrays(random_keys<K>(n, d.random()), d.one_in(2) ? buffers::apart : buffers::in_place);
  const bool wrong = d.one_in(3), neighbours = !wrong && d.one_in(2);
  const std::size_t longest = d.one_in(2) ? 40 : n;
  for (std::size_t at = d.below(3); at <= n && begins.size() < 3000;) {
    if (wrong && d.one_in(4)) { // empty, whatever it says
      begins.push_back(Offset(at + 1 + d.below(5)));
      ends.push_back(Offset(at));
    }
    const std::size_t length = d.one_in(4) ? 0 : d.below(std::min(longest, n - at) + 1);
    const bool beyond = wrong && at + length == n && d.one_in(2);
    begins.push_back(Offset(at));
    ends.push_back(Offset(at + length + (beyond ? 7 : 0)));
    const auto sorted = positions_in_order(arrays.keys, a, at, at + length);
    std::copy(sorted.begin(), sorted.end(), positions.begin() + std::ptrdiff_t(at));
    at += length + (neighbours ? 0 : d.below(4));
    if (at == n && d.one_in(3))
      break;
  }
  std::vector<Offset> offsets = begins;
  offsets.push_back(ends.empty() ? Offset(0) : ends.back());
  const array<Offset> at_begins(neighbours ? offsets : begins), at_ends(ends);
  array<Offset>& from = const_cast<array<Offset>&>(at_begins);
  const Offset* const b = from.span().data();
  const Offset* const e = neighbours ? b + 1 : const_cast<array<Offset>&>(at_ends).span().data();
  const auto count = std::int64_t(begins.size());
  const K* const in = arrays.in.span().data();
  K* const out = arrays.to().span().data();
  const int end = a.end_bit < 0 ? width : a.end_bit;
  const auto call = [&](void* s, std::size_t& bytes) {
    if constexpr (arrays.pairs) {
      const V* const values_in = arrays.values_in.span().data();
      V* const values_out = arrays.values_to().span().data();
      if constexpr (Radix)
        return a.descending
                   ? DeviceSegmentedRadixSort::SortPairsDescending(s, bytes, in, out, values_in, values_out,
                                                                   std::int64_t(n), count, b, e, a.begin_bit, end)
                   : DeviceSegmentedRadixSort::SortPairs(s, bytes, in, out, values_in, values_out, std::int64_t(n),
                                                         count, b, e, a.begin_bit, end);
      else
        return a.descending ? DeviceSegmentedSort::SortPairsDescending(s, bytes, in, out, values_in, values_out,
                                                                       std::int64_t(n), count, b, e)
                            : DeviceSegmentedSort::StableSortPairs(s, bytes, in, out, values_in, values_out,
                                                                   std::int64_t(n), count, b, e);
    } else if constexpr (Radix) {
      return a.descending ? DeviceSegmentedRadixSort::SortKeysDescending(s, bytes, in, out, std::int64_t(n), count, b,
                                                                         e, a.begin_bit, end)
                          : DeviceSegmentedRadixSort::SortKeys(s, bytes, in, out, std::int64_t(n), count, b, e,
                                                               a.begin_bit, end);
    } else {
      return a.descending
                 ? DeviceSegmentedSort::StableSortKeysDescending(s, bytes, in, out, std::int64_t(n), count, b, e)
                 : DeviceSegmentedSort::SortKeys(s, bytes, in, out, std::int64_t(n), count, b, e);
    }
  };
#if !SORTILE_ON_CUDA // in host memory offsets are looked at
  if (wrong) {
    std::size_t bytes = 0;
    expect_success(call(nullptr, bytes));
    testing::guarded_buffer storage(bytes, 0, 1, where);
    if (const cudaError_t result = call(storage.data(), bytes); result != cudaSuccess) {
      EXPECT_EQ(result, cudaErrorInvalidValue);
      return;
    }
    return arrays.expect(positions, "segments");
  }
#endif
  in_two_phases(call, d.below(200));
  arrays.expect(positions, named("segments", n, a, arrays.how, sizeof(K), std::is_same_v<V, none> ? 0 : sizeof(V)) +
                               ", " + std::to_string(count) + " segments");
}

template <class K, class V>
void check_top_k(draw& d) {
  const std::size_t n = d.size(many / 3), k = d.below(n + 1);
  const bool largest = d.one_in(2);
  arrays_of_call<K, V> arrays(random_keys<K>(n, d.random()), buffers::apart);
  const K* const in = arrays.in.span().data();
  array<K> out(k);
  array<V> values_out(k);
  in_two_phases(
      [&](void* s, std::size_t& b) {
        if constexpr (arrays.pairs) {
          const V* const values_in = arrays.values_in.span().data();
          return largest ? DeviceTopK::MaxPairs(s, b, in, out.span().data(), values_in, values_out.span().data(), n, k)
                         : DeviceTopK::MinPairs(s, b, in, out.span().data(), values_in, values_out.span().data(), n, k);
        } else {
          return largest ? DeviceTopK::MaxKeys(s, b, in, out.span().data(), n, k)
                         : DeviceTopK::MinKeys(s, b, in, out.span().data(), n, k);
        }
      },
      d.below(200));
  auto positions = positions_in_order(arrays.keys, {.descending = largest});
  positions.resize(k);
  const std::string what = "top " + std::to_string(k) + " of " + std::to_string(n) + (largest ? ", largest" : "") +
                           ", keys of " + std::to_string(sizeof(K)) + ", values of " + std::to_string(sizeof(V));
  out.expect(in_order(arrays.keys, positions), what.c_str());
  if constexpr (arrays.pairs)
    values_out.expect(in_order(arrays.values, positions), (what + ", values").c_str());
}

/// By a captured number, and every third element by itself: orders, weak orders and what is none.
template <class T>
struct by_first_byte {
  unsigned mask = 0xff;
  bool broken = false;
  SORTILE_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    const auto first = [this](const T& t) { return unsigned(reinterpret_cast<const unsigned char*>(&t)[0]) & mask; };
    return broken ? (first(a) * 7 + first(b) * 3) % 5 < 2 : first(a) < first(b);
  }
};

template <class T>
std::vector<T> random_bytes(std::size_t n, draw& d) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n * sizeof(T); ++i)
    reinterpret_cast<unsigned char*>(v.data())[i] = static_cast<unsigned char>(d.random());
  return v;
}

template <class T, class V>
void check_merge_sort(draw& d) {
  const std::size_t n = d.size(many / 3);
  const by_first_byte<T> less{.mask = d.one_in(2) ? 0xffu : unsigned(d.below(256)), .broken = d.one_in(4)};
  arrays_of_call<T, V> arrays(random_bytes<T>(n, d), buffers::apart);
  const T* const in = arrays.in.span().data();
  const bool copies = d.one_in(2);
  if (!copies)
    arrays.how = buffers::in_place;
  T* const keys = arrays.to().span().data();
  in_two_phases(
      [&](void* s, std::size_t& b) {
        if constexpr (arrays.pairs) {
          V* const values = arrays.values_to().span().data();
          return copies
                     ? DeviceMergeSort::SortPairsCopy(s, b, in, static_cast<const V*>(arrays.values_in.span().data()),
                                                      keys, values, std::int64_t(n), less)
                     : DeviceMergeSort::StableSortPairs(s, b, keys, values, std::int64_t(n), less);
        } else {
          return copies ? DeviceMergeSort::StableSortKeysCopy(s, b, in, keys, std::int64_t(n), less)
                        : DeviceMergeSort::SortKeys(s, b, keys, std::int64_t(n), less);
        }
      },
      d.below(200));
  std::vector<std::uint64_t> positions(n);
  std::iota(positions.begin(), positions.end(), 0u);
  const std::string what = "elements of " + std::to_string(sizeof(T)) + ", n = " + std::to_string(n);
  if (!less.broken) {
    std::stable_sort(positions.begin(), positions.end(),
                     [&](std::uint64_t x, std::uint64_t y) { return less(arrays.keys[x], arrays.keys[y]); });
    return arrays.expect(positions, what);
  }
  // No order at all: whatever comes out, nothing is lost.
  const auto all_of = [n](const T* t) {
    std::vector<std::string> v;
    for (std::size_t i = 0; i < n; ++i)
      v.emplace_back(reinterpret_cast<const char*>(&t[i]), sizeof(T));
    std::sort(v.begin(), v.end());
    return v;
  };
  EXPECT_EQ(all_of(keys), all_of(arrays.keys.data())) << what << ", no order";
}

template <class... K>
using types = std::tuple<K...>;
using all_keys = types<std::uint8_t, std::int16_t, __half, __nv_bfloat16, std::uint32_t, float, std::int64_t, double,
                       unsigned __int128>;
using all_values = types<none, std::uint32_t, bytes_of<3>, bytes_of<12>, bytes_of<24>, std::uint64_t>;

template <std::size_t I, class T>
struct numbered_type {
  static constexpr std::size_t number = I;
  using type = T;
};

template <class List, class Work>
void with_one_of(List, std::size_t which, const Work& work) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    static_cast<void>(((I == which && (work(numbered_type<I, std::tuple_element_t<I, List>>{}), true)) || ...));
  }
  (std::make_index_sequence<std::tuple_size_v<List>>{});
}

/// Types of keys and of values go each with all; what else differs between calls goes round, so that every one of it
/// meets all keys and all values: all with all would take minutes to compile.
template <class List, class Key, class Value>
using one_for = std::tuple_element_t<(Key::number + Value::number) % std::tuple_size_v<List>, List>;

/// `draws` of them, each from a seed of its own, which a failure prints.
template <class Check>
void each_seed(unsigned draws, const Check& check) {
  const char* const given = std::getenv("SORTILE_FUZZ_DRAWS");
  const unsigned all = given == nullptr ? testing::unless_short(draws, draws / 4) : unsigned(std::atoi(given));
  for (unsigned seed = 0; seed < all && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    draw d{compare_tests::random_engine(seed + 900)};
    check(d);
  }
}

SIMT_TEST(cub_random, radix_sorts) {
  using counts = types<short, std::uint32_t, long long, std::size_t>;
  each_seed(300, [](draw& d) {
    with_one_of(all_keys{}, d.below(9), [&]<class K>(K) {
      with_one_of(all_values{}, d.below(6),
                  [&]<class V>(V) { check_radix_sort<one_for<counts, K, V>, typename K::type, typename V::type>(d); });
    });
  });
}

SIMT_TEST(cub_random, sorts_within_segments) {
  using values = types<none, std::uint32_t, std::uint64_t, unsigned __int128>;
  using offsets = types<int, std::uint64_t>;
  each_seed(300, [](draw& d) {
    with_one_of(all_keys{}, d.below(9), [&]<class K>(K) {
      with_one_of(values{}, d.below(4), [&]<class V>(V) {
        using offset = one_for<offsets, K, V>;
        check_segmented<offset, typename K::type, typename V::type, std::is_same_v<offset, int>>(d);
      });
    });
  });
}

SIMT_TEST(cub_random, first_ones) {
  each_seed(200, [](draw& d) {
    with_one_of(all_keys{}, d.below(9), [&]<class K>(K) {
      with_one_of(all_values{}, d.below(6), [&]<class V>(V) { check_top_k<typename K::type, typename V::type>(d); });
    });
  });
}

/// Each of these brings kernels of its own to compile: so every kind of element goes alone or with values, not both.
SIMT_TEST(cub_random, sorts_by_a_functor) {
  each_seed(200, [](draw& d) {
    switch (d.below(6)) {
    case 0:
      return check_merge_sort<bytes_of<1>, none>(d);
    case 1:
      return check_merge_sort<bytes_of<3>, bytes_of<12>>(d);
    case 2:
      return check_merge_sort<bytes_of<7>, none>(d);
    case 3:
      return check_merge_sort<bytes_of<33>, bytes_of<12>>(d);
    case 4:
      return check_merge_sort<bytes_of<64>, none>(d);
    default:
      return check_merge_sort<std::uint64_t, bytes_of<12>>(d);
    }
  });
}

} // namespace
} // namespace sortile::cub_tests::inline SORTILE_BACKEND
