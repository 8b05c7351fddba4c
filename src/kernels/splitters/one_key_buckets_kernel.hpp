// Copies buckets of one key to the outputs, in a sort of double buffers between splitters. There the second partition
// ends in the inputs, and the local step brings the buckets to the outputs, but not those of one key: they need no
// sorting and may hold any number of pairs.
//
// Each block has an equal share of the places. Its threads read the buckets there side by side, and list those of one
// key; then all of them copy the parts of these that lie in the share. Usually there are none: then it costs reading
// the tables, 8 bytes a bucket.
#pragma once

#include "kernels/pairs/pair_types.hpp"
#include "primitives/bisect.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Value>
struct one_key_buckets_kernel {
  static constexpr bool starts_early = true, has_values = value_size<Value> != 0;
  static constexpr unsigned block_threads = 512;

  struct shared {
    simt::shared_array<std::uint32_t, block_threads> bucket;
    simt::shared_value<std::uint32_t> listed;
  };

  simt::global<const Word> in;
  simt::global<const Value> in_values;
  simt::global<Word> out;
  simt::global<Value> out_values;
  simt::global<const std::uint32_t> start, most;
  pairs_gate gate;
  std::uint32_t n, bins;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (gate.idle())
      return;
    const std::uint32_t low = share(simt::block_index()), high = share(simt::block_index() + 1);
    if (low == high)
      return;
    const std::uint32_t first = bucket_at(low, 0), last = bucket_at(high - 1, first);
    for (std::uint32_t q = first; q <= last; q += block_threads) {
      if (simt::thread_index() == 0)
        s.listed = 0;
      simt::block_barrier();
      const std::uint32_t mine = q + simt::thread_index();
      if (mine <= last && most.load(mine) == any_number)
        s.bucket[s.listed.fetch_add(0, 1u, simt::relaxed, simt::block_scope)] = mine;
      simt::block_barrier();
      const std::uint32_t listed = s.listed;
      for (std::uint32_t i = 0; i < listed; ++i)
        copy(s.bucket.load(i), low, high);
      simt::block_barrier();
    }
  }

 private:
  SORTILE_DEVICE std::uint32_t share(std::uint32_t block) const {
    return std::uint32_t(std::uint64_t{n} * block / simt::grid_size());
  }
  SORTILE_DEVICE std::uint32_t bucket_at(std::uint32_t place, std::uint32_t low) const {
    return primitives::last_that(low, bins - 1, [&](std::uint32_t b) { return start.load(b) <= place; });
  }
  /// What of the bucket lies within [low, high).
  SORTILE_DEVICE void copy(std::uint32_t bucket, std::uint32_t low, std::uint32_t high) const {
    const std::uint32_t b = start.load(bucket), e = start.load(bucket + 1), end = e < high ? e : high;
    for (std::uint32_t i = (b > low ? b : low) + simt::thread_index(); i < end; i += block_threads) {
      out[i] = in.load(i);
      if constexpr (has_values)
        out_values[i] = in_values.load(i);
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
