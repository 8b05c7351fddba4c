// Plans a search for ranks and sends its launches to the queue's backend.
#include "kernels/ranks/find_ranks.hpp"

#include "kernels/arena.hpp"
#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"
#include "primitives/sample_ranks.hpp"

#include <algorithm>

namespace sortile::kernels {

ranks_plan::ranks_plan(std::uint64_t n, std::span<const std::uint64_t> wanted, std::uint64_t least)
    : ranks(wanted.begin(), wanted.end()) {
  constexpr std::uint64_t share = 128, most = std::uint64_t{1} << 18;
  constexpr std::size_t few = 2; // more ranks gather more keys: for those a larger sample pays
  sample = std::clamp(n / share, std::min(least, n), ranks.size() <= few ? most : 4 * most);
  for (const std::uint64_t rank : ranks) {
    const std::size_t p = primitives::sampling::scaled(rank, sample, n), margin = primitives::sample_margin(p, sample);
    const sample_bracket b{p >= margin ? std::uint32_t(p - margin) : sample_bracket::open,
                           p + margin < sample ? std::uint32_t(p + margin) : sample_bracket::open};
    const bool joined = !brackets.empty() && (brackets.back().high == sample_bracket::open ||
                                              b.low == sample_bracket::open || b.low <= brackets.back().high);
    if (joined)
      brackets.back().high = b.high;
    else
      brackets.push_back(b);
  }
  for (const sample_bracket& b : brackets) {
    const std::uint64_t low = b.low == sample_bracket::open ? 0 : b.low;
    const std::uint64_t high = b.high == sample_bracket::open ? sample : b.high;
    capacity += primitives::most_between(high - low + 1, n, sample);
  }
  capacity = std::min(capacity, n);
}

std::size_t find_ranks_workspace_bytes(std::size_t key_bytes, unsigned ambiguous_images) {
  return detail::find_ranks_layout(key_bytes, ambiguous_images).bytes;
}

namespace detail {

find_ranks_layout::find_ranks_layout(std::size_t key_bytes, unsigned ambiguous_images) {
  arena space;
  wanted = space.take(ranks * 8);
  brackets = space.take(2 * ranks * 4);
  cuts_at = space.take(cuts * key_bytes);
  shape = space.take(8 * 4);
  counts = space.take(regions * 8);
  reserved = space.take(8);
  first = space.take(ranks * key_bytes);
  last = space.take(ranks * key_bytes);
  below = space.take(ranks * 8);
  upto = space.take(ranks * 8);
  place = space.take(ranks * 8);
  image = space.take(ranks * key_bytes);
  before = space.take(ranks * 8);
  of_units = space.take(std::size_t{ambiguous_images} * most_units * 4);
  bytes = space.bytes();
}

} // namespace detail

namespace {

template <class Word>
void check(const find_ranks_request<Word>& r) {
  const ranks_plan& plan = *r.plan;
  if (plan.ranks.empty() || plan.ranks.size() > most_ranks || plan.ranks.back() >= r.n)
    throw invalid_argument("find_ranks: " + std::to_string(plan.ranks.size()) + " ranks of n = " + std::to_string(r.n) +
                           " keys; allowed are 1 to " + std::to_string(most_ranks) + ", below n");
  check_array("find_ranks", "keys", r.keys, r.n);
  const std::size_t wanted = find_ranks_workspace_bytes(sizeof(Word), ambiguous_images(r.codec, plan));
  check_workspace("find_ranks", r.workspace, wanted, wanted, 128);
}

} // namespace

template <class Word>
void draw_sample(const simt::queue& q, const find_ranks_request<Word>& r) {
  check(r);
  send(q, r, detail::ranks_step::draw_sample);
}

template <class Word>
void gather_brackets(const simt::queue& q, const find_ranks_request<Word>& r) {
  check(r);
  send(q, r, detail::ranks_step::gather_brackets);
}

template <class Word>
void write_found(const simt::queue& q, const find_ranks_request<Word>& r) {
  check(r);
  send(q, r, detail::ranks_step::write_found);
}

SORTILE_EACH_WORD(SORTILE_CALL, draw_sample, find_ranks_request)
SORTILE_EACH_WORD(SORTILE_CALL, gather_brackets, find_ranks_request)
SORTILE_EACH_WORD(SORTILE_CALL, write_found, find_ranks_request)

} // namespace sortile::kernels
