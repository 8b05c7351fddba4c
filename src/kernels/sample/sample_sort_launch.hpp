// Between the checked request and the kernels: how many keys a block takes, where everything lies in the workspace.
// The launches are declared for each backend and defined in the .cu files, one for each key width.
#pragma once

#include "kernels/sample/sample_sort.hpp"

namespace sortile::kernels::detail {

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
bool needs_places(const sample_request<Word>& r) {
  return r.value_bytes != 0 || !image_is_key(r.codec);
}
template <class Word>
sample_shape sample_shape_of(const sample_request<Word>& r) {
  return sample_shape::of(sizeof(Word), needs_places(r));
}
template <class Word>
bool in_one_block(const sample_request<Word>& r) {
  return r.blocks == 0 ? r.n <= sample_shape_of(r).alone : r.blocks == 1;
}
/// Whether results lie where other blocks still have to gather from.
template <class Word>
bool keys_wait(const sample_request<Word>& r) {
  return r.keys_out == r.keys_in && !image_is_key(r.codec);
}
template <class Word>
bool values_wait(const sample_request<Word>& r) {
  return r.value_bytes != 0 && !r.make_indices && r.values_in == r.values_out;
}

/// Byte offsets.
struct sample_layout {
  static constexpr std::size_t alignment = 128;
  static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

  std::size_t parts, agreed, images, places, values, bytes; ///< equal to what follows if left out

  template <class Word>
  static sample_layout of(const sample_request<Word>& r) {
    const bool grid = !in_one_block(r);
    sample_layout l{};
    l.agreed = grid ? rounded(std::size_t{sample_shape::most_buckets} * sample_shape::most_buckets * 2) : 0;
    l.images = l.agreed + (grid ? rounded(sample_shape::most_attempts * 4) : 0);
    l.places = l.images + (grid || keys_wait(r) ? rounded(std::size_t(r.n) * sizeof(Word)) : 0);
    l.values = l.places + (grid && needs_places(r) ? rounded(std::size_t(r.n) * 4) : 0);
    l.bytes = l.values + (values_wait(r) ? rounded(std::size_t(r.n) * r.value_bytes) : 0);
    return l;
  }
};

template <class Backend, class Word>
SORTILE_LAUNCH void launch_sample_sort(const simt::queue& q, const sample_request<Word>& request);

/// How many blocks of the kernel that the request needs are resident at once.
template <class Backend, class Word>
SORTILE_LAUNCH unsigned resident_sample_blocks(const simt::queue& q, const sample_request<Word>& request);

} // namespace sortile::kernels::detail
