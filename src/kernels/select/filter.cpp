// Plans the filter and sends it to the queue's backend.
#include "kernels/select/filter.hpp"

#include "kernels/arena.hpp"
#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"
#include "primitives/sample_ranks.hpp"

#include <algorithm>

namespace sortile::kernels {
namespace detail {

filter_shape::filter_shape(std::size_t key_bytes, std::uint64_t n) {
  arena space;
  const std::uint64_t cut = (n + tile(key_bytes) - 1) / tile(key_bytes);
  if (cut > 0x7fffffffu)
    throw invalid_argument("filter: n = " + std::to_string(n) + " is more than one launch can do");
  tiles = std::uint32_t(cut);
  state = space.take(64);
  smallest = space.take(most_groups(key_bytes) * key_bytes);
  histograms = space.take(key_bytes * 8 / digit_bits * bins * sizeof(std::uint64_t));
  chain = space.take(16 + std::size_t{tiles} * 16); // primitives::look_back_chain<std::uint64_t>::bytes
  bytes = space.bytes();
}

} // namespace detail

namespace {

/// Visits samples of so many groups, of one key each and then of more, as long as they are a small part of the array
/// and the pivot is one of the groups' smallest keys.
template <class Visit>
void visit_samples(std::uint64_t n, std::uint64_t k, std::uint64_t groups, Visit visit) {
  constexpr std::uint64_t most_each = 32, least_part = 32;
  for (std::uint32_t each = 1; each <= most_each; each *= 2) {
    const std::uint64_t m = groups * each, rank = primitives::sample_rank_behind(k, n, m);
    if (each > 1 && (m > n / least_part || rank >= groups))
      break;
    const std::uint64_t among_all = primitives::rank_of_smallest(rank, groups, each);
    visit(filter_sample{.groups = std::uint32_t(groups),
                        .each = each,
                        .rank = std::uint32_t(rank),
                        .expected = primitives::sampling::scaled(among_all + 1, n, m),
                        .capacity = std::max<std::uint64_t>(k, primitives::most_between(among_all, n, m))});
  }
}

/// Of a sample whose candidates are sorted. On an H100 the sort of a candidate takes as long as the search of a group,
/// or as eight sampled keys.
std::uint64_t cost(const filter_sample& s) {
  return s.expected + s.groups + s.keys() / 8;
}

} // namespace

filter_sample filter_sample::of(std::size_t key_bytes, std::uint64_t n, std::uint64_t k) {
  constexpr std::uint64_t few = 8192, least_groups = 1024;
  const std::uint64_t room = detail::filter_shape::most_groups(key_bytes), least = std::min(least_groups, n);
  // Of few results the search of the groups takes a part of the time that counts; of many the candidates do.
  const std::uint64_t most = k <= few ? std::clamp(n / 4096, least, room / 2) : std::clamp(n / 256, least, room);
  filter_sample best;
  visit_samples(n, k, most, [&best](const filter_sample& s) {
    if (best.each == 0 || s.capacity < best.capacity)
      best = s;
  });
  if (best.is_ranked(key_bytes))
    return best;
  // Room for candidates is paid for in workspace, and decides whether they are filtered at all.
  const std::uint64_t more = best.capacity + best.capacity * 3 / 20;
  const std::uint64_t most_room = best.is_worth_it(n) ? std::min(more, n / 2 - 1) : more;
  for (std::uint64_t groups = most; groups >= least; groups /= 2)
    visit_samples(n, k, groups, [&best, most_room](const filter_sample& s) {
      if (s.capacity <= most_room && cost(s) < cost(best))
        best = s;
    });
  return best;
}

bool filter_finishes(std::size_t key_bytes, std::uint64_t n, std::uint64_t k) {
  return filter_sample::of(key_bytes, n, k).is_ranked(key_bytes);
}

std::size_t filter_workspace_bytes(std::size_t key_bytes, std::uint64_t n) {
  return detail::filter_shape(key_bytes, n).bytes;
}

template <class Word>
void filter(const simt::queue& q, const filter_request<Word>& r) {
  if (r.k == 0 || r.k > r.n || r.capacity < r.k || r.k > 0x7fffffffu)
    throw invalid_argument("filter: k = " + std::to_string(r.k) + " of n = " + std::to_string(r.n) +
                           " keys, room for " + std::to_string(r.capacity) + " candidates");
  if (r.finishes && !filter_finishes(sizeof(Word), r.n, r.k))
    throw invalid_argument("filter: " + std::to_string(r.k) + " results have too many candidates to be ranked");
  check_array("filter", "keys", r.keys, r.n);
  check_workspace("filter", r.workspace, filter_workspace_bytes(sizeof(Word), r.n),
                  filter_workspace_bytes(sizeof(Word), r.n), 128);
  send(q, r);
}

template <class Word>
void write_first(const simt::queue& q, const write_first_request<Word>& r) {
  if (r.k > 0)
    send(q, r);
}

SORTILE_EACH_WORD(SORTILE_CALL, filter, filter_request)
SORTILE_EACH_WORD(SORTILE_CALL, write_first, write_first_request)

} // namespace sortile::kernels
