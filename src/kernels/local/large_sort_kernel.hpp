// Sorts the buckets that the local step has deferred and refined_sort_kernel.hpp has not sorted, whatever their size
// and keys: a block each, least significant digit first.
//
// A bucket that fits shared storage was deferred because of its keys: too many of them shared a word of bins (clusters
// that are narrow beside the bucket, many equal keys). Its keys are read once, put in order there by digits of 8 bits
// between the lowest and the highest bit in which they differ (primitives/radix_order.hpp), and written once. Where
// many of more than 32 bits are equal, different ones alone are put in order, and the others counted
// (primitives/repeated_keys.hpp). All buckets may be like that: then it costs 0.8 ms a digit for 2^28 keys, and
// 2 sizeof(key) bytes a key more than the local step.
//
// One of up to twice that size is sorted in the same way. A larger one stays in memory. For each 8-bit digit in which
// keys differ at all, the block counts the bucket's digits and, unless they are all the same, moves the keys, stably,
// to the other of two arrays (digit_moves.hpp), from there back with the next digit, and so on.
//
// This is what makes the key sort right for every input. It is not what makes it fast: a block moves some 10 GB/s, so
// many listed buckets are worked off side by side, while one bucket that holds most of a large input takes as long as
// one multiprocessor needs for it. Buckets whose keys are all the same cost one read per digit that differs elsewhere.
//
// Traffic: 2 sizeof(key) per key of a bucket that shared storage holds, else at most 3 per key and digit.
#pragma once

#include "kernels/local/digit_moves.hpp"
#include "kernels/local/local_sort_kernel.hpp"
#include "kernels/verdict.hpp"
#include "primitives/bisect.hpp"
#include "primitives/block_merge_sort.hpp"
#include "primitives/radix_order.hpp"
#include "primitives/repeated_keys.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct large_sort_kernel {
  using Image = integer_image<Word>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 512, min_blocks = 2;
  using moves = digit_moves<Word, block_threads, sizeof(Word) <= 8 ? 8 : 4, Image>;

  /// As many keys as the local step takes: its buckets are sorted here where the bins could not take them. And twice
  /// as many, where a map or an interval has made a few buckets a little larger than others.
  static constexpr std::uint32_t usual = local_sort_kernel<Word>::capacity,
                                 held = sizeof(Word) <= 8 ? 2 * usual : usual;
  using radix_order = primitives::block_radix_order<block_threads, usual>;
  using wide_order = primitives::block_radix_order<block_threads, held>;

  /// Whether equal keys are counted. Of 32 bits, three digits are sorted as soon.
  static constexpr bool counts_repeats = sizeof(Word) > 4;
  using repeated = primitives::repeated_keys<Word, block_threads, held, usual / 2>;
  /// Values that are merged, and so ranked: passes of a digit take as long for few keys as for many.
  static constexpr int values_a_thread = sizeof(Word) <= 8 ? 4 : 1;
  static constexpr std::uint32_t most_ranked = block_threads * unsigned(values_a_thread);
  using merging = primitives::block_merge_sort<values_a_thread, Word>;
  static constexpr std::uint32_t of_images = primitives::merge_sort_room<Word>(most_ranked);
  static constexpr bool room_behind = held - usual >= of_images; // where values and their counts do not reach
  struct nothing {};
  struct bucket_storage {
    alignas(16) simt::shared_array<Word, held> keys;
    union {
      simt::shared_array<std::uint16_t, held> order;
      alignas(16) std::conditional_t<counts_repeats, typename repeated::times_array, nothing> times;
    };
    union {
      typename radix_order::storage radix;
      typename wide_order::storage wide;
      alignas(16) std::conditional_t<counts_repeats, typename repeated::slot_array, nothing> slots;
      alignas(16) simt::shared_array<Word, !counts_repeats || room_behind ? 1 : of_images> images;
    };
    typename repeated::sums_array sums;
  };
  struct shared {
    union {
      typename moves::storage tile;
      bucket_storage bucket;
    };
  };

  simt::global<const Word> in; // the buckets; may be out, or may be neither out nor spare
  simt::global<Word> out, spare;
  simt::global<const std::uint32_t> start;
  bucket_list deferred;
  Image image;
  unsigned below;
  handover behind{};

  SORTILE_DEVICE void operator()(shared& s) const {
    if (behind.is_due())
      return behind.zero();
    const std::uint64_t many = deferred.findings.load(finding_deferred);
    if (many == deferred.findings.load(finding_refined))
      return;
    const Word differ = differing_bits<Word>(deferred.findings);
    for (std::uint64_t q = simt::block_index(); q < many; q += simt::grid_size()) {
      const std::uint32_t b = deferred.buckets.load(q);
      if (b == bucket_list::done)
        continue;
      const std::uint32_t begin = start.load(b), end = start.load(b + 1);
      if (end - begin <= held)
        sort_held(s.bucket, begin, end - begin);
      else
        sort(s.tile, begin, end, differ);
      simt::block_barrier();
    }
  }

  /// Sorts so many keys from `begin` on: `held` at most.
  SORTILE_DEVICE void sort_held(bucket_storage& s, std::uint32_t begin, std::uint32_t keys) const {
    const unsigned t = simt::thread_index();
    for (std::uint32_t p = t; p < keys; p += block_threads)
      s.keys[p] = in.load(begin + p);
    simt::block_barrier();
    const auto image_of = [&](std::uint32_t p) { return image.image(s.keys.load(p)); };
    if constexpr (counts_repeats)
      if (sort_repeated(s, begin, keys))
        return;
    if (keys <= usual)
      radix_order::find(s.radix, s.order.view(), keys, image_of);
    else
      wide_order::find(s.wide, s.order.view(), keys, image_of);
    simt::block_barrier();
    for (std::uint32_t p = t; p < keys; p += block_threads)
      out[begin + p] = s.keys.load(s.order.load(p));
  }
  /// Whether equal keys were many, and have been counted; otherwise nothing has changed.
  SORTILE_DEVICE bool sort_repeated(bucket_storage& s, std::uint32_t begin, std::uint32_t keys) const {
    if (!repeated::are_many(keys, [&](std::uint32_t p) { return s.keys.load(p); }))
      return false;
    const std::uint32_t values =
        repeated::take_out(s.sums, s.slots, s.times, s.keys, 0, keys, [](Word) { return true; });
    simt::block_barrier();
    if (values == 0)
      return false;
    if (values <= most_ranked)
      rank(s, values);
    else
      radix_order::find(s.radix, s.order.view(), values, [&](std::uint32_t p) { return image.image(s.keys.load(p)); });
    simt::block_barrier();
    repeated::write(
        s.sums, s.keys, values, keys, begin % simt::warp_size, [&](std::uint32_t r) { return s.order.load(r); },
        [&](std::uint32_t place, std::uint32_t r) { out[begin + place] = s.keys.load(s.order.load(r)); });
    return true;
  }
  /// The order of so many different keys: images are merged, and each key looks for its own.
  SORTILE_DEVICE void rank(bucket_storage& s, std::uint32_t values) const {
    const auto sorted = [&s] {
      if constexpr (room_behind)
        return s.keys.subview(usual, of_images);
      else
        return s.images.view();
    }();
    merging::sort_loaded(sorted, values, Word(~Word{0}), [&](std::uint32_t i) { return image.image(s.keys.load(i)); });
    simt::block_barrier();
    for (std::uint32_t i = simt::thread_index(); i < values; i += block_threads) {
      const Word mine = image.image(s.keys.load(i));
      const std::uint32_t smaller = primitives::last_that(
          0, values - 1, [&](std::uint32_t r) { return sorted.load(primitives::merge_sort_place<Word>(r)) <= mine; });
      s.order[smaller] = std::uint16_t(i);
    }
  }
  /// Sorts the keys [begin, end), which differ in these bits at most.
  SORTILE_DEVICE void sort(typename moves::storage& s, std::uint32_t begin, std::uint32_t end, Word differ) const {
    simt::global<const Word> from = in;
    const moves by_digit{image};
    bool in_out = in.data() == out.data();
    for (unsigned shift = 0; shift < below; shift += moves::digit_bits) {
      if ((std::uint32_t(differ >> shift) & (moves::radix - 1)) == 0 || !by_digit.count(s, from, begin, end, shift))
        continue;
      const simt::global<Word> to = in_out ? spare : out;
      by_digit.move(s, from, begin, end, shift, [&](std::uint32_t place, Word key, std::uint64_t) { to[place] = key; });
      from = to;
      in_out = !in_out;
    }
    for (std::uint64_t i = std::uint64_t{begin} + simt::thread_index(); !in_out && i < end; i += block_threads)
      out[i] = from.load(i);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
