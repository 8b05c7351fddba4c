// The checks of sorts within segments. Offsets in host memory are read once, in stretches; what is found there is what
// the CPU engine cuts its work by.
#include "api/segment_checks.hpp"

#include "api/array_checks.hpp"
#include "api/checks.hpp"
#include "cpu/memory_slots.hpp"
#include "cpu/parallel.hpp"
#include "plan/segment_places.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace sortile::checks {
namespace {

constexpr std::size_t most_chunks = 4096;
constexpr std::size_t least_chunk = 256; // segments
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

[[noreturn]] void refuse_segments(const std::string& what) {
  throw invalid_argument("sortile: " + what);
}

std::string text(std::size_t i) {
  return std::to_string(i);
}

std::string as_range(segment_bounds b) {
  return "[" + text(b.begin) + ", " + text(b.end) + ")";
}

void need_offsets(const char* name, const void* offsets, std::size_t count, const segments& where, memory lie_in) {
  if (offsets == nullptr && count > 0)
    refuse_segments(std::string(name) + " is null, but there are " + text(where.count) + " segments");
  if (count > 0 && reinterpret_cast<std::uintptr_t>(offsets) % where.offset_bytes != 0)
    refuse_segments(std::string(name) + " is not aligned to its " + text(where.offset_bytes) + " bytes");
  if (count > none / 2 / where.offset_bytes)
    refuse_segments(text(where.count) + " segments have more offsets than memory can address");
  need_reach(named_array{name, offsets, count * where.offset_bytes}, lie_in);
}

/// Offsets and the status word lie apart from what the sort writes.
void need_all_apart(const segmented_request& r, const options& opts) {
  const std::size_t keys = r.arrays.n * key_bytes(r.arrays.type), values = r.arrays.n * r.arrays.value_bytes;
  const named_array written[] = {
      {"keys_out", r.arrays.keys_out, keys},
      {r.arrays.carries == payload::indices ? "indices" : "values_out", r.arrays.values_out, values},
      {"device_status", r.arrays.device_status, sizeof(std::uint32_t)},
      {"the workspace", opts.workspace.data(), opts.workspace.size()}};
  need_offsets_apart(r.where, {written[0], written[1], written[2], written[3]});
  const named_array status = written[2];
  for (const named_array& b : {named_array{"keys_in", r.arrays.keys_in, keys}, written[0],
                               named_array{"values_in", r.arrays.values_in, values}, written[1], written[3]})
    need_apart(status, b);
}

/// a · b, or the largest number where that is too large for one.
std::size_t product(std::size_t a, std::size_t b) {
  return b != 0 && a > none / b ? none : a * b;
}
std::size_t sum(std::size_t a, std::size_t b) {
  return a > none - b ? none : a + b;
}

void need_strided(const segments& w, std::size_t n) {
  if (w.count == 0 || w.length == 0)
    return;
  const std::size_t across = product(w.length - 1, w.step), along = product(w.count - 1, w.stride);
  const auto shape = [&w] {
    return text(w.count) + " segments of " + text(w.length) + " elements, stride " + text(w.stride) + ", step " +
           text(w.step);
  };
  if (sum(sum(across, along), 1) > n || sum(across, along) == none)
    refuse_segments(shape() + ": reach beyond the arrays' " + text(n) + " elements");
  // i · stride = k · step first where i = step / g and k = stride / g.
  const std::size_t g = std::gcd(w.stride, w.step);
  if ((w.count > 1 || w.length > 1) && (g == 0 || (w.count > w.step / g && w.length > w.stride / g)))
    refuse_segments(shape() +
                    ": overlap; with g, the greatest common divisor of stride and step, they need count ≤ step / g or "
                    "length ≤ stride / g");
}

// ---- offsets in host memory ----

struct chunk_findings {
  std::size_t elements = 0, longest = 0;
  std::size_t first_wrong = none;
  bool ascending = true;                  ///< no segment begins before the end of one before it
  std::size_t first = none, last_end = 0; ///< of its segments that are not empty
};

chunk_findings look_at(const segmented_request& r, std::size_t begin, std::size_t end) {
  chunk_findings f;
  const std::size_t n = r.arrays.n;
  for (std::size_t i = begin; i < end; ++i) {
    const segment_bounds b = bounds_of(r.where, i);
    if (b.end < b.begin || b.end > n) {
      f.first_wrong = i;
      return f;
    }
    const std::size_t length = b.end - b.begin;
    if (length == 0)
      continue;
    f.ascending = f.ascending && b.begin >= f.last_end;
    f.first = std::min(f.first, b.begin);
    f.last_end = b.end;
    f.elements += length;
    f.longest = std::max(f.longest, length);
  }
  return f;
}

[[noreturn]] void refuse_segment(const segmented_request& r, std::size_t i) {
  const segment_bounds b = bounds_of(r.where, i);
  if (b.end < b.begin)
    refuse_segments(
        "segment " + text(i) + " begins at " + text(b.begin) + " and ends at " + text(b.end) +
        (r.where.form == segment_form::offsets ? "; offsets must not decrease" : "; it must not end before it begins"));
  refuse_segments("segment " + text(i) + ", " + as_range(b) + ", reaches beyond the arrays' " + text(r.arrays.n) +
                  " elements");
}

/// Of ranges in any order: by the order of their beginnings.
void need_no_overlap(const segmented_request& r, unsigned threads) {
  const segments& w = r.where;
  cpu::call_vector<std::uint64_t> order(w.count);
  options opts;
  opts.engine = "cpu";
  opts.threads = threads;
  run(sort_request{.type = w.offset_bytes == 4 ? key_type::u32 : key_type::u64,
                   .n = w.count,
                   .keys_in = w.begins,
                   .carries = payload::indices,
                   .value_bytes = sizeof(std::uint64_t),
                   .values_out = order.data()},
      opts);
  std::size_t before = none; // the last segment that is not empty
  for (const std::uint64_t i : order) {
    const segment_bounds b = bounds_of(w, i);
    if (b.begin == b.end)
      continue;
    if (before != none && bounds_of(w, before).end > b.begin)
      refuse_segments("segments " + text(before) + ", " + as_range(bounds_of(w, before)) + ", and " + text(i) + ", " +
                      as_range(b) + ", overlap");
    before = i;
  }
}

segment_survey of_equal_lengths(const segments& w) {
  return {.longest = w.count == 0 ? 0 : w.length, .elements = w.count * w.length};
}

} // namespace

void offsets(const segments& w, memory lie_in) {
  if (w.offset_bytes != 4 && w.offset_bytes != 8)
    refuse_segments("offsets of " + text(w.offset_bytes) + " bytes given; allowed are 4 and 8");
  if (w.count == none)
    refuse_segments(text(w.count) + " segments have more offsets than memory can address");
  if (w.count > 0)
    need_offsets("begins", w.begins, w.count + (w.form == segment_form::offsets), w, lie_in);
  if (w.form == segment_form::ranges)
    need_offsets("ends", w.ends, w.count, w, lie_in);
}

void places(const segments& w, std::size_t n, memory lie_in) {
  switch (w.form) {
  case segment_form::strided:
    return need_strided(w, n);
  case segment_form::offsets:
  case segment_form::ranges:
    return offsets(w, lie_in);
  }
  refuse_segments("segment form number " + text(static_cast<std::size_t>(w.form)) +
                  " does not exist; they go from 0 to 2");
}

void need_offsets_apart(const segments& w, std::initializer_list<named_array> written) {
  const bool listed = w.form != segment_form::strided;
  const named_array read[] = {
      {"begins", listed ? w.begins : nullptr, (w.count + (w.form == segment_form::offsets)) * w.offset_bytes},
      {"ends", w.form == segment_form::ranges ? w.ends : nullptr, w.count * w.offset_bytes}};
  for (const named_array& a : read)
    for (const named_array& b : written)
      need_apart(a, b);
}

void segmented(const segmented_request& request, const options& opts) {
  sort_request arrays = request.arrays;
  const segments& w = request.where;
  if (arrays.input_is_scratch)
    refuse_segments(
        "input_is_scratch is set, but a sort within segments has no double buffer: results are always in the outputs");
  if (arrays.device_n != nullptr)
    refuse_segments("device_n is given to a sort within segments; the segments say what is sorted");
  if (opts.workspace_limit != 0)
    refuse_segments(
        "options::workspace_limit is given to a sort within segments, which keeps to none; workspace_bytes() says what "
        "it needs");
  if (arrays.device_status != nullptr && opts.memory != memory::device)
    refuse_segments(
        "device_status is given, but the arrays are said to lie in host memory; set options::memory to memory::device");
  if (reinterpret_cast<std::uintptr_t>(arrays.device_status) % alignof(std::uint32_t) != 0)
    refuse_segments("device_status is not aligned to its 4 bytes");
  arrays.device_status = nullptr;
  checks::sort(arrays, opts);
  places(w, arrays.n, opts.memory);
  need_all_apart(request, opts);
}

segment_survey survey(const segmented_request& request, unsigned threads) {
  const segments& w = request.where;
  if (w.form == segment_form::strided)
    return of_equal_lengths(w);
  const std::size_t chunk = std::max(least_chunk, (w.count + most_chunks - 1) / most_chunks);
  const std::size_t chunks = (w.count + chunk - 1) / chunk;
  cpu::call_vector<chunk_findings> found(chunks);
  cpu::for_each_task(w.count < 16 * least_chunk ? 1 : threads, chunks, nullptr, [&](unsigned, std::size_t c) {
    found[c] = look_at(request, c * chunk, std::min(w.count, (c + 1) * chunk));
  });
  segment_survey all{.chunk_segments = chunk};
  bool ascending = true;
  std::size_t end = 0;
  for (const chunk_findings& f : found) {
    if (f.first_wrong != none)
      refuse_segment(request, f.first_wrong);
    ascending = ascending && f.ascending && (f.first == none || f.first >= end);
    end = std::max(end, f.last_end);
    all.longest = std::max(all.longest, f.longest);
    all.elements += f.elements;
    all.chunks.push_back(f.elements);
  }
  if (!ascending && w.form == segment_form::ranges)
    need_no_overlap(request, threads);
  return all;
}

} // namespace sortile::checks

namespace sortile {

segments segments::pair_up(std::size_t begins, std::size_t ends, const void* first_begin, const void* first_end,
                           std::size_t offset_bytes) {
  detail::same_length("segments::by_ranges", "begins", begins, "ends", ends);
  return {.form = segment_form::ranges,
          .count = begins,
          .begins = first_begin,
          .ends = first_end,
          .offset_bytes = offset_bytes};
}

} // namespace sortile
