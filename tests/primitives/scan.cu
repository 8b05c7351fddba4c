// Warp and block reductions and scans against a loop, with operators that do not commute.
#include "primitives/block_scan.hpp"
#include "tests/simt/fixture.hpp"

namespace sortile::simt_tests {
namespace {

using simt::global;

/// x → a·x + b. Composition is associative and does not commute.
struct affine {
  std::uint32_t a, b;
  friend bool operator==(const affine&, const affine&) = default;
};
struct compose {
  SORTILE_HOST_DEVICE affine operator()(affine f, affine g) const { return {f.a * g.a, f.b * g.a + g.b}; }
  template <class T>
  static SORTILE_HOST_DEVICE affine identity() {
    return {1, 0};
  }
};

template <class T, class Op, unsigned Threads, int Items>
struct scan_all_ways {
  static constexpr unsigned block_threads = Threads;
  struct shared {
    primitives::block_scan_storage<T, Threads> scan;
  };
  global<const T> in;                   // [blocks][Threads·Items]
  global<T> exclusive;                  // the same
  global<T> totals;                     // [blocks][2]
  global<T> warp_exclusive, warp_folds; // [blocks][Threads]
  T initial;

  SORTILE_DEVICE void operator()(shared& s) const {
    constexpr Op op{};
    const unsigned thread = simt::block_index() * Threads + simt::thread_index();
    T x[Items];
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      x[i] = in.load(thread * Items + unsigned(i));
    const T first = x[0];
    const T total = primitives::block_exclusive_scan(s.scan, x, op, initial);
    simt::block_barrier();
    const T folded = primitives::block_reduce(s.scan, first, op);
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      exclusive[thread * Items + unsigned(i)] = x[i];
    if (simt::thread_index() == Threads - 1) {
      totals[simt::block_index() * 2] = total;
      totals[simt::block_index() * 2 + 1] = folded;
    }
    warp_exclusive[thread] = primitives::warp_exclusive_scan(first, op, initial).before;
    warp_folds[thread] = primitives::warp_reduce(first, op);
  }
};

template <class T, class Op, unsigned Threads, int Items>
void check_scans(const std::vector<T>& in, T initial) {
  constexpr Op op{};
  constexpr std::size_t block = Threads * Items;
  const std::size_t blocks = in.size() / block;
  std::vector<T> exclusive(in.size()), totals(blocks * 2);
  std::vector<T> warp_exclusive(blocks * Threads), warp_folds(blocks * Threads);
  for (std::size_t b = 0; b < blocks; ++b) {
    T sum = Op::template identity<T>(), firsts = sum;
    for (std::size_t i = 0; i < block; ++i) {
      const T& x = in[b * block + i];
      exclusive[b * block + i] = op(initial, sum);
      sum = op(sum, x);
      firsts = i % Items == 0 ? op(firsts, x) : firsts;
    }
    totals[b * 2] = sum;
    totals[b * 2 + 1] = firsts;
  }
  for (std::size_t w = 0; w < blocks * Threads; w += 32) {
    T sum = Op::template identity<T>();
    for (std::size_t l = 0; l < 32; ++l) {
      warp_exclusive[w + l] = op(initial, sum);
      sum = op(sum, in[(w + l) * Items]);
    }
    std::fill_n(warp_folds.begin() + std::ptrdiff_t(w), 32, sum);
  }
  on_every_schedule(
      [&](simt::queue q) {
        buffer<T> from(in), b(in.size()), c(blocks * 2), d(blocks * Threads), e(blocks * Threads);
        simt::launch(
            q, {.grid = unsigned(blocks)},
            scan_all_ways<T, Op, Threads, Items>{from.view(), b.view(), c.view(), d.view(), e.view(), initial});
        EXPECT_EQ(b.host(), exclusive);
        EXPECT_EQ(c.host(), totals);
        EXPECT_EQ(d.host(), warp_exclusive);
        EXPECT_EQ(e.host(), warp_folds);
      },
      10);
}

template <class T>
std::vector<T> values(std::size_t n) {
  const auto bits = noise(n * sizeof(T) / 4);
  std::vector<T> v(n);
  std::memcpy(static_cast<void*>(v.data()), bits.data(), n * sizeof(T));
  return v;
}

SIMT_TEST(primitives_scan, sums) {
  check_scans<std::uint32_t, primitives::plus, 128, 4>(values<std::uint32_t>(3 * 128 * 4), 7u);
  check_scans<std::uint64_t, primitives::plus, 64, 3>(values<std::uint64_t>(2 * 64 * 3), std::uint64_t{1} << 40);
  check_scans<std::uint32_t, primitives::plus, 1024, 1>(values<std::uint32_t>(1024), 0u);
}

SIMT_TEST(primitives_scan, maxima_and_minima) {
  check_scans<std::int32_t, primitives::maximum, 96, 2>(values<std::int32_t>(2 * 96 * 2), -2'000'000'000);
  check_scans<std::uint64_t, primitives::maximum, 64, 1>(values<std::uint64_t>(64), std::uint64_t{0});
  check_scans<std::uint32_t, primitives::minimum, 64, 5>(values<std::uint32_t>(64 * 5), 0xffffffffu);
}

SIMT_TEST(primitives_scan, operators_that_do_not_commute) {
  check_scans<affine, compose, 128, 3>(values<affine>(2 * 128 * 3), affine{3, 5});
}

} // namespace
} // namespace sortile::simt_tests
