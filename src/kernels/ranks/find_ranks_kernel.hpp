// The keys that a stable sort would have at given ranks.
//
//   sample     some keys of jittered places, sorted. A rank of the array says where in the sample its key lies, give or
//              take five standard deviations: a bracket of sample keys around each rank, those that overlap as one
//   cuts       the ends of the brackets
//   read       one read of all keys: how many lie between the cuts and on them, and those strictly inside a bracket
//              gathered (ranks_reader.hpp)
//
//       keys   · ·· ···|·:::::·|· ·· ···· ····|::::|·· ·  ·      : gathered, | cuts
//                      └───────┘ rank a       └────┘ rank b
//
//   fallback   does nothing, unless a rank lies outside its bracket or too many keys inside: then further cuts, evenly
//              between the two images that enclose each rank, and another read, until all are known or few enough are
//              left to be gathered. One cooperative launch, whatever there is to do
//   found      with the gathered keys sorted, the rank's key is at a known place, or is a cut
//   equal      only for floats and bit windows, whose keys can be equal and yet differ in bits: the answer is the one
//              that a stable sort has there, so of the equal keys the one with as many before it. A read where that is
//              the case, none elsewhere
//
// A key that is frequent costs nothing: it is a cut, both ends of a bracket, and what equals a cut is counted, not
// gathered. Which keys are gathered and how many lie before does not depend on the order of blocks, so the answers do
// not either.
//
// Cost: the array once. Of m sampled keys about 10 √(p (1 − p) / m) of the array is gathered for a rank at the share p;
// with m = 2^19 that is 0.7 % for a median. The fallback reads the array once for each 7 bits where one rank is left,
// at worst once for every log2 of 3 bits where 63 are; then equal keys once. Sources: Floyd and Rivest, "Expected time
// bounds for selection", 1975 (a bracket from a sample); Alabi, Blanchard, Gordon and Steinbach, "Fast k-selection
// algorithms for graphics processing units", 2012 (cuts between images).
#pragma once

#include "kernels/ranks/ranks_reader.hpp"
#include "kernels/sample_place.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// One block: what is wanted becomes known on the device.
template <class Word>
struct begin_ranks_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;
  using limits = detail::find_ranks_layout;

  ranks_state<Word> state;
  std::uint64_t ranks[limits::ranks];
  std::uint32_t brackets[2 * limits::ranks];

  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    if (t < limits::ranks) {
      state.wanted[t] = ranks[t];
      state.first[t] = 0;
      state.last[t] = state.greatest();
      state.below[t] = 0;
      state.upto[t] = state.n;
    }
    if (t < 2 * limits::ranks)
      state.brackets[t] = brackets[t];
    if (t < limits::regions)
      state.counts[t] = 0;
    if (t == 0)
      state.reserved[0] = 0;
  }
};

template <class Word>
struct draw_sample_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;

  simt::global<const Word> keys;
  simt::global<Word> sample;
  std::uint64_t n, sample_keys;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < sample_keys;
         i += stride)
      sample[i] = keys.load(sample_place(i, sample_keys, n));
  }
};

/// One block: the different ends of the brackets become cuts.
template <class Word>
struct choose_cuts_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 128, warps = block_threads / simt::warp_size;

  struct shared {
    simt::shared_array<Word, block_threads> image;
    simt::shared_array<std::uint32_t, block_threads> cut; // of an end, which end's image it is
    simt::shared_array<std::uint32_t, warps> kept;
    simt::shared_array<std::uint32_t, 4> gathered;
  };

  simt::global<const Word> sample; // sorted
  ranks_state<Word> state;
  std::uint32_t ends;

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    const std::uint32_t at = t < ends ? state.brackets.load(t) : sample_bracket::open;
    const bool is_end = at != sample_bracket::open;
    if (is_end)
      s.image[t] = state.codec.image(sample.load(at));
    if (t < 4)
      s.gathered[t] = 0;
    simt::block_barrier();
    // Only the first end and the last one may be missing.
    const bool is_first = is_end && (t == 0 || state.brackets.load(t - 1) == sample_bracket::open ||
                                     s.image.load(t - 1) != s.image.load(t));
    const unsigned votes = simt::ballot(is_first);
    if (simt::lane_index() == 0)
      s.kept[simt::warp_index()] = votes;
    simt::block_barrier();
    std::uint32_t before = 0, cuts = 0;
    for (unsigned w = 0; w < warps; ++w) {
      const std::uint32_t kept = simt::popcount(s.kept.load(w));
      before += w < simt::warp_index() ? kept : 0;
      cuts += kept;
    }
    const std::uint32_t mine = before + simt::popcount(votes & (simt::lanes_below() | 1u << simt::lane_index())) - 1;
    s.cut[t] = mine;
    if (is_first)
      state.cuts[mine] = s.image.load(t);
    simt::block_barrier();
    // An upper end closes the interval of its bracket, which is empty where both ends are equal.
    if (t < ends && t % 2 == 1) {
      const bool from_below = state.brackets.load(t - 1) == sample_bracket::open;
      const std::uint32_t interval = is_end ? mine : cuts;
      if (from_below || !is_end || s.cut.load(t - 1) != mine)
        s.gathered.fetch_or(interval / 32, 1u << interval % 32);
    }
    simt::block_barrier();
    if (t == 0)
      state.shape[0] = cuts;
    if (t < 4)
      state.shape[1 + t] = s.gathered.load(t);
  }
};

template <class Word, bool OneBracket>
struct read_ranks_kernel {
  static constexpr bool starts_early = true;
  using reader = ranks_reader<Word, OneBracket>;
  static constexpr unsigned block_threads = reader::threads, min_blocks = sizeof(Word) <= 8 ? 4 : 3;
  using shared = typename reader::shared;

  ranks_arrays<Word> arrays;
  ranks_state<Word> state;

  SORTILE_DEVICE void operator()(shared& s) const { reader(s, arrays, state).run(); }
};

/// Settles the search, with further reads where the sample has misled.
template <class Word>
struct settle_ranks_kernel {
  using reader = ranks_reader<Word, false>;
  using limits = detail::find_ranks_layout;
  static constexpr unsigned block_threads = reader::threads, min_blocks = 2;
  using verdict = ranks_verdict<Word, block_threads>;

  struct shared {
    typename verdict::shared of_verdict;
    typename reader::shared of_reader;
  };

  ranks_arrays<Word> arrays;
  ranks_state<Word> state;

  SORTILE_DEVICE void operator()(shared& s) const {
    std::uint64_t place;
    Word image;
    while (!verdict::settled(s.of_verdict, state, place, image)) { // all blocks find the same
      simt::grid_barrier();                                        // all have read what now changes
      if (simt::block_index() == 0)
        refine(s);
      simt::grid_barrier();
      reader(s.of_reader, arrays, state).run();
      simt::grid_barrier();
    }
    if (simt::block_index() == 0)
      verdict::write(s.of_verdict, state, place, image);
  }

 private:
  /// What the last read tells of each rank, and the cuts of the next one.
  SORTILE_DEVICE void refine(shared& s) const {
    const std::uint32_t t = simt::thread_index(), cuts = state.shape.load(0, simt::l2_only);
    if (t < state.ranks)
      narrow(s, t, cuts);
    simt::block_barrier();
    if (t == 0)
      choose();
    if (t < limits::regions)
      state.counts[t] = 0;
    simt::block_barrier();
  }

  SORTILE_DEVICE void narrow(shared& s, std::uint32_t rank, std::uint32_t cuts) const {
    const std::uint32_t region = s.of_verdict.region.load(rank), j = region / 2;
    const std::uint64_t before = s.of_verdict.before.load(region);
    const std::uint64_t upto = before + state.counts.load(region, simt::l2_only);
    const Word first = state.first.load(rank, simt::l2_only), last = state.last.load(rank, simt::l2_only);
    const bool is_cut = region % 2 == 1;
    const auto at_least = is_cut   ? state.cuts.load(j, simt::l2_only)
                          : j == 0 ? Word{0}
                                   : Word(state.cuts.load(j - 1, simt::l2_only) + 1);
    const auto at_most = is_cut ? at_least : j == cuts ? state.greatest() : Word(state.cuts.load(j, simt::l2_only) - 1);
    if (at_least > first || (is_cut && at_least == first)) {
      state.first[rank] = at_least;
      state.below[rank] = before;
    }
    if (at_most < last || (is_cut && at_most == last)) {
      state.last[rank] = at_most;
      state.upto[rank] = upto;
    }
  }

  /// By one thread: ranks come in order, and those that are not parted yet have the same two images.
  SORTILE_DEVICE void choose() const {
    std::uint32_t open = 0;
    std::uint64_t inside = 0;
    for_open([&](std::uint32_t rank, Word, Word) {
      ++open;
      inside += state.upto.load(rank, simt::l2_only) - state.below.load(rank, simt::l2_only);
    });
    const bool gathers = inside <= state.capacity;
    const std::uint32_t each = (limits::cuts - 1) / open;
    std::uint32_t cuts = 0, wanted[4] = {0, 0, 0, 0};
    Word latest = 0;
    const auto cut = [&](Word at) {
      if (cuts == 0 || at != latest)
        state.cuts[cuts++] = at;
      latest = at;
    };
    for_open([&](std::uint32_t, Word first, Word last) {
      if (gathers) {
        if (first > 0)
          cut(Word(first - 1));
        SORTILE_UNROLL
        for (std::uint32_t i = 0; i < 4; ++i)
          wanted[i] |= cuts / 32 == i ? 1u << cuts % 32 : 0;
        if (last < state.greatest())
          cut(Word(last + 1));
      } else {
        const auto width = Word(last - first), step = Word(width / Word(each + 1));
        Word at = first;
        for (std::uint32_t i = 0; i < each && at <= last; ++i) {
          if (step > 0 || i > 0) {
            if (Word(last - at) < (step > 0 ? step : Word{1}))
              break;
            at = Word(at + (step > 0 ? step : Word{1}));
          }
          cut(at);
        }
      }
    });
    state.shape[0] = cuts;
    SORTILE_UNROLL
    for (std::uint32_t i = 0; i < 4; ++i)
      state.shape[1 + i] = wanted[i];
    state.reserved[0] = 0;
  }

  /// Once for ranks that share their images.
  template <class F>
  SORTILE_DEVICE void for_open(F f) const {
    Word latest = 0;
    bool any = false;
    for (std::uint32_t rank = 0; rank < state.ranks; ++rank) {
      const Word first = state.first.load(rank, simt::l2_only), last = state.last.load(rank, simt::l2_only);
      if (first == last || (any && first == latest))
        continue;
      f(rank, first, last);
      latest = first;
      any = true;
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
