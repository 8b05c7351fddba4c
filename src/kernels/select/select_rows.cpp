// Plans the selection of rows and sends it to the queue's backend.
#include "kernels/select/select_rows.hpp"

#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"
#include "primitives/sample_ranks.hpp"

namespace sortile::kernels {

bool select_rows_fits(std::size_t key_bytes, std::uint64_t n, std::uint64_t k) {
  const std::uint32_t capacity = detail::select_rows_shape::of(key_bytes).capacity();
  if (n >= 0x7fffffffu || k > capacity)
    return false;
  const auto sample = detail::select_rows_sample::of(key_bytes, std::uint32_t(n), std::uint32_t(k));
  const std::size_t m = sample.of_row.keys();
  if (m == 0)
    return n <= capacity;
  const auto [groups, each] = sample.of_row;
  const std::size_t rank =
      sample.in_groups ? primitives::rank_of_smallest(sample.rank, groups, each) : std::size_t{sample.rank};
  return primitives::most_between(rank, n, m) <= capacity;
}

bool select_segments_fit(std::size_t key_bytes, std::uint64_t n, std::uint64_t k) {
  return n < 0x7fffffffu && k <= detail::select_rows_shape::of(key_bytes).capacity();
}

template <class Word>
void select_rows(const simt::queue& q, const select_rows_request<Word>& r) {
  if (r.rows == 0 || r.k == 0 || r.n == 0)
    return;
  const bool of_segments = r.where.count != 0;
  if (of_segments ? !select_segments_fit(sizeof(Word), r.n, r.k) || r.where.form == segment_form::strided ||
                        r.where.count != r.rows
                  : !select_rows_fits(sizeof(Word), r.n, r.k) || r.k > r.n || r.stride < r.n)
    throw invalid_argument("select_rows: k = " + std::to_string(r.k) + " of n = " + std::to_string(r.n) +
                           " keys a row, stride " + std::to_string(r.stride) + ", is more than a block can do");
  if (r.results.bytes_each() != 0)
    check_width("select_rows", "numbers of results", r.results.bytes);
  check_array("select_rows", "keys", r.keys, of_segments ? r.n : (r.rows - 1) * r.stride + r.n);
  send(q, r);
}

SORTILE_EACH_WORD(SORTILE_CALL, select_rows, select_rows_request)

} // namespace sortile::kernels
