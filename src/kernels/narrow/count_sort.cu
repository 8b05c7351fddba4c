// Launches the sort by counting, one instance a key width.
#include "kernels/clear_words.hpp"
#include "kernels/narrow/count_sort_kernel.hpp"
#include "kernels/narrow/one_block_count_kernel.hpp"

#include <sortile/error.hpp>

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

template <class Word>
std::uint32_t shift_of(const Word* array) {
  return std::uint32_t(reinterpret_cast<std::uintptr_t>(array) % 16 / sizeof(Word));
}

template <class Word>
narrow_arrays<Word> arrays_of(const typed_request<Word>& r) {
  return {.in = {r.keys_in, r.n},
          .out = {r.keys_out, r.n},
          .count = {r.n, {r.device_n, r.device_n == nullptr ? 0u : 1u}, r.device_n != nullptr},
          .order = narrow_order<Word>::of(r.codec),
          .told = verdict::of(r.verdict),
          .in_shift = shift_of(r.keys_in),
          .out_shift = shift_of(r.keys_out),
          .in_place = r.keys_in == r.keys_out};
}

template <class Word>
narrow_tables<Word> tables_of(const typed_request<Word>& r) {
  using layout = detail::count_sort_layout<Word>;
  constexpr layout at = layout::of_all();
  char* const space = static_cast<char*>(r.workspace);
  return {.counts = {reinterpret_cast<std::uint32_t*>(space + at.counts), layout::values},
          .spills = {reinterpret_cast<std::uint32_t*>(space + at.spills), layout::values},
          .sums = {reinterpret_cast<std::uint64_t*>(space + at.sums), layout::chunks},
          .disorder = {reinterpret_cast<std::uint32_t*>(space + at.disorder), 1}};
}

/// As many blocks as are resident, but no more than have four rows to write.
template <class Word>
unsigned blocks_for(const simt::queue& q, const typed_request<Word>& r) {
  using kernel = count_sort_kernel<Word>;
  const unsigned resident = simt::resident_blocks<kernel>(q, {.cooperative = true});
  constexpr std::uint64_t share = std::uint64_t{4} * kernel::row_keys;
  const std::uint64_t useful = (r.n + share - 1) / share;
  const auto blocks =
      unsigned(std::min<std::uint64_t>(useful, r.tuning.blocks == 0 ? resident : std::min(r.tuning.blocks, resident)));
  if constexpr (sizeof(Word) == 1) { // counters of 32 bits, 16 of them for one value
    const std::uint64_t most = std::uint64_t{blocks} * kernel::counters::copies << 31;
    if (r.n > most)
      throw invalid_argument("count_sort: n = " + std::to_string(r.n) + ", at most " + std::to_string(most) +
                             " keys of 8 bits fit the counters of " + std::to_string(blocks) + " resident blocks");
  }
  return std::max(blocks, 1u);
}

template <class Word>
void launch(const simt::queue& q, const typed_request<Word>& r) {
  if constexpr (sizeof(Word) == 1)
    if (detail::counted_by_one_block(r))
      return simt::launch(q, {.grid = 1}, one_block_count_kernel{arrays_of(r)});
  simt::launch(q, {.grid = blocks_for(q, r), .cooperative = true}, count_sort_kernel<Word>{arrays_of(r), tables_of(r)});
  clear(q, r.verdict.zeroed, r.verdict.zeroed_words * sizeof(std::uint64_t));
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

#define SORTILE_INSTANCE(WORD)                                                                                         \
  template <>                                                                                                          \
  void launch_count_sort<simt::this_backend>(const simt::queue& q, const typed_request<WORD>& request) {               \
    launch(q, request);                                                                                                \
  }
namespace sortile::kernels::detail {
SORTILE_INSTANCE(std::uint8_t)
SORTILE_INSTANCE(std::uint16_t)
} // namespace sortile::kernels::detail
#undef SORTILE_INSTANCE
