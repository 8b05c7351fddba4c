// Idea: a vector of 16 keys is cut into groups of 2, 4, 8 or 16 lanes, and each group takes one segment. The keys of
// neighbouring segments lie side by side, so one load gets them all. They are spread to the lowest lanes of their
// groups, and other lanes get the greatest image. All groups go through the same network at once, and one store puts
// the keys back side by side.
//
//   segments  [a b c] [d] [e f g h]          in memory   a b c d e f g h
//   groups of 4       a b c ·   d · · ·   e f g h   …    sorted within each, · last
//
// The network is the bitonic merge by mirror images that the vector sorts use (vector_leaves.ipp), stopped at the
// group's width. A run of segments of like lengths fills most lanes; where lengths vary, the first segment that does
// not fit begins the next vector.
//
// Cost: a vector's load and store, 1, 3, 6 or 10 steps of the network, and a few cycles a segment for its offsets.
#include "cpu/tiny_segments.hpp"

#include "cpu/radix_job.hpp"
#include "cpu/vector_avx512.hpp"
#include "plan/segment_places.hpp"

#if defined(SORTILE_CPU_X86)

#include "cpu/target_avx512.ipp"

#include "cpu/tiny_segments.ipp"

namespace sortile::cpu::avx512 {

// Sorts within groups of so many lanes.
template <class S, unsigned Group>
SORTILE_INLINE void sort_groups(typename S::V (&v)[1]) {
  merge_groups<S, 1, 2>(v);
  if constexpr (Group >= 4)
    merge_groups<S, 1, 4>(v);
  if constexpr (Group >= 8)
    merge_groups<S, 1, 8>(v);
  if constexpr (Group >= 16)
    merge_groups<S, 1, 16>(v);
}

// Segments that a vector takes.
struct tiny_pack {
  std::size_t begin = 0, elements = 0, taken = 0;
  unsigned lanes_used = 0;
};

template <unsigned Group, std::size_t Lanes>
SORTILE_INLINE tiny_pack pack(const segments& where, std::size_t first, std::size_t last, segment_place next) {
  tiny_pack p{.begin = next.first};
  std::size_t i = first;
  for (unsigned lane = 0; lane < Lanes; lane += Group) {
    if (next.n > Group || next.first != p.begin + p.elements)
      break;
    p.lanes_used |= ((1u << next.n) - 1) << lane;
    p.elements += next.n;
    if (++i == last)
      break;
    next = place_of(where, i);
  }
  p.taken = i - first;
  return p;
}

template <class S, unsigned Group>
SORTILE_INLINE std::size_t sort_pack(const typename S::T* from, typename S::T* to, const segments& where,
                                     std::size_t first, std::size_t last, segment_place next, const vector_image<S>& im,
                                     const plain_image<typename S::T>& image) {
  const tiny_pack p = pack<Group, S::lanes>(where, first, last, next);
  typename S::V v[1] = {S::load_spread(from + p.begin, p.elements, p.lanes_used)};
  if (image.infinity != 0 && S::has_special(v[0], S::all(image.infinity)))
    return 0;
  v[0] = S::fill_others(im.to(v[0]), p.lanes_used);
  sort_groups<S, Group>(v);
  S::store_packed(to + p.begin, p.elements, p.lanes_used, im.from(v[0]));
  return p.taken;
}

template <class S>
std::size_t sort_tiny(const typename S::T* from, typename S::T* to, const segments& where, std::size_t first,
                      std::size_t last, const plain_image<typename S::T>& image) {
  const vector_image<S> im(image);
  std::size_t i = first;
  while (i < last) {
    const segment_place next = place_of(where, i);
    std::size_t done = 0;
    if (next.n <= 2)
      done = sort_pack<S, 2>(from, to, where, i, last, next, im, image);
    else if (next.n <= 4)
      done = sort_pack<S, 4>(from, to, where, i, last, next, im, image);
    else if (next.n <= 8)
      done = sort_pack<S, 8>(from, to, where, i, last, next, im, image);
    else if (S::lanes > 8 && next.n <= 16)
      done = sort_pack<S, S::lanes>(from, to, where, i, last, next, im, image);
    if (done == 0)
      break;
    i += done;
  }
  return i - first;
}

} // namespace sortile::cpu::avx512

#include "cpu/target_end.ipp"
#endif

namespace sortile::cpu {

namespace {

#if defined(SORTILE_CPU_X86)
template <class S>
constexpr tiny_kernels<typename S::T> avx512_tiny{S::lanes, avx512::sort_tiny<S>};
#endif

} // namespace

template <>
const tiny_kernels<std::uint32_t>* best_tiny_kernels() {
#if defined(SORTILE_CPU_X86)
  if (uses(instruction_set::avx512))
    return &avx512_tiny<avx512::spread_32>;
#endif
  return nullptr;
}

template <>
const tiny_kernels<std::uint64_t>* best_tiny_kernels() {
#if defined(SORTILE_CPU_X86)
  if (uses(instruction_set::avx512))
    return &avx512_tiny<avx512::spread_64>;
#endif
  return nullptr;
}

} // namespace sortile::cpu
