// Votes, matches, shuffles, reductions, bits.
#include "fixture.hpp"

namespace sortile::simt_tests {
namespace {

using simt::global;

struct votes {
  static constexpr unsigned block_threads = 64;
  global<const std::uint32_t> in;
  global<std::uint32_t> ballots, anys, alls, masked;
  SORTILE_DEVICE void operator()() const {
    const unsigned i = simt::block_index() * simt::block_size() + simt::thread_index();
    const std::uint32_t v = in[i];
    ballots[i] = simt::ballot(v & 1);
    anys[i] = simt::warp_any(v % 64 == 0);
    alls[i] = simt::warp_all(v % 64 != 0);
    const unsigned mine = simt::lane_index() < 20 ? 0xfffffu : 0xfff00000u;
    masked[i] = simt::lane_index() < 20 ? simt::ballot(v & 2, mine) : simt::ballot(v & 4, mine);
  }
};

SIMT_TEST(warp, votes) {
  const auto in = noise(256);
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> keys(in), ballots(256), anys(256), alls(256), masked(256);
    simt::launch(q, {.grid = 4}, votes{keys.view(), ballots.view(), anys.view(), alls.view(), masked.view()});
    const auto b = ballots.host(), any = anys.host(), all = alls.host(), m = masked.host();
    for (unsigned i = 0; i < 256; ++i) {
      std::uint32_t expected = 0, zero = 0, split = 0;
      for (unsigned l = 0; l < 32; ++l) {
        const std::uint32_t v = in[i / 32 * 32 + l];
        expected |= (v & 1) << l;
        zero += v % 64 == 0;
        if ((l < 20) == (i % 32 < 20))
          split |= std::uint32_t((v & (l < 20 ? 2 : 4)) != 0) << l;
      }
      ASSERT_EQ(b[i], expected);
      ASSERT_EQ(any[i], zero != 0);
      ASSERT_EQ(all[i], zero == 0);
      ASSERT_EQ(m[i], split);
    }
  });
}

/// What a hint may be relied on for: the lane itself is among the active ones, and lanes that have ended are not.
struct active {
  static constexpr unsigned block_threads = 64;
  global<std::uint32_t> seen;
  SORTILE_DEVICE void operator()() const {
    if (simt::lane_index() >= 24)
      return;
    simt::warp_barrier(0xffffffu);
    seen[simt::thread_index()] = simt::active_lanes();
  }
};

SIMT_TEST(warp, active_lanes) {
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> seen(64);
    simt::launch(q, {.grid = 1}, active{seen.view()});
    const auto s = seen.host();
    for (unsigned i = 0; i < 64; ++i) {
      if (i % 32 < 24) {
        ASSERT_EQ(s[i] >> (i % 32) & 1, 1u) << i;
        ASSERT_EQ(s[i] >> 24, 0u) << i;
      } else {
        ASSERT_EQ(s[i], 0u) << i;
      }
    }
  });
}

struct matches {
  static constexpr unsigned block_threads = 32;
  global<const std::uint32_t> in;
  global<std::uint32_t> any32, any64, all32, bit, masked_bit, bits; // bits: [7][32]
  SORTILE_DEVICE void operator()() const {
    const unsigned i = simt::thread_index();
    any32[i] = simt::match_any(in[i] % 5);
    any64[i] = simt::match_any(std::uint64_t(in[i] % 3) << 40);
    const unsigned half = i < 16 ? 0xffffu : 0xffff0000u;
    all32[i] = simt::match_all(i < 16 ? 7u : std::uint32_t(in[i]), half);
    bit[i] = simt::match_bit(in[i], 3);
    masked_bit[i] = simt::match_bit(in[i], i < 16 ? 31 : 0, half);
    bits[i] = simt::match_bits<1>(in[i]);
    bits[32 + i] = simt::match_bits<3>(in[i]);
    bits[64 + i] = simt::match_bits<8>(in[i] % 7 * 37);
    bits[96 + i] = simt::match_bits<2>(in[i]);
    bits[128 + i] = simt::match_bits<7>(in[i] % 7 * 37 + 256);
    bits[160 + i] = simt::match_bits<8>(in[i] % 5 * 51 | in[i] << 8); // what lies above does not count
    bits[192 + i] = simt::match_bits<11>(in[i] % 3 * 600 + (in[i] & 1));
  }
};

SIMT_TEST(warp, matches) {
  const auto in = noise(32);
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> keys(in), any32(32), any64(32), all32(32), bit(32), masked_bit(32), bits(224);
    simt::launch(
        q, {.grid = 1},
        matches{keys.view(), any32.view(), any64.view(), all32.view(), bit.view(), masked_bit.view(), bits.view()});
    const auto several = bits.host();
    const auto a = any32.host(), b = any64.host(), c = all32.host(), d = bit.host(), e = masked_bit.host();
    const auto with_bit = [&](unsigned i, unsigned at) {
      std::uint32_t lanes = 0;
      for (unsigned l = 0; l < 32; ++l)
        lanes |= std::uint32_t(((in[l] ^ in[i]) >> at & 1) == 0) << l;
      return lanes;
    };
    for (unsigned i = 0; i < 32; ++i) {
      ASSERT_EQ(d[i], with_bit(i, 3));
      ASSERT_EQ(e[i], i < 16 ? with_bit(i, 31) & 0xffffu : with_bit(i, 0) & 0xffff0000u);
      std::uint32_t five = 0, three = 0, one_bit = 0, three_bits = 0, seven = 0;
      for (unsigned l = 0; l < 32; ++l) {
        five |= std::uint32_t(in[l] % 5 == in[i] % 5) << l;
        three |= std::uint32_t(in[l] % 3 == in[i] % 3) << l;
        one_bit |= std::uint32_t(in[l] % 2 == in[i] % 2) << l;
        three_bits |= std::uint32_t(in[l] % 8 == in[i] % 8) << l;
        seven |= std::uint32_t(in[l] % 7 == in[i] % 7) << l;
      }
      ASSERT_EQ(several[i], one_bit);
      ASSERT_EQ(several[32 + i], three_bits);
      ASSERT_EQ(several[64 + i], seven);
      const auto same = [&](auto value) {
        std::uint32_t lanes = 0;
        for (unsigned l = 0; l < 32; ++l)
          lanes |= std::uint32_t(value(in[l]) == value(in[i])) << l;
        return lanes;
      };
      ASSERT_EQ(several[96 + i], same([](std::uint32_t v) { return v % 4; }));
      ASSERT_EQ(several[128 + i], same([](std::uint32_t v) { return (v % 7 * 37 + 256) % 128; }));
      ASSERT_EQ(several[160 + i], same([](std::uint32_t v) { return v % 5; }));
      ASSERT_EQ(several[192 + i], same([](std::uint32_t v) { return (v % 3 * 600 + (v & 1)) % 2048; }));
      ASSERT_EQ(a[i], five);
      ASSERT_EQ(b[i], three);
      ASSERT_EQ(c[i], i < 16 ? 0xffffu : 0u);
    }
  });
}

template <class T>
struct shuffles {
  static constexpr unsigned block_threads = 32;
  global<const T> in;
  global<T> to; // [8][32]
  SORTILE_DEVICE void operator()() const {
    const unsigned i = simt::thread_index();
    const T v = in[i];
    to[0 * 32 + i] = simt::shuffle(v, 31 - i);
    to[1 * 32 + i] = simt::shuffle(v, 3, simt::full_warp, 8);
    to[2 * 32 + i] = simt::shuffle_up(v, 3);
    to[3 * 32 + i] = simt::shuffle_up(v, 1, simt::full_warp, 4);
    to[4 * 32 + i] = simt::shuffle_down(v, 5);
    to[5 * 32 + i] = simt::shuffle_down(v, 2, simt::full_warp, 16);
    to[6 * 32 + i] = simt::shuffle_xor(v, 21);
    to[7 * 32 + i] = simt::shuffle_xor(v, 5, simt::full_warp, 8);
  }
};

template <class T>
void check_shuffles() {
  std::vector<T> in(32);
  for (unsigned i = 0; i < 32; ++i) {
    unsigned char bytes[sizeof(T)];
    for (unsigned b = 0; b < sizeof(T); ++b)
      bytes[b] = static_cast<unsigned char>(i * 7 + b * 33 + 1);
    std::memcpy(&in[i], bytes, sizeof(T));
  }
  on_every_schedule([&](simt::queue q) {
    buffer<T> keys(in), to(8 * 32);
    simt::launch(q, {.grid = 1}, shuffles<T>{keys.view(), to.view()});
    const auto out = to.host();
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned from[8] = {31 - i,
                                i / 8 * 8 + 3,
                                i < 3 ? i : i - 3,
                                i % 4 < 1 ? i : i - 1,
                                i + 5 > 31 ? i : i + 5,
                                i % 16 + 2 > 15 ? i : i + 2,
                                i ^ 21,
                                i ^ 5};
      for (unsigned k = 0; k < 8; ++k)
        ASSERT_EQ(std::memcmp(&out[k * 32 + i], &in[from[k]], sizeof(T)), 0) << "shuffle " << k << " of lane " << i;
    }
  });
}

struct twelve {
  std::uint32_t a, b, c;
};

SIMT_TEST(warp, shuffles_of_every_width) {
  check_shuffles<std::uint8_t>();
  check_shuffles<std::uint16_t>();
  check_shuffles<std::uint32_t>();
  check_shuffles<float>();
  check_shuffles<double>();
  check_shuffles<std::uint64_t>();
  check_shuffles<unsigned __int128>();
  check_shuffles<twelve>();
}

struct reductions {
  static constexpr unsigned block_threads = 32;
  global<const std::uint32_t> in;
  global<std::uint32_t> to; // [8]
  SORTILE_DEVICE void operator()() const {
    const std::uint32_t v = in[simt::thread_index()];
    const std::uint32_t r[8] = {simt::warp_reduce_add(v),
                                simt::warp_reduce_min(v),
                                simt::warp_reduce_max(v),
                                simt::warp_reduce_and(v | 0xff),
                                simt::warp_reduce_or(v & 0xf0f0),
                                simt::warp_reduce_xor(v),
                                std::uint32_t(simt::warp_reduce_min(int(v))),
                                std::uint32_t(simt::warp_reduce_max(int(v)))};
    if (simt::lane_index() == 17)
      for (int i = 0; i < 8; ++i)
        to[i] = r[i];
  }
};

SIMT_TEST(warp, reductions) {
  const auto in = noise(32);
  std::uint32_t r[8] = {0, ~0u, 0, ~0u, 0, 0, 0x7fffffff, 0x80000000};
  for (const std::uint32_t v : in) {
    r[0] += v;
    r[1] = std::min(r[1], v);
    r[2] = std::max(r[2], v);
    r[3] &= v | 0xff;
    r[4] |= v & 0xf0f0;
    r[5] ^= v;
    r[6] = std::uint32_t(std::min(int(r[6]), int(v)));
    r[7] = std::uint32_t(std::max(int(r[7]), int(v)));
  }
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> keys(in), to(8);
    simt::launch(q, {.grid = 1}, reductions{keys.view(), to.view()});
    ASSERT_EQ(to.host(), std::vector<std::uint32_t>(r, r + 8));
  });
}

struct bits {
  static constexpr unsigned block_threads = 32;
  struct shared {
    simt::shared_array<std::uint32_t, 2> words;
  };
  global<std::uint32_t> to; // [14]
  SORTILE_DEVICE void operator()(shared& s) const {
    if (simt::thread_index() != 9)
      return;
    shared& pinned = simt::pinned(s);
    pinned.words[1] = 77;
    to[12] = s.words.load(1);
    to[13] = simt::opaque(88);
    to[0] = simt::popcount(0xf0f0u);
    to[1] = simt::popcount(std::uint64_t{0xf0f0} << 30);
    to[2] = simt::leading_zeros(0x00010000u);
    to[3] = simt::leading_zeros(std::uint64_t{1});
    to[4] = simt::trailing_zeros(0x00010000u);
    to[5] = simt::trailing_zeros(std::uint64_t{1} << 50);
    to[6] = simt::extract_bits(0xabcd1234u, 8, 12);
    to[7] = simt::extract_bits(0xabcd1234u, 24, 8) + simt::extract_bits(5u, 3, 0);
    to[8] = simt::permute_bytes(0x33221100u, 0x77665544u, 0x7410u);
    to[9] = simt::lanes_below();
    to[10] = simt::leading_zeros(simt::uint128{1} << 100);
    to[11] = simt::leading_zeros(simt::uint128{1} << 20);
  }
};

struct floats {
  static constexpr unsigned block_threads = 32;
  global<const std::int64_t> from;
  global<std::uint32_t> to;
  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    to[2 * t] = simt::float_bits_toward_zero(from.load(t));
    to[2 * t + 1] = simt::float_bits_toward_zero(std::int32_t(from.load(t)));
  }
};
/// 1, 2^23 and 2^24 are exact; beyond, what does not fit is left out, of either sign.
SIMT_TEST(warp, floats_toward_zero) {
  const std::int64_t tried[] = {0, 1, -1, 3, -3, 0xffffff, -0xffffff, 0x1ffffff, -0x1ffffff, 0x7fffffff};
  const float rounded[] = {
      0, 1, -1, 3, -3, 0x1.fffffep23f, -0x1.fffffep23f, 0x1.fffffep24f, -0x1.fffffep24f, 0x1.fffffep30f};
  std::vector<std::int64_t> from(32, std::numeric_limits<std::int64_t>::min());
  std::vector<std::uint32_t> expected;
  for (std::size_t i = 0; i < 32; ++i) {
    const bool listed = i < std::size(tried);
    from[i] = listed ? tried[i] : i % 2 == 0 ? from[i] : std::numeric_limits<std::int64_t>::max();
    const float wide = listed ? rounded[i] : i % 2 == 0 ? -0x1p63f : 0x1.fffffep62f;
    const float narrow = listed ? rounded[i] : i % 2 == 0 ? 0.0f : -1.0f; // the lower half
    expected.push_back(std::bit_cast<std::uint32_t>(wide));
    expected.push_back(std::bit_cast<std::uint32_t>(narrow));
  }
  on_every_schedule([&](simt::queue q) {
    buffer<std::int64_t> in(from);
    buffer<std::uint32_t> to(64);
    simt::launch(q, {.grid = 1}, floats{in.view(), to.view()});
    ASSERT_EQ(to.host(), expected);
  });
}

SIMT_TEST(warp, bits) {
  on_every_schedule([&](simt::queue q) {
    buffer<std::uint32_t> to(14);
    simt::launch(q, {.grid = 1}, bits{to.view()});
    ASSERT_EQ(to.host(),
              (std::vector<std::uint32_t>{8, 8, 15, 63, 16, 50, 0xd12, 0xab, 0x77441100, 0x1ff, 27, 107, 77, 88}));
  });
}

} // namespace
} // namespace sortile::simt_tests
