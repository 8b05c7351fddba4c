// The last launch of an LSD sort in place, or in scratch (lsd_sort.hpp).
#pragma once

#include "kernels/lsd/write_at_once.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Brings keys and values to the output where the number of active passes has left them in the other array.
template <class Word, unsigned ValueBytes>
struct lsd_copy_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 512;
  using value_type = typename lsd_value<ValueBytes>::type;

  lsd_arrays<Word> keys;
  lsd_arrays<value_type> values;
  lsd_count count;
  lsd_passes passes;
  simt::global<const std::uint64_t> findings;
  bool keys_wanted, key_vectors, value_vectors;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t n = count.load();
    if (n == 0) // findings may be another sort's
      return;
    const lsd_work work = passes.work(findings);
    const unsigned all = simt::popcount(work.passes);
    if (all == 0)
      return;
    if (keys_wanted && !keys.template path<ValueBytes == 0>(work).writes_output(all - 1, all))
      copy_all(simt::global<const Word>(keys.spare), keys.out, n, key_vectors);
    if constexpr (ValueBytes != 0)
      if (!values.writes_output(all - 1, all))
        copy_all(simt::global<const value_type>(values.spare), values.out, n, value_vectors);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
