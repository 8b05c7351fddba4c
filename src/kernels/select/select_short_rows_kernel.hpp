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
//
//   fallback   where there are more candidates than room (equal keys, or rows made so), or a key that was left out is
//              equal to the k-th in what was cut, and not in all: the k-th image by counting, of the greatest images up
//              to the bound, and where that is not among the first few, bit by bit; then the keys below it, and the
//              first of those that equal it. All rows of the warp take it together
//
// No two candidates are equal, so the result does not depend on the order in which they are put together. Bytes moved:
// the rows once, and the results. Shared memory: a position for each candidate.
//
// Cost: instructions, and of these comparisons, shifts and bits, of which a multiprocessor begins half as many.
#pragma once

#include "kernels/sample/sample_elements.hpp"
#include "kernels/select/lane_row.hpp"
#include "kernels/select/nan_image.hpp"
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
  static constexpr unsigned min_blocks = sizeof(Word) == 8 ? 4 : capacity > 64 ? 7 : 8;
  static constexpr unsigned width = sizeof(Word) == 8 ? 2 : 4, load_bytes = width * sizeof(Word); // keys of a load
  static constexpr unsigned place_mask = most_keys - 1;
  using image_word = std::conditional_t<sizeof(Word) <= 4, std::uint32_t, Word>; // a register, or two
  using element = sample_element<Word, true>;
  using packed = packing<Word, element>;

  struct shared {
    alignas(16) simt::shared_array<std::uint32_t, block_rows * capacity> candidates; // their positions
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
  unsigned shift;
  unsigned position_bytes;
  bool writes_keys, positions_in_all;
  bool windowed;        // images are cut to a window of their bits
  bool vectors_allowed; // every row begins and ends at a multiple of a load

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned in_block = simt::thread_index() / Lanes;
    const auto mine = s.candidates.subview(in_block * capacity, capacity);
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

  SORTILE_DEVICE void select(const simt::shared_view<std::uint32_t>& candidates, std::uint64_t row,
                             std::uint32_t present, bool writes) const {
    std::uint32_t places[Groups]; // of the results, in order: a lane's are neighbours
    if constexpr (All)
      sort_all(places, candidates, row, present);
    else
      sort_candidates(places, candidates, row, present);
    write(places, candidates, row, writes);
  }

  SORTILE_DEVICE void sort_all(std::uint32_t (&places)[Groups], const simt::shared_view<std::uint32_t>& candidates,
                               std::uint64_t row, std::uint32_t present) const {
    row_keys x;
    load(x, row);
    const image_word first = simt::shuffle(x[0], 0, simt::full_warp, Lanes);
    image_word differ = 1;
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i)
      differ |= x[i] ^ first;
    differ = primitives::lanes_reduce<Lanes>(differ, [](image_word a, image_word b) { return a | b; });
    const unsigned zeros = simt::leading_zeros(differ);
    std::uint32_t words[items], left_out;
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i)
      words[i] = word(x[i] << zeros, in_row::position(i));
    drop_lacking(words);
    primitives::smallest_in_lanes<Lanes, int(capacity)>(words, places, left_out);
    const bool end_in_doubt = (kth_word(places) ^ left_out) <= place_mask;
    if (simt::warp_any(is_cut(differ) && end_in_doubt)) {
      load(x, row);
      const image_word kth = image(keys.load(row * stride + (kth_word(places) & place_mask)));
      const image_word lost = lost_bits(differ); // the k-th image has the other bits
      const image_word low = kth & ~lost, high = kth | lost;
      const bool several = in_row::greatest_upto(x, high) != in_row::smallest_from(x, low);
      if (simt::warp_any(is_cut(differ) && end_in_doubt && several))
        return sort_counted(places, candidates, x, row, present, low, high);
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
  SORTILE_DEVICE std::uint32_t kth_word(const std::uint32_t (&words)[Groups]) const {
    std::uint32_t found = 0;
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      found = g == (k - 1) % Groups ? words[g] : found;
    return simt::shuffle(found, (k - 1) / Groups, simt::full_warp, Lanes);
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
    const std::uint64_t begin = row * stride;
    if (vectors_allowed) {
      SORTILE_UNROLL
      for (unsigned v = 0; v < items / width; ++v) {
        simt::vec<Word, int(width)> loaded{};
        if (in_row::position(v * width) < n)
          loaded = simt::load_vector<int(width)>(keys, begin + in_row::position(v * width));
        SORTILE_UNROLL
        for (unsigned w = 0; w < width; ++w)
          x[v * width + w] = loaded[int(w)];
      }
    } else {
      SORTILE_UNROLL
      for (unsigned i = 0; i < items; ++i)
        x[i] = in_row::position(i) < n ? keys.load(begin + in_row::position(i)) : Word{0};
    }
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
    image_word found = 0;
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      found = g == (k - 1) % Groups ? smallest[g] : found;
    least = simt::shuffle(smallest[0], 0, simt::full_warp, Lanes);
    most = simt::shuffle(found, (k - 1) / Groups, simt::full_warp, Lanes);
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
    const bool in_doubt =
        any_neighbours(places, k, [](std::uint32_t a, std::uint32_t b) { return (a ^ b) <= place_mask; });
    if (simt::warp_any(cut && in_doubt))
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
    if (simt::warp_any(any_neighbours(e, capacity - 1, [](const element& a, const element& b) { return b < a; })))
      primitives::sort_in_lanes<Lanes>(e);
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      places[g] = packed::place(e[g]);
  }
  /// Whether that holds of one of the lane's elements among the first `upto`, and the element behind it.
  template <class T, class Wanted>
  static SORTILE_DEVICE bool any_neighbours(const T (&x)[Groups], std::uint32_t upto, Wanted wanted) {
    const T next = simt::shuffle_down(x[0], 1, simt::full_warp, Lanes);
    bool found = false;
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      found |= in_row::lane() * Groups + g < upto && wanted(x[g], g + 1 < Groups ? x[(g + 1) % Groups] : next);
    return found;
  }

  SORTILE_DEVICE void write(const std::uint32_t (&places)[Groups], const simt::shared_view<std::uint32_t>& candidates,
                            std::uint64_t row, bool writes) const {
    if constexpr (Groups > 4) { // neighbouring lanes write neighbouring results
      simt::warp_barrier();     // positions have been read
      SORTILE_UNROLL
      for (unsigned g = 0; g < Groups; g += 4)
        simt::store_vector<4>(candidates, in_row::lane() * Groups + g,
                              simt::vec<std::uint32_t, 4>{{places[g], places[g + 1], places[g + 2], places[g + 3]}});
      simt::warp_barrier();
    }
    const auto each_result = [&](auto put) {
      SORTILE_UNROLL
      for (unsigned g = 0; g < Groups; ++g) {
        const std::uint32_t i = Groups > 4 ? g * Lanes + in_row::lane() : in_row::lane() * Groups + g;
        if (i < k && writes)
          put(i, Groups > 4 ? candidates.load(i) : places[g]);
      }
    };
    const std::uint64_t begin = row * stride, first = positions_in_all ? begin : 0;
    if (writes_keys) {
      const auto from = keys.subview(begin, n);
      const auto to = keys_out.subview(row * k, k);
      each_result([&](std::uint32_t i, std::uint32_t place) { to[i] = from.load(place); });
    }
    if (position_bytes == 4) {
      const auto to = positions_32.subview(row * k, k);
      each_result([&](std::uint32_t i, std::uint32_t place) { to[i] = std::uint32_t(first) + place; });
    } else if (position_bytes == 8) {
      const auto to = positions_64.subview(row * k, k);
      each_result([&](std::uint32_t i, std::uint32_t place) { to[i] = first + place; });
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
