// Buckets of one frequent value and few other keys, where a map spreads the keys (key_scan/key_map.hpp): split by many
// blocks, and written by how often each side occurs.
//
// A frequent value has a bucket of its own, nearly: keys from the sparse cells beside it share it. Of such a bucket all
// keys but those others are known once the value is:
//
//   value    what most of 32 keys have that lie at even distances
//   split    keys below it go to the front of the bucket's stretch of an array that is free, keys above to its end
//
//            | below, unsorted |      nothing      | above, unsorted |
//
//   write    the value everywhere between; then the two ends are sorted (heavy_kernel.hpp)
//
// Buckets count as heavy from more keys on than large_sort_kernel.hpp holds in shared storage. The tables' kernel lists
// them as giant ones (skewed/giant_buckets.hpp), and blocks share out their keys, as they do there. It does so only for
// as many keys as a sample saw frequent values (heavy_samples.hpp). Where a bucket turns out to hold several frequent
// values, its ends are long, and one block splits each of them again.
//
// The free array is the output, unless the keys are there already; then it is the spare one. Traffic: 2 sizeof(key) per
// key of such a bucket, as the local step has.
#pragma once

#include "kernels/frequent_value.hpp"
#include "kernels/local/local_sort_kernel.hpp"
#include "kernels/skewed/giant_buckets.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// By a warp: for each lane that wants one, another number from counter[place] on.
template <class Counter, class Scope>
SORTILE_DEVICE std::uint32_t take_numbers(const Counter& counter, std::uint32_t place, bool wants, Scope scope) {
  const unsigned all = simt::ballot(wants);
  if (all == 0)
    return 0;
  std::uint32_t first = 0;
  if (simt::lane_index() == 0)
    first = counter.fetch_add(place, std::uint32_t(simt::popcount(all)), simt::relaxed, scope);
  return simt::shuffle(first, 0) + simt::popcount(all & ((1u << simt::lane_index()) - 1));
}

template <class Word, class Image = integer_image<Word>>
struct heavy_buckets {
  giant_list list;                          // least: 0 where there is no map
  simt::global<std::uint32_t> below, above; // keys of each listed bucket that are not its value
  simt::global<Word> value;
  simt::global<const Word> in;
  simt::global<Word> out, spare;
  simt::global<const std::uint32_t> start;
  simt::global<const std::uint64_t> findings;
  simt::global<const key_window<Word>> window;
  Image image;
  std::uint32_t bins;

  SORTILE_DEVICE std::uint32_t listed() const {
    const bool sorts = list.least != 0 && course_of<Word>(findings, window.load(0), bins) == key_course::buckets;
    return sorts ? std::uint32_t(findings.load(finding_giants)) : 0;
  }
  /// Where the keys beside the values are.
  SORTILE_DEVICE simt::global<Word> others() const { return in.data() == out.data() ? spare : out; }

  /// By a block, all threads of which call it.
  SORTILE_DEVICE void split(const giant_part& part) const {
    const std::uint32_t begin = start.load(part.bucket);
    const Word frequent = frequent_value<Word>::of(in, begin, part.keys).value;
    if (part.low == 0 && simt::thread_index() == 0)
      value[part.place] = frequent;
    constexpr int in_flight = 4;
    const std::uint32_t threads = simt::block_size(), t = simt::thread_index();
    for (std::uint32_t first = part.low; first < part.high; first += in_flight * threads) {
      Word x[in_flight];
      SORTILE_UNROLL
      for (int j = 0; j < in_flight; ++j) {
        const std::uint64_t p = std::uint64_t{first} + unsigned(j) * threads + t;
        x[j] = p < part.high ? in.load(begin + p) : frequent;
      }
      SORTILE_UNROLL
      for (int j = 0; j < in_flight; ++j)
        if (simt::warp_any(x[j] != frequent))
          put_beside(part, begin, x[j], frequent);
    }
  }
  /// The value, as far as it is in this part: by a block.
  SORTILE_DEVICE void write_value(const giant_part& part) const {
    constexpr unsigned vector = 16 / sizeof(Word);
    const std::uint32_t begin = start.load(part.bucket), behind = part.keys - above.load(part.place);
    const std::uint32_t least = below.load(part.place);
    const std::uint32_t from = begin + (part.low > least ? part.low : least),
                        to = begin + (part.high < behind ? part.high : behind);
    const Word frequent = value.load(part.place);
    simt::vec<Word, int(vector)> x;
    SORTILE_UNROLL
    for (unsigned e = 0; e < vector; ++e)
      x[int(e)] = frequent;
    for (std::uint32_t p = from / vector * vector + simt::thread_index() * vector; p < to;
         p += simt::block_size() * vector) {
      if (p >= from && p + vector <= to) {
        simt::store_vector<int(vector)>(out, p, x);
      } else {
        SORTILE_UNROLL
        for (unsigned e = 0; e < vector; ++e)
          if (p + e >= from && p + e < to)
            out[p + e] = frequent;
      }
    }
  }
  struct range {
    std::uint32_t begin, end;
  };
  /// The keys beside a listed bucket's value, in others(): side 0 below it, side 1 above.
  SORTILE_DEVICE range side(std::uint32_t place, unsigned side) const {
    const std::uint32_t b = list.bucket.load(place), begin = start.load(b), end = start.load(b + 1);
    return side == 0 ? range{begin, begin + below.load(place)} : range{end - above.load(place), end};
  }

 private:
  /// By a warp: those of its keys that are not the value.
  SORTILE_DEVICE void put_beside(const giant_part& part, std::uint32_t begin, Word key, Word frequent) const {
    const auto to = others();
    const bool is_below = image.less(key, frequent), is_above = image.less(frequent, key);
    const std::uint32_t front = take_numbers(below, part.place, is_below, simt::device_scope),
                        back = take_numbers(above, part.place, is_above, simt::device_scope);
    if (is_below)
      to[begin + front] = key;
    if (is_above)
      to[begin + part.keys - 1 - back] = key;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
