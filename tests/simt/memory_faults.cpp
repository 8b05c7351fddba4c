// Planted faults of single accesses: races, out of bounds, misaligned, copies that outlive their storage; and what must
// not compile.
#include "faults.hpp"

namespace sortile::simt_tests {
namespace {

// ---- a race whose result is right ---------------------------------------------------------------------------

// Every thread writes the same value; what is read is right whoever was first.
template <bool Fault>
struct lucky_flag {
  static constexpr unsigned block_threads = 64;
  struct shared {
    simt::shared_value<std::uint32_t> any_odd;
  };
  global<const std::uint32_t> in;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    if (t == 0)
      s.any_odd = 0u;
    simt::block_barrier();
    if (in[t] & 1) {
      if constexpr (Fault)
        s.any_odd = 1u;
      else
        s.any_odd.fetch_or(0, 1u);
    }
    simt::block_barrier();
    if (t == 0)
      to[0] = s.any_odd;
  }
};

template <class Kernel>
bool finds_odd(simt::queue q) {
  std::vector<std::uint32_t> v(64, 3), to(1);
  simt::launch(q, {.grid = 1}, Kernel{{v.data(), 64}, {to.data(), 1}});
  return to[0] == 1;
}

TEST(faults, race_that_is_right_by_luck) {
  expect_found(fault::shared_race, {"lucky_flag<true>", "wrote"}, finds_odd<lucky_flag<true>>,
               finds_odd<lucky_flag<false>>);
}

// ---- out of bounds ------------------------------------------------------------------------------------------

template <bool Fault>
struct one_too_far {
  static constexpr unsigned block_threads = 64;
  struct shared {
    simt::shared_array<std::uint32_t, 64> a;
    simt::shared_array<std::uint32_t, 64> behind; // so that the access hits nothing that would crash
  };
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    s.behind[t] = t;
    s.a[t] = t;
    simt::block_barrier();
    const unsigned next = s.a[Fault ? t + 1 : (t + 1) % 64];
    to[next % 64] = next % 64;
  }
};

TEST(faults, out_of_bounds_of_shared_storage) {
  expect_found(fault::out_of_bounds, {"index 64 of a shared array of 64", "thread 63"}, runs<one_too_far<true>>,
               runs<one_too_far<false>>);
}

struct global_too_far {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const { to[int(simt::thread_index()) - 1] = 0u; }
};

TEST(faults, out_of_bounds_of_global_memory) {
  const auto hit = search(runs<global_too_far>);
  ASSERT_TRUE(hit && hit->kind == fault::out_of_bounds);
  EXPECT_NE(hit->message.find("index -1 of a global array of 64"), std::string::npos) << hit->message;
}

/// Four words at a place that is no multiple of four; the array itself is aligned.
template <bool Fault>
struct misaligned_vector {
  static constexpr unsigned block_threads = 32;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    if (t < 8)
      to[32 + t] = simt::load_vector<4>(to, Fault ? t : 4 * t)[0];
    to[t] = t;
  }
};

TEST(faults, misaligned_vector) {
  expect_found(fault::misaligned, {"misaligned_vector<true>", "block 0"}, runs<misaligned_vector<true>>,
               runs<misaligned_vector<false>>);
}

template <bool Fault>
struct leaves_a_copy_behind {
  static constexpr unsigned block_threads = 32;
  static constexpr simt::feature needs = simt::feature::bulk_copy;
  struct shared {
    alignas(128) simt::shared_array<std::uint32_t, 64> a;
  };
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()(shared& s) const {
    s.a[simt::thread_index()] = simt::thread_index();
    s.a[simt::thread_index() + 32] = simt::thread_index() + 32;
    simt::bulk_fence();
    simt::block_barrier();
    if (simt::thread_index() == 0) {
      simt::bulk_store(to, 0, s.a, 0, 64);
      simt::bulk_commit();
      if (!Fault)
        simt::bulk_wait_read();
    }
  }
};

template <class Kernel>
bool copies(simt::queue q) {
  alignas(16) std::uint32_t v[64] = {};
  simt::launch(q, {.grid = 1}, Kernel{{v, 64}});
  return v[5] == 5 && v[63] == 63;
}

TEST(faults, bulk_copy_that_outlives_its_block) {
  expect_found(fault::bad_use, {"a bulk copy of thread 0 still uses"}, copies<leaves_a_copy_behind<true>>,
               copies<leaves_a_copy_behind<false>>);
}

// ---- constants ----------------------------------------------------------------------------------------------

template <bool Fault>
struct reads_constants {
  static constexpr unsigned block_threads = 32;
  struct constants {
    simt::constant_array<std::uint32_t, 32> table;
  };
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()(const constants& c) const {
    to[simt::thread_index()] = c.table[simt::thread_index() + (Fault ? 1 : 0)];
  }
};

template <bool Fault, bool Set>
bool looks_up(simt::queue q) {
  std::vector<std::uint32_t> table(32, 5), to(32);
  if (Set)
    simt::set_constants<reads_constants<Fault>>(q, table.data(), 128);
  simt::launch(q, {.grid = 1}, reads_constants<Fault>{{to.data(), 32}});
  return to == table;
}

TEST(faults, constants_out_of_bounds) {
  expect_found(fault::out_of_bounds, {"index 32 of a constant array of 32"}, looks_up<true, true>,
               looks_up<false, true>);
}

TEST(faults, constants_never_set) {
  const auto hit = search(looks_up<false, false>);
  ASSERT_TRUE(hit && hit->kind == fault::bad_launch);
  EXPECT_NE(hit->message.find("constants were never set"), std::string::npos) << hit->message;
}

// ---- what must not compile ----------------------------------------------------------------------------------

// An element is read or written at once: kept under `auto`, it would be a value on one backend and a reference on the
// other.
using element_of = decltype(std::declval<const global<std::uint32_t>&>()[0]);
static_assert(std::is_convertible_v<element_of, std::uint32_t>);
static_assert(!std::is_convertible_v<element_of&, std::uint32_t>);
static_assert(std::is_same_v<decltype(std::declval<const global<const std::uint32_t>&>()[0]), std::uint32_t>);

template <class View>
concept loads_with_release = requires(View v) {
  v.load(0, simt::release);
};
template <class View>
concept stores_with_acquire = requires(View v) {
  v.store(0, 1u, simt::acquire);
};
template <class View>
concept loads_with_acquire = requires(View v) {
  v.load(0, simt::acquire, simt::system_scope);
};
static_assert(!loads_with_release<global<std::uint32_t>> && !stores_with_acquire<global<std::uint32_t>>);
static_assert(loads_with_acquire<global<std::uint32_t>>);

} // namespace
} // namespace sortile::simt_tests
