// The sort in one launch against std::stable_sort: one block and grids of several, every width of keys and values,
// ties, draws that fail, where input and output may lie, n on the device, misuse.
#include "kernels/sample/sample_sort.hpp"
#include "kernels/sample/sample_sort_kernel.hpp"
#include "tests/kernels/refusals.hpp"
#include "tests/kernels/stable_sort_checks.hpp"

#include <sortile/error.hpp>

namespace sortile::simt_tests {
namespace {

/// blocks 0: as many as n asks for; attempts 0: by the network.
template <class Word>
void check_sort(simt::queue q, const std::vector<Word>& keys, const sort_case& h, std::uint32_t blocks = 0,
                unsigned attempts = 4) {
  SCOPED_TRACE("n " + std::to_string(keys.size()) + ", blocks " + std::to_string(blocks) + ", attempts " +
               std::to_string(attempts));
  kernels::typed_request<Word> request;
  request.tuning.blocks = blocks;
  request.tuning.attempts = attempts;
  check_stable_sort(
      keys, h, request, [](const auto& r) { return kernels::sample_sort_workspace_bytes(r); },
      [&](const auto& r) { kernels::sample_sort(q, r); });
}

template <class Word>
void check_width() {
  const key_type type = unsigned_type<Word>;
  on_every_schedule(
      [&](simt::queue q) {
        for (const int n : a_few(3, {0, 1, 2, 33, 1000, 3072, 3073}))
          check_sort(q, make_keys<Word>(std::size_t(n), shape::uniform), {.type = type});
        for (const int n : a_few(2, {1, 5, 700, 2049}))
          for (const unsigned bytes : {0u, 4u, 8u})
            check_sort(q, make_keys<Word>(std::size_t(n), shape::few), {.type = type, .value_bytes = bytes}, 3);
      },
      2);
  on_every_schedule(
      [&](simt::queue q) {
        for (const shape kind : shapes_of(digit_shapes))
          for (const unsigned bytes : {0u, 4u, 16u}) {
            SCOPED_TRACE("shape " + std::to_string(int(kind)) + ", values " + std::to_string(bytes));
            check_sort(q, make_keys<Word>(6001, kind), {.type = type, .value_bytes = bytes, .in_place = bytes == 16},
                       bytes == 4 ? 4 : 3);
          }
        const auto shape = kernels::detail::sample_shape::of(sizeof(Word), true);
        check_sort(q, make_keys<Word>(shape.capacity(), shape::few), {.type = type, .value_bytes = 4}, 1);
        check_sort(q, make_keys<Word>(4 * shape.tile(), shape::uniform), {.type = type, .value_bytes = 4}, 4);
      },
      0);
}
SIMT_TEST(sample_sort, keys_of_8_bits) {
  check_width<std::uint8_t>();
}
SIMT_TEST(sample_sort, keys_of_16_bits) {
  check_width<std::uint16_t>();
}
SIMT_TEST(sample_sort, keys_of_32_bits) {
  check_width<std::uint32_t>();
}
SIMT_TEST(sample_sort, keys_of_64_bits) {
  check_width<std::uint64_t>();
}
SIMT_TEST(sample_sort, keys_of_128_bits) {
  check_width<uint128>();
}

SIMT_TEST(sample_sort, one_block_of_every_capacity) {
  on_every_schedule(
      [&](simt::queue q) {
        check_sort(q, make_keys<std::uint32_t>(8193, shape::and_of_3), {}, 1);
        check_sort(q, make_keys<std::uint32_t>(16384, shape::uniform), {}, 1);
        check_sort(q, make_keys<std::uint32_t>(16384, shape::few), {.value_bytes = 8, .in_place = true}, 1);
        check_sort(q, make_keys<std::uint64_t>(8192, shape::few), {.type = key_type::u64, .value_bytes = 4}, 1);
      },
      0);
}

SIMT_TEST(sample_sort, network_takes_over) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t n : {1, 2, 3, 7, 8, 9, 1000, 1024, 1025})
          check_sort(q, make_keys<std::uint32_t>(n, shape::few), {.value_bytes = 4}, 2, 0);
        check_sort(q, make_keys<std::uint64_t>(777, shape::uniform), {.type = key_type::u64}, 3, 0);
        check_sort(q, make_keys<uint128>(777, shape::few), {.type = key_type::u128, .value_bytes = 8, .in_place = true},
                   3, 0);
        check_sort(q, float_keys<std::uint32_t>(1500, 0x7f800000), {.type = key_type::f32, .in_place = true}, 2, 0);
      },
      2);
}

// Where sizes decide: of a warp, of the elements a thread sorts, of what is drawn, of what never needs a second draw.
SIMT_TEST(sample_sort, sizes_at_which_ways_part) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const unsigned n :
             a_few(5, {31u, 32u, 33u, 127u, 128u, 129u, 511u, 512u, 513u, 1023u, 1024u, 1025u, 2047u, 2048u, 2049u})) {
          check_sort(q, make_keys<std::uint32_t>(n, shape::and_of_3), {}, 1);
          check_sort(q, make_keys<std::uint64_t>(n, shape::few), {.type = key_type::u64, .value_bytes = 4}, 1);
          check_sort(q, make_keys<std::uint32_t>(n, shape::few), {}, 5);
        }
        using kernel = kernels::sample_sort_kernel<std::uint32_t, true, true>;
        const std::size_t room = kernel::shape.capacity();
        for (const std::size_t n : {room - 1, room, room + 1})
          check_sort(q, make_keys<std::uint32_t>(n, shape::few), {.value_bytes = 4}, 4);
        for (const unsigned shares : {10u, 6u}) { // for which there is room
          const std::size_t n = 4 * (room / shares);
          EXPECT_EQ(kernel::keys_drawn(4, std::uint32_t(n)), shares == 10 ? 16u : 32u);
          EXPECT_EQ(kernel::keys_drawn(4, std::uint32_t(n + 1)), shares == 10 ? 32u : 96u);
          check_sort(q, make_keys<std::uint32_t>(n, shape::reversed), {.value_bytes = 4}, 4);
          check_sort(q, make_keys<std::uint32_t>(n + 1, shape::reversed), {.value_bytes = 4}, 4);
        }
        check_sort(q, make_keys<std::uint32_t>(8192, shape::uniform), {});
        check_sort(q, make_keys<std::uint32_t>(8193, shape::uniform), {});
      },
      0);
}

SIMT_TEST(sample_sort, only_where_it_is_wanted) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::uint32_t blocks : {1u, 3u})
          for (const condition only_if : {condition::holds, condition::fails})
            check_sort(q, make_keys<std::uint32_t>(3000, shape::uniform), {.value_bytes = 4, .only_if = only_if},
                       blocks);
      },
      2);
}

// Keys laid so that what the first draws see is far below all others: their buckets overflow.
template <class Word>
std::vector<Word> misleading_keys(std::uint32_t n, unsigned draws, unsigned blocks) {
  std::vector<Word> keys(n);
  const auto bits = noise(n, 9);
  for (std::uint32_t i = 0; i < n; ++i)
    keys[i] = Word(Word{1} << 31 | bits[i] >> 1);
  using kernel = kernels::sample_sort_kernel<Word, false, true>;
  const unsigned drawn = kernel::keys_drawn(blocks, n);
  for (unsigned attempt = 0; attempt < draws; ++attempt)
    for (unsigned i = 0; i < drawn; ++i)
      keys[kernel::draw(i, attempt, n)] = Word(i);
  return keys;
}
SIMT_TEST(sample_sort, draws_that_mislead) {
  on_every_schedule(
      [&](simt::queue q) {
        const auto tile = kernels::detail::sample_shape::of(4, false).tile();
        for (const unsigned draws : {1u, 3u, 4u}) {
          SCOPED_TRACE("misleading draws " + std::to_string(draws));
          check_sort(q, misleading_keys<std::uint32_t>(3 * tile, draws, 3),
                     {.value_bytes = draws == 3 ? 4u : 0u, .in_place = draws != 4}, 3);
        }
      },
      0);
}

SIMT_TEST(sample_sort, floats_windows_and_directions) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const order direction : {order::ascending, order::descending})
          for (const bool in_place : a_few(1, {false, true}))
            for (const std::uint32_t blocks : {1u, 3u}) {
              check_sort(q, float_keys<std::uint32_t>(2501, 0x7f800000),
                         {.type = key_type::f32, .direction = direction, .in_place = in_place}, blocks);
              check_sort(q, float_keys<std::uint64_t>(1501, 0x7ff0000000000000),
                         {.type = key_type::f64, .direction = direction, .value_bytes = 8, .in_place = in_place},
                         blocks);
              check_sort(q, float_keys<std::uint16_t>(2501, 0x7c00),
                         {.type = key_type::f16, .direction = direction, .in_place = in_place}, blocks);
              for (const bit_window w : {bit_window{5, 5}, bit_window{7, 17}, bit_window{13, 32}})
                check_sort(q, make_keys<std::uint32_t>(2001, shape::uniform),
                           {.type = key_type::i32,
                            .direction = direction,
                            .window = w,
                            .value_bytes = 4,
                            .in_place = in_place},
                           blocks);
              check_sort(q, make_keys<uint128>(1501, shape::uniform),
                         {.type = key_type::i128, .direction = direction, .window = {61, 83}, .in_place = in_place},
                         blocks);
            }
      },
      0);
}

SIMT_TEST(sample_sort, indices_and_n_on_the_device) {
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::uint32_t blocks : {1u, 4u})
          for (const bool no_keys : {false, true}) {
            check_sort(q, make_keys<std::uint32_t>(3001, shape::few),
                       {.value_bytes = 4, .indices = true, .no_keys = no_keys}, blocks);
            check_sort(q, make_keys<std::uint64_t>(3001, shape::equal),
                       {.type = key_type::u64, .value_bytes = 8, .indices = true, .no_keys = no_keys, .beyond = 1200},
                       blocks);
          }
        for (const std::size_t beyond : {1u, 1999u, 2000u})
          check_sort(q, make_keys<std::uint32_t>(2000, shape::uniform), {.value_bytes = 4, .beyond = beyond}, 3);
        check_sort(q, make_keys<std::uint8_t>(2000, shape::uniform),
                   {.type = key_type::u8, .value_bytes = 4, .in_place = true, .offset = 3}, 2);
      },
      1);
}

// Places decide ties, so a value that is everywhere is divided among the buckets as evenly as any other.
SIMT_TEST(sample_sort, plans_and_limits) {
  on_every_schedule(
      [&](simt::queue q) {
        std::uint32_t key = 0;
        kernels::typed_request<std::uint32_t> r{
            .keys_out = &key, .n = 100, .codec = make_key_codec<std::uint32_t>(key_type::u32, {}, {})};
        EXPECT_EQ(kernels::detail::sample_shape_of(r).alone, 8u * 1024);
        EXPECT_EQ(kernels::sample_sort_workspace_bytes(r), 0u);
        EXPECT_GE(kernels::sample_sort_most(q, r), 8u * 1024);
        using widest = kernels::sample_sort_kernel<uint128, true, true>;
        EXPECT_LE(sizeof(widest::shared), 163u * 1024);
        EXPECT_LE(sizeof(kernels::sample_sort_kernel<std::uint32_t, true, true>::shared), 163u * 1024);
        EXPECT_LE(sizeof(kernels::sample_sort_kernel<std::uint64_t, true, true>::shared), 163u * 1024);
      },
      0);
}

SIMT_TEST(sample_sort, misuse_is_refused_by_name) {
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
                                                   .codec = make_key_codec<std::uint32_t>(key_type::u32, {}, {}),
                                                   .tuning = {.blocks = 2}};
        good.workspace_bytes = kernels::sample_sort_workspace_bytes(good);
        buffer<std::uint64_t> workspace(good.workspace_bytes / 8 + 16);
        good.workspace = workspace.view().data();
        const auto refused = refusals_of(good, [&](const auto& r) { kernels::sample_sort(q, r); });
        EXPECT_NO_THROW(kernels::sample_sort(q, good));
        refused("keys_in", [](auto& r) { r.keys_in = nullptr; });
        refused("value_bytes", [](auto& r) { r.value_bytes = 2; });
        refused("overlap", [](auto& r) { r.keys_out = const_cast<std::uint32_t*>(r.keys_in) + 1; });
        refused("workspace", [](auto& r) { r.workspace_bytes -= 1; });
        refused("attempts", [](auto& r) { r.tuning.attempts = 5; });
        refused("blocks", [](auto& r) { r.tuning.blocks = 129; });
        refused("n = 4294967295", [](auto& r) { r.n = 0xffffffffu; });
        kernels::typed_request<std::uint32_t> large{
            .keys_out = good.keys_out, .n = std::uint64_t{1} << 22, .codec = good.codec};
        large.workspace_bytes = kernels::sample_sort_workspace_bytes(large);
        std::vector<std::uint32_t> keys(large.n);
        std::vector<std::uint64_t> room(large.workspace_bytes / 8 + 16);
        large.keys_in = keys.data();
        large.keys_out = keys.data();
        large.workspace = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(room.data()) + 127) / 128 * 128);
        try {
          kernels::sample_sort(q, large);
          ADD_FAILURE() << "4 million keys were not refused";
        } catch (const sortile::error& e) {
          EXPECT_NE(std::string(e.what()).find("this device sorts at most"), std::string::npos) << e.what();
        }
      },
      0);
}

} // namespace
} // namespace sortile::simt_tests
