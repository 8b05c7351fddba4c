// A sort of structs, with types as run-time values: what the templates of compare.cuh hand to the compiled library.
//
// All the library cannot know of a struct is how its members become numbers. The caller's translation unit brings that
// as one function, `extract`; the steps, their workspace and all checks are the library's.
#pragma once

#include <sortile/error.hpp>
#include <sortile/options.hpp>
#include <sortile/request.hpp>

#include <cstddef>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

namespace simt {
class queue;
}

/// Bits of a word of an image, at most. Images that are longer are sorted word by word, the lowest first.
inline constexpr unsigned image_word_bits = 64;

/// Words that an image of so many bits takes.
constexpr unsigned image_words(unsigned image_bits) {
  return (image_bits + image_word_bits - 1) / image_word_bits;
}

/// The type of word `word`, 0 being the lowest: the narrowest that holds what there is of it.
constexpr key_type image_word_type(unsigned image_bits, unsigned word) {
  const unsigned left = image_bits - word * image_word_bits;
  return left <= 8 ? key_type::u8 : left <= 16 ? key_type::u16 : left <= 32 ? key_type::u32 : key_type::u64;
}

/// One word of each struct's image, to be written by a kernel: words[i] = word of structs[positions[i]].
struct image_extraction {
  const void* structs = nullptr;
  std::size_t n = 0;
  unsigned word = 0;
  void* words = nullptr;
  const void* positions = nullptr; ///< null for word 0: each struct in its place
  unsigned position_bytes = 0;     ///< 4 or 8
};

/// A sort of n structs by the images of their members. Arrays are the same (in place) or apart, as in sort_request;
/// keys_out may be null with payload::indices.
struct struct_request {
  std::size_t n = 0;
  std::size_t key_bytes = 0, key_alignment = 1; ///< of a struct
  const void* keys_in = nullptr;
  void* keys_out = nullptr;

  payload carries = payload::none;
  std::size_t value_bytes = 0;
  const void* values_in = nullptr;
  void* values_out = nullptr;

  unsigned image_bits = 0; ///< of all members together
  /// Launches the kernel that does an extraction; `decomposer` is passed on.
  void (*extract)(const simt::queue&, const image_extraction&, const void* decomposer) = nullptr;
  const void* decomposer = nullptr;
  bool on_executor = false; ///< `extract` was compiled for the executor: arrays lie in host memory
};

/// Bytes of scratch that are enough for run() with this request, also with fewer structs, and wherever the arrays lie,
/// as their types allow. It needs no device: without one it is enough for any.
std::size_t workspace_bytes(const struct_request& request, const options& opts = default_options());

/// Sorts. Stable. compare.cuh says what holds.
void run(const struct_request& request, const options& opts = default_options());

} // namespace sortile
#pragma GCC visibility pop
