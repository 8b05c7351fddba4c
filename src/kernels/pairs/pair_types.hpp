// What the kernels of the sort of pairs share: values as they travel, images of keys, and what is found out on the way.
#pragma once

#include "kernels/any_image.hpp"
#include "kernels/integer_image.hpp"
#include "kernels/key_scan/key_order.hpp"
#include "kernels/verdict.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// No value beside the key.
struct no_value {};
/// 16 bytes of anything.
using wide_value = simt::vec<std::uint64_t, 2>;

template <class Value>
inline constexpr std::size_t value_size = sizeof(Value);
template <>
inline constexpr std::size_t value_size<no_value> = 0;

/// The image of all types of keys of a width: those of 128 bits are integers.
template <class Word>
using common_image = std::conditional_t<(sizeof(Word) > 8), integer_image<Word>, any_image<Word>>;

/// Of several keys. Those of integers differ from their keys in the same bits: asked once, which is as quick as a
/// kernel for integers alone.
template <class Word, int Items>
SORTILE_DEVICE void make_images(const common_image<Word>& image, const Word (&keys)[Items], Word (&images)[Items]) {
  const auto all = [&](auto of) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      images[i] = of(keys[i]);
  };
  if constexpr (std::is_same_v<common_image<Word>, any_image<Word>>)
    if (image.infinity == Word(~Word{0})) {
      const Word flip = image.sign ^ image.complement;
      return all([flip](Word key) { return Word(key ^ flip); });
    }
  all([&](Word key) { return image.image(key); });
}

template <class Word>
struct image_maker {
  key_codec<Word> codec;
  template <class Image>
  Image as() const {
    if constexpr (std::is_same_v<Image, integer_image<Word>>)
      return {Word(codec.sign ^ codec.complement)};
    else
      return any_image<Word>(codec);
  }
};

/// Words of the findings, at the front of the workspace.
enum pair_finding : unsigned {
  pair_order,    ///< what neighbours do (key_scan/key_order.hpp): are the pairs in order already, or backwards?
  pair_deferred, ///< buckets that the local step has deferred
  pair_skewed,   ///< 1: a sample has given the pairs away, or this fallback is not called: nothing is counted
  pair_mapped,   ///< 1: a map spreads the keys (drawn_map.hpp)
  pair_findings
};

/// Of a bucket whose pairs have one key: it may hold any number of them, and needs no sorting.
inline constexpr std::uint32_t any_number = ~0u;

/// The order of all chunks together, of what the scan has written for each; a thread a chunk. By all threads of a block
/// of at least as many.
SORTILE_DEVICE std::uint32_t order_of_chunks(const simt::global<const std::uint32_t>& order, std::uint32_t chunks) {
  const unsigned t = simt::thread_index();
  const std::uint32_t seen = t < chunks ? order.load(t) : seen_neither;
  return order_of_block((seen & seen_falling) != 0, (seen & seen_rising) != 0);
}

/// Whether there is anything to do: not where the pairs are in order already, or backwards, nor where the verdict has
/// given them to a fallback.
struct pairs_gate {
  simt::global<std::uint32_t> findings;
  verdict told;
  bool sampled; // a sample may have given the pairs away

  SORTILE_DEVICE std::uint32_t order() const { return findings.load(pair_order); }
  SORTILE_DEVICE bool refused() const { return told.gave_away() || given_away_by_sample(); }
  /// Whether a sample has given the pairs away. The same in all threads of any launch after the one that asks the
  /// sample.
  SORTILE_DEVICE bool given_away_by_sample() const { return sampled && findings.load(pair_skewed) != 0; }
  /// This sort takes the pairs, as far as is known. By one block, before others ask.
  SORTILE_DEVICE void accept() const {
    if (simt::thread_index() == 0)
      told.take();
  }
  SORTILE_DEVICE bool idle() const { return order() != seen_both || refused(); }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
