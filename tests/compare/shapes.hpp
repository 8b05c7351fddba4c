// Structs of many shapes with their decomposers, and the order of each written out by hand: the oracle knows nothing of
// images.
#pragma once

#include <sortile/compare.cuh>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace sortile::compare_tests {
inline namespace SORTILE_BACKEND {

using random_engine = std::mt19937_64;

/// −1, 0, 1: how two members compare; of floats −0 equals +0, and every NaN is the largest.
template <class M>
int three_way(M a, M b) {
  if constexpr (std::is_same_v<M, bfloat16>) {
    return three_way(float(a), float(b));
  } else {
    if constexpr (std::is_floating_point_v<M>)
      if (std::isnan(a) || std::isnan(b))
        return int(std::isnan(a)) - int(std::isnan(b));
    return int(b < a) - int(a < b);
  }
}

/// The first of several comparisons that is not a tie.
inline int first_of(std::initializer_list<int> comparisons) {
  for (const int c : comparisons)
    if (c != 0)
      return c;
  return 0;
}

/// Integers of few values, so that ties reach the later members, with the extremes among them.
template <class I>
I few(random_engine& random) {
  switch (random() % 16) {
  case 0:
    return static_cast<I>(I{1} << (8 * sizeof(I) - 1)); // smallest where signed
  case 1:
    return static_cast<I>(~I{0});
  case 2:
    return static_cast<I>(I(random()) << (4 * sizeof(I)) | I(random()));
  default:
    return static_cast<I>(random() % 5);
  }
}

/// Floats with both zeros, infinities, NaNs of either sign and different payloads.
template <class F, class Bits>
F special(random_engine& random) {
  const F infinity = std::numeric_limits<F>::infinity();
  switch (random() % 10) {
  case 0:
    return F(0);
  case 1:
    return -F(0);
  case 2:
    return infinity;
  case 3:
    return -infinity;
  case 4: {
    Bits bits;
    std::memcpy(&bits, &infinity, sizeof bits);
    bits |= Bits(1 + random() % 3) | Bits(Bits(random() % 2) << (8 * sizeof(Bits) - 1));
    F nan;
    std::memcpy(&nan, &bits, sizeof nan);
    return nan;
  }
  default:
    return F(int(random() % 7) - 3) / F(2);
  }
}

struct two_words {
  struct type {
    std::uint32_t a, b;
  };
  static void fill(type& t, random_engine& r) { t = {few<std::uint32_t>(r), few<std::uint32_t>(r)}; }
  static int compare(const type& x, const type& y) { return first_of({three_way(x.a, y.a), three_way(x.b, y.b)}); }
  SORTILE_HOST_DEVICE auto operator()(const type& t) const { return members(t.a, t.b); }
};

/// Only one member decides, and it is not the first: the others show that the sort is stable.
struct one_of_two {
  using type = two_words::type;
  static void fill(type& t, random_engine& r) { two_words::fill(t, r); }
  static int compare(const type& x, const type& y) { return -three_way(x.b, y.b); }
  SORTILE_HOST_DEVICE auto operator()(const type& t) const { return members(descending(t.b)); }
};

/// 56 bits, a byte of padding.
struct mixed {
  struct type {
    float f;
    std::int16_t i;
    std::uint8_t u;
  };
  static void fill(type& t, random_engine& r) {
    t.f = special<float, std::uint32_t>(r);
    t.i = few<std::int16_t>(r);
    t.u = few<std::uint8_t>(r);
  }
  static int compare(const type& x, const type& y) {
    return first_of({three_way(x.f, y.f), three_way(x.i, y.i), three_way(x.u, y.u)});
  }
  SORTILE_HOST_DEVICE auto operator()(const type& t) const { return members(t.f, t.i, t.u); }
};

/// The floats the other way round.
struct mixed_descending {
  using type = mixed::type;
  static void fill(type& t, random_engine& r) { mixed::fill(t, r); }
  static int compare(const type& x, const type& y) { return first_of({three_way(x.u, y.u), -three_way(x.f, y.f)}); }
  SORTILE_HOST_DEVICE auto operator()(const type& t) const { return members(t.u, descending(t.f)); }
};

/// 160 bits: three words.
struct three_words {
  struct type {
    std::uint64_t a, b;
    std::uint32_t c, not_compared;
  };
  static void fill(type& t, random_engine& r) {
    t = {few<std::uint64_t>(r), few<std::uint64_t>(r), few<std::uint32_t>(r), std::uint32_t(r())};
  }
  static int compare(const type& x, const type& y) {
    return first_of({three_way(x.a, y.a), three_way(x.b, y.b), three_way(x.c, y.c)});
  }
  SORTILE_HOST_DEVICE auto operator()(const type& t) const { return members(t.a, t.b, t.c); }
};

struct one_byte {
  struct type {
    std::int8_t k;
  };
  static void fill(type& t, random_engine& r) { t = {few<std::int8_t>(r)}; }
  static int compare(const type& x, const type& y) { return three_way(x.k, y.k); }
  SORTILE_HOST_DEVICE auto operator()(const type& t) const { return members(t.k); }
};

/// Three bytes that no word load fits, compared out of order.
struct three_bytes {
  struct type {
    std::uint8_t a, b, c;
  };
  static void fill(type& t, random_engine& r) {
    t = {few<std::uint8_t>(r), few<std::uint8_t>(r), few<std::uint8_t>(r)};
  }
  static int compare(const type& x, const type& y) { return first_of({three_way(x.c, y.c), three_way(x.a, y.a)}); }
  SORTILE_HOST_DEVICE auto operator()(const type& t) const { return members(t.c, t.a); }
};

/// The widest members, across the borders of words (16 + 128 + 64 + 8 bits), and a long tail that only travels.
struct across_words {
  struct type {
    bfloat16 h;
    uint128 w;
    double d;
    std::int8_t s;
    char tail[21];
  };
  static void fill(type& t, random_engine& r) {
    t.h = bfloat16::from_bits(std::uint16_t(few<std::uint16_t>(r)));
    t.w = few<uint128>(r);
    t.d = special<double, std::uint64_t>(r);
    t.s = few<std::int8_t>(r);
  }
  static int compare(const type& x, const type& y) {
    return first_of({three_way(x.h, y.h), -three_way(x.w, y.w), three_way(x.d, y.d), three_way(x.s, y.s)});
  }
  SORTILE_HOST_DEVICE auto operator()(const type& t) const { return members(t.h, descending(t.w), t.d, t.s); }
};

} // namespace SORTILE_BACKEND
} // namespace sortile::compare_tests
