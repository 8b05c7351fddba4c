// Input in order backwards: the array's reversal itself, and that the three sorts by scan take it where it is right,
// and only there. Right where some key is smaller than the one before it and none larger; equal neighbours are for
// sorts of keys that nothing tells apart. Results are compared with std::stable_sort; which way they came about shows
// in the bytes that were written.
#include "kernels/lsd/lsd_sort.hpp"
#include "kernels/pairs/sort_pairs.hpp"
#include "kernels/reverse_array.hpp"
#include "kernels/sort/sort_keys.hpp"
#include "tests/kernels/stable_sort_checks.hpp"

namespace sortile::simt_tests {
namespace {

template <class T, int InFlight>
struct reversing_kernel {
  static constexpr unsigned block_threads = 64;
  simt::global<const T> from;
  simt::global<T> to;
  std::uint64_t n;
  SORTILE_DEVICE void operator()() const { kernels::reverse_array<InFlight>(from, to, n); }
};

template <class T, int InFlight>
void check_reversal(simt::queue q, std::size_t n, std::size_t offset, bool in_place, unsigned grid) {
  SCOPED_TRACE("n " + std::to_string(n) + ", elements of " + std::to_string(sizeof(T)) + ", offset " +
               std::to_string(offset) + (in_place ? ", in place" : ""));
  auto values = make_keys<T>(n, shape::uniform);
  guarded in(n, sizeof(T), offset), apart(n, sizeof(T), 0);
  in.fill(values.data());
  const guarded& out = in_place ? in : apart;
  simt::launch(q, {.grid = grid},
               reversing_kernel<T, InFlight>{
                   {reinterpret_cast<const T*>(in.data()), n}, {reinterpret_cast<T*>(out.data()), n}, n});
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(std::memcmp(out.host().data(), values.data(), n * sizeof(T)), 0);
}

template <class T>
void check_reversals(simt::queue q) {
  for (const bool in_place : {false, true})
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}}) {
      for (std::size_t n = 0; n <= 70; n += unless_short(1, 7))
        check_reversal<T, 2>(q, n, offset, in_place, 1);
      for (const std::size_t n :
           a_few(2, {std::size_t{4095}, std::size_t{4096}, std::size_t{4097}, std::size_t{10'000}})) {
        check_reversal<T, 1>(q, n, offset, in_place, 3);
        check_reversal<T, 2>(q, n, offset, in_place, 3);
      }
    }
}

SIMT_TEST(backwards, arrays_are_reversed) {
  on_every_schedule(
      [](simt::queue q) {
        check_reversals<std::uint8_t>(q);
        check_reversals<std::uint16_t>(q);
        check_reversals<std::uint32_t>(q);
        check_reversals<std::uint64_t>(q);
        check_reversals<uint128>(q);
      },
      1);
}

enum class sorter { keys, pairs, lsd };
constexpr const char* names[] = {"keys", "pairs", "lsd"};

struct asked {
  sorter by = sorter::lsd;
  unsigned bits = 9, chunks = 3; // of partitions
  bool scratch = false;
};

template <class Word>
constexpr bool has_pairs = sizeof(Word) == 4 || sizeof(Word) == 8;
template <class Word>
constexpr bool has_keys = sizeof(Word) >= 4;

template <class Word>
std::size_t workspace_of(const kernels::typed_request<Word>& r, asked a) {
  if constexpr (has_keys<Word>)
    if (a.by == sorter::keys)
      return kernels::sort_keys_workspace_bytes(r);
  if constexpr (has_pairs<Word>)
    if (a.by == sorter::pairs)
      return kernels::sort_pairs_workspace_bytes(r);
  return kernels::lsd_workspace_bytes(r);
}
template <class Word>
void sort(simt::queue q, const kernels::typed_request<Word>& r, asked a) {
  if constexpr (has_keys<Word>)
    if (a.by == sorter::keys)
      return kernels::sort_keys(q, r);
  if constexpr (has_pairs<Word>)
    if (a.by == sorter::pairs)
      return kernels::sort_pairs(q, r);
  kernels::lsd_sort(q, r);
}

/// Sorts keys by the sort that is asked for, and compares.
template <class Word>
void check_sort(simt::queue q, const std::vector<Word>& keys, asked a, sort_case h) {
  kernels::typed_request<Word> request;
  request.input_is_scratch = h.input_may_change = a.scratch;
  request.tuning.partition_bits = a.bits;
  request.tuning.chunks = a.chunks;
  request.tuning.passes_tiles = kernels::lsd_tiles::small;
  SCOPED_TRACE(std::string(names[int(a.by)]) + ", n " + std::to_string(keys.size()) + ", keys of " +
               std::to_string(sizeof(Word)) + ", values of " + std::to_string(h.value_bytes) +
               (h.in_place ? ", in place" : ""));
  check_stable_sort(
      keys, h, request, [&](const auto& r) { return workspace_of(r, a); }, [&](const auto& r) { sort(q, r, a); });
}

/// Whether the input was reversed, and not sorted: the output is about all that is written.
template <class Word>
bool reversed([[maybe_unused]] const std::vector<Word>& keys, [[maybe_unused]] asked a, [[maybe_unused]] sort_case h,
              [[maybe_unused]] bool on_cuda) {
#if SORTILE_ON_CUDA
  return on_cuda;
#else
  executor::device counting({.checks = executor::check::counters});
  check_sort(simt::queue::executor(counting), keys, a, h);
  const double output = double(keys.size() * (sizeof(Word) + h.value_bytes));
  return double(counting.counted().global_stores.bytes) < 1.4 * output;
#endif
}
template <class Word>
void expect_reversed(const std::vector<Word>& keys, asked a, const sort_case& h) {
  EXPECT_TRUE(reversed(keys, a, h, true)) << names[int(a.by)] << ", keys of " << sizeof(Word);
}
template <class Word>
void expect_sorted(const std::vector<Word>& keys, asked a, const sort_case& h) {
  EXPECT_FALSE(reversed(keys, a, h, false)) << names[int(a.by)] << ", keys of " << sizeof(Word);
}

/// n keys with strictly decreasing images, as far as their width has so many.
template <class Word>
std::vector<Word> decreasing(std::size_t n, const sort_case& h) {
  const auto codec = make_key_codec<Word>(h.type, h.direction, h.window);
  auto keys = make_keys<Word>(2 * n, shape::uniform);
  if constexpr (sizeof(Word) <= 2)
    for (std::size_t i = 0; i < keys.size(); ++i)
      keys[i] = Word(i);
  std::stable_sort(keys.begin(), keys.end(), [&](Word a, Word b) { return codec.image(b) < codec.image(a); });
  keys.erase(std::unique(keys.begin(), keys.end(), [&](Word a, Word b) { return codec.image(a) == codec.image(b); }),
             keys.end());
  keys.resize(std::min(keys.size(), n));
  return keys;
}

template <class Word>
std::vector<sorter> sorters(const sort_case& h) {
  std::vector<sorter> all{sorter::lsd};
  const bool whole = h.window.begin == 0 && h.window.end == bit_window::whole_key, values = h.value_bytes != 0;
  if ((sizeof(Word) == 4 || sizeof(Word) == 8) && whole)
    all.push_back(sorter::pairs);
  if (sizeof(Word) >= 4 && whole && !values && !is_float(h.type))
    all.push_back(sorter::keys);
  return all;
}

template <class Word>
void check_sizes(simt::queue q) {
  const sort_case type{.type = unsigned_type<Word>};
  for (const unsigned value_bytes : a_few(2, {0u, 4u, 8u, 16u}))
    for (const bool in_place : a_few(1, {false, true}))
      for (const std::size_t n : a_few(3, {1u,  2u,  3u,  4u,  5u,   8u,   15u,  16u,  17u,   31u,
                                           32u, 33u, 63u, 64u, 100u, 127u, 128u, 129u, 1000u, 2500u})) {
        sort_case h = type;
        h.value_bytes = value_bytes;
        h.in_place = in_place;
        for (const sorter by : sorters<Word>(h))
          check_sort(q, decreasing<Word>(n, h), {.by = by, .bits = 3}, h);
      }
}
SIMT_TEST(backwards, sizes_and_widths) {
  on_every_schedule(
      [](simt::queue q) {
        check_sizes<std::uint8_t>(q);
        check_sizes<std::uint16_t>(q);
        check_sizes<std::uint32_t>(q);
        check_sizes<std::uint64_t>(q);
        check_sizes<uint128>(q);
      },
      0);
}

template <class Word>
void check_courses(simt::queue q, key_type type) {
  for (const order direction : a_few(1, {order::descending, order::ascending}))
    for (const unsigned value_bytes : a_few(2, {0u, 4u, 8u, 16u}))
      for (const bool in_place : {false, true}) {
        const sort_case h{.type = type, .direction = direction, .value_bytes = value_bytes, .in_place = in_place};
        const auto keys = decreasing<Word>(in_place ? 20'001 : 16'384, h); // whole vectors, or none from the end
        for (const sorter by : sorters<Word>(h)) {
          check_sort(q, keys, {.by = by}, h);
          if (direction == order::ascending)
            expect_reversed(keys, {.by = by}, h);
        }
      }
}
SIMT_TEST(backwards, is_written_once) {
  on_every_schedule(
      [](simt::queue q) {
        check_courses<std::uint16_t>(q, key_type::u16);
        check_courses<std::uint32_t>(q, key_type::i32);
        check_courses<std::uint64_t>(q, key_type::u64);
        check_courses<uint128>(q, key_type::i128);
      },
      0);
}

SIMT_TEST(backwards, floats) {
  on_every_schedule(
      [](simt::queue q) {
        for (const unsigned value_bytes : {0u, 4u}) {
          const sort_case h{.type = key_type::f32, .value_bytes = value_bytes};
          auto keys = decreasing<std::uint32_t>(20'001, h);
          for (const sorter by : sorters<std::uint32_t>(h)) {
            check_sort(q, keys, {.by = by}, h);
            expect_reversed(keys, {.by = by}, h);
          }
          // Equal images with different bits must stay as they stand.
          const auto below_zero = std::find_if(keys.begin(), keys.end(), [](auto k) { return k == 0 || k >> 31 != 0; });
          const std::uint32_t zeros[] = {0, 0x80000000, 0};
          keys.insert(below_zero, std::begin(zeros), std::end(zeros));
          for (const sorter by : sorters<std::uint32_t>(h))
            check_sort(q, keys, {.by = by}, h);
        }
      },
      0);
}

/// Input backwards but for one place.
template <class Word>
void check_exceptions(simt::queue q, const sort_case& h, std::vector<asked> ways) {
  constexpr std::size_t n = 12'001;
  const auto keys = decreasing<Word>(n, h);
  // About vectors, rows of a warp and of a block, chunks of a third each, tiles, and the end.
  const std::size_t places[] = {0,    1,    2,    3,    4,     7,     63,    127,   128,   1023,
                                2047, 4095, 8063, 8191, n / 2, n - 6, n - 5, n - 4, n - 3, n - 2};
  one_in taken(7);
  for (const std::size_t at : a_few(5, places))
    for (const asked& a : ways)
      for (const bool tied : {false, true}) {
        if (!taken())
          continue;
        SCOPED_TRACE("place " + std::to_string(at) + (tied ? ", tied" : ", rising"));
        auto but_for_one = keys;
        if (tied)
          but_for_one[at + 1] = but_for_one[at];
        else
          std::swap(but_for_one[at], but_for_one[at + 1]);
        check_sort(q, but_for_one, a, h);
      }
}
SIMT_TEST(backwards, but_for_one_place) {
  on_every_schedule(
      [](simt::queue q) {
        const asked pairs{.by = sorter::pairs, .bits = 4}, lsd{.by = sorter::lsd};
        check_exceptions<std::uint32_t>(q, {.value_bytes = 4}, {pairs, lsd});
        check_exceptions<std::uint64_t>(q, {.type = key_type::u64, .value_bytes = 4, .in_place = true}, {pairs, lsd});
        check_exceptions<std::uint32_t>(q, {.in_place = true}, {{.by = sorter::keys, .bits = 4}, lsd});
        check_exceptions<std::uint64_t>(q, {.type = key_type::i64}, {{.by = sorter::keys, .bits = 4}});
        check_exceptions<uint128>(q, {.type = key_type::u128}, {{.by = sorter::keys, .bits = 4}});
        check_exceptions<std::uint16_t>(q, {.type = key_type::u16, .value_bytes = 8}, {lsd});
      },
      0);
}

/// Equal neighbours: reversed where nothing can tell them apart.
SIMT_TEST(backwards, ties) {
  on_every_schedule(
      [](simt::queue q) {
        const sort_case alone{.in_place = true}, with_values{.value_bytes = 4};
        auto keys = decreasing<std::uint32_t>(20'001, alone);
        keys[7777] = keys[7776];
        for (const sorter by : {sorter::keys, sorter::lsd}) {
          check_sort(q, keys, {.by = by}, alone);
          expect_reversed(keys, {.by = by}, alone);
        }
        for (const sorter by : {sorter::pairs, sorter::lsd}) {
          check_sort(q, keys, {.by = by}, with_values);
          expect_sorted(keys, {.by = by}, with_values);
        }
        std::vector<std::uint16_t> many(30'000); // each value ten times
        for (std::size_t i = 0; i < many.size(); ++i)
          many[i] = std::uint16_t(60'000 - i / 10);
        check_sort(q, many, {}, {.type = key_type::u16});
        expect_reversed(many, {}, {.type = key_type::u16});
        check_sort(q, many, {}, {.type = key_type::u16, .value_bytes = 16});
        expect_sorted(many, {}, {.type = key_type::u16, .value_bytes = 16});
        const sort_case window{.window = {4, 20}}; // whole keys decrease, and tie within
        check_sort(q, decreasing<std::uint32_t>(20'001, {}), {}, window);
        expect_reversed(decreasing<std::uint32_t>(20'001, window), {}, window);
        check_sort(q, decreasing<std::uint32_t>(20'001, window), {}, window);
      },
      0);
}

/// Rows that a warp reads, of one key each: keys rise and fall between them alone.
template <class Word>
void check_rows_of_one_key(simt::queue q, key_type type) {
  const sort_case h{.type = type};
  constexpr std::size_t row = 32 * 16 / sizeof(Word), n = 100 * row + 3;
  std::vector<Word> falling(n), both(n), rising(n);
  for (std::size_t i = 0; i < n; ++i) {
    falling[i] = Word(5000 - i / row);
    rising[i] = Word(i / row);
    both[i] = Word(i / row == 60 ? 59 : i / row + i / row % 2);
  }
  const std::vector<Word> equal(n, Word{7});
  for (const sorter by : sorters<Word>(h)) {
    for (const auto& keys : {falling, both, rising, equal})
      check_sort(q, keys, {.by = by, .bits = 4}, h);
    if (by == sorter::keys)
      expect_reversed(falling, {.by = by}, h);
  }
}
SIMT_TEST(backwards, rows_of_one_key) {
  on_every_schedule(
      [](simt::queue q) {
        check_rows_of_one_key<std::uint32_t>(q, key_type::u32);
        check_rows_of_one_key<std::uint64_t>(q, key_type::i64);
        check_rows_of_one_key<uint128>(q, key_type::u128);
      },
      0);
}

SIMT_TEST(backwards, indices_scratch_and_n_on_the_device) {
  on_every_schedule(
      [](simt::queue q) {
        for (const unsigned value_bytes : {4u, 8u})
          for (const bool no_keys : {false, true}) {
            const sort_case h{.value_bytes = value_bytes, .indices = true, .no_keys = no_keys};
            const auto keys = decreasing<std::uint32_t>(20'000, h);
            for (const sorter by : sorters<std::uint32_t>(h)) {
              if (by == sorter::keys)
                continue;
              check_sort(q, keys, {.by = by}, h);
              if (!no_keys)
                expect_reversed(keys, {.by = by}, h);
            }
          }
        for (const sorter by : {sorter::lsd}) {
          const auto keys = decreasing<std::uint64_t>(20'001, {.type = key_type::u64});
          check_sort(q, keys, {.by = by, .scratch = true}, {.type = key_type::u64, .value_bytes = 16});
          for (const std::size_t beyond : {1u, 2u, 3u, 9'999u, 20'000u, 20'001u})
            for (const bool in_place : {false, true})
              check_sort(q, keys, {.by = by},
                         {.type = key_type::u64, .value_bytes = 8, .in_place = in_place, .beyond = beyond});
          auto last_rises = keys; // beyond n
          last_rises.back() = ~std::uint64_t{0};
          check_sort(q, last_rises, {.by = by}, {.type = key_type::u64, .value_bytes = 8, .beyond = 1});
          for (const std::size_t offset : {1u, 3u})
            check_sort(q, decreasing<std::uint32_t>(5'002, {}), {.by = by}, {.value_bytes = 4, .offset = offset});
        }
      },
      0);
}

// A condition that does not hold leaves backwards input alone too.
SIMT_TEST(backwards, not_at_all) {
  on_every_schedule(
      [](simt::queue q) {
        for (const condition only_if : {condition::holds, condition::fails})
          for (const bool in_place : {false, true}) {
            const sort_case h{.in_place = in_place, .only_if = only_if};
            check_sort(q, decreasing<std::uint32_t>(3'000, h), {.by = sorter::lsd}, h);
          }
      },
      1);
}

SIMT_TEST(backwards, on_many_schedules) {
  on_every_schedule(
      [](simt::queue q) {
        const sort_case in_place{.value_bytes = 4, .in_place = true};
        const auto keys = decreasing<std::uint32_t>(4'001, in_place);
        for (const sorter by : {sorter::pairs, sorter::lsd})
          check_sort(q, keys, {.by = by, .bits = 3}, in_place);
        check_sort(q, keys, {.by = sorter::keys, .bits = 3}, {.in_place = true});
      },
      6);
}

} // namespace
} // namespace sortile::simt_tests
