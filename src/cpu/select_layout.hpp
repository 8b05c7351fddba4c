// How a selection is carried out, and where everything lies in its workspace: from n, k and the types alone.
//
// The first k of n keys. A sample of the keys, taken from all over the array, gives a pivot: a key that probably comes
// a little after the k-th. One read of the keys collects those below the pivot, the candidates, in the order of their
// positions, and counts those equal to it. A sort of the candidates gives the result. Where there are fewer than k
// candidates, the pivot is a frequent key; then the result ends with as many keys equal to it as are missing, those
// with the lowest positions. So no distribution is a special case: all equal, two values, sorted or skewed.
//
// primitives/sample_ranks.hpp says how far after: about once in a million arrays the pivot lies before the k-th key, or
// there are more candidates than room. Then digits find the k-th key exactly, one read for each 11 bits, and then the
// candidates are collected again. So time and memory are bounded for every input.
//
// Where the candidates would be most of the array, all of it is sorted instead.
//
//   workspace   [ candidates: keys | their positions | chunks: keys, positions   ]
//                                                    | workspace of their sort   ]   one after the other
#pragma once

#include "cpu/few_ranks.hpp"

#include <sortile/select.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sortile::cpu {

/// Keys of the sample of an array of n.
std::size_t select_sample(std::size_t n);

/// Pieces of the array, each read by one thread, and chunks of memory in which they leave what they collect.
struct piece_layout {
  std::size_t pieces = 1;
  std::size_t chunk = 0;  ///< elements
  std::size_t chunks = 0; ///< enough for so many elements as were said, however they lie
  piece_layout() = default;
  piece_layout(std::size_t n, std::size_t capacity, unsigned threads);
};

/// A few first keys, found by one read (first_search.hpp).
struct first_search_layout {
  static constexpr std::size_t most = std::size_t{1} << 17; ///< keys that are found
  static constexpr std::size_t least_keys = 512;            ///< among which they are found
  static constexpr std::size_t part = 8;                    ///< one of so many at most

  static bool takes(std::size_t n, std::size_t k) {
    return k > 0 && k <= most && n >= least_keys && k <= n / part && n <= std::size_t{1} << 32;
  }

  /// So many collected keys let the bound fall; and one more chunk.
  static constexpr std::size_t full(std::size_t k) { return 2 * k + 64; }
  static constexpr std::size_t room(std::size_t k) { return (full(k) + 256 + 15) / 16 * 16; }
  static constexpr std::size_t bytes_of_one(std::size_t k, std::size_t key) {
    return (room(k) * (std::max<std::size_t>(key, 4) + key + 4) + 63) / 64 * 64;
  }

  /// The sample of the first bound: rows of keys from all over the array, in blocks; of each column of a block the
  /// first key, and a rank of these.
  struct sample {
    std::size_t blocks, rows, rank;
    sample(std::size_t key, std::size_t n, std::size_t k);
  };

  /// Pieces that are read one by one, by a thread each, and with progress told between them.
  static std::size_t pieces(std::size_t n) { return std::max<std::size_t>(1, n >> 17); }

  unsigned workers = 1;
  std::size_t bytes = 0;
  first_search_layout() = default;
  first_search_layout(std::size_t key, std::size_t n, std::size_t k, unsigned threads);
};

/// The first k of one row.
struct top_k_layout {
  bool few = false;               ///< found by one read
  bool whole = false;             ///< all keys are sorted
  std::size_t position_bytes = 0; ///< of positions that travel with the keys: 0, 4 or 8
  std::size_t sample = 0;
  std::size_t sample_rank = 0;
  std::size_t capacity = 0; ///< candidates at most
  piece_layout pieces;

  std::size_t keys = 0, positions = 0, chunk_keys = 0, chunk_positions = 0, sort = 0, sample_at = 0, bytes = 0;
  std::size_t sort_bytes = 0;
  first_search_layout search; ///< where few; its memory is where that of the sort is
  std::size_t search_at = 0;

  top_k_layout(const top_k_request& request, unsigned threads) : top_k_layout(request, threads, true) {}
  /// That sorts all keys of short rows, also where few of them are wanted.
  static top_k_layout of_whole_rows(const top_k_request& request) { return {request, 1, false}; }

  /// Keys of a row below which it is sorted whatever k is: a sort of so few is as quick as a sample and a read. Then a
  /// layout serves shorter rows, too.
  static constexpr std::size_t whole_below = 2048;

 private:
  top_k_layout(const top_k_request& request, unsigned threads, bool searches);
};

/// The keys of several ranks, of one row.
struct ranks_layout {
  bool whole = false;
  std::size_t sample = 0;
  std::size_t capacity = 0; ///< keys inside of the intervals, at most
  piece_layout pieces;

  std::size_t keys = 0, chunk_keys = 0, sort = 0, sample_at = 0, bytes = 0;
  std::size_t sort_bytes = 0;

  ranks_layout() = default;
  /// `intervals`: ranks that are not next to each other.
  ranks_layout(key_type type, std::size_t n, std::size_t intervals, unsigned threads);
};

/// The same by vectors, of a long row (long_select.hpp).
struct long_ranks_layout {
  static constexpr std::size_t piece = std::size_t{1} << 15; ///< keys that are read together
  static std::size_t pieces(std::size_t n) { return (n + piece - 1) / piece; }

  /// Of ranks that follow each other.
  struct interval {
    std::size_t first = 0, last = 0;    ///< ranks
    std::size_t before = 0, behind = 0; ///< places in the sample
    std::size_t capacity = 0;           ///< keys between those, at most
    std::size_t inside = 0;             ///< where they are collected
  };
  std::size_t sample = 0;
  unsigned intervals = 0;
  interval of[few_ranks::most_runs];

  std::size_t beside = 0; ///< what each worker copies from a piece; before that, the sample
  std::size_t bytes = 0;

  long_ranks_layout() = default;
  long_ranks_layout(std::size_t key, std::size_t n, const few_ranks& ranks, unsigned threads);
  std::size_t capacity() const;
};

/// Rows are shared out to the threads where each is too short to be cut, else cut one after the other.
struct row_shares {
  unsigned workers = 1; ///< that take rows
  unsigned threads = 1; ///< that work at one row
  row_shares(std::size_t n, std::size_t rows, unsigned available);
  /// A thread a row.
  static row_shares uncut(std::size_t rows, unsigned available) {
    row_shares s;
    s.workers = static_cast<unsigned>(std::min<std::size_t>(available, rows));
    return s;
  }

 private:
  row_shares() = default;
};

} // namespace sortile::cpu
