// A block's keys as different values and how often each occurs, against std::sort and std::set: values of any
// frequency, floats that share an image, keys of one hash, and what has to be refused.
#include "kernels/any_image.hpp"
#include "primitives/repeated_keys.hpp"
#include "testing/workloads.hpp"
#include "tests/simt/fixture.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

namespace sortile::simt_tests {
namespace {

template <class Word>
struct repeats_kernel {
  static constexpr unsigned block_threads = 256, capacity = 1536;
  using repeated = primitives::repeated_keys<Word, block_threads, capacity>;
  struct shared {
    alignas(16) simt::shared_array<Word, capacity + 2> keys;
    alignas(16) typename repeated::slot_array slots;
    alignas(16) typename repeated::times_array times;
    typename repeated::sums_array sums;
    simt::shared_array<std::uint16_t, capacity> order;
  };
  simt::global<const Word> in;
  simt::global<Word> out;
  simt::global<std::uint32_t> said; // whether many are equal; the values
  std::uint32_t n, lead;            // lead: of keys in shared storage, and of the result in its row
  kernels::any_image<Word> image;

  SORTILE_DEVICE void operator()(shared& s) const {
    for (std::uint32_t p = simt::thread_index(); p < n; p += block_threads)
      s.keys[lead % 2 + p] = in.load(p);
    simt::block_barrier();
    const bool many = repeated::are_many(n, [&](std::uint32_t p) { return s.keys.load(lead % 2 + p); });
    const std::uint32_t values = repeated::take_out(s.sums, s.slots, s.times, s.keys, lead % 2, n,
                                                    [&](Word key) { return image.is_only(key) || key == 0; });
    if (simt::thread_index() == 0) {
      said[0] = many;
      said[1] = values;
    }
    if (values == 0) {
      simt::block_barrier();
      for (std::uint32_t p = simt::thread_index(); p < n; p += block_threads) // nothing has changed
        out[p] = s.keys.load(lead % 2 + p);
      return;
    }
    for (std::uint32_t v = simt::thread_index(); v < values; v += block_threads) {
      std::uint32_t rank = 0;
      for (std::uint32_t other = 0; other < values; ++other)
        rank += s.keys.load(lead % 2 + other) < s.keys.load(lead % 2 + v) ? 1 : 0;
      s.order[rank] = std::uint16_t(v);
    }
    simt::block_barrier();
    repeated::write(
        s.sums, s.keys, values, n, lead, [&](std::uint32_t r) { return s.order.load(r); },
        [&](std::uint32_t place, std::uint32_t r) { out[place] = s.keys.load(lead % 2 + s.order.load(r)); });
  }
};

struct answer {
  bool many;
  std::uint32_t values;
};
/// What the block says; it is an error if the keys that it has written are not the sorted ones, or, where it has
/// refused, not the same ones.
template <class Word>
answer taken_out(simt::queue q, const std::vector<Word>& keys, std::uint32_t lead = 0,
                 key_type type = sizeof(Word) == 8 ? key_type::u64 : key_type::u128) {
  const buffer<Word> in(keys), out(keys.size());
  const buffer<std::uint32_t> said(2);
  simt::launch(q, {.grid = 1},
               repeats_kernel<Word>{in.view(), out.view(), said.view(), std::uint32_t(keys.size()), lead,
                                    kernels::any_image<Word>(make_key_codec<Word>(type, order::ascending, {}))});
  const auto told = said.host();
  auto expected = keys;
  if (told[1] != 0)
    std::sort(expected.begin(), expected.end());
  EXPECT_TRUE(out.host() == expected) << keys.size() << " keys, " << told[1] << " values";
  return {told[0] != 0, told[1]};
}
template <class Word>
std::uint32_t different(const std::vector<Word>& keys) {
  return std::uint32_t(std::set<Word>(keys.begin(), keys.end()).size());
}
/// n keys of so many random values.
template <class Word>
std::vector<Word> some_of(std::size_t n, std::uint64_t values, std::uint64_t seed = 1) {
  std::vector<Word> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = Word(testing::random_bits(testing::random_bits(i, seed) % values, 77)) << (8 * sizeof(Word) - 64);
  return keys;
}

template <class Word>
void check_frequencies(simt::queue q) {
  for (const std::size_t n : {1u, 31u, 255u, 600u, 1536u})
    for (const std::uint64_t values : {1, 2, 30, 300}) {
      const auto keys = some_of<Word>(n, values);
      EXPECT_EQ(taken_out(q, keys, std::uint32_t(n + values) % 32).values, different(keys));
    }
}
SIMT_TEST(repeated_keys, of_any_frequency) {
  on_every_schedule(
      [&](simt::queue q) {
        check_frequencies<std::uint64_t>(q);
        check_frequencies<uint128>(q);
      },
      2);
}
SIMT_TEST(repeated_keys, a_frequent_value_among_many) {
  on_every_schedule(
      [&](simt::queue q) {
        auto keys = some_of<std::uint64_t>(1500, 400);
        for (std::size_t i = 0; i < keys.size(); i += 2)
          keys[i] = 42;
        const auto a = taken_out(q, keys, 5);
        EXPECT_TRUE(a.many);
        EXPECT_EQ(a.values, different(keys));
      },
      4);
}
SIMT_TEST(repeated_keys, different_keys_are_left_alone) {
  on_every_schedule(
      [&](simt::queue q) {
        const auto a = taken_out(q, some_of<std::uint64_t>(1536, ~0ull));
        EXPECT_FALSE(a.many);
        EXPECT_EQ(a.values, 0u); // the second round shows it
        // 500 keys have but one round, and their values fit.
        EXPECT_EQ(taken_out(q, some_of<std::uint64_t>(500, ~0ull)).values, 500u);
        // More values than have room, though few of the first keys are new.
        auto late = some_of<std::uint64_t>(1536, ~0ull);
        std::fill_n(late.begin(), 512, 7);
        EXPECT_EQ(taken_out(q, late).values, 0u);
      },
      1);
}
/// Keys of one hash: they fill the same slots, and no more of them than are tried.
SIMT_TEST(repeated_keys, of_one_hash) {
  on_every_schedule(
      [&](simt::queue q) {
        const auto with = [](std::uint64_t values) {
          std::vector<std::uint64_t> keys(1000);
          for (std::size_t i = 0; i < keys.size(); ++i) {
            const std::uint64_t v = testing::random_bits(i, 3) % values;
            std::uint32_t inverse = 1; // of the hash's factor
            for (int k = 0; k < 5; ++k)
              inverse *= 2 - 0x9e3779b1u * inverse;
            keys[i] = v << 32 | std::uint32_t(std::uint32_t(v) * inverse); // hashed to 0
          }
          return keys;
        };
        EXPECT_EQ(taken_out(q, with(40)).values, 40u);
        EXPECT_EQ(taken_out(q, with(100)).values, 0u);
      },
      1);
}
SIMT_TEST(repeated_keys, floats_that_share_an_image) {
  on_every_schedule(
      [&](simt::queue q) {
        std::vector<std::uint64_t> keys(1000);
        for (std::size_t i = 0; i < keys.size(); ++i)
          keys[i] = std::bit_cast<std::uint64_t>(double(1 + i % 9));
        EXPECT_EQ(taken_out(q, keys, 0, key_type::f64).values, 9u);
        for (const double special : {-0.0, std::numeric_limits<double>::quiet_NaN()}) {
          auto with = keys;
          with[999] = std::bit_cast<std::uint64_t>(special);
          EXPECT_EQ(taken_out(q, with, 0, key_type::f64).values, 0u);
        }
      },
      1);
}

} // namespace
} // namespace sortile::simt_tests
