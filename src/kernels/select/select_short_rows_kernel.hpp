// The first k ≤ 64 keys of rows of up to 1024, in order, by L lanes of a warp a row, the whole row in registers: 32
// keys a lane. Rows of up to 256 keys take 8 lanes, so that a warp sorts four rows with the instructions of one, and a
// row needs fewer exchanges between lanes.
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
//   sort       by image, then by position, in registers (warp_sort.hpp)
//   fallback   where there are more candidates (equal keys, or rows made so): the k-th image bit by bit, by counting;
//              then the keys below it, and the first of those that equal it. All rows of the warp take it together
//
// No two candidates are equal, so the result does not depend on the order in which they are put together. Bytes moved:
// the rows once, and the results. Shared memory: L · G positions a row.
//
// Cost: instructions. Rows of 1024 keys take 1080 (k = 8) to 2150 (k = 64) of a warp, of 256 keys 380 to 1120. When
// each row had a warp and each key was appended by a ballot, they took 1940 to 2740, and 790 to 1570.
#pragma once

#include "kernels/any_image.hpp"
#include "kernels/sample/sample_elements.hpp"
#include "kernels/select/select_rows.hpp"
#include "primitives/warp_sort.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Lanes: of a row. Groups: of a lane's keys, a power of two; k ≤ Lanes · Groups / 2.
template <class Word, unsigned Lanes, unsigned Groups>
struct select_short_rows_kernel {
  static constexpr unsigned block_threads = 128, block_rows = block_threads / Lanes;
  static constexpr unsigned items = 32; // keys a lane
  static constexpr std::uint32_t most_keys = Lanes * items, capacity = Lanes * Groups;
  static constexpr unsigned min_blocks = sizeof(Word) == 8 ? 4 : capacity > 64 ? 7 : 8;
  static constexpr unsigned width = sizeof(Word) == 8 ? 2 : 4, load_bytes = width * sizeof(Word); // keys of a load
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
  any_image<Word> images;
  Word mask; // of the bit window
  unsigned shift, bits;
  unsigned position_bytes;
  bool writes_keys, positions_in_all;
  bool windowed;        // images are cut to a window of their bits
  bool vectors_allowed; // every row begins and ends at a multiple of a load

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned in_block = simt::thread_index() / Lanes;
    const auto mine = s.candidates.subview(in_block * capacity, capacity);
    const std::uint32_t present = below(n);
    constexpr unsigned warp_rows = simt::warp_size / Lanes;
    for (std::uint64_t first = std::uint64_t{simt::block_index()} * block_rows + in_block / warp_rows * warp_rows;
         first < rows; first += std::uint64_t{simt::grid_size()} * block_rows) {
      const std::uint64_t row = first + in_block % warp_rows;
      select(mine, row < rows ? row : rows - 1, present, row < rows); // the warp's lanes stay together
      simt::warp_barrier();
    }
  }

 private:
  using row_keys = Word[items]; // images; those that a row lacks are all ones

  static SORTILE_DEVICE unsigned lane() { return simt::lane_index() % Lanes; }
  static SORTILE_DEVICE std::uint32_t position(unsigned item) {
    return (item / width * Lanes + lane()) * width + item % width;
  }

  SORTILE_DEVICE void select(const simt::shared_view<std::uint32_t>& candidates, std::uint64_t row,
                             std::uint32_t present, bool writes) const {
    row_keys x;
    load(x, row);
    const Word most = bound(x);
    std::uint32_t count = append(candidates, present & items_where(x, [=](Word u) { return u <= most; }), 0);
    if (simt::warp_any(count > capacity)) {
      const Word kth = kth_image(x, present);
      simt::warp_barrier(); // what is overwritten has been written
      count = append(candidates, present & items_where(x, [=](Word u) { return u < kth; }), 0);
      const std::uint32_t equal = present & items_where(x, [=](Word u) { return u == kth; });
      count = append(candidates, equal & items_before(equal, k - count), count);
    }
    simt::warp_barrier();
    write(candidates, row, count, writes);
  }

  SORTILE_DEVICE void load(row_keys& x, std::uint64_t row) const {
    const std::uint64_t begin = row * stride;
    if (vectors_allowed) {
      SORTILE_UNROLL
      for (unsigned v = 0; v < items / width; ++v) {
        simt::vec<Word, int(width)> loaded{};
        if (position(v * width) < n)
          loaded = simt::load_vector<int(width)>(keys, begin + position(v * width));
        SORTILE_UNROLL
        for (unsigned w = 0; w < width; ++w)
          x[v * width + w] = loaded[int(w)];
      }
    } else {
      SORTILE_UNROLL
      for (unsigned i = 0; i < items; ++i)
        x[i] = position(i) < n ? keys.load(begin + position(i)) : Word{0};
    }
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i)
      x[i] = images.image(x[i]);
    if (windowed) {
      SORTILE_UNROLL
      for (unsigned i = 0; i < items; ++i)
        x[i] = Word(Word(x[i] >> shift) & mask);
    }
    if (n < most_keys) {
      SORTILE_UNROLL
      for (unsigned i = 0; i < items; ++i)
        x[i] = position(i) < n ? x[i] : Word(~Word{0});
    }
  }
  SORTILE_DEVICE Word image(Word key) const { return Word(Word(images.image(key) >> shift) & mask); }

  template <class Wanted>
  static SORTILE_DEVICE std::uint32_t items_where(const row_keys& x, Wanted wanted) {
    std::uint32_t found = 0;
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i)
      found |= wanted(x[i]) ? 1u << i : 0u;
    return found;
  }

  /// Writes the positions of these items behind `count` others, where there is room for all; returns how many there are
  /// then, or would be.
  static SORTILE_DEVICE std::uint32_t append(const simt::shared_view<std::uint32_t>& candidates, std::uint32_t added,
                                             std::uint32_t count) {
    const std::uint32_t mine = simt::popcount(added);
    std::uint32_t upto = mine;
    SORTILE_UNROLL
    for (unsigned delta = 1; delta < Lanes; delta *= 2) {
      const std::uint32_t before = simt::shuffle_up(upto, delta, simt::full_warp, Lanes);
      upto += lane() >= delta ? before : 0;
    }
    const std::uint32_t all = count + simt::shuffle(upto, Lanes - 1, simt::full_warp, Lanes);
    if (all <= capacity)
      for (std::uint32_t at = count + upto - mine; added != 0; added &= added - 1)
        candidates[at++] = position(simt::trailing_zeros(added));
    return all;
  }

  static SORTILE_DEVICE std::uint32_t row_sum(std::uint32_t v) {
    SORTILE_UNROLL
    for (unsigned apart = 1; apart < Lanes; apart *= 2)
      v += simt::shuffle_xor(v, apart);
    return v;
  }

  /// Of items at so many of the first positions, among those given.
  SORTILE_DEVICE std::uint32_t items_before(std::uint32_t of, std::uint32_t wanted) const {
    std::uint32_t end = 0; // no more than wanted lie before it
    SORTILE_NO_UNROLL
    for (std::uint32_t bit = most_keys; bit > 0; bit /= 2)
      if (row_sum(simt::popcount(of & below(end | bit))) <= wanted)
        end |= bit;
    return below(end);
  }
  /// Items at positions below `end`.
  static SORTILE_DEVICE std::uint32_t below(std::uint32_t end) {
    std::uint32_t found = 0;
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i)
      found |= position(i) < end ? 1u << i : 0u;
    return found;
  }

  SORTILE_DEVICE Word bound(const row_keys& x) const {
    Word smallest[Groups];
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      smallest[g] = x[g];
    SORTILE_UNROLL
    for (unsigned i = Groups; i < items; ++i)
      smallest[i % Groups] = x[i] < smallest[i % Groups] ? x[i] : smallest[i % Groups];
    primitives::sort_in_lanes<Lanes>(smallest);
    Word found = 0;
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g)
      found = g == (k - 1) % Groups ? smallest[g] : found;
    return simt::shuffle(found, (k - 1) / Groups, simt::full_warp, Lanes);
  }

  /// The largest image below which there are fewer than k keys: that of the k-th.
  SORTILE_DEVICE Word kth_image(const row_keys& x, std::uint32_t present) const {
    Word image = 0;
    SORTILE_NO_UNROLL
    for (unsigned bit = bits; bit > 0; --bit) {
      const Word tried = Word(image | Word(Word{1} << (bit - 1)));
      if (row_sum(simt::popcount(present & items_where(x, [=](Word u) { return u < tried; }))) < k)
        image = tried;
    }
    return image;
  }

  SORTILE_DEVICE void write(const simt::shared_view<std::uint32_t>& candidates, std::uint64_t row, std::uint32_t count,
                            bool writes) const {
    element e[Groups];
    SORTILE_UNROLL
    for (unsigned g = 0; g < Groups; ++g) {
      const std::uint32_t at = g * Lanes + lane();
      e[g] = packed::greatest();
      if (at < count) {
        const std::uint32_t place = candidates.load(at);
        e[g] = packed::pack(image(keys.load(row * stride + place)), place);
      }
    }
    primitives::sort_in_lanes<Lanes>(e);
    if constexpr (Groups <= 4) {
      SORTILE_UNROLL
      for (unsigned g = 0; g < Groups; ++g)
        if (const std::uint32_t i = lane() * Groups + g; i < k && writes)
          put(row, i, packed::place(e[g]));
    } else {                // neighbouring lanes write neighbouring results
      simt::warp_barrier(); // positions have been read
      SORTILE_UNROLL
      for (unsigned g = 0; g < Groups; g += 4)
        simt::store_vector<4>(candidates, lane() * Groups + g,
                              simt::vec<std::uint32_t, 4>{{packed::place(e[g]), packed::place(e[g + 1]),
                                                           packed::place(e[g + 2]), packed::place(e[g + 3])}});
      simt::warp_barrier();
      for (std::uint32_t i = lane(); i < k && writes; i += Lanes)
        put(row, i, candidates.load(i));
    }
  }
  SORTILE_DEVICE void put(std::uint64_t row, std::uint32_t i, std::uint32_t place) const {
    const std::uint64_t to = row * k + i, from = row * stride + place;
    if (writes_keys)
      keys_out[to] = keys.load(from);
    const std::uint64_t position = positions_in_all ? from : place;
    if (position_bytes == 4)
      positions_32[to] = std::uint32_t(position);
    else if (position_bytes == 8)
      positions_64[to] = position;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
