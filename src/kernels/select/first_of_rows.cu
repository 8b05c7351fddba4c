// A power of two of threads a result, each moving every so many units of it.
#include "kernels/select/first_of_rows.hpp"

#include "kernels/segments/segment_reader.hpp"
#include "kernels/select/row_limits.hpp"
#include "kernels/send.hpp"
#include "kernels/values/moving_threads.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Unit: std::uint8_t or std::uint32_t.
template <class Unit>
struct first_of_rows_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;

  simt::global<const Unit> in;
  simt::global<Unit> out;
  const_number_array positions; // where elements are named
  segment_reader where;
  row_limits limits;
  std::uint64_t results, k; // room for them, of all rows and of one
  unsigned units;
  unsigned threads_bits; // 2^threads_bits threads move an element
  bool positions_in_rows;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t stride = (std::uint64_t{simt::grid_size()} * block_threads) >> threads_bits;
    const std::uint64_t thread = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index();
    const std::uint64_t first = thread & ((1u << threads_bits) - 1);
    for (std::uint64_t to = thread >> threads_bits; to < results; to += stride) {
      const std::uint64_t row = to / k, i = to % k;
      const auto found = where.load(row);
      if (i >= limits.at_most(found.length < k ? found.length : k, row))
        continue;
      std::uint64_t from = positions.are_there() ? positions.load(to) : i;
      if (positions_in_rows && from >= found.length) // of segments that overlap
        continue;
      if (!positions.are_there() || positions_in_rows)
        from += found.begin;
      for (std::uint64_t u = first; u < units; u += 1u << threads_bits)
        out[to * units + u] = in.load(from * units + u);
    }
  }
};

namespace {

template <class Unit>
void launch_units(const simt::queue& q, const first_of_rows_request& r) {
  using kernel = first_of_rows_kernel<Unit>;
  const std::uint64_t units = r.bytes / sizeof(Unit), results = r.rows * r.k;
  const auto threads = moving_threads::of_units(units);
  const segments rows{.count = r.rows, .length = r.k, .stride = r.stride};
  simt::launch(q, {.grid = threads.blocks(results, kernel::block_threads)},
               kernel{.in = {static_cast<const Unit*>(r.in), r.n * units},
                      .out = {static_cast<Unit*>(r.out), results * units},
                      .positions = const_number_array::of(r.positions, results, r.position_bytes),
                      .where = reader_of(r.where.count == 0 ? rows : r.where, r.n),
                      .limits = row_limits::of(r.results, r.rows),
                      .results = results,
                      .k = r.k,
                      .units = unsigned(units),
                      .threads_bits = threads.bits,
                      .positions_in_rows = r.positions_in_rows});
}

void launch(const simt::queue& q, const first_of_rows_request& r) {
  if ((reinterpret_cast<std::uintptr_t>(r.in) | reinterpret_cast<std::uintptr_t>(r.out) | r.bytes) % 4 == 0)
    launch_units<std::uint32_t>(q, r);
  else
    launch_units<std::uint8_t>(q, r);
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

SORTILE_LAUNCHES_OF(first_of_rows_request, launch)
