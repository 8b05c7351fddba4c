// Sort by counting, a few thousand keys, in one launch of one block: nothing is shared with others, so no tables in
// global memory and no barriers but the block's.
//
//   count    into the block's counters (narrow_counters.hpp); 2^14 keys cannot fill one
//   scan     16 bits: each thread 32 neighbouring ranks and the 32 that are 2^15 further up, both sums in one word
//   mark     each rank that occurs marks the place where its keys begin with itself
//   fill     each thread 16 places: the keys are the running maximum of the marks (narrow_fill.hpp)
//
// so that the time does not depend on how the keys are spread. The marks are as wide as keys, 32 KB, beside 128 KB of
// counters: 161 KB, one block on sm_80 too.
#pragma once

#include "kernels/narrow/count_sort_kernel.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct one_block_count_kernel {
  using counters = narrow_counters<Word, true>;
  static constexpr unsigned block_threads = 1024, capacity = unsigned(detail::count_sort_one_block);
  static constexpr unsigned warps = block_threads / simt::warp_size;
  static constexpr int vector = int(16 / sizeof(Word)), items = int(capacity / block_threads);
  static constexpr unsigned row_keys = simt::warp_size * unsigned(vector);
  static_assert(warps * counting_rows * row_keys >= capacity && items % vector == 0);
  using keys_vector = narrow_vector<Word>;

  struct shared {
    counters counting;
    alignas(16) simt::shared_array<Word, capacity> marks;
    primitives::block_scan_storage<std::uint32_t, block_threads> scan;
    primitives::block_scan_storage<std::uint32_t, block_threads> most;
    simt::shared_value<std::uint32_t> patterns;
  };

  narrow_arrays<Word> arrays;

  SORTILE_DEVICE void operator()(shared& s) const {
    const auto n = std::uint32_t(arrays.count.load());
    s.counting.template clear<block_threads>();
    SORTILE_UNROLL
    for (int v = 0; v < items / vector; ++v)
      keys_vector::made([](int) {
        return Word{0};
      }).store(s.marks, (unsigned(v) * block_threads + simt::thread_index()) * unsigned(vector));
    if (simt::thread_index() == 0)
      s.patterns = 0;
    simt::block_barrier();
    count(s, n);
    simt::block_barrier();
    const bool suits = !arrays.order.is_float() || single_patterns(s);
    arrays.take();
    if (!suits)
      return arrays.give_away();
    mark(s);
    simt::block_barrier();
    fill(s, n);
  }

 private:
  SORTILE_DEVICE void count(shared& s, std::uint32_t n) const {
    const auto no_spill = [](Word) { simt::trap(); };
    const std::uint32_t head = arrays.in_shift == 0 ? 0 : unsigned(vector) - arrays.in_shift;
    const std::uint32_t first = head < n ? head : n, rows = (n - first) / row_keys, behind = first + rows * row_keys;
    keys_vector x[counting_rows];
    SORTILE_UNROLL
    for (unsigned k = 0; k < counting_rows; ++k)
      if (const std::uint32_t row = simt::warp_index() + k * warps; row < rows)
        x[k] = keys_vector::load(arrays.in, first + row * row_keys + simt::lane_index() * unsigned(vector));
    if (simt::warp_index() < rows) {
      auto frequent = s.counting.find_frequent(x[0]);
      SORTILE_UNROLL
      for (unsigned k = 0; k < counting_rows; ++k)
        if (simt::warp_index() + k * warps < rows)
          s.counting.add_row(x[k], frequent, no_spill);
      s.counting.add_frequent(frequent, no_spill);
    }
    for (std::uint32_t i = simt::thread_index(); i < first + (n - behind); i += block_threads)
      s.counting.add_key(arrays.in.load(i < first ? i : behind + (i - first)), no_spill);
  }

  SORTILE_DEVICE std::uint32_t count_of(shared& s, std::uint32_t rank) const {
    return std::uint32_t(s.counting.of(arrays.order.key(Word(rank))));
  }
  SORTILE_DEVICE bool single_patterns(shared& s) const {
    const auto present = [&](std::uint32_t rank) { return count_of(s, rank) != 0; };
    const unsigned nans = arrays.order.nans(simt::thread_index(), block_threads, present);
    if (nans != 0)
      s.patterns.fetch_add(0, nans, simt::relaxed, simt::block_scope);
    simt::block_barrier();
    return s.patterns <= 1 && !arrays.order.both_zeros(present);
  }

  /// Thread t: of 8 bits rank t; of 16 bits the ranks 32 t … and those half of all ranks further up.
  SORTILE_DEVICE void mark(shared& s) const {
    constexpr unsigned each = counters::values / 2 / block_threads;
    const unsigned t = simt::thread_index();
    if constexpr (each == 0) {
      const std::uint32_t keys = t < counters::values ? count_of(s, t) : 0;
      const std::uint32_t at = primitives::block_exclusive_scan(s.scan, keys, primitives::plus{}, 0u).before;
      if (keys != 0)
        s.marks[at] = Word(t);
    } else {
      std::uint32_t both = 0; // keys of the upper ranks << 16 | of the lower
      SORTILE_UNROLL
      for (unsigned j = 0; j < each; ++j)
        both += count_of(s, t * each + j) + (count_of(s, t * each + j + counters::values / 2) << 16);
      const auto scan = primitives::block_exclusive_scan(s.scan, both, primitives::plus{}, 0u);
      std::uint32_t low = scan.before & 0xffff, high = (scan.before >> 16) + (scan.total & 0xffff);
      SORTILE_UNROLL
      for (unsigned j = 0; j < each; ++j) {
        low = mark(s, t * each + j, low);
        high = mark(s, t * each + j + counters::values / 2, high);
      }
    }
  }
  /// Where the next rank's keys begin.
  SORTILE_DEVICE std::uint32_t mark(shared& s, std::uint32_t rank, std::uint32_t at) const {
    const std::uint32_t keys = count_of(s, rank);
    if (keys != 0)
      s.marks[at] = Word(rank);
    return at + keys;
  }

  SORTILE_DEVICE void fill(shared& s, std::uint32_t n) const {
    constexpr int vectors = items / vector;
    const std::uint32_t first = simt::thread_index() * unsigned(items);
    keys_vector marks[vectors];
    std::uint32_t most = 0;
    SORTILE_UNROLL
    for (int v = 0; v < vectors; ++v) {
      marks[v] = keys_vector::load(s.marks, first + unsigned(v * vector));
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e)
        most = marks[v][e] > most ? marks[v][e] : most;
    }
    std::uint32_t running = primitives::block_exclusive_scan(s.most, most, primitives::maximum{}, 0u).before;
    SORTILE_UNROLL
    for (int v = 0; v < vectors; ++v)
      store(first + unsigned(v * vector), n, keys_vector::made([&](int e) {
              running = marks[v][e] > running ? marks[v][e] : running;
              return arrays.order.key(Word(running));
            }));
  }
  SORTILE_DEVICE void store(std::uint32_t at, std::uint32_t n, const keys_vector& x) const {
    if (arrays.out_shift == 0 && at + unsigned(vector) <= n) {
      x.store(arrays.out, at);
    } else {
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e)
        if (at + unsigned(e) < n)
          arrays.out[at + unsigned(e)] = x[e];
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
