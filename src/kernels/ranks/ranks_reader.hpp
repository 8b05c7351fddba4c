// One read of the keys: how many lie in each region (ranks_state.hpp), and those of the regions that are wanted put
// together. By all threads of as many blocks as are resident, each with tiles of its own.
//
//   region    of one bracket by comparisons, the counts in registers; of more by a search tree in shared storage, the
//             counts there too, a counter a region and lane: no two lanes of a warp add to one bank
//   gather    a warp collects what it finds in shared storage and reserves room for a whole batch: few additions to the
//             one counter of all. Where most keys are wanted they are written at once. In no order: a sort follows
//
// One bracket's read should take as long as memory does, so that a key costs what it must: its image, three
// comparisons that are counted and one that says whether it is gathered. What is gathered is counted by that; what lies
// above is all the rest.
//
// What exceeds the room is not written. It is counted, so everybody sees that it was too much.
#pragma once

#include "kernels/ranks/ranks_state.hpp"
#include "primitives/search_tree.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct ranks_arrays {
  simt::global<const Word> keys;
  simt::global<Word> gathered;
  bool vectors_allowed; ///< the keys are aligned to 16 bytes
};

template <class Word, bool OneBracket>
class ranks_reader {
 public:
  using limits = detail::find_ranks_layout;
  static constexpr unsigned threads = 256, warps = threads / simt::warp_size;
  static constexpr int width = sizeof(Word) == 16 ? 1 : int(16 / sizeof(Word));
  static constexpr unsigned rows = width * 4 <= 32 ? 4 : 32 / unsigned(width); // loads that wait together
  static constexpr unsigned tile_keys = threads * rows * unsigned(width);
  static constexpr std::uint32_t most_cuts = OneBracket ? 2 : limits::cuts - 1, most_regions = 2 * most_cuts + 1;
  template <int Width>
  static constexpr unsigned row_keys = threads* unsigned(Width);
  static constexpr std::uint32_t most_held = 1024 / sizeof(Word); // keys that a warp collects
  using tree = primitives::search_tree<Word>;

  struct shared {
    alignas(16) simt::shared_array<Word, warps * most_held> held;
    simt::shared_array<Word, limits::cuts> cuts; // those that are missing are all ones
    simt::shared_array<Word, limits::cuts> node;
    simt::shared_array<std::uint32_t, most_regions * simt::warp_size> counts;
    simt::shared_array<std::uint32_t, 4> wanted; // a bit an interval
  };

  SORTILE_DEVICE ranks_reader(shared& s, const ranks_arrays<Word>& arrays, const ranks_state<Word>& state)
      : s_(s), arrays_(arrays), state_(state), cuts_(state.shape.load(0, simt::l2_only)) {}

  SORTILE_DEVICE void run() {
    prepare();
    const std::uint64_t tiles = (state_.n + tile_keys - 1) / tile_keys;
    for (std::uint64_t tile = simt::block_index(); tile < tiles; tile += simt::grid_size()) {
      const std::uint64_t first = tile * tile_keys;
      if (first + tile_keys <= state_.n && arrays_.vectors_allowed) {
        read<width, true>(first);
      } else {
        SORTILE_NO_UNROLL
        for (unsigned part = 0; part < unsigned(width); ++part)
          read<1, false>(first + part * (tile_keys / unsigned(width)));
      }
    }
    flush();
    add_counts();
  }

 private:
  /// One or two cuts, and what is gathered: images from `first` on, width + 1 of them.
  struct bracket {
    Word low, high, first, width;
    bool gathers;
  };

  SORTILE_DEVICE void prepare() {
    const unsigned t = simt::thread_index();
    bits_ = 1;
    while ((1u << bits_) <= cuts_)
      ++bits_;
    if (t < limits::cuts)
      s_.cuts[t] = t < cuts_ ? state_.cuts.load(t, simt::l2_only) : Word(~Word{0});
    if (t < 4)
      s_.wanted[t] = state_.shape.load(1 + t, simt::l2_only);
    const std::uint32_t cells = (2 * cuts_ + 1) * simt::warp_size;
    for (std::uint32_t i = t; i < cells; i += threads)
      s_.counts[i] = 0;
    simt::block_barrier();
    if constexpr (OneBracket) {
      bracket_ = the_bracket();
    } else {
      if (t > 0 && t < 1u << bits_)
        s_.node[t] = s_.cuts.load(tree::cut_of(t, bits_));
      simt::block_barrier();
    }
    first_wanted_ = s_.wanted.load(0);
  }

  /// Of the one interval that is wanted, if any is.
  SORTILE_DEVICE bracket the_bracket() const {
    const std::uint32_t wanted = s_.wanted.load(0), interval = simt::trailing_zeros(wanted);
    bracket b{.low = s_.cuts.load(0), .high = s_.cuts.load(1), .first = 0, .width = 0, .gathers = false};
    if (wanted != 0) {
      const Word first = interval == 0 ? Word{0} : Word(s_.cuts.load(interval - 1) + 1);
      const Word behind = interval < cuts_ ? s_.cuts.load(interval) : Word(state_.greatest() + 1); // may be 0: 2^bits
      b.first = first;
      b.width = Word(behind - first - 1);
      b.gathers = behind != first || (interval == 0 && interval == cuts_);
    }
    return b;
  }

  template <int Width, bool Whole>
  SORTILE_DEVICE void read(std::uint64_t first) {
    simt::vec<Word, Width> x[rows];
    const std::uint64_t here = first + simt::thread_index() * unsigned(Width);
    SORTILE_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      const std::uint64_t i = here + r * row_keys<Width>;
      if constexpr (Whole)
        x[r] = simt::load_vector<Width>(arrays_.keys, i, simt::streaming);
      else
        x[r] = {{i < state_.n ? arrays_.keys.load(i) : Word{0}}};
    }
    std::uint32_t wanted = 0;
    if constexpr (!OneBracket)
      wanted = by_tree<Width, Whole>(x, here);
    else if (state_.codec.infinity == 0)
      wanted = by_bracket<Width, Whole>(x, here, [this](Word key) { return integer_image(key); });
    else
      wanted = by_bracket<Width, Whole>(x, here, [this](Word key) { return state_.codec.image(key); });
    gather(x, wanted);
  }

  SORTILE_DEVICE Word integer_image(Word key) const {
    const key_codec<Word>& c = state_.codec;
    return Word(Word(Word(key ^ c.sign ^ c.complement) >> c.shift) & c.mask);
  }

  /// A bit for each key that is wanted.
  template <int Width, bool Whole, class ImageOf>
  SORTILE_DEVICE std::uint32_t by_bracket(const simt::vec<Word, Width> (&x)[rows], std::uint64_t here,
                                          const ImageOf& image_of) {
    std::uint32_t wanted = 0;
    SORTILE_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      if (!Whole && here + r * row_keys<Width> >= state_.n)
        break;
      total_ += unsigned(Width);
      SORTILE_UNROLL
      for (int w = 0; w < Width; ++w) {
        const Word image = image_of(x[r][w]);
        below_ += image < bracket_.low;
        at_low_ += image == bracket_.low;
        at_high_ += image == bracket_.high;
        wanted |= std::uint32_t(Word(image - bracket_.first) <= bracket_.width) << (r * unsigned(Width) + unsigned(w));
      }
    }
    wanted = bracket_.gathers ? wanted : 0;
    inside_ += simt::popcount(wanted);
    return wanted;
  }

  template <int Width, bool Whole>
  SORTILE_DEVICE std::uint32_t by_tree(const simt::vec<Word, Width> (&x)[rows], std::uint64_t here) {
    std::uint32_t wanted = 0;
    SORTILE_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      Word image[Width];
      std::uint32_t interval[Width];
      SORTILE_UNROLL
      for (int w = 0; w < Width; ++w)
        image[w] = state_.codec.image(x[r][w]);
      tree::find(s_.node.view(), bits_, image, interval);
      SORTILE_UNROLL
      for (int w = 0; w < Width; ++w) {
        const bool present = Whole || here + r * row_keys<Width> < state_.n;
        const bool equal = interval[w] < cuts_ && image[w] == s_.cuts.load(interval[w]);
        if (present)
          s_.counts.fetch_add((2 * interval[w] + equal) * simt::warp_size + simt::lane_index(), 1u, simt::relaxed,
                              simt::block_scope);
        const bool is_wanted = present && !equal && (wanted_of(interval[w]) >> interval[w] % 32 & 1) != 0;
        wanted |= std::uint32_t(is_wanted) << (r * unsigned(Width) + unsigned(w));
      }
    }
    return wanted;
  }

  SORTILE_DEVICE std::uint32_t wanted_of(std::uint32_t interval) const {
    return cuts_ < 32 ? first_wanted_ : s_.wanted.load(interval / 32);
  }

  template <int Width>
  SORTILE_DEVICE void gather(const simt::vec<Word, Width> (&x)[rows], std::uint32_t wanted) {
    if (!simt::warp_any(wanted != 0))
      return;
    const std::uint32_t mine = simt::popcount(wanted);
    const std::uint32_t upto = primitives::warp_inclusive_scan(mine, primitives::plus{});
    const std::uint32_t all = simt::shuffle(upto, simt::warp_size - 1);
    if (held_ + all > most_held)
      flush();
    if (all > most_held) {
      std::uint64_t at = reserve(all) + (upto - mine);
      for_wanted(x, wanted, [&](Word key) {
        if (at < state_.capacity)
          arrays_.gathered[at] = key;
        ++at;
      });
    } else {
      std::uint32_t at = simt::warp_index() * most_held + held_ + (upto - mine);
      for_wanted(x, wanted, [&](Word key) { s_.held[at++] = key; });
      held_ += all;
    }
  }

  template <int Width, class F>
  static SORTILE_DEVICE void for_wanted(const simt::vec<Word, Width> (&x)[rows], std::uint32_t wanted, F f) {
    SORTILE_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      SORTILE_UNROLL
      for (int w = 0; w < Width; ++w)
        if ((wanted >> (r * unsigned(Width) + unsigned(w)) & 1) != 0)
          f(x[r][w]);
    }
  }

  /// By one warp: the first place of `keys` ones.
  SORTILE_DEVICE std::uint64_t reserve(std::uint32_t keys) const {
    std::uint64_t first = 0;
    if (simt::lane_index() == 0)
      first = state_.reserved.fetch_add(0, std::uint64_t{keys});
    return simt::shuffle(first, 0);
  }

  /// What the warp has collected goes to its place.
  SORTILE_DEVICE void flush() {
    if (held_ == 0)
      return;
    const std::uint64_t first = reserve(held_);
    simt::warp_barrier();
    for (std::uint32_t i = simt::lane_index(); i < held_; i += simt::warp_size)
      if (first + i < state_.capacity)
        arrays_.gathered[first + i] = s_.held.load(simt::warp_index() * most_held + i);
    simt::warp_barrier();
    held_ = 0;
  }

  SORTILE_DEVICE void add_counts() {
    const unsigned t = simt::thread_index(), lane = simt::lane_index();
    if constexpr (OneBracket) {
      const std::uint32_t at_low = cuts_ > 0 ? at_low_ : 0, below = cuts_ > 0 ? below_ : 0;
      const std::uint32_t at_high = cuts_ > 1 ? at_high_ : 0, inside = cuts_ > 1 ? inside_ : 0;
      const std::uint32_t counts[most_regions]{below, at_low, inside, at_high,
                                               total_ - below - at_low - inside - at_high};
      SORTILE_UNROLL
      for (std::uint32_t region = 0; region < most_regions; ++region) // the last one is the rest, wherever it stands
        if (region < 2 * cuts_ || region == most_regions - 1)
          s_.counts.fetch_add((region < 2 * cuts_ ? region : 2 * cuts_) * simt::warp_size + lane, counts[region],
                              simt::relaxed, simt::block_scope);
    }
    simt::block_barrier();
    if (t < 2 * cuts_ + 1) {
      std::uint64_t sum = 0;
      SORTILE_NO_UNROLL
      for (unsigned i = 0; i < simt::warp_size; ++i) // each thread begins in another bank
        sum += s_.counts.load(t * simt::warp_size + (t + i) % simt::warp_size);
      if (sum != 0)
        state_.counts.fetch_add(t, sum);
    }
    simt::block_barrier(); // before another read begins
  }

  shared& s_;
  const ranks_arrays<Word>& arrays_;
  const ranks_state<Word>& state_;
  std::uint32_t cuts_, bits_ = 1, first_wanted_ = 0;
  std::uint32_t held_ = 0; // keys that this warp has collected
  bracket bracket_{};
  std::uint32_t total_ = 0, below_ = 0, at_low_ = 0, inside_ = 0, at_high_ = 0; // keys of this thread
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
