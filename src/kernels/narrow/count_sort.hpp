// Sorts keys of 8 and 16 bits, alone, by counting them: as host code calls it; plain C++.
//
// There are few different keys, so it is enough to know how often each occurs. The keys are read once and never moved:
//
//   count   one read                    all in one launch of as many blocks as are resident,
//   fill    one write                   with barriers across the grid between the steps
//
// 2 sizeof(key) bytes are moved for a key; no sort can move less. Up to 2^14 keys of 8 bits one block does it in shared
// storage.
//
// Keys are std::uint8_t or std::uint16_t: unsigned or signed integers by their codec, ascending or descending, by the
// whole key. Bit windows are refused: keys with equal images but different bits would have to keep their order, which
// counts do not know. The same holds of floats of 16 bits, but only where the input holds both zeros, or two patterns
// of NaN. The counts show that. So floats are taken where there is a fallback that the verdict can give them to.
//
// n up to 2^42, any alignment that Word allows, in place or apart (in place, all keys are counted before the first is
// written). Keys in order already stay as they are in place. Deterministic.
#pragma once

#include "kernels/arena.hpp"
#include "kernels/typed_request.hpp"

namespace sortile::kernels {

inline constexpr std::uint64_t count_sort_most = std::uint64_t{1} << 42;

/// Bytes that a request needs, whatever its n: 516 KB for 16 bits, a little over 2 KB for 8, none where one block does
/// it.
template <class Word>
std::size_t count_sort_workspace_bytes(const typed_request<Word>& request);

/// One step. Throws invalid_argument, workspace_too_small, or simt::error where a launch is refused.
template <class Word>
void count_sort(const simt::queue& q, const typed_request<Word>& request);

// ---- between the checked request and the kernels

namespace detail {

/// As many keys of 8 bits as one block sorts in shared storage.
inline constexpr std::uint64_t count_sort_one_block = 16384;
template <class Word>
bool counted_by_one_block(const typed_request<Word>& r) {
  return sizeof(Word) == 1 && r.n <= count_sort_one_block && !r.tuning.many;
}

template <class Word>
struct count_sort_layout {
  static constexpr std::uint32_t values = 1u << (8 * sizeof(Word)); ///< that a key can have
  static constexpr std::uint32_t chunk_values = 128;                ///< neighbours that are summed up
  static constexpr std::uint32_t chunks = values / chunk_values;

  std::size_t counts, spills, disorder, sums, bytes; ///< offsets

  static constexpr count_sort_layout of_all() {
    arena a;
    count_sort_layout l{};
    l.counts = a.take(std::size_t{values} * 4);
    l.spills = a.take(std::size_t{values} * 4);
    l.disorder = a.take(4);
    l.sums = a.take(std::size_t{chunks} * 8);
    l.bytes = a.bytes();
    return l;
  }
};

template <class Backend, class Word>
SORTILE_LAUNCH void launch_count_sort(const simt::queue& q, const typed_request<Word>& request);

} // namespace detail

} // namespace sortile::kernels
