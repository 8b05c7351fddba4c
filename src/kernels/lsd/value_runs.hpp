// The output of keys that have been counted by value (value_table.hpp): each value as often as it occurs, in order.
//
//   runs     every block orders the table's values (value_order.hpp) and adds up their counts
//   writing  warps write stretches; a stretch looks up its first run, and goes on from there
//
// Traffic: sizeof(key) bytes per key, written.
#pragma once

#include "kernels/lsd/value_order.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned Threads>
struct value_runs {
  using table = value_table<Word>;
  using scan_storage = primitives::block_scan_storage<std::uint64_t, Threads>;
  static constexpr unsigned most = table::most;
  static_assert(most <= Threads);
  static constexpr std::size_t storage_bytes = 4 * most * sizeof(std::uint64_t);

  simt::shared_view<std::uint64_t> words;

  SORTILE_DEVICE simt::shared_view<std::uint64_t> key() const { return words.subview(0, most); }
  SORTILE_DEVICE simt::shared_view<std::uint64_t> begin() const { return words.subview(most, most); }

  /// How many runs there are; then key() has their keys in order, and begin() where they begin. By all threads of a
  /// block; has barriers, also at its end. `counter` is shared storage, too.
  template <class KeyOf>
  SORTILE_DEVICE unsigned find(const table& all, simt::shared_value<std::uint32_t>& counter, scan_storage& scan,
                               KeyOf key_of) const {
    const unsigned t = simt::thread_index();
    const unsigned runs =
        order_values<Threads>(all, counter, words, [&](unsigned, Word image, std::uint64_t count, unsigned rank) {
          key()[rank] = key_of(image);
          begin()[rank] = count;
        });
    simt::block_barrier();
    const std::uint64_t here = t < runs ? begin().load(t) : 0;
    const auto sum = primitives::block_exclusive_scan(scan, here, primitives::plus{}, std::uint64_t{0});
    if (t < runs)
      begin()[t] = sum.before;
    simt::block_barrier();
    return runs;
  }

  /// Writes n keys, by the whole grid; `Vector` of them by one store.
  template <int Vector>
  SORTILE_DEVICE void write(const simt::global<Word>& to, std::uint64_t n, unsigned runs) const {
    constexpr unsigned rows = 4, row = simt::warp_size * unsigned(Vector);
    const std::uint64_t warps = std::uint64_t{simt::grid_size()} * (Threads / simt::warp_size);
    const auto warp = std::uint64_t{simt::block_index()} * (Threads / simt::warp_size) + simt::warp_index();
    for (std::uint64_t first = warp * rows * row; first < n; first += warps * rows * row) {
      unsigned run = run_at(first, runs);
      for (unsigned r = 0; r < rows; ++r) {
        const std::uint64_t i = first + r * row + simt::lane_index() * unsigned(Vector);
        simt::vec<Word, Vector> x;
        SORTILE_UNROLL
        for (int e = 0; e < Vector; ++e) {
          while (run + 1 < runs && begin().load(run + 1) <= i + unsigned(e))
            ++run;
          x[e] = Word(key().load(run));
        }
        if (i + unsigned(Vector) <= n)
          simt::store_vector<Vector>(to, i, x);
        else {
          SORTILE_UNROLL
          for (int e = 0; e < Vector; ++e)
            if (i + unsigned(e) < n)
              to.store(i + unsigned(e), x[e]);
        }
      }
    }
  }

 private:
  /// The last run that begins at i or before.
  SORTILE_DEVICE unsigned run_at(std::uint64_t i, unsigned runs) const {
    unsigned run = 0;
    for (unsigned step = most / 2; step != 0; step /= 2)
      if (run + step < runs && begin().load(run + step) <= i)
        run += step;
    return run;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
