#include "cpu/ranks_plan.hpp"

#include "cpu/memory_slots.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/small_select.hpp"
#include "cpu/vector_sort.hpp"

#include <algorithm>

namespace sortile::cpu {

namespace {

/// Ranks that are not next to another one that was counted: those share an interval of the sample.
std::size_t separate(std::span<const std::size_t> ranks) {
  call_vector<std::size_t> sorted(ranks.begin(), ranks.end());
  std::sort(sorted.begin(), sorted.end());
  std::size_t count = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    count += i == 0 || sorted[i] > sorted[i - 1] + 1;
  return count;
}

} // namespace

bool selects_by_vectors(key_type type, const options& opts) {
  const std::size_t key = key_bytes(type);
  return (key == 4 && sorts_by_vectors(key_image<std::uint32_t>(type, opts.order, opts.bits))) ||
         (key == 8 && sorts_by_vectors(key_image<std::uint64_t>(type, opts.order, opts.bits)));
}

ranks_plan::ranks_plan(const ranks_request& r, const options& opts, unsigned threads) : shares(r.n, r.rows, threads) {
  if (selects_by_vectors(r.type, opts) &&
      std::all_of(r.ranks.begin(), r.ranks.end(), [this](std::size_t rank) { return few.add(rank); }) &&
      few.take_few_reads(r.n)) {
    way = r.n <= most_alone ? ranks_way::vectors : ranks_way::long_vectors;
  }
  if (way == ranks_way::long_vectors) {
    if (r.n < shared_from)
      shares = row_shares::uncut(r.rows, threads);
    in_pieces = long_ranks_layout(key_bytes(r.type), r.n, few, shares.threads);
    bytes = in_pieces.bytes;
  } else if (way == ranks_way::filter) {
    filter = filter_of(r);
    bytes = filter.bytes;
  }
}

ranks_layout ranks_plan::filter_of(const ranks_request& row) const {
  return ranks_layout(row.type, row.n, separate(row.ranks), shares.threads);
}

} // namespace sortile::cpu
