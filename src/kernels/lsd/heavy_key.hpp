// A heavy key: one that a third of all keys or more are, as zeros are of sparse data, or what stands where a number is
// missing. A pass of an LSD sort moves it like any other key, once a digit, though its place is known as soon as the
// keys below it are counted. Of keys alone, whose equals cannot be told apart, it need not be moved at all:
//
//   found     of 32 keys, the same for all blocks of the scan, eight are this one at least (frequent_value.hpp), and
//             then of a thousand 36 %, surely a third of all; and the others have more than few values
//             (value_table.hpp)
//   parted    the scan then writes the others down, densely, in an order that its blocks find, and counts nothing else
//             by digits; of the heavy key only how often it occurs, and how many others lie below it
//   passes    take these others as if they were all keys, from the array that the last of an even number of passes
//             writes. Their order does not matter, since
//             equals among them are equal bit for bit
//   a gap     is left by the last pass, from the place of the heavy key on. But one digit's keys lie on both sides of
//             it: they are written to that side to which more of them belong
//   closed    behind the last pass: the keys on the wrong side change it, and the heavy key fills the rest
//
//             | lower digits | below  above |        gap        | higher digits |      most of its digit are below
//             | lower digits | below |                   above  | higher digits |
//
// So of n keys of 32 bits of which half are zeros, 0.5 n are moved four times, and in all half of what passes take is
// left. Where the scan's blocks do not agree, or the key turns out to be less than a third of all, passes go by the
// input as ever: its digits are then counted, too, all at once (parted_findings::with_digit()).
//
// A block of the scan collects the others of a stretch in shared storage, while the room for the stretch before is
// being taken by an addition to a cursor, a round trip to memory.
//
// Not of floats where a −0 or a NaN occurs, nor within a bit window: there equal images need not be equal keys.
// (Nor is anything parted where one is among the 32 keys.)
#pragma once

#include "kernels/frequent_value.hpp"
#include "kernels/lsd/lsd_state.hpp"
#include "kernels/lsd/value_table.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Kept in shared storage by a block of the scan.
template <class Word>
struct parting_storage {
  simt::shared_value<std::uint32_t> votes;
  simt::shared_array<Word, 1> heavy;
  simt::shared_array<std::uint32_t, 4> sums; ///< parting_sum, voting_sum
  simt::shared_array<std::uint64_t, 1> room; ///< where the others of the stretch before go
};
/// held: of two stretches by turns, how many others they have.
enum parting_sum : unsigned { parting_held, parting_times = 2, parting_below, parting_sums };
/// Of a thousand keys, before: those that are another one, their values, and those of them that occur more than once.
enum voting_sum : unsigned { voting_others, voting_seen, voting_again };

/// Which key is heavy, if any, by each block of the scan for itself: the same in all.
template <class Word>
struct heavy_vote {
  /// By one warp, whose lanes have read a key each. A barrier has to follow.
  static SORTILE_DEVICE void find(parting_storage<Word>& s, Word key, const key_codec<Word>& codec) {
    const auto found = frequent_value<Word>::among(key);
    const bool is_told = codec.infinity == 0 || any_image<Word>(codec).tells_bits(key),
               all_told = simt::warp_all(is_told);
    if (simt::lane_index() != 0)
      return;
    s.votes = all_told ? found.votes : 0;
    s.heavy[0] = found.value;
    for (unsigned i = 0; i < parting_sums; ++i)
      s.sums[i] = 0;
  }
  /// Of a key that has votes enough: whether of a thousand keys 36 % are this one, and the others have not just few
  /// values. These are better counted by value, unless there are hardly any of them: then nobody knows. Values: a table
  /// in any state, which is clear in the end. Has barriers.
  template <unsigned Threads>
  static SORTILE_DEVICE bool is_confirmed(parting_storage<Word>& s, typename block_values<Word>::storage& values,
                                          const simt::global<const Word>& keys, std::uint64_t n,
                                          const any_image<Word>& image) {
    const Word key = keys.load(frequent_value<Word>::place(simt::thread_index(), n));
    const bool is_other = key != s.heavy.load(0);
    block_values<Word>::clear(values);
    simt::block_barrier();
    typename block_values<Word>::first_values first;
    if (is_other)
      first.ask(values, image.image(key));
    const unsigned others = simt::popcount(simt::ballot(is_other)), seen = simt::warp_reduce_add(first.seen),
                   again = simt::warp_reduce_add(first.again);
    if (simt::lane_index() == 0) {
      s.sums.fetch_add(voting_others, others, simt::relaxed, simt::block_scope);
      s.sums.fetch_add(voting_seen, seen, simt::relaxed, simt::block_scope);
      s.sums.fetch_add(voting_again, again, simt::relaxed, simt::block_scope);
    }
    simt::block_barrier();
    const std::uint32_t all_others = s.sums.load(voting_others);
    const typename block_values<Word>::first_values all{s.sums.load(voting_seen), s.sums.load(voting_again)};
    block_values<Word>::clear(values);
    simt::block_barrier();
    if (simt::thread_index() < parting_sums)
      s.sums[simt::thread_index()] = 0;
    simt::block_barrier();
    return (Threads - all_others) * 1000 >= detail::lsd_parting::least_of_thousand * Threads &&
           (all_others < detail::lsd_parting::least_others || !all.are_few(0));
  }
};

/// One block's part of the scan, where a warp has found a heavy key. InFlight: vectors of a thread at once.
template <class Word, unsigned Threads, unsigned InFlight, unsigned Copies>
struct key_parter {
  static constexpr int vector = int(16 / sizeof(Word));
  static constexpr unsigned radix = 256, digits = sizeof(Word), stretch = Threads * InFlight,
                            stretch_keys = stretch * unsigned(vector);
  using keys_vector = simt::vec<Word, vector>;

  simt::global<const Word> keys;
  simt::global<Word> others;
  simt::global<std::uint64_t> findings;
  std::uint64_t n, head; ///< head: keys before the first vector
  any_image<Word> image;
  bool of_floats, ties_rise;
  Word heavy;

  struct seen {
    bool parted = false; ///< else nothing is seen
    Word ones = 0, zeros = 0;
    neighbours order{}; ///< of this thread
    bool special = false;
    std::uint32_t times = 0, below = 0;
  };

  /// Counts are [digits][radix][Copies], and clear; stretches have room for two of
  /// keys. A call, so that the loops of other scans need not share their registers with it. Has barriers.
  static SORTILE_DEVICE_CALL seen see(const key_parter& p, simt::shared_view<std::uint32_t> counts,
                                      simt::shared_view<Word> stretches, parting_storage<Word>& s,
                                      typename block_values<Word>::storage& values) {
    const key_parter self(p);
    if (!heavy_vote<Word>::template is_confirmed<Threads>(s, values, self.keys, self.n, self.image))
      return {};
    return self.run(counts, stretches, s);
  }

 private:
  SORTILE_DEVICE seen run(const simt::shared_view<std::uint32_t>& counts, const simt::shared_view<Word>& stretches,
                          parting_storage<Word>& s) const {
    const unsigned t = simt::thread_index();
    const Word its_image = image.image(heavy);
    seen all{.parted = true, .ones = its_image, .zeros = Word(~its_image)};
    const std::uint64_t vectors = (n - head) / unsigned(vector), step = std::uint64_t{simt::grid_size()} * stretch;
    std::uint32_t held = 0; // others of the stretch before
    unsigned turn = 0;
    std::uint64_t drawn = 0;      // by thread 0: their room
    const auto write_held = [&] { // behind a barrier
      const std::uint64_t room = s.room.load(0);
      for (std::uint32_t i = t; i < held; i += Threads) {
        const Word key = stretches.load((1 - turn) * stretch_keys + i);
        others.store(room + i, key);
        count(counts, key, its_image, all);
      }
    };
    keys_vector x[InFlight] = {};
    load(std::uint64_t{simt::block_index()} * stretch, vectors, x);
    for (auto first = std::uint64_t{simt::block_index()} * stretch; first < vectors; first += step, turn = 1 - turn) {
      keys_vector next[InFlight] = {}; // on their way
      load(first + step, vectors, next);
      unsigned other[InFlight * unsigned(vector)]; // lanes whose key is one
      std::uint32_t row = 0;
      SORTILE_UNROLL
      for (unsigned k = 0; k < InFlight; ++k) {
        const std::uint64_t v = first + k * Threads + t;
        watch(x[k], v, first + stretch <= vectors, vectors, all);
        SORTILE_UNROLL
        for (int e = 0; e < vector; ++e) {
          const bool is_heavy = x[k][e] == heavy;
          all.times += v < vectors && is_heavy ? 1 : 0;
          row += simt::popcount(other[k * unsigned(vector) + unsigned(e)] = simt::ballot(v < vectors && !is_heavy));
        }
      }
      std::uint32_t place = 0;
      if (simt::lane_index() == 0)
        place = s.sums.fetch_add(parting_held + turn, row, simt::relaxed, simt::block_scope);
      place = turn * stretch_keys + simt::shuffle(place, 0);
      SORTILE_UNROLL
      for (unsigned k = 0; k < InFlight; ++k) {
        SORTILE_UNROLL
        for (int e = 0; e < vector; ++e) {
          const unsigned lanes = other[k * unsigned(vector) + unsigned(e)];
          if ((lanes >> simt::lane_index() & 1) != 0)
            stretches.store(place + simt::popcount(lanes & simt::lanes_below()), x[k][e]);
          place += simt::popcount(lanes);
        }
        x[k] = next[k];
      }
      if (t == 0)
        s.room[0] = drawn;
      simt::block_barrier();
      write_held();
      held = s.sums.load(parting_held + turn);
      if (t == 0) {
        drawn = findings.fetch_add(lsd_others, std::uint64_t{held});
        s.sums[parting_held + (1 - turn)] = 0;
      }
      simt::block_barrier();
    }
    if (t == 0)
      s.room[0] = drawn;
    simt::block_barrier();
    write_held();
    if (simt::block_index() == 0)
      see_ends(counts, its_image, all);
    return all;
  }
  SORTILE_DEVICE void load(std::uint64_t first, std::uint64_t vectors, keys_vector (&x)[InFlight]) const {
    SORTILE_UNROLL
    for (unsigned k = 0; k < InFlight; ++k)
      if (const std::uint64_t v = first + k * Threads + simt::thread_index(); v < vectors)
        x[k] = simt::load_vector<vector>(keys, head + v * unsigned(vector));
  }
  /// Keys before the first whole vector and after the last: fewer than two vectors.
  SORTILE_DEVICE void see_ends(const simt::shared_view<std::uint32_t>& counts, Word its_image, seen& all) const {
    const std::uint64_t behind = head + (n - head) / unsigned(vector) * unsigned(vector), t = simt::thread_index();
    const std::uint64_t at = t < head ? t : behind + (t - head);
    if (at >= n)
      return;
    const simt::vec<Word, 1> x{{keys.load(at)}};
    order().see(x, key_at(at + 1), all.order);
    if (x[0] == heavy) {
      ++all.times;
      return;
    }
    count(counts, x[0], its_image, all);
    others.store(findings.fetch_add(lsd_others, std::uint64_t{1}), x[0]);
  }

  SORTILE_DEVICE order_watch<any_image<Word>> order() const { return {image, ties_rise}; }
  /// For those: the key at `at`, if there is one.
  SORTILE_DEVICE auto key_at(std::uint64_t at) const {
    return [this, at](Word& key) {
      if (at < n)
        key = keys.load(at);
      return at < n;
    };
  }
  /// Vector v, of a stretch that is whole or not.
  SORTILE_DEVICE void watch(const keys_vector& x, std::uint64_t v, bool whole, std::uint64_t vectors, seen& all) const {
    const auto behind = key_at(head + (v + 1) * unsigned(vector));
    if (whole)
      order().see_row(x, behind, all.order);
    else if (v < vectors)
      order().see(x, behind, all.order);
  }
  SORTILE_DEVICE void count(const simt::shared_view<std::uint32_t>& counts, Word key, Word its_image, seen& all) const {
    all.special |= of_floats && !image.tells_bits(key);
    Word i = image.image(key);
    all.below += i < its_image ? 1 : 0;
    all.ones |= i;
    all.zeros |= Word(~i);
    SORTILE_UNROLL
    for (unsigned p = 0; p < digits; ++p, i >>= 8)
      counts.fetch_add((p * radix + (std::uint32_t(i) & 255)) * Copies + simt::lane_index() % Copies, 1u, simt::relaxed,
                       simt::block_scope);
  }
};

/// Behind the last pass: `strays` keys lie on the wrong side of the gap, beside it, and are no more than it is long.
struct parted_gap {
  std::uint64_t strays;
  bool behind; ///< where they are

  /// Where the keys of one digit begin, of which `below` belong before the gap, of `all`.
  static SORTILE_DEVICE parted_gap of(std::uint64_t below, std::uint64_t all) {
    return below <= all - below ? parted_gap{below, true} : parted_gap{all - below, false};
  }
  /// By all blocks. The gap's final place is [begin, begin + size).
  template <class Word>
  static SORTILE_DEVICE_CALL void close(simt::global<Word> out, Word key, std::uint64_t begin, std::uint64_t size,
                                        parted_gap gap) {
    const std::uint64_t stride = std::uint64_t{simt::grid_size()} * simt::block_size();
    const std::uint64_t mine = std::uint64_t{simt::block_index()} * simt::block_size() + simt::thread_index();
    const std::uint64_t from = gap.behind ? begin + size - gap.strays : begin;
    const std::uint64_t to = gap.behind ? begin - gap.strays : begin + size;
    for (auto i = mine; i < gap.strays; i += stride) {
      out.store(to + i, out.load(from + i));
      out.store(from + i, key);
    }
    const std::uint64_t rest = gap.behind ? begin : begin + gap.strays;
    for (auto i = mine; i < size - gap.strays; i += stride)
      out.store(rest + i, key);
  }
};

/// What the findings say of a heavy key.
template <class Word>
struct parted_findings {
  simt::global<const std::uint64_t> findings;

  SORTILE_DEVICE std::uint64_t times() const { return findings.load(lsd_heavy_times); }
  SORTILE_DEVICE std::uint64_t below() const { return findings.load(lsd_below_heavy); }
  SORTILE_DEVICE Word key() const { return Word(findings.load(lsd_heavy_key)); }
  /// How many keys with this digit the scan has not counted by digits.
  SORTILE_DEVICE std::uint64_t with_digit(const any_image<Word>& image, unsigned shift, std::uint32_t digit) const {
    const std::uint64_t all = times();
    return all != 0 && image.digit(key(), shift, 255) == digit ? all : 0;
  }
  /// In the last pass, by thread t: by how much the keys of digit t move for the gap, of which there are `here` and
  /// which would begin at `start`.
  SORTILE_DEVICE std::uint64_t leave_gap(simt::shared_value<parted_gap>& gap, const any_image<Word>& image,
                                         unsigned shift, unsigned t, std::uint64_t start, std::uint64_t here) const {
    const std::uint32_t digit = image.digit(key(), shift, 255);
    const auto left = parted_gap::of(below() - start, here);
    if (t == digit)
      gap = left;
    return t > digit || (t == digit && left.behind) ? times() : 0;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
