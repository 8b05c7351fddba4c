// Keys compared with a pivot as they are, beside their images: every key of 16 bits, around each place where the order
// of bits and that of images part.
#include "kernels/below_pivot.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace sortile {
namespace {

using kernels::any_image;
using kernels::below_pivot;

/// Images next to those of zeros, infinities and NaNs, the first and the last, and some between.
std::set<std::uint16_t> pivots(const any_image<std::uint16_t>& images, std::uint16_t infinity) {
  std::set<std::uint16_t> found{0, 1, 0xfffe, 0xffff, 0x1234, 0x4321, 0x9876, 0xcdef};
  for (const unsigned key : {0x0000u, 0x8000u, unsigned(infinity), infinity | 0x8000u, infinity + 1u, 0x7fffu, 0xffffu})
    for (int step = -2; step <= 2; ++step)
      found.insert(std::uint16_t(images.image(std::uint16_t(key)) + step));
  return found;
}

TEST(BelowPivot, SaysWhatImagesSay) {
  for (const key_type type : {key_type::f16, key_type::bf16, key_type::i16, key_type::u16})
    for (const order direction : {order::ascending, order::descending}) {
      const auto codec = make_key_codec<std::uint16_t>(type, direction, {});
      const any_image<std::uint16_t> images(codec);
      for (const std::uint16_t pivot : pivots(images, codec.infinity)) {
        const below_pivot<std::uint16_t> is_below(images, pivot);
        unsigned wrong = 0, skipped = 0;
        for (std::uint32_t key = 0; key < 0x10000; ++key) {
          const bool is_nan = is_below.magnitude(key) > is_below.most;
          skipped += is_nan ? 1 : 0;
          wrong += !is_nan && is_below(key) != (images.image(std::uint16_t(key)) < pivot) ? 1 : 0;
        }
        EXPECT_EQ(wrong, 0u) << int(type) << ' ' << int(direction) << " pivot " << pivot;
        const unsigned nans = codec.infinity == 0 ? 0 : 2 * (0x7fffu - codec.infinity);
        EXPECT_EQ(skipped, nans) << int(type);
      }
    }
}

} // namespace
} // namespace sortile
