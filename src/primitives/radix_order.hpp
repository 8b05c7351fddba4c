// The stable order of a block's keys, whatever they are: which key stands at each place. Keys stay where they are; a
// permutation is sorted, least significant digit first, 8 bits a pass, beginning at the lowest bit in which any two
// images differ and ending behind the highest.
//
//   order     place in the sorted sequence → key           one pass reads it by rows of warps and scatters it
//
//   warp w    rows of 32 neighbouring places              so that warps, rows, lanes are the order that a pass keeps
//   count     row by row, eight ballots name a lane's equals; its rank in the warp is what the warp has counted of the
//             digit, plus the equals in lower lanes. What was found out waits in a slot:   rank | digit | key
//   columns   counts of the warps before, and of all smaller digits, make each warp's counters places
//   scatter   order[counter + rank] = key
//
// Two digits share a word of counters and are added up together, since no sum exceeds the number of keys.
//
// What it costs is instructions, and not only those that run: where a block is alone, what stands in the code has to be
// fetched first, and instructions that are used once take longer to come than to run. So no loop is unrolled but that
// of the ballots, and all passes run the same 250. Reckoned: a row of 32 keys takes 75 of them, 58 to count and the
// rest to scatter, that is 19 clocks of a multiprocessor whose four schedulers have warps; shared storage serves the
// row in 15 to 20 beside that; the columns take 450 clocks, however many keys there are. By 1024 threads and with keys
// that differ in 32 bits, 1024 keys are 4200 clocks and 4096 are 11,500.
//
// Ballots do not care how keys crowd, where votes or additions in shared storage would meet in one word. Merging images
// with their places (block_merge_sort.hpp) takes elements of two registers, or images that have been made shorter.
//
// Shared storage: 4 bytes a key and a thread, 524 a warp, and the caller's order. Block barriers: 1, and 4 a pass.
#pragma once

#include "primitives/digit_rank.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

template <unsigned Threads, std::uint32_t Capacity>
class block_radix_order {
 public:
  static constexpr unsigned digit_bits = 8, radix = 1u << digit_bits, warps = Threads / simt::warp_size;
  static constexpr unsigned columns = radix / 2;                               // of counters: words of two digits
  static constexpr unsigned groups = Threads / columns, rows = warps / groups; // of a column: one thread's counters
  static constexpr unsigned slices = columns / simt::warp_size;                // warps that scan all columns
  static_assert(Threads % columns == 0 && warps <= simt::warp_size);
  static_assert(Capacity <= Threads * 8, "a rank in a warp has 8 bits");

  struct storage {
    alignas(16) simt::shared_array<std::uint32_t, warps * columns> counts;
    simt::shared_array<std::uint32_t, groups * columns> partial; // sums of a group's rows
    simt::shared_array<std::uint32_t, warps> sums;               // of a warp's columns
    simt::shared_array<std::uint32_t, 2 * warps> differ;         // bits, by warps; low halves first
    simt::shared_array<std::uint32_t, Capacity> slots;
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
    for (unsigned half = 0; half < (sizeof(image) + 3) / 4; ++half) {
      const std::uint32_t bits = simt::warp_reduce_or(std::uint32_t(differ >> (32 * half)));
      if (lane == 0)
        s.differ[half * warps + warp] = bits;
    }
    simt::block_barrier();
    SORTILE_UNROLL
    for (unsigned half = 0; half < (sizeof(image) + 3) / 4; ++half)
      all = image(all | image(simt::warp_reduce_or(lane < warps ? s.differ.load(half * warps + lane) : 0u))
                            << (32 * half));
    return all;
  }
  template <class T>
  static SORTILE_DEVICE unsigned lowest_bit(T bits) {
    if constexpr (sizeof(T) > 4) {
      const auto low = std::uint32_t(bits);
      return low != 0 ? simt::trailing_zeros(low) : 32 + simt::trailing_zeros(std::uint32_t(bits >> 32));
    } else {
      return simt::trailing_zeros(std::uint32_t(bits));
    }
  }

  template <class Digit>
  static SORTILE_DEVICE void pass(storage& s, const simt::shared_view<std::uint16_t>& order, std::uint32_t n,
                                  Digit digit_of) {
    const unsigned mine = simt::warp_index() * radix;
    const std::uint32_t here = (n + Threads - 1) / Threads * simt::warp_size; // places of a warp
    const std::uint32_t first = simt::warp_index() * here + simt::lane_index();
    const auto counts = simt::view_as<std::uint16_t>(s.counts.view());
    simt::store_vector<4>(s.counts, simt::thread_index() * 4, simt::vec<std::uint32_t, 4>{});
    simt::warp_barrier();
    SORTILE_NO_UNROLL
    for (std::uint32_t row = 0; row < here; row += simt::warp_size) { // as often in all warps, so that these stay whole
      const std::uint32_t q = first + row;
      const bool has_key = q < n;
      const std::uint32_t key = order.load(has_key ? q : 0), digit = digit_of(key);
      const std::uint32_t before = counts.load(mine + digit);
      const unsigned peers = lanes_with_digit<ranking::ballot, digit_bits>(digit) & simt::ballot(has_key);
      const std::uint32_t below = simt::popcount(peers & simt::lanes_below());
      simt::warp_barrier();
      if (has_key && below == 0)
        counts[mine + digit] = std::uint16_t(before + simt::popcount(peers));
      if (has_key)
        s.slots[q] = (before + below) << 24 | digit << 16 | key;
      simt::warp_barrier();
    }
    simt::block_barrier();
    counts_to_places(s);
    SORTILE_NO_UNROLL
    for (std::uint32_t row = 0; row < here; row += simt::warp_size)
      if (first + row < n) {
        const std::uint32_t slot = s.slots.load(first + row);
        order[counts.load(mine + (slot >> 16 & (radix - 1))) + (slot >> 24)] = std::uint16_t(slot);
      }
    simt::block_barrier();
  }

  /// What each warp has counted of a digit becomes the place of its first key with it. Thread t of a group has two
  /// digits' counters, those of the group's warps.
  static SORTILE_DEVICE void counts_to_places(storage& s) {
    const unsigned t = simt::thread_index(), column = t % columns, group = t / columns, lane = simt::lane_index();
    const unsigned at = group * rows * columns + column;
    std::uint32_t x[rows], sum = 0;
    SORTILE_UNROLL
    for (unsigned r = 0; r < rows; ++r)
      sum += x[r] = s.counts.load(at + r * columns);
    s.partial[t] = sum;
    const std::uint32_t keys = simt::warp_reduce_add((sum & 0xffff) + (sum >> 16));
    if (lane == 0)
      s.sums[simt::warp_index()] = keys;
    simt::block_barrier();
    std::uint32_t total = 0, place = 0; // place: of earlier groups
    SORTILE_UNROLL
    for (unsigned g = 0; g < groups; ++g) {
      const std::uint32_t part = s.partial.load(g * columns + column);
      total += part;
      place += g < group ? part : 0;
    }
    const std::uint32_t both = (total & 0xffff) + (total >> 16), slice = simt::warp_index() % slices;
    const std::uint32_t in_slices =
        simt::warp_reduce_add(lane < warps && lane % slices < slice ? s.sums.load(lane) : 0u);
    const std::uint32_t start = in_slices + warp_inclusive_scan(both, plus{}) - both;
    place += start | (start + (total & 0xffff)) << 16;
    SORTILE_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      s.counts[at + r * columns] = place;
      place += x[r];
    }
    simt::block_barrier();
  }
};

} // namespace sortile::primitives::inline SORTILE_BACKEND
