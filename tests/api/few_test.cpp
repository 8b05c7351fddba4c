// Few keys, which are sorted in the caller's own code (few.hpp): bit for bit as the library sorts them, which run()
// does, by whatever options, and with the library's refusals.
#include "tests/expect_refusal.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <random>
#include <string>
#include <string_view>

namespace sortile::testing {
namespace {

constexpr std::size_t numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 16, 17, 31, 32, 33};

/// The first call of a process finds out what there is to be asked.
bool door_opens() {
  std::array<std::uint32_t, 2> keys = {2, 1};
  sortile::sort(keys);
  return detail::few_door_is_open();
}

/// Puts keys in order, or against it, or exchanges two of such, puts some elsewhere, or makes two runs of them.
template <class K>
void arrange(std::vector<K>& keys, std::mt19937_64& random) {
  const auto image = [](const K& key) {
    return detail::image_of<key_type_of<K>>(std::bit_cast<detail::word_of<K>>(key));
  };
  std::sort(keys.begin(), keys.end(), [&](const K& a, const K& b) { return image(a) < image(b); });
  const std::uint64_t drawn = random();
  if (drawn % 2 == 0)
    std::reverse(keys.begin(), keys.end());
  if (drawn % 3 == 0 && !keys.empty())
    std::swap(keys[random() % keys.size()], keys[random() % keys.size()]);
  for (std::uint64_t left = drawn % 7 == 0 && !keys.empty() ? drawn / 7 % 4 : 0; left > 0; --left) {
    const auto from = keys.begin() + static_cast<std::ptrdiff_t>(random() % keys.size());
    const K moved = *from;
    keys.erase(from);
    keys.insert(keys.begin() + static_cast<std::ptrdiff_t>(random() % (keys.size() + 1)), moved);
  }
  if (drawn % 5 == 0 && !keys.empty())
    std::rotate(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(random() % keys.size()), keys.end());
}

/// Few different keys, so that some are equal, and the extremes of their bits: −0, infinities and NaNs of both signs.
template <class K>
std::vector<K> draw(std::size_t n, std::mt19937_64& random) {
  using word = detail::word_of<K>;
  constexpr unsigned bits = 8 * sizeof(K);
  std::vector<K> keys(n);
  for (K& key : keys) {
    auto drawn = static_cast<word>(random());
    if constexpr (sizeof(K) == 16)
      drawn = drawn << 64 | random();
    switch (random() % 4) {
    case 0: // signs and exponents, among them infinities, and zeros
      drawn = static_cast<word>(random() % 2 == 0 ? word{0} : static_cast<word>(~word{0}));
      drawn = static_cast<word>(drawn << (random() % bits));
      break;
    case 1: // such with one bit more
      drawn = static_cast<word>(static_cast<word>(static_cast<word>(~word{0}) << (random() % bits)) ^ word{1});
      break;
    case 2: // small numbers
      drawn = static_cast<word>(random() % 3);
      break;
    default:
      break;
    }
    if constexpr (std::is_same_v<K, bool>)
      drawn &= 1;
    key = std::bit_cast<K>(drawn);
  }
  if (random() % 2 == 0)
    arrange(keys, random);
  return keys;
}

template <class T>
bool are_same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

struct three_bytes {
  std::uint8_t a, b, c;
};
struct sixteen_bytes {
  std::uint64_t a, b;
};
struct twenty_four_bytes {
  std::uint64_t a, b, c;
};
struct sixty_five_bytes { // which the library moves
  std::uint8_t bytes[65];
};
struct with_a_constant { // copied as bytes, and never assigned
  const std::uint32_t a;
};

template <class V>
V value_of(std::size_t i) {
  V value{};
  const auto number = static_cast<std::uint8_t>(i + 1);
  std::memcpy(static_cast<void*>(&value), &number, 1);
  return value;
}

template <class K>
class few : public ::testing::Test {
 public:
  /// Options that leave few keys to the caller's own code; the second are as they are by default.
  static constexpr std::size_t ways = 7;
  static options way(std::size_t which) {
    constexpr unsigned width = 8 * sizeof(K);
    constexpr bit_window bits[] = {{}, {}, {}, {width / 4, width / 2}, {0, width - 1}, {width / 2}, {3, 3}};
    return {.order = which % 2 == 0 ? order::ascending : order::descending,
            .bits = bits[which],
            .threads = which < 2 ? 0u : 1u};
  }

  static void expect_keys_alike(const std::vector<K>& keys) {
    for (std::size_t which = 0; which < ways; ++which) {
      const options opts = way(which);
      std::vector<K> here = keys, there = keys;
      which == 0 ? sortile::sort(here) : sortile::sort(here, opts);
      run({.type = key_type_of<K>, .n = there.size(), .keys_in = there.data(), .keys_out = there.data()}, opts);
      EXPECT_TRUE(are_same_bits(here, there)) << keys.size() << ", way " << which;
      std::vector<K> given = keys, apart(keys.size());
      which == 0 ? sortile::sort(given, apart) : sortile::sort(given, apart, opts);
      EXPECT_TRUE(are_same_bits(apart, there)) << keys.size() << " apart, way " << which;
      EXPECT_TRUE(are_same_bits(given, keys)) << keys.size() << ", way " << which;
    }
  }

  template <class V>
  static void expect_pairs_alike(const std::vector<K>& keys) {
    for (std::size_t which = 0; which < ways; ++which)
      expect_pairs_alike<V>(keys, which);
  }

  template <class V>
  static void expect_pairs_alike(const std::vector<K>& keys, std::size_t which) {
    const options opts = way(which);
    std::vector<K> here = keys, there = keys;
    std::vector<V> with_here, with_there;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      with_here.push_back(value_of<V>(i));
      with_there.push_back(value_of<V>(i));
    }
    which == 0 ? sortile::sort_by_key(here, with_here) : sortile::sort_by_key(here, with_here, opts);
    run({.type = key_type_of<K>,
         .n = there.size(),
         .keys_in = there.data(),
         .keys_out = there.data(),
         .carries = payload::values,
         .value_bytes = sizeof(V),
         .values_in = with_there.data(),
         .values_out = with_there.data()},
        opts);
    EXPECT_TRUE(are_same_bits(here, there)) << keys.size();
    EXPECT_TRUE(are_same_bits(with_here, with_there)) << keys.size() << " values of " << sizeof(V);
    std::vector<K> apart(keys.size());
    std::vector<V> given, with_apart(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
      given.push_back(value_of<V>(i));
    which == 0 ? sortile::sort_by_key(keys, given, apart, with_apart)
               : sortile::sort_by_key(keys, given, apart, with_apart, opts);
    EXPECT_TRUE(are_same_bits(apart, there)) << keys.size() << " apart";
    EXPECT_TRUE(are_same_bits(with_apart, with_there)) << keys.size() << " values of " << sizeof(V) << " apart";
  }

  template <class Index>
  static void expect_positions_alike(const std::vector<K>& keys) {
    for (std::size_t which = 0; which < ways; ++which) {
      const options opts = way(which);
      std::vector<Index> here(keys.size()), there(keys.size());
      which == 0 ? sortile::argsort(keys, here) : sortile::argsort(keys, here, opts);
      run({.type = key_type_of<K>,
           .n = keys.size(),
           .keys_in = keys.data(),
           .carries = payload::indices,
           .value_bytes = sizeof(Index),
           .values_out = there.data()},
          opts);
      EXPECT_EQ(here, there) << "way " << which;
    }
  }
};

enum class signed_choice : std::int16_t { low = -5, high = 5 };

using every_kind =
    ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, uint128, std::int8_t, std::int16_t,
                     std::int32_t, std::int64_t, int128, half, bfloat16, float, double, char, signed_choice>;
using some_kinds = ::testing::Types<std::uint8_t, std::int16_t, std::uint32_t, double>;

/// Sanitizers take minutes to compile all of them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif
using key_types = std::conditional_t<is_sanitized, some_kinds, every_kind>;
TYPED_TEST_SUITE(few, key_types);

/// Where values go does not depend on the keys: values of all kinds go with one, and programs that try all with all
/// take minutes to compile.
template <class K>
constexpr bool has_all_values = std::is_same_v<K, std::uint32_t>;

TYPED_TEST(few, are_sorted_as_the_library_sorts_them) {
  if (!door_opens())
    GTEST_SKIP() << "libraries were loaded after the start, so all calls go to the library";
  std::mt19937_64 random(sizeof(TypeParam));
  for (const std::size_t n : numbers)
    for (int round = 0; round < 100; ++round) {
      const std::vector<TypeParam> keys = draw<TypeParam>(n, random);
      this->expect_keys_alike(keys);
      this->template expect_pairs_alike<std::uint32_t>(keys);
      this->template expect_positions_alike<std::uint32_t>(keys);
      if constexpr (has_all_values<TypeParam>) {
        this->template expect_pairs_alike<std::uint8_t>(keys);
        this->template expect_pairs_alike<sixteen_bytes>(keys);
        this->template expect_pairs_alike<three_bytes>(keys);
        this->template expect_pairs_alike<twenty_four_bytes>(keys);
        this->template expect_pairs_alike<sixty_five_bytes>(keys);
        this->template expect_positions_alike<std::int64_t>(keys);
      }
      ASSERT_FALSE(this->HasFailure());
    }
}

TYPED_TEST(few, show_whether_they_are_in_order) {
  std::mt19937_64 random(sizeof(TypeParam) + 1);
  for (const std::size_t n : {0, 1, 2, 3, 5, 8, 9, 11, 63, 64, 65, 100})
    for (int round = 0; round < 100; ++round)
      for (const order direction : {order::ascending, order::descending}) {
        const options opts{.order = direction};
        std::vector<TypeParam> keys = draw<TypeParam>(n, random);
        const auto disorder = [&] { return first_disorder(key_type_of<TypeParam>, keys.data(), n, opts).has_value(); };
        ASSERT_EQ(sortile::is_sorted(keys, opts), !disorder()) << n;
        ASSERT_EQ(direction == order::ascending ? sortile::is_sorted(keys) : !disorder(), !disorder()) << n;
        sortile::sort(keys, opts);
        ASSERT_TRUE(sortile::is_sorted(keys, opts)) << n;
        ASSERT_FALSE(disorder()) << n;
      }
}

struct box {
  double weight;
  std::int16_t size;
  std::uint32_t number;
  bool operator==(const box&) const = default;
};

/// By a member, and throws where a comparison is as many as were left. One type for all calls: each is compiled with a
/// sort of its own.
struct by_size {
  std::size_t* left = nullptr;
  bool operator()(const box& a, const box& b) const {
    if (left != nullptr && (*left)-- == 0)
      throw 1;
    return a.size < b.size;
  }
};

std::vector<box> draw_boxes(std::size_t n, std::mt19937_64& random) {
  const std::array<double, 6> weights = {-0.0, 0.0, std::numeric_limits<double>::quiet_NaN(), 1, -1, 2};
  std::vector<box> boxes;
  for (std::uint32_t i = 0; i < n; ++i)
    boxes.push_back({weights[random() % weights.size()], static_cast<std::int16_t>(random() % 5), i});
  return boxes;
}

std::vector<std::uint32_t> numbers_of(const std::vector<box>& boxes) {
  std::vector<std::uint32_t> numbers;
  for (const box& b : boxes)
    numbers.push_back(b.number);
  return numbers;
}

/// Sorts by the images of weights, descending, then by sizes.
void put_in_order(std::vector<box>& boxes) {
  const auto image = [](const box& b) {
    return detail::image_of<key_type::f64>(std::bit_cast<std::uint64_t>(b.weight));
  };
  std::stable_sort(boxes.begin(), boxes.end(), [&](const box& a, const box& b) {
    return image(a) != image(b) ? image(a) > image(b) : a.size < b.size;
  });
}

/// In order, or but for two that are exchanged, every second time.
void arrange_boxes(std::vector<box>& boxes, std::mt19937_64& random) {
  if (random() % 2 == 0 || boxes.empty())
    return;
  put_in_order(boxes);
  if (random() % 2 == 0)
    std::swap(boxes[random() % boxes.size()], boxes[random() % boxes.size()]);
}

TEST(few_structs, are_sorted_by_their_keys) {
  std::mt19937_64 random(7);
  for (std::size_t n = 0; n < 24; ++n)
    for (int round = 0; round < 200; ++round) {
      std::vector<box> boxes = draw_boxes(n, random);
      arrange_boxes(boxes, random);
      std::vector<box> here = boxes, there = boxes;
      put_in_order(there);
      sortile::sort(here, by(&box::weight, order::descending), by(&box::size));
      ASSERT_EQ(numbers_of(here), numbers_of(there)) << n;
      const auto weight = [](const box& b) { return b.weight; };
      here = boxes;
      sortile::sort(here, by(weight, order::descending), by(&box::size));
      ASSERT_EQ(numbers_of(here), numbers_of(there)) << n;
      here = boxes;
      sortile::sort(here, by(weight), by([](const box& b) { return ~b.size; }), options{.order = order::descending});
      ASSERT_EQ(numbers_of(here), numbers_of(there)) << n;
      std::vector<std::uint32_t> positions =
          sortile::argsort<std::uint32_t>(boxes, by(weight, order::descending), by(&box::size));
      std::vector<std::uint32_t> found;
      for (const std::uint32_t position : positions)
        found.push_back(boxes[position].number);
      ASSERT_EQ(found, numbers_of(there)) << n;
      std::deque<box> scattered(boxes.begin(), boxes.end());
      sortile::sort(scattered, by(weight, order::descending), by(&box::size));
      ASSERT_EQ(numbers_of({scattered.begin(), scattered.end()}), numbers_of(there)) << n;
    }
}

TEST(few_structs, are_read_once_each_and_stay_where_a_key_cannot_be_had) {
  std::mt19937_64 random(9);
  for (std::size_t n = 2; n < 20; ++n) {
    const std::vector<box> boxes = draw_boxes(n, random);
    std::vector<box> here = boxes;
    std::vector<std::uint32_t> read;
    const auto size = [&](const box& b) { return read.push_back(b.number), b.size; };
    sortile::sort(here, by(size));
    EXPECT_EQ(read, numbers_of(boxes));
    here = boxes;
    const auto last = [&](const box& b) { return b.number + 1 == n ? throw 1 : b.size; };
    EXPECT_THROW(sortile::sort(here, by(last)), int);
    EXPECT_EQ(numbers_of(here), numbers_of(boxes));
    EXPECT_THROW(sortile::sort(here, by([](const box& b) { return b.size; }, static_cast<order>(2))), error);
  }
}

TEST(few_structs, of_any_kind_are_sorted_by_a_comparison) {
  std::mt19937_64 random(10);
  for (std::size_t n = 0; n < 20; ++n)
    for (int round = 0; round < 50; ++round) {
      std::vector<std::string> words;
      for (std::size_t i = 0; i < n; ++i)
        words.push_back(std::to_string(random() % 20) + " is a word that is longer than others, number " +
                        std::to_string(i));
      const auto shorter = [](const std::string& a, const std::string& b) { return a.substr(0, 2) < b.substr(0, 2); };
      std::vector<std::string> here = words, there = words;
      std::stable_sort(there.begin(), there.end(), shorter);
      sortile::sort(here, shorter);
      ASSERT_EQ(here, there) << n;
      std::deque<std::string> scattered(words.begin(), words.end());
      sortile::sort(scattered, shorter);
      ASSERT_TRUE(std::equal(scattered.begin(), scattered.end(), there.begin(), there.end())) << n;
    }
}

TEST(few_structs, are_sorted_by_a_comparison_as_many_are) {
  std::mt19937_64 random(8);
  for (std::size_t n = 0; n < 20; ++n)
    for (int round = 0; round < 100; ++round) {
      const std::vector<box> boxes = draw_boxes(n, random);
      std::vector<box> here = boxes, there = boxes;
      arrange_boxes(here, random);
      there = here;
      sortile::sort(here, by_size{});
      std::stable_sort(there.begin(), there.end(), by_size{});
      ASSERT_EQ(numbers_of(here), numbers_of(there)) << n;

      here = boxes;
      std::size_t left = random() % 40;
      try {
        sortile::sort(here, by_size{&left});
      } catch (int) {
      }
      std::vector<std::uint32_t> numbers = numbers_of(here);
      std::sort(numbers.begin(), numbers.end());
      ASSERT_EQ(numbers, numbers_of(boxes)) << "none is lost where a comparison throws";
    }
}

TEST(few_structs, are_refused_as_many_are) {
  std::array<box, 4> boxes{};
  const by_size smaller;
  const std::span<box> nowhere(static_cast<box*>(nullptr), 3);
  expect_invalid([&] { sortile::sort(nowhere, smaller); }, {"null"});
  expect_invalid([&] { sortile::sort(boxes, smaller, {.order = order::descending}); }, {"order"});
  expect_invalid([&] { sortile::sort(boxes, smaller, {.bits = {0, 3}}); }, {"bits"});
  int told = 0;
  options opts;
  opts.progress = [&](double) { return ++told > 0; };
  sortile::sort(boxes, smaller, opts);
  EXPECT_GT(told, 0);
}

TEST(few_keys, take_values_that_cannot_be_assigned) {
  std::array<float, 3> keys = {3, 1, 2};
  std::array<with_a_constant, 3> values = {{{30}, {10}, {20}}};
  sortile::sort_by_key(keys, values);
  for (std::size_t i = 0; i < keys.size(); ++i)
    EXPECT_EQ(values[i].a, 10 * static_cast<std::uint32_t>(keys[i]));
  std::array<float, 9> nearly = {1, 2, 8, 4, 5, 6, 7, 3, 9};
  std::array<with_a_constant, 9> of_these = {{{10}, {20}, {80}, {40}, {50}, {60}, {70}, {30}, {90}}};
  sortile::sort_by_key(nearly, of_these);
  for (std::size_t i = 0; i < nearly.size(); ++i)
    EXPECT_EQ(of_these[i].a, 10 * static_cast<std::uint32_t>(i + 1));
}

TEST(few_keys, with_other_options_are_the_librarys) {
  std::array<std::uint32_t, 4> keys = {4, 3, 2, 1}, values{}, positions{};
  int told = 0;
  options opts;
  opts.progress = [&](double) { return ++told > 0; };
  const auto is_told = [&](auto call) {
    told = 0;
    call();
    return told > 0;
  };
  EXPECT_TRUE(is_told([&] { sortile::sort(keys, opts); }));
  EXPECT_TRUE(is_told([&] { sortile::sort_by_key(keys, values, opts); }));
  EXPECT_TRUE(is_told([&] { sortile::argsort(keys, positions, opts); }));
  const auto refused = [&](const options& wrong, const char* said) {
    expect_invalid([&] { sortile::sort(keys, wrong); }, {said});
    expect_invalid([&] { sortile::sort_by_key(keys, values, wrong); }, {said});
    expect_invalid([&] { sortile::argsort(keys, positions, wrong); }, {said});
    expect_invalid([&] { static_cast<void>(sortile::is_sorted(keys, wrong)); }, {said});
  };
  refused({.order = static_cast<order>(2)}, "order");
  refused({.bits = {5, 4}}, "bit window");
  refused({.bits = {0, 33}}, "bit window");
  EXPECT_THROW(sortile::sort(keys, {.engine = "none"}), unknown_engine);
  EXPECT_THROW(static_cast<void>(sortile::is_sorted(keys, {.engine = "none"})), unknown_engine);
  keys = {0x12, 0x21, 0x11, 0x22};
  sortile::sort(keys, {.bits = {0, 4}});
  EXPECT_EQ(keys, (std::array<std::uint32_t, 4>{0x21, 0x11, 0x12, 0x22}));
}

/// The door opens by whatever call is the first.
class first_call : public ::testing::TestWithParam<int> {};

TEST_P(first_call, opens_the_door) {
  GTEST_FLAG_SET(death_test_style, "threadsafe"); // begins the process anew
  const auto call = [which = GetParam()] {
    std::array<box, 2> boxes{};
    std::array<std::uint32_t, 2> keys = {2, 1}, values{};
    std::array<std::string_view, 2> names = {"b", "a"};
    switch (which) {
    case 0:
      return sortile::sort(keys, {.threads = 1});
    case 1:
      return sortile::sort_by_key(keys, values, {.order = order::descending});
    case 2:
      return sortile::sort(boxes, by(&box::size));
    case 3:
      return sortile::sort(boxes, by_size{});
    case 4:
      return sortile::sort_strings(names);
    default:
      return static_cast<void>(sortile::is_sorted(keys, {.order = order::descending}));
    }
  };
  EXPECT_EXIT(
      {
        const bool was_open = detail::few_door_is_open();
        call();
        const bool is_open = detail::few_door_is_open(); // not where libraries were loaded after the start
        std::_Exit(!was_open && (is_open || !door_opens()) ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}
INSTANTIATE_TEST_SUITE_P(of_a_process, first_call, ::testing::Range(0, 6));

template <class String>
void expect_strings_alike(const std::vector<std::string>& drawn) {
  const std::vector<String> strings(drawn.begin(), drawn.end());
  for (const order direction : {order::ascending, order::descending}) {
    const options opts{.order = direction};
    std::vector<String> here = strings, there = strings;
    sortile::sort_strings(here, opts);
    std::stable_sort(there.begin(), there.end(),
                     [&](const String& a, const String& b) { return direction == order::descending ? b < a : a < b; });
    EXPECT_EQ(here, there);
    std::vector<std::uint32_t> order(strings.size());
    for (std::uint32_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return direction == order::descending ? strings[b] < strings[a] : strings[a] < strings[b];
    });
    EXPECT_EQ(sortile::argsort_strings<std::uint32_t>(strings, opts), order);
  }
}

TEST(few_strings, are_sorted_as_many_are) {
  std::mt19937_64 random(9);
  for (std::size_t n = 0; n < 20; ++n)
    for (int round = 0; round < 200; ++round) {
      std::vector<std::string> strings;
      for (std::size_t i = 0; i < n; ++i) {
        const std::string letters[] = {"", "a", "b", "\xff", std::string(1, '\0'), "a longer one than a string holds"};
        strings.push_back(letters[random() % 6] + letters[random() % 6]);
      }
      expect_strings_alike<std::string>(strings);
      expect_strings_alike<std::string_view>(strings);
      ASSERT_FALSE(::testing::Test::HasFailure()) << n;
    }
}

TEST(few_strings, are_refused_as_many_are) {
  std::array<std::string_view, 3> views = {"b", std::string_view(static_cast<const char*>(nullptr), 0), "a"};
  sortile::sort_strings(views);
  EXPECT_EQ(views[2], "b");
  expect_invalid([&] { sortile::sort_strings(views, {.bits = {0, 3}}); }, {"bits"});
  expect_invalid([&] { sortile::sort_strings(views, {.order = static_cast<order>(2)}); }, {"order"});
  EXPECT_THROW(sortile::sort_strings(views, {.engine = "none"}), unknown_engine);
}

TEST(few_keys, are_refused_as_many_are) {
  for (const std::size_t n : numbers) {
    if (n < 2)
      continue;
    alignas(16) std::byte room[512] = {};
    const auto at = [&](std::size_t byte) { return std::span(reinterpret_cast<std::uint32_t*>(room + byte), n); };
    const std::span<std::uint32_t> nowhere(static_cast<std::uint32_t*>(nullptr), n);
    const std::size_t beside = sizeof(std::uint32_t) * n;
    expect_invalid([&] { sortile::sort(nowhere); }, {"keys_in is null"});
    expect_invalid([&] { sortile::sort(at(1)); }, {"keys_in is not aligned"});
    expect_invalid([&] { sortile::sort_by_key(nowhere, at(0)); }, {"keys_in is null"});
    expect_invalid([&] { sortile::sort_by_key(at(0), nowhere); }, {"values_in is null"});
    expect_invalid([&] { sortile::sort_by_key(at(2), at(256)); }, {"keys_in is not aligned"});
    expect_invalid([&] { sortile::sort_by_key(at(0), at(beside - 4)); }, {"overlap"});
    expect_invalid([&] { sortile::sort_by_key(at(beside - 4), at(0)); }, {"overlap"});
    expect_invalid([&] { sortile::argsort(nowhere, at(0)); }, {"keys_in is null"});
    expect_invalid([&] { sortile::argsort(at(0), nowhere); }, {"indices is null"});
    expect_invalid([&] { sortile::argsort(at(0), at(beside + 2)); }, {"indices is not aligned"});
    expect_invalid([&] { sortile::argsort(at(0), at(0)); }, {"overlap"});
    EXPECT_NO_THROW(sortile::sort_by_key(at(0), at(beside)));
    EXPECT_NO_THROW(sortile::argsort(at(beside), at(0)));
  }
}

} // namespace
} // namespace sortile::testing
