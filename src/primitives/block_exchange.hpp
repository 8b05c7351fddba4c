// Moves a block's items between arrangements, through shared storage.
//
//   blocked   thread t holds items t·Items … t·Items + Items − 1            for sequential work on neighbours
//   striped   thread t holds items t, t + Threads, t + 2·Threads, …         for coalesced access to memory
//   ranks     each item goes to the place that its rank says, then comes back in one of the two
//
// Striped accesses meet no bank conflicts. Blocked ones step by Items words: with an even Items, lanes would share
// banks, so an unused element after every 32 shifts them apart. An odd Items needs none: it is free of conflicts
// already, and padding would spoil that. 4-byte elements with Items a power of two, and odd Items, have no conflicts at
// all.
//
// Each call has a barrier inside, between its writes and its reads; the storage may be used again once another block
// barrier has passed. `in` and `out` may be the same array.
#pragma once

#include "simt/simt.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

template <class T, unsigned Threads, int Items>
class block_exchange {
  static constexpr bool padded = Items % 2 == 0;
  static constexpr unsigned size = Threads * Items;
  static SORTILE_DEVICE unsigned place(unsigned i) { return padded ? i + i / simt::warp_size : i; }

 public:
  struct storage {
    simt::shared_array<T, padded ? size + size / simt::warp_size : size> items;
  };

  static SORTILE_DEVICE void blocked_to_striped(storage& s, const T (&in)[Items], T (&out)[Items]) {
    write_blocked(s, in);
    simt::block_barrier();
    read_striped(s, out);
  }
  static SORTILE_DEVICE void striped_to_blocked(storage& s, const T (&in)[Items], T (&out)[Items]) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      s.items[place(unsigned(i) * Threads + simt::thread_index())] = in[i];
    simt::block_barrier();
    read_blocked(s, out);
  }
  /// Ranks are a permutation of 0 … Threads·Items − 1 over the block.
  static SORTILE_DEVICE void scatter_to_striped(storage& s, const T (&in)[Items], const unsigned (&ranks)[Items],
                                                T (&out)[Items]) {
    write_ranked(s, in, ranks);
    simt::block_barrier();
    read_striped(s, out);
  }
  static SORTILE_DEVICE void scatter_to_blocked(storage& s, const T (&in)[Items], const unsigned (&ranks)[Items],
                                                T (&out)[Items]) {
    write_ranked(s, in, ranks);
    simt::block_barrier();
    read_blocked(s, out);
  }

 private:
  static SORTILE_DEVICE void write_blocked(storage& s, const T (&in)[Items]) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      s.items[place(simt::thread_index() * Items + unsigned(i))] = in[i];
  }
  static SORTILE_DEVICE void write_ranked(storage& s, const T (&in)[Items], const unsigned (&ranks)[Items]) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      s.items[place(ranks[i])] = in[i];
  }
  static SORTILE_DEVICE void read_blocked(storage& s, T (&out)[Items]) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      out[i] = s.items[place(simt::thread_index() * Items + unsigned(i))];
  }
  static SORTILE_DEVICE void read_striped(storage& s, T (&out)[Items]) {
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i)
      out[i] = s.items[place(unsigned(i) * Threads + simt::thread_index())];
  }
};

} // namespace sortile::primitives::inline SORTILE_BACKEND
