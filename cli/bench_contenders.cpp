// See bench_contenders.hpp. The rivals compare as a program would: a < b on numbers, or (with NaN last) on floats.
#include "bench_contenders.hpp"

#include "files/memory.hpp"

#include <sortile/sortile.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace sortile::cli {

namespace {

// What a person writes to compare two keys; a NaN is larger than every number, so that the comparison is an order.
template <class K>
bool less(const K& a, const K& b) {
  if constexpr (std::is_same_v<K, half> || std::is_same_v<K, bfloat16>)
    return less(static_cast<float>(a), static_cast<float>(b));
  else if constexpr (std::is_floating_point_v<K>)
    return a < b || (b != b && a == a);
  else
    return a < b;
}

template <class K, class V>
struct pair_of {
  K key;
  V value;
};

template <class K>
const K& key_of(const K& key) {
  return key;
}
template <class K, class V>
const K& key_of(const pair_of<K, V>& pair) {
  return pair.key;
}

template <class Record>
int compare_records(const void* a, const void* b) {
  const Record& x = *static_cast<const Record*>(a);
  const Record& y = *static_cast<const Record*>(b);
  return less(key_of(x), key_of(y)) ? -1 : less(key_of(y), key_of(x)) ? 1 : 0;
}

template <class Record>
bool before(const Record& a, const Record& b) {
  return less(key_of(a), key_of(b));
}

// Arrays that every contender is given afresh.
template <class K, class V>
struct arrays {
  using record = std::conditional_t<std::is_void_v<V>, K, pair_of<K, std::conditional_t<std::is_void_v<V>, int, V>>>;
  explicit arrays(std::size_t n) : keys(n), work(n), records(n) {}
  files::raw_array<K> keys;         // as generated
  files::raw_array<K> work;         // what sortile sorts
  files::raw_array<record> records; // what the rivals sort
};

template <class K, class V>
std::vector<testing::timing> race_of(const bench_data& data, const options& opts, const testing::race_options& how) {
  constexpr bool pairs = !std::is_void_v<V>;
  using record = typename arrays<K, V>::record;
  const std::size_t n = data.shape.n;
  arrays<K, V> a(n);
  data.workload.fill(data.shape, 0, n, a.keys.data());
  std::vector<std::conditional_t<pairs, V, char>> values(pairs ? n : 0);
  const auto fresh_records = [&] {
    for (std::size_t i = 0; i < n; ++i) {
      if constexpr (pairs)
        a.records[i] = {a.keys[i], static_cast<V>(i)};
      else
        a.records[i] = a.keys[i];
    }
  };
  const auto fresh_keys = [&] {
    std::copy(a.keys.begin(), a.keys.end(), a.work.begin());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::conditional_t<pairs, V, char>>(i);
  };
  std::vector<testing::contender> contenders;
  contenders.push_back({"sortile", fresh_keys, [&] {
                          std::span<K> keys(a.work.data(), n);
                          if constexpr (pairs)
                            sort_by_key(keys, values, opts);
                          else
                            sort(keys, opts);
                        }});
  if constexpr (!pairs)
    contenders.push_back(
        {"std::sort", fresh_records, [&] { std::sort(a.records.begin(), a.records.end(), before<record>); }});
  contenders.push_back(
      {"qsort", fresh_records, [&] { std::qsort(a.records.data(), n, sizeof(record), compare_records<record>); }});
  contenders.push_back({"std::stable_sort", fresh_records,
                        [&] { std::stable_sort(a.records.begin(), a.records.end(), before<record>); }});
  std::vector<testing::timing> timings = testing::race(contenders, how);

  // One more run of each of the two stable ones, compared: a table of wrong results would be worthless.
  contenders.front().prepare();
  contenders.front().run();
  contenders.back().prepare();
  contenders.back().run();
  for (std::size_t i = 0; i < n; ++i) {
    bool same = compare_records<K>(&a.work[i], &key_of(a.records[i])) == 0;
    if constexpr (pairs)
      same = same && values[i] == a.records[i].value;
    if (!same)
      throw error(status::internal_error, "sortile and std::stable_sort differ at key " + std::to_string(i));
  }
  return timings;
}

template <class K>
std::vector<testing::timing> race_keys(const bench_data& data, const options& opts, const testing::race_options& how) {
  switch (data.value_bytes) {
  case 4:
    return race_of<K, std::uint32_t>(data, opts, how);
  case 8:
    return race_of<K, std::uint64_t>(data, opts, how);
  default:
    return race_of<K, void>(data, opts, how);
  }
}

} // namespace

std::vector<testing::timing> race_array_sorts(const bench_data& data, const options& opts,
                                              const testing::race_options& how) {
  switch (data.shape.type) {
  case key_type::u8:
    return race_keys<std::uint8_t>(data, opts, how);
  case key_type::u16:
    return race_keys<std::uint16_t>(data, opts, how);
  case key_type::u32:
    return race_keys<std::uint32_t>(data, opts, how);
  case key_type::u64:
    return race_keys<std::uint64_t>(data, opts, how);
  case key_type::u128:
    return race_keys<uint128>(data, opts, how);
  case key_type::i8:
    return race_keys<std::int8_t>(data, opts, how);
  case key_type::i16:
    return race_keys<std::int16_t>(data, opts, how);
  case key_type::i32:
    return race_keys<std::int32_t>(data, opts, how);
  case key_type::i64:
    return race_keys<std::int64_t>(data, opts, how);
  case key_type::i128:
    return race_keys<int128>(data, opts, how);
  case key_type::f16:
    return race_keys<half>(data, opts, how);
  case key_type::bf16:
    return race_keys<bfloat16>(data, opts, how);
  case key_type::f32:
    return race_keys<float>(data, opts, how);
  case key_type::f64:
    return race_keys<double>(data, opts, how);
  }
  return {};
}

} // namespace sortile::cli
