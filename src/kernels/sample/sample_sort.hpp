// Stable sort of up to about a million keys in one launch; plain C++.
//
// Below a million keys the number of launches decides how long a sort takes: six to twelve launches of 4 µs each. So
// all is done in one, by a grid whose blocks are all resident and wait for each other where a launch would have ended:
//
//   sample     every block sorts the same few hundred keys, drawn at random, and takes splitters from them: as many
//              buckets as blocks
//   classify   each block finds the bucket of each key of its tile, and writes the tile, in the order of the buckets,
//              to the workspace, with a table of where each bucket's part begins
//   ---------- all blocks wait
//   sort       a bucket a block: gathered from all tiles, sorted by merging in shared storage; to the output
//
// Up to some thousand keys one block sorts them by itself. There are no digits, so the time does not depend on the bit
// window, nor on how keys are spread:
//
//   Ties. Keys are compared together with their places in the input, so no two are equal. The sort is stable, however
//   keys are shuffled on the way, and a value that fills half of the input is split among many buckets.
//
//   Luck. Now and then a bucket does not fit into a block. All blocks learn that before anything is written to the
//   output, and other keys are drawn. After four attempts, which all fail only where the keys are laid out against the
//   draws, a bitonic network over the whole grid sorts them: slow, certain, in place.
//
// Positions travel, values do not: they are gathered from the input at the end, as are keys whose image is not the key
// (floats, bit windows). Where results are to lie in the input's own arrays, they go through the workspace.
//
// Deterministic in its result. Does nothing where the verdict does not call it.
//
// Source: Frazer and McKellar, "Samplesort" (1970); Leischner, Osipov and Sanders, "GPU sample sort" (2010); ties by
// place: Axtmann, Witt, Ferizovic and Sanders, "In-place parallel super scalar samplesort" (2017) treats equality
// buckets for the same purpose.
//
// When not to use it: above a million keys the bytes moved decide, and n log n work is too much.
#pragma once

#include "kernels/arena.hpp"
#include "kernels/typed_request.hpp"

namespace sortile::kernels {

/// The largest n that the queue's device sorts in one launch: some eight thousand keys a multiprocessor, half of that
/// for wide ones, a quarter for 128 bits with their places.
template <class Word>
std::uint64_t sample_sort_most(const simt::queue& q, const typed_request<Word>& request);

/// Bytes of workspace for a request: 32 KiB and the keys once more, 4 bytes a key where positions travel, and the
/// values once more where they stay in their array. Of the pointers it matters only which are null and which are equal.
template <class Word>
std::size_t sample_sort_workspace_bytes(const typed_request<Word>& request);

/// One step. Throws invalid_argument (n beyond sample_sort_most too), workspace_too_small, or simt::error where a
/// launch is refused.
template <class Word>
void sample_sort(const simt::queue& q, const typed_request<Word>& request);

// ---- between the checked request and the kernels

namespace detail {

/// Constants that follow from what an element takes, 4 to 24 bytes: shared storage of 163 KB (sm_80) and 64 registers
/// a thread bound them.
struct sample_shape {
  static constexpr unsigned threads = 1024, most_buckets = 128, most_attempts = 4;

  int most_items; ///< elements a thread sorts at most
  int tile_items; ///< keys a thread classifies: with the above room for buckets of twice their share
  /// Up to so many keys one block is as fast as a grid, whose blocks have to wait for each other.
  std::uint32_t alone;
  constexpr std::uint32_t capacity() const { return threads * unsigned(most_items); }
  constexpr std::uint32_t tile() const { return threads * unsigned(tile_items); }
  /// The largest n of one launch of so many resident blocks.
  constexpr std::uint64_t most(unsigned blocks) const {
    const std::uint64_t in_grid = std::uint64_t{blocks < most_buckets ? blocks : most_buckets} * tile();
    return in_grid < alone ? alone : in_grid;
  }

  static constexpr sample_shape of(std::size_t word, bool placed) {
    const std::size_t element = placed ? (word <= 4 ? 8 : word == 8 ? 16 : 24) : word <= 4 ? 4 : word;
    const auto alone = std::uint32_t(32768 / element);
    return element <= 8    ? sample_shape{16, 8, alone}
           : element == 16 ? sample_shape{8, 4, alone}
                           : sample_shape{4, 2, alone};
  }
};

/// Whether keys can be told from their images: then they need not be gathered.
template <class Word>
bool image_is_key(const key_codec<Word>& codec) {
  return codec.infinity == 0 && codec.bits == 8 * sizeof(Word);
}
/// Whether elements need their places: for values, and for keys that are gathered.
template <class Word>
bool needs_places(const typed_request<Word>& r) {
  return r.value_bytes != 0 || !image_is_key(r.codec);
}
template <class Word>
sample_shape sample_shape_of(const typed_request<Word>& r) {
  return sample_shape::of(sizeof(Word), needs_places(r));
}
template <class Word>
bool in_one_block(const typed_request<Word>& r) {
  return r.tuning.blocks == 0 ? r.n <= sample_shape_of(r).alone : r.tuning.blocks == 1;
}
/// Whether results lie where other blocks still have to gather from.
template <class Word>
bool keys_wait(const typed_request<Word>& r) {
  return r.keys_out == r.keys_in && !image_is_key(r.codec);
}
template <class Word>
bool values_wait(const typed_request<Word>& r) {
  return r.value_bytes != 0 && !r.make_indices && r.values_in == r.values_out;
}

/// Byte offsets.
struct sample_layout {
  std::size_t parts, agreed, images, places, values, bytes; ///< equal to what follows if left out

  template <class Word>
  static sample_layout of(const typed_request<Word>& r) {
    const bool grid = !in_one_block(r);
    const std::size_t n = std::size_t(r.n);
    sample_layout l{};
    arena a;
    l.parts = a.take(grid ? std::size_t{sample_shape::most_buckets} * sample_shape::most_buckets * 2 : 0);
    l.agreed = a.take(grid ? sample_shape::most_attempts * 4 : 0);
    l.images = a.take(grid || keys_wait(r) ? n * sizeof(Word) : 0);
    l.places = a.take(grid && needs_places(r) ? n * 4 : 0);
    l.values = a.take(values_wait(r) ? n * r.value_bytes : 0);
    l.bytes = a.bytes();
    return l;
  }
};

template <class Backend, class Word>
SORTILE_LAUNCH void launch_sample_sort(const simt::queue& q, const typed_request<Word>& request);

/// How many blocks of the kernel that the request needs are resident at once.
template <class Backend, class Word>
SORTILE_LAUNCH unsigned resident_sample_blocks(const simt::queue& q, const typed_request<Word>& request);

} // namespace detail

} // namespace sortile::kernels
