// Sort by counting, a few thousand keys of 8 bits, in one launch of one block: nothing is shared with others, so no
// tables in global memory and no barriers but the block's.
//
//   count    each warp a row, into the block's counters (narrow_counters.hpp)
//   mark     thread t has rank t: where its keys begin, by a scan of the counts, the place gets the rank
//   fill     each thread 16 places: the keys are the running maximum of the marks (narrow_fill.hpp)
//
// so that the time does not depend on how the keys are spread: 10 to 12 µs, where the grid's barriers make it 13 to 15.
// Keys of 16 bits have too many counters for that: of up to 2^12 a sample sort takes half of the time.
#pragma once

#include "kernels/narrow/count_sort_kernel.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

struct one_block_count_kernel {
  using Word = std::uint8_t;
  using counters = narrow_counters<Word>;
  static constexpr unsigned block_threads = 1024, capacity = unsigned(detail::count_sort_one_block);
  static constexpr unsigned vector = 16, row_keys = simt::warp_size * vector;
  static_assert(capacity == block_threads * vector); // a vector a thread
  using keys_vector = narrow_vector<Word>;

  struct shared {
    counters counting;
    alignas(16) simt::shared_array<Word, capacity> marks;
    primitives::block_scan_storage<std::uint32_t, block_threads> scan;
    primitives::block_scan_storage<std::uint32_t, block_threads> most;
  };

  narrow_arrays<Word> arrays;

  SORTILE_DEVICE void operator()(shared& s) const {
    const auto n = std::uint32_t(arrays.count.load());
    s.counting.template clear<block_threads>();
    keys_vector::made([](int) { return Word{0}; }).store(s.marks, simt::thread_index() * vector);
    simt::block_barrier();
    count(s, n);
    arrays.take();
    simt::block_barrier();
    mark(s);
    simt::block_barrier();
    fill(s, n);
  }

 private:
  SORTILE_DEVICE void count(shared& s, std::uint32_t n) const {
    const auto no_spill = [](Word) { simt::trap(); };
    const std::uint32_t head = arrays.in_shift == 0 ? 0 : vector - arrays.in_shift;
    const std::uint32_t first = head < n ? head : n, rows = (n - first) / row_keys, behind = first + rows * row_keys;
    if (simt::warp_index() < rows) {
      const auto x = keys_vector::load(arrays.in, first + simt::thread_index() * vector);
      SORTILE_UNROLL
      for (int e = 0; e < int(vector); ++e)
        s.counting.add_key(x[e], no_spill);
    }
    for (std::uint32_t i = simt::thread_index(); i < first + (n - behind); i += block_threads)
      s.counting.add_key(arrays.in.load(i < first ? i : behind + (i - first)), no_spill);
  }

  SORTILE_DEVICE void mark(shared& s) const {
    const unsigned rank = simt::thread_index();
    const auto keys =
        rank < counters::values ? std::uint32_t(s.counting.of(arrays.order.key(Word(rank)))) : std::uint32_t{0};
    const std::uint32_t at = primitives::block_exclusive_scan(s.scan, keys, primitives::plus{}, 0u).before;
    if (keys != 0)
      s.marks[at] = Word(rank);
  }

  SORTILE_DEVICE void fill(shared& s, std::uint32_t n) const {
    const std::uint32_t first = simt::thread_index() * vector;
    const auto marks = keys_vector::load(s.marks, first);
    std::uint32_t most = 0;
    SORTILE_UNROLL
    for (int e = 0; e < int(vector); ++e)
      most = marks[e] > most ? marks[e] : most;
    std::uint32_t running = primitives::block_exclusive_scan(s.most, most, primitives::maximum{}, 0u).before;
    const auto x = keys_vector::made([&](int e) {
      running = marks[e] > running ? marks[e] : running;
      return arrays.order.key(Word(running));
    });
    if (arrays.out_shift == 0 && first + vector <= n) {
      x.store(arrays.out, first);
    } else {
      SORTILE_UNROLL
      for (int e = 0; e < int(vector); ++e)
        if (first + unsigned(e) < n)
          arrays.out[first + unsigned(e)] = x[e];
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
