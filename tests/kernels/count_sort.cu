// The sort by counting against std::stable_sort: sizes about its vectors, rows and blocks, runs of all lengths,
// counters that fill, both widths, signs, directions, floats, alignments, n on the device.
#include "kernels/narrow/count_sort.hpp"
#include "kernels/narrow/count_sort_kernel.hpp"
#include "kernels/narrow/one_block_count_kernel.hpp"
#include "tests/kernels/refusals.hpp"
#include "tests/kernels/words_to_zero.hpp"
#include "tests/simt/fixture.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <cstring>
#include <set>

namespace sortile::simt_tests {
namespace {

enum class shape { uniform, and_of_3, equal, two, few, period, sorted, nearly_sorted, reversed, outlier, dense };
constexpr shape all_shapes[] = {shape::uniform,  shape::and_of_3, shape::equal,  shape::two,
                                shape::few,      shape::period,   shape::sorted, shape::nearly_sorted,
                                shape::reversed, shape::outlier,  shape::dense};

template <class Word>
std::vector<Word> make_keys(std::size_t n, shape kind, const key_codec<Word>& codec = {}) {
  const auto bits = noise(3 * n + 3, std::uint32_t(n) + 17);
  const auto image = [&](Word key) { return codec.mask == 0 ? key : codec.image(key); };
  const auto less = [&](Word a, Word b) { return image(a) < image(b); };
  std::vector<Word> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Word r = Word(bits[3 * i]);
    switch (kind) {
    case shape::and_of_3:
      keys[i] = Word(r & bits[3 * i + 1] & bits[3 * i + 2]);
      break;
    case shape::equal:
      keys[i] = Word(0xc3a5);
      break;
    case shape::two:
      keys[i] = r % 2 != 0 ? Word(0x7fff) : Word(~Word{0});
      break;
    case shape::few:
      keys[i] = Word(r % 5 * 0x3147);
      break;
    case shape::period: // the same element of every lane's vector
      keys[i] = Word(i % 8 * 0x1234);
      break;
    case shape::outlier:
      keys[i] = i == n / 3 ? Word(1) : Word(0xfffe);
      break;
    case shape::dense:
      keys[i] = Word(0x40 + r % 100);
      break;
    default:
      keys[i] = r;
    }
  }
  if (kind == shape::sorted || kind == shape::nearly_sorted)
    std::stable_sort(keys.begin(), keys.end(), less);
  if (kind == shape::nearly_sorted && n > 1)
    std::swap(keys[n - 1], keys[n / 2]);
  if (kind == shape::reversed)
    std::stable_sort(keys.rbegin(), keys.rend(), less);
  return keys;
}

struct how {
  key_type type = key_type::u16;
  order direction = order::ascending;
  bool in_place = false;
  bool many = false; // the launch for many keys
  unsigned blocks = 0;
  std::size_t in_offset = 0, out_offset = 0; // keys behind a multiple of 16 bytes
  std::size_t beyond = 0;                    // n is on the device, and this much less than the bound
  bool given_away = false;                   // is what is expected
};

constexpr unsigned char poison = 0xa5;

template <class Word>
void check_sort(simt::queue q, const std::vector<Word>& keys, how h) {
  constexpr std::size_t zone = 32;
  const std::size_t bound = keys.size(), n = bound - std::min(bound, h.beyond);
  const auto codec = make_key_codec<Word>(h.type, h.direction, {});
  const Word untouched = Word(poison | poison << 8);
  std::vector<Word> guarded_in(zone + h.in_offset, untouched);
  guarded_in.insert(guarded_in.end(), keys.begin(), keys.end());
  guarded_in.resize(guarded_in.size() + zone, untouched);
  buffer<Word> in(guarded_in), out(bound + h.out_offset + 2 * zone, untouched);
  buffer<std::uint64_t> device_n(1, n);
  buffer<std::uint32_t> told(1, 99);
  kernels::typed_request<Word> r{.keys_in = in.view().data() + zone + h.in_offset,
                                 .keys_out = out.view().data() + zone + h.out_offset,
                                 .n = bound,
                                 .device_n = h.beyond != 0 ? device_n.view().data() : nullptr,
                                 .codec = codec,
                                 .verdict = {told.view().data()},
                                 .tuning = {.blocks = h.blocks, .many = h.many}};
  if (h.in_place)
    r.keys_out = const_cast<Word*>(r.keys_in);
  r.workspace_bytes = kernels::count_sort_workspace_bytes(r);
  buffer<std::uint64_t> workspace(r.workspace_bytes / 8 + 16, 0x5a5a5a5a5a5a5a5au);
  r.workspace = workspace.view().data();
  const words_to_zero behind_it;
  if (h.given_away)
    behind_it.in(r.verdict);
  kernels::count_sort(q, r);
  behind_it.check(h.given_away);

  std::vector<Word> sorted(keys.begin(), keys.begin() + std::ptrdiff_t(n));
  if (!h.given_away)
    std::stable_sort(sorted.begin(), sorted.end(), [&](Word a, Word b) { return codec.image(a) < codec.image(b); });
  std::vector<Word> expected = h.in_place ? guarded_in : out.host();
  std::fill(expected.begin(), expected.end(), untouched);
  const std::size_t first = zone + (h.in_place ? h.in_offset : h.out_offset);
  if (h.in_place)
    expected = guarded_in;
  if (h.in_place || !h.given_away)
    std::copy(sorted.begin(), sorted.end(), expected.begin() + std::ptrdiff_t(first));
  const auto got = h.in_place ? in.host() : out.host();
  const auto wrong = std::mismatch(expected.begin(), expected.end(), got.begin());
  EXPECT_EQ(wrong.first - expected.begin(), std::ptrdiff_t(expected.size()))
      << "is the first wrong place, keys begin at " << first;
  if (!h.in_place) {
    EXPECT_EQ(in.host(), guarded_in) << "the input has changed";
  }
  EXPECT_EQ(told.host()[0], h.given_away ? 1u : 0u);
  const auto behind = workspace.host();
  for (std::size_t i = r.workspace_bytes / 8; i < behind.size(); ++i)
    EXPECT_EQ(behind[i], 0x5a5a5a5a5a5a5a5au);
}

template <class Word>
constexpr key_type unsigned_type = sizeof(Word) == 1 ? key_type::u8 : key_type::u16;
template <class Word>
constexpr key_type signed_type = sizeof(Word) == 1 ? key_type::i8 : key_type::i16;

template <class Word>
void check_shapes(simt::queue q, std::size_t n, how h) {
  for (const shape kind : a_few(4, all_shapes)) {
    SCOPED_TRACE("n " + std::to_string(n) + ", shape " + std::to_string(int(kind)));
    check_sort(q, make_keys<Word>(n, kind, make_key_codec<Word>(h.type, h.direction, {})), h);
  }
}

template <class Word>
void check_sizes() {
  constexpr key_type type = unsigned_type<Word>;
  constexpr std::size_t vector = 16 / sizeof(Word), row = 32 * vector, capacity = 16384;
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t n : a_few(4, {std::size_t{0}, std::size_t{1}, std::size_t{2}, vector - 1, vector,
                                             vector + 1, row - 1, row, row + 1, 3 * row + 5, capacity - 1, capacity}))
          for (const bool many : {false, true}) {
            SCOPED_TRACE("n " + std::to_string(n) + (many ? ", many" : ""));
            const auto keys = make_keys<Word>(n, shape::uniform);
            check_sort(q, keys, {.type = type, .many = many});
            check_sort(q, keys, {.type = type, .in_place = true, .many = many, .in_offset = 1});
          }
        for (const std::size_t n : a_few(2, {capacity + 1, 8 * capacity + row + 3, 4 * capacity - 1}))
          for (const unsigned blocks : {0u, 1u, 3u}) {
            SCOPED_TRACE("n " + std::to_string(n) + ", blocks " + std::to_string(blocks));
            check_sort(q, make_keys<Word>(n, shape::uniform), {.type = type, .blocks = blocks});
          }
      },
      0);
}
SIMT_TEST(count_sort, sizes_u8) {
  check_sizes<std::uint8_t>();
}
SIMT_TEST(count_sort, sizes_u16) {
  check_sizes<std::uint16_t>();
}

template <class Word>
void check_all_shapes() {
  constexpr key_type type = unsigned_type<Word>;
  on_every_schedule(
      [&](simt::queue q) {
        for (const bool in_place : {false, true}) {
          check_shapes<Word>(q, 5003, {.type = type, .in_place = in_place});
          check_shapes<Word>(q, 16001, {.type = type, .in_place = in_place, .many = true});
          check_shapes<Word>(q, unless_short(100'003, 40'003), {.type = type, .in_place = in_place});
        }
      },
      0);
}
SIMT_TEST(count_sort, shapes_u8) {
  check_all_shapes<std::uint8_t>();
}
SIMT_TEST(count_sort, shapes_u16) {
  check_all_shapes<std::uint16_t>();
}

template <class Word>
void check_schedules() {
  constexpr key_type type = unsigned_type<Word>;
  on_every_schedule(
      [&](simt::queue q) {
        check_sort(q, make_keys<Word>(3001, shape::uniform), {.type = type});
        check_sort(q, make_keys<Word>(3001, shape::two), {.type = type, .in_place = true});
        check_sort(q, make_keys<Word>(5001, shape::uniform), {.type = type, .many = true, .blocks = 3});
        check_sort(q, make_keys<Word>(9001, shape::few), {.type = type, .in_place = true, .many = true, .blocks = 2});
        check_sort(q, make_keys<Word>(5001, shape::sorted), {.type = type, .in_place = true, .many = true});
      },
      4);
}
SIMT_TEST(count_sort, on_many_schedules_u8) {
  check_schedules<std::uint8_t>();
}
SIMT_TEST(count_sort, on_many_schedules_u16) {
  check_schedules<std::uint16_t>();
}

template <class Word>
void check_signs_and_places() {
  on_every_schedule(
      [&](simt::queue q) {
        one_in taken(3);
        for (const key_type type : {unsigned_type<Word>, signed_type<Word>})
          for (const order direction : {order::ascending, order::descending})
            for (const std::size_t n : {std::size_t{2001}, std::size_t{40'009}}) {
              if (!taken())
                continue;
              check_shapes<Word>(q, n, {.type = type, .direction = direction});
              check_sort(q, make_keys<Word>(n, shape::sorted, make_key_codec<Word>(type, direction, {})),
                         {.type = type, .direction = direction, .in_place = true});
            }
        for (std::size_t in = 0; in < 16 / sizeof(Word); in += unless_short(1, 5)) {
          const std::size_t out = (5 * in + 3) % (16 / sizeof(Word));
          SCOPED_TRACE("offsets " + std::to_string(in) + ", " + std::to_string(out));
          for (const std::size_t n : {std::size_t{3}, std::size_t{1500}})
            for (const bool many : {false, true})
              check_sort(q, make_keys<Word>(n, shape::uniform),
                         {.type = unsigned_type<Word>, .many = many, .in_offset = in, .out_offset = out});
          check_sort(q, make_keys<Word>(9001, shape::and_of_3), // parts of rows, each over many chunks
                     {.type = unsigned_type<Word>, .many = true, .in_offset = in, .out_offset = out});
          check_sort(q, make_keys<Word>(30'011, shape::few),
                     {.type = unsigned_type<Word>, .in_offset = in, .out_offset = out});
        }
      },
      0);
}
SIMT_TEST(count_sort, signs_and_places_u8) {
  check_signs_and_places<std::uint8_t>();
}
SIMT_TEST(count_sort, signs_and_places_u16) {
  check_signs_and_places<std::uint16_t>();
}

// 2^15 keys of a value in one block make its counter spill: values that the warps add at once, and values too rare for
// that.
SIMT_TEST(count_sort, counters_that_spill) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const shape kind : {shape::equal, shape::two, shape::period, shape::outlier})
          check_sort(q, make_keys<std::uint16_t>(400'000, kind), {.blocks = 1});
        std::vector<std::uint16_t> keys(1'000'000);
        const auto bits = noise(keys.size(), 3);
        for (std::size_t i = 0; i < keys.size(); ++i)
          keys[i] = std::uint16_t(bits[i] % 20 * 3277);
        check_sort(q, keys, {.blocks = 1});
        check_sort(q, keys, {.in_place = true, .blocks = 3});
      },
      0);
  on_every_schedule([&](simt::queue q) { check_sort(q, make_keys<std::uint16_t>(70'000, shape::two), {.blocks = 1}); },
                    2);
}

template <class Word>
void check_device_n() {
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t bound : {std::size_t{2000}, std::size_t{60'000}})
          for (const std::size_t beyond : {std::size_t{1}, std::size_t{700}, bound})
            for (const bool in_place : {false, true}) {
              SCOPED_TRACE("bound " + std::to_string(bound) + ", beyond " + std::to_string(beyond));
              check_sort(q, make_keys<Word>(bound, shape::uniform),
                         {.type = unsigned_type<Word>, .in_place = in_place, .beyond = beyond});
            }
      },
      0);
}
SIMT_TEST(count_sort, n_on_the_device) {
  check_device_n<std::uint8_t>();
  check_device_n<std::uint16_t>();
}

/// Floats of any bits but those that say to leave out.
std::vector<std::uint16_t> make_floats(std::size_t n, std::uint16_t infinity, const std::set<std::uint16_t>& allowed) {
  auto keys = make_keys<std::uint16_t>(n, shape::uniform);
  const auto bits = noise(n, 11);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint16_t& k = keys[i];
    const bool special = (k & 0x7fff) == 0 || (k & 0x7fff) > infinity || bits[i] % 8 == 0;
    if (special)
      k = allowed.empty() ? std::uint16_t(0x3c00)
                          : *std::next(allowed.begin(), std::ptrdiff_t(bits[i] / 8 % allowed.size()));
  }
  return keys;
}

SIMT_TEST(count_sort, floats_are_sorted_or_left) {
  struct {
    key_type type;
    std::uint16_t infinity;
  } const types[] = {{key_type::f16, 0x7c00}, {key_type::bf16, 0x7f80}};
  on_every_schedule(
      [&](simt::queue q) {
        for (const auto& [type, infinity] : types) {
          const std::uint16_t inf = infinity, ninf = std::uint16_t(inf | 0x8000), nan = std::uint16_t(inf + 1),
                              nnan = 0xffff, other = std::uint16_t(inf + 5);
          struct {
            std::set<std::uint16_t> allowed;
            bool given_away;
          } const cases[] = {{{}, false},
                             {{0, inf, ninf, nan}, false},
                             {{0x8000, inf, ninf, nnan}, false},
                             {{0x8000, ninf, std::uint16_t(nan | 0x8000)}, false},
                             {{0, 0x8000}, true},
                             {{0, nan, nnan}, true},
                             {{nan, other}, true},
                             {{std::uint16_t(nan | 0x8000), nnan}, true}};
          for (const auto& c : cases)
            for (const order direction : a_few(1, {order::ascending, order::descending}))
              for (const std::size_t n : {std::size_t{3000}, unless_short<std::size_t>(50'001, 20'001)}) {
                SCOPED_TRACE("type " + std::to_string(int(type)) + ", case " + std::to_string(&c - cases) + ", n " +
                             std::to_string(n));
                const auto keys = make_floats(n, inf, c.allowed);
                for (const bool in_place : a_few(1, {false, true}))
                  check_sort(q, keys,
                             {.type = type, .direction = direction, .in_place = in_place, .given_away = c.given_away});
              }
        }
      },
      0);
}

// Every pattern has a rank of its own, and ranks go with images.
SIMT_TEST(count_sort, ranks_refine_images) {
  for (const key_type type : {key_type::u16, key_type::i16, key_type::f16, key_type::bf16})
    for (const order direction : {order::ascending, order::descending}) {
      const auto codec = make_key_codec<std::uint16_t>(type, direction, {});
      const auto ranks = kernels::narrow_order<std::uint16_t>::of(codec);
      std::uint16_t before = 0;
      for (unsigned r = 0; r < 65536; ++r) {
        const std::uint16_t key = ranks.key(std::uint16_t(r));
        ASSERT_EQ(ranks.rank(key), r);
        ASSERT_LE(before, codec.image(key)) << "rank " << r << ", type " << int(type);
        before = codec.image(key);
      }
    }
}

SIMT_TEST(count_sort, misuse_is_refused_by_name) {
  on_every_schedule(
      [&](simt::queue q) {
        buffer<std::uint16_t> in(64), out(64);
        buffer<std::uint64_t> words(4);
        kernels::typed_request<std::uint16_t> good{.keys_in = in.view().data(),
                                                   .keys_out = out.view().data(),
                                                   .n = 60,
                                                   .codec = make_key_codec<std::uint16_t>(key_type::u16, {}, {}),
                                                   .tuning = {.many = true}};
        good.workspace_bytes = kernels::count_sort_workspace_bytes(good);
        buffer<std::uint64_t> workspace(good.workspace_bytes / 8 + 16);
        good.workspace = workspace.view().data();
        const auto refused = refusals_of(good, [&](const auto& r) { kernels::count_sort(q, r); });
        EXPECT_NO_THROW(kernels::count_sort(q, good));
        refused("keys_in is null", [](auto& r) { r.keys_in = nullptr; });
        refused("keys_out is null", [](auto& r) { r.keys_out = nullptr; });
        refused("keys_out is not aligned", [](auto& r) {
          r.keys_out = reinterpret_cast<std::uint16_t*>(reinterpret_cast<char*>(r.keys_out) + 1);
        });
        refused("overlap", [](auto& r) { r.keys_out = const_cast<std::uint16_t*>(r.keys_in) + 4; });
        refused("overlap", [](auto& r) { r.verdict.word = reinterpret_cast<std::uint32_t*>(r.keys_out); });
        refused("overlap", [](auto& r) { r.device_n = reinterpret_cast<std::uint64_t*>(r.workspace); });
        refused("device_n", [&](auto& r) {
          r.device_n = reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(words.view().data()) + 4);
        });
        refused("workspace", [](auto& r) { r.workspace = nullptr; });
        refused("workspace", [](auto& r) { r.workspace_bytes -= 1; });
        refused("workspace", [](auto& r) { r.workspace = static_cast<char*>(r.workspace) + 8; });
        refused("n = ", [](auto& r) { r.n = kernels::count_sort_most + 1; });
        refused("window", [](auto& r) { r.codec = make_key_codec<std::uint16_t>(key_type::u16, {}, {4, 16}); });
        refused("floating-point", [](auto& r) { r.codec = make_key_codec<std::uint16_t>(key_type::f16, {}, {}); });
      },
      0);
}

} // namespace
} // namespace sortile::simt_tests
