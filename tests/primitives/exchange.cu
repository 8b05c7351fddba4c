// Block exchange: every move against its definition, and what it costs in bank conflicts.
#include "primitives/block_exchange.hpp"
#include "tests/simt/fixture.hpp"

#include <algorithm>
#include <numeric>

namespace sortile::simt_tests {
namespace {

using simt::global;

enum class move { blocked_to_striped, striped_to_blocked, scatter_to_blocked, scatter_to_striped };

template <class T, unsigned Threads, int Items, move Move>
struct exchange_kernel {
  static constexpr unsigned block_threads = Threads;
  using exchange = primitives::block_exchange<T, Threads, Items>;
  struct shared {
    typename exchange::storage items;
  };
  global<const T> in; // [thread][item]
  global<const unsigned> ranks;
  global<T> out;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned mine = simt::thread_index() * Items;
    T x[Items];
    unsigned rank[Items];
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i) {
      x[i] = in.load(mine + unsigned(i));
      rank[i] = ranks.load(mine + unsigned(i));
    }
    if constexpr (Move == move::blocked_to_striped)
      exchange::blocked_to_striped(s.items, x, x);
    else if constexpr (Move == move::striped_to_blocked)
      exchange::striped_to_blocked(s.items, x, x);
    else if constexpr (Move == move::scatter_to_blocked)
      exchange::scatter_to_blocked(s.items, x, rank, x);
    else
      exchange::scatter_to_striped(s.items, x, rank, x);
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      out[mine + unsigned(i)] = x[i];
  }
};

template <unsigned Threads, int Items>
struct arrangement {
  static constexpr std::size_t size = Threads * Items;
  std::vector<unsigned> ranks;

  arrangement() : ranks(size) {
    std::iota(ranks.begin(), ranks.end(), 0u);
    const auto random = noise(size, 5);
    for (std::size_t i = size - 1; i > 0; --i)
      std::swap(ranks[i], ranks[random[i] % (i + 1)]);
  }
  /// Where item k of thread k / Items comes to stand in the other arrangement's [thread][item] order.
  static std::size_t striped(std::size_t place) { return place % Threads * Items + place / Threads; }
  template <class T>
  std::vector<T> moved(const std::vector<T>& in, move m) const {
    std::vector<T> out(size);
    for (std::size_t i = 0; i < size; ++i)
      switch (m) {
      case move::blocked_to_striped:
        out[striped(i)] = in[i];
        break;
      case move::striped_to_blocked:
        out[i] = in[striped(i)];
        break;
      case move::scatter_to_blocked:
        out[ranks[i]] = in[i];
        break;
      case move::scatter_to_striped:
        out[striped(ranks[i])] = in[i];
        break;
      }
    return out;
  }
};

template <class T, unsigned Threads, int Items, move Move>
void run_exchange(simt::queue q, const arrangement<Threads, Items>& a) {
  const auto bits = noise(Threads * Items * sizeof(T) / 4);
  std::vector<T> in(Threads * Items);
  std::memcpy(in.data(), bits.data(), in.size() * sizeof(T));
  buffer<T> from(in), to(in.size());
  buffer<unsigned> ranks(a.ranks);
  simt::launch(q, {.grid = 1}, exchange_kernel<T, Threads, Items, Move>{from.view(), ranks.view(), to.view()});
  EXPECT_EQ(to.host(), a.moved(in, Move)) << int(Move);
}

template <class T, unsigned Threads, int Items>
void check_exchange() {
  const arrangement<Threads, Items> a;
  on_every_schedule(
      [&](simt::queue q) {
        run_exchange<T, Threads, Items, move::blocked_to_striped>(q, a);
        run_exchange<T, Threads, Items, move::striped_to_blocked>(q, a);
        run_exchange<T, Threads, Items, move::scatter_to_blocked>(q, a);
        run_exchange<T, Threads, Items, move::scatter_to_striped>(q, a);
      },
      10);
}

SIMT_TEST(primitives_exchange, moves) {
  check_exchange<std::uint32_t, 64, 4>();
  check_exchange<std::uint32_t, 96, 5>();
  check_exchange<std::uint64_t, 64, 8>();
}

#if !SORTILE_ON_CUDA
template <int Items>
std::uint64_t conflicts() {
  executor::device counting({.checks = executor::check::counters});
  const arrangement<128, Items> a;
  const auto q = simt::queue::executor(counting);
  run_exchange<std::uint32_t, 128, Items, move::blocked_to_striped>(q, a);
  run_exchange<std::uint32_t, 128, Items, move::striped_to_blocked>(q, a);
  EXPECT_GT(counting.counted().shared_loads.requests, 0u);
  return counting.counted().bank_conflicts();
}

SIMT_TEST(primitives_exchange, no_bank_conflicts) {
  EXPECT_EQ(conflicts<1>(), 0u);
  EXPECT_EQ(conflicts<2>(), 0u);
  EXPECT_EQ(conflicts<4>(), 0u);
  EXPECT_EQ(conflicts<7>(), 0u);
  EXPECT_EQ(conflicts<8>(), 0u);
  EXPECT_EQ(conflicts<16>(), 0u);
}
#endif

} // namespace
} // namespace sortile::simt_tests
