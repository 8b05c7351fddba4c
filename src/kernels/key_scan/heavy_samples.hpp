// Takes frequent values out of a sample that has been counted by bins, so that only the others are judged
// (skew_sample.hpp).
//
// A map by distribution gives a frequent value as much room as it has keys, and all its keys one place there: a bucket
// of its own, nearly, and many that stay empty. Such a bucket needs no sorting, however large it is
// (local/heavy_buckets.hpp). What has to be even are the other keys.
//
//   chosen   each bin's last sample stands for it
//   alike    samples of the bin that are equal to that one: from two or three on, the value is frequent
//   count    the bin's other samples
//
// So several times, since a bin may have several frequent values. Before that it can be asked whether it helps.
//
// Cost, each time: two additions to shared storage a sample and five barriers of one block, 5 µs.
#pragma once

#include "kernels/alike_rows.hpp"
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
  /// Chooses a value for each bin, and counts the samples that equal it. Of the samples that are not in `own`: bit j of
  /// that is keys[j], sample j · threads + t, in bins[j]. By all threads of a block, as all that follows; begins and
  /// ends with a barrier.
  static SORTILE_DEVICE void find_alike(storage& s, const Word (&keys)[each], const std::uint32_t (&bins)[each],
                                        std::uint32_t own) {
    const unsigned t = simt::thread_index();
    for (unsigned b = t; b < Bins; b += Threads) {
      s.chosen[b] = 0;
      s.alike[b] = 0;
    }
    simt::block_barrier();
    const auto number = [t](unsigned j) { return j * Threads + t + 1; };
    each_other(bins, own, [&](unsigned j, std::uint32_t b) {
      if (s.chosen.load(b, simt::relaxed, simt::block_scope) < number(j)) // most need not wait for others
        s.chosen.fetch_max(b, number(j), simt::relaxed, simt::block_scope);
    });
    simt::block_barrier();
    each_other(bins, own, [&](unsigned j, std::uint32_t b) {
      if (s.chosen.load(b) == number(j))
        s.value[b] = keys[j];
    });
    simt::block_barrier();
    SORTILE_UNROLL
    for (unsigned j = 0; j < each; ++j) {
      const std::uint32_t b = bins[j];
      count_lanes((own >> j & 1) == 0 && s.value.load(b) == keys[j], b, [&](std::uint32_t bin, std::uint32_t alike) {
        s.alike.fetch_add(bin, alike, simt::relaxed, simt::block_scope);
      });
    }
    simt::block_barrier();
  }

  /// Takes the frequent ones of the values that find_alike() has chosen out of count[], which has the samples that are
  /// not in `own`. Ends with a barrier.
  static SORTILE_DEVICE void take_one_a_bin(storage& s, const simt::shared_view<std::uint32_t>& count,
                                            const Word (&keys)[each], const std::uint32_t (&bins)[each],
                                            std::uint32_t& own) {
    const auto from = [&](std::uint32_t least) {
      return standing(s, keys, bins, own, [least](std::uint32_t alike) { return alike >= least; });
    };
    // Of 65,536 values, evenly frequent, one in eight samples is one of two alike, and hardly one of three.
    const std::uint32_t pairs = from(2), all = samples(s, pairs), least = all >= Samples / 4 ? 2 : 3;
    own |= least == 2 ? pairs : from(3);
    for (unsigned b = simt::thread_index(); b < Bins; b += Threads)
      if (const std::uint32_t alike = s.alike.load(b); alike >= least)
        count[b] = count.load(b) - alike;
    simt::block_barrier();
  }

  /// Whether frequencies thin out, as those of Zipf's values do: most of the values that find_alike() has chosen of all
  /// samples are seen once, and many exactly twice. Then most keys have values of some dozens to some thousands, too
  /// few to be seen here and too many for the bins of a local step. Where frequent values stand among even keys, hardly
  /// any is seen twice.
  static SORTILE_DEVICE bool thin_out(storage& s, const Word (&keys)[each], const std::uint32_t (&bins)[each]) {
    constexpr std::uint32_t many = Samples / 64; // of Zipf's values about 400 of 8192 are one of two alike
    const auto seen = [&](std::uint32_t times) {
      return samples(s, standing(s, keys, bins, 0, [times](std::uint32_t alike) { return alike == times; }));
    };
    const std::uint32_t once = seen(1), twice = seen(2);
    std::uint32_t chosen = 0;
    for (unsigned b = simt::thread_index(); b < Bins; b += Threads)
      chosen += s.chosen.load(b) != 0;
    const std::uint32_t all = total(s, chosen);
    return twice >= many && once > all / 2;
  }

 private:
  template <class F>
  static SORTILE_DEVICE void each_other(const std::uint32_t (&bins)[each], std::uint32_t own, F f) {
    SORTILE_UNROLL
    for (unsigned j = each; j-- > 0;)
      if ((own >> j & 1) == 0)
        f(j, bins[j]);
  }
  /// This thread's samples that equal their bin's value, where so many are alike; a bit each.
  template <class Wanted>
  static SORTILE_DEVICE std::uint32_t standing(const storage& s, const Word (&keys)[each],
                                               const std::uint32_t (&bins)[each], std::uint32_t own, Wanted wanted) {
    std::uint32_t found = 0;
    each_other(bins, own, [&](unsigned j, std::uint32_t b) {
      if (wanted(s.alike.load(b)) && s.value.load(b) == keys[j])
        found |= 1u << j;
    });
    return found;
  }
  static SORTILE_DEVICE std::uint32_t samples(storage& s, std::uint32_t bits) {
    return total(s, std::uint32_t(simt::popcount(bits)));
  }
  /// Of all threads. One sum may follow another.
  static SORTILE_DEVICE std::uint32_t total(storage& s, std::uint32_t mine) {
    simt::block_barrier(); // nobody reads the sum before
    return primitives::block_reduce(s.sum, mine, primitives::plus{});
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
