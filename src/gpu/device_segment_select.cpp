#include "gpu/device_segment_select.hpp"

#include "kernels/arena.hpp"
#include "kernels/select/first_of_rows.hpp"
#include "kernels/select/select_rows.hpp"
#include "plan/nowhere.hpp"
#include "primitives/with_word.hpp"

namespace sortile::gpu {
namespace {

/// Keys a segment, on average, below which all are sorted: a thread, or some lanes, do a segment then, and not a block.
constexpr std::size_t sorted_below = 128;

} // namespace

device_segment_select::device_segment_select(const segmented_top_k_request& request, const options& opts)
    : request_(request), options_{.order = opts.order, .bits = opts.bits}, way_(way_of(request)) {
  if (way_ == way::nothing)
    return;
  const top_k_request& r = request_.arrays;
  kernels::arena a;
  layout_.positions_out = a.take(gathers() ? request_.where.count * r.k * position_bytes() : 0);
  if (way_ == way::sort) {
    layout_.sorted = a.take(r.n * key_bytes(r.type));
    layout_.sorted_positions = a.take(r.carries == payload::none ? 0 : r.n * position_bytes());
    layout_.sort = a.take(device_segmented_sort(sort_of(nowhere()), options_).enough_workspace());
  }
  layout_.bytes = a.bytes();
}

device_segment_select::way device_segment_select::way_of(const segmented_top_k_request& r) {
  const top_k_request& a = r.arrays;
  if (a.n == 0 || a.k == 0 || r.where.count == 0)
    return way::nothing;
  const bool fits = kernels::select_segments_fit(key_bytes(a.type), a.n, a.k);
  return fits && a.n / r.where.count >= sorted_below ? way::blocks : way::sort;
}

/// Positions in their segment.
unsigned device_segment_select::position_bytes() const {
  const top_k_request& a = request_.arrays;
  if (a.carries == payload::indices)
    return unsigned(a.value_bytes);
  return a.n <= std::size_t{1} << 32 ? 4 : 8;
}

segmented_request device_segment_select::sort_of(std::byte* workspace) const {
  const top_k_request& a = request_.arrays;
  segmented_request r{{.type = a.type, .n = a.n, .keys_in = a.keys_in, .keys_out = workspace + layout_.sorted},
                      request_.where};
  if (a.carries != payload::none) {
    r.arrays.carries = payload::indices;
    r.arrays.value_bytes = position_bytes();
    r.arrays.values_out = workspace + layout_.sorted_positions;
  }
  return r;
}

kernels::row_numbers device_segment_select::results() const {
  return {request_.arrays.row_k, unsigned(request_.arrays.row_k_bytes)};
}

void device_segment_select::add_steps(std::vector<plan_step>& steps) const {
  const top_k_request& a = request_.arrays;
  const std::size_t key = key_bytes(a.type), positions = a.carries == payload::none ? 0 : position_bytes();
  const std::size_t results = request_.where.count * a.k;
  const std::size_t result = results * ((a.keys_out == nullptr ? 0 : key) + positions);
  const std::string first = "the first " + std::to_string(a.k) + " of each segment" +
                            (a.row_k == nullptr ? "" : ", or as many as row_k says");
  if (way_ == way::blocks)
    steps.push_back({"select", first + ", in the shared memory of a multiprocessor", a.n * key, result});
  if (way_ == way::sort) {
    device_segmented_sort(sort_of(nowhere()), options_).add_steps(steps);
    steps.push_back({"copy", first, result, result});
  }
  if (way_ != way::nothing && gathers())
    steps.push_back({"gather", "values by position", results * a.value_bytes, results * a.value_bytes});
}

void* device_segment_select::positions_out(std::byte* workspace) const {
  if (request_.arrays.carries == payload::none)
    return nullptr;
  return gathers() ? workspace + layout_.positions_out : request_.arrays.values_out;
}

void device_segment_select::launch(const simt::queue& q, void* workspace) const {
  auto* const space = static_cast<std::byte*>(workspace);
  if (way_ == way::nothing)
    return;
  if (way_ == way::blocks)
    with_word(request_.arrays.type, [&]<class Word>(Word) { launch_blocks<Word>(q, space); });
  else
    launch_sort(q, space);
  if (gathers())
    gather(q, space);
}

template <class Word>
void device_segment_select::launch_blocks(const simt::queue& q, std::byte* workspace) const {
  const top_k_request& a = request_.arrays;
  kernels::select_rows(
      q, kernels::select_rows_request<Word>{.keys = static_cast<const Word*>(a.keys_in),
                                            .rows = request_.where.count,
                                            .n = a.n,
                                            .k = a.k,
                                            .codec = make_key_codec<Word>(a.type, options_.order, options_.bits),
                                            .keys_out = static_cast<Word*>(a.keys_out),
                                            .positions_out = positions_out(workspace),
                                            .position_bytes = a.carries == payload::none ? 0 : position_bytes(),
                                            .results = results(),
                                            .where = request_.where});
}

void device_segment_select::launch_sort(const simt::queue& q, std::byte* workspace) const {
  const top_k_request& a = request_.arrays;
  device_segmented_sort(sort_of(workspace), options_).launch(q, workspace + layout_.sort, nullptr);
  const auto copy = [&](std::size_t from, void* to, std::size_t bytes) {
    kernels::first_of_rows(q, {.rows = request_.where.count,
                               .k = a.k,
                               .where = request_.where,
                               .n = a.n,
                               .results = results(),
                               .in = workspace + from,
                               .bytes = bytes,
                               .out = to});
  };
  if (a.keys_out != nullptr)
    copy(layout_.sorted, a.keys_out, key_bytes(a.type));
  if (a.carries != payload::none)
    copy(layout_.sorted_positions, positions_out(workspace), position_bytes());
}

void device_segment_select::gather(const simt::queue& q, std::byte* workspace) const {
  const top_k_request& a = request_.arrays;
  kernels::first_of_rows(q, {.rows = request_.where.count,
                             .k = a.k,
                             .where = request_.where,
                             .n = a.n,
                             .results = results(),
                             .in = a.values_in,
                             .bytes = a.value_bytes,
                             .positions = positions_out(workspace),
                             .position_bytes = position_bytes(),
                             .positions_in_rows = true,
                             .out = a.values_out});
}

} // namespace sortile::gpu
