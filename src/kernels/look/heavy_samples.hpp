// Takes frequent values out of a sample that has been counted by bins, so that only the others are judged
// (crowd_sample.hpp).
//
// A map by distribution gives a frequent value as much room as it has keys, and all its keys one place there: a bucket
// of its own, nearly, and many that stay empty. Such a bucket needs no sorting, however large it is
// (local/heavy_buckets.hpp). What has to be even are the other keys.
//
//   chosen   each bin's last sample stands for it
//   alike    samples of the bin that are equal to that one: from two or three on, the value is frequent
//   count    the bin's other samples
//
// So several times, since a bin may have several frequent values.
//
// Cost, each time: two additions to shared storage a sample and five barriers of one block, 5 µs.
#pragma once

#include "primitives/block_scan.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned Samples, unsigned Bins, unsigned Threads>
struct heavy_samples {
  static constexpr unsigned each = Samples / Threads;
  static_assert(each <= 32);
  struct storage {
    simt::shared_array<std::uint32_t, Bins + 4> chosen; // a sample's number, from 1 on
    simt::shared_array<std::uint32_t, Bins> alike;
    simt::shared_array<Word, Bins> value;
    primitives::block_scan_storage<std::uint32_t, Threads> sum;
  };
  /// Takes one value a bin out of count[], which has the samples that are not in `own`: bit j of that is keys[j],
  /// sample j · threads + t. By all threads of a block; begins and ends with a barrier.
  template <class BinOf>
  static SORTILE_DEVICE void take_one_a_bin(storage& s, const simt::shared_view<std::uint32_t>& count,
                                            const Word (&keys)[each], BinOf bin_of, std::uint32_t& own) {
    const unsigned t = simt::thread_index();
    for (unsigned b = t; b < Bins; b += Threads) {
      s.chosen[b] = 0;
      s.alike[b] = 0;
    }
    simt::block_barrier();
    const auto number = [t](unsigned j) { return j * Threads + t + 1; };
    const auto each_other = [&](auto f) {
      SORTILE_UNROLL
      for (unsigned j = 0; j < each; ++j)
        if ((own >> j & 1) == 0)
          f(j, bin_of(keys[j]));
    };
    each_other(
        [&](unsigned j, std::uint32_t b) { s.chosen.fetch_max(b, number(j), simt::relaxed, simt::block_scope); });
    simt::block_barrier();
    each_other([&](unsigned j, std::uint32_t b) {
      if (s.chosen.load(b) == number(j))
        s.value[b] = keys[j];
    });
    simt::block_barrier();
    each_other([&](unsigned j, std::uint32_t b) {
      if (s.value.load(b) == keys[j])
        s.alike.fetch_add(b, 1u, simt::relaxed, simt::block_scope);
    });
    simt::block_barrier();
    const auto from = [&](std::uint32_t least) {
      std::uint32_t taken = 0;
      each_other([&](unsigned j, std::uint32_t b) {
        if (s.alike.load(b) >= least && s.value.load(b) == keys[j])
          taken |= 1u << j;
      });
      return taken;
    };
    // Of 65,536 values, evenly frequent, one in eight samples is one of two alike, and hardly one of three.
    const std::uint32_t pairs = from(2),
                        all = primitives::block_reduce(s.sum, std::uint32_t(simt::popcount(pairs)), primitives::plus{});
    const std::uint32_t least = all >= Samples / 4 ? 2 : 3;
    own |= least == 2 ? pairs : from(3);
    for (unsigned b = t; b < Bins; b += Threads)
      if (const std::uint32_t alike = s.alike.load(b); alike >= least)
        count[b] = count.load(b) - alike;
    simt::block_barrier();
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
