// The first k ≤ 64 keys of rows of up to 1024, in order, by L lanes of a warp a row, the whole row in registers: 32
// keys a lane. Rows of up to 256 keys take 8 lanes, so that a warp sorts four rows with the instructions of one, and a
// row needs fewer exchanges between lanes.
//
// What is sorted are words of 32 bits, so that a comparator takes two instructions: an image without the bits that all
// of the row's candidates share above, cut to 22 bits (rows of 256: 24), and behind it the position. Where two
// neighbours of the result are equal in what was cut, whole images tell whether they are in order; if not, images of
// full width are sorted, with positions: that is so in one of a thousand rows of random floats.
//
// Of 1024 keys, or few of 256, most are told apart before that:
//
//   bound      each lane puts its keys into G groups and takes the smallest image of each. The k-th smallest of these
//              L · G images is a bound: at least k keys, of k groups, do not exceed it
//
//              lanes      0     1     2   …  31          L = 32, G = 1, k = 3
//              smallest   7     3     9   …   4          sorted: 3 4 7 …  bound 7
//
//   candidates positions of keys up to the bound, put together through shared memory: for random keys about
//              L G ln(L G / (L G − k)), so with k ≤ L G / 2 fewer than the L · G that are sorted at once. Each lane has
//              a bit for each of its keys. The candidates' keys are read once more, from the L1 cache
//
// Of many results of 256 keys all are candidates, and sorted runs of 64 are merged to runs of 64 (smallest_in_lanes).
// The keys wait in shared memory until they are written. Where two lanes had more of the smallest than they keep, the
// row is counted, too.
//
//   fallback   where there are more candidates than room (equal keys, or rows made so), or a key that was left out is
//              equal to the k-th in what was cut, and not in all: the k-th image by counting, of the greatest images up
//              to the bound, and where that is not among the first few, bit by bit; then the keys below it, and the
//              first of those that equal it. All rows of the warp take it together
//
// No two candidates are equal, so the result does not depend on the order in which they are put together. Bytes moved:
// the rows once, and the results. Shared memory: a position for each candidate, and keys.
//
// Cost: instructions, and of these comparisons, shifts and bits, of which a multiprocessor begins half as many. So
// where a multiplication does as well (a shift, a position behind an image), words are multiplied: other units do that.
// Lost: the greater of two words as their sum less the smaller, by two multiplications; words turned over by them in
// lanes that keep the greater one.
#pragma once

#include "kernels/nan_image.hpp"
#include "kernels/sample/sample_elements.hpp"
#include "kernels/select/lane_row.hpp"
#include "kernels/select/row_limits.hpp"
#include "kernels/select/select_rows.hpp"
#include "kernels/usual_image.hpp"
#include "primitives/warp_smallest.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Lanes: of a row. Groups: of a lane's keys, a power of two. All: all keys are sorted, k ≤ Lanes · Groups; else those
/// up to a bound, k ≤ Lanes · Groups / 2.
template <class Word, unsigned Lanes, unsigned Groups, bool All>
struct select_short_rows_kernel {
  static constexpr unsigned block_threads = 128, block_rows = block_threads / Lanes;
  static constexpr unsigned items = 32; // keys a lane
  static constexpr std::uint32_t most_keys = Lanes * items, capacity = Lanes * Groups;
  static constexpr unsigned min_blocks = sizeof(Word) == 8 ? 4 : capacity > 64 || All ? 7 : 8;
  static constexpr unsigned width = sizeof(Word) == 8 ? 2 : 4, load_bytes = width * sizeof(Word); // keys of a load
  static constexpr unsigned place_mask = most_keys - 1;
  using image_word = std::conditional_t<sizeof(Word) <= 4, std::uint32_t, Word>; // a register, or two
  using element = sample_element<Word, true>;
  using packed = packing<Word, element>;

  struct shared {
    alignas(16) simt::shared_array<std::uint32_t, block_rows * capacity> candidates; // their positions
    alignas(16) simt::shared_array<Word, All ? block_rows * most_keys : 1> keys;     // as they were read
  };
  struct row_storage {
    simt::shared_view<std::uint32_t> candidates;
    simt::shared_view<Word> keys;
  };

  simt::global<const Word> keys;
  simt::global<Word> keys_out;
  simt::global<std::uint32_t> positions_32; // one of both where positions are wanted
  simt::global<std::uint64_t> positions_64;
  std::uint64_t rows, stride;
  std::uint32_t n, k;
  nan_image<Word> images;
  usual_image<Word> usual;
  Word mask; // of the bit window
  unsigned shift, position_bytes;
  bool writes_keys, positions_in_all;
  bool windowed;           // images are cut to a window of their bits
  bool vectors_allowed;    // every row begins and ends at a multiple of a load
  std::uint32_t one = 1;   // words are multiplied by it: of a constant the compiler makes a shift, or nothing
  bool vectors_of_results; // so many at a time begin at multiples of their size, and all or none of them are written
  row_limits limits;       // of the results that are written; as many as k are found

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned in_block = simt::thread_index() / Lanes;
    const row_storage mine{s.candidates.subview(in_block * capacity, capacity),
                           All ? s.keys.subview(in_block * most_keys, most_keys) : s.keys.view()};
    const std::uint32_t present = in_row::below(n);
    constexpr unsigned warp_rows = simt::warp_size / Lanes;
    for (std::uint64_t first = std::uint64_t{simt::block_index()} * block_rows + in_block / warp_rows * warp_rows;
         first < rows; first += std::uint64_t{simt::grid_size()} * block_rows) {
      const std::uint64_t row = first + in_block % warp_rows;
      select(mine, row < rows ? row : rows - 1, present, row < rows); // the warp's lanes stay together
      simt::warp_barrier();
    }
  }

 private:
  using in_row = lane_row<image_word, Lanes, items, width>;
  using row_keys = typename in_row::keys; // images

  SORTILE_DEVICE void select(const row_storage& storage, std::uint64_t row, std::uint32_t present, bool writes) const {
    std::uint32_t places[Groups]; // of the results, in order: a lane's are neighbours
    if constexpr (All)
      sort_all(places, storage, row, present);
    else
      sort_candidates(places, storage.candidates, row, present);
    write(places, storage, row, writes);
  }

  SORTILE_DEVICE void sort_all(std::uint32_t (&places)[Groups], const row_storage& storage, std::uint64_t row,
                               std::uint32_t present) const {
    row_keys x;
    load(x, row, [&](std::uint32_t at, const auto& keys_read) {
      simt::store_vector<int(sizeof(keys_read) / sizeof(Word))>(storage.keys, at, keys_read);
    });
    const image_word first = simt::shuffle(x[0], 0, simt::full_warp, Lanes);
    image_word differ = 1;
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i)
      differ |= x[i] ^ first;
    differ = primitives::lanes_reduce<Lanes>(differ, [](image_word a, image_word b) { return a | b; });
    const unsigned zeros = simt::leading_zeros(differ);
    const image_word scale = image_word(one) << zeros;
    std::uint32_t words[items], left_out;
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i)
      words[i] = word(x[i] * scale, in_row::position(0)) * one + (in_row::position(i) - in_row::position(0));
    drop_lacking(words);
    primitives::smallest_in_lanes<Lanes, int(capacity)>(words, places, left_out);
    const std::uint32_t last = kth(places);
    const bool missed = left_out < last, in_doubt = missed || (is_cut(differ) && (left_out & ~place_mask) <= last);
    if (simt::warp_any(in_doubt)) {
      load(x, row);
      const image_word kth = image(keys.load(row * stride + (last & place_mask)));
      const image_word lost = lost_bits(differ); // the k-th image has the other bits, if none was missed
      const image_word low = missed ? 0 : kth & ~lost, high = kth | lost;
      const bool several = in_row::greatest_upto(x, high) != in_row::smallest_from(x, low);
      if (simt::warp_any(missed || (in_doubt && several)))
        return sort_counted(places, storage.candidates, x, row, present, low, high);
    } // else keys that are equal to the k-th in what was cut are so in all bits
    order_neighbours(places, row * stride, n, is_cut(differ));
  }
  /// The row's first keys by whole images. The k-th's is between these two.
  SORTILE_DEVICE void sort_counted(std::uint32_t (&places)[Groups], const simt::shared_view<std::uint32_t>& candidates,
                                   const row_keys& x, std::uint64_t row, std::uint32_t present, image_word low,
                                   image_word high) const {
    const std::uint32_t count = count_candidates(candidates, x, present, low, high);
    simt::warp_barrier();
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      places[g] = in_row::lane() * Groups + g < count ? candidates.load(in_row::lane() * Groups + g) : ~0u;
    sort_whole(places, row * stride, count);
  }
  SORTILE_DEVICE void sort_candidates(std::uint32_t (&places)[Groups],
                                      const simt::shared_view<std::uint32_t>& candidates, std::uint64_t row,
                                      std::uint32_t present) const {
    row_keys x;
    load(x, row);
    drop_lacking(x);
    image_word least, most;
    find_bounds(x, least, most);
    std::uint32_t count = append(candidates, present & in_row::where(x, [=](image_word u) { return u <= most; }), 0);
    if (simt::warp_any(count > capacity)) {
      simt::warp_barrier(); // what is overwritten has been written
      count = count_candidates(candidates, x, present, least, most);
    }
    simt::warp_barrier();
    const unsigned zeros = simt::leading_zeros(image_word((most - least) | 1));
    const auto of_row = keys.subview(row * stride, n);
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g) {
      const std::uint32_t at = g * Lanes + in_row::lane();
      places[g] = ~0u;
      if (at < count) {
        const std::uint32_t place = candidates.load(at);
        places[g] = word((image(of_row.load(place)) - least) << zeros, place);
      }
    }
    primitives::sort_in_lanes<Lanes>(places);
    order_neighbours(places, row * stride, count, is_cut(most - least));
  }

  /// The position behind the first bits of an image that has been shifted to its word's upper end.
  static SORTILE_DEVICE std::uint32_t word(image_word image, std::uint32_t place) {
    return (std::uint32_t(image >> (8 * sizeof(image_word) - 32)) & ~place_mask) | place;
  }
  /// Whether words lack bits of images that differ up to these.
  static SORTILE_DEVICE bool is_cut(image_word differ) {
    constexpr unsigned place_bits = Lanes == 32 ? 10 : 8;
    static_assert(place_mask == (1u << place_bits) - 1);
    return differ >> (32 - place_bits) != 0;
  }
  /// Those bits: of an image, below the highest in which images differ as the words have room for.
  static SORTILE_DEVICE image_word lost_bits(image_word differ) {
    const unsigned kept = simt::leading_zeros(differ) + simt::popcount(~place_mask);
    return kept < 8 * sizeof(image_word) ? image_word(~image_word{0}) >> kept : image_word{0};
  }

  SORTILE_DEVICE void load(row_keys& x, std::uint64_t row) const {
    load(x, row, [](std::uint32_t, const auto&) {});
  }
  /// Gives each vector that is read, and where in the row it stands, to `keep`.
  template <class Keep>
  SORTILE_DEVICE void load(row_keys& x, std::uint64_t row, Keep keep) const {
    if (vectors_allowed)
      load_vectors<int(width)>(x, row * stride, keep);
    else
      load_vectors<1>(x, row * stride, keep);
    const image_word first = simt::shuffle(x[0], 0, simt::full_warp, Lanes);
    if (n < most_keys) { // keys that a row lacks are like its first one for now
      SORTILE_UNROLL
      for (unsigned i = 0; i < items; ++i)
        x[i] = in_row::position(i) < n ? x[i] : first;
    }
    image_word greatest = 0;
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      const image_word rank = usual.rank(x[i]);
      greatest = rank > greatest ? rank : greatest;
    }
    if (simt::warp_any(greatest > usual.most)) {
      SORTILE_UNROLL
      for (unsigned i = 0; i < items; ++i)
        x[i] = images.image(Word(x[i]));
    } else {
      SORTILE_UNROLL
      for (unsigned i = 0; i < items; ++i)
        x[i] = usual.image(x[i]);
    }
    if (windowed) {
      SORTILE_UNROLL
      for (unsigned i = 0; i < items; ++i)
        x[i] = (x[i] >> shift) & mask;
    }
  }
  /// All are asked for before the first is looked at.
  template <int Together, int Loads = int(items) / Together, class Keep>
  SORTILE_DEVICE void load_vectors(row_keys& x, std::uint64_t begin, Keep keep) const {
    simt::vec<Word, Together> loaded[Loads] = {};
    SORTILE_UNROLL
    for (int v = 0; v < Loads; ++v)
      if (const std::uint32_t at = in_row::position(unsigned(v * Together)); at < n)
        loaded[v] = simt::load_vector<Together>(keys, begin + at);
    SORTILE_UNROLL
    for (int v = 0; v < Loads; ++v) {
      keep(in_row::position(unsigned(v * Together)), loaded[v]);
      SORTILE_UNROLL
      for (int w = 0; w < Together; ++w)
        x[v * Together + w] = loaded[v][w];
    }
  }
  template <class T>
  SORTILE_DEVICE void drop_lacking(T (&x)[items]) const {
    if (n < most_keys) {
      SORTILE_UNROLL
      for (unsigned i = 0; i < items; ++i)
        x[i] = in_row::position(i) < n ? x[i] : T(~T{0});
    }
  }
  SORTILE_DEVICE Word image(Word key) const { return Word(Word(images.image(key) >> shift) & mask); }

  /// Writes the positions of these items behind `count` others, where there is room for all; returns how many there are
  /// then, or would be.
  static SORTILE_DEVICE std::uint32_t append(const simt::shared_view<std::uint32_t>& candidates, std::uint32_t added,
                                             std::uint32_t count) {
    const std::uint32_t mine = simt::popcount(added);
    std::uint32_t upto = mine;
    SORTILE_UNROLL
    for (unsigned delta = 1; delta < Lanes; delta *= 2) {
      const std::uint32_t before = simt::shuffle_up(upto, delta, simt::full_warp, Lanes);
      upto += in_row::lane() >= delta ? before : 0;
    }
    const std::uint32_t all = count + simt::shuffle(upto, Lanes - 1, simt::full_warp, Lanes);
    if (all <= capacity)
      for (std::uint32_t at = count + upto - mine; added != 0; added &= added - 1)
        candidates[at++] = in_row::position(simt::trailing_zeros(added));
    return all;
  }

  template <class T>
  SORTILE_DEVICE T kth(const T (&x)[Groups]) const {
    return simt::shuffle(item_at(x, (k - 1) % Groups), (k - 1) / Groups, simt::full_warp, Lanes);
  }
  /// The smallest image, and one that k images do not exceed.
  SORTILE_DEVICE void find_bounds(const row_keys& x, image_word& least, image_word& most) const {
    image_word smallest[Groups];
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      smallest[g] = x[g];
    SORTILE_UNROLL
    for (unsigned i = Groups; i < items; ++i)
      smallest[i % Groups] = x[i] < smallest[i % Groups] ? x[i] : smallest[i % Groups];
    primitives::sort_in_lanes<Lanes>(smallest);
    least = simt::shuffle(smallest[0], 0, simt::full_warp, Lanes);
    most = kth(smallest);
  }

  /// The k-th key's image, which lies between these two. Where few are candidates no more, many keys have that image:
  /// those that occur are tried first, from above. Then bit by bit, from the highest in which both differ.
  SORTILE_DEVICE image_word kth_image(const row_keys& x, std::uint32_t present, image_word low, image_word high) const {
    constexpr unsigned most_tries = 4;
    const auto is_below = [&](image_word tried) { // the k-th image is
      return in_row::sum(simt::popcount(present & in_row::where(x, [=](image_word u) { return u < tried; }))) >= k;
    };
    image_word tried = in_row::greatest_upto(x, high);
    bool below = is_below(tried);
    SORTILE_NO_UNROLL
    for (unsigned i = 0; i < most_tries && simt::warp_any(below); ++i) { // the warp's rows stay together
      const image_word next = in_row::greatest_upto(x, tried - 1);
      tried = below ? next : tried;
      below = is_below(tried) && below;
    }
    if (!simt::warp_any(below))
      return tried;
    const image_word differ = below ? low ^ tried : 0;
    image_word found = below ? low : tried;
    SORTILE_NO_UNROLL
    for (unsigned bit = 8 * sizeof(image_word); bit-- > 0;)
      if (const bool counts = differ >> bit != 0; simt::warp_any(counts)) {
        const image_word with = (found >> bit | 1) << bit, without = (with >> bit ^ 1) << bit;
        const bool clear = is_below(with);
        found = !counts ? found : clear ? without : with;
      }
    return found;
  }
  /// The first k keys' positions, exactly these; returns how many. The k-th key's image is between these two.
  SORTILE_DEVICE std::uint32_t count_candidates(const simt::shared_view<std::uint32_t>& candidates, const row_keys& x,
                                                std::uint32_t present, image_word low, image_word high) const {
    const image_word kth = kth_image(x, present, low, high);
    const std::uint32_t equal = present & in_row::where(x, [=](image_word u) { return u == kth; });
    const std::uint32_t below =
        append(candidates, present & in_row::where(x, [=](image_word u) { return u < kth; }), 0);
    return append(candidates, equal & in_row::before(equal, k - below), below);
  }

  /// Makes places of words that are in order but for images that are equal in what is left of them.
  SORTILE_DEVICE void order_neighbours(std::uint32_t (&places)[Groups], std::uint64_t begin, std::uint32_t count,
                                       bool cut) const {
    const std::uint32_t next = simt::shuffle_down(places[0], 1, simt::full_warp, Lanes);
    std::uint32_t nearest = ~0u;
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g) {
      const std::uint32_t apart = (g + 1 < Groups ? places[(g + 1) % Groups] : next) - places[g];
      nearest = apart < nearest ? apart : nearest;
    }
    if (simt::warp_any(cut && nearest <= place_mask && in_row::lane() * Groups < k))
      sort_whole(places, begin, count);
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      places[g] &= place_mask;
  }
  /// So many of the words or places are of keys.
  SORTILE_DEVICE void sort_whole(std::uint32_t (&places)[Groups], std::uint64_t begin, std::uint32_t count) const {
    const auto of_row = keys.subview(begin, n);
    element e[Groups];
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g) {
      const std::uint32_t place = places[g] & place_mask;
      e[g] = packed::greatest();
      if (in_row::lane() * Groups + g < count)
        e[g] = packed::pack(image(of_row.load(place)), place);
    }
    if (simt::warp_any(
            in_row::any_neighbours(e, capacity - 1, [](const element& a, const element& b) { return b < a; })))
      primitives::sort_in_lanes<Lanes>(e);
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      places[g] = packed::place(e[g]);
  }

  SORTILE_DEVICE void write(const std::uint32_t (&places)[Groups], const row_storage& storage, std::uint64_t row,
                            bool writes) const {
    const bool by_vectors = Groups >= 4 && vectors_of_results;
    const auto result = [&](unsigned g) {
      return Groups <= 4  ? in_row::lane() * Groups + g
             : by_vectors ? (g / 4 * Lanes + in_row::lane()) * 4 + g % 4
                          : g * Lanes + in_row::lane();
    };
    std::uint32_t from[Groups]; // positions of the results that this lane writes
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      from[g] = places[g];
    if constexpr (Groups > 4 || All)
      simt::warp_barrier();     // positions have been read, and keys put down
    if constexpr (Groups > 4) { // neighbouring lanes write neighbouring results
      SORTILE_UNROLL
      for (unsigned g = 0; g < Groups; g += 4)
        store<4>(storage.candidates, in_row::lane() * Groups + g, places, g);
      simt::warp_barrier();
      SORTILE_UNROLL
      for (unsigned g = 0; g < Groups; ++g)
        from[g] = storage.candidates.load(result(g));
    }
    const auto wanted = std::uint32_t(writes ? limits.at_most(k, row) : 0);
    const auto put = [&](const auto& to, const auto& values) {
      constexpr unsigned together = 16 / sizeof(values[0]) < 4 ? 16 / sizeof(values[0]) : 4;
      if (by_vectors) {
        SORTILE_UNROLL
        for (unsigned g = 0; g < Groups; g += together)
          if (result(g) < wanted)
            store<together>(to, result(g), values, g);
      } else {
        SORTILE_UNROLL
        for (unsigned g = 0; g < Groups; ++g)
          if (result(g) < wanted)
            to[result(g)] = values[g];
      }
    };
    const std::uint64_t begin = row * stride, first = positions_in_all ? begin : 0;
    if (writes_keys) {
      const auto of_row = keys.subview(begin, n);
      Word found[Groups]; // read before any is written: the compiler cannot know that they do not overlap
      SORTILE_UNROLL
      for (unsigned g = 0; g < Groups; ++g)
        found[g] = result(g) >= k ? Word{0} : All ? storage.keys.load(from[g]) : of_row.load(from[g]);
      put(keys_out.subview(row * k, k), found);
    }
    if (position_bytes == 4) {
      SORTILE_UNROLL
      for (unsigned g = 0; g < Groups; ++g)
        from[g] += std::uint32_t(first);
      put(positions_32.subview(row * k, k), from);
    } else if (position_bytes == 8) {
      std::uint64_t wide[Groups];
      SORTILE_UNROLL
      for (unsigned g = 0; g < Groups; ++g)
        wide[g] = first + from[g];
      put(positions_64.subview(row * k, k), wide);
    }
  }
  template <unsigned Together, class To, class T>
  static SORTILE_DEVICE void store(const To& to, std::uint64_t at, const T (&values)[Groups], unsigned first) {
    if constexpr (Together <= Groups) {
      simt::vec<T, int(Together)> v;
      SORTILE_UNROLL
      for (unsigned i = 0; i < Together; ++i)
        v[int(i)] = values[first + i];
      simt::store_vector<int(Together)>(to, at, v);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
