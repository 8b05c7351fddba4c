// See device_arrays.hpp. One kernel a width: the shape is a run-time value.
#include "bench/gpu/device_arrays.hpp"

#include "primitives/key_codec.hpp"
#include "simt/simt.hpp"

#include <algorithm>
#include <cmath>

namespace sortile::bench::inline SORTILE_BACKEND {
namespace {

constexpr unsigned threads = 256;

SORTILE_DEVICE std::uint64_t mix(std::uint64_t x) { // SplitMix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// In [0, 1): a multiple of 2^-53.
SORTILE_DEVICE double part_of_1(std::uint64_t i) {
  return double(mix(i) >> 11) * 0x1p-53;
}

/// Ranks with probability near 1 / rank, their bits mixed: frequent keys lie anywhere.
SORTILE_DEVICE std::uint64_t zipf(std::uint64_t i, std::uint64_t n) {
  return mix(std::uint64_t(std::exp(part_of_1(i) * std::log(double(n)))));
}

/// Box and Muller, "A note on the generation of random normal deviates", 1958.
SORTILE_DEVICE double normal(std::uint64_t i) {
  const double radius = std::sqrt(-2 * std::log(1 - part_of_1(2 * i)));
  return radius * std::cos(6.283185307179586 * part_of_1(2 * i + 1));
}

template <class Word>
struct keys_kernel {
  static constexpr unsigned block_threads = threads, bits = 8 * sizeof(Word);
  simt::global<Word> out;
  std::uint64_t n;
  key_shape shape;
  Word infinity; ///< bits of +infinity of a float type; 0 for integers

  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < n; i += stride)
      out[i] = infinity == 0 ? key(i) : as_ordered_everywhere(key(i));
  }

 private:
  /// Bits of a float that is no NaN and no −0: instead of a NaN others are drawn (one time in 2^27 all are NaNs, then
  /// the exponent loses its highest bit), −0 gains a lowest.
  SORTILE_DEVICE Word as_ordered_everywhere(Word key) const {
    constexpr Word sign = Word(Word(1) << (bits - 1));
    for (int more = 0; more < 3 && Word(key & ~sign) > infinity; ++more)
      key = Word(mix(std::uint64_t(key)));
    if (Word(key & ~sign) > infinity)
      return Word(key & ~(sign >> 1));
    return key == sign ? Word(sign | 1) : key;
  }
  /// Random bits, of stream 0, 1, …
  SORTILE_DEVICE Word draw(std::uint64_t i, unsigned stream = 0) const {
    const std::uint64_t at = i + stream * n;
    if constexpr (bits == 128)
      return Word(mix(2 * at)) << 64 | mix(2 * at + 1);
    else
      return Word(mix(at));
  }
  /// Random bits below the 16 highest, which are given.
  SORTILE_DEVICE Word beneath(std::uint64_t highest, Word random) const {
    if constexpr (bits <= 16)
      return Word(highest >> (16 - bits));
    else
      return Word(Word(highest) << (bits - 16)) | Word(random >> 16);
  }
  /// Ascending and distinct where the type has room for it.
  SORTILE_DEVICE Word rank(std::uint64_t i) const {
    if constexpr (bits >= 64)
      return Word(i);
    else
      return n >> bits == 0 ? Word(i) : Word(i / ((n + (std::uint64_t{1} << bits) - 1) >> bits));
  }

  SORTILE_DEVICE Word key(std::uint64_t i) const {
    switch (shape) {
    case key_shape::low8:
      return Word(draw(i) & Word(0xff));
    case key_shape::low16:
      return Word(draw(i) & Word(0xffff));
    case key_shape::billion:
      return Word(mix(i) % 1'000'000'000); // of 64 bits for every width: 32 would make low numbers more likely
    case key_shape::sorted:
      return rank(i);
    case key_shape::descending:
      return rank(n - 1 - i);
    case key_shape::equal:
      return Word(42);
    case key_shape::and3:
      return Word(draw(i) & draw(i, 1) & draw(i, 2));
    case key_shape::zipf:
      return Word(zipf(i, n));
    case key_shape::outlier:
      return mix(i + n) % 65536 == 0 ? draw(i) : Word(draw(i) & Word(0xffff));
    default:
      return key_of_worst_case(i);
    }
  }
  SORTILE_DEVICE Word key_of_worst_case(std::uint64_t i) const {
    switch (shape) {
    case key_shape::full_buckets: {
      const std::uint64_t buckets = n / keys_in_a_full_bucket + 1;
      return beneath(mix(i + n) % buckets * 65536 / buckets, draw(i));
    }
    case key_shape::two_buckets:
      return beneath((mix(i + n) & 1) != 0 ? 0xd000 : 0x2000, draw(i));
    case key_shape::equal_but_one:
      return i == n / 3 ? Word(Word(1) << (bits - 1)) : Word(42);
    case key_shape::distinct16:
      return draw(mix(i + n) & 0xffff);
    case key_shape::unit:
    case key_shape::normal:
      return key_of_floats(i);
    default:
      return draw(i);
    }
  }
  SORTILE_DEVICE Word key_of_floats(std::uint64_t i) const {
    if constexpr (bits == 32)
      return __builtin_bit_cast(Word, shape == key_shape::unit ? float(mix(i) >> 40) * 0x1p-24f : float(normal(i)));
    else if constexpr (bits == 64)
      return __builtin_bit_cast(Word, shape == key_shape::unit ? part_of_1(i) : normal(i));
    else
      return 0; // check_shape has refused it
  }
};

struct differences_kernel {
  static constexpr unsigned block_threads = threads;
  simt::global<const std::uint32_t> a, b;
  simt::global<std::uint64_t> differences;
  std::uint64_t n;
  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < n; i += stride)
      if (a.load(i) != b.load(i))
        differences.fetch_add(0, std::uint64_t{1});
  }
};

simt::launch_config blocks_for(std::uint64_t n) {
  constexpr std::uint64_t most = 1024;
  return {.grid = unsigned(std::clamp<std::uint64_t>(n / threads, 1, most))};
}

template <class Word>
void fill(const simt::queue& q, void* out, key_type type, std::uint64_t n, key_shape shape) {
  simt::launch(q, blocks_for(n), keys_kernel<Word>{{static_cast<Word*>(out), n}, n, shape, Word(infinity_bits(type))});
}

} // namespace
} // namespace sortile::bench::inline SORTILE_BACKEND

namespace sortile::bench::detail {

template <>
void fill_with_keys<simt::this_backend>(const simt::queue& q, void* out, key_type type, std::uint64_t n,
                                        key_shape shape) {
  switch (key_bytes(type)) {
  case 1:
    return fill<std::uint8_t>(q, out, type, n, shape);
  case 2:
    return fill<std::uint16_t>(q, out, type, n, shape);
  case 4:
    return fill<std::uint32_t>(q, out, type, n, shape);
  case 8:
    return fill<std::uint64_t>(q, out, type, n, shape);
  default:
    return fill<uint128>(q, out, type, n, shape);
  }
}

template <>
void count_differences<simt::this_backend>(const simt::queue& q, const void* a, const void* b, std::size_t bytes,
                                           std::uint64_t* differences) {
  const std::uint64_t words = bytes / 4;
  simt::launch(q, blocks_for(words),
               differences_kernel{{static_cast<const std::uint32_t*>(a), words},
                                  {static_cast<const std::uint32_t*>(b), words},
                                  {differences, 1},
                                  words});
}

} // namespace sortile::bench::detail
