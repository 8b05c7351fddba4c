// A sort of structs by the images of their members: which steps, how much workspace, and their launch.
//
//   for each 64 bits of the image, the lowest first:
//     extract    the word of each struct, in the order so far (a kernel of the caller's translation unit)
//     sort       the first: positions by word; the others: words, with the positions as values
//   gather       structs, and values, by position; in place into the workspace and back
//
// Each sort is stable, so sorting by the lowest word first leaves the order of all words. Only positions (4 bytes, 8
// beyond 2^32) and words travel: a struct is read once a word and moved once, whatever its size. Words of 64 bits are
// preferred to one of 128: partitions sort them in 3 moves, and 128 bits take 16 passes, or from 2^24 structs on 3
// moves, between splitters, of twice the bytes.
//
// Structs of at most 8 bytes with one word and no values travel with their words, in place of positions, and nothing is
// gathered. That moves at most 4 bytes more three times, each read and written: 24 bytes. A gather reads a sector of 32
// bytes for every struct.
//
//   workspace  [ positions | words | the sort's own          ]      the second part is used twice
//              [           | structs or values, where in place ]
#pragma once

#include "sort/device_sort.hpp"

#include <sortile/struct_request.hpp>

namespace sortile::gpu {

class struct_sort {
 public:
  /// A request that the front door has checked.
  struct_sort(const struct_request& request, order direction, const device_facts& device);

  /// What this very request takes.
  std::size_t workspace_bytes() const { return bytes_; }
  /// Enough for as many structs or fewer.
  std::size_t enough_workspace() const;

  /// Queues the sort. `workspace`: workspace_bytes() bytes, aligned to workspace_alignment. Allocates nothing.
  void launch(const simt::queue& q, void* workspace) const;

 private:
  void* positions_at(std::byte* workspace) const;
  std::size_t words_bytes(unsigned word) const;
  /// With so much for each of the sorts by word.
  template <class BytesOf>
  std::size_t bytes_with(BytesOf bytes_of) const;
  sort_request request_by(unsigned word, std::byte* workspace) const;
  void gather(const simt::queue& q, std::byte* workspace, const void* in, void* out, std::size_t bytes) const;

  /// Whether the structs are the values of the one sort.
  bool structs_travel() const;
  bool given_positions() const { return request_.carries == payload::indices; }

  struct_request request_;
  options options_; ///< of the sorts by word
  device_facts device_;
  unsigned position_bytes_;
  std::size_t second_part_ = 0; ///< offset in the workspace
  std::size_t bytes_ = 0;
};

} // namespace sortile::gpu
