// The scan of an LSD sort: one read of the keys tells all that its passes need to know before a key moves.
//
//   counts[p][v]  how many keys have v as digit p of their image, for all passes: where the buckets of each begin
//   findings      which bits are set, and clear, in some image; whether the keys are in order already, or backwards;
//                 of floats, whether there is a −0 or a NaN; which high digits nearly all keys have (keys_apart.hpp)
//   others        where a third of all keys or more are the same, those that are not (heavy_key.hpp)
//
// A resident grid strides over the keys, two loads of 16 bytes in flight per thread, and the next two on their way.
// Each counter has several copies beside each other, and the lane chooses one: 32 copies for 4-byte keys, so that each
// lane has its own bank, for wider ones as many as 128 KB hold, for narrower ones 16. Then the scan is bound by
// additions to shared storage: 3.5 clocks of a multiprocessor each, one per digit and row. For the order, each thread
// compares the keys of its vectors, and the last with the next lane's first; the last lane loads that key
// (key_scan/key_order.hpp).
//
// Keys of 32 and 64 bits are counted by value as long as a block has seen few values (value_table.hpp), unless a sample
// has shown that there are more (verdict.hpp).
//
// The words of the passes' look-back are zeroed on the way: stores that nobody waits for.
//
// Counters of a block have 32 bits: the host gives a block fewer than 2^32 keys. Traffic: sizeof(key) bytes per key,
// twice that of blocks with keys apart; and of each that is parted from a heavy key.
#pragma once

#include "kernels/clear_words.hpp"
#include "kernels/lsd/heavy_key.hpp"
#include "kernels/lsd/keys_apart.hpp"
#include "kernels/lsd/value_table.hpp"
#include "primitives/warp_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct lsd_scan_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = sizeof(Word) <= 2 ? 512 : 1024;
  static constexpr unsigned min_blocks = sizeof(Word) <= 2 ? 3 : 1;
  static constexpr unsigned in_flight = 2, copies = sizeof(Word) <= 2 ? 16 : 128 / sizeof(Word);
  static constexpr unsigned digits = sizeof(Word), radix = 256, pieces = (sizeof(Word) + 3) / 4;
  static constexpr int vector = int(16 / sizeof(Word));
  enum gathered_words : unsigned { ones, zeros = 4, order = 8, special, gathered_size }; // ones, zeros: of 32 bits
  using keys_vector = simt::vec<Word, vector>;
  static constexpr bool may_count_values = lsd_values::of_width<Word>;
  using own_values = block_values<Word>;
  struct no_values {};
  static constexpr bool may_set_apart = lsd_may_set_apart<Word>, may_part = may_count_values;
  using majorities = block_majorities<Word>;
  using parter = key_parter<Word, block_threads, in_flight, copies / 2>;
  using parting = std::conditional_t<may_part, parting_storage<Word>, no_values>;

  struct shared {
    alignas(16) simt::shared_array<std::uint32_t, digits * radix * copies> counts; // [digits][radix][copies]
    simt::shared_array<std::uint32_t, gathered_size> gathered;
    typename majorities::storage usual;
    std::conditional_t<may_count_values, typename own_values::storage, no_values> values;
    parting heavy;
  };

  simt::global<const Word> keys;
  lsd_count count;
  std::uint32_t lead; // keys before the first multiple of 16 bytes
  key_codec<Word> codec;
  lsd_passes passes;
  simt::global<std::uint64_t> counts; // [passes][radix]
  simt::global<std::uint64_t> findings;
  value_table<Word> values;
  simt::global<Word> others;
  simt::global<std::uint64_t> zeroed; // what the passes' look-back begins with
  std::uint64_t zeroed_words;
  bool ties_rise; ///< whether it matters which of two keys with equal images comes first

  struct seen {
    Word ones = 0, zeros = 0;
    neighbours order;      // of whole stretches the same in all lanes of a warp
    bool by_value = false; // keys are counted by value, as far as this thread knows
    bool special = false;  // some key is a −0 or a NaN
    bool parted = false;   // others from a heavy key
  };

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t n = count.load();
    if (n == 0)
      return;
    const bool finds_heavy = may_part && passes.part && simt::warp_index() == 0;
    const Word one_of_32 = // on its way with the first keys
        finds_heavy ? keys.load(frequent_value<Word>::place(simt::lane_index(), n)) : Word{0};
    zero_words(zeroed, zeroed_words);
    for (unsigned i = simt::thread_index(); i < passes.count * radix * copies / 4; i += block_threads)
      simt::store_vector<4>(s.counts, i * 4, {{0, 0, 0, 0}});
    if (simt::thread_index() < gathered_size)
      s.gathered[simt::thread_index()] = 0;
    if (simt::thread_index() < digits)
      s.usual[simt::thread_index()] = 0;
    if constexpr (may_count_values)
      if (passes.counts_values())
        own_values::clear(s.values);
    simt::block_barrier();
    seen all;
    if constexpr (may_count_values)
      all.by_value = passes.counts_values() && !count.called.says_many_values() &&
                     own_values::template are_few_at_first<block_threads, in_flight>(s.values, keys, n, head(n),
                                                                                     any_image<Word>(codec));
    if constexpr (may_part)
      if (passes.part) {
        if (finds_heavy)
          heavy_vote<Word>::find(s.heavy, one_of_32, codec);
        simt::block_barrier();
        if (s.heavy.votes.load(0) >= detail::lsd_parting::least_votes)
          part(s, n, all);
      }
    if (!all.parted)
      see_all(s, n, all);
    gather(s, all);
    simt::block_barrier();
    const std::uint32_t mine = may_set_apart && passes.most_apart != 0 && !all.parted ? keys_of_block(count.load()) : 0;
    if (all.parted)
      publish_counts<copies / 2>(s, mine);
    else
      publish_counts<copies>(s, mine);
    typename majorities::usual usual{.from = digits};
    if constexpr (may_set_apart)
      if (mine != 0) {
        simt::block_barrier();
        usual = majorities::find(s.usual);
      }
    publish(s, (mine == 0 || usual.is_enough() ? 0 : lsd_none_apart) | (all.parted ? lsd_none_apart : lsd_not_parted));
    if constexpr (may_set_apart)
      if (usual.is_enough()) {
        if (simt::thread_index() == 0)
          majorities::publish(usual, findings);
        if (usual.others)
          count_apart(keys, count.load(), lead, any_image<Word>(codec), usual, findings);
      }
  }

 private:
  SORTILE_DEVICE void see_all(shared& s, std::uint64_t n, seen& all) const {
    if (codec.mask != Word(~Word{0})) // a bit window
      see_keys<false>(s, n, all, codec);
    else if (codec.infinity == 0)
      see_keys<true>(s, n, all, integer_image<Word>{Word(codec.sign ^ codec.complement)});
    else
      see_keys<true>(s, n, all, any_image<Word>(codec));
  }
  // Bytes: digits are the bytes of the whole key's image, as in most sorts. A case of its own saves instructions, which
  // bound a scan where memory does not: with the codec a row of 32-bit keys takes 51.
  template <bool Bytes, class Image>
  SORTILE_DEVICE void see_keys(shared& s, std::uint64_t n, seen& all, const Image& image) const {
    const bool tries_values = all.by_value;
    see_vectors<Bytes>(s, n, all, image);
    if (simt::block_index() == 0)
      see_ends<Bytes>(s, n, all, image);
    if constexpr (may_count_values && Bytes) {
      if (tries_values)
        count_digits_of_values(s, all);
      else if (passes.counts_values() && simt::thread_index() == 0)
        values.refuse();
    }
  }
  /// Has barriers.
  SORTILE_DEVICE void part(shared& s, std::uint64_t n, seen& all) const {
    const Word heavy = s.heavy.heavy.load(0);
    const auto found = parter::see({.keys = keys,
                                    .others = others,
                                    .findings = findings,
                                    .n = n,
                                    .head = head(n),
                                    .image = any_image<Word>(codec),
                                    .of_floats = codec.infinity != 0,
                                    .ties_rise = ties_rise,
                                    .heavy = heavy},
                                   s.counts.view(), stretches(s), s.heavy, s.values);
    if (!found.parted)
      return;
    all = {.ones = found.ones, .zeros = found.zeros, .order = found.order, .special = found.special, .parted = true};
    if (simt::thread_index() == 0)
      values.refuse();
    const std::uint32_t times = simt::warp_reduce_add(found.times), below = simt::warp_reduce_add(found.below);
    if (simt::lane_index() == 0) {
      s.heavy.sums.fetch_add(parting_times, times, simt::relaxed, simt::block_scope);
      s.heavy.sums.fetch_add(parting_below, below, simt::relaxed, simt::block_scope);
    }
    simt::block_barrier();
    if (simt::thread_index() != 0)
      return;
    findings.fetch_add(lsd_heavy_times, std::uint64_t{s.heavy.sums.load(parting_times)});
    findings.fetch_add(lsd_below_heavy, std::uint64_t{s.heavy.sums.load(parting_below)});
    findings.fetch_or(lsd_heavy_key, std::uint64_t(heavy)); // the same in all blocks
  }
  /// Behind half as many counters.
  static SORTILE_DEVICE simt::shared_view<Word> stretches(shared& s) {
    constexpr unsigned words = digits * radix * copies / 2;
    static_assert(!may_part || words * sizeof(std::uint32_t) >= 2 * parter::stretch_keys * sizeof(Word));
    return simt::view_as<Word>(s.counts.view().subview(words, words));
  }
  SORTILE_DEVICE std::uint64_t head(std::uint64_t n) const { return lead < n ? lead : n; }
  SORTILE_DEVICE std::uint64_t first_of(std::uint64_t v) const { return lead + v * unsigned(vector); }

  template <bool Bytes, class Image>
  SORTILE_DEVICE void see_vectors(shared& s, std::uint64_t n, seen& all, const Image& image) const {
    constexpr unsigned stretch = block_threads * in_flight;
    const std::uint64_t vectors = (n - head(n)) / unsigned(vector);
    const std::uint64_t step = std::uint64_t{simt::grid_size()} * stretch;
    auto first = std::uint64_t{simt::block_index()} * stretch;
    keys_vector x[in_flight] = {};
    if (first + stretch <= vectors)
      load_stretch(first, x);
    for (; first + stretch <= vectors; first += step) {
      keys_vector next[in_flight] = {}; // on their way while these are counted
      if (first + step + stretch <= vectors)
        load_stretch(first + step, next);
      SORTILE_UNROLL
      for (unsigned k = 0; k < in_flight; ++k) {
        images(s, x[k], image, all);
        watch().see_row(x[k], image_at(first_of(first + k * block_threads + simt::thread_index() + 1), n, image),
                        all.order);
        count_vector<Bytes>(s, x[k], all);
        x[k] = next[k];
      }
    }
    for (auto v = first + simt::thread_index(); v < vectors && v < first + stretch; v += block_threads) {
      keys_vector y = simt::load_vector<vector>(keys, first_of(v));
      images(s, y, image, all);
      watch().see(y, image_at(first_of(v + 1), n, image), all.order);
      count_vector<Bytes>(s, y, all);
    }
  }
  SORTILE_DEVICE void load_stretch(std::uint64_t first, keys_vector (&x)[in_flight]) const {
    SORTILE_UNROLL
    for (unsigned k = 0; k < in_flight; ++k)
      x[k] = simt::load_vector<vector>(keys, first_of(first + k * block_threads + simt::thread_index()));
  }
  /// Keys before the first whole vector and after the last: fewer than two vectors.
  template <bool Bytes, class Image>
  SORTILE_DEVICE void see_ends(shared& s, std::uint64_t n, seen& all, const Image& image) const {
    const std::uint64_t before = head(n), behind = before + (n - before) / unsigned(vector) * unsigned(vector);
    const std::uint64_t t = simt::thread_index(), at = t < before ? t : behind + (t - before);
    if (at >= n)
      return;
    simt::vec<Word, 1> x{{keys.load(at)}};
    images(s, x, image, all);
    watch().see(x, image_at(at + 1, n, image), all.order);
    count_vector<Bytes>(s, x, all);
  }

  /// In place of the keys. A key whose image another key may have is not to be written from counts, and ends the
  /// counting by value.
  template <int N, class Image>
  SORTILE_DEVICE void images(shared& s, simt::vec<Word, N>& x, const Image& image, seen& all) const {
    if constexpr (lsd_may_be_plain_floats<Word> && std::is_same_v<Image, any_image<Word>>) {
      SORTILE_UNROLL
      for (int e = 0; e < N; ++e)
        all.special |= !image.tells_bits(x[e]);
      if (all.by_value && passes.few == few_values::written && all.special) {
        all.by_value = false;
        own_values::give_up(s.values);
      }
    }
    SORTILE_UNROLL
    for (int e = 0; e < N; ++e)
      x[e] = image.image(x[e]);
  }
  /// For `watch`: the image of the key at `at`, if there is one.
  template <class Image>
  SORTILE_DEVICE auto image_at(std::uint64_t at, std::uint64_t n, const Image& image) const {
    return [this, at, n, image](Word& x) {
      if (at >= n)
        return false;
      x = image.image(keys.load(at));
      return true;
    };
  }
  SORTILE_DEVICE order_watch<plain_image<Word>> watch() const { return {{}, ties_rise}; }

  template <bool Bytes, int N>
  SORTILE_DEVICE void count_vector(shared& s, const simt::vec<Word, N>& x, seen& all) const {
    if constexpr (may_count_values && Bytes) {
      all.by_value = all.by_value && own_values::has_room(s.values);
      if (all.by_value) {
        for (int e = 0; e < N; ++e)
          if (!own_values::count(s.values, x[e]))
            count_image<Bytes>(s, x[e], all);
        return;
      }
    }
    SORTILE_UNROLL
    for (int e = 0; e < N; ++e)
      count_image<Bytes>(s, x[e], all);
  }
  template <bool Bytes>
  SORTILE_DEVICE void count_image(shared& s, Word image, seen& all, std::uint32_t times = 1) const {
    all.ones = Word(all.ones | image);
    all.zeros = Word(all.zeros | Word(~image));
    const unsigned copy = simt::lane_index() % copies;
    const unsigned bits = Bytes ? 8 : passes.digit_bits;
    const std::uint32_t mask = (1u << bits) - 1;
    SORTILE_UNROLL
    for (unsigned p = 0; p < digits; ++p)
      if (Bytes || p < passes.count) {
        s.counts.fetch_add((p * radix + (std::uint32_t(image) & mask)) * copies + copy, times, simt::relaxed,
                           simt::block_scope);
        image = Word(image >> bits % (8 * sizeof(Word)));
      }
  }

  /// What has been counted by value also belongs to the digits, since other blocks may have too many values.
  SORTILE_DEVICE void count_digits_of_values(shared& s, seen& all) const {
    simt::block_barrier(); // all are counted
    const bool few = own_values::has_room(s.values);
    if (!few && simt::thread_index() == 0)
      values.refuse();
    own_values::each(s.values, [&](Word image, std::uint32_t times) {
      count_image<true>(s, image, all, times);
      if (few)
        values.add(image, times);
    });
  }

  SORTILE_DEVICE void gather(shared& s, const seen& all) const {
    SORTILE_UNROLL
    for (unsigned p = 0; p < pieces; ++p) {
      const std::uint32_t set = simt::warp_reduce_or(piece(all.ones, p));
      const std::uint32_t clear = simt::warp_reduce_or(piece(all.zeros, p));
      if (simt::lane_index() == 0) {
        s.gathered.fetch_or(ones + p, set, simt::relaxed, simt::block_scope);
        s.gathered.fetch_or(zeros + p, clear, simt::relaxed, simt::block_scope);
      }
    }
    const std::uint32_t neighbours_do = simt::warp_reduce_or(all.order.bits());
    if (simt::lane_index() == 0)
      s.gathered.fetch_or(order, neighbours_do, simt::relaxed, simt::block_scope);
    if constexpr (lsd_may_be_plain_floats<Word>)
      if (simt::warp_any(all.special) && simt::lane_index() == 0)
        s.gathered.fetch_or(special, 1u, simt::relaxed, simt::block_scope);
  }
  static SORTILE_DEVICE std::uint32_t piece(Word v, unsigned p) {
    if constexpr (sizeof(Word) <= 4)
      return v;
    else
      return std::uint32_t(v >> (32 * p));
  }

  /// Of a block that has so many keys, or 0 where nobody asks for usual digits.
  template <unsigned Copies>
  SORTILE_DEVICE void publish_counts(shared& s, std::uint32_t mine) const {
    const unsigned t = simt::thread_index();
    for (unsigned i = t; i < passes.count * radix; i += block_threads) {
      std::uint32_t sum = 0;
      SORTILE_UNROLL
      for (unsigned c = 0; c < Copies; ++c) // lanes begin at different copies, which lie in different banks
        sum += s.counts.load(i * Copies + (c + t) % Copies);
      if (sum != 0)
        counts.fetch_add(i, std::uint64_t{sum});
      if constexpr (may_set_apart)
        if (mine != 0)
          majorities::note(s.usual, i / radix, i % radix, sum, mine);
    }
  }
  SORTILE_DEVICE void publish(shared& s, std::uint64_t said) const {
    const unsigned t = simt::thread_index();
    if (t < 4)
      findings.fetch_or(lsd_ones + t,
                        std::uint64_t{s.gathered.load(2 * t)} | std::uint64_t{s.gathered.load(2 * t + 1)} << 32);
    if (t == 4)
      findings.fetch_or(lsd_order, std::uint64_t{s.gathered.load(order)} | said);
    if (t == 5 && s.gathered.load(special) != 0)
      findings.fetch_or(lsd_special, std::uint64_t{1});
  }
  /// As see_vectors() and see_ends() come by them.
  SORTILE_DEVICE std::uint32_t keys_of_block(std::uint64_t n) const {
    constexpr unsigned stretch = block_threads * in_flight;
    const std::uint64_t vectors = (n - head(n)) / unsigned(vector);
    const auto whole = std::uint32_t(vectors / stretch); // of fewer than 2^44 keys
    const std::uint32_t b = simt::block_index(), grid = simt::grid_size(), rounds = whole / grid;
    const std::uint32_t stretches = rounds + (b < whole - rounds * grid ? 1 : 0);
    const std::uint64_t rest = whole - rounds * grid == b ? vectors % stretch : 0;
    return std::uint32_t((std::uint64_t{stretches} * stretch + rest) * unsigned(vector) +
                         (b == 0 ? n - vectors * unsigned(vector) : 0));
  }
  /// Counts the block's keys that have other digits, once more from memory. A call, so that the loops before need not
  /// share their registers with it.
  static SORTILE_DEVICE_CALL void count_apart(simt::global<const Word> keys, std::uint64_t n, std::uint32_t lead,
                                              any_image<Word> image, typename majorities::usual usual,
                                              simt::global<std::uint64_t> findings) {
    constexpr unsigned stretch = block_threads * in_flight;
    const unsigned shift = 8 * usual.from, t = simt::thread_index();
    std::uint32_t below = 0, above = 0;
    const auto see = [&](Word key) {
      const apart_class c = apart_class_of(Word(image.image(key) >> shift), Word(usual.digits >> shift));
      below += c == apart_below ? 1 : 0;
      above += c == apart_above ? 1 : 0;
    };
    const std::uint64_t before = lead < n ? lead : n, vectors = (n - before) / unsigned(vector);
    const std::uint64_t step = std::uint64_t{simt::grid_size()} * stretch;
    for (auto first = std::uint64_t{simt::block_index()} * stretch; first < vectors; first += step) {
      keys_vector x[in_flight] = {};
      SORTILE_UNROLL
      for (unsigned k = 0; k < in_flight; ++k)
        if (const std::uint64_t v = first + k * block_threads + t; v < vectors)
          x[k] = simt::load_vector<vector>(keys, before + v * unsigned(vector));
      SORTILE_UNROLL
      for (unsigned k = 0; k < in_flight; ++k)
        if (first + k * block_threads + t < vectors)
          for (int e = 0; e < vector; ++e)
            see(x[k][e]);
    }
    if (simt::block_index() == 0)
      if (const std::uint64_t at = t < before ? t : t + vectors * unsigned(vector); at < n)
        see(keys.load(at));
    below = simt::warp_reduce_add(below);
    above = simt::warp_reduce_add(above);
    if (simt::lane_index() == 0 && below != 0)
      findings.fetch_add(lsd_below, std::uint64_t{below});
    if (simt::lane_index() == 0 && above != 0)
      findings.fetch_add(lsd_above, std::uint64_t{above});
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
