// Sorts the tails: the first and the last bucket, where keys from outside of the interval lie in them (second_scan.hpp).
// They may be any keys, so no counters hold them, and there may be many: of exponential ones some n / 8192.
//
// Splitters of a sample (Frazer and McKellar, "Samplesort", JACM 17(3), 1970) cut a tail into ranges of some 2048 keys,
// which the blocks share out. No block waits for another:
//
//   splitters   every block draws the same samples, puts them in order and takes every so many-th
//   take        reads all of the tail, keeps what lies in the range, and counts what lies below: that many keys stand
//               before it
//   sort        in shared storage (primitives/radix_order.hpp), and writes
//
// Equal splitters give their value a range of its own, which is written without sorting. Where the samples have told
// wrong, and a range has more keys than there is room for, it is halved by value, and the tail read once more, until
// what is left fits or is one value.
//
// A tail of one range is sorted by one block, which has read it when it writes. Those of several are written to the
// array in which they do not stand. Where that is `spare`, the next launch brings them home.
//
// Traffic: a tail is read once a range, from the L2, and moved once or twice. Shared storage: 70 KB.
#pragma once

#include "kernels/skewed/skewed_arrays.hpp"
#include "primitives/block_scan.hpp"
#include "primitives/radix_order.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Image = integer_image<std::uint32_t>>
struct sort_tails_kernel {
  using Word = typename Image::word;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024, min_blocks = 1;
  static_assert(sizeof(Word) == 4);
  static constexpr unsigned in_flight = 8; // of a thread's reads
  static constexpr std::uint32_t a_range = 2048, samples = 4096, held = 4096;
  static constexpr std::uint32_t most_ranges = (most_beside_outliers + a_range - 1) / a_range;
  using radix_order = primitives::block_radix_order<block_threads, held>;

  struct shared {
    simt::shared_array<Word, held> keys;
    simt::shared_array<std::uint16_t, held> order;
    typename radix_order::storage radix;
    simt::shared_array<Word, most_ranges> splitters; // the smallest images of ranges
    primitives::block_scan_storage<std::uint32_t, block_threads> below;
    simt::shared_array<std::uint32_t, 1> kept;
  };

  skewed_arrays<Image> at;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (course_of<Word>(at.deferred.findings, at.window.load(0), at.bins()) != key_course::buckets)
      return;
    const unsigned block = simt::block_index();
    for_tails([&](const tail& keys, bool is_first) {
      const std::uint32_t ranges = keys.ranges(), mine = is_first ? block : simt::grid_size() - 1 - block;
      if (mine >= ranges)
        return;
      find_splitters(s, keys, ranges);
      for (std::uint32_t k = mine; k < ranges; k += simt::grid_size()) {
        const std::uint64_t low = first_of(s, k, ranges), end = first_of(s, k + 1, ranges);
        if (low < end)
          sort_range(s, keys, Word(low), Word(end - 1));
      }
    });
  }
  /// In a later launch: copies what has been sorted into spare.
  SORTILE_DEVICE void bring_home() const {
    for_tails([&](const tail& keys, bool) {
      const std::uint32_t threads = simt::grid_size() * block_threads;
      if (goes_to_spare(keys))
        for (std::uint32_t p = simt::block_index() * block_threads + simt::thread_index(); p < keys.count; p += threads)
          at.out[keys.begin + p] = at.spare.load(keys.begin + p);
    });
  }

 private:
  struct tail {
    std::uint32_t begin, count;
    SORTILE_DEVICE std::uint32_t ranges() const {
      const std::uint32_t wanted = (count + a_range - 1) / a_range;
      return wanted < most_ranges ? wanted : most_ranges;
    }
  };
  /// f(tail, whether it is the first bucket).
  template <class F>
  SORTILE_DEVICE void for_tails(F f) const {
    const std::uint32_t last = at.bins() - 1;
    SORTILE_NO_UNROLL
    for (std::uint32_t bucket = 0; bucket <= last; bucket += last == 0 ? 1 : last)
      if (at.is_tail(bucket)) {
        const std::uint32_t begin = at.start.load(bucket);
        f(tail{begin, at.start.load(bucket + 1) - begin}, bucket == 0);
      }
  }
  SORTILE_DEVICE bool goes_to_spare(const tail& keys) const {
    return keys.ranges() > 1 && at.in.data() == at.out.data();
  }

  SORTILE_DEVICE void find_splitters(shared& s, const tail& keys, std::uint32_t ranges) const {
    if (ranges == 1)
      return;
    const unsigned t = simt::thread_index();
    const auto image_of = [&](std::uint32_t p) { return at.image.image(s.keys.load(p)); };
    for (std::uint32_t i = t; i < samples; i += block_threads)
      s.keys[i] = at.in.load(keys.begin + std::uint32_t(std::uint64_t{keys.count} * i / samples));
    simt::block_barrier();
    radix_order::find(s.radix, s.order.view(), samples, image_of);
    for (std::uint32_t k = t + 1; k < ranges; k += block_threads)
      s.splitters[k] = image_of(s.order.load(k * samples / ranges));
    simt::block_barrier();
  }
  /// The smallest image of range k, and one more than the largest behind the last. Of equal splitters the first begins
  /// a range of its value, the others an empty one and one behind it.
  SORTILE_DEVICE std::uint64_t first_of(shared& s, std::uint32_t k, std::uint32_t ranges) const {
    if (k == 0 || k == ranges)
      return k == 0 ? 0 : std::uint64_t{1} << 32;
    const std::uint64_t splitter = s.splitters.load(k);
    return k > 1 && s.splitters.load(k - 1) == splitter ? splitter + 1 : splitter;
  }

  SORTILE_DEVICE void sort_range(shared& s, const tail& keys, Word low, const Word end) const {
    for (Word last = end;;) {
      const taken found = take(s, keys, low, last);
      if (found.keys > held && low != last) {
        last = Word(low + (last - low) / 2);
        continue;
      }
      write(s, keys, found);
      if (last == end)
        return;
      low = Word(last + 1);
      last = end;
    }
  }

  struct taken {
    std::uint32_t below, keys;
  };
  /// Keeps keys whose images are low … last, as many as there is room for. The counts are of all keys.
  SORTILE_DEVICE taken take(shared& s, const tail& keys, Word low, Word last) const {
    const unsigned t = simt::thread_index();
    simt::block_barrier(); // the count before has been read
    if (t == 0)
      s.kept[0] = 0;
    simt::block_barrier();
    std::uint32_t below = 0;
    for (std::uint32_t first = 0; first < keys.count; first += in_flight * block_threads) {
      Word x[in_flight] = {};
      SORTILE_UNROLL
      for (unsigned j = 0; j < in_flight; ++j)
        if (first + j * block_threads + t < keys.count)
          x[j] = at.in.load(keys.begin + first + j * block_threads + t);
      SORTILE_UNROLL
      for (unsigned j = 0; j < in_flight; ++j) {
        const Word image = at.image.image(x[j]);
        const bool there = first + j * block_threads + t < keys.count;
        below += there && image < low ? 1 : 0;
        keep(s, there && image >= low && image <= last, x[j]);
      }
    }
    below = primitives::block_reduce(s.below, below, primitives::plus{});
    simt::block_barrier();
    return {below, s.kept.load(0)};
  }
  /// By all lanes of a warp: one addition for those that have a key.
  SORTILE_DEVICE void keep(shared& s, bool mine, Word key) const {
    const unsigned who = simt::ballot(mine);
    if (who == 0)
      return;
    const unsigned leader = simt::trailing_zeros(who);
    std::uint32_t place = 0;
    if (simt::lane_index() == leader)
      place = s.kept.fetch_add(0, std::uint32_t(simt::popcount(who)), simt::relaxed, simt::block_scope);
    place = simt::shuffle(place, leader) + simt::popcount(who & simt::lanes_below());
    if (mine && place < held)
      s.keys[place] = key;
  }
  /// Puts what has been taken in order. More keys than there was room for are equal.
  SORTILE_DEVICE void write(shared& s, const tail& keys, const taken& found) const {
    const unsigned t = simt::thread_index();
    const simt::global<Word> to = goes_to_spare(keys) ? at.spare : at.out;
    const std::uint32_t first = keys.begin + found.below;
    if (found.keys > held) {
      for (std::uint32_t p = t; p < found.keys; p += block_threads)
        to[first + p] = s.keys.load(0);
    } else if (found.keys != 0) {
      radix_order::find(s.radix, s.order.view(), found.keys,
                        [&](std::uint32_t p) { return at.image.image(s.keys.load(p)); });
      for (std::uint32_t p = t; p < found.keys; p += block_threads)
        to[first + p] = s.keys.load(s.order.load(p));
    }
    simt::block_barrier();
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
