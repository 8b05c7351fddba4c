// Structs in host memory by projections: against std::stable_sort, with elements of every kind, and what stays
// untouched where something is thrown.
#include "testing/workloads.hpp"
#include "tests/expect_refusal.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

namespace sortile::testing {
namespace {

using enum order;

struct person {
  std::uint16_t age = 0;
  std::uint32_t name_id = 0;
  std::string name;

  int decade() const { return age / 10; }
  bool operator==(const person&) const = default;
};

std::vector<person> drawn_people(std::size_t n, std::uint64_t seed) {
  std::vector<person> people(n);
  for (std::size_t i = 0; i < n; ++i)
    people[i] = {static_cast<std::uint16_t>(random_bits(seed, 2 * i) % 90),
                 static_cast<std::uint32_t>(random_bits(seed, 2 * i + 1) % 50), "number " + std::to_string(i)};
  return people;
}

TEST(structs, by_members_in_directions_of_their_own) {
  for (const std::size_t n : {0u, 1u, 2u, 3u, 1000u, 60'000u}) {
    std::vector<person> people = drawn_people(n, n), expected = people;
    std::stable_sort(expected.begin(), expected.end(), [](const person& a, const person& b) {
      return a.age != b.age ? a.age < b.age : a.name_id > b.name_id;
    });
    const std::vector<std::uint32_t> positions =
        sortile::argsort<std::uint32_t>(people, by(&person::age), by(&person::name_id, descending));
    ASSERT_EQ(positions.size(), n);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(people[positions[i]], expected[i]) << i << " of " << n;
    sort(people, by(&person::age), by(&person::name_id, descending));
    ASSERT_EQ(people, expected) << n;
  }
}

TEST(structs, by_whatever_can_be_called) {
  std::vector<person> people = drawn_people(500, 1), expected = people;
  const auto length = [](const person& p) { return p.name.size(); };
  std::stable_sort(expected.begin(), expected.end(), [&](const person& a, const person& b) {
    return a.decade() != b.decade() ? a.decade() > b.decade() : length(a) < length(b);
  });
  sort(people, by(&person::decade, descending), by(length));
  EXPECT_EQ(people, expected);

  std::vector<int> numbers = {-3, 2, -1, 0, 1};
  sort(numbers, by([](int x) { return std::abs(x); }));
  EXPECT_EQ(numbers, (std::vector<int>{0, -1, 1, 2, -3}));
}

enum class grade : std::int8_t { worst = -3, none = 0, best = 7 };

struct measurement {
  bool valid;
  grade level;
  float value;
  std::uint32_t place;
};

TEST(structs, by_members_of_every_kind_of_key) {
  const float nan = std::nanf("");
  std::vector<measurement> all = {{true, grade::best, nan, 0},    {false, grade::best, 1, 1},
                                  {true, grade::worst, -0.0f, 2}, {true, grade::worst, 0.0f, 3},
                                  {true, grade::worst, nan, 4},   {true, grade::none, 5, 5},
                                  {true, grade::worst, -1, 6},    {true, grade::worst, 7, 7}};
  sort(all, by(&measurement::valid), by(&measurement::level), by(&measurement::value));
  std::vector<std::uint32_t> places;
  for (const measurement& m : all)
    places.push_back(m.place);
  EXPECT_EQ(places, (std::vector<std::uint32_t>{1, 6, 2, 3, 7, 4, 5, 0}));
}

TEST(structs, of_trivial_bytes_in_large_arrays) {
  const std::size_t n = 300'000;
  std::vector<measurement> all(n);
  for (std::uint32_t i = 0; i < n; ++i)
    all[i] = {random_bits(3, i) % 2 == 0, static_cast<grade>(random_bits(4, i) % 5),
              static_cast<float>(random_bits(5, i) % 100), i};
  for (const order direction : {ascending, descending}) {
    std::vector<measurement> sorted = all;
    sort(sorted, by(&measurement::level), by(&measurement::value, descending),
         options{.order = direction, .threads = 3});
    for (std::size_t i = 1; i < n; ++i) {
      const measurement &a = sorted[i - 1], &b = sorted[i];
      const bool up = direction == ascending;
      if (a.level != b.level)
        ASSERT_EQ(a.level < b.level, up) << i;
      else if (a.value != b.value)
        ASSERT_EQ(a.value > b.value, up) << i;
      else
        ASSERT_LT(a.place, b.place) << i;
    }
  }
}

TEST(structs, that_can_only_be_moved) {
  std::vector<std::unique_ptr<person>> people;
  for (person& p : drawn_people(2000, 2))
    people.push_back(std::make_unique<person>(std::move(p)));
  sort(people, by([](const auto& p) { return p->age; }), {.threads = 2});
  ASSERT_TRUE(std::none_of(people.begin(), people.end(), [](const auto& p) { return p == nullptr; }));
  EXPECT_TRUE(
      std::is_sorted(people.begin(), people.end(), [](const auto& a, const auto& b) { return a->age < b->age; }));
  std::vector<std::string> names;
  for (const auto& p : people)
    names.push_back(p->name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end()) << "none is there twice";
}

TEST(structs, in_ranges_that_are_not_contiguous) {
  std::deque<int> numbers(5000);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<int>(random_bits(6, i) % 1000);
  std::deque<int> expected = numbers;
  std::stable_sort(expected.begin(), expected.end(), std::greater<>{});
  sort(numbers, by(std::identity{}, descending));
  EXPECT_EQ(numbers, expected);

  const auto squares = std::views::iota(-3, 4) | std::views::transform([](int x) { return x * x; });
  std::vector<std::uint32_t> positions(7);
  argsort(squares, positions, by(std::identity{}));
  EXPECT_EQ(positions, (std::vector<std::uint32_t>{3, 2, 4, 1, 5, 0, 6}));
}

TEST(structs, whose_key_cannot_be_had_stay_as_they_were) {
  std::vector<person> people = drawn_people(300, 3), kept = people;
  EXPECT_THROW(sort(people, by([](const person& p) {
                      return p.name == "number 299" ? throw std::domain_error("no key") : p.age;
                    })),
               std::domain_error);
  EXPECT_EQ(people, kept);
  EXPECT_THROW(sort(people, by(&person::age), {.progress = [](double) { return false; }}), cancelled);
  EXPECT_EQ(people, kept);
}

TEST(structs, refuse_options_by_name_before_reading_an_element) {
  std::vector<person> people = drawn_people(10, 4), kept = people;
  alignas(128) std::byte space[256];
  const auto unread = by([](const person&) -> int { throw std::logic_error("an element was read"); });
  const auto refuse = [&](const options& opts, const std::vector<std::string>& words) {
    expect_invalid([&] { sort(people, unread, opts); }, words);
    expect_invalid([&] { static_cast<void>(sortile::argsort(people, unread, opts)); }, words);
  };
  refuse({.bits = {0, 8}}, {"bits", "by()"});
  refuse({.workspace = space}, {"workspace", "a sort of structs"});
  refuse({.memory = memory::device}, {"compare.cuh"});
  refuse({.order = static_cast<order>(7)}, {"order", "7"});
  expect_invalid([&] { sort(people, by(&person::age, static_cast<order>(7))); }, {"order", "7"});
  expect_refusal<unknown_engine>([&] { sort(people, unread, {.engine = "quantum"}); }, status::unknown_engine,
                                 {"quantum"});
  std::vector<std::uint32_t> few(9);
  expect_invalid([&] { argsort(people, few, by(&person::age)); }, {"argsort", "structs", "10", "positions", "9"});
  EXPECT_EQ(people, kept);
}

} // namespace
} // namespace sortile::testing
