// The kernel of move_runs.hpp: a power of two of threads per element, each moving every so many units of it.
#pragma once

#include "kernels/any_order/run_list.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Unit: std::uint8_t or std::uint32_t. Number: of the elements that are wanted; void where all are, in their order.
template <class Unit, class Number>
struct move_runs_kernel {
  static constexpr unsigned block_threads = 256;
  static constexpr bool by_number = !std::is_void_v<Number>;
  using number = std::conditional_t<by_number, Number, std::uint32_t>;

  run_list list;
  bool values;
  simt::global<Unit> out;
  simt::global<const number> numbers;
  std::uint64_t units;
  unsigned threads_bits; // 2^threads_bits threads move an element

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t stride = (std::uint64_t{simt::grid_size()} * block_threads) >> threads_bits;
    const std::uint64_t thread = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index();
    const std::uint64_t first = thread & ((1u << threads_bits) - 1);
    std::uint64_t begin = 0, end = 0; // elements of the run at hand
    simt::global<const Unit> from{nullptr, 0};
    for (std::uint64_t i = thread >> threads_bits; i < list.n; i += stride) {
      std::uint64_t wanted = i;
      if constexpr (by_number)
        wanted = numbers.load(i);
      if (wanted < begin || wanted >= end) {
        const std::uint64_t r = list.run_of(wanted);
        const listed_run run = list.get(r);
        begin = run.start;
        end = list.start(r + 1);
        from = {static_cast<const Unit*>(values ? run.values : run.keys), (end - begin) * units};
      }
      for (std::uint64_t u = first; u < units; u += 1u << threads_bits)
        out.store(i * units + u, from.load((wanted - begin) * units + u));
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
