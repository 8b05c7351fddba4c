// Between the checked request and the kernels: where the tables lie in the workspace. The launches are declared for
// each backend and defined in count_sort.cu.
#pragma once

#include "kernels/narrow/count_sort.hpp"

namespace sortile::kernels::detail {

/// As many keys as one block sorts in shared storage: counters of 16 bits hold them whatever the keys are.
inline constexpr std::uint64_t count_sort_one_block = 16384;

/// Byte offsets.
template <class Word>
struct count_sort_layout {
  static constexpr std::size_t alignment = 128;
  static constexpr std::uint32_t values = 1u << (8 * sizeof(Word)); ///< that a key can have
  static constexpr std::uint32_t chunk_values = 128;                ///< neighbours that are summed up
  static constexpr std::uint32_t chunks = values / chunk_values;
  static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

  static constexpr std::size_t counts = 0, spills = std::size_t{values} * 4, disorder = 2 * spills;
  static constexpr std::size_t sums = disorder + alignment, bytes = sums + rounded(std::size_t{chunks} * 8);
};

template <class Backend, class Word>
SORTILE_LAUNCH void launch_count_sort(const simt::queue& q, const count_sort_request<Word>& request);

} // namespace sortile::kernels::detail
