// Device-wide scan: small tiles over every size, then the host call with its types, operators, alignments, red zones,
// poisoned workspaces and one for many calls, and its refusals.
#include "kernels/scan/scan.hpp"
#include "kernels/scan/scan_kernel.hpp"
#include "tests/kernels/scan_reference.hpp"

#include <sortile/error.hpp>

namespace sortile::simt_tests {
namespace {

// ---- the kernel in small: tiles of 64 · 16 bytes, so that many tiles cost little

template <class T>
void run_small(simt::queue q, std::size_t n, std::uint32_t lead, bool vectors, scan_kind kind) {
  using kernel = kernels::scan_kernel<T, primitives::plus, kernels::scan_tuning<64, 1, 1>>;
  const auto in = values<T>(n, std::uint32_t(n + 1));
  std::vector<T> padded = in;
  padded.insert(padded.begin(), lead, T{});
  const auto tiles = unsigned((n + lead + kernel::tile_items - 1) / kernel::tile_items);
  buffer<T> from(padded), to(padded.size());
  buffer<std::uint64_t> memory(primitives::look_back_chain<T>::bytes(tiles) / 8);
  const auto shifted = [&](const buffer<T>& b) { return simt::global<T>(b.view().data() + lead, n); };
  simt::launch(q, {.grid = tiles},
               kernel{.in = shifted(from),
                      .out = shifted(to),
                      .n = n,
                      .chain = primitives::look_back_chain<T>(memory.view().data(), tiles),
                      .initial = T(5),
                      .tiles = tiles,
                      .lead = lead,
                      .vectors_allowed = vectors,
                      .streamed = n % 2 == 0,
                      .exclusive = kind == scan_kind::exclusive});
  auto out = to.host();
  for (std::uint32_t i = 0; i < lead; ++i)
    ASSERT_EQ(out[i], T{}) << "in front of the array";
  out.erase(out.begin(), out.begin() + lead);
  ASSERT_EQ(out, scanned<primitives::plus>(in, kind, T(5))) << "n " << n << ", lead " << lead;
}

SIMT_TEST(scan, every_size_over_two_small_tiles) {
  on_every_schedule(
      [&](simt::queue q) {
        for (std::size_t n = 1; n <= 2 * 256 + 1; n += n % 256 > 3 && n % 256 < 252 ? 13 : 1)
          run_small<std::uint32_t>(q, n, std::uint32_t(n % 4), n % 3 != 0,
                                   n % 2 ? scan_kind::inclusive : scan_kind::exclusive);
      },
      2);
}

SIMT_TEST(scan, many_small_tiles) {
  on_every_schedule(
      [&](simt::queue q) {
        run_small<std::uint32_t>(q, 70 * 256 + 17, 1, true, scan_kind::exclusive);
        run_small<std::uint64_t>(q, 40 * 128 + 5, 1, true, scan_kind::inclusive);
      },
      30);
}

// ---- the host call

/// Memory with red zones: `n` items that start `offset` items after a multiple of 16 bytes.
template <class T>
class zoned {
 public:
  zoned(const std::vector<T>& v, std::size_t offset)
      : n_(v.size()), offset_(offset + zone), memory_(with_zones(v, offset)) {}
  zoned(std::size_t n, std::size_t offset) : zoned(std::vector<T>(n, poison()), offset) {}
  T* data() const { return memory_.view().data() + offset_; }
  /// The items; the zones must be as they were.
  std::vector<T> host() const {
    const auto all = memory_.host();
    const T expected = poison();
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i < offset_ || i >= offset_ + n_) {
        EXPECT_EQ(std::memcmp(&all[i], &expected, sizeof(T)), 0) << "written outside, at " << std::int64_t(i - offset_);
      }
    return {all.begin() + std::ptrdiff_t(offset_), all.begin() + std::ptrdiff_t(offset_ + n_)};
  }

 private:
  static constexpr std::size_t zone = 64;
  static T poison() {
    T p;
    std::memset(&p, 0xa5, sizeof p);
    return p;
  }
  static std::vector<T> with_zones(const std::vector<T>& v, std::size_t offset) {
    std::vector<T> all(offset + v.size() + 2 * zone, poison());
    std::copy(v.begin(), v.end(), all.begin() + std::ptrdiff_t(zone + offset));
    return all;
  }
  std::size_t n_, offset_;
  buffer<T> memory_;
};

template <class T>
std::vector<T> reference(const std::vector<T>& in, const kernels::scan_request<T>& r) {
  if (r.op == scan_operator::sum)
    return scanned<primitives::plus>(in, r.kind, r.initial.value_or(T{}));
  return scanned<primitives::maximum>(in, r.kind, r.initial.value_or(primitives::maximum::identity<T>()));
}

struct placement {
  std::size_t in = 0, out = 0; // items after a multiple of 16 bytes
  bool in_place = false;
};

template <class T>
void check_call(simt::queue q, std::size_t n, kernels::scan_request<T> r, placement p = {}) {
  SCOPED_TRACE("n " + std::to_string(n) + ", in " + std::to_string(p.in) + ", out " + std::to_string(p.out));
  const auto in = values<T>(n, std::uint32_t(n));
  const zoned<T> from(in, p.in), to(n, p.out);
  const zoned<std::uint64_t> workspace(kernels::scan_workspace_bytes<T>(n) / 8, 0); // poisoned
  r.in = from.data();
  r.out = p.in_place ? from.data() : to.data();
  r.n = n;
  r.workspace = workspace.data();
  r.workspace_bytes = kernels::scan_workspace_bytes<T>(n);
  kernels::scan(q, r);
  EXPECT_EQ((p.in_place ? from : to).host(), reference(in, r));
  if (!p.in_place) {
    EXPECT_EQ(from.host(), in);
  }
  workspace.host();
}

template <class T>
void check_type(unsigned schedules) {
  const std::size_t tile = kernels::detail::scan_tile_items<T>;
  on_every_schedule(
      [&](simt::queue q) {
        for (const std::size_t n : {std::size_t{0}, std::size_t{1}, tile - 1, tile, tile + 1, 2 * tile + 5})
          check_call<T>(q, n, {.op = scan_operator::sum, .kind = scan_kind::exclusive});
        check_call<T>(q, tile + 77, {.op = scan_operator::sum, .kind = scan_kind::inclusive, .initial = T(9)});
        check_call<T>(q, tile + 77, {.op = scan_operator::maximum, .kind = scan_kind::inclusive});
        check_call<T>(q, 3 * tile, {.op = scan_operator::maximum, .kind = scan_kind::exclusive}, {.in_place = true});
      },
      schedules);
}

SIMT_TEST(scan, u32) {
  check_type<std::uint32_t>(1);
}
SIMT_TEST(scan, i32) {
  check_type<std::int32_t>(1);
}
SIMT_TEST(scan, u64) {
  check_type<std::uint64_t>(2);
}
SIMT_TEST(scan, i64) {
  check_type<std::int64_t>(1);
}

SIMT_TEST(scan, any_alignment) {
  const std::size_t tile = kernels::detail::scan_tile_items<std::uint32_t>;
  on_every_schedule(
      [&](simt::queue q) {
        for (std::size_t in = 0; in < 4; ++in)
          for (std::size_t out = 0; out < 4; ++out)
            check_call<std::uint32_t>(q, tile - 3 + in, {.kind = scan_kind::inclusive}, {in, out});
        check_call<std::uint32_t>(q, 2 * tile - 2, {.kind = scan_kind::inclusive}, {1, 2});
        check_call<std::uint64_t>(q, tile + 3, {}, {1, 1});
        check_call<std::uint64_t>(q, tile + 3, {}, {1, 0});
        check_call<std::uint32_t>(q, 2 * tile + 3, {}, {.in = 3, .in_place = true});
      },
      1);
}

SIMT_TEST(scan, one_workspace_serves_many_calls) {
  on_every_schedule(
      [&](simt::queue q) {
        const std::size_t tile = kernels::detail::scan_tile_items<std::uint32_t>;
        const std::size_t most = 3 * tile, bytes = kernels::scan_workspace_bytes<std::uint32_t>(most);
        const zoned<std::uint64_t> workspace(bytes / 8, 0);
        for (const std::size_t n : {most, std::size_t{1}, tile + 1, most, most - 1}) {
          const auto in = values<std::uint32_t>(n, std::uint32_t(n));
          const zoned<std::uint32_t> from(in, 0), to(n, 0);
          const kernels::scan_request<std::uint32_t> r{
              .in = from.data(), .out = to.data(), .n = n, .workspace = workspace.data(), .workspace_bytes = bytes};
          kernels::scan(q, r);
          ASSERT_EQ(to.host(), reference(in, r));
        }
        workspace.host();
      },
      2);
}

template <class Error>
void expect_refused(simt::queue q, const kernels::scan_request<std::uint32_t>& r, const char* text) {
  try {
    kernels::scan(q, r);
    ADD_FAILURE() << "accepted; expected: " << text;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
  }
}

SIMT_TEST(scan, misuse_is_refused_by_name) {
  on_every_schedule(
      [&](simt::queue q) {
        const zoned<std::uint32_t> from(100, 0), to(100, 0);
        const zoned<std::uint64_t> workspace(8, 0);
        const kernels::scan_request<std::uint32_t> good{
            .in = from.data(), .out = to.data(), .n = 100, .workspace = workspace.data(), .workspace_bytes = 64};
        auto r = good;
        r.in = nullptr;
        expect_refused<invalid_argument>(q, r, "scan: in is null although n = 100");
        r = good;
        r.out = nullptr;
        expect_refused<invalid_argument>(q, r, "scan: out is null");
        r = good;
        r.out = from.data() + 1;
        expect_refused<invalid_argument>(q, r, "in and out overlap");
        r = good;
        r.workspace_bytes = 8;
        expect_refused<workspace_too_small>(q, r, "8 bytes, 24 are needed");
        r = good;
        r.workspace = nullptr;
        expect_refused<invalid_argument>(q, r, "workspace is null");
        r = good;
        r.workspace = workspace.data() + 1;
        expect_refused<invalid_argument>(q, r, "not aligned to 16");
        r = good;
        r.workspace = to.data();
        expect_refused<invalid_argument>(q, r, "overlap");
        r = good;
        r.in = reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const char*>(from.data()) + 1);
        expect_refused<invalid_argument>(q, r, "not aligned to its items' 4 bytes");
        EXPECT_EQ(to.host(), std::vector<std::uint32_t>(100, 0xa5a5a5a5u));
      },
      0);
}

} // namespace
} // namespace sortile::simt_tests
