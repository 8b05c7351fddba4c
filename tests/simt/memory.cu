// Global and shared arrays: plain, hinted, ordered and vector accesses, atomics of every kind, order and scope.
#include "fixture.hpp"
#include "simt/shared_cursor.hpp"

namespace sortile::simt_tests {
namespace {

using simt::global;

template <class T>
struct copies {
  static constexpr unsigned block_threads = 64;
  struct shared {
    simt::shared_array<T, 64> plain;
    simt::shared_value<T> last;
  };
  global<const T> in;
  global<T> to; // [9][64]
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned i = simt::thread_index();
    to[i] = in[i];
    to.store(64 + i, in.load(i, simt::streaming), simt::streaming);
    to.store(128 + i, in.load(i, simt::l2_only), simt::l2_only);
    to.store(192 + i, in.load(i, simt::read_only), simt::write_through);
    to.store(256 + i, in.load(i, simt::relaxed), simt::relaxed, simt::block_scope);
    to.store(320 + i, in.load(i, simt::acquire, simt::system_scope), simt::release, simt::system_scope);
    s.plain[i] = in[i];
    if (i == 63)
      s.last = T(in[i]);
    simt::block_barrier();
    to[384 + i] = s.plain[63 - i];
    simt::block_barrier();
    s.plain.store(i, s.plain.load(i, simt::acquire, simt::block_scope), simt::release, simt::block_scope);
    to[448 + i] = T(s.last);
    to.store(512 + i, in.load(i, simt::last_use));
    simt::prefetch(in, 0);
  }
};

template <class T>
void check_copies() {
  const auto bits = noise(64 * sizeof(T));
  std::vector<T> in(64);
  std::memcpy(in.data(), bits.data(), 64 * sizeof(T));
  on_every_schedule(
      [&](simt::queue q) {
        buffer<T> from(in), to(576);
        simt::launch(q, {.grid = 1}, copies<T>{from.view(), to.view()});
        const auto out = to.host();
        for (unsigned i = 0; i < 576; ++i) {
          const unsigned at = i < 384 || i >= 512 ? i % 64 : i < 448 ? 63 - i % 64 : 63;
          ASSERT_EQ(std::memcmp(&out[i], &in[at], sizeof(T)), 0) << i;
        }
      },
      5);
}

/// Each thread goes from its element to the last, and says in how many steps; then it writes through one cursor what it
/// reads through another, and reads what its neighbour wrote.
template <class T>
struct walks {
  static constexpr unsigned block_threads = 64;
  struct shared {
    simt::shared_array<T, 64> from, to;
  };
  global<const T> in;
  global<T> out;
  global<std::uint32_t> far;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned i = simt::thread_index();
    s.from.store(i, in.load(i));
    simt::block_barrier();
    const simt::shared_cursor<T> first(s.from.view(), i), last(s.from.view(), 63);
    auto at = first;
    while (at < last)
      at = at.plus(1);
    far.store(i, at - first);
    const simt::shared_cursor<T> mine(s.to.view(), 63 - i);
    mine.store(0, at.load(int(i) - 63));
    simt::block_barrier();
    out.store(i, i == 0 ? mine.load() : mine.plus(2).load(-1));
  }
};

template <class T>
void check_walks() {
  const auto bits = noise(64 * sizeof(T));
  std::vector<T> in(64);
  std::memcpy(in.data(), bits.data(), 64 * sizeof(T));
  on_every_schedule(
      [&](simt::queue q) {
        buffer<T> from(in), to(64);
        buffer<std::uint32_t> far(64);
        simt::launch(q, {.grid = 1}, walks<T>{from.view(), to.view(), far.view()});
        const auto out = to.host();
        const auto steps = far.host();
        for (unsigned i = 0; i < 64; ++i) {
          ASSERT_EQ(std::memcmp(&out[i], &in[i == 0 ? 0 : i - 1], sizeof(T)), 0) << i;
          ASSERT_EQ(steps[i], 63 - i);
        }
      },
      5);
}

SIMT_TEST(memory, cursors) {
  check_walks<std::uint8_t>();
  check_walks<std::uint32_t>();
  check_walks<std::uint64_t>();
}

SIMT_TEST(memory, accesses_of_every_width) {
  check_copies<std::uint8_t>();
  check_copies<std::uint16_t>();
  check_copies<std::uint32_t>();
  check_copies<std::uint64_t>();
  check_copies<unsigned __int128>();
}

struct pair {
  std::uint32_t key, value;
};

struct vectors {
  static constexpr unsigned block_threads = 32;
  struct shared {
    alignas(16) simt::shared_array<std::uint32_t, 128> words;
  };
  global<const std::uint32_t> in;
  global<std::uint32_t> to;
  global<std::uint8_t> bytes;
  global<pair> pairs;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned i = simt::thread_index();
    auto v = simt::load_vector<4>(in, 4 * i);
    simt::store_vector<4>(s.words, 4 * i, v);
    simt::block_barrier();
    auto w = simt::load_vector<2>(s.words.view(), 126 - 2 * i);
    simt::store_vector<2>(to, 2 * i, w, simt::streaming);
    auto hinted = simt::load_vector<4>(in, 4 * i, simt::read_only);
    SORTILE_UNROLL
    for (int k = 0; k < 4; ++k)
      hinted[k] += 1;
    simt::store_vector<4>(to, 64 + 4 * i, hinted);
    simt::vec<std::uint8_t, 16> b;
    SORTILE_UNROLL
    for (int k = 0; k < 16; ++k)
      b[k] = std::uint8_t(i + k);
    simt::store_vector<16>(bytes, 16 * i, b);
    simt::store_vector<2>(pairs, 2 * i, simt::vec<pair, 2>{{{i, i + 1}, {i + 2, i + 3}}}, simt::l2_only);
  }
};

SIMT_TEST(memory, vectors) {
  const auto in = noise(128);
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> from(in), to(192);
    buffer<std::uint8_t> bytes(512);
    buffer<pair> pairs(64);
    simt::launch(q, {.grid = 1}, vectors{from.view(), to.view(), bytes.view(), pairs.view()});
    const auto out = to.host();
    for (unsigned i = 0; i < 64; ++i)
      ASSERT_EQ(out[i], in[126 - i / 2 * 2 + i % 2]);
    for (unsigned i = 0; i < 128; ++i)
      ASSERT_EQ(out[64 + i], in[i] + 1);
    for (unsigned i = 0; i < 512; ++i)
      ASSERT_EQ(bytes.host()[i], std::uint8_t(i / 16 + i % 16));
    for (unsigned i = 0; i < 64; ++i)
      ASSERT_EQ(pairs.host()[i].value, i / 2 + 1 + i % 2 * 2);
  });
}

template <class T>
struct atomics {
  static constexpr unsigned block_threads = 96;
  struct shared {
    simt::shared_array<T, 8> sums;
  };
  global<const T> in;
  global<T> to; // [16]
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned i = simt::thread_index();
    const T v = in[simt::block_index() * 96 + i];
    if (i < 8)
      s.sums[i] = i == 1 || i == 3 ? T(~T(0)) : T(0);
    simt::block_barrier();
    s.sums.fetch_add(0, v);
    s.sums.fetch_min(1, v, simt::relaxed, simt::block_scope);
    s.sums.fetch_max(2, v, simt::acquire);
    s.sums.fetch_and(3, v | 0xffff, simt::release);
    s.sums.fetch_or(4, v & 0xff00, simt::acq_rel, simt::block_scope);
    s.sums.fetch_xor(5, v);
    for (T seen = s.sums.load(6, simt::relaxed);;) {
      const T was = s.sums.compare_exchange(6, seen, seen + v);
      if (was == seen)
        break;
      seen = was;
      simt::spin_hint();
    }
    simt::block_barrier();
    if (i == 0) {
      to.fetch_add(0, s.sums[0]);
      to.fetch_min(1, s.sums[1]);
      to.fetch_max(2, s.sums[2], simt::acq_rel, simt::system_scope);
      to.fetch_and(3, s.sums[3], simt::relaxed, simt::system_scope);
      to.fetch_or(4, s.sums[4], simt::release);
      to.fetch_xor(5, s.sums[5], simt::acquire);
      to.fetch_add(6, s.sums[6], simt::acq_rel);
      to.fetch_add(7, to.exchange(8, 1) == 0 ? 1 : 0);
    }
  }
};

template <class T>
void check_atomics() {
  const auto bits = noise(4 * 96 * 2);
  std::vector<T> in(4 * 96);
  std::memcpy(in.data(), bits.data(), in.size() * sizeof(T));
  std::vector<T> expected = {0, T(~T(0)), 0, T(~T(0)), 0, 0, 0, 1, 1};
  for (const T v : in) {
    expected[0] += v;
    expected[1] = std::min(expected[1], v);
    expected[2] = std::max(expected[2], v);
    expected[3] &= v | 0xffff;
    expected[4] |= v & 0xff00;
    expected[5] ^= v;
    expected[6] += v;
  }
  on_every_schedule([&](simt::queue q) {
    buffer<T> from(in), to(std::vector<T>{0, T(~T(0)), 0, T(~T(0)), 0, 0, 0, 0, 0});
    simt::launch(q, {.grid = 4}, atomics<T>{from.view(), to.view()});
    ASSERT_EQ(to.host(), expected);
  });
}

SIMT_TEST(memory, atomics) {
  check_atomics<std::uint32_t>();
  check_atomics<std::uint64_t>();
}

struct signed_atomics {
  static constexpr unsigned block_threads = 32;
  global<int> narrow;
  global<std::int64_t> wide;
  global<float> real;
  SORTILE_DEVICE void operator()() const {
    const int v = int(simt::thread_index()) - 20;
    narrow.fetch_add(0, v);
    narrow.fetch_min(1, v);
    narrow.fetch_max(2, v - 40);
    wide.fetch_add(0, std::int64_t(v) << 33);
    wide.fetch_min(1, std::int64_t(v) << 33);
    wide.fetch_max(2, std::int64_t(v - 40) << 33);
    real.fetch_add(0, 0.5f * float(v));
  }
};

SIMT_TEST(memory, atomics_of_signed_and_real_numbers) {
  on_every_schedule([&](simt::queue q) {
    buffer<int> narrow(std::vector<int>{0, 100, -1000});
    buffer<std::int64_t> wide(std::vector<std::int64_t>{0, 100, -(std::int64_t{1} << 60)});
    buffer<float> real(1);
    simt::launch(q, {.grid = 1}, signed_atomics{narrow.view(), wide.view(), real.view()});
    const std::int64_t unit = std::int64_t{1} << 33;
    ASSERT_EQ(narrow.host(), (std::vector<int>{-144, -20, -29}));
    ASSERT_EQ(wide.host(), (std::vector<std::int64_t>{-144 * unit, -20 * unit, -29 * unit}));
    ASSERT_EQ(real.host()[0], -72.0f);
  });
}

// Blocks pass a baton of 16 bytes in the order in which they took their tickets: data published by release, met by
// acquire.
struct baton {
  static constexpr unsigned block_threads = 32;
  struct shared {
    simt::shared_value<std::uint32_t> ticket;
  };
  global<std::uint32_t> tickets, data;
  global<unsigned __int128> state;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned i = simt::thread_index();
    if (i == 0)
      s.ticket = tickets.fetch_add(0, 1u);
    simt::block_barrier();
    const std::uint32_t me = s.ticket;
    if (i == 0)
      while (std::uint64_t(state.load(0, simt::acquire)) != me)
        simt::spin_hint(20);
    simt::block_barrier();
    data[i] = data[i] * 3 + me;
    simt::block_barrier();
    if (i == 0)
      state.store(0, (static_cast<unsigned __int128>(me) << 64) | (me + 1), simt::release);
  }
};

SIMT_TEST(memory, release_publishes_what_a_block_did) {
  std::vector<std::uint32_t> expected(32);
  for (std::uint32_t block = 0; block < 12; ++block)
    for (std::uint32_t& x : expected)
      x = x * 3 + block;
  on_every_schedule(
      [&](simt::queue q) {
        buffer<std::uint32_t> tickets(1), data(32);
        buffer<unsigned __int128> state(1);
        simt::launch(q, {.grid = 12}, baton{tickets.view(), data.view(), state.view()});
        ASSERT_EQ(data.host(), expected);
        ASSERT_EQ(std::uint64_t(state.host()[0] >> 64), 11u);
      },
      100);
}

struct parts {
  static constexpr unsigned block_threads = 32;
  struct shared {
    simt::shared_array<std::uint32_t, 64> a;
  };
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned i = simt::thread_index();
    auto upper = s.a.subview(32, 32);
    auto halves = simt::view_as<std::uint16_t>(upper);
    upper[i] = i * 0x10001;
    simt::block_barrier();
    to.subview(32, 32)[i] = std::uint32_t(halves[2 * i]) + halves[2 * i + 1];
    global<const std::uint32_t> constant = to;
    simt::warp_barrier();
    to[i] = constant.subview(32)[i] + 1;
  }
};

SIMT_TEST(memory, parts_and_other_types) {
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> to(64);
    simt::launch(q, {.grid = 1}, parts{to.view()});
    for (unsigned i = 0; i < 32; ++i)
      ASSERT_EQ(to.host()[i], 2 * i + 1);
  });
}

template <class T>
struct adds_constants {
  static constexpr unsigned block_threads = 64;
  struct shared {
    simt::shared_value<T> sum;
  };
  struct constants {
    simt::constant_array<T, 4096 / sizeof(T)> table;
  };
  global<T> to;
  SORTILE_DEVICE void operator()(shared& s, const constants& c) const {
    if (simt::thread_index() == 0)
      s.sum = c.table[0];
    simt::block_barrier();
    to[simt::thread_index()] = T(s.sum + c.table.load(63 - simt::thread_index()));
  }
};

template <class T>
void check_constants() {
  using kernel = adds_constants<T>;
  const auto bits = noise(128 * sizeof(T) / 4 + 1);
  std::vector<T> table(128);
  std::memcpy(table.data(), bits.data(), 128 * sizeof(T));
  on_every_schedule(
      [&](simt::queue q) {
        buffer<T> device(table), to(64);
        for (const T* from : {static_cast<const T*>(table.data()), static_cast<const T*>(device.view().data()) + 64}) {
          simt::set_constants<kernel>(q, from, 64 * sizeof(T));
          simt::launch(q, {.grid = 1}, kernel{to.view()});
          const std::size_t first = from == table.data() ? 0 : 64;
          const auto out = to.host();
          for (unsigned i = 0; i < 64; ++i)
            ASSERT_EQ(out[i], T(table[first] + table[first + 63 - i])) << i;
        }
      },
      5);
}

SIMT_TEST(memory, constants_from_host_and_device) {
  check_constants<std::uint8_t>();
  check_constants<std::uint32_t>();
  check_constants<std::uint64_t>();
}

SIMT_TEST(memory, more_constants_than_there_are) {
  on_every_schedule(
      [&](simt::queue q) {
        const std::vector<std::uint32_t> table(1025);
        EXPECT_THROW(simt::set_constants<adds_constants<std::uint32_t>>(q, table.data(), 4100), simt::error);
      },
      1);
}

} // namespace
} // namespace sortile::simt_tests
