// Launches the radix histogram, one instance a key width.
#include "kernels/clear_words.hpp"
#include "kernels/histogram/radix_histogram_kernel.hpp"
#include "kernels/histogram/radix_histogram_launch.hpp"

namespace sortile::kernels::detail {

template <class Backend, class Word>
void launch_radix_histogram(const simt::queue& q, const Word* keys, std::uint64_t n, const key_codec<Word>& codec,
                            std::uint64_t* counts) {
  using kernel = radix_histogram_kernel<Word>;
  clear(q, counts, radix_histogram_counters<Word> * sizeof *counts);
  if (n == 0)
    return;
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(keys) % 16;
  const std::uint64_t head = std::min<std::uint64_t>(n, offset == 0 ? 0 : (16 - offset) / sizeof(Word));
  constexpr std::uint64_t stretch =
      std::uint64_t{kernel::block_threads} * histogram_tuning<Word>::vectors * kernel::vector;
  // As many blocks as are resident, but no more than there is work for, and each with keys for 32-bit counters.
  const std::uint64_t useful = std::min<std::uint64_t>(simt::resident_blocks<kernel>(q), (n + stretch - 1) / stretch);
  const auto blocks = unsigned(std::max<std::uint64_t>(useful, (n >> 31) + 1));
  simt::launch(q, {.grid = blocks},
               kernel{.keys = {keys, n},
                      .n = n,
                      .head = std::uint32_t(head),
                      .codec = codec,
                      .counts = {counts, radix_histogram_counters<Word>}});
}

#define SORTILE_INSTANCE(WORD)                                                                                         \
  template void launch_radix_histogram<simt::this_backend>(const simt::queue&, const WORD*, std::uint64_t,             \
                                                           const key_codec<WORD>&, std::uint64_t*);
SORTILE_INSTANCE(std::uint8_t)
SORTILE_INSTANCE(std::uint16_t)
SORTILE_INSTANCE(std::uint32_t)
SORTILE_INSTANCE(std::uint64_t)
SORTILE_INSTANCE(uint128)
#undef SORTILE_INSTANCE

} // namespace sortile::kernels::detail
