// Decoupled look-back: a warp a tile, delayed by seed, over many launches on one chain that is cleared once.
#include "primitives/look_back.hpp"
#include "tests/simt/fixture.hpp"

#include <cstring>

namespace sortile::simt_tests {
namespace {

using primitives::look_back_chain;
using primitives::tile_ticket;
using simt::global;

struct affine {
  std::uint32_t a, b;
  friend bool operator==(const affine&, const affine&) = default;
};
struct compose {
  SORTILE_HOST_DEVICE affine operator()(affine f, affine g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};
struct add_16 {
  SORTILE_HOST_DEVICE std::uint16_t operator()(std::uint16_t x, std::uint16_t y) const { return std::uint16_t(x + y); }
};

/// Each warp is a tile. A tile whose number falls to `seed` is late; with `all_wait`, tile 0 is last of all.
template <class T, class Op, unsigned Threads>
struct chain_kernel {
  static constexpr unsigned block_threads = Threads;
  look_back_chain<T> chain;
  global<const T> in;
  global<T> out;
  global<std::uint32_t> spoken; // [1]
  T initial;
  std::uint32_t tiles;
  std::uint32_t seed;
  bool all_wait;

  SORTILE_DEVICE void operator()() const {
    tile_ticket ticket{};
    if (simt::lane_index() == 0)
      ticket = chain.draw(tiles);
    ticket = simt::shuffle(ticket, 0);
    delay(ticket.tile);
    const T mine = in.load(ticket.tile);
    const T before = chain.exclusive_prefix(ticket, mine, Op{}, initial);
    if (simt::lane_index() == 0)
      out[ticket.tile] = Op{}(before, mine);
  }

 private:
  SORTILE_DEVICE void delay(std::uint32_t tile) const {
    const unsigned late = (tile * 2654435761u ^ seed * 40503u) >> 16 & 7;
    if (all_wait && simt::lane_index() == 0) {
      if (tile != 0)
        spoken.fetch_add(0, 1u);
      else
        while (spoken.load(0, simt::relaxed) != tiles - 1)
          simt::spin_hint(50);
    }
    simt::warp_barrier();
    const unsigned turns = all_wait ? (tile == 0 ? 200 : 0) : late == 0 ? 40 : late;
    for (unsigned i = 0; i < turns; ++i)
      simt::spin_hint(20);
  }
};

/// A chain in a buffer, and what the tests look up in it.
template <class T>
struct chain_buffer {
  using chain = look_back_chain<T>;
  std::uint32_t capacity;
  buffer<std::uint64_t> memory; // ticket, pad, words

  chain_buffer(std::uint32_t tiles, std::uint64_t ticket = 0, std::uint64_t words = 0)
      : capacity(tiles), memory(contents(tiles, ticket, words)) {}
  chain view() const { return chain(memory.view().data(), capacity); }
  static std::vector<std::uint64_t> contents(std::uint32_t tiles, std::uint64_t ticket, std::uint64_t words) {
    std::vector<std::uint64_t> v(chain::bytes(tiles) / 8, words);
    v[0] = ticket;
    return v;
  }
};

template <class T>
std::vector<T> values(std::size_t n, std::uint32_t seed) {
  const auto bits = noise(n * sizeof(T) / 4 + 1, seed);
  std::vector<T> v(n);
  std::memcpy(static_cast<void*>(v.data()), bits.data(), n * sizeof(T));
  return v;
}

template <class T, class Op, unsigned Threads>
void run_chain(simt::queue q, const chain_buffer<T>& chain, std::uint32_t tiles, std::uint32_t seed, T initial,
               bool all_wait = false) {
  const auto in = values<T>(tiles, seed);
  std::vector<T> expected(tiles);
  T sum = initial;
  for (std::uint32_t t = 0; t < tiles; ++t)
    expected[t] = sum = Op{}(sum, in[t]);
  buffer<T> from(in), to(tiles);
  buffer<std::uint32_t> spoken(1);
  simt::launch(q, {.grid = tiles * 32 / Threads},
               chain_kernel<T, Op, Threads>{chain.view(), from.view(), to.view(), spoken.view(), initial, tiles, seed,
                                            all_wait});
  ASSERT_EQ(to.host(), expected) << tiles << " tiles, seed " << seed;
}

// Launches of several sizes reuse the words of those before them, uncleared.
template <class T, class Op>
void check_chain(T initial, unsigned schedules) {
  on_every_schedule(
      [&](simt::queue q) {
        const chain_buffer<T> chain(128);
        std::uint32_t seed = 1;
        for (const std::uint32_t tiles : {4u, 128u, 1u * 4, 64u, 100u, 36u, 128u})
          run_chain<T, Op, 128>(q, chain, tiles, seed++, initial);
      },
      schedules);
}

SIMT_TEST(primitives_look_back, values_of_four_bytes) {
  check_chain<std::uint32_t, primitives::plus>(11u, 40);
}
SIMT_TEST(primitives_look_back, values_of_eight_bytes) {
  check_chain<std::uint64_t, primitives::plus>(std::uint64_t{1} << 50, 20);
}
SIMT_TEST(primitives_look_back, values_of_two_bytes) {
  check_chain<std::uint16_t, add_16>(std::uint16_t{3}, 10);
}
SIMT_TEST(primitives_look_back, operators_that_do_not_commute) {
  check_chain<affine, compose>(affine{3, 4}, 20);
}

// Tile 0 speaks last: the others look back through several windows of aggregates alone.
SIMT_TEST(primitives_look_back, several_windows) {
  on_every_schedule([&](simt::queue q) {
    const chain_buffer<affine> chain(64);
    run_chain<affine, compose, 1024>(q, chain, 64, 1, affine{1, 0}, true);
    const chain_buffer<std::uint32_t> narrow(64);
    run_chain<std::uint32_t, primitives::plus, 1024>(q, narrow, 64, 2, 0u, true);
  });
}

// Tags hold 30 bits of the epoch, tickets 32: both wrap.
SIMT_TEST(primitives_look_back, epochs_wrap) {
  on_every_schedule([&](simt::queue q) {
    for (const std::uint64_t epoch : {(std::uint64_t{1} << 30) - 2, (std::uint64_t{1} << 32) - 2}) {
      const chain_buffer<std::uint32_t> chain(64, epoch << 32);
      for (std::uint32_t launch = 1; launch <= 4; ++launch) {
        run_chain<std::uint32_t, primitives::plus, 128>(q, chain, launch % 2 ? 64 : 32, launch, 0u);
        ASSERT_EQ(chain.memory.host()[0], (epoch + launch) << 32);
      }
    }
  });
}

// Words that small launches never use are cleared one a launch, so that none keeps a tag until its epoch comes again.
SIMT_TEST(primitives_look_back, unused_words_are_cleared_in_turn) {
  on_every_schedule(
      [&](simt::queue q) {
        const std::uint32_t capacity = 16;
        const chain_buffer<std::uint32_t> chain(capacity, 0, ~std::uint64_t{0});
        for (std::uint32_t launch = 1; launch <= 2 * capacity; ++launch)
          run_chain<std::uint32_t, primitives::plus, 128>(q, chain, 4, launch, 0u);
        const auto words = chain.memory.host();
        for (std::uint32_t t = 4; t < capacity; ++t)
          ASSERT_EQ(words[2 + t], 0u) << t;
      },
      2);
}

} // namespace
} // namespace sortile::simt_tests
