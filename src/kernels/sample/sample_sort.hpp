// Stable sort of up to about a million keys in one launch; plain C++.
//
// Below a million keys a sort takes as long as its launches take, not its keys: six to twelve launches of 4 µs each,
// whatever lies in them. So all is done in one, of a grid whose blocks are all resident and wait for each other where a
// launch would have ended:
//
//   sample     every block sorts the same few hundred keys, drawn at random, and takes splitters from them: as many
//              buckets as blocks
//   classify   each block finds the bucket of each key of its tile, and writes the tile, in the order of the buckets,
//              to the workspace, with a table of where each bucket's part begins
//   ---------- all blocks wait
//   sort       a bucket a block: gathered from all tiles, sorted by merging in shared storage; to the output
//
// and up to some thousand keys one block sorts them by itself. Nothing looks at digits, so the time does not depend on
// the keys' width, the bit window or their distribution:
//
//   Ties. Keys are compared together with their places in the input, so no two are equal: the sort is stable, however
//   keys are shuffled on the way, and a value that fills half of the input is split among buckets like any other half.
//
//   Luck. Buckets are larger than their share now and then. Where one does not fit into a block, which all hear of
//   before anything is written to the output, other keys are drawn; after some such attempts, for which one has to know
//   the draws and lay the keys accordingly, a bitonic network over the whole grid sorts instead: slow, certain, in
//   place.
//
// Positions travel, values do not: they are gathered from the input at the end, as are keys whose image is not the key
// (floats, bit windows). Where results are to lie in the input's own arrays, they go through the workspace.
//
// Asynchronous on the queue, allocates nothing, never synchronises, may be captured in a CUDA graph. The workspace's
// content never matters. Deterministic in its result.
//
// Source: Frazer and McKellar, "Samplesort" (1970); Leischner, Osipov and Sanders, "GPU sample sort" (2010); ties by
// place: Axtmann, Witt, Ferizovic and Sanders, "In-place parallel super scalar samplesort" (2017) treats equality
// buckets for the same purpose.
//
// When not to use it: above a million keys memory is what counts, and n log n work is too much.
#pragma once

#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// Word is std::uint8_t … std::uint64_t or uint128. Pointers are to memory that the queue's device can reach. Arrays
/// are aligned to their elements: keys to sizeof(Word), values to value_bytes.
template <class Word>
struct sample_request {
  const Word* keys_in = nullptr;
  Word* keys_out = nullptr;        ///< may be keys_in; null: keys are not wanted, only values
  const void* values_in = nullptr; ///< null with make_indices
  void* values_out = nullptr;      ///< may be values_in
  unsigned value_bytes = 0;        ///< 0 (none), 4, 8 or 16
  bool make_indices = false;       ///< values are the keys' positions in the input
  std::uint64_t n = 0;
  const std::uint64_t* device_n = nullptr; ///< in device memory: how many there really are; `n` is the upper bound, and
                                           ///< what exceeds it is left out
  const std::uint32_t* only_if = nullptr;  ///< in device memory: where this is 0, nothing is done
  key_codec<Word> codec;
  void* workspace = nullptr; ///< aligned to 128
  std::size_t workspace_bytes = 0;
  // For tests; otherwise the defaults.
  unsigned attempts = 4;    ///< draws before the network takes over; at most 4
  std::uint32_t blocks = 0; ///< of the grid; 0: follows n and the device
};

/// Up to how many keys one block sorts by itself.
template <class Word>
std::uint64_t sample_sort_in_one_block(const sample_request<Word>& request);

/// The largest n that the queue's device sorts in one launch: some eight thousand keys a multiprocessor, half of that
/// for wide ones, a quarter for 128 bits with their places.
template <class Word>
std::uint64_t sample_sort_most(const simt::queue& q, const sample_request<Word>& request);
/// The same for so many blocks, which are resident at once.
template <class Word>
std::uint64_t sample_sort_most(unsigned blocks, const sample_request<Word>& request);

/// Bytes of workspace for a request: 32 KiB and the keys once more, 4 bytes a key where positions travel, and the
/// values once more where they stay in their array. Of the pointers it matters only which are null and which are equal.
template <class Word>
std::size_t sample_sort_workspace_bytes(const sample_request<Word>& request);

/// Throws invalid_argument (n beyond sample_sort_most too), workspace_too_small, or simt::error where a launch is
/// refused.
template <class Word>
void sample_sort(const simt::queue& q, const sample_request<Word>& request);

} // namespace sortile::kernels
