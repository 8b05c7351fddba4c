// The end of a search for ranks: each rank's key, and of keys that are equal but differ in bits the right one.
#pragma once

#include "kernels/ranks/ranks_state.hpp"
#include "primitives/bisect.hpp"
#include "primitives/search_tree.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// One block, a thread a rank.
template <class Word>
struct write_found_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = detail::find_ranks_layout::ranks;

  simt::global<const Word> gathered; // sorted
  simt::global<Word> found;
  ranks_state<Word> state;
  bool wants_before; // how many keys lie before those of the answer's image

  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    if (t >= state.ranks)
      return;
    const std::uint64_t place = state.place.load(t);
    if (place == ranks_state<Word>::no_place) {
      found[t] = state.codec.key_of(state.image.load(t));
      return;
    }
    const Word key = gathered.load(place), image = state.codec.image(key);
    found[t] = key;
    if (!wants_before)
      return;
    state.image[t] = image;
    state.before[t] = state.before.load(t) + primitives::first_that(0, place, [&](std::uint64_t i) {
                        return !(state.codec.image(gathered.load(i)) < image);
                      });
  }
};

/// Of keys with the image of an answer that may differ in bits, that which a stable sort has at the rank: by position.
/// The array is cut into a part a warp. Each counts; the counts say in which part the key is; its warp finds it there.
/// One cooperative launch, which does nothing where no answer is of that kind.
template <class Word>
struct choose_equal_kernel {
  using limits = detail::find_ranks_layout;
  static constexpr unsigned block_threads = 256, warps = block_threads / simt::warp_size, min_blocks = 2;
  static constexpr unsigned most_bits = 6, at_once = 4; // rows of a warp that wait together
  using tree = primitives::search_tree<Word>;
  static_assert(limits::ranks == 1u << most_bits);

  struct shared {
    simt::shared_array<Word, limits::ranks> images; // different ones, ascending; those that are missing are all ones
    simt::shared_array<Word, limits::ranks> node;
    simt::shared_array<std::uint32_t, limits::ranks> image_of;       // a rank: which of the images, or none
    simt::shared_array<std::uint32_t, limits::ranks * warps> counts; // [warp][image]
    simt::shared_value<std::uint32_t> different;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  simt::global<const Word> keys;
  simt::global<Word> found;
  simt::global<std::uint32_t> of_units; // [image][unit]
  ranks_state<Word> state;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (simt::thread_index() == 0)
      list_images(s);
    simt::block_barrier();
    const std::uint32_t different = s.different;
    if (different == 0)
      return; // all blocks do
    unsigned bits = 1;
    while ((1u << bits) <= different)
      ++bits;
    if (const unsigned t = simt::thread_index(); t > 0 && t < 1u << bits)
      s.node[t] = s.images.load(tree::cut_of(t, bits));
    for (std::uint32_t i = simt::thread_index(); i < limits::ranks * warps; i += block_threads)
      s.counts[i] = 0;
    simt::block_barrier();
    const std::uint64_t units = std::uint64_t{simt::grid_size()} * warps;
    const std::uint64_t unit = std::uint64_t{simt::block_index()} * warps + simt::warp_index();
    constexpr std::uint64_t step = at_once * simt::warp_size;
    const std::uint64_t part = ((state.n + units - 1) / units + step - 1) / step * step;
    const std::uint64_t first = unit * part < state.n ? unit * part : state.n;
    const std::uint64_t end = state.n - first < part ? state.n : first + part;
    count(s, first, end, bits, different);
    simt::block_barrier();
    if (simt::lane_index() < different)
      publish(s, simt::lane_index(), unit, units);
    if (simt::lane_index() + simt::warp_size < different)
      publish(s, simt::lane_index() + simt::warp_size, unit, units);
    simt::grid_barrier();
    for (std::uint32_t rank = 0; rank < state.ranks; ++rank)
      if (s.image_of.load(rank) != none)
        choose(s, rank, unit, units, first, end);
  }

 private:
  SORTILE_DEVICE bool is_ambiguous(Word image) const {
    if (state.codec.bits != 8 * sizeof(Word))
      return true;
    return image == state.codec.image(0) || image == state.codec.image(Word(~state.codec.sign)); // zeros, NaN
  }

  /// By one thread; the ranks' images ascend.
  SORTILE_DEVICE void list_images(shared& s) const {
    std::uint32_t different = 0;
    for (std::uint32_t rank = 0; rank < state.ranks; ++rank) {
      const Word image = state.image.load(rank);
      if (!is_ambiguous(image)) {
        s.image_of[rank] = none;
        continue;
      }
      if (different == 0 || s.images.load(different - 1) != image)
        s.images[different++] = image;
      s.image_of[rank] = different - 1;
    }
    for (std::uint32_t i = different; i < limits::ranks; ++i)
      s.images[i] = Word(~Word{0});
    s.different = different;
  }

  SORTILE_DEVICE void count(shared& s, std::uint64_t first, std::uint64_t end, unsigned bits,
                            std::uint32_t different) const {
    for (std::uint64_t row = first; row < end; row += at_once * simt::warp_size) {
      Word x[at_once];
      std::uint32_t which[at_once];
      SORTILE_UNROLL
      for (unsigned k = 0; k < at_once; ++k) {
        const std::uint64_t i = row + k * simt::warp_size + simt::lane_index();
        x[k] = i < end ? keys.load(i, simt::streaming) : Word{0};
      }
      SORTILE_UNROLL
      for (unsigned k = 0; k < at_once; ++k)
        x[k] = state.codec.image(x[k]);
      tree::find(s.node.view(), bits, x, which);
      SORTILE_UNROLL
      for (unsigned k = 0; k < at_once; ++k) {
        const std::uint64_t i = row + k * simt::warp_size + simt::lane_index();
        if (i < end && which[k] < different && x[k] == s.images.load(which[k]))
          s.counts.fetch_add(simt::warp_index() * limits::ranks + which[k], 1u, simt::relaxed, simt::block_scope);
      }
    }
  }

  SORTILE_DEVICE void publish(shared& s, std::uint32_t image, std::uint64_t unit, std::uint64_t units) const {
    of_units[image * units + unit] = s.counts.load(simt::warp_index() * limits::ranks + image);
  }

  /// By one warp: the key of the rank, if it lies in this warp's part.
  SORTILE_DEVICE void choose(shared& s, std::uint32_t rank, std::uint64_t unit, std::uint64_t units,
                             std::uint64_t first, std::uint64_t end) const {
    const std::uint32_t image = s.image_of.load(rank);
    const std::uint32_t mine = s.counts.load(simt::warp_index() * limits::ranks + image);
    if (mine == 0)
      return;
    std::uint64_t before = 0;
    for (std::uint64_t u = simt::lane_index(); u < unit; u += simt::warp_size)
      before += of_units.load(image * units + u, simt::l2_only);
    before = primitives::warp_reduce(before, primitives::plus{});
    std::uint64_t left = state.wanted.load(rank) - state.before.load(rank); // keys of the image before the one wanted
    if (left < before || left - before >= mine)
      return;
    left -= before;
    const Word wanted = s.images.load(image);
    for (std::uint64_t row = first; row < end; row += simt::warp_size) {
      const std::uint64_t i = row + simt::lane_index();
      const Word key = i < end ? keys.load(i) : Word{0};
      const bool is_equal = i < end && state.codec.image(key) == wanted;
      const unsigned votes = simt::ballot(is_equal);
      const unsigned here = simt::popcount(votes);
      if (left < here) {
        if (is_equal && simt::popcount(votes & simt::lanes_below()) == left)
          found[rank] = key;
        return;
      }
      left -= here;
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
