// Buckets of skewed 32-bit keys as the local step leaves them, and the arrays that the kernels behind it are given:
// for the tests of these kernels.
#pragma once

#include "kernels/skewed/count_skewed_kernel.hpp"
#include "kernels/sort/sort_keys.hpp"
#include "tests/simt/fixture.hpp"

#include <algorithm>

namespace sortile::simt_tests {
inline namespace SORTILE_BACKEND {
namespace skew_checks {

using Word = std::uint32_t;
inline constexpr std::uint32_t giant = kernels::sort_tuning::least_giant;

/// key(r, s, i) for all i, of two random words.
template <class F>
std::vector<Word> made(std::size_t n, F key) {
  const auto random = noise(2 * n, std::uint32_t(n) + 5);
  std::vector<Word> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = key(random[2 * i], random[2 * i + 1], i);
  return keys;
}

using ranks = std::vector<Word>; // of a bucket's keys, 0 to 65535, or to what value_bits says

inline ranks evenly(std::size_t n) {
  return made(n, [](Word r, Word, std::size_t) { return r & 0xffff; });
}
inline ranks alike(std::size_t n, Word rank) {
  return ranks(n, rank);
}

struct skewed_buckets {
  std::vector<ranks> buckets = {}; // as many as a power of two
  unsigned shares = 5;             // and blocks
  unsigned value_bits = 16;        // of a bucket's ranks
  bool in_place = false, outliers = false;
  std::vector<Word> first = {};             // images of the first bucket, where they are any
  Word flip = 0;                            // of the images
  std::uint64_t order = kernels::seen_both; // what the scan has seen
};

/// The keys bucket after bucket, and what has been found out about them: giant buckets are listed as such, all others
/// as deferred. Outliers lie in the first bucket.
struct skewed_layout {
  static constexpr Word low = 0x12300000, untouched = 0xa5a5a5a5;
  unsigned bits = 0, value_bits;          // of a bucket's number, and of a rank
  std::vector<Word> keys, expected, free; // as they stand; in order; the array that is free
  std::vector<std::uint32_t> start, deferred, giants, before{0};
  std::vector<std::uint64_t> findings;

  explicit skewed_layout(const skewed_buckets& c) : value_bits(c.value_bits), findings(kernels::finding_words, 0) {
    while (std::size_t{1} << bits < c.buckets.size())
      ++bits;
    for (std::uint32_t b = 0; b < c.buckets.size(); ++b) {
      start.push_back(std::uint32_t(keys.size()));
      add(c, b);
      const auto size = std::uint32_t(c.buckets[b].size());
      if (size < giant) {
        deferred.push_back(b);
      } else {
        giants.push_back(b);
        before.push_back(before.back() + size);
      }
    }
    start.push_back(std::uint32_t(keys.size()));
    free.resize(keys.size(), untouched);
    for (const std::uint32_t b : giants)
      std::fill_n(free.begin() + kernels::giant_list::counters(start[b]), kernels::bucket_ranks::most, 0);
    findings[kernels::finding_order] = c.order;
    findings[kernels::finding_ones] = findings[kernels::finding_zeros] = 0xffffffff;
    findings[kernels::finding_deferred] = deferred.size();
    findings[kernels::finding_giants] = giants.size();
    findings[kernels::finding_outside] = c.outliers ? 1 : 0;
    deferred.resize(c.buckets.size());
    giants.resize(giants.size() + 1);
  }
  kernels::key_window<Word> window() const {
    return kernels::key_window<Word>::of(low, low + (Word{1} << (bits + value_bits)) - 1);
  }

 private:
  void add(const skewed_buckets& c, std::uint32_t bucket) {
    ranks images = c.buckets[bucket];
    for (Word& image : images)
      image += low + (bucket << value_bits);
    if (bucket == 0 && !c.first.empty())
      images = c.first;
    else if (c.outliers && bucket == 0)
      for (std::size_t i = 0; i < images.size(); i += 3)
        images[i] = Word(i * 12345);
    for (const Word image : images)
      keys.push_back(image ^ c.flip);
    std::sort(images.begin(), images.end());
    for (const Word image : images)
      expected.push_back(image ^ c.flip);
  }
};

/// These arrays in the memory of kernels.
class skewed_case {
 public:
  explicit skewed_case(const skewed_buckets& c)
      : asked_(c), layout_(c), keys_(layout_.keys), free_(layout_.free), start_(layout_.start),
        deferred_(layout_.deferred), giants_(layout_.giants), before_(layout_.before), done_(layout_.giants.size(), 0),
        findings_(layout_.findings), window_(std::vector{layout_.window()}) {}

  const skewed_layout& layout() const { return layout_; }
  kernels::skewed_arrays<> arrays() const {
    return {.in = {keys_.view().data(), layout_.keys.size()},
            .out = asked_.in_place ? keys_.view() : free_.view(),
            .spare = asked_.in_place ? free_.view() : keys_.view(),
            .start = {start_.view().data(), layout_.start.size()},
            .deferred = {findings_.view(), deferred_.view()},
            .giants = {giants_.view(), before_.view(), done_.view(), giant},
            .window = {window_.view().data(), 1},
            .image = {asked_.flip},
            .bits = layout_.bits,
            .shares = asked_.shares};
  }
  std::vector<Word> output() const { return asked_.in_place ? keys_.host() : free_.host(); }
  std::vector<std::uint32_t> deferred() const { return deferred_.host(); }

 private:
  skewed_buckets asked_;
  skewed_layout layout_;
  buffer<Word> keys_, free_;
  buffer<std::uint32_t> start_, deferred_, giants_, before_, done_;
  buffer<std::uint64_t> findings_;
  buffer<kernels::key_window<Word>> window_;
};

/// As the local step leaves them, and whether they are for the kernel that is tried.
struct bucket {
  ranks keys;
  bool suits = true;
};

/// Sorts them by so many blocks of a kernel that goes through the list. Buckets that do not suit stay as they are: none
/// does where `all_stay`; with outliers, neither does the first and the last.
template <class Kernel>
void check_deferred(simt::queue q, const std::vector<bucket>& buckets, unsigned blocks, skewed_buckets c = {},
                    bool all_stay = false) {
  for (const bucket& b : buckets)
    c.buckets.push_back(b.keys);
  const skewed_case on(c);
  const skewed_layout& l = on.layout();
  simt::launch(q, {.grid = blocks}, Kernel{{on.arrays(), std::uint32_t(l.keys.size())}});

  auto expected = c.in_place ? l.keys : l.free;
  auto deferred = l.deferred;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const bool beside_outliers = c.outliers && (b == 0 || b + 1 == buckets.size());
    if (!buckets[b].suits || beside_outliers || all_stay)
      continue;
    std::copy(l.expected.begin() + l.start[b], l.expected.begin() + l.start[b + 1], expected.begin() + l.start[b]);
    deferred[b] = kernels::bucket_list::done;
  }
  EXPECT_EQ(on.deferred(), deferred) << "of " << blocks << " blocks";
  const auto got = on.output();
  for (std::size_t b = 0; b < buckets.size(); ++b)
    EXPECT_TRUE(std::equal(got.begin() + l.start[b], got.begin() + l.start[b + 1], expected.begin() + l.start[b]))
        << "bucket " << b << " of " << l.start[b + 1] - l.start[b] << " keys, " << blocks << " blocks";
}

/// Different ranks, `apart` from one another, in no order.
inline ranks different(std::size_t n, Word apart) {
  return made(n, [&](Word, Word, std::size_t i) { return Word(i * 7919 % n) * apart; });
}
inline ranks ordered(ranks keys, bool rising) {
  std::sort(keys.begin(), keys.end());
  if (!rising)
    std::reverse(keys.begin(), keys.end());
  return keys;
}

/// Of all kinds: by several blocks, in place and not, with images of all flips, and beside outliers.
template <class Kernel>
void check_deferred_of_all_kinds(const std::vector<bucket>& buckets, unsigned value_bits = 16) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const bool in_place : {false, true})
          check_deferred<Kernel>(q, buckets, 5,
                                 {.value_bits = value_bits, .in_place = in_place, .flip = in_place ? 0x80000000 : 0});
        check_deferred<Kernel>(q, buckets, 40, {.value_bits = value_bits, .flip = ~0u});
        check_deferred<Kernel>(q, buckets, 1, {.value_bits = value_bits, .in_place = true, .outliers = true});
      },
      4);
}
template <class Kernel>
void check_deferred_often(const std::vector<bucket>& buckets, unsigned schedules, unsigned value_bits = 16) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const unsigned blocks : {1u, 3u})
          check_deferred<Kernel>(q, buckets, blocks,
                                 {.value_bits = value_bits, .in_place = blocks == 3, .outliers = blocks == 3});
      },
      schedules);
}
/// Keys in order, of which all has been said: nothing is touched.
template <class Kernel>
void check_deferred_in_order(const bucket& suitable, unsigned value_bits = 16) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::uint64_t order : {kernels::seen_rising, kernels::seen_neither, kernels::seen_falling})
          check_deferred<Kernel>(q, {suitable, {evenly(5)}}, 2, {.value_bits = value_bits, .order = order}, true);
      },
      1);
}

} // namespace skew_checks
} // namespace SORTILE_BACKEND
} // namespace sortile::simt_tests
