// The layout of a workspace; see the header.
#include "cpu/segment_layout.hpp"

#include "plan/segment_places.hpp"

#include <algorithm>

namespace sortile::cpu {

namespace {

segment_values segment_handling_of(const sort_request& r) {
  switch (r.carries) {
  case payload::none:
    return segment_values::none;
  case payload::indices:
    return segment_values::indices;
  default:
    return r.value_bytes == 4 || r.value_bytes == 8 || r.value_bytes == 16 ? segment_values::direct
                                                                           : segment_values::gathered;
  }
}

/// Takes one piece of memory after the other.
struct taker {
  std::size_t bytes = 0;
  std::size_t operator()(std::size_t wanted) {
    const std::size_t at = bytes;
    bytes += (wanted + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
    return at;
  }
};

segment_layout::area area_of(const sort_request& r, const segment_layout& l, std::size_t n, unsigned threads,
                             bool anywhere) {
  const std::size_t key = key_bytes(r.type);
  const bool partitions = n > l.local_limit, gathers = l.handling == segment_values::gathered;
  const bool no_keys = r.carries == payload::indices && (anywhere || r.keys_out == nullptr);
  segment_layout::area a;
  taker take;
  take(radix_layout(key, l.value_width, n, threads).bytes);
  a.spare_keys = take(partitions ? n * key : 0);
  a.spare_values = take(partitions ? n * l.value_width : 0);
  a.unwanted_keys = take(no_keys ? n * key : 0);
  a.positions = take(gathers ? n * l.value_width : 0);
  a.gathered = take(gathers && (anywhere || r.values_in == r.values_out) ? n * r.value_bytes : 0);
  a.bytes = take.bytes;
  return a;
}

} // namespace

segment_layout::segment_layout(const segmented_request& request, unsigned threads, const segment_extent& extent)
    : handling(segment_handling_of(request.arrays)) {
  const sort_request& r = request.arrays;
  const std::size_t key = key_bytes(r.type), longest = extent.longest;
  if (handling != segment_values::none)
    value_width = handling != segment_values::gathered ? r.value_bytes : r.n <= std::size_t{1} << 32 ? 4 : 8;
  const std::size_t pair = key + value_width;
  local_limit = radix_layout(key, value_width, longest, 1).local_limit;
  workers = extent.elements + request.where.count < tuning().alone_below_bytes / pair ? 1 : std::max(1u, threads);
  alone_limit = workers == 1 ? longest : std::min(longest, std::max(local_limit, extent.elements / (4 * workers)));

  taker take;
  if (!in_one_piece(request.where)) {
    const std::size_t n = request.where.count * request.where.length;
    keys = take(n * key);
    values = take(r.carries == payload::values ? n * r.value_bytes : 0);
    values_out = take(r.carries == payload::indices ? n * r.value_bytes : 0);
  }
  own = area_of(r, *this, alone_limit, 1, extent.anywhere || !in_one_piece(request.where));
  if (longest > alone_limit)
    shared = area_of(r, *this, longest, workers, extent.anywhere || !in_one_piece(request.where));
  areas = take(std::max(workers * own.bytes, shared.bytes));
  bytes = take.bytes;
}

} // namespace sortile::cpu
