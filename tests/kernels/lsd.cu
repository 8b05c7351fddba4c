// The stable LSD sort against std::stable_sort: sizes about its tiles, digits that do and do not differ, every width of
// keys and values, where input and output may lie, portions, n on the device, misuse.
#include "kernels/lsd/lsd_pass_kernel.hpp"
#include "kernels/lsd/lsd_sort.hpp"
#include "tests/kernels/refusals.hpp"
#include "tests/kernels/stable_sort_checks.hpp"

#include <sortile/error.hpp>

#include <bit>
#include <random>

namespace sortile::simt_tests {
namespace {

enum class place { apart, in_place, scratch };
struct how {
  key_type type = key_type::u32;
  order direction = order::ascending;
  bit_window window = {};
  unsigned value_bytes = 0;
  bool indices = false, no_keys = false;
  place where = place::apart;
  kernels::lsd_tiles tiles = kernels::lsd_tiles::small;
  std::uint32_t portion_tiles = 0;
  std::size_t offset = 0;
  std::size_t beyond = 0;
  condition only_if = condition::none;
};

template <class Word>
void check_sort(simt::queue q, const std::vector<Word>& keys, how h) {
  kernels::typed_request<Word> request;
  request.input_is_scratch = h.where == place::scratch;
  request.tuning.passes_tiles = h.tiles;
  request.tuning.portion_tiles = h.portion_tiles;
  check_stable_sort(
      keys,
      {.type = h.type,
       .direction = h.direction,
       .window = h.window,
       .value_bytes = h.value_bytes,
       .indices = h.indices,
       .no_keys = h.no_keys,
       .in_place = h.where == place::in_place,
       .input_may_change = h.where == place::scratch,
       .offset = h.offset,
       .beyond = h.beyond,
       .only_if = h.only_if},
      request, [](const auto& r) { return kernels::lsd_workspace_bytes(r); },
      [&](const auto& r) { kernels::lsd_sort(q, r); });
}

template <class Word>
constexpr std::size_t small_tile(unsigned value_bytes) {
  return kernels::detail::lsd_shape<Word>::of(kernels::lsd_tiles::small, value_bytes).keys();
}
template <class Word>
constexpr std::size_t large_tile(unsigned value_bytes) {
  return kernels::detail::lsd_shape<Word>::of(kernels::lsd_tiles::large, value_bytes).keys();
}

template <class Word>
void check_sizes() {
  const key_type type = unsigned_type<Word>;
  const std::size_t small = small_tile<Word>(4), large = large_tile<Word>(4);
  on_every_schedule(
      [&](simt::queue q) {
        for (const int n : a_few(3, {0, 1, 2, 3, 31, 33, 255, 1000})) {
          SCOPED_TRACE("n " + std::to_string(n));
          check_sort(q, make_keys<Word>(std::size_t(n), shape::uniform), {.type = type, .value_bytes = 4});
        }
      },
      1);
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t n : a_few(2, {small - 1, small, small + 1, 2 * small + 17})) {
          SCOPED_TRACE("n " + std::to_string(n));
          check_sort(q, make_keys<Word>(n, shape::uniform), {.type = type, .value_bytes = 4});
        }
        for (const std::size_t n : a_few(1, {large, large + 1})) {
          SCOPED_TRACE("n " + std::to_string(n));
          check_sort(q, make_keys<Word>(n, shape::uniform),
                     {.type = type, .value_bytes = 4, .tiles = kernels::lsd_tiles::large});
        }
      },
      0);
}

SIMT_TEST(lsd_sort, sizes_u8) {
  check_sizes<std::uint8_t>();
}
SIMT_TEST(lsd_sort, sizes_u16) {
  check_sizes<std::uint16_t>();
}
SIMT_TEST(lsd_sort, sizes_u32) {
  check_sizes<std::uint32_t>();
}
SIMT_TEST(lsd_sort, sizes_u64) {
  check_sizes<std::uint64_t>();
}
SIMT_TEST(lsd_sort, sizes_u128) {
  check_sizes<uint128>();
}

template <class Word>
void check_values_and_places() {
  const key_type type = unsigned_type<Word>;
  on_every_schedule(
      [&](simt::queue q) {
        for (const unsigned bytes : {0u, 4u, 8u, 16u})
          for (const place where : a_few(bytes == 4 ? 3 : 1, {place::apart, place::in_place, place::scratch}))
            for (const shape kind : a_few(1, {shape::sorted, shape::and_of_3, shape::one_digit})) {
              SCOPED_TRACE("values " + std::to_string(bytes) + ", place " + std::to_string(int(where)) + ", shape " +
                           std::to_string(int(kind)));
              check_sort(q, make_keys<Word>(5003, kind), {.type = type, .value_bytes = bytes, .where = where});
            }
        for (const unsigned bytes : {0u, 4u, 8u, 16u})
          for (const auto tiles : {kernels::lsd_tiles::broad, kernels::lsd_tiles::middle, kernels::lsd_tiles::large})
            check_sort(q, make_keys<Word>(unless_short(20501, 12301), shape::few),
                       {.type = type, .value_bytes = bytes, .tiles = tiles});
      },
      0);
}
SIMT_TEST(lsd_sort, values_and_places_u8) {
  check_values_and_places<std::uint8_t>();
}
SIMT_TEST(lsd_sort, values_and_places_u16) {
  check_values_and_places<std::uint16_t>();
}
SIMT_TEST(lsd_sort, values_and_places_u32) {
  check_values_and_places<std::uint32_t>();
}
SIMT_TEST(lsd_sort, values_and_places_u64) {
  check_values_and_places<std::uint64_t>();
}
SIMT_TEST(lsd_sort, values_and_places_u128) {
  check_values_and_places<uint128>();
}

// The workspace that a plan for another architecture asks for is what its launches use.
SIMT_TEST(lsd_sort, small_tiles_on_older_architectures) {
  kernels::typed_request<std::uint32_t> r{
      .n = std::uint64_t{1} << 22, .codec = make_key_codec<std::uint32_t>(key_type::u32, {}, {}), .architecture = 80};
  EXPECT_EQ(kernels::detail::plan_lsd(r).shape, kernels::lsd_tiles::small);
  r.architecture = 90;
  EXPECT_EQ(kernels::detail::plan_lsd(r).shape, kernels::lsd_tiles::middle);
  EXPECT_LT(sizeof(kernels::lsd_pass_kernel<uint128, 16, kernels::lsd_tiles::small>::shared), 163u * 1024);
  EXPECT_LT(sizeof(kernels::lsd_pass_kernel<std::uint64_t, 8, kernels::lsd_tiles::large>::shared), 227u * 1024);
}

SIMT_TEST(lsd_sort, shapes) {
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(2);
        for (const shape kind : shapes_of(digit_shapes)) {
          SCOPED_TRACE("shape " + std::to_string(int(kind)));
          if (taken())
            check_sort(q, make_keys<std::uint32_t>(20011, kind), {});
          if (taken())
            check_sort(q, make_keys<std::uint32_t>(20011, kind), {.value_bytes = 8, .where = place::in_place});
          if (taken())
            check_sort(q, make_keys<std::uint64_t>(9001, kind), {.type = key_type::u64, .value_bytes = 4});
        }
      },
      0);
}

SIMT_TEST(lsd_sort, indices) {
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(2);
        for (const shape kind :
             a_few(2, {shape::uniform, shape::one_digit, shape::equal, shape::sorted, shape::raised}))
          for (const place where : {place::apart, place::in_place, place::scratch})
            for (const bool no_keys : {false, true}) {
              if ((no_keys && where == place::in_place) || !taken())
                continue;
              SCOPED_TRACE("shape " + std::to_string(int(kind)) + ", place " + std::to_string(int(where)) +
                           (no_keys ? ", indices alone" : ""));
              const how h{.value_bytes = 4, .indices = true, .no_keys = no_keys, .where = where};
              check_sort(q, make_keys<std::uint32_t>(9001, kind), h);
              how wide = h;
              wide.type = key_type::u64;
              wide.value_bytes = 8;
              check_sort(q, make_keys<std::uint64_t>(4001, kind), wide);
            }
      },
      0);
}

SIMT_TEST(lsd_sort, windows_and_directions) {
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(5);
        for (const bit_window w : a_few(3, {bit_window{0, 32}, bit_window{5, 5}, bit_window{3, 4}, bit_window{7, 17},
                                            bit_window{13, 32}, bit_window{31, 32}, bit_window{0, 25}}))
          for (const order direction : {order::ascending, order::descending}) {
            SCOPED_TRACE("window " + std::to_string(w.begin) + " " + std::to_string(w.end));
            const auto keys = make_keys<std::uint32_t>(5001, shape::uniform);
            if (taken())
              check_sort(q, keys, {.direction = direction, .window = w, .value_bytes = 4});
            if (taken())
              check_sort(q, keys,
                         {.type = key_type::i32, .direction = direction, .window = w, .where = place::in_place});
          }
        const auto wide = make_keys<uint128>(3001, shape::uniform);
        check_sort(q, wide, {.type = key_type::i128, .window = {61, 83}, .value_bytes = 4});
        check_sort(q, wide, {.type = key_type::u128, .direction = order::descending, .window = {0, 128}});
        check_sort(q, make_keys<std::uint8_t>(3001, shape::uniform), {.type = key_type::i8, .window = {2, 7}});
        check_sort(q, make_keys<std::uint16_t>(3001, shape::uniform),
                   {.type = key_type::i16, .direction = order::descending, .value_bytes = 4});
        check_sort(q, make_keys<std::uint64_t>(3001, shape::uniform),
                   {.type = key_type::i64, .window = {30, 40}, .value_bytes = 16});
      },
      0);
}

/// n keys of so many values, among them 0, or 1 in its place, and the highest.
template <class Word>
std::vector<Word> keys_of_values(std::size_t n, std::size_t values, bool with_zero = true) {
  auto value = make_keys<Word>(values, shape::uniform);
  value[0] = with_zero ? Word{0} : Word{1};
  value[values - 1] = Word(~Word{0});
  std::vector<Word> keys = make_keys<Word>(n, shape::uniform);
  for (Word& key : keys)
    key = value[std::size_t(key >> 7) % values];
  return keys;
}

// As many as a block's table has room for, one more, and one fewer; more in some blocks than in others.
SIMT_TEST(lsd_sort, few_values) {
  constexpr std::size_t most = kernels::detail::lsd_values::most, n = 20011;
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t values :
             a_few(3, {std::size_t{2}, std::size_t{3}, std::size_t{300}, most - 1, most, most + 1, 2 * most})) {
          SCOPED_TRACE("values " + std::to_string(values));
          check_sort(q, keys_of_values<std::uint32_t>(n, values), {});
          check_sort(q, keys_of_values<std::uint64_t>(n, values, false),
                     {.type = key_type::i64, .direction = order::descending});
        }
        auto half = make_keys<std::uint32_t>(n, shape::uniform);
        std::fill_n(half.begin(), n / 2, 7);
        check_sort(q, half, {});
        std::reverse(half.begin(), half.end());
        check_sort(q, half, {.only_if = condition::holds});
        const auto few = keys_of_values<std::uint32_t>(n, 40);
        for (const place where : {place::apart, place::in_place, place::scratch})
          for (const condition only_if : {condition::none, condition::holds, condition::fails})
            check_sort(q, few, {.type = key_type::i32, .where = where, .only_if = only_if});
        check_sort(q, few, {.tiles = kernels::lsd_tiles::large, .offset = 1});
        check_sort(q, few, {.beyond = 5000});
        check_sort(q, few, {.window = {0, 31}});
        check_sort(q, keys_of_values<std::uint32_t>(3, 2), {});
        auto in_order = keys_of_values<std::uint32_t>(n, 300); // written from the counts as well
        std::sort(in_order.begin(), in_order.end());
        const std::vector<std::uint32_t> equal(n, 77);
        for (const order direction : {order::ascending, order::descending})
          for (const place where : {place::apart, place::in_place})
            for (const auto& keys : {in_order, equal})
              check_sort(q, keys, {.direction = direction, .where = where});
      },
      2);
}

// Whole numbers from −5 to 5 as floats; then with −0 beside +0, and with NaNs, which only passes keep apart, by digits
// or by ranks.
template <class Word>
void check_few_floats(simt::queue q, key_type type, const std::vector<Word>& special) {
  std::vector<Word> keys(9001);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    using number = std::conditional_t<sizeof(Word) == 4, float, double>;
    keys[i] = std::bit_cast<Word>(number(int(i * 7919 % 11) - 5));
  }
  for (const order direction : {order::ascending, order::descending}) {
    check_sort(q, keys, {.type = type, .direction = direction});
    auto more = keys;
    for (const Word key : special) {
      more[5 * sizeof(Word) + 17] = key;
      check_sort(q, more, {.type = type, .direction = direction});
    }
    check_sort(q, more, {.type = type, .direction = direction, .value_bytes = 8});
  }
}
SIMT_TEST(lsd_sort, few_values_of_floats) {
  on_every_schedule(
      [](simt::queue q) {
        check_few_floats<std::uint32_t>(q, key_type::f32, {0x80000000, 0x7fc00001, 0xffffffff, 0x7f800000});
        check_few_floats<std::uint64_t>(q, key_type::f64,
                                        {std::uint64_t{1} << 63, 0x7ff8000000000001, ~std::uint64_t{0}});
      },
      0);
}

// Pairs: one pass by the values' ranks, then two, then passes by digits.
SIMT_TEST(lsd_sort, few_values_of_pairs) {
  constexpr std::size_t most = kernels::detail::lsd_values::most, n = 20011;
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t values : a_few(
                 3, {std::size_t{2}, std::size_t{255}, std::size_t{256}, std::size_t{257}, most - 1, most, most + 1})) {
          SCOPED_TRACE("values " + std::to_string(values));
          check_sort(q, keys_of_values<std::uint32_t>(n, values), {.value_bytes = 4});
          check_sort(q, keys_of_values<std::uint64_t>(n, values, false),
                     {.type = key_type::i64, .direction = order::descending, .value_bytes = 8});
        }
        for (const std::size_t values : {std::size_t{40}, std::size_t{400}}) {
          SCOPED_TRACE("values " + std::to_string(values));
          const auto few = keys_of_values<std::uint32_t>(n, values);
          for (const place where : {place::apart, place::in_place, place::scratch})
            for (const condition only_if : a_few(1, {condition::none, condition::holds, condition::fails}))
              check_sort(q, few, {.type = key_type::i32, .value_bytes = 4, .where = where, .only_if = only_if});
          for (const bool no_keys : {false, true})
            check_sort(q, few, {.value_bytes = 4, .indices = true, .no_keys = no_keys});
          for (const auto tiles : {kernels::lsd_tiles::broad, kernels::lsd_tiles::middle, kernels::lsd_tiles::large})
            check_sort(q, few, {.value_bytes = 8, .tiles = tiles, .offset = 1, .only_if = condition::holds});
          check_sort(q, few, {.value_bytes = 16, .portion_tiles = 1});
          check_sort(q, few, {.value_bytes = 4, .beyond = 5000});
          check_sort(q, few, {.window = {0, 31}, .value_bytes = 4});
        }
        check_sort(q, keys_of_values<std::uint64_t>(3, 2), {.type = key_type::u64, .value_bytes = 4});
      },
      1);
}

/// How many tiles each pass of a sort of these keys has drawn, with values or without.
template <class Word>
std::vector<std::uint32_t> tickets_of(simt::queue q, const std::vector<Word>& keys, unsigned value_bytes,
                                      kernels::lsd_tiles tiles = kernels::lsd_tiles::follow_n) {
  buffer<Word> in(keys), out(keys.size());
  buffer<std::uint64_t> values(keys.size(), 0), values_out(keys.size(), 0);
  kernels::typed_request<Word> r{.keys_in = in.view().data(),
                                 .keys_out = out.view().data(),
                                 .values_in = value_bytes == 0 ? nullptr : values.view().data(),
                                 .values_out = value_bytes == 0 ? nullptr : values_out.view().data(),
                                 .value_bytes = value_bytes,
                                 .n = keys.size(),
                                 .codec = make_key_codec<Word>(unsigned_type<Word>, {}, {})};
  r.tuning.passes_tiles = tiles;
  r.workspace_bytes = kernels::lsd_workspace_bytes(r);
  buffer<std::uint64_t> workspace(r.workspace_bytes / 8 + 16);
  r.workspace = workspace.view().data();
  kernels::lsd_sort(q, r);
  const auto first = kernels::detail::lay_out_lsd(r, kernels::detail::plan_lsd(r)).tickets / 8;
  const auto words = workspace.host();
  std::vector<std::uint32_t> tickets;
  for (std::size_t pass = 0; pass < sizeof(Word); ++pass)
    tickets.push_back(std::uint32_t(words[first + pass / 2] >> pass % 2 * 32));
  return tickets;
}
template <class Word>
std::size_t passes_of(simt::queue q, const std::vector<Word>& keys, unsigned value_bytes) {
  const auto tickets = tickets_of(q, keys, value_bytes);
  return tickets.size() - std::size_t(std::count(tickets.begin(), tickets.end(), 0u));
}
SIMT_TEST(lsd_sort, few_values_are_hardly_moved) {
  on_every_schedule(
      [](simt::queue q) {
        const auto keys = [](std::size_t values) { return keys_of_values<std::uint64_t>(20011, values); };
        EXPECT_EQ(passes_of(q, keys(300), 0), 0u);
        EXPECT_EQ(passes_of(q, keys(5000), 0), 8u);
        EXPECT_EQ(passes_of(q, keys(256), 8), 1u);
        EXPECT_EQ(passes_of(q, keys(257), 8), 2u);
        EXPECT_EQ(passes_of(q, keys(5000), 8), 8u);
        auto narrow = make_keys<std::uint32_t>(20011, shape::uniform);
        for (std::uint32_t& key : narrow)
          key %= 300; // two digits, two passes either way
        EXPECT_EQ(passes_of(q, narrow, 4), 2u);
      },
      0);
}

/// Random in the lowest `digits` digits above a base of all digits, but for so many keys, which are random everywhere.
template <class Word>
std::vector<Word> keys_with_some_apart(std::size_t n, unsigned digits, std::size_t apart) {
  const Word low = Word((Word{1} << 8 * digits) - 1), base = Word(Word(~Word{0}) / 3);
  auto keys = make_keys<Word>(n, shape::uniform);
  for (std::size_t i = 0; i < n; ++i)
    if (apart == 0 || i % (n / apart) != n / apart / 2)
      keys[i] = Word((base & ~low) | (keys[i] & low));
  return keys;
}
constexpr std::size_t some_apart = 6, least_with_some = 24'576;

template <class Word>
void check_keys_apart(key_type type) {
  const auto keys = keys_with_some_apart<Word>(least_with_some + 5, 2, some_apart);
  on_every_schedule(
      [&](simt::queue q) {
        for (const unsigned bytes : a_few(2, {0u, 4u, 8u, 16u}))
          for (const place where : a_few(1, {place::apart, place::in_place, place::scratch}))
            for (const condition only_if : {condition::none, condition::holds})
              check_sort(q, keys, {.type = type, .value_bytes = bytes, .where = where, .only_if = only_if});
        for (const auto tiles : {kernels::lsd_tiles::broad, kernels::lsd_tiles::middle, kernels::lsd_tiles::large})
          check_sort(q, keys, {.type = type, .direction = order::descending, .value_bytes = 4, .tiles = tiles});
        check_sort(q, keys, {.type = type, .value_bytes = 4, .indices = true, .no_keys = true});
        check_sort(q, keys, {.type = type, .offset = 1, .beyond = 5000});
      },
      0);
}
SIMT_TEST(lsd_sort, keys_apart_of_32_bits) {
  check_keys_apart<std::uint32_t>(key_type::i32);
  check_keys_apart<std::uint32_t>(key_type::f32);
}
SIMT_TEST(lsd_sort, keys_apart_of_64_bits) {
  check_keys_apart<std::uint64_t>(key_type::u64);
  check_keys_apart<std::uint64_t>(key_type::f64);
}
SIMT_TEST(lsd_sort, keys_apart_of_128_bits) {
  check_keys_apart<uint128>(key_type::u128);
}
// Equal ones are among them, of u64 on both sides; more than are compared at once.
SIMT_TEST(lsd_sort, keys_apart_keep_their_order) {
  on_every_schedule(
      [](simt::queue q) {
        auto keys = keys_with_some_apart<std::uint64_t>(least_with_some, 2, 0);
        for (std::size_t i = 0; i < 18; ++i) // six a block
          keys[keys.size() / 18 * i + 99] = i % 4 == 0   ? 5
                                            : i % 4 == 1 ? std::uint64_t{9} << 62
                                                         : ~std::uint64_t{i % 3};
        check_sort(q, keys, {.type = key_type::i64, .value_bytes = 8});
        check_sort(q, keys, {.type = key_type::u64, .value_bytes = 4, .indices = true, .only_if = condition::holds});
        check_sort(q, keys, {.type = key_type::u64, .direction = order::descending, .portion_tiles = 2});
      },
      2);
}
SIMT_TEST(lsd_sort, keys_apart_cost_one_pass) {
  on_every_schedule(
      [](simt::queue q) {
        const auto keys = [](unsigned digits, std::size_t apart) {
          return keys_with_some_apart<std::uint64_t>(least_with_some, digits, apart);
        };
        EXPECT_EQ(passes_of(q, keys(2, some_apart), 0), 3u);
        EXPECT_EQ(passes_of(q, keys(3, 1), 4), 4u);
        EXPECT_EQ(passes_of(q, keys(6, some_apart), 8), 7u);
        EXPECT_EQ(passes_of(q, keys(7, some_apart), 0), 8u) << "one pass would take the place of one";
        EXPECT_EQ(passes_of(q, keys(2, 100), 0), 8u) << "too many";
        EXPECT_EQ(passes_of(q, keys(2, 0), 8), 2u);
        EXPECT_EQ(passes_of(q, keys_with_some_apart<std::uint32_t>(least_with_some, 2, 2), 4), 3u);
        EXPECT_EQ(passes_of(q, keys_with_some_apart<uint128>(least_with_some, 1, 2), 0), 2u);
        auto by_block = make_keys<std::uint64_t>(least_with_some, shape::uniform); // each has usual digits of its own
        for (std::size_t i = 0; i < by_block.size(); ++i)
          by_block[i] = (by_block[i] & 0xffff) | (3 - i / 8192) * 0x0101'0000'0000;
        EXPECT_EQ(passes_of(q, by_block, 0), 4u);
        check_sort(q, by_block, {.type = key_type::u64, .value_bytes = 4});
        for (std::size_t i = 0; i < by_block.size(); ++i) // one block's differ in four digits
          by_block[i] = i < 8192 ? by_block[i] * 0x9e37'79b9 & 0xffff'ffff : by_block[i] & 0xffff;
        EXPECT_EQ(passes_of(q, by_block, 0), 4u);
        check_sort(q, by_block, {.type = key_type::u64, .value_bytes = 4});
        EXPECT_EQ(passes_of(q, keys_with_some_apart<uint128>(100, 1, 4), 0), 16u) << "more than may be of so few";
      },
      0);
}

/// Random keys with differences in so many of the lowest digits, of which a part is `heavy`.
template <class Word>
std::vector<Word> keys_with_heavy(std::size_t n, Word heavy, double part, unsigned digits = sizeof(Word),
                                  Word base = 0) {
  auto keys = make_keys<Word>(n, shape::uniform);
  const Word low = digits == sizeof(Word) ? Word(~Word{0}) : Word((Word{1} << 8 * digits) - 1);
  std::mt19937 random;
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = random() < part * 4294967296.0 ? heavy : Word((base & ~low) | (keys[i] & low));
  return keys;
}
constexpr std::size_t some_with_heavy = 1u << 14;

template <class Word>
void check_heavy_key(key_type type) {
  const Word middle = Word(Word(~Word{0}) / 3), highest = Word(~Word{0} >> 1);
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(3);
        for (const double part : {0.5, 0.95, 0.36, 0.2})
          for (const Word heavy : {Word{0}, middle, highest})
            for (const place where : {place::apart, place::in_place, place::scratch}) {
              if (!taken())
                continue;
              SCOPED_TRACE("part " + std::to_string(part) + ", heavy " + std::to_string(heavy) + ", place " +
                           std::to_string(int(where)));
              const auto keys = keys_with_heavy(some_with_heavy + 1'234, heavy, part);
              check_sort(q, keys, {.type = type, .where = where, .tiles = kernels::lsd_tiles::large});
              check_sort(q, keys,
                         {.type = type,
                          .direction = order::descending,
                          .where = where,
                          .tiles = kernels::lsd_tiles::middle,
                          .only_if = condition::holds});
            }
        // Most of the others have the heavy key's highest digit, and lie on both sides of it: most below, most above.
        for (const unsigned nth : {1u, 3u}) {
          const Word heavy = Word((middle & ~Word{0xffffff}) | nth << 22);
          for (const unsigned digits : {3u, 2u, unsigned(sizeof(Word)) - 1})
            if (taken())
              for (const place where : {place::apart, place::in_place})
                check_sort(q, keys_with_heavy(some_with_heavy + 1, heavy, 0.4, digits, middle),
                           {.type = type, .where = where, .tiles = kernels::lsd_tiles::middle});
        }
      },
      0);
}
SIMT_TEST(lsd_sort, heavy_key_of_32_bits) {
  check_heavy_key<std::uint32_t>(key_type::i32);
  check_heavy_key<std::uint32_t>(key_type::f32);
}
SIMT_TEST(lsd_sort, heavy_key_of_64_bits) {
  check_heavy_key<std::uint64_t>(key_type::u64);
  check_heavy_key<std::uint64_t>(key_type::f64);
}
SIMT_TEST(lsd_sort, heavy_key_is_not_moved) {
  on_every_schedule(
      [](simt::queue q) {
        std::uint32_t heavy = 77;
        constexpr std::size_t n = 16 * some_with_heavy;
        const auto drawn = [&](double part, unsigned value_bytes,
                               kernels::lsd_tiles tiles = kernels::lsd_tiles::middle) {
          return double(tickets_of(q, keys_with_heavy(n, heavy, part), value_bytes, tiles)[3]);
        };
        const double all = drawn(0, 0),
                     in_vain =
                         all -
                         double(n) /
                             double(
                                 kernels::detail::lsd_shape<std::uint32_t>::of(kernels::lsd_tiles::middle, 0).keys());
        EXPECT_NEAR(drawn(0.5, 0) - in_vain, (all - in_vain) / 2, 2);
        EXPECT_NEAR(drawn(0.9, 0) - in_vain, (all - in_vain) / 10, 2);
        EXPECT_NEAR(drawn(0.99, 0) - in_vain, (all - in_vain) / 100, 2) << "blocks that see few others";
        heavy = 0;
        EXPECT_NEAR(drawn(0.6, 0) - in_vain, (all - in_vain) * 0.4, 2);
        EXPECT_EQ(drawn(0.2, 0), all) << "less than a third";
        EXPECT_EQ(drawn(0.5, 4), drawn(0, 4)) << "pairs";
        EXPECT_EQ(drawn(0.9, 0, kernels::lsd_tiles::broad), drawn(0, 0, kernels::lsd_tiles::broad)) << "few keys";
      },
      0);
}
// Beside a heavy +0 some −0, and NaNs of different bits: these keep their places among their equals.
SIMT_TEST(lsd_sort, heavy_float_with_equals) {
  on_every_schedule(
      [](simt::queue q) {
        for (const std::uint32_t heavy : {0u, 0x80000000u, 0x7fc00001u}) {
          auto keys = keys_with_heavy(some_with_heavy + 99, heavy, 0.6);
          for (std::size_t i = 0; i < 30; ++i)
            keys[i * 501] = i % 3 == 0 ? 0x80000000u : i % 3 == 1 ? 0x7fc00002u : 0u;
          check_sort(q, keys, {.type = key_type::f32, .tiles = kernels::lsd_tiles::middle});
          check_sort(q, keys,
                     {.type = key_type::f32,
                      .direction = order::descending,
                      .where = place::in_place,
                      .tiles = kernels::lsd_tiles::large});
        }
        auto zeros = keys_with_heavy(some_with_heavy + 99, 0u, 0.9);
        for (std::size_t i = 0; i < zeros.size(); ++i)
          zeros[i] = zeros[i] == 0 && i * 7919 % 13 < 6 ? 0x80000000u : zeros[i];
        check_sort(q, zeros, {.type = key_type::f32, .tiles = kernels::lsd_tiles::middle});
      },
      0);
}
// Some blocks see few values, and part nothing; a window makes different keys equal; fewer keys than the bound.
SIMT_TEST(lsd_sort, heavy_key_of_some_blocks) {
  on_every_schedule(
      [](simt::queue q) {
        auto keys = keys_with_heavy(3 * some_with_heavy, 5u, 0.5);
        std::fill_n(keys.begin(), keys.size() / 3, 5u);
        check_sort(q, keys, {.tiles = kernels::lsd_tiles::middle});
        check_sort(q, keys, {.where = place::scratch, .tiles = kernels::lsd_tiles::middle, .offset = 1});
        check_sort(q, keys, {.window = {0, 31}, .tiles = kernels::lsd_tiles::middle});
        check_sort(q, keys, {.tiles = kernels::lsd_tiles::large, .portion_tiles = 3, .offset = 3, .beyond = 5000});
        std::sort(keys.begin(), keys.end());
        check_sort(q, keys, {.tiles = kernels::lsd_tiles::middle});
        std::swap(keys[7], keys[20'000]);
        check_sort(q, keys, {.where = place::in_place, .tiles = kernels::lsd_tiles::middle});
      },
      2);
}

// As many digits of eight bits as the whole key has, but not its bytes: keys that the window takes out of order, too.
template <class Word>
void check_window_of_all_digits(simt::queue q, bit_window w) {
  SCOPED_TRACE(std::to_string(8 * sizeof(Word)) + " bits, window " + std::to_string(w.begin) + " " +
               std::to_string(w.end));
  for (const shape kind : {shape::uniform, shape::sorted, shape::reversed})
    for (const unsigned value_bytes : {0u, 4u})
      check_sort(q, make_keys<Word>(2001, kind),
                 {.type = unsigned_type<Word>, .window = w, .value_bytes = value_bytes});
}
SIMT_TEST(lsd_sort, windows_of_all_digits) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const bit_window w : {bit_window{2, 32}, bit_window{0, 31}, bit_window{1, 30}})
          check_window_of_all_digits<std::uint32_t>(q, w);
        for (const bit_window w : {bit_window{1, 16}, bit_window{0, 15}})
          check_window_of_all_digits<std::uint16_t>(q, w);
        for (const bit_window w : {bit_window{3, 62}, bit_window{0, 63}})
          check_window_of_all_digits<std::uint64_t>(q, w);
        check_window_of_all_digits<uint128>(q, {5, 128});
      },
      0);
}

SIMT_TEST(lsd_sort, floats) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const order direction : {order::ascending, order::descending}) {
          check_sort(q, float_keys<std::uint32_t>(9001, 0x7f800000),
                     {.type = key_type::f32, .direction = direction, .value_bytes = 4});
          check_sort(q, float_keys<std::uint32_t>(9001, 0x7f800000), {.type = key_type::f32, .direction = direction});
          check_sort(q, float_keys<std::uint64_t>(5001, 0x7ff0000000000000),
                     {.type = key_type::f64, .direction = direction, .value_bytes = 8});
          check_sort(q, float_keys<std::uint16_t>(9001, 0x7c00),
                     {.type = key_type::f16, .direction = direction, .value_bytes = 4, .indices = true});
          check_sort(q, float_keys<std::uint16_t>(9001, 0x7f80), {.type = key_type::bf16, .direction = direction});
        }
        check_sort(q, float_keys<std::uint32_t>(5001, 0x7f800000), {.type = key_type::f32, .window = {20, 32}});
        std::vector<std::uint32_t> zeros(5001, 0);
        for (std::size_t i = 0; i < zeros.size(); i += 3)
          zeros[i] = 0x80000000;
        check_sort(q, zeros, {.type = key_type::f32, .value_bytes = 4, .indices = true});
      },
      0);
}

/// Neither −0 nor NaNs, but both infinities.
template <class Word>
std::vector<Word> plain_floats(std::size_t n, Word infinity) {
  auto keys = make_keys<Word>(n, shape::uniform);
  for (Word& key : keys) {
    if ((key & infinity) == infinity)
      key = key >> (8 * sizeof(Word) - 1) << (8 * sizeof(Word) - 1) | infinity;
    if (Word(key << 1) == 0)
      key = 0;
  }
  return keys;
}
SIMT_TEST(lsd_sort, plain_floats_alone) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const order direction : {order::ascending, order::descending}) {
          auto keys = plain_floats<std::uint32_t>(9001, 0x7f800000);
          check_sort(q, keys, {.type = key_type::f32, .direction = direction});
          check_sort(q, keys, {.type = key_type::f32, .direction = direction, .window = {9, 30}});
          keys[5000] = 0x80000000; // one −0 alone
          keys[7000] = 0;
          check_sort(q, keys, {.type = key_type::f32, .direction = direction, .where = place::in_place});
          check_sort(q, plain_floats<std::uint64_t>(5001, 0x7ff0000000000000),
                     {.type = key_type::f64, .direction = direction});
        }
      },
      0);
}

SIMT_TEST(lsd_sort, tiles_follow_n) {
  using kernels::lsd_tiles;
  const auto tiles_of = []<class Word>(Word, std::uint64_t n, unsigned value_bytes, unsigned architecture) {
    kernels::typed_request<Word> r;
    r.n = n;
    r.value_bytes = value_bytes;
    r.architecture = architecture;
    return kernels::detail::plan_lsd(r).shape;
  };
  const auto tiles = [&](std::uint64_t n, unsigned value_bytes, unsigned architecture = 90) {
    return tiles_of(std::uint32_t{}, n, value_bytes, architecture);
  };
  EXPECT_EQ(tiles(1u << 19, 4), lsd_tiles::small);
  EXPECT_EQ(tiles((1u << 19) + 1, 4), lsd_tiles::broad);
  EXPECT_EQ(tiles(1u << 20, 4), lsd_tiles::broad);
  EXPECT_EQ(tiles(1u << 20, 4, 80), lsd_tiles::small);
  EXPECT_EQ(tiles(1u << 20, 8), lsd_tiles::broad);
  EXPECT_EQ(tiles(1u << 20, 16), lsd_tiles::small);
  EXPECT_EQ(tiles((1u << 20) + 1, 4), lsd_tiles::middle);
  EXPECT_EQ(tiles(1u << 24, 4), lsd_tiles::middle);
  EXPECT_EQ(tiles((1u << 24) + 1, 4), lsd_tiles::large);
  EXPECT_EQ(tiles(1u << 20, 0), lsd_tiles::broad);
  EXPECT_EQ(tiles((1u << 20) + 1, 0), lsd_tiles::middle);
  EXPECT_EQ(tiles(1u << 24, 0), lsd_tiles::middle);
  EXPECT_EQ(tiles((1u << 24) + 1, 0), lsd_tiles::large);
  EXPECT_EQ(tiles_of(std::uint64_t{}, 1u << 20, 8, 90), lsd_tiles::broad);
  EXPECT_EQ(tiles_of(std::uint64_t{}, 1u << 24, 0, 90), lsd_tiles::middle);
  EXPECT_EQ(tiles_of(uint128{}, 1u << 20, 8, 90), lsd_tiles::small);
  EXPECT_EQ(tiles_of(uint128{}, 1u << 21, 0, 90), lsd_tiles::small);
  EXPECT_EQ(tiles_of(uint128{}, 1u << 24, 0, 90), lsd_tiles::large);
  EXPECT_EQ(tiles(1u << 28, 4, 80), lsd_tiles::small);
  EXPECT_EQ(tiles_of(std::uint8_t{}, (1u << 20) + 1, 4, 90), lsd_tiles::large);
}

SIMT_TEST(lsd_sort, on_a_condition) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const condition only_if : {condition::holds, condition::fails})
          for (const place where : {place::apart, place::in_place, place::scratch})
            check_sort(q, make_keys<std::uint32_t>(3000, shape::uniform),
                       {.value_bytes = 4, .where = where, .only_if = only_if});
      },
      1);
}

SIMT_TEST(lsd_sort, any_alignment) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t offset : {1u, 3u, 7u}) {
          check_sort(q, make_keys<std::uint8_t>(9001, shape::uniform),
                     {.type = key_type::u8, .value_bytes = 4, .offset = offset});
          check_sort(q, make_keys<std::uint16_t>(9001, shape::sorted), {.type = key_type::u16, .offset = offset});
          check_sort(q, make_keys<std::uint32_t>(9001, shape::uniform), {.where = place::in_place, .offset = offset});
          check_sort(q, make_keys<std::uint64_t>(5001, shape::sorted),
                     {.type = key_type::u64, .value_bytes = 8, .offset = offset});
        }
        check_sort(q, make_keys<std::uint8_t>(3, shape::uniform), {.type = key_type::u8, .offset = 5});
      },
      0);
}

// The 30-bit counts of a look-back reach a portion's end; here portions are short instead of counts large.
SIMT_TEST(lsd_sort, portions) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::uint32_t tiles : {1u, 2u, 3u})
          check_sort(q, make_keys<std::uint32_t>(7 * small_tile<std::uint32_t>(4) + 5, shape::and_of_3),
                     {.value_bytes = 4, .portion_tiles = tiles});
        check_sort(q, make_keys<std::uint16_t>(6 * small_tile<std::uint16_t>(0), shape::uniform),
                   {.type = key_type::u16, .portion_tiles = 2});
      },
      2);
}

SIMT_TEST(lsd_sort, n_on_the_device) {
  on_every_schedule(
      [&](simt::queue q) {
        const std::size_t n = 3 * small_tile<std::uint32_t>(4) + 100;
        for (const std::size_t beyond : a_few(3, {std::size_t{1}, std::size_t{100}, std::size_t{5000}, n - 1, n}))
          for (const place where : {place::apart, place::in_place, place::scratch}) {
            SCOPED_TRACE("beyond " + std::to_string(beyond));
            check_sort(q, make_keys<std::uint32_t>(n, shape::uniform),
                       {.value_bytes = 4, .where = where, .beyond = beyond});
          }
        check_sort(q, make_keys<std::uint8_t>(n, shape::sorted), {.type = key_type::u8, .beyond = 77});
      },
      0);
}

// A fallback's passes come in one launch: each begins when all tiles of the one before have been moved, by blocks that
// may stand still or not have begun.
SIMT_TEST(lsd_sort, passes_of_a_fallback) {
  constexpr auto called = condition::holds;
  on_every_schedule(
      [&](simt::queue q) {
        const std::size_t n = 5 * small_tile<std::uint32_t>(4) - 7;
        for (const place where : {place::apart, place::in_place, place::scratch})
          check_sort(q, make_keys<std::uint32_t>(n, shape::uniform),
                     {.value_bytes = 4, .where = where, .only_if = called});
        for (const shape s : {shape::one_digit, shape::sorted, shape::equal})
          check_sort(q, make_keys<std::uint32_t>(n, s), {.value_bytes = 4, .only_if = called});
        check_sort(q, make_keys<std::uint32_t>(n, shape::uniform),
                   {.value_bytes = 4, .portion_tiles = 2, .only_if = called});
        check_sort(q, make_keys<std::uint32_t>(n, shape::uniform),
                   {.value_bytes = 4, .beyond = n / 2, .only_if = called});
        check_sort(q, make_keys<std::uint32_t>(n, shape::uniform),
                   {.window = {3, 20}, .value_bytes = 4, .indices = true, .no_keys = true, .only_if = called});
        check_sort(q, make_keys<std::uint64_t>(3 * small_tile<std::uint64_t>(8) + 1, shape::uniform),
                   {.type = key_type::u64, .value_bytes = 8, .only_if = called});
        check_sort(q, make_keys<std::uint16_t>(3 * small_tile<std::uint16_t>(0) + 1, shape::uniform),
                   {.type = key_type::u16, .where = place::in_place, .only_if = called});
      },
      1);
}

// Many tiles in flight, blocks that stand still for long, stores that leave late: the look-back has to wait, and must.
SIMT_TEST(lsd_sort, on_many_schedules) {
  on_every_schedule(
      [&](simt::queue q) {
        check_sort(q, make_keys<std::uint32_t>(5 * small_tile<std::uint32_t>(0) - 7, shape::raised), {});
        check_sort(q, make_keys<std::uint16_t>(3 * small_tile<std::uint16_t>(8) + 9, shape::uniform),
                   {.type = key_type::u16, .value_bytes = 8, .where = place::in_place});
        check_sort(q, make_keys<std::uint8_t>(4 * small_tile<std::uint8_t>(4), shape::one_digit),
                   {.type = key_type::u8, .value_bytes = 4, .indices = true});
        check_sort(q, make_keys<std::uint16_t>(3 * small_tile<std::uint16_t>(4) + 9, shape::uniform),
                   {.type = key_type::u16, .value_bytes = 4, .only_if = condition::holds});
      },
      12);
}

SIMT_TEST(lsd_sort, misuse_is_refused_by_name) {
  on_every_schedule(
      [&](simt::queue q) {
        buffer<std::uint32_t> in(64), out(64);
        buffer<std::uint64_t> values(64), values_out(64);
        kernels::typed_request<std::uint32_t> good{.keys_in = in.view().data(),
                                                   .keys_out = out.view().data(),
                                                   .values_in = values.view().data(),
                                                   .values_out = values_out.view().data(),
                                                   .value_bytes = 8,
                                                   .n = 60,
                                                   .codec = make_key_codec<std::uint32_t>(key_type::u32, {}, {})};
        good.workspace_bytes = kernels::lsd_workspace_bytes(good);
        buffer<std::uint64_t> workspace(good.workspace_bytes / 8 + 16);
        good.workspace = workspace.view().data();
        const auto refused = refusals_of(good, [&](const auto& r) { kernels::lsd_sort(q, r); });
        EXPECT_NO_THROW(kernels::lsd_sort(q, good));
        refused("keys_in", [](auto& r) { r.keys_in = nullptr; });
        refused("values_in", [](auto& r) { r.values_in = nullptr; });
        refused("values_out", [](auto& r) { r.values_out = nullptr; });
        refused("keys_out", [](auto& r) {
          r.keys_out = nullptr;
          r.values_in = r.values_out = nullptr;
          r.value_bytes = 0;
        });
        refused("keys_in", [](auto& r) {
          r.keys_in = reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const char*>(r.keys_in) + 2);
        });
        refused("values_out", [](auto& r) { r.values_out = static_cast<char*>(r.values_out) + 4; });
        refused("value_bytes", [](auto& r) { r.value_bytes = 2; });
        refused("value_bytes", [](auto& r) { r.value_bytes = 0; });
        refused("make_indices", [](auto& r) { r.make_indices = true; });
        refused("make_indices", [](auto& r) {
          r.make_indices = true;
          r.values_in = nullptr;
          r.value_bytes = 16;
        });
        refused("indices of 4 bytes", [](auto& r) {
          r.make_indices = true;
          r.values_in = nullptr;
          r.value_bytes = 4;
          r.n = (std::uint64_t{1} << 32) + 1;
        });
        refused("overlap", [](auto& r) { r.keys_out = const_cast<std::uint32_t*>(r.keys_in) + 1; });
        refused("overlap", [](auto& r) { r.values_out = r.keys_out; });
        refused("overlap", [](auto& r) { r.workspace = const_cast<std::uint32_t*>(r.keys_in); });
        refused("workspace", [](auto& r) { r.workspace = nullptr; });
        refused("workspace", [](auto& r) { r.workspace = static_cast<char*>(r.workspace) + 8; });
        refused("workspace", [](auto& r) { r.workspace_bytes -= 1; });
        refused("n = ", [](auto& r) { r.n = std::uint64_t{1} << 50; });
        refused("window", [](auto& r) { r.codec.bits = 33; });
        refused("device_n", [](auto& r) {
          r.device_n = reinterpret_cast<const std::uint64_t*>(static_cast<char*>(r.workspace) + 4);
        });
      },
      0);
}

} // namespace
} // namespace sortile::simt_tests
