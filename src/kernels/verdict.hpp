// The verdict: one word in device memory that says which of the sorts launched for some keys sorts them. The first of
// them may find that it does not take the keys, and so may its first fallback. All are launched, and one of them does
// the work.
//
//   word   who sorts             written by
//   any    nobody knows yet      what was in the workspace
//   0      the first sort        its first launch, before anybody reads the word
//   1      its fallback          the first sort, before it moves a key:
//                                  keys      window_kernel, key_map_kernel (by samples), bucket_tables (by the
//                                            counts)
//                                  pairs     chunk_scan_kernel (by samples, and by the counts of two partitions) or,
//                                            of one partition, own_tables (by the counts)
//                                  splitters segment_split (by samples, by the counts)
//                                  counting  count_sort_kernel (by the counts)
//   2      the second fallback   window_kernel or key_map_kernel, where keys differ in few digits; chunk_scan_kernel,
//                                where they have few values or are uneven; or the first fallback, the sort between
//                                splitters: its segment_split
//
//   read by                                    and nothing is done where the word is not the reader's role
//   LSD: scan, passes, copy                    lsd_count::load: n is then 0
//   sample sort: its one launch                at once
//   splitters: segment_split                   and it tells its later launches by its findings
//   splitters and pairs: partitions, local     pairs_gate: after the counts
//   keys: partitions, local                    by finding_skewed, which repeats the word and says who found it
//
// A bit beside the role, many_values, tells the LSD sort that a sample has shown more values than it counts
// (lsd/value_table.hpp), so that it need not ask.
//
// A sort of role r writes r or r + 1, and only its later launches read the word. So launches of one stream need no
// other order than the stream's. The last of them zeroes what an LSD sort begins with that is its fallback (handover).
#pragma once

#include "kernels/clear_words.hpp"
#include "kernels/typed_request.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

struct verdict {
  simt::global<std::uint32_t> word; // one, or none
  std::uint32_t role;               // of the sort that asks, or writes
  bool decides;                     // there is a word: one of a sort with a fallback may give the keys away
  std::uint32_t passes;             // role of the LSD sort, where that is the last of two fallbacks; else 0

  static verdict of(const verdict_place& place) {
    return {{place.word, place.word == nullptr ? 0u : 1u}, place.role, place.word != nullptr, place.passes};
  }

  static constexpr std::uint32_t roles = 255, many_values = 256;

  /// Whether the sort is to do its work: the first one always, a fallback where the word is its role.
  SORTILE_DEVICE bool calls() const { return role == 0 || (word.load(0) & roles) == role; }
  /// Whether the keys have been given away, as far as is known.
  SORTILE_DEVICE bool gave_away() const { return decides && (word.load(0) & roles) != role; }
  /// Whether a sample has shown that keys have more values than an LSD sort counts.
  SORTILE_DEVICE bool says_many_values() const { return role != 0 && (word.load(0) & many_values) != 0; }
  /// By one thread: the keys are this sort's, as far as is known.
  SORTILE_DEVICE void take() const {
    if (decides)
      word.store(0, role, simt::relaxed, simt::device_scope);
  }
  /// By one thread or several, where `decides`: they are the next sort's. `said`: many_values, where that is known.
  SORTILE_DEVICE void give_away(std::uint32_t said = 0) const { write((role + 1) | said); }
  /// They are the LSD sort's, which has a pass for each digit of 8 bits in which keys differ, and one of few values.
  SORTILE_DEVICE void give_to_passes(std::uint32_t said = 0) const { write((passes != 0 ? passes : role + 1) | said); }
  /// Of keys that differ in so many digits, as far as is known. Up to five passes are quicker than what else there may
  /// be.
  SORTILE_DEVICE void give_away_by_digits(unsigned digits, std::uint32_t said = 0) const {
    constexpr unsigned few = 5;
    if (digits <= few)
      give_to_passes(said);
    else
      give_away(said);
  }

 private:
  SORTILE_DEVICE void write(std::uint32_t x) const { word.store(0, x, simt::relaxed, simt::device_scope); }
};

/// What the last launch of a sort does for its fallback, an LSD sort, if that is called: it zeroes the words that the
/// latter begins with, which costs no launch. They may be among the findings of this sort, so who asks is_due() reads
/// none of these afterwards.
struct handover {
  verdict told;
  simt::global<std::uint64_t> words;
  std::uint64_t count;

  static handover of(const verdict_place& place) {
    return {verdict::of(place), {place.zeroed, place.zeroed_words}, place.zeroed_words};
  }

  /// Whether the keys have been given away, so that this launch has nothing else to do.
  SORTILE_DEVICE bool is_due() const { return told.gave_away(); }
  /// By the whole grid.
  SORTILE_DEVICE void zero() const { zero_words(words, count); }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
