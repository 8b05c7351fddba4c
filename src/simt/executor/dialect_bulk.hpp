// The dialect on the executor: bulk asynchronous copies.
#pragma once

#include "simt/executor/dialect_memory.hpp"

namespace sortile::simt {
inline namespace executor_backend {

/// Counts arrivals and bytes of copies; for the kernel's `shared` struct. A phase ends when both are complete; parity
/// is 0 for the first.
class transfer_barrier {
 public:
  /// By one thread, before the others use it (a block barrier lies between).
  void init(unsigned arrivals, site w = site::current()) { executor::transfer_init(&b_, arrivals, w); }
  void arrive(site w = site::current()) { executor::transfer_arrive(&b_, 0, w); }
  /// Arrives, and lets the phase wait for so many bytes of copies.
  void arrive_expect(std::uint32_t bytes, site w = site::current()) { executor::transfer_arrive(&b_, bytes, w); }
  void wait(unsigned parity, site w = site::current()) {
    while (!executor::transfer_phase_done(&b_, parity, w))
      ;
  }
  executor::transfer_barrier* raw() { return &b_; }

 private:
  executor::transfer_barrier b_;
};

/// Copies `count` elements from global to shared memory; addresses and bytes are multiples of 16. Completes on `b`.
template <class T, class Shared>
void bulk_load(const Shared& to, detail::position to_index, global<T> from, detail::position from_index,
               std::uint32_t count, transfer_barrier& b) {
  executor::bulk_load(to.checked(to_index.i, count, to_index.where),
                      from.checked(from_index.i, count, from_index.where), count * sizeof(T), b.raw(), to_index.where);
}
/// Copies `count` elements from shared to global memory; belongs to the thread's open group.
template <class T, class Shared>
void bulk_store(global<T> to, detail::position to_index, const Shared& from, detail::position from_index,
                std::uint32_t count) {
  executor::bulk_store(to.checked(to_index.i, count, to_index.where),
                       from.checked(from_index.i, count, from_index.where), count * sizeof(T), to_index.where);
}
/// Between this thread's (or, after a barrier, its block's) stores to shared memory and a bulk_store that reads them.
inline void bulk_fence(site w = site::current()) {
  executor::fence(executor::reach::block, w);
}
inline void bulk_commit(site w = site::current()) {
  executor::bulk_commit(w);
}
/// Until at most `Left` of this thread's groups are unfinished.
template <unsigned Left = 0>
void bulk_wait(site w = site::current()) {
  executor::bulk_wait(Left, false, w);
}
/// Until at most `Left` groups may still read their shared memory.
template <unsigned Left = 0>
void bulk_wait_read(site w = site::current()) {
  executor::bulk_wait(Left, true, w);
}

} // namespace executor_backend
} // namespace sortile::simt
