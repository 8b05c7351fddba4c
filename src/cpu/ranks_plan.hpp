// How the keys of ranks are found: the one decision that the search and its description are made of.
#pragma once

#include "cpu/few_ranks.hpp"
#include "cpu/select_layout.hpp"

namespace sortile::cpu {

/// Whether vectors select from keys alone of this type, in the order that the options say.
bool selects_by_vectors(key_type type, const options& opts);

enum class ranks_way : unsigned char {
  vectors,      ///< a row at once, by one thread (small_select.hpp)
  long_vectors, ///< in pieces (long_select.hpp)
  filter,       ///< or a sort of all keys (select_jobs.hpp)
};

struct ranks_plan {
  ranks_way way = ranks_way::filter;
  row_shares shares;
  few_ranks few;               ///< not of a filter
  ranks_layout filter;         ///< of a filter
  long_ranks_layout in_pieces; ///< of long vectors
  std::size_t bytes = 0;       ///< of the workspace for a row

  /// Of a request with ranks and rows.
  ranks_plan(const ranks_request& r, const options& opts, unsigned threads);

  /// The filter of a row, where a sample has misled.
  ranks_layout filter_of(const ranks_request& row) const;
};

} // namespace sortile::cpu
