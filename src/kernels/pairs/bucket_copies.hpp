// How a bucket of pairs comes to shared storage: by bulk copies, one of its keys and one of its values.
//
// Copies are of whole 16 bytes, so a block reads some of its neighbours' pairs, and makes no use of them; past the end
// of the arrays nothing is read. What lies in an incomplete last vector comes pair by pair. Each block asks the L2 for
// a bucket some 4 MB on, which later blocks will want.
#pragma once

#include "kernels/pairs/pair_types.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Pair i of the bucket is global pair first + i and stands at keys[key_lead + i], values[value_lead + i].
struct pair_bucket {
  std::uint32_t first, pairs, key_lead, value_lead;
};

template <class Word, class Value>
struct bucket_copies {
  static constexpr bool has_values = value_size<Value> != 0;
  static constexpr unsigned key_vector = 16 / sizeof(Word), value_vector = has_values ? 16 / sizeof(Value) : 1;

  const simt::global<const Word>& in;
  const simt::global<const Value>& in_values;
  std::uint32_t n;

  /// By one thread: whole vectors are on their way, and `arrived` tells when they have come.
  template <class Keys, class Values>
  SORTILE_DEVICE void begin(Keys& keys, Values& values, simt::transfer_barrier& arrived, const pair_bucket& b,
                            bool with_values, bool first_time) const {
    const std::uint32_t m = whole_keys(b), v = with_values ? whole_values(b) : 0;
    if (first_time)
      arrived.init(1);
    arrived.arrive_expect(m * unsigned(sizeof(Word)) + v * unsigned(has_values ? sizeof(Value) : 0));
    if (m != 0)
      simt::bulk_load(keys, 0, in, b.first - b.key_lead, m, arrived);
    if constexpr (has_values)
      if (v != 0)
        simt::bulk_load(values, 0, in_values, b.first - b.value_lead, v, arrived);
  }
  /// By all threads: pairs whose whole vector would end past the array.
  template <class Keys, class Values>
  SORTILE_DEVICE void rest(Keys& keys, Values& values, const pair_bucket& b, bool with_values) const {
    const unsigned t = simt::thread_index();
    if (const std::uint32_t m = whole_keys(b); m + t < b.key_lead + b.pairs)
      keys[m + t] = in.load(b.first - b.key_lead + m + t);
    if constexpr (has_values)
      if (const std::uint32_t v = whole_values(b); with_values && v + t < b.value_lead + b.pairs)
        values[v + t] = in_values.load(b.first - b.value_lead + v + t);
  }
  /// By all threads of block q, whose bucket is the q-th: of a bucket that a later block will want, of `capacity` pairs
  /// at most.
  template <unsigned Threads>
  SORTILE_DEVICE void prefetch_later(const simt::global<const std::uint32_t>& start, std::uint32_t capacity) const {
    constexpr unsigned ahead = (4u << 20) / unsigned(4096 * (sizeof(Word) + value_size<Value>));
    const std::uint32_t q = simt::block_index() + ahead;
    if (q >= simt::grid_size())
      return;
    const std::uint32_t b = start.load(q), e = start.load(q + 1);
    const std::uint32_t i = b + simt::thread_index() * unsigned(128 / sizeof(Word));
    if (i < e)
      simt::prefetch(in, i);
    if constexpr (has_values) {
      for (std::uint32_t j = b + simt::thread_index() * unsigned(128 / sizeof(Value)); j < e && j < b + capacity;
           j += Threads * unsigned(128 / sizeof(Value)))
        simt::prefetch(in_values, j);
    }
  }

 private:
  SORTILE_DEVICE std::uint32_t whole_keys(const pair_bucket& b) const {
    return whole(b.first - b.key_lead, b.key_lead + b.pairs, key_vector);
  }
  SORTILE_DEVICE std::uint32_t whole_values(const pair_bucket& b) const {
    return whole(b.first - b.value_lead, b.value_lead + b.pairs, value_vector);
  }
  /// Items to copy from a vector's first item on for `items` of them: whole vectors, as many as the array has.
  SORTILE_DEVICE std::uint32_t whole(std::uint32_t first, std::uint32_t wanted, unsigned vector) const {
    const std::uint32_t up = (wanted + vector - 1) / vector * vector;
    return n - first >= up ? up : wanted / vector * vector;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
