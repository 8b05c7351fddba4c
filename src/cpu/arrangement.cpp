// The arrangement of a request; see the header.
#include "cpu/arrangement.hpp"

#include "cpu/vector_quicksort.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <string>

namespace sortile::cpu {

namespace {

value_handling handling_of(const sort_request& request) {
  if (request.carries == payload::none)
    return value_handling::none;
  if (request.carries == payload::indices)
    return value_handling::indices;
  const std::size_t width = request.value_bytes;
  if (width > 16)
    return value_handling::gathered;
  return width == 4 || width == 8 || width == 16 ? value_handling::direct : value_handling::widened;
}

std::size_t width_of(const sort_request& request, value_handling handling) {
  switch (handling) {
  case value_handling::none:
    return 0;
  case value_handling::direct:
  case value_handling::indices:
    return request.value_bytes;
  case value_handling::widened:
    return request.value_bytes < 4 ? 4 : request.value_bytes < 8 ? 8 : 16;
  case value_handling::gathered:
    return request.n <= std::size_t{1} << 32 ? 4 : 8;
  }
  return 0;
}

} // namespace

arrangement::arrangement(const sort_request& request, const options& opts, unsigned threads)
    : handling(handling_of(request)), value_width(width_of(request, handling)),
      layout(key_bytes(request.type), value_width, request.n, threads), partitions(request.n > layout.local_limit),
      double_buffer(request.input_is_scratch && request.keys_in != request.keys_out &&
                    (handling == value_handling::none || handling == value_handling::direct ||
                     handling == value_handling::widened)),
      alone(sorts_keys_alone(request, opts.bits)), quick(sorts_by_quicksort(request, opts.bits, threads)),
      workers(layout.workers) {
  quick ? take_quick(request, threads) : take_usual(request, threads);
  if (opts.workspace_limit != 0 && bytes > opts.workspace_limit)
    stay_within(opts.workspace_limit, request, threads);
}

std::size_t arrangement::take(std::size_t wanted) {
  const std::size_t at = bytes;
  bytes += (wanted + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
  return at;
}

// Of floats, zeros and NaNs are set aside.
void arrangement::take_quick(const sort_request& request, unsigned threads) {
  const std::size_t key = key_bytes(request.type);
  take(quicksort_bytes(request.n, key, threads));
  spare_keys = take(is_float(request.type) && !double_buffer ? request.n * key : 0);
}

void arrangement::take_usual(const sort_request& request, unsigned threads) {
  const std::size_t n = request.n, keys = n * key_bytes(request.type), values = n * value_width;
  const bool is_widened = handling == value_handling::widened, is_gathered = handling == value_handling::gathered;
  // Few values are counted by all threads, also where one would sort.
  take(alone ? std::max(layout.bytes, quicksort_bytes(n, key_bytes(request.type), threads)) : layout.bytes);
  const bool sets_aside = alone && is_float(request.type); // zeros and NaNs, where the radix sort stops at them
  spare_keys = take((partitions || sets_aside) && !double_buffer ? keys : 0);
  spare_values = take(partitions && (!double_buffer || is_widened) ? values : 0);
  unwanted_keys = take(request.keys_out == nullptr ? keys : 0);
  moved_values = take(is_widened || is_gathered ? values : 0);
  gathered = take(is_gathered && request.values_in == request.values_out ? n * request.value_bytes : 0);
}

// Keys alone are split in place, by as many threads as the limit has counters for; floats among which −0 or NaN is, and
// all else, are partitioned in place. Where sorted keys are not
// wanted, a copy of the keys is the least that is needed.
void arrangement::stay_within(std::size_t limit, const sort_request& request, unsigned threads) {
  const std::size_t usual = bytes, n = request.n, key = key_bytes(request.type);
  if (handling != value_handling::widened && handling != value_handling::gathered) {
    in_place = true;
    quick = alone;
    double_buffer = false;
    bytes = unwanted_keys = 0;
    take(request.keys_out == nullptr ? n * key : 0);
    scratch = bytes;
    workers = std::max(1u, threads);
    if (quick)
      workers = std::clamp(static_cast<unsigned>(limit / quicksort_bytes(n, key, 1)), 1u, workers);
    const in_place_layout small(key, width_in_place(handling == value_handling::indices, value_width, n), n, workers,
                                limit > scratch ? limit - scratch : 0);
    const std::size_t counters = quick ? quicksort_bytes(n, key, workers) : 0;
    spare_keys = scratch; // zeros and NaNs may have what is left of the limit
    const std::size_t room = std::min(limit / workspace_alignment * workspace_alignment, n * key);
    take(!quick ? small.bytes : !is_float(request.type) ? counters : std::max({counters, small.bytes, room}));
    workers = quick ? workers : small.workers;
  }
  if (bytes > limit)
    throw workspace_too_small("sortile: options::workspace_limit is " + std::to_string(limit) +
                              " bytes; the least that this request needs is " + std::to_string(std::min(bytes, usual)));
}

} // namespace sortile::cpu
