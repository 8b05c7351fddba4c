// Puts a block's keys in order by the bins that they belong to, one bit a bin, sixteen bins a word (bin_words.hpp).
//
//   mark     a key sets its bin's bit by one fetch_or, or finds it taken; those that do are counted in their word, and
//            listed
//   place    a key's place is its word's offset and the number of bins below its own that occur: one popcount. Those
//            that found their bin taken (of random keys 6 % where there are 32,768 bins, else 3 %) come after the
//            others of their word
//   insert   a thread a word puts those words right by insertion, which orders the bits below the bins, too
//
// Where more keys find their bin taken than the list holds, as where each value occurs twice, they stay in registers:
// each takes a place behind the others of its word by one more addition there, and every thread looks for words of its
// own that have such keys.
//
// A word with more than 16 of them, or of those that the list does not hold more than 3, would take insertion too long:
// keys are in clusters, or repeat often. Then nothing is placed.
#pragma once

#include "kernels/local/bin_words.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Of a local_sort_kernel. By all threads of the block.
template <class Local>
struct bin_places {
  using Word = typename Local::word;
  using shared = typename Local::shared;
  using bucket = typename Local::bucket;
  using keys_vector = typename Local::keys_vector;
  using bin_words = typename Local::bin_words;
  static constexpr int vector = Local::vector, vectors = Local::vectors;
  static constexpr unsigned list_size = Local::list_size, most_taken = Local::most_taken,
                            most_unlisted = Local::most_unlisted;

  /// Behind Local::clear() and a barrier; leaves the keys in s.keys, for all to read. again(p): the key at p again.
  /// False, in all threads, where a word has too many keys whose bin was taken.
  template <class Image, class Bins, class Again>
  static SORTILE_DEVICE bool put_in_order(const Image& image, shared& s, const bucket& b,
                                          const keys_vector (&keys)[vectors], const Bins& bins, Again again) {
    const std::uint32_t taken = mark(s, b, keys, bins, again);
    simt::block_barrier();
    if (!bin_words::place(s.bins().view(), s.sums.view(), s.too_many, b.lead))
      return false;
    simt::block_barrier();
    place_present(s, b, keys, bins, taken);
    if (!takes_unlisted || s.listed <= list_size) {
      place_listed(s);
      simt::block_barrier();
      insert_listed(image, s, b.end);
    } else if constexpr (takes_unlisted) {
      simt::block_barrier();
      place_taken(s, b, keys, bins, taken);
      simt::block_barrier();
      insert_own(image, s, b.lead);
    }
    simt::block_barrier();
    return true;
  }

 private:
  /// Asked when the kernel is compiled: where a list is all there is, the way around it costs registers in vain.
  static constexpr bool takes_unlisted = most_unlisted != 0;

  /// Sets the keys' bits and lists the keys that found theirs taken; returns which these are.
  template <class Bins, class Again>
  static SORTILE_DEVICE std::uint32_t mark(shared& s, const bucket& b, const keys_vector (&keys)[vectors],
                                           const Bins& bins, Again again) {
    constexpr int many = takes_unlisted ? Local::items / 4 : Local::items; // to read again one by one
    std::uint32_t taken = 0;
    Local::each_key(b, keys, [&](Word key, int i) {
      const std::uint32_t bin = Local::bin_at(bins, key, i), bit = 1u << (bin & 15);
      if ((s.bins().fetch_or(bin >> 4, bit, simt::relaxed, simt::block_scope) & bit) != 0)
        taken |= 1u << i;
    });
    if (Local::template in_registers<Bins> || (takes_unlisted && simt::popcount(taken) > many)) {
      each_taken(b, keys, taken, [&](Word key, int i) {
        if (!list(s, key, Local::bin_at(bins, key, i) >> 4))
          taken = 0; // all is in vain, and further additions would wait for each other
      });
    } else if constexpr (!Local::template in_registers<Bins>) {
      for (std::uint32_t rest = taken; rest != 0; rest &= rest - 1) {
        const int i = int(simt::trailing_zeros(rest));
        // Read again: a register cannot be chosen at run time.
        const Word key = again(Local::place_of(i / vector) + unsigned(i % vector));
        if (!list(s, key, bins(key) >> 4))
          break;
      }
    }
    return taken;
  }
  template <class F>
  static SORTILE_DEVICE void each_taken(const bucket& b, const keys_vector (&keys)[vectors], const std::uint32_t& taken,
                                        F f) {
    Local::each_key(b, keys, [&](Word key, int i) {
      if ((taken >> i & 1) != 0)
        f(key, i);
    });
  }
  /// False where the word has too many. Beyond its size the list counts alone.
  static SORTILE_DEVICE bool list(shared& s, Word key, std::uint32_t word) {
    const std::uint32_t r = s.bins().fetch_add(word, 1u << 16, simt::relaxed, simt::block_scope) >> 16;
    const std::uint32_t q = s.listed.fetch_add(0, 1u, simt::relaxed, simt::block_scope);
    if (r >= (q < list_size ? most_taken : most_unlisted)) {
      s.too_many.store(0, 1u, simt::relaxed, simt::block_scope);
      return false;
    }
    if (q < list_size) {
      s.binned.taken_key[q] = key;
      s.binned.taken_at[q] = word << 16 | r;
    }
    return true;
  }

  template <class Bins>
  static SORTILE_DEVICE void place_present(shared& s, const bucket& b, const keys_vector (&keys)[vectors],
                                           const Bins& bins, std::uint32_t taken) {
    Local::each_key(b, keys, [&](Word key, int i) {
      const std::uint32_t bin = Local::bin_at(bins, key, i), word = s.bins().load(bin >> 4);
      if ((taken >> i & 1) == 0)
        s.keys[(word >> 16) + simt::popcount(word & ((1u << (bin & 15)) - 1))] = key;
    });
  }
  static SORTILE_DEVICE void place_listed(shared& s) {
    const std::uint32_t listed = s.listed;
    for (std::uint32_t q = simt::thread_index(); q < listed; q += Local::block_threads) {
      const std::uint32_t at = s.binned.taken_at.load(q), word = s.bins().load(at >> 16);
      s.keys[bin_words::behind_present(word) + (at & 0xffff)] = s.binned.taken_key.load(q);
    }
  }
  /// Moves the words' offsets on, which nobody else reads any more.
  template <class Bins>
  static SORTILE_DEVICE void place_taken(shared& s, const bucket& b, const keys_vector (&keys)[vectors],
                                         const Bins& bins, std::uint32_t taken) {
    each_taken(b, keys, taken, [&](Word key, int i) {
      const std::uint32_t at = Local::bin_at(bins, key, i) >> 4;
      s.keys[bin_words::behind_present(s.bins().fetch_add(at, 1u << 16, simt::relaxed, simt::block_scope))] = key;
    });
  }

  /// Orders the words that hold listed keys; the first listed key of a word stands for it.
  template <class Image>
  static SORTILE_DEVICE void insert_listed(const Image& image, shared& s, std::uint32_t end) {
    const std::uint32_t listed = s.listed;
    for (std::uint32_t q = simt::thread_index(); q < listed; q += Local::block_threads) {
      const std::uint32_t at = s.binned.taken_at.load(q), w = at >> 16;
      if ((at & 0xffff) == 0)
        insert(image, s, s.bins().load(w) >> 16, w + 1 < Local::words ? s.bins().load(w + 1) >> 16 : end);
    }
  }
  /// Orders the thread's own words, after place_taken().
  template <class Image>
  static SORTILE_DEVICE void insert_own(const Image& image, shared& s, std::uint32_t lead) {
    bin_words::each_taken_word(s.bins().view(), lead,
                               [&](std::uint32_t begin, std::uint32_t end) { insert(image, s, begin, end); });
  }
  template <class Image>
  static SORTILE_DEVICE void insert(const Image& image, shared& s, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t x = begin + 1; x < end; ++x) {
      const Word key = s.keys.load(x);
      std::uint32_t y = x;
      for (; y > begin && image.less(key, s.keys.load(y - 1)); --y)
        s.keys[y] = s.keys.load(y - 1);
      s.keys[y] = key;
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
