// A power of two of threads a value, each moving every so many units of it.
#include "kernels/values/move_values.hpp"

#include "kernels/number_array.hpp"
#include "kernels/send.hpp"
#include "kernels/values/moving_threads.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Unit: std::uint8_t or std::uint32_t.
template <class Unit>
struct move_values_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;

  simt::global<const Unit> in;
  simt::global<Unit> out;
  const_number_array indices; // none: values stay in their order
  std::uint64_t n;
  std::uint64_t in_units, out_units, units; // from one value to the next, and to move
  unsigned threads_bits;                    // 2^threads_bits threads move a value

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t stride = (std::uint64_t{simt::grid_size()} * block_threads) >> threads_bits;
    const std::uint64_t thread = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index();
    const std::uint64_t first = thread & ((1u << threads_bits) - 1);
    for (std::uint64_t i = thread >> threads_bits; i < n; i += stride) {
      const std::uint64_t from = indices.are_there() ? indices.load(i) : i;
      for (std::uint64_t u = first; u < units; u += 1u << threads_bits)
        out[i * out_units + u] = in.load(from * in_units + u);
    }
  }
};

namespace {

template <class Unit>
void launch_moves(const simt::queue& q, const move_values_request& r) {
  using kernel = move_values_kernel<Unit>;
  const std::uint64_t units = r.value_bytes() / sizeof(Unit);
  const auto threads = moving_threads::of_units(units);
  simt::launch(q, {.grid = threads.blocks(r.n, kernel::block_threads)},
               kernel{.in = {static_cast<const Unit*>(r.in), (r.in_n == 0 ? r.n : r.in_n) * r.in_bytes / sizeof(Unit)},
                      .out = {static_cast<Unit*>(r.out), r.n * r.out_bytes / sizeof(Unit)},
                      .indices = const_number_array::of(r.indices, r.n, r.index_bytes),
                      .n = r.n,
                      .in_units = r.in_bytes / sizeof(Unit),
                      .out_units = r.out_bytes / sizeof(Unit),
                      .units = units,
                      .threads_bits = threads.bits});
}

void launch(const simt::queue& q, const move_values_request& r) {
  const auto all =
      reinterpret_cast<std::uintptr_t>(r.in) | reinterpret_cast<std::uintptr_t>(r.out) | r.in_bytes | r.out_bytes;
  if (all % 4 == 0)
    launch_moves<std::uint32_t>(q, r);
  else
    launch_moves<std::uint8_t>(q, r);
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

SORTILE_LAUNCHES_OF(move_values_request, launch)
