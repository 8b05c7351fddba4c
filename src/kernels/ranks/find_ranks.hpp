// The keys that a stable sort of n keys would have at given ranks, by one read of them and a little. Plain C++; the
// idea is in find_ranks_kernel.hpp.
//
// Three calls, with a sort between each and the next: the sample is drawn and sorted, the keys between its cuts are
// gathered and sorted, the answers are written.
#pragma once

#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sortile::kernels {

/// Different ranks of one search at most.
inline constexpr unsigned most_ranks = 63;

/// A part of the sorted sample: between two of its keys lie those of some wanted ranks, nearly always.
struct sample_bracket {
  static constexpr std::uint32_t open = 0xffffffffu;
  std::uint32_t low = open, high = open; ///< places in the sample; open: there is none beyond
};

/// What is looked at and gathered; follows from n and the ranks.
struct ranks_plan {
  std::vector<std::uint64_t> ranks; ///< ascending, each once, most_ranks at most
  std::uint64_t sample = 0;         ///< keys
  std::vector<sample_bracket> brackets;
  std::uint64_t capacity = 0; ///< room for the keys inside the brackets, for nearly all inputs

  static constexpr std::uint64_t least_sample = 8192;

  ranks_plan() = default;
  /// \param ranks  as above, each below n
  /// \param least  keys of the sample: least_sample, or others in tests
  ranks_plan(std::uint64_t n, std::span<const std::uint64_t> ranks, std::uint64_t least = least_sample);
};

/// Arrays in device memory, apart from each other.
template <class Word>
struct find_ranks_request {
  const Word* keys = nullptr;
  std::uint64_t n = 0;
  key_codec<Word> codec;
  const ranks_plan* plan = nullptr;
  Word* sample = nullptr;         ///< plan->sample keys
  Word* gathered = nullptr;       ///< plan->capacity keys
  std::uint64_t* count = nullptr; ///< becomes the number of gathered keys
  Word* found = nullptr;          ///< a key a rank
  void* workspace = nullptr;      ///< find_ranks_workspace_bytes(), aligned to 128
};

/// Images of which keys of several bit patterns may be among the answers: none of integers, zero and NaN of floats, all
/// within a bit window.
template <class Word>
constexpr unsigned ambiguous_images(const key_codec<Word>& codec, const ranks_plan& plan) {
  const auto ranks = unsigned(plan.ranks.size());
  if (codec.bits != 8 * sizeof(Word))
    return ranks;
  return codec.infinity == 0 ? 0 : ranks < 2 ? ranks : 2;
}
std::size_t find_ranks_workspace_bytes(std::size_t key_bytes, unsigned ambiguous_images);

/// The sample, in no order.
template <class Word>
void draw_sample(const simt::queue& q, const find_ranks_request<Word>& request);
/// With the sample sorted: the keys of the brackets, in no order, and their number.
template <class Word>
void gather_brackets(const simt::queue& q, const find_ranks_request<Word>& request);
/// With the gathered keys sorted: the answers.
template <class Word>
void write_found(const simt::queue& q, const find_ranks_request<Word>& request);

namespace detail {

/// Where everything lies in the workspace.
struct find_ranks_layout {
  static constexpr unsigned ranks = most_ranks + 1, cuts = 128, regions = 256; ///< room for
  static constexpr unsigned most_units = 8192; ///< warps that look for one of equal keys, each in its part of the array

  std::size_t wanted = 0, brackets = 0, cuts_at = 0, shape = 0, counts = 0, reserved = 0, first = 0, last = 0,
              below = 0, upto = 0, place = 0, image = 0, before = 0, of_units = 0, bytes = 0;
  find_ranks_layout(std::size_t key_bytes, unsigned ambiguous_images);
};

/// The three calls.
enum class ranks_step { draw_sample, gather_brackets, write_found };

} // namespace detail
} // namespace sortile::kernels
