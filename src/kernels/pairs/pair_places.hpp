// Puts a block's pairs in order by the bins that their keys belong to, as local/bin_places.hpp does keys alone: through
// a list, or by the words where it has no room. The pairs stay where they are in shared storage; what is placed is
// where each of them stands.
//
// Words whose pairs found their bin taken are put right by insertion, by image and then by place in the bucket. So the
// result is stable, whichever pair takes a bin first.
#pragma once

#include "kernels/any_image.hpp"
#include "kernels/local/bin_words.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Of a local_pairs_kernel. By all threads of the block.
template <class Local>
struct pair_places {
  using Word = typename Local::word;
  using Image = typename Local::image_type;
  using shared = typename Local::shared;
  using bucket = typename Local::bucket;
  using bins_of = typename Local::bins_of;
  using bin_words = typename Local::bin_words;
  static constexpr unsigned block_threads = Local::block_threads, words = Local::words, list_size = Local::list_size,
                            most_taken = Local::most_taken, most_unlisted = 3;
  static constexpr bool has_values = Local::has_values;

  Image image;

  /// s.order becomes the pairs' order, once a barrier has passed. False, in all threads, where the bins cannot take the
  /// pairs.
  SORTILE_DEVICE bool put_in_order(shared& s, const bucket& b, const bins_of& bin) const {
    const std::uint32_t taken = mark(s, b, bin);
    simt::block_barrier();
    if (!bin_words::place(s.bins().view(), s.sums.view(), s.too_many, 0))
      return false;
    simt::block_barrier();
    place_present(s, b, bin, taken);
    if (s.listed <= list_size) {
      place_listed(s);
      simt::block_barrier();
      insert_listed(s, b);
    } else {
      simt::block_barrier();
      place_taken(s, b, bin, taken);
      simt::block_barrier();
      insert_own(s, b);
    }
    return true;
  }

 private:
  /// Sets the pairs' bits and lists those that found theirs taken; returns which these are.
  SORTILE_DEVICE std::uint32_t mark(shared& s, const bucket& b, const bins_of& bin_of) const {
    const unsigned t = simt::thread_index();
    std::uint32_t taken = 0;
    Local::each_item([&](int i) {
      if (unsigned(i) * block_threads + t < b.pairs) {
        const std::uint32_t bin = bin_of(Local::key_of(s, b, unsigned(i) * block_threads + t)), bit = 1u << (bin & 15);
        if ((s.bins().fetch_or(bin >> 4, bit, simt::relaxed, simt::block_scope) & bit) != 0)
          taken |= 1u << i;
      }
    });
    each_taken(taken, [&](std::uint32_t p) {
      const std::uint32_t w = bin_of(Local::key_of(s, b, p)) >> 4;
      const std::uint32_t r = s.bins().fetch_add(w, 1u << 16, simt::relaxed, simt::block_scope) >> 16;
      const std::uint32_t q = s.listed.fetch_add(0, 1u, simt::relaxed, simt::block_scope);
      if (r >= (q < list_size ? most_taken : most_unlisted)) {
        s.too_many.store(0, 1u, simt::relaxed, simt::block_scope);
        return false;
      }
      if (q < list_size) {
        s.list().pair[q] = std::uint16_t(p);
        s.list().number[q] = w << 16 | r;
      }
      return true;
    });
    return taken;
  }
  /// f(place) for the thread's pairs that found their bin taken, until it returns false.
  template <class F>
  static SORTILE_DEVICE void each_taken(std::uint32_t taken, F f) {
    for (std::uint32_t rest = taken; rest != 0; rest &= rest - 1)
      if (!f(simt::trailing_zeros(rest) * block_threads + simt::thread_index()))
        return;
  }

  static SORTILE_DEVICE void place_present(shared& s, const bucket& b, const bins_of& bin_of, std::uint32_t taken) {
    const unsigned t = simt::thread_index();
    Local::each_item([&](int i) {
      const std::uint32_t p = unsigned(i) * block_threads + t;
      if (p < b.pairs) {
        const std::uint32_t bin = bin_of(Local::key_of(s, b, p)), word = s.bins().load(bin >> 4);
        if ((taken >> i & 1) == 0)
          s.order[(word >> 16) + simt::popcount(word & ((1u << (bin & 15)) - 1))] = std::uint16_t(p);
      }
    });
  }
  static SORTILE_DEVICE void place_listed(shared& s) {
    const std::uint32_t listed = s.listed;
    for (std::uint32_t q = simt::thread_index(); q < listed; q += block_threads) {
      const std::uint32_t at = s.list().number.load(q), word = s.bins().load(at >> 16);
      s.order[bin_words::behind_present(word) + (at & 0xffff)] = s.list().pair.load(q);
    }
  }
  /// Where the list had no room: words' offsets move on (local/bin_places.hpp).
  static SORTILE_DEVICE void place_taken(shared& s, const bucket& b, const bins_of& bin_of, std::uint32_t taken) {
    each_taken(taken, [&](std::uint32_t p) {
      const std::uint32_t at = bin_of(Local::key_of(s, b, p)) >> 4;
      const std::uint32_t word = s.bins().fetch_add(at, 1u << 16, simt::relaxed, simt::block_scope);
      s.order[bin_words::behind_present(word)] = std::uint16_t(p);
      return true;
    });
  }

  /// Orders the words that hold listed pairs; the first listed pair of a word stands for it.
  SORTILE_DEVICE void insert_listed(shared& s, const bucket& b) const {
    const std::uint32_t listed = s.listed;
    for (std::uint32_t q = simt::thread_index(); q < listed; q += block_threads) {
      const std::uint32_t at = s.list().number.load(q), w = at >> 16;
      if ((at & 0xffff) == 0)
        insert_word(s, b, s.bins().load(w) >> 16, end_of_word(s, b, w));
    }
  }
  static SORTILE_DEVICE std::uint32_t end_of_word(shared& s, const bucket& b, std::uint32_t w) {
    return w + 1 < words ? s.bins().load(w + 1) >> 16 : b.pairs;
  }
  /// Orders the thread's own words, after place_taken().
  SORTILE_DEVICE void insert_own(shared& s, const bucket& b) const {
    bin_words::each_taken_word(s.bins().view(), 0,
                               [&](std::uint32_t begin, std::uint32_t end) { insert_word(s, b, begin, end); });
  }
  SORTILE_DEVICE void insert_word(shared& s, const bucket& b, std::uint32_t low, std::uint32_t high) const {
    for (std::uint32_t x = low + 1; x < high; ++x) {
      const std::uint16_t mine = s.order.load(x);
      const Word key = Local::key_of(s, b, mine);
      std::uint32_t y = x;
      for (; y > low; --y) {
        const std::uint16_t other = s.order.load(y - 1);
        if (stays_before(Local::key_of(s, b, other), other, key, mine))
          break;
        s.order[y] = other;
      }
      s.order[y] = mine;
    }
  }
  SORTILE_DEVICE bool stays_before(Word other_key, std::uint32_t other, Word key, std::uint32_t mine) const {
    if (!has_values && other_key == key && image.is_only(key)) // nothing tells them apart
      return true;
    const Word a = image.image(other_key), c = image.image(key);
    return a < c || (a == c && other < mine);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
