// Routing of token–expert pairs, as layers with a mixture of experts need it: a stable partition of the pairs by
// expert, in one launch on a GPU. Each expert's rows then lie together, and can be padded to whole blocks of a grouped
// matrix product.
//
//     experts        1 0 1 −1 0       of each pair its expert's number; −1 lies outside 0 … 1: the pair is dropped
//     offsets        0 2 4            where each expert's rows begin, and where the last ones end
//     order          1 4 0 2          row → pair
//     inverse        2 0 3 −1 1       pair → row
//
//     const auto r = sortile::route(experts, 2);
#pragma once

#include <sortile/sortile.hpp>

#if __cplusplus >= 202002L

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

/// More experts than this are refused; argsort() and group_by() know no such limit.
inline constexpr std::size_t route_experts_most = 4096;

/// Rows that are enough for n pairs of so many experts, each expert's rows padded to whole blocks: what `order` has
/// room for. A multiple of the block, and n where the block is 1.
constexpr std::size_t route_rows(std::size_t n, std::size_t expert_count, std::size_t block = 1) {
  const std::size_t in_use = n < expert_count ? n : expert_count; // each wastes block − 1 rows at most
  return (n + in_use * (block - 1)) / block * block;
}

/// n pairs, each of which goes to the expert of its number; which token it belongs to follows from its position. Pairs
/// of one expert keep their order. A pair whose number lies outside 0 … expert_count − 1 (−1 marks experts that live
/// elsewhere) is dropped: it gets no row, and is counted in `dropped`.
///
/// Each output may be null: then it is not wanted. All hold numbers of index_bytes, and none overlaps another or the
/// experts. "None" is the number whose bits are all 1: −1, where numbers are read as signed ones.
struct route_request {
  key_type type = key_type::i32; ///< of the experts' numbers: any integer of up to 64 bits
  std::size_t n = 0;
  const void* experts = nullptr;
  std::size_t expert_count = 0;  ///< 1 to route_experts_most
  std::size_t block = 1;         ///< rows of each expert are padded to a multiple of it; at least 1
  std::size_t index_bytes = 4;   ///< 4 or 8
  void* offsets = nullptr;       ///< expert_count + 1: where each expert's padded rows begin; behind the last: all rows
  void* counts = nullptr;        ///< expert_count: pairs of each expert
  void* order = nullptr;         ///< route_rows(): the pair of each row; n in rows of padding and behind the last row
  void* inverse = nullptr;       ///< n: the row of each pair; none where it is dropped
  void* block_experts = nullptr; ///< route_rows() / block: the expert of each block; none behind the last block
  void* dropped = nullptr;       ///< 1: pairs that are dropped
};

namespace detail {
void run_route(const route_request& request, const options& opts);
std::size_t route_workspace_bytes(const route_request& request, const options& opts);
plan explain_route(const route_request& request, const options& opts);
} // namespace detail

// Templates, so that a braced list that fits a sort_request too stays one (select.hpp).

/// Arrays lie where options::memory says; in device memory the call is asynchronous and can be captured in a graph, as
/// sorts can. Of options these are taken: engine, threads, memory and what goes with it. Fewer than 2^32 − 1 rows. The
/// result is the same in every run and on every engine.
/// \throws invalid_argument, workspace_too_small, unknown_engine, engine_unusable, out_of_memory
template <class = void>
void run(const route_request& request, const options& opts = default_options()) {
  detail::run_route(request, opts);
}

/// Bytes of scratch that are enough for run() with this request in device memory: none for up to 2^17 pairs and 1024
/// experts from sm_90 on, else about 1 KB an expert at most. 0 in host memory. The arrays need not be there yet.
template <class = void>
std::size_t workspace_bytes(const route_request& request, const options& opts = default_options()) {
  return detail::route_workspace_bytes(request, opts);
}

/// How the request will be carried out; from n, the number of experts and the types alone.
template <class = void>
plan explain(const route_request& request, const options& opts = default_options()) {
  return detail::explain_route(request, opts);
}

/// Expert e has the rows offsets[e] … offsets[e + 1] − 1, of which the first counts[e] hold pairs: row r has pair
/// order[r], and pair i has row inverse[i].
template <index Index>
struct routed_pairs {
  std::vector<Index> offsets, counts, order, inverse;
  std::vector<Index> block_experts; ///< the expert of each block of rows
  std::size_t dropped = 0;          ///< pairs of no expert; their inverse has all bits set
};

namespace detail {
template <class R>
concept expert_range = key_range<R> && std::integral<std::ranges::range_value_t<R>> &&
                       sizeof(std::ranges::range_value_t<R>) <= 8;
}

/// The rows of all experts, padded to multiples of `block`. `order` ends with the last expert's rows.
template <index Index = std::uint32_t, detail::expert_range Experts>
[[nodiscard]] routed_pairs<Index> route(Experts&& experts, std::size_t expert_count, std::size_t block = 1,
                                        const options& opts = default_options()) {
  using E = std::remove_cv_t<std::ranges::range_value_t<Experts>>;
  const std::size_t n = detail::length(experts);
  constexpr std::size_t most_rows = std::size_t{1} << 32;
  const bool can_be = expert_count > 0 && expert_count <= route_experts_most && block > 0 && n <= most_rows &&
                      block <= most_rows / expert_count &&
                      route_rows(n, expert_count, block) <= most_rows; // else run() says what is wrong
  const std::size_t rows = can_be ? route_rows(n, expert_count, block) : 0;
  routed_pairs<Index> found{detail::room_for_positions<Index>("route", can_be ? expert_count + 1 : 0),
                            detail::room_for_positions<Index>("route", can_be ? expert_count : 0),
                            detail::room_for_positions<Index>("route", rows),
                            detail::room_for_positions<Index>("route", n),
                            detail::room_for_positions<Index>("route", can_be ? rows / block : 0)};
  Index dropped = 0;
  run(
      route_request{
          .type = key_type_of<E>,
          .n = n,
          .experts = std::ranges::data(experts),
          .expert_count = expert_count,
          .block = block,
          .index_bytes = sizeof(Index),
          .offsets = found.offsets.data(),
          .counts = found.counts.data(),
          .order = found.order.data(),
          .inverse = found.inverse.data(),
          .block_experts = found.block_experts.data(),
          .dropped = &dropped,
      },
      opts);
  found.order.resize(static_cast<std::size_t>(found.offsets.back()));
  found.block_experts.resize(found.order.size() / block);
  found.dropped = static_cast<std::size_t>(dropped);
  return found;
}

// As in misuse.hpp: what numbers no experts.
template <class Index = std::uint32_t, class Experts>
requires(!detail::expert_range<Experts>) auto route(Experts&&, std::size_t, std::size_t = 1, const options& = {}) {
  detail::check_keys<Experts>();
  static_assert(!key_range<Experts>, "sortile: experts are numbered by integers of 8 to 64 bits");
  return routed_pairs<std::uint32_t>();
}

} // namespace sortile
#pragma GCC visibility pop

#endif
