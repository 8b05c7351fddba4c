// Whether the keys of each row are in order: one read. Plain C++.
//
// Each thread compares neighbours. The answer is a number that may lie in pinned memory of the host. Of few keys it is
// written in any case, so that a host that looks at it need not wait for the stream; of many, whose blocks do not know
// of each other's end, where two are in the wrong order.
#pragma once

#include "primitives/key_codec.hpp"
#include "simt/queue.hpp"

#include <cstdint>

namespace sortile::kernels {

template <class Word>
struct check_order_request {
  const Word* keys = nullptr;
  std::uint64_t rows = 0, n = 0; ///< of a row; rows lie behind each other
  key_codec<Word> codec;
  Word flips = 0; ///< of each key before its image is made: the sign, of floats whose NaN are to come last
  std::uint64_t* answer = nullptr;
};

/// Keys of which the answer says `in_order` too.
inline constexpr std::uint64_t answers_always = 32768;
inline constexpr std::uint64_t in_order = 1, out_of_order = 2; ///< answers

/// Asynchronous on the queue; allocates nothing.
template <class Word>
void check_order(const simt::queue& q, const check_order_request<Word>& request);

} // namespace sortile::kernels
