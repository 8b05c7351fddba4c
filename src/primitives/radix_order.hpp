// The stable order of a block's keys, whatever they are: which key stands at each place. Keys stay where they are; a
// permutation is sorted, least significant digit first, 8 bits per pass, from the lowest bit in which any two images
// differ to the highest.
//
//   order     place in the sorted sequence → key           one pass reads it by rows of warps and scatters it
//
//   warp w    rows of 32 neighbouring places, each of a lane's keys in a row of its own: warps, rows, lanes are the
//             order that a pass keeps
//   count     row by row, eight ballots name a lane's equals; its rank in the warp is what the warp has counted of the
//             digit, plus the equals in lower lanes
//   columns   counts of the warps before, and of all smaller digits, make each warp's counters places
//   scatter   order[counter + rank] = key
//
// Two digits share a word of counters and are added up together, since no sum exceeds the number of keys. 256 threads
// add up the columns, sixteen counters each. With all threads, four counters each, combining the partial sums costs
// more than it saves.
//
// Cost. Integer arithmetic bounds it: a multiprocessor of the H100 finishes two such instructions of a warp a clock. A
// row of 32 keys takes 26 of them (12 for the ballots), and six accesses to shared storage, which cost 12 to 16 clocks,
// depending on the digits: an estimated 15 clocks a row and a pass. Keys, digits and ranks stay in registers, so
// nothing is read or computed twice; absent keys are ranked like others, which saves a test. The columns and four
// barriers take 900 clocks a pass, however many keys there are. By 1024 threads and with keys that differ in 32 bits,
// 4096 keys are 11,500 clocks.
//
// The cost of ballots does not depend on skew; votes or additions in shared storage would meet in one word. Merging
// images with their places (block_merge_sort.hpp) needs elements of two registers, or shortened images. Pieces between
// splitters (piece_order.hpp) take 80 instructions per row to find; being half full, they take as many instructions as
// four passes to sort by warps. They pay where keys have 64 bits and there are many buckets, and not here.
//
// Shared storage: 528 bytes per warp, 1 KB for the columns, and the caller's order. Block barriers: 1, and 4 a pass.
#pragma once

#include "primitives/warp_scan.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

template <unsigned Threads, std::uint32_t Capacity>
class block_radix_order {
 public:
  static constexpr unsigned digit_bits = 8, radix = 1u << digit_bits, warps = Threads / simt::warp_size;
  static constexpr unsigned items = (Capacity + Threads - 1) / Threads; // rows of a warp
  static constexpr unsigned columns = radix / 2;                        // of counters: words of two digits
  static constexpr unsigned groups = Threads / columns < 2 ? 1 : 2;     // of threads, that add up columns
  static constexpr unsigned rows = warps / groups;                      // of a column: one thread's counters
  static constexpr unsigned slices = columns / simt::warp_size;         // warps that scan all columns
  static_assert(Threads % columns == 0 && warps <= simt::warp_size);
  static_assert(items * Threads < 65536, "places and counts of 16 bits");

  struct storage {
    alignas(16) simt::shared_array<std::uint32_t, warps * columns> counts;
    simt::shared_array<std::uint32_t, groups * columns> partial; // sums of a group's rows
    simt::shared_array<std::uint32_t, groups * slices> sums;     // of a warp's columns
    simt::shared_array<std::uint32_t, 4 * warps> differ;         // bits of images, by words of 32, then by warps
  };

  /// order[q], for all q < n, is the key that stands at place q; of keys with equal images the lower comes first.
  /// image_of(p) is key p's image, unsigned. By all threads; 0 < n <= Capacity. The order may be read after the call,
  /// the storage used after a block barrier.
  template <class Image>
  static SORTILE_DEVICE void find(storage& s, const simt::shared_view<std::uint16_t>& order, std::uint32_t n,
                                  Image image_of) {
    using image = decltype(image_of(n));
    constexpr unsigned width = 8 * sizeof(image);
    const image differ = begin(s, order, n, image_of);
    unsigned right = 0;
    SORTILE_NO_UNROLL
    for (image rest = differ; rest != 0; rest = right < width ? image(differ >> right) : image{0}) {
      right += lowest_bit(rest);
      pass(s, order, n, [&](std::uint32_t p) { return std::uint32_t(image_of(p) >> right) & (radix - 1); });
      right += digit_bits;
    }
  }

 private:
  /// The keys in the order that they came in; returns the bits in which their images differ.
  template <class Image>
  static SORTILE_DEVICE auto begin(storage& s, const simt::shared_view<std::uint16_t>& order, std::uint32_t n,
                                   Image image_of) {
    using image = decltype(image_of(n));
    const image first = image_of(0);
    const unsigned lane = simt::lane_index(), warp = simt::warp_index();
    image differ = 0;
    SORTILE_NO_UNROLL
    for (std::uint32_t p = simt::thread_index(); p < n; p += Threads) {
      differ = image(differ | (image_of(p) ^ first));
      order[p] = std::uint16_t(p);
    }
    image all = 0;
    SORTILE_UNROLL
    for (unsigned word = 0; word < (sizeof(image) + 3) / 4; ++word) {
      const std::uint32_t bits = simt::warp_reduce_or(std::uint32_t(differ >> (32 * word)));
      if (lane == 0)
        s.differ[word * warps + warp] = bits;
    }
    simt::block_barrier();
    SORTILE_UNROLL
    for (unsigned word = 0; word < (sizeof(image) + 3) / 4; ++word)
      all = image(all | image(simt::warp_reduce_or(lane < warps ? s.differ.load(word * warps + lane) : 0u))
                            << (32 * word));
    return all;
  }
  template <class T>
  static SORTILE_DEVICE unsigned lowest_bit(T bits) {
    unsigned skipped = 0;
    SORTILE_UNROLL
    for (unsigned word = 1; word < sizeof(T) / 4; ++word)
      if (std::uint32_t(bits) == 0) {
        bits = T(bits >> 16 >> 16); // of T with more than 32 bits, but compiled for all
        skipped += 32;
      }
    return skipped + simt::trailing_zeros(std::uint32_t(bits));
  }

  /// Absent keys of a warp's last row have the greatest digit: standing last, they are ranked last, and not written.
  template <class Digit>
  static SORTILE_DEVICE void pass(storage& s, const simt::shared_view<std::uint16_t>& order, std::uint32_t n,
                                  Digit digit_of) {
    const std::uint32_t rows_here = (n + Threads - 1) / Threads, mine = simt::warp_index() * radix;
    const std::uint32_t begin = simt::warp_index() * rows_here * simt::warp_size, first = begin + simt::lane_index();
    const std::uint32_t behind = begin + rows_here * simt::warp_size, end = behind < n ? behind : n;
    const auto counts = simt::view_as<std::uint16_t>(s.counts.view());
    std::uint32_t keys[items], digits[items], ranks[items];
    simt::store_vector<4>(s.counts, simt::thread_index() * 4, simt::vec<std::uint32_t, 4>{}); // of its own warp
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i) {
      const std::uint32_t q = first + i * simt::warp_size;
      keys[i] = ranks[i] = 0;
      digits[i] = radix - 1;
      if (q < end) {
        keys[i] = order.load(q);
        digits[i] = digit_of(keys[i]);
      }
    }
    simt::warp_barrier();
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i)
      if (i < rows_here)
        ranks[i] = rank_in_warp(counts, mine + digits[i], digits[i]);
    simt::block_barrier();
    counts_to_places(s);
    SORTILE_UNROLL
    for (unsigned i = 0; i < items; ++i)
      if (first + i * simt::warp_size < end)
        order[counts.load(mine + digits[i]) + ranks[i]] = std::uint16_t(keys[i]);
    simt::block_barrier();
  }
  /// The rank of a lane's key among those that its warp has counted with its digit; it is counted, too.
  static SORTILE_DEVICE std::uint32_t rank_in_warp(const simt::shared_view<std::uint16_t>& counts,
                                                   std::uint32_t counter, std::uint32_t digit) {
    const unsigned below = simt::lanes_below(), peers = simt::match_bits<digit_bits>(digit);
    const std::uint32_t rank = counts.load(counter) + simt::popcount(peers & below);
    simt::warp_barrier();
    if (peers <= 2 * below + 1) // none above
      counts[counter] = std::uint16_t(rank + 1);
    simt::warp_barrier();
    return rank;
  }

  /// What each warp has counted of a digit becomes the place of its first key with it. Thread t of a group has two
  /// digits' counters, those of the group's warps.
  static SORTILE_DEVICE void counts_to_places(storage& s) {
    const unsigned t = simt::thread_index(), column = t % columns, lane = simt::lane_index();
    const unsigned at = t / columns * rows * columns + column;
    const bool works = t < groups * columns;
    std::uint32_t x[rows], sum = 0;
    if (works) {
      SORTILE_UNROLL
      for (unsigned r = 0; r < rows; ++r)
        sum += x[r] = s.counts.load(at + r * columns);
      s.partial[t] = sum;
      const std::uint32_t keys = simt::warp_reduce_add((sum & 0xffff) + (sum >> 16));
      if (lane == 0)
        s.sums[simt::warp_index()] = keys;
    }
    simt::block_barrier();
    if (works) {
      std::uint32_t total = 0, place = 0; // place: of earlier groups
      SORTILE_UNROLL
      for (unsigned g = 0; g < groups; ++g) {
        const std::uint32_t part = s.partial.load(g * columns + column);
        total += part;
        place += g < t / columns ? part : 0;
      }
      const std::uint32_t both = (total & 0xffff) + (total >> 16), slice = simt::warp_index() % slices;
      const std::uint32_t in_slices =
          simt::warp_reduce_add(lane < groups * slices && lane % slices < slice ? s.sums.load(lane) : 0u);
      const std::uint32_t start = in_slices + warp_inclusive_scan(both, plus{}) - both;
      place += start | (start + (total & 0xffff)) << 16;
      SORTILE_UNROLL
      for (unsigned r = 0; r < rows; ++r) {
        s.counts[at + r * columns] = place;
        place += x[r];
      }
    }
    simt::block_barrier();
  }
};

} // namespace sortile::primitives::inline SORTILE_BACKEND
