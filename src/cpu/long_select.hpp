// Selections of long arrays by vectors: in pieces, which threads share, between which progress is told, and in little
// memory. The steps are those of vector_ranks.hpp; vector_select.ipp has the idea.
//
// Keys that are only read. A sorted sample has a key that nearly always comes before the wanted ranks, and one behind
// them (primitives/sample_ranks.hpp). One read copies what lies between the two, of 2^20 keys a tenth and of
// 2^26 some hundredths, and counts what does not lie above the first:
//
//     piece     [ . . x . . . x . ][ . x . . . . . . ][ . . . x . . . . ] …      x lies between the two
//     workers     └─ beside ─┐          └─ beside ─┐
//     together  [ x x x x … room for `capacity` … ]       a split of these brings the ranks to their places
//
// Up to three intervals are copied from a piece while the cache has it. A key that is frequent is a bound itself: then
// the bounds' own keys are counted, too, and may be what is searched. About once in a million arrays the sample
// misleads; then the caller finds the ranks by a filter and digits (select_jobs.hpp).
//
// In place. The array is split around a key of a sample, and its part around another, in pairs of stretches
// (misplaced.hpp): 1.5 reads and writes of each key for a median. How long stretches are does not depend on the
// threads, so neither does where keys end up.
//
// Cost: of a median of 2^26 keys of 8 bytes 14 MB beside the keys, where a copy of all of them was 512.
#pragma once

#include "cpu/memory_slots.hpp"
#include "cpu/misplaced.hpp"
#include "cpu/select_keys.hpp"
#include "cpu/told_steps.hpp"
#include "cpu/vector_ranks.hpp"
#include "primitives/sample_ranks.hpp"

#include <optional>

namespace sortile::cpu {

/// Calls f(worker, begin, end) for pieces of n keys, of a length that is always the same.
template <class F>
void for_each_long_piece(unsigned threads, std::size_t n, progress_meter* progress, F&& f) {
  const std::size_t pieces = long_ranks_layout::pieces(n);
  for_each_task(threads, pieces, progress, [&](unsigned worker, std::size_t i) {
    f(worker, part_begin(n, pieces, i), part_begin(n, pieces, i + 1));
  });
}

/// Whether f(begin, end) holds for all pieces of n keys.
template <class F>
bool holds_in_all_pieces(unsigned threads, std::size_t n, progress_meter* progress, F&& f) {
  std::atomic<bool> holds = true;
  for_each_long_piece(threads, n, progress, [&](unsigned, std::size_t begin, std::size_t end) {
    if (holds.load(std::memory_order_relaxed) && !f(begin, end))
      holds.store(false, std::memory_order_relaxed);
  });
  return holds;
}

/// Whether a stable sort has each key where it is. Of keys that begin in another order few are read.
template <class K>
bool long_is_in_order(const rank_parts<K>& parts, const K* keys, std::size_t n, const plain_image<K>& image,
                      unsigned threads, progress_meter* progress) {
  constexpr std::size_t few = 1024;
  return parts.is_in_order(keys, std::min(n, few), image) &&
         holds_in_all_pieces(threads, n, progress, [&](std::size_t begin, std::size_t end) {
           return parts.is_in_order(keys + begin, std::min(end + 1, n) - begin, image);
         });
}

/// Which of the keys that compare equal has a rank, where these differ in bits: of floats, zeros and NaNs.
template <class K>
class equal_floats {
 public:
  explicit equal_floats(const selection<K>& keys) : keys_(keys) {}

  bool are_these(K key) const {
    const key_codec<K>& codec = keys_.image().codec;
    const K magnitude = static_cast<K>(key & static_cast<K>(~codec.sign));
    return codec.infinity != 0 && (magnitude == 0 || magnitude > codec.infinity);
  }

  /// The one that a stable sort has there, of those that are equal to `key`; none where it has another key there.
  std::optional<K> at(std::size_t rank, K key) {
    const std::size_t pieces = long_ranks_layout::pieces(keys_.size());
    if (const K x = keys_.image().ordering(key); counts_.empty() || x != image_) {
      image_ = x;
      counts_ = keys_.count(x, pieces);
      below_ = equal_ = 0;
      for (const piece_counts& c : counts_)
        below_ += c.below, equal_ += c.equal;
    }
    if (rank < below_ || rank >= below_ + equal_)
      return std::nullopt;
    K found{};
    keys_.each_equal(image_, counts_, rank - below_, rank - below_ + 1,
                     [&](std::size_t, std::size_t position) { found = keys_.keys()[position]; });
    return found;
  }

 private:
  const selection<K>& keys_;
  call_vector<piece_counts> counts_;
  K image_{};
  std::size_t below_ = 0, equal_ = 0;
};

// Keys that are only read

template <class K>
class long_ranks {
 public:
  long_ranks(const ranks_request& row, const few_ranks& few, const long_ranks_layout& layout, const row_job& job)
      : row_(row), few_(few), layout_(layout), job_(job), image_(key_image<K>(row.type, job.opts.order, {})),
        keys_(static_cast<const K*>(row.keys), row.n, exact_image<K>(row.type, job.opts), job.threads, job.progress) {}

  /// False, and nothing was written, where the sample has misled.
  bool run() {
    if (long_is_in_order(parts_, keys_.keys(), row_.n, image_, job_.threads, job_.progress)) {
      write([&](std::size_t rank) { return keys_.keys()[rank]; });
      return true;
    }
    tell_step("sample");
    place_bounds();
    tell_step("gather");
    gather();
    tell_step("split");
    for (unsigned i = 0; i < layout_.intervals; ++i)
      if (!is_found(i))
        return false;
    tell_step("copy");
    const selection<K> untold(keys_.keys(), row_.n, keys_.image(), job_.threads, nullptr); // progress is at its end
    equal_floats<K> equals(untold);
    write([&](std::size_t rank) {
      const K key = key_of_rank(rank);
      return equals.are_these(key) ? equals.at(rank, key).value_or(key) : key;
    });
    return true;
  }

 private:
  /// Keys between two numbers, and how many there are on either side.
  struct interval {
    K low, high;           ///< numbers of keys that are not inside
    bool bounds_are_found; ///< and counted: one of them may have a wanted rank
    std::atomic<std::size_t> before{0}, inside{0}, low_keys{0}, high_keys{0};
  };

  /// Each rank's key is looked for once.
  template <class KeyAt>
  void write(KeyAt&& key_at) const {
    K found[few_ranks::most];
    for (std::size_t i = 0; i < few_.size(); ++i)
      found[i] = key_at(few_[i]);
    job_.results_are_known();
    K* const out = static_cast<K*>(row_.keys_out);
    for (std::size_t i = 0; i < row_.ranks.size(); ++i)
      out[i] = found[few_.place(row_.ranks[i])];
  }

  K* inside(unsigned i) const { return reinterpret_cast<K*>(job_.workspace + layout_.of[i].inside); }

  void place_bounds() {
    K* const sample = reinterpret_cast<K*>(job_.workspace + layout_.beside);
    const std::size_t m = layout_.sample;
    keys_.sample_keys(sample, m);
    parts_.numbers(sample, m, image_, sample);
    parts_.sort(sample, m);
    const auto repeats = [&](std::size_t at) {
      return (at > 0 && sample[at - 1] == sample[at]) || (at + 1 < m && sample[at + 1] == sample[at]);
    };
    for (unsigned i = 0; i < layout_.intervals; ++i) {
      const auto& planned = layout_.of[i];
      interval& of = intervals_[i];
      const bool begins = planned.before == 0, ends = planned.behind + 1 >= m; // with all there is
      of.low = begins ? parts_.least : sample[planned.before];
      of.high = ends ? parts_.greatest : sample[planned.behind];
      of.bounds_are_found = begins || ends || repeats(planned.before) || repeats(planned.behind);
    }
  }

  void gather() {
    const std::size_t room = long_ranks_layout::piece + ranks_room<K>;
    K* const beside_all = reinterpret_cast<K*>(job_.workspace + layout_.beside);
    for_each_long_piece(job_.threads, row_.n, job_.progress, [&](unsigned worker, std::size_t begin, std::size_t end) {
      const K* const keys = keys_.keys() + begin;
      K* const beside = beside_all + worker * room;
      for (unsigned i = 0; i < layout_.intervals; ++i) {
        interval& of = intervals_[i];
        interval_counts counts;
        const std::size_t count =
            parts_.between(keys, end - begin, image_, of.low, of.high, of.bounds_are_found, beside, counts);
        const std::size_t at = of.inside.fetch_add(count, std::memory_order_relaxed);
        if (at + count <= layout_.of[i].capacity)
          std::copy(beside, beside + count, inside(i) + at);
        of.before.fetch_add(counts.before, std::memory_order_relaxed);
        of.low_keys.fetch_add(counts.low, std::memory_order_relaxed);
        if (of.high != of.low)
          of.high_keys.fetch_add(counts.high, std::memory_order_relaxed);
      }
      if (job_.progress != nullptr)
        job_.progress->add(end - begin);
    });
  }

  /// Whether all ranks of an interval lie in it, or are its bounds. Brings those that lie in it to their places.
  bool is_found(unsigned i) {
    const auto& planned = layout_.of[i];
    const interval& of = intervals_[i];
    const std::size_t begin = of.before, end = begin + of.inside;
    if (of.inside > planned.capacity || planned.first + of.low_keys < begin || planned.last >= end + of.high_keys)
      return false;
    if (of.inside > 0 && planned.first < end && planned.last >= begin)
      parts_.select(inside(i), of.inside, std::max(planned.first, begin) - begin,
                    std::min(planned.last, end - 1) - begin, parts_.as_they_are, parts_.least, parts_.greatest);
    return true;
  }

  K key_of_rank(std::size_t rank) const {
    unsigned i = 0;
    while (rank > layout_.of[i].last)
      ++i;
    const interval& of = intervals_[i];
    const std::size_t begin = of.before;
    const K number = rank < begin ? of.low : rank < begin + of.inside ? inside(i)[rank - begin] : of.high;
    K key;
    parts_.keys(&number, 1, image_, &key);
    return key;
  }

  const ranks_request& row_;
  const few_ranks& few_;
  const long_ranks_layout& layout_;
  const row_job& job_;
  const rank_parts<K>& parts_ = *best_rank_parts<K>();
  plain_image<K> image_;
  selection<K> keys_;
  interval intervals_[few_ranks::most_runs];
};

// In place

template <class K>
class long_nth_element {
 public:
  long_nth_element(const nth_element_request& request, const options& opts, unsigned threads, progress_meter& progress)
      : keys_(static_cast<K*>(request.keys)), n_(request.n), nth_(request.nth),
        exact_(exact_image<K>(request.type, opts)), image_(exact_), threads_(threads), progress_(progress),
        room_(n_, pairs_of(n_)), sample_(sampled) {}

  /// Progress: about two for each key.
  void run() {
    if (long_is_in_order(parts_, keys_, n_, image_, threads_, &progress_))
      return;
    if (exact_.is_float && any_special())
      select_around_specials();
    else
      select(image_);
  }

 private:
  static constexpr std::size_t pair_keys = std::size_t{1} << 17; ///< of two stretches that are split together
  static constexpr std::size_t alone = std::size_t{1} << 17;     ///< keys of a part that is selected from at once
  static constexpr std::size_t sampled = 4096;
  static constexpr unsigned most_poor_splits = 4; ///< which leave more than half
  static constexpr double deviations = 3;         ///< a miss costs a split of what is left, a margin a part of it

  static std::size_t pairs_of(std::size_t n) { return std::max<std::size_t>(1, n / pair_keys); }

  bool any_special() const {
    return !holds_in_all_pieces(threads_, n_, &progress_, [&](std::size_t begin, std::size_t end) {
      return !parts_.any_special(keys_ + begin, end - begin, image_);
    });
  }

  /// Keys become numbers, and keys again at the end, also where progress is told to stop in between.
  void select_around_specials() {
    const std::optional<K> special = special_of_rank();
    struct in_numbers {
      long_nth_element& of;
      explicit in_numbers(long_nth_element& o) : of(o) {
        of.turn([&](K* keys, std::size_t n) { of.parts_.numbers(keys, n, of.image_, keys); });
      }
      in_numbers(const in_numbers&) = delete;
      in_numbers& operator=(const in_numbers&) = delete;
      ~in_numbers() {
        of.turn([&](K* keys, std::size_t n) { of.parts_.keys(keys, n, of.image_, keys); });
      }
    };
    {
      const in_numbers while_here(*this);
      select(parts_.as_they_are);
    }
    if (special) // any other one may stand where it stood
      std::swap(keys_[nth_], *std::find(keys_, keys_ + n_, *special));
  }

  std::optional<K> special_of_rank() const {
    const selection<K> keys(keys_, n_, exact_, threads_, nullptr);
    equal_floats<K> equals(keys);
    const std::optional<K> zero = equals.at(nth_, K{0});
    return zero ? zero : equals.at(nth_, static_cast<K>(exact_.codec.infinity + 1));
  }

  template <class F>
  void turn(F&& f) {
    for_each_long_piece(threads_, n_, nullptr,
                        [&](unsigned, std::size_t begin, std::size_t end) { f(keys_ + begin, end - begin); });
  }

  /// Where the n-th key of what is left lies, and what all images there lie between.
  struct part {
    K* keys;
    std::size_t n, nth;
    K lowest, highest;
  };

  void select(const plain_image<K>& image) {
    part p{keys_, n_, nth_, parts_.least, parts_.greatest};
    for (unsigned poor = 0; p.n > alone && p.lowest != p.highest && poor < most_poor_splits;) {
      const std::size_t before = p.n;
      const likely_bounds at = sampled_bounds(p, image);
      if (at.above > at.below)
        static_cast<void>(keep_low(p, at, image) && keep_high(p, at, image));
      else
        static_cast<void>(keep_high(p, at, image) && keep_low(p, at, image));
      poor += p.n > before / 2;
    }
    parts_.select(p.keys, p.n, p.nth, p.nth, image, p.lowest, p.highest);
  }

  /// Images between which the wanted one probably lies, themselves included, and how many keys probably lie below and
  /// above them. At an end of the part its own; one that is frequent is left out: a split beside it either ends the
  /// search, or takes all such keys away.
  struct likely_bounds {
    K low, high;
    std::size_t below, above;
    const K *begin, *end; ///< of the part that they are of
  };
  likely_bounds sampled_bounds(const part& p, const plain_image<K>& image) {
    const selection<K> keys(p.keys, p.n, exact_, 1, nullptr);
    const std::size_t m = sample_.size(), place = primitives::sampling::scaled(p.nth, m, p.n);
    keys.sample_keys(sample_.data(), m);
    parts_.images(sample_.data(), m, image, sample_.data());
    parts_.sort(sample_.data(), m);
    const std::size_t margin =
        primitives::sampling::root(primitives::sampling::scaled(place, m - place, m), deviations) + 2;
    likely_bounds found{p.lowest, p.highest, 0, 0, p.keys, p.keys + p.n};
    std::size_t below = 0, above = 0; // of the sample
    if (place >= margin) {
      below = place - margin;
      found.low = sample_[below];
      if (found.low == p.lowest)
        ++found.low;
      else
        while (below > 0 && sample_[below - 1] == found.low)
          --below;
    }
    if (place + margin < m) {
      above = m - 1 - (place + margin);
      found.high = sample_[place + margin];
      if (found.high == p.highest)
        --found.high;
      else
        while (above > 0 && sample_[m - above] == found.high)
          --above;
    }
    found.below = primitives::sampling::scaled(below, p.n, m);
    found.above = primitives::sampling::scaled(above, p.n, m);
    return found;
  }

  /// Whether the n-th key is not above `high`, or not below `low`, as was thought: what is on its side is kept.
  bool keep_low(part& p, const likely_bounds& at, const plain_image<K>& image) {
    return p.lowest == p.highest || at.high == p.highest || p.n <= alone ||
           keep(p, static_cast<K>(at.high + 1), at.end - at.above, true, image);
  }
  bool keep_high(part& p, const likely_bounds& at, const plain_image<K>& image) {
    return p.lowest == p.highest || at.low == p.lowest || p.n <= alone ||
           keep(p, at.low, at.begin + at.below, false, image);
  }

  /// `middle`: where the keys that are not below the pivot will probably begin.
  bool keep(part& p, K pivot, const K* middle, bool low, const plain_image<K>& image) {
    const auto lows = static_cast<std::size_t>(std::clamp<const K*>(middle, p.keys, p.keys + p.n) - p.keys);
    const std::size_t below =
        split_in_pairs(p.keys, p.n, lows, pairs_of(p.n), threads_, &progress_, room_,
                       [&](K* left, std::size_t left_n, K* right, std::size_t right_n, std::size_t& left_lows,
                           std::size_t& right_lows) {
                         parts_.split_two(left, left_n, right, right_n, image, pivot, left_lows, right_lows);
                         progress_.add(left_n + right_n);
                       });
    if (p.nth < below) {
      p.n = below, p.highest = static_cast<K>(pivot - 1);
      return low;
    }
    p.keys += below, p.n -= below, p.nth -= below, p.lowest = pivot;
    return !low;
  }

  K* const keys_;
  const std::size_t n_, nth_;
  const rank_parts<K>& parts_ = *best_rank_parts<K>();
  const key_image<K> exact_;
  const plain_image<K> image_;
  const unsigned threads_;
  progress_meter& progress_;
  split_room room_;
  call_vector<K> sample_;
};

} // namespace sortile::cpu
