// Device-wide scan by resident blocks: small tiles over every size, block count, alignment and operator; then the host
// call on arrays that are large enough for it.
#include "kernels/scan/resident_scan_kernel.hpp"
#include "kernels/scan/scan.hpp"
#include "tests/kernels/scan_reference.hpp"

namespace sortile::simt_tests {
namespace {

using primitives::look_back_chain;

// Two warps scan pieces of one row: 1 KiB a tile. And a wider cut, whose folding warps take two pieces each.
using narrow = kernels::resident_scan_tuning<2, 1, 1, 2>;
using wide = kernels::resident_scan_tuning<4, 2, 2, 3>;

struct shape {
  std::size_t n;
  std::uint32_t lead = 0; // items between a multiple of 16 bytes and the array
  unsigned blocks = 3;
  scan_kind kind = scan_kind::exclusive;
};

/// Runs on `chain`, cleared or used before, and compares.
template <class Tuning, class Op, class T>
void run_on(simt::queue q, look_back_chain<T> chain, shape s, T initial) {
  SCOPED_TRACE("n " + std::to_string(s.n) + ", lead " + std::to_string(s.lead) + ", blocks " +
               std::to_string(s.blocks));
  using kernel = kernels::resident_scan_kernel<T, Op, Tuning>;
  const auto in = values<T>(s.n, std::uint32_t(s.n + 1));
  std::vector<T> padded = in;
  padded.insert(padded.begin(), s.lead, T{});
  buffer<T> from(padded), to(padded.size());
  const auto shifted = [&](const buffer<T>& b) { return simt::global<T>(b.view().data() + s.lead, s.n); };
  simt::launch(q, {.grid = s.blocks},
               kernel{.in = shifted(from),
                      .out = shifted(to),
                      .n = s.n,
                      .chain = chain,
                      .initial = initial,
                      .tiles = std::uint32_t(kernels::detail::scan_tiles(s.n, s.lead, kernel::tile_items)),
                      .lead = s.lead,
                      .exclusive = s.kind == scan_kind::exclusive});
  auto out = to.host();
  for (std::uint32_t i = 0; i < s.lead; ++i)
    ASSERT_EQ(out[i], T{}) << "in front of the array";
  out.erase(out.begin(), out.begin() + s.lead);
  ASSERT_EQ(out, scanned<Op>(in, s.kind, initial));
}

template <class T>
struct cleared_chain {
  std::uint32_t capacity;
  buffer<std::uint64_t> memory;
  explicit cleared_chain(std::uint32_t tiles) : capacity(tiles), memory(look_back_chain<T>::bytes(tiles) / 8) {}
  look_back_chain<T> view() const { return {memory.view().data(), capacity}; }
};

template <class Tuning, class Op, class T>
void run(simt::queue q, shape s, T initial = T(5)) {
  using kernel = kernels::resident_scan_kernel<T, Op, Tuning>;
  const cleared_chain<T> chain(std::uint32_t(kernels::detail::scan_tiles(s.n, s.lead, kernel::tile_items)));
  run_on<Tuning, Op>(q, chain.view(), s, initial);
}

#define NEEDS_BULK_COPIES()                                                                                            \
  if (architecture() < 90)                                                                                             \
  GTEST_SKIP() << "bulk copies need sm_90"

SIMT_TEST(resident_scan, every_size_over_two_small_tiles) {
  NEEDS_BULK_COPIES();
  on_every_schedule(
      [&](simt::queue q) {
        for (std::size_t n = 1; n <= 2 * 256 + 1; n += n % 256 > 3 && n % 256 < 252 ? 13 : 1)
          run<narrow, primitives::plus, std::uint32_t>(
              q, {n, std::uint32_t(n % 4), unsigned(1 + n % 3), n % 2 ? scan_kind::inclusive : scan_kind::exclusive});
      },
      2);
}

SIMT_TEST(resident_scan, many_tiles) {
  NEEDS_BULK_COPIES();
  on_every_schedule(
      [&](simt::queue q) {
        run<narrow, primitives::plus, std::uint32_t>(q, {70 * 256 + 17, 1, 4});
        run<narrow, primitives::plus, std::uint64_t>(q, {40 * 128 + 5, 1, 3, scan_kind::inclusive});
        run<wide, primitives::plus, std::uint32_t>(q, {20 * 1024 + 3, 0, 2, scan_kind::inclusive});
      },
      12);
}

// All tiles by one block, and blocks that find none left.
SIMT_TEST(resident_scan, any_number_of_blocks) {
  NEEDS_BULK_COPIES();
  on_every_schedule(
      [&](simt::queue q) {
        for (const unsigned blocks : {1u, 2u, 7u})
          run<narrow, primitives::plus, std::uint32_t>(q, {5 * 256 - 1, 3, blocks});
      },
      10);
}

SIMT_TEST(resident_scan, maxima_and_floats) {
  NEEDS_BULK_COPIES();
  on_every_schedule(
      [&](simt::queue q) {
        run<wide, primitives::maximum, std::uint64_t>(q, {7 * 512 + 9, 1, 2});
        run<wide, primitives::maximum, std::int32_t>(q, {7 * 1024 + 9, 2, 2, scan_kind::inclusive}, -3);
        run<wide, primitives::maximum, float>(q, {7 * 1024 + 9, 1, 3}, -6.0f);
        run<wide, primitives::plus, float>(q, {7 * 1024 + 9, 3, 3, scan_kind::inclusive}, 1.0f);
      },
      5);
}

// Functions x → a·x + b, composed: the order of all items shows in the result.
struct affine {
  std::uint32_t a, b;
  friend bool operator==(const affine&, const affine&) = default;
};
struct compose {
  SORTILE_HOST_DEVICE affine operator()(affine f, affine g) const { return {f.a * g.a, f.b * g.a + g.b}; }
  template <class>
  static SORTILE_HOST_DEVICE constexpr affine identity() {
    return {1, 0};
  }
  template <class>
  static constexpr bool commutes() {
    return false;
  }
};

SIMT_TEST(resident_scan, operators_that_do_not_commute) {
  NEEDS_BULK_COPIES();
  on_every_schedule(
      [&](simt::queue q) {
        run<wide, compose, affine>(q, {9 * 512 + 100, 1, 3, scan_kind::inclusive}, affine{3, 4});
      },
      10);
}

// Words and ticket counter are reused uncleared; each launch draws a ticket a block beyond its tiles.
SIMT_TEST(resident_scan, one_chain_serves_many_launches) {
  NEEDS_BULK_COPIES();
  on_every_schedule(
      [&](simt::queue q) {
        const cleared_chain<std::uint32_t> chain(12);
        unsigned launches = 0;
        for (const std::size_t tiles : {12u, 1u, 5u, 12u, 3u}) {
          run_on<narrow, primitives::plus>(q, chain.view(), {tiles * 256, 0, unsigned(1 + tiles % 4)}, 0u);
          ASSERT_EQ(chain.memory.host()[0], std::uint64_t{++launches} << 32) << "the counter of the next launch";
        }
      },
      8);
}

// ---- the host call

template <class T>
void check_large_call(simt::queue q, std::size_t n, std::size_t offset, kernels::scan_request<T> r) {
  const auto in = values<T>(n + offset);
  const buffer<T> from(in), to(n + offset);
  const std::size_t bytes = kernels::scan_workspace_bytes<T>(n);
  const buffer<std::uint64_t> workspace(bytes / 8, ~std::uint64_t{0});
  r.in = from.view().data() + offset;
  r.out = to.view().data() + offset;
  r.n = n;
  r.workspace = workspace.view().data();
  r.workspace_bytes = bytes;
  kernels::scan(q, r);
  auto out = to.host();
  out.erase(out.begin(), out.begin() + std::ptrdiff_t(offset));
  const std::vector<T> items(in.begin() + std::ptrdiff_t(offset), in.end());
  // Compared as a whole: a message of millions of items helps nobody.
  ASSERT_TRUE(out == scanned<primitives::plus>(items, r.kind, r.initial.value_or(T{})));
}

SIMT_TEST(resident_scan, calls_on_large_arrays) {
  on_every_schedule(
      [&](simt::queue q) {
        const std::size_t large = kernels::detail::large_scan_bytes;
        check_large_call<std::uint32_t>(q, large / 4 + 77, 3, {.initial = 9u});
        check_large_call<std::uint64_t>(q, large / 8 + 1, 1, {.kind = scan_kind::inclusive});
      },
      0);
}

#if !SORTILE_ON_CUDA
using library_kernel =
    kernels::resident_scan_kernel<std::uint32_t, primitives::plus, kernels::resident_scan_tuning<8, 2, 8, 6>>;

SIMT_TEST(resident_scan, older_devices_scan_by_tiles) {
  executor::device older({.architecture = 80}), newer({.architecture = 90});
  EXPECT_FALSE(simt::can_run<library_kernel>(simt::queue::executor(older)));
  EXPECT_TRUE(simt::can_run<library_kernel>(simt::queue::executor(newer)));
  check_large_call<std::uint32_t>(simt::queue::executor(older), kernels::detail::large_scan_bytes / 4, 0, {});
}
#endif

} // namespace
} // namespace sortile::simt_tests
