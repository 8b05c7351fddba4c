// Plans the filter and sends it to the queue's backend.
#include "kernels/select/filter.hpp"

#include "kernels/argument_checks.hpp"
#include "primitives/sample_ranks.hpp"

#include <algorithm>

namespace sortile::kernels {
namespace detail {

filter_shape::filter_shape(std::size_t key_bytes, std::uint64_t n) {
  const auto take = [this](std::size_t wanted) {
    const std::size_t here = bytes;
    bytes += (wanted + 127) / 128 * 128;
    return here;
  };
  const std::uint64_t cut = (n + tile(key_bytes) - 1) / tile(key_bytes);
  if (cut > 0x7fffffffu)
    throw invalid_argument("filter: n = " + std::to_string(n) + " is more than one launch can do");
  tiles = std::uint32_t(cut);
  state = take(64);
  histograms = take(key_bytes * 8 / digit_bits * bins * sizeof(std::uint64_t));
  chain = take(16 + std::size_t{tiles} * 16); // primitives::look_back_chain<std::uint64_t>::bytes
}

} // namespace detail

std::uint64_t filter_sample(std::size_t key_bytes, std::uint64_t n) {
  constexpr std::uint64_t least = 1024;
  const std::uint64_t most = key_bytes <= 4 ? 16384 : key_bytes == 8 ? 16384 : 8192;
  return std::clamp<std::uint64_t>(n / 256, std::min(least, n), most);
}

std::uint64_t filter_capacity(std::size_t key_bytes, std::uint64_t n, std::uint64_t k) {
  const std::uint64_t m = filter_sample(key_bytes, n);
  return std::max<std::uint64_t>(k, primitives::most_between(primitives::sample_rank_behind(k, n, m), n, m));
}

std::size_t filter_workspace_bytes(std::size_t key_bytes, std::uint64_t n) {
  return detail::filter_shape(key_bytes, n).bytes;
}

template <class Word>
void filter(const simt::queue& q, const filter_request<Word>& r) {
  if (r.k == 0 || r.k > r.n || r.capacity < r.k || r.k > 0x7fffffffu)
    throw invalid_argument("filter: k = " + std::to_string(r.k) + " of n = " + std::to_string(r.n) +
                           " keys, room for " + std::to_string(r.capacity) + " candidates");
  check_array("filter", "keys", r.keys, r.n);
  check_workspace("filter", r.workspace, filter_workspace_bytes(sizeof(Word), r.n),
                  filter_workspace_bytes(sizeof(Word), r.n), 128);
  simt::visit(q, [&](auto backend) { detail::launch_filter<decltype(backend)>(q, r); });
}

template <class Word>
void write_first(const simt::queue& q, const write_first_request<Word>& r) {
  if (r.k > 0)
    simt::visit(q, [&](auto backend) { detail::launch_write_first<decltype(backend)>(q, r); });
}

#define SORTILE_FILTER(WORD)                                                                                           \
  template void filter(const simt::queue&, const filter_request<WORD>&);                                               \
  template void write_first(const simt::queue&, const write_first_request<WORD>&);
SORTILE_FILTER(std::uint8_t)
SORTILE_FILTER(std::uint16_t)
SORTILE_FILTER(std::uint32_t)
SORTILE_FILTER(std::uint64_t)
SORTILE_FILTER(uint128)
#undef SORTILE_FILTER

} // namespace sortile::kernels
