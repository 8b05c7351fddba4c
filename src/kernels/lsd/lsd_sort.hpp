// Stable sort by the least significant digit first (LSD); plain C++. It takes everything: any key type, order and bit
// window, any values, any distribution, any n.
//
//   scan    one read: how often each value of each digit occurs, which bits differ, whether the keys are sorted
//   pass    one per digit of up to 8 bits, lowest first: one stable scatter, one read and one write of keys and values
//   copy    only where keys or values are sorted in place or in scratch; see below
//
// A digit in which no key differs costs an empty launch. Sorted keys cost the scan and a copy (in place: none),
// strictly descending ones the scan and as much (whole integers without values: descending ones). The list of launches
// depends on the request alone, never on the keys, and nothing is read back: it may be captured in a CUDA graph and
// replayed with other keys. Asynchronous on the queue, allocates nothing, never synchronises. The workspace's content
// never matters. Deterministic.
//
// Order. By codec.image within its bit window: −0 equals +0, all NaNs are equal; equal keys keep their input order;
// bits are never altered.
//
// Where the result lies. Passes alternate between the output and a second array. Out of place the first pass reads the
// input and writes whichever of the two makes the last one write the output. In place it has to write the second array
// and with input_is_scratch, where the input is the second array, the output; after an odd (in scratch: even) number
// of passes with keys that differ the result is then in the wrong one, which the device alone knows, and the last
// launch copies it. So in place is free of it for uniform 16-, 32-, 64-, 128-bit keys, scratch is not.
//
// Source: Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs" (2022);
// stable/stable_tile.hpp and lsd/lsd_pass_kernel.hpp say what is different here.
//
// When not to use it: keys alone that are spread evenly; two partitions by the highest digits move less (sort/).
#pragma once

#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>

namespace sortile::kernels {

/// Middle ones are for keys of 32 and 64 bits; for others the large ones stand in. Broad ones are for those with values
/// of up to 8 bytes; for others the small ones stand in.
enum class lsd_tiles { follow_n, small, broad, middle, large };

/// Word is std::uint8_t … std::uint64_t or uint128. Pointers are to memory that the queue's device can reach. Arrays
/// are aligned to their elements: keys to sizeof(Word), values to value_bytes.
template <class Word>
struct lsd_request {
  const Word* keys_in = nullptr;
  Word* keys_out = nullptr;        ///< may be keys_in; null: keys are not wanted, only values
  const void* values_in = nullptr; ///< null with make_indices
  void* values_out = nullptr;      ///< may be values_in
  unsigned value_bytes = 0;        ///< 0 (none), 4, 8 or 16
  bool make_indices = false;       ///< values are the keys' positions in the input, made where they are first written
  bool input_is_scratch = false;   ///< keys_in and values_in may be overwritten, where they are not the outputs
  std::uint64_t n = 0;
  const std::uint64_t* device_n = nullptr; ///< in device memory: how many there really are; `n` is the upper bound, and
                                           ///< what exceeds it is left out
  const std::uint32_t* only_if = nullptr;  ///< in device memory: where this is 0, nothing is done
  key_codec<Word> codec;
  void* workspace = nullptr; ///< aligned to 128
  std::size_t workspace_bytes = 0;
  unsigned architecture = 90; ///< of the device, as 10 · major + minor; below 90 tiles stay small
  // For measurements and tests.
  lsd_tiles tiles = lsd_tiles::follow_n;
  std::uint32_t portion_tiles = 0; ///< tiles in one chain of look-backs; 0: as many as its counters can hold
};

/// Bytes of workspace for a request: the spare arrays, and 1 KB a tile. Of the pointers it matters only which are null
/// and which are equal.
template <class Word>
std::size_t lsd_workspace_bytes(const lsd_request<Word>& request);

/// Throws invalid_argument, workspace_too_small, or simt::error where a launch is refused.
template <class Word>
void lsd_sort(const simt::queue& q, const lsd_request<Word>& request);

} // namespace sortile::kernels
