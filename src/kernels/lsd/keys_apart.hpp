// Keys apart: those few whose high digits are not those of nearly all others. An LSD sort has a pass for each digit in
// which any keys differ, be it one key of a million: a few large numbers among small ones, or −1 where a number is
// missing, cost as many passes as random bits. Here they cost one.
//
//   counting   a scan's block sees in its counters that in all digits from some h on nearly all of its keys have the
//              same ones. It says so: h, and these digits (`usual`). If there are others among its keys it reads them
//              once more, and counts which lie below the usual ones, and which above
//   agreeing   the blocks have named one h and the same digits, and there are few keys apart: then passes go by the
//              digits below h as ever, and after them a single one by three classes: below, usual, above
//   ends       the two ends of that pass's output are sorted by one block (ends_sort)
//
// So of 64-bit keys with a few large ones among numbers of two digits three passes are left of eight, at the price of
// reading the keys once more. Nothing is lost where blocks do not agree but that reading. Whether a sample would have
// shown the keys apart does not matter: a block counts all of its keys.
//
// So keys apart that lie together, as the last ones of all do, are too many for their block: it names nothing, and they
// cost a pass a digit.
//
// Ends. A key's place among e keys is how many are smaller, or equal and before it (rank sort): e² comparisons, by one
// block. So of n keys √n / 4 may be set apart, which takes a quarter of a pass, by estimate.
#pragma once

#include "kernels/lsd/lsd_state.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Whether any keys of this type are ever set apart: one pass takes the place of two at least.
template <class Word>
constexpr bool lsd_may_set_apart = detail::lsd_apart_limits::of_width<Word>;

/// What one block of a scan finds of its own counters.
template <class Word>
struct block_majorities {
  static constexpr unsigned digits = sizeof(Word), digit_bits = 8, least_high = 2;
  static constexpr std::uint32_t known = 256, has_others = 512;
  using storage = simt::shared_array<std::uint32_t, digits>; // a digit's usual value, if there is one; zero at first

  /// What hardly any of a block's keys may differ in.
  struct usual {
    Word digits = 0;     ///< below h all clear
    unsigned from;       ///< h
    bool others = false; ///< among the block's keys

    SORTILE_DEVICE bool is_enough() const { return from + least_high <= block_majorities::digits; }
  };

  /// By any thread: so many of the block's `all` keys have this value as digit p.
  static SORTILE_DEVICE void note(storage& s, unsigned p, std::uint32_t value, std::uint32_t keys, std::uint32_t all) {
    const std::uint32_t allowed = (all >> detail::lsd_apart_limits::rarity_bits) + 4; // more by chance, in some block
    if (keys > all / 2 && all - keys <= allowed)
      s[p] = value | known | (keys != all ? has_others : 0);
  }
  /// Behind a barrier; the same in all threads.
  static SORTILE_DEVICE usual find(const storage& s) {
    usual u{.from = digits};
    while (u.from != 0) {
      const std::uint32_t said = s.load(u.from - 1);
      if ((said & known) == 0)
        break;
      --u.from;
      u.digits = Word(u.digits | Word(Word(said & 255) << (digit_bits * u.from)));
      u.others |= (said & has_others) != 0;
    }
    return u;
  }
  /// By one thread.
  static SORTILE_DEVICE void publish(const usual& u, const simt::global<std::uint64_t>& findings) {
    findings.fetch_or(lsd_first_usual, std::uint64_t{1} << u.from);
    const Word clear = Word(Word(~u.digits) >> (digit_bits * u.from) << (digit_bits * u.from));
    for (unsigned half = 0; half < (sizeof(Word) + 7) / 8; ++half) {
      findings.fetch_or(lsd_usual_set + half, half_of(u.digits, half));
      findings.fetch_or(lsd_usual_clear + half, half_of(clear, half));
    }
  }

 private:
  static SORTILE_DEVICE std::uint64_t half_of(Word x, unsigned half) {
    if constexpr (sizeof(Word) <= 8)
      return x;
    else
      return std::uint64_t(x >> (64 * half));
  }
};

/// The class of a key by its high digits.
enum apart_class : std::uint32_t { apart_below, apart_usual, apart_above };

template <class Word>
SORTILE_DEVICE apart_class apart_class_of(Word high, Word usual) {
  return high < usual ? apart_below : high == usual ? apart_usual : apart_above;
}

/// What the blocks have found together, for the pass that sets keys apart.
struct keys_apart {
  std::uint64_t below, above;

  static SORTILE_DEVICE keys_apart of(const simt::global<const std::uint64_t>& findings) {
    return {findings.load(lsd_below), findings.load(lsd_above)};
  }
  /// Keys of a class, of n in all; none of what is no class.
  SORTILE_DEVICE std::uint64_t count(unsigned c, std::uint64_t n) const {
    return c == apart_below ? below : c == apart_usual ? n - below - above : c == apart_above ? above : 0;
  }
  /// Above so many low bits, in their place.
  template <class Word>
  static SORTILE_DEVICE Word usual(const simt::global<const std::uint64_t>& findings, unsigned low_bits) {
    Word digits = Word(findings.load(lsd_usual_set));
    if constexpr (sizeof(Word) > 8)
      digits |= Word(findings.load(lsd_usual_set + 1)) << 64;
    return Word(digits >> low_bits);
  }
};

/// Sorts the keys that have been set apart, and their values, where they lie: by one block, stably, by the ranks of
/// their images. Nothing stays in registers, of which the passes have none to spare.
template <class Word, class Value, bool HasValues>
struct ends_sort {
  simt::shared_view<std::uint32_t> storage; // aligned to 16 bytes, with room for images, keys and values
  simt::global<Word> keys;
  simt::global<Value> values;

  /// At both ends of n keys. Has barriers.
  template <class Image>
  SORTILE_DEVICE void sort(const Image& image, const keys_apart& apart, std::uint64_t n) const {
    sort_end(image, 0, std::uint32_t(apart.below));
    simt::block_barrier(); // the storage is free
    sort_end(image, n - apart.above, std::uint32_t(apart.above));
  }

 private:
  static constexpr unsigned in_flight = 8;

  template <class Image>
  SORTILE_DEVICE void sort_end(const Image& image, std::uint64_t first, std::uint32_t count) const {
    const auto images = simt::view_as<Word>(storage); // and the keys behind them
    const auto own_values = simt::view_as<Value>(storage);
    const auto behind = std::uint32_t((2 * count * sizeof(Word) + sizeof(Value) - 1) / sizeof(Value));
    SORTILE_NO_UNROLL
    for (std::uint32_t p = simt::thread_index(); p < count; p += simt::block_size()) {
      const Word key = keys.load(first + p);
      images[p] = image.image(key);
      images[count + p] = key;
      if constexpr (HasValues)
        own_values[behind + p] = values.load(first + p);
    }
    simt::block_barrier();
    SORTILE_NO_UNROLL
    for (std::uint32_t p = simt::thread_index(); p < count; p += simt::block_size()) {
      const Word mine = images.load(p);
      const std::uint64_t to = first + count_of(images, 0, p, [mine](Word other) { return other <= mine; }) +
                               count_of(images, p + 1, count, [mine](Word other) { return other < mine; });
      keys[to] = images.load(count + p);
      if constexpr (HasValues)
        values[to] = own_values.load(behind + p);
    }
  }
  template <class Counts>
  static SORTILE_DEVICE std::uint32_t count_of(const simt::shared_view<Word>& images, std::uint32_t q,
                                               std::uint32_t end, Counts counts) {
    std::uint32_t found = 0;
    SORTILE_NO_UNROLL
    for (; q + in_flight <= end; q += in_flight)
      SORTILE_UNROLL
    for (unsigned k = 0; k < in_flight; ++k)
      found += counts(images.load(q + k)) ? 1 : 0;
    SORTILE_NO_UNROLL
    for (; q < end; ++q)
      found += counts(images.load(q)) ? 1 : 0;
    return found;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
