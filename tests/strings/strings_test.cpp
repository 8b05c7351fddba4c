// Sorts of byte strings against std::stable_sort: views and offsets of both widths, both orders, with and without equal
// strings, on several threads; what they refuse; and that they can be cancelled.
#include "cpu/radix_job.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>

namespace sortile {
namespace {

using strings = std::vector<std::string>;

/// Strings of a kind that is hard in its own way.
strings drawn(const std::string& kind, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto letters = [&](std::size_t length, unsigned alphabet) {
    std::string text(length, '\0');
    for (char& c : text)
      c = static_cast<char>(alphabet == 256 ? random() : 'a' + random() % alphabet);
    return text;
  };
  strings all(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (kind == "bytes")
      all[i] = letters(random() % 20, 256);
    else if (kind == "zeros") // "\0" and "\0\0" differ in their lengths alone
      all[i] = std::string(random() % 40, '\0') + (random() % 3 == 0 ? "x" : "");
    else if (kind == "few")
      all[i] = letters(1, 3) + std::string(random() % 30, 'q');
    else if (kind == "equal")
      all[i] = "the same string, longer than any word";
    else if (kind == "addresses")
      all[i] = "https://www.example.org/a/rather/long/path/" + letters(1, 2) + "/" + letters(5, 4) + "/index.html";
    else if (kind == "prefixes") // each begins the next
      all[i] = std::string(random() % 200, 'a');
    else if (kind == "leave one") // the bytes behind are smaller, larger or none
      all[i] = ("z" + std::string(250, 'm')).substr(0, random() % 252) + letters(random() % 8, random() % 2 ? 256 : 26);
    else if (kind == "long")
      all[i] = std::string(300 + random() % 3, 'z') + letters(2, 3);
    else if (kind == "reads") // first words come again, second ones hardly
      all[i] = letters(5 + random() % 60, 4);
    else if (kind == "some leave") // too few for a sample to see that not all begin alike
      all[i] = random() % 500 == 0 ? letters(random() % 12, 26) : "all of these begin alike " + letters(10, 3);
    else if (kind == "lines") // texts of few words, some of them again and again
      all[i] = random() % 3 == 0 ? "" : [&] {
        std::string line(2 * (random() % 3), ' ');
        for (std::size_t left = random() % 6, start = random() % 2000; left > 0; --left)
          line += "word" + std::to_string(start * left % 37) + (left % 2 == 0 ? " " : "\xc3\xa9, ");
        return line;
      }();
    else if (kind == "repeated") // some hundred strings, again and again
      all[i] = std::string(random() % 20, 'r') + std::to_string(random() % 30) + std::string(100, 's');
    else if (kind == "one is empty")
      all[i] = i == n / 2 ? "" : "common prefix " + letters(3, 26);
    else
      all[i] = letters(7 * (random() % 4), 2); // ends at the edges of words
  }
  return all;
}

constexpr const char* kinds[] = {"bytes", "zeros",        "few",   "equal",      "addresses", "prefixes", "leave one",
                                 "long",  "one is empty", "reads", "some leave", "repeated",  "edges",    "lines"};

template <class Offset>
struct arrow_array {
  std::vector<Offset> offsets{0};
  std::vector<char> bytes;

  explicit arrow_array(const strings& all) {
    for (const std::string& s : all) {
      bytes.insert(bytes.end(), s.begin(), s.end());
      offsets.push_back(static_cast<Offset>(bytes.size()));
    }
  }
  byte_strings<Offset> view() const { return {offsets, bytes}; }
};

std::vector<std::uint64_t> expected_order(const strings& all, order direction, bool distinct) {
  std::vector<std::uint64_t> positions(all.size());
  std::iota(positions.begin(), positions.end(), 0);
  std::stable_sort(positions.begin(), positions.end(), [&](std::uint64_t a, std::uint64_t b) {
    return direction == order::ascending ? all[a] < all[b] : all[b] < all[a];
  });
  if (distinct)
    positions.erase(std::unique(positions.begin(), positions.end(),
                                [&](std::uint64_t a, std::uint64_t b) { return all[a] == all[b]; }),
                    positions.end());
  return positions;
}

template <class Index>
bool same(const std::vector<Index>& a, const std::vector<std::uint64_t>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

void check(const strings& all, const options& opts) {
  const std::vector<std::string_view> views(all.begin(), all.end());
  const arrow_array<std::int32_t> narrow(all);
  const arrow_array<std::uint64_t> wide(all);
  const std::vector<std::uint64_t> sorted = expected_order(all, opts.order, false);
  ASSERT_TRUE(same(argsort_strings(views, opts), sorted));
  ASSERT_TRUE(same(argsort_strings<std::uint32_t>(views, opts), sorted));
  ASSERT_TRUE(same(argsort_strings(narrow.view(), opts), sorted));
  ASSERT_TRUE(same(argsort_strings<std::int32_t>(wide.view(), opts), sorted));
  const std::vector<std::uint64_t> different = expected_order(all, opts.order, true);
  ASSERT_TRUE(same(unique_strings(views, opts), different));
  ASSERT_TRUE(same(unique_strings<std::uint32_t>(narrow.view(), opts), different));
}

/// The same of views alone.
void check_views(const strings& all, const options& opts) {
  const std::vector<std::string_view> views(all.begin(), all.end());
  ASSERT_TRUE(same(argsort_strings(views, opts), expected_order(all, opts.order, false)));
  ASSERT_TRUE(same(unique_strings<std::uint32_t>(views, opts), expected_order(all, opts.order, true)));
}

/// Calls f with each instruction set that this machine has, as the widest.
template <class F>
void by_each_instruction_set(const F& f) {
  const cpu::instruction_set usual = cpu::tuning().widest;
  for (const cpu::instruction_set set : cpu::all_instruction_sets) {
    if (!cpu::has(set))
      continue;
    cpu::tuning().widest = set;
    SCOPED_TRACE(cpu::name(set));
    f();
  }
  cpu::tuning().widest = usual;
}

// Without vectors too, by which words with numbers are sorted.
TEST(strings, by_every_instruction_set) {
  std::mt19937_64 random(9);
  by_each_instruction_set([&] {
    for (const char* kind : kinds)
      for (const std::size_t n : {20u, 700u}) {
        SCOPED_TRACE(std::string(kind) + ", n = " + std::to_string(n));
        check(drawn(kind, n, random()), {.order = n == 700 ? order::descending : order::ascending, .threads = 2});
      }
  });
}

TEST(strings, random_ones_against_the_standard_sort) {
  std::mt19937_64 random(3);
  for (const char* kind : kinds)
    for (const std::size_t n : {0u, 1u, 2u, 3u, 8u, 9u, 17u, 40u, 128u, 129u, 1000u, 8192u, 8193u})
      for (const order direction : {order::ascending, order::descending}) {
        SCOPED_TRACE(std::string(kind) + ", n = " + std::to_string(n));
        check(drawn(kind, n, random()), {.order = direction, .threads = 1 + static_cast<unsigned>(random() % 16)});
        if (::testing::Test::HasFatalFailure())
          return;
      }
}

// So many that short groups come from memory, where strings are compared by few bytes at a time.
TEST(strings, more_than_the_cache_holds) {
  std::mt19937_64 random(4);
  strings all(140'000);
  for (std::string& text : all) { // two or three of most, which differ behind as many bytes as may be, or not at all
    const std::size_t of = random() % 50'000;
    text = std::to_string(of) + std::string(of % 100, 'm') + std::to_string(random() % 4);
  }
  check(all, {.order = order::descending, .threads = 2});
  check(drawn("lines", all.size(), 4), {.threads = 2});
}

// Strings that differ in one byte of many, wherever that is: steps of 16, 32 and 64 bytes have ends.
TEST(strings, differ_at_any_byte) {
  strings all;
  for (std::size_t i = 0; i < 200; ++i) {
    std::string text(200, 'm');
    all.push_back(text);
    text[i] = i % 2 == 0 ? '\0' : '\xff';
    all.push_back(text);
    all.push_back(text + "behind");
    all.push_back(text.substr(0, i + 1));
  }
  by_each_instruction_set([&] {
    for (const order direction : {order::ascending, order::descending}) {
      check(all, {.order = direction});
      for (std::size_t i = 0; i + 4 <= all.size(); i += 4) // pairs and fours
        check({all.begin() + static_cast<std::ptrdiff_t>(i), all.begin() + static_cast<std::ptrdiff_t>(i + 4)},
              {.order = direction});
    }
  });
}

// A sample of many strings shows that they begin alike, but one that is not in it does not.
TEST(strings, one_leaves_what_a_sample_has_in_common) {
  by_each_instruction_set([&] {
    for (const std::size_t head : {3u, 8u, 9u, 200u}) // what eight bytes hold, and more
      for (std::size_t at = 0; at < head; ++at) {
        strings all(300);
        for (std::size_t i = 0; i < all.size(); ++i)
          all[i] = std::string(head, 'm') + std::to_string(i * 7919 % 300);
        all[5][at] = at % 2 == 0 ? 'a' : 'z';
        check(all, {.order = at % 3 == 0 ? order::descending : order::ascending});
      }
  });
}

// Runs of equal strings of all lengths, which begin and end anywhere.
TEST(strings, runs_of_any_length) {
  by_each_instruction_set([&] {
    for (const std::size_t n : {63u, 64u, 65u, 66u, 129u, 300u})
      for (std::size_t length = 1; length <= n; length += 1 + length / 8) {
        strings all(n);
        for (std::size_t i = 0; i < n; ++i)
          all[i] = "run " + std::to_string(i * 7919 % n / length + 100) + (i % 3 == 0 ? " which goes on" : "");
        check(all, {});
      }
  });
}

// More bytes in common with the others than a word can say.
TEST(strings, with_very_long_prefixes) {
  strings all;
  for (std::size_t i = 0; i < 90; ++i)
    all.push_back(i % 30 == 0 ? "b" : std::string(32'750 + i * 7919 % 70, 'a') + (i % 3 == 0 ? "bcd" : ""));
  for (std::size_t i = 0; i < 90; ++i)
    all.push_back(std::string(65'500 + i * 7919 % 70, 'a') + (i % 4 == 0 ? "B" : ""));
  for (const order direction : {order::ascending, order::descending})
    check(all, {.order = direction, .threads = 2});
}

// Enough strings for groups that all threads share.
TEST(strings, large_groups_on_several_threads) {
  for (const char* kind : kinds)
    for (const unsigned threads : {1u, 2u, 7u, 16u, 64u}) {
      SCOPED_TRACE(std::string(kind) + ", threads " + std::to_string(threads));
      const strings all = drawn(kind, 70'000, threads);
      check_views(all, {.order = threads == 2 ? order::descending : order::ascending, .threads = threads});
      if (::testing::Test::HasFatalFailure())
        return;
    }
}

// So many, of which so few are different, that these alone are sorted.
TEST(strings, few_of_many_are_different) {
  std::mt19937_64 random(6);
  strings different{"", std::string(1, '\0'), std::string(2, '\0')};
  for (const std::size_t length :
       {1u, 6u, 7u, 8u, 9u, 31u, 63u, 64u, 65u, 72u, 127u, 128u, 255u, 256u, 257u, 264u, 265u, 400u})
    for (std::size_t at = 0; at < length; at += 1 + length / 12) // one byte differs, wherever it is
      for (const char byte : {'\0', 'a', '\xff'}) {
        std::string text(length, 'm');
        text[at] = byte;
        different.push_back(text);
      }
  strings all(70'000);
  for (std::string& text : all)
    text = different[random() % different.size()];
  all.back() = "this one comes once, behind all others";
  check(all, {.order = order::descending, .threads = 2});
  for (const unsigned threads : {1u, 3u, 4u, 64u})
    check_views(all, {.threads = threads});
}

// What a sample takes for equal, since it looks at the ends of strings alone, is different.
TEST(strings, chosen_ones_look_alike) {
  strings all(70'000);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = std::string(256, 'h') + std::to_string(100'000 + i * 7919 % all.size()) + std::string(8, 't');
  for (const unsigned threads : {1u, 2u})
    check_views(all, {.threads = threads});
}

// A list repeated line by line, and another one whose first lines alone are few.
TEST(strings, lines_come_again_later) {
  for (const std::size_t from : {0u, 60'000u}) {
    strings all(130'000);
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = "a line of a text, which has the number " +
               std::to_string((i < from ? i % 50 : i % 9000 + (from > 0 ? i * 17 : 0)));
    for (const unsigned threads : {1u, 4u})
      check_views(all, {.order = order::descending, .threads = threads});
  }
}

TEST(strings, separators_are_no_part_of_them) {
  const std::string text = "pear\nfig\n\nfig\napple"; // the last line's newline is missing
  const std::vector<std::uint64_t> starts = {0, 5, 9, 10, 14, text.size() + 1};
  std::vector<std::uint32_t> positions(5);
  strings_request request{.n = 5, .offsets = starts.data(), .bytes = text.data(), .size = text.size()};
  request.separator_bytes = 1;
  request.indices_out = positions.data();
  request.index_bytes = 4;
  EXPECT_EQ(run(request), 5u);
  EXPECT_EQ(positions, (std::vector<std::uint32_t>{2, 4, 1, 3, 0}));
  request.distinct = true;
  EXPECT_EQ(run(request), 4u);
  EXPECT_EQ(positions[2], 1u);
}

TEST(strings, are_sorted_where_they_lie) {
  for (const char* kind : kinds) {
    const strings all = drawn(kind, 6000, 5);
    strings sorted = all;
    std::stable_sort(sorted.begin(), sorted.end());
    std::vector<std::string_view> views(all.begin(), all.end());
    sort_strings(views, {.threads = 2});
    EXPECT_TRUE(std::equal(views.begin(), views.end(), sorted.begin())) << kind;
    strings own = all;
    sort_strings(own);
    EXPECT_EQ(own, sorted) << kind;
    const arrow_array<std::int64_t> arrow(all), expected(sorted);
    std::vector<std::int64_t> offsets(arrow.offsets.size());
    std::vector<char> bytes(arrow.bytes.size());
    sort_strings(arrow.view(), std::span(offsets), std::span(bytes), {.threads = 3});
    EXPECT_EQ(offsets, expected.offsets) << kind;
    EXPECT_EQ(bytes, expected.bytes) << kind;
  }
}

void refused(const char* what, const std::function<void(strings_request&, options&)>& change) {
  const std::vector<std::uint64_t> offsets = {0, 2, 4};
  const std::string bytes = "abcd";
  std::vector<std::uint64_t> positions(2);
  strings_request request{.n = 2, .offsets = offsets.data(), .bytes = bytes.data(), .size = bytes.size()};
  request.indices_out = positions.data();
  options opts;
  change(request, opts);
  try {
    run(request, opts);
    ADD_FAILURE() << "accepted: " << what;
  } catch (const invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
  }
}

TEST(strings, misuse_is_named) {
  static const std::vector<std::uint64_t> falling = {0, 3, 2}, beyond = {0, 2, 5};
  static const std::string_view of_nothing(nullptr, 0);
  using r = strings_request;
  using o = options;
  refused("offsets is null", [](r& q, o&) { q.offsets = nullptr; });
  refused("bytes is null", [](r& q, o&) { q.bytes = nullptr; });
  refused("indices is null", [](r& q, o&) { q.indices_out = nullptr; });
  refused("offsets of 3 bytes", [](r& q, o&) { q.offset_bytes = 3; });
  refused("indices of 2 bytes", [](r& q, o&) { q.index_bytes = 2; });
  refused("offset 2 is below", [](r& q, o&) { q.offsets = falling.data(); });
  refused("beyond the bytes", [](r& q, o&) { q.offsets = beyond.data(); });
  refused("offset 1 is below", [](r& q, o&) { q.separator_bytes = 3; });
  refused("overlap", [](r& q, o&) { q.indices_out = const_cast<void*>(q.offsets); });
  refused("options::bits", [](r&, o& opts) { opts.bits = {0, 8}; });
  refused("order number 9", [](r&, o& opts) { opts.order = static_cast<order>(9); });
  EXPECT_EQ(argsort_strings(std::vector{of_nothing, of_nothing}), (std::vector<std::uint64_t>{0, 1}));
  const arrow_array<std::uint32_t> arrow(drawn("bytes", 10, 1));
  std::vector<std::uint32_t> offsets(arrow.offsets.size());
  std::vector<char> bytes(arrow.bytes.size() - 1);
  EXPECT_THROW(sort_strings(arrow.view(), std::span(offsets), std::span(bytes)), invalid_argument);
  offsets.pop_back();
  EXPECT_THROW(sort_strings(arrow.view(), std::span(offsets), std::span(bytes)), invalid_argument);
}

TEST(strings, progress_rises_to_one_and_cancels) {
  for (const char* kind : {"bytes", "addresses", "equal"}) {
    const strings all = drawn(kind, 100'000, 2);
    const std::vector<std::string_view> views(all.begin(), all.end());
    for (const unsigned threads : {1u, 3u}) {
      double last = 0;
      std::size_t calls = 0;
      options opts{.threads = threads};
      opts.progress = [&](double done) {
        EXPECT_GE(done, last);
        last = done;
        ++calls;
        return true;
      };
      EXPECT_EQ(argsort_strings(views, opts).size(), views.size());
      EXPECT_EQ(last, 1.0);
      EXPECT_GT(calls, 2u);
      // How often several threads let the caller report differs from run to run.
      for (std::size_t stop = 1; stop < (threads == 1 ? calls : 2); stop += 1 + calls / 5) {
        std::size_t left = stop;
        opts.progress = [&](double) { return --left > 0; };
        EXPECT_THROW((void)argsort_strings(views, opts), cancelled) << kind << " at call " << stop;
      }
    }
  }
}

} // namespace
} // namespace sortile
