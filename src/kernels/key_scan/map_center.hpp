// About which number the cells of a map lie closest (key_map.hpp), as 64 samples tell: where the keys are dense. At the
// lower or the upper end if the median is far nearer to it, as of exponential and lognormal keys, else the median.
#pragma once

#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Number>
struct map_center {
  static constexpr unsigned samples = 64;
  struct storage {
    simt::shared_array<Number, samples> sample, ranked;
  };

  /// By all threads of a block, behind a barrier after `sample` was written.
  static SORTILE_DEVICE Number find(storage& s) {
    if (simt::thread_index() < samples)
      rank(s);
    simt::block_barrier();
    constexpr Number far = 4;
    const Number low = s.ranked.load(0), middle = s.ranked.load(samples / 2), high = s.ranked.load(samples - 1);
    const Number under = Number(middle - low), over = Number(high - middle);
    return under < over / far ? low : over < under / far ? high : middle;
  }

 private:
  static SORTILE_DEVICE void rank(storage& s) {
    const unsigned t = simt::thread_index();
    const Number own = s.sample.load(t);
    unsigned rank = 0;
    for (unsigned i = 0; i < samples; ++i) {
      const Number other = s.sample.load(i);
      rank += other < own || (other == own && i < t) ? 1 : 0; // equal ones by their place
    }
    s.ranked[rank] = own;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
