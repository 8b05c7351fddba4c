// What selections are made of, for keys of one width: a sample, reads that collect what lies below a pivot or between
// splitters, and the exact search of a rank by digits. select_layout.hpp has the idea.
#pragma once

#include "cpu/atomic_view.hpp"
#include "cpu/cpu_engine.hpp"
#include "cpu/memory_slots.hpp"
#include "cpu/parallel.hpp"
#include "cpu/scratch.hpp"
#include "cpu/select_layout.hpp"
#include "cpu/select_loops.hpp"
#include "cpu/select_pool.hpp"
#include "cpu/small_sort.hpp"

#include <algorithm>
#include <array>

namespace sortile::cpu {

/// The image of a key, exact for every float: selections read each key once, and cannot find out first whether there is
/// a −0 or a NaN.
template <class K>
key_image<K> exact_image(key_type type, const options& opts) {
  return key_image<K>(type, opts.order, opts.bits).exactly();
}

/// A row, and how it is to be done.
struct row_job {
  const options& opts;
  unsigned threads = 1;
  progress_meter* progress = nullptr; ///< of reads
  std::byte* workspace = nullptr;
  progress_meter* end = nullptr; ///< of the only row: told when its results are known

  /// Before results are written: the last time that a row can be cancelled.
  void results_are_known() const {
    if (end != nullptr)
      end->finish();
    else if (progress != nullptr)
      progress->report();
  }
};

/// What one piece of the array holds.
struct piece_counts {
  std::size_t below = 0;
  std::size_t equal = 0;
};

/// A key by its ordering image, and how many come before all that are equal to it.
template <class K>
struct threshold {
  K image = 0;
  std::size_t below = 0;
};

/// The keys of one array, as selections read them.
template <class K>
class selection {
 public:
  selection(const K* keys, std::size_t n, const key_image<K>& image, unsigned threads, progress_meter* progress)
      : keys_(keys), n_(n), image_(image), loops_(best_select_loops<K>()), threads_(threads), progress_(progress) {}

  const K* keys() const { return keys_; }
  std::size_t size() const { return n_; }
  const key_image<K>& image() const { return image_; }
  const select_loops<K>& loops() const { return loops_; }

  /// The images of m keys, one from each of m equal parts of the array, at a random place that is always the same: no
  /// likely arrangement of an array matches these places.
  void sample(K* images, std::size_t m) const {
    sample_keys(images, m);
    for (std::size_t i = 0; i < m; ++i)
      images[i] = image_.ordering(images[i]);
  }
  /// These keys.
  void sample_keys(K* keys, std::size_t m) const {
    const std::size_t width = n_ / m, longer = n_ % m; // parts as part_begin() has them, without its divisions
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t begin = width * i + std::min(i, longer), size = width + (i < longer);
      keys[i] = keys_[begin + static_cast<std::size_t>((uint128{mixed(i)} * size) >> 64)];
    }
  }

  /// Collects what lies below the pivot, and counts, piece by piece: all of it where the pool has room.
  template <class P>
  void collect_below(K pivot, chunk_pool<K, P>& pool, call_vector<piece_counts>& found) const {
    pool.clear();
    for_each_task(threads_, found.size(), progress_, [&](unsigned, std::size_t piece) {
      typename chunk_pool<K, P>::writer to(pool, piece);
      piece_counts counts;
      each_block(piece, found.size(), [&](std::size_t at, std::size_t m, std::uint16_t* offsets) {
        const std::size_t below = loops_.below(keys_ + at, m, image_, pivot, counts.equal, offsets);
        counts.below += below;
        return !pool.overflowed() && to.add(keys_ + at, offsets, below, at);
      });
      found[piece] = counts;
    });
  }

  /// Collects what lies inside of the open intervals between splitters[0] and [1], [2] and [3], …, and counts.
  void collect_between(const call_vector<K>& splitters, chunk_pool<K, no_position>& pool, std::size_t pieces,
                       splitter_counts& counts) const {
    pool.clear();
    call_vector<splitter_counts> found(pieces);
    for_each_task(threads_, pieces, progress_, [&](unsigned, std::size_t piece) {
      typename chunk_pool<K, no_position>::writer to(pool, piece);
      each_block(piece, pieces, [&](std::size_t at, std::size_t m, std::uint16_t* offsets) {
        const std::size_t inside =
            loops_.between(keys_ + at, m, image_, splitters.data(), splitters.size(), found[piece], offsets);
        return !pool.overflowed() && to.add(keys_ + at, offsets, inside, at);
      });
    });
    for (const splitter_counts& f : found)
      for (std::size_t s = 0; s < splitters.size(); ++s) {
        counts.greater[s] += f.greater[s];
        counts.not_smaller[s] += f.not_smaller[s];
      }
  }

  /// How many keys of each piece lie below an image, and how many equal it.
  call_vector<piece_counts> count(K pivot, std::size_t pieces) const {
    call_vector<piece_counts> found(pieces);
    for_each_task(threads_, pieces, progress_, [&](unsigned, std::size_t piece) {
      piece_counts counts;
      each_block(piece, pieces, [&](std::size_t at, std::size_t m, std::uint16_t* offsets) {
        counts.below += loops_.below(keys_ + at, m, image_, pivot, counts.equal, offsets);
        return true;
      });
      found[piece] = counts;
    });
    return found;
  }

  /// Calls take(number, position) for the keys that equal the pivot and have one of the numbers [first, last) among
  /// all such keys. `found` says how many each piece has.
  template <class Take>
  void each_equal(K pivot, const call_vector<piece_counts>& found, std::size_t first, std::size_t last,
                  Take&& take) const {
    call_vector<std::size_t> numbers(found.size() + 1);
    for (std::size_t piece = 0; piece < found.size(); ++piece)
      numbers[piece + 1] = numbers[piece] + found[piece].equal;
    for_each_task(threads_, found.size(), nullptr, [&](unsigned, std::size_t piece) {
      std::size_t number = numbers[piece];
      if (number >= last || numbers[piece + 1] <= first)
        return;
      each_block(piece, found.size(), [&](std::size_t at, std::size_t m, std::uint16_t* offsets) {
        const std::size_t equal = loops_.equal(keys_ + at, m, image_, pivot, offsets);
        for (std::size_t i = 0; i < equal; ++i, ++number)
          if (number >= first && number < last)
            take(number, at + offsets[i]);
        return number < last;
      });
    });
  }

  /// The key of a rank below n, digit by digit: a read of all keys for each.
  threshold<K> exact(std::size_t rank, std::size_t pieces) const {
    threshold<K> result;
    for (unsigned left = image_.codec.bits; left > 0;) {
      const unsigned bits = std::min(left, select_digit_bits), shift = image_.codec.shift + left - bits;
      const K mask = static_cast<K>((std::uint64_t{1} << bits) - 1);
      const K lower = static_cast<K>(static_cast<K>(mask << shift) | static_cast<K>(static_cast<K>(K{1} << shift) - 1));
      const auto counts =
          histogram({static_cast<K>(image_.window & static_cast<K>(~lower)), result.image, shift, mask}, pieces);
      std::size_t digit = 0;
      for (; rank - result.below >= counts[digit]; ++digit)
        result.below += counts[digit];
      result.image = static_cast<K>(result.image | static_cast<K>(static_cast<K>(digit) << shift));
      left -= bits;
    }
    return result;
  }

 private:
  /// SplitMix64 (Steele, Lea, Flood 2014): 64 random bits for a counter.
  static std::uint64_t mixed(std::uint64_t counter) {
    std::uint64_t z = (counter + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Calls f(begin, keys, room for offsets) for the blocks of a piece, until it returns false.
  template <class F>
  void each_block(std::size_t piece, std::size_t pieces, F&& f) const {
    std::uint16_t offsets[select_block];
    const std::size_t begin = part_begin(n_, pieces, piece), end = part_begin(n_, pieces, piece + 1);
    for (std::size_t at = begin; at < end; at += select_block)
      if (!f(at, std::min(select_block, end - at), offsets))
        break;
    if (progress_ != nullptr)
      progress_->add(end - begin);
  }

  call_vector<std::size_t> histogram(const prefixed_digit<K>& d, std::size_t pieces) const {
    call_vector<std::size_t> total(std::size_t{1} << select_digit_bits);
    for_each_task(threads_, pieces, progress_, [&](unsigned, std::size_t piece) {
      std::array<std::uint32_t, std::size_t{1} << select_digit_bits> counts{};
      const auto flush = [&] {
        for (std::size_t i = 0; i < counts.size(); ++i)
          if (counts[i] != 0)
            atomic_view(total[i]).fetch_add(counts[i], std::memory_order_relaxed);
        counts.fill(0);
      };
      std::size_t counted = 0;
      each_block(piece, pieces, [&](std::size_t at, std::size_t m, std::uint16_t*) {
        loops_.histogram(keys_ + at, m, image_, d, counts.data());
        counted += m;
        if (counted >= std::size_t{1} << 31) { // before a count overflows
          flush();
          counted = 0;
        }
        return true;
      });
      flush();
    });
    return total;
  }

  const K* keys_;
  std::size_t n_;
  key_image<K> image_;
  const select_loops<K>& loops_;
  unsigned threads_;
  progress_meter* progress_;
};

/// A sort on the CPU engine with a workspace that is there already.
inline void sort_within(const sort_request& request, const options& order_of, unsigned threads,
                        std::span<std::byte> workspace) {
  if (request.n == 0)
    return;
  options opts;
  opts.order = order_of.order;
  opts.bits = order_of.bits;
  if (sort_small(request, opts, true))
    return;
  const std::size_t used = cpu_engine().workspace_used(request, opts, threads);
  cpu_engine().run(request, opts, {threads, workspace.first(used), nullptr});
}

/// The same with a workspace that it allocates, where one is needed.
inline void sort_by_itself(const sort_request& request, const options& order_of, unsigned threads) {
  options opts;
  opts.order = order_of.order;
  opts.bits = order_of.bits;
  if (request.n == 0 || sort_small(request, opts, true))
    return;
  const scratch space(cpu_engine().workspace_used(request, opts, threads), "the workspace of a selection");
  cpu_engine().run(request, opts, {threads, space.bytes(), nullptr});
}

} // namespace sortile::cpu
