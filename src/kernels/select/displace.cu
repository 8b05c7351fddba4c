// Who moves where when k chosen elements of an array are to stand together. The window: the places [begin, begin + k).
//
//     place     0 … k − 1                 k … n − 1            here begin = 0
//     element   c   x   c   y   c   z     ·  c  ·  c  ·  c     c: chosen; x, y, z: displaced
//                   │       │       │        │     │     │
//                   └───────│───────│────────┘     │     │     the first displaced one to the first hole, and so on
//                           └───────│──────────────┘     │
//                                   └────────────────────┘
//
// There are as many holes (places outside of the window that a chosen element leaves) as places of the window whose
// element is not chosen: both are k less those of the chosen that stand in the window already. Let below(p) be how many
// positions in the ascending list of the chosen are below p. A place p of the window that is not in the list is, among
// such places, the one of number
//
//     r = (p − begin) − (below(p) − below(begin))
//
// and the holes in their order are the list without its entries from below(begin) up to below(begin + k). So a thread
// finds where its element goes by itself: no scan, no counters, no memory, and the same result in every run.
//
// Only places of the window are read and only places outside of it are written, so no thread reads what another one
// writes, and which of them is first does not matter.
//
// Cost: a block bisects the whole list twice. A place bisects those entries that lie in the window: of random keys
// k² / n of them, none or a few. At most k elements are read and written.
#include "kernels/number_array.hpp"
#include "kernels/select/displace.hpp"
#include "kernels/send.hpp"
#include "kernels/values/moving_threads.hpp"
#include "primitives/bisect.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Unit: std::uint8_t or std::uint32_t, in which elements are moved.
template <class Unit>
struct displace_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;
  struct shared {
    simt::shared_array<std::uint64_t, 2> ends; // listed positions below the window's begin, and below its end
  };

  simt::global<Unit> elements;
  const_number_array chosen; // ascending
  std::uint64_t k, begin;
  std::uint64_t units;   // of an element
  unsigned threads_bits; // 2^threads_bits threads move an element

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    if (t < 2)
      s.ends[t] = below(begin + (t == 0 ? 0 : k), 0, k);
    simt::block_barrier();
    const std::uint64_t listed = s.ends.load(0), behind = s.ends.load(1);
    const std::uint64_t stride = (std::uint64_t{simt::grid_size()} * block_threads) >> threads_bits;
    const std::uint64_t thread = std::uint64_t{simt::block_index()} * block_threads + t;
    const std::uint64_t first = thread & ((1u << threads_bits) - 1);
    for (std::uint64_t i = thread >> threads_bits; i < k; i += stride) {
      const std::uint64_t place = begin + i, before = below(place, listed, behind);
      if (before < behind && chosen.load(before) == place)
        continue;
      const std::uint64_t number = i - (before - listed);
      const std::uint64_t hole = chosen.load(number < listed ? number : number - listed + behind);
      for (std::uint64_t u = first; u < units; u += 1u << threads_bits)
        elements[hole * units + u] = elements.load(place * units + u);
    }
  }

 private:
  /// How many listed positions are below `place`; it is known to be from `low` to `high`.
  SORTILE_DEVICE std::uint64_t below(std::uint64_t place, std::uint64_t low, std::uint64_t high) const {
    return primitives::first_that(low, high, [&](std::uint64_t i) { return chosen.load(i) >= place; });
  }
};

namespace {

template <class Unit>
void launch_displacing(const simt::queue& q, const displace_request& r) {
  using kernel = displace_kernel<Unit>;
  const std::uint64_t units = r.element_bytes / sizeof(Unit);
  const auto threads = moving_threads::of_units(units);
  simt::launch(q, {.grid = threads.blocks(r.k, kernel::block_threads)},
               kernel{.elements = {static_cast<Unit*>(r.elements), r.n * units},
                      .chosen = const_number_array::of(r.chosen, r.k, r.position_bytes),
                      .k = r.k,
                      .begin = r.begin,
                      .units = units,
                      .threads_bits = threads.bits});
}

void launch(const simt::queue& q, const displace_request& r) {
  if ((reinterpret_cast<std::uintptr_t>(r.elements) | r.element_bytes) % 4 == 0)
    launch_displacing<std::uint32_t>(q, r);
  else
    launch_displacing<std::uint8_t>(q, r);
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

SORTILE_LAUNCHES_OF(displace_request, launch)
