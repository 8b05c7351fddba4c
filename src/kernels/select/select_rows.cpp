// Plans the selection of rows and sends it to the queue's backend.
#include "kernels/select/select_rows.hpp"

#include "kernels/argument_checks.hpp"
#include "primitives/sample_ranks.hpp"

namespace sortile::kernels {
namespace detail {

select_rows_sample select_rows_sample::of(std::size_t key_bytes, std::uint64_t n, std::uint64_t k) {
  constexpr std::uint64_t all_below = 1024, large_from = 65536;
  constexpr std::uint32_t groups = select_rows_shape::threads; // one for each thread, unless many keys lie below
  if (n <= all_below)
    return {};
  const std::uint32_t m = n >= large_from ? most : most / 4;
  const auto rank = std::uint32_t(primitives::sample_rank_behind(k, n, m));
  const bool saves = rank < m - m / 4, grouped = rank < groups / 4;
  if (!saves && n <= select_rows_shape::of(key_bytes).capacity())
    return {};
  return {{groups, m / groups}, grouped, rank};
}

} // namespace detail

bool select_rows_fits(std::size_t key_bytes, std::uint64_t n, std::uint64_t k) {
  const std::uint32_t capacity = detail::select_rows_shape::of(key_bytes).capacity();
  if (n >= 0x7fffffffu || k > capacity)
    return false;
  const auto sample = detail::select_rows_sample::of(key_bytes, n, k);
  const std::size_t m = sample.of_row.keys();
  if (m == 0)
    return n <= capacity;
  const auto [groups, each] = sample.of_row;
  const std::size_t rank =
      sample.in_groups ? primitives::rank_of_smallest(sample.rank, groups, each) : std::size_t{sample.rank};
  return primitives::most_between(rank, n, m) <= capacity;
}

template <class Word>
void select_rows(const simt::queue& q, const select_rows_request<Word>& r) {
  if (r.rows == 0 || r.k == 0)
    return;
  if (!select_rows_fits(sizeof(Word), r.n, r.k) || r.k > r.n || r.stride < r.n)
    throw invalid_argument("select_rows: k = " + std::to_string(r.k) + " of n = " + std::to_string(r.n) +
                           " keys a row, stride " + std::to_string(r.stride) + ", is more than a block can do");
  check_array("select_rows", "keys", r.keys, (r.rows - 1) * r.stride + r.n);
  const auto sample = detail::select_rows_sample::of(sizeof(Word), r.n, r.k);
  simt::visit(q, [&](auto backend) { detail::launch_select_rows<decltype(backend)>(q, r, sample); });
}

template void select_rows(const simt::queue&, const select_rows_request<std::uint8_t>&);
template void select_rows(const simt::queue&, const select_rows_request<std::uint16_t>&);
template void select_rows(const simt::queue&, const select_rows_request<std::uint32_t>&);
template void select_rows(const simt::queue&, const select_rows_request<std::uint64_t>&);
template void select_rows(const simt::queue&, const select_rows_request<uint128>&);

} // namespace sortile::kernels
