#include "gpu/device_select.hpp"

#include "kernels/arena.hpp"
#include "kernels/select/filter.hpp"
#include "kernels/select/first_of_rows.hpp"
#include "kernels/select/select_rows.hpp"
#include "plan/nowhere.hpp"
#include "primitives/with_word.hpp"

#include <algorithm>

namespace sortile::gpu {
namespace {

/// Keys of one array from which a grid's filter is quicker than one block, which reads a row by itself.
constexpr std::size_t grid_from = std::size_t{1} << 16;
constexpr std::size_t positions_of_32_bits = std::size_t{1} << 32;
constexpr std::size_t most_filtered = 0x7fffffff; // results
/// Keys a segment, on average, below which all are sorted: a thread, or some lanes, do a segment then, and not a block.
constexpr std::size_t sorted_below = 128;

} // namespace

device_select::device_select(const top_k_request& request, const options& opts, const device_facts& device,
                             workspace_for what)
    : request_(request), options_{.order = opts.order, .bits = opts.bits}, device_(device), way_(way_of(request)) {
  if (way_ == way::filter)
    capacity_ = kernels::filter_sample::of(key_bytes(request.type), request.n, request.k).capacity;
  else if (way_ == way::whole)
    capacity_ = request.n;
  if (way_ != way::nothing)
    lay_out(what);
}

device_select::device_select(const segmented_top_k_request& request, const options& opts, const device_facts& device)
    : request_(request.arrays), where_(request.where), options_{.order = opts.order, .bits = opts.bits},
      device_(device), way_(way_of(request)), capacity_(request.arrays.n) {
  if (way_ != way::nothing)
    lay_out(workspace_for::such_calls);
}

device_select::way device_select::way_of(const segmented_top_k_request& r) {
  const top_k_request& a = r.arrays;
  if (a.n == 0 || a.k == 0 || r.where.count == 0)
    return way::nothing;
  const bool fits = kernels::select_segments_fit(key_bytes(a.type), a.n, a.k);
  return fits && a.n / r.where.count >= sorted_below ? way::rows : way::segments;
}

device_select::way device_select::way_of(const top_k_request& r) {
  if (r.n == 0 || r.k == 0 || r.rows == 0)
    return way::nothing;
  const std::size_t key = key_bytes(r.type);
  if ((r.rows > 1 || r.n <= grid_from) && kernels::select_rows_fits(key, r.n, r.k))
    return way::rows;
  if (r.k > most_filtered || r.n <= grid_from)
    return way::whole;
  return kernels::filter_sample::of(key, r.n, r.k).is_worth_it(r.n) ? way::filter : way::whole;
}

bool device_select::finishes() const {
  return way_ == way::filter && kernels::filter_finishes(key_bytes(request_.type), request_.n, request_.k);
}

unsigned device_select::position_out_bytes() const {
  if (request_.carries == payload::indices)
    return unsigned(request_.value_bytes);
  return !gathers() ? 0 : extent() <= positions_of_32_bits ? 4 : 8;
}

unsigned device_select::position_bytes() const {
  if (request_.carries == payload::none)
    return 0;
  return way_ == way::whole || of_segments() ? position_out_bytes() : request_.n <= positions_of_32_bits ? 4 : 8;
}

/// The sort of one row's candidates, or of the whole row.
sort_request device_select::sort_of(std::byte* workspace, const void* keys_in) const {
  sort_request r{.type = request_.type, .n = capacity_, .keys_in = keys_in, .keys_out = workspace + layout_.sorted};
  if (request_.carries != payload::none) {
    r.carries = way_ == way::whole ? payload::indices : payload::values;
    r.value_bytes = position_bytes();
    r.values_in = way_ == way::whole ? nullptr : workspace + layout_.positions;
    r.values_out = workspace + layout_.sorted_positions;
  }
  if (way_ == way::filter) {
    r.keys_in = workspace + layout_.keys;
    r.input_is_scratch = true;
    r.device_n = reinterpret_cast<const std::uint64_t*>(workspace + layout_.count);
  }
  return r;
}

device_segmented_sort device_select::segments_sort(std::byte* workspace) const {
  segmented_request r{
      {.type = request_.type, .n = request_.n, .keys_in = request_.keys_in, .keys_out = workspace + layout_.sorted},
      where_};
  if (request_.carries != payload::none) {
    r.arrays.carries = payload::indices;
    r.arrays.value_bytes = position_bytes();
    r.arrays.values_out = workspace + layout_.sorted_positions;
  }
  return {r, options_};
}

void device_select::lay_out(workspace_for what) {
  kernels::arena a;
  const std::size_t key = key_bytes(request_.type);
  layout_.positions_out = a.take(gathers() ? rows() * request_.k * position_out_bytes() : 0);
  if (way_ != way::rows && !finishes()) {
    layout_.sorted = a.take(capacity_ * key);
    layout_.sorted_positions = a.take(capacity_ * position_bytes());
  }
  if (way_ == way::filter) {
    layout_.keys = a.take(capacity_ * key);
    layout_.positions = a.take(capacity_ * position_bytes());
    layout_.equals = a.take(request_.k * key);
    layout_.equal_positions = a.take(request_.k * position_bytes());
    layout_.count = a.take(sizeof(std::uint64_t));
    layout_.filter = a.take(kernels::filter_workspace_bytes(key, request_.n));
  }
  layout_.sort = a.bytes();
  if (way_ == way::segments)
    a.take(segments_sort(nowhere()).enough_workspace());
  else if (way_ != way::rows && !finishes())
    a.take(device_sort::workspace_at_any_place(sort_of(nowhere(0), nowhere(1)), options_, device_, what));
  layout_.bytes = a.bytes();
}

void device_select::add_steps(std::vector<plan_step>& steps) const {
  const std::size_t key = key_bytes(request_.type), keys = (of_segments() ? 1 : request_.rows) * request_.n * key;
  const std::size_t element = key + position_bytes(), candidates = request_.rows * capacity_ * element;
  const std::size_t results = rows() * request_.k;
  const std::size_t result = results * ((request_.keys_out == nullptr ? 0 : key) + position_bytes());
  const std::string first = request_.row_k == nullptr
                                ? "the first " + std::to_string(request_.k)
                                : "as many as row_k says, " + std::to_string(request_.k) + " at most,";
  const char* const each = of_segments() ? " of each segment" : " of each row";
  if (way_ == way::rows)
    steps.push_back({"select", first + each + (of_segments() ? "," : "") + " in the shared memory of a multiprocessor",
                     keys, result});
  if (way_ == way::segments) {
    segments_sort(nowhere()).add_steps(steps);
    steps.push_back({"copy", first + each, result, result});
  }
  if (way_ == way::filter) {
    const auto sample = kernels::filter_sample::of(key, request_.n, request_.k);
    steps.push_back({"sample", "a pivot behind the key of rank " + std::to_string(request_.k),
                     request_.rows * sample.keys() * 32, request_.rows * sample.groups * key});
    steps.push_back(
        {"filter", "the keys below the pivot, " + std::to_string(capacity_) + " at most", keys, candidates});
    steps.push_back(
        {"fallback", "digits find the key of that rank, where the sample has misled: a read for 8 bits", 0, 0});
  }
  if (finishes()) {
    steps.push_back({"rank", "each candidate among all of them, in the same launch", candidates, result});
  } else if (way_ == way::filter || way_ == way::whole) {
    device_sort(sort_of(nowhere(0), nowhere(1)), options_, device_).add_steps(steps);
    steps.push_back({"copy", first + (request_.row_k == nullptr ? "" : each), result, result});
  }
  if (way_ != way::nothing && gathers())
    steps.push_back({"gather", "values by position", results * request_.value_bytes, results * request_.value_bytes});
}

void* device_select::positions_out(std::byte* workspace, std::size_t row) const {
  if (request_.carries == payload::none)
    return nullptr;
  std::byte* const base = gathers() ? workspace + layout_.positions_out : static_cast<std::byte*>(request_.values_out);
  return base + row * request_.k * position_out_bytes();
}

template <class Word>
Word* device_select::keys_out(std::size_t row) const {
  return request_.keys_out == nullptr ? nullptr : static_cast<Word*>(request_.keys_out) + row * request_.k;
}

void device_select::launch(const simt::queue& q, void* workspace) const {
  auto* const space = static_cast<std::byte*>(workspace);
  if (way_ == way::nothing)
    return;
  if (way_ == way::segments)
    return launch_segments(q, space);
  with_word(request_.type, [&]<class Word>(Word) {
    if (way_ == way::rows)
      return launch_rows<Word>(q, space);
    for (std::size_t row = 0; row < request_.rows; ++row) {
      if (way_ == way::filter)
        launch_filter<Word>(q, space, row);
      else
        launch_whole(q, space, row);
      if (gathers())
        gather_row(q, space, row);
    }
  });
}

template <class Word>
void device_select::launch_rows(const simt::queue& q, std::byte* workspace) const {
  kernels::select_rows(
      q, kernels::select_rows_request<Word>{.keys = static_cast<const Word*>(request_.keys_in),
                                            .rows = rows(),
                                            .n = request_.n,
                                            .stride = of_segments() ? 0 : stride(),
                                            .k = request_.k,
                                            .codec = make_key_codec<Word>(request_.type, options_.order, options_.bits),
                                            .keys_out = keys_out<Word>(0),
                                            .positions_out = positions_out(workspace, 0),
                                            .position_bytes = position_out_bytes(),
                                            .positions_in_all = gathers() && !of_segments(),
                                            .results = results(0),
                                            .where = where_});
  if (gathers() && of_segments())
    copy_first_of_segments(q, request_.values_in, positions_out(workspace, 0), request_.values_out,
                           request_.value_bytes);
  else if (gathers())
    copy_first(q, 0, request_.rows,
               {request_.rows * request_.k, request_.values_in, request_.value_bytes, request_.values_out,
                request_.value_bytes, positions_out(workspace, 0), position_out_bytes(), extent()});
}

template <class Word>
void device_select::launch_filter(const simt::queue& q, std::byte* workspace, std::size_t row) const {
  const auto at = [workspace](std::size_t offset) { return workspace + offset; };
  const auto count = reinterpret_cast<std::uint64_t*>(at(layout_.count));
  auto* const candidates = reinterpret_cast<Word*>(at(layout_.keys));
  auto* const equals = reinterpret_cast<Word*>(at(layout_.equals));
  const kernels::first_keys<Word> result{keys_out<Word>(row), positions_out(workspace, row), position_out_bytes(),
                                         results(row)};
  kernels::filter(
      q, kernels::filter_request<Word>{.keys = static_cast<const Word*>(request_.keys_in) + row * stride(),
                                       .n = request_.n,
                                       .k = request_.k,
                                       .codec = make_key_codec<Word>(request_.type, options_.order, options_.bits),
                                       .capacity = capacity_,
                                       .candidates = candidates,
                                       .equals = equals,
                                       .position_bytes = position_bytes(),
                                       .positions = at(layout_.positions),
                                       .equal_positions = at(layout_.equal_positions),
                                       .count = count,
                                       .finishes = finishes(),
                                       .result = result,
                                       .workspace = at(layout_.filter)});
  if (finishes())
    return;
  device_sort(sort_of(workspace, nullptr), options_, device_).launch(q, at(layout_.sort));
  kernels::write_first(q, kernels::write_first_request<Word>{.k = request_.k,
                                                             .count = count,
                                                             .candidates = reinterpret_cast<Word*>(at(layout_.sorted)),
                                                             .equals = equals,
                                                             .position_bytes = position_bytes(),
                                                             .positions = at(layout_.sorted_positions),
                                                             .equal_positions = at(layout_.equal_positions),
                                                             .result = result});
}

void device_select::launch_whole(const simt::queue& q, std::byte* workspace, std::size_t row) const {
  const std::size_t key = key_bytes(request_.type);
  const auto* const keys = static_cast<const std::byte*>(request_.keys_in) + row * stride() * key;
  device_sort(sort_of(workspace, keys), options_, device_).launch(q, workspace + layout_.sort);
  const auto copy = [&](std::size_t from, void* to, std::size_t bytes) {
    copy_first(q, row, 1, {request_.k, workspace + from, bytes, to, bytes});
  };
  if (request_.keys_out != nullptr)
    copy(layout_.sorted, static_cast<std::byte*>(request_.keys_out) + row * request_.k * key, key);
  if (request_.carries != payload::none)
    copy(layout_.sorted_positions, positions_out(workspace, row), position_out_bytes());
}

void device_select::launch_segments(const simt::queue& q, std::byte* workspace) const {
  segments_sort(workspace).launch(q, workspace + layout_.sort, nullptr);
  if (request_.keys_out != nullptr)
    copy_first_of_segments(q, workspace + layout_.sorted, nullptr, request_.keys_out, key_bytes(request_.type));
  if (request_.carries != payload::none)
    copy_first_of_segments(q, workspace + layout_.sorted_positions, nullptr, positions_out(workspace, 0),
                           position_bytes());
  if (gathers())
    copy_first_of_segments(q, request_.values_in, positions_out(workspace, 0), request_.values_out,
                           request_.value_bytes);
}

/// Positions count from the row's beginning here.
void device_select::gather_row(const simt::queue& q, std::byte* workspace, std::size_t row) const {
  const std::size_t bytes = request_.value_bytes;
  copy_first(q, row, 1,
             {request_.k, static_cast<const std::byte*>(request_.values_in) + row * stride() * bytes, bytes,
              static_cast<std::byte*>(request_.values_out) + row * request_.k * bytes, bytes,
              positions_out(workspace, row), position_out_bytes(), request_.n});
}

kernels::row_numbers device_select::results(std::size_t row) const {
  return kernels::row_numbers{request_.row_k, unsigned(request_.row_k_bytes)}.from(row);
}

void device_select::copy_first(const simt::queue& q, std::size_t row, std::size_t rows,
                               const kernels::move_values_request& move) const {
  if (request_.row_k == nullptr)
    return kernels::move_values(q, move);
  kernels::first_of_rows(q, {.rows = rows,
                             .k = request_.k,
                             .stride = 0,
                             .n = move.in_n == 0 ? move.n : move.in_n,
                             .results = results(row),
                             .in = move.in,
                             .bytes = move.in_bytes,
                             .positions = move.indices,
                             .position_bytes = move.index_bytes,
                             .out = move.out});
}

void device_select::copy_first_of_segments(const simt::queue& q, const void* from, const void* positions, void* to,
                                           std::size_t bytes) const {
  kernels::first_of_rows(q, {.rows = where_.count,
                             .k = request_.k,
                             .where = where_,
                             .n = request_.n,
                             .results = results(0),
                             .in = from,
                             .bytes = bytes,
                             .positions = positions,
                             .position_bytes = positions == nullptr ? 0 : position_bytes(),
                             .positions_in_rows = positions != nullptr,
                             .out = to});
}

} // namespace sortile::gpu
