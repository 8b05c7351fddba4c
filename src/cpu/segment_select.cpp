// Selections from segments are those of single arrays, one segment after the other: a thread takes short ones, all
// threads share a long one. Columns become rows in scratch memory first, and go back where they are changed.
#include "cpu/segment_select.hpp"

#include "cpu/few_keys.hpp"
#include "cpu/key_number.hpp"
#include "cpu/parallel.hpp"
#include "cpu/scratch.hpp"
#include "cpu/select.hpp"
#include "cpu/small_select.hpp"
#include "cpu/strided_copy.hpp"
#include "plan/segment_places.hpp"
#include "primitives/quantile_place.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <string>

namespace sortile::cpu {
namespace {

constexpr std::size_t shared_segment = most_alone; // keys of a segment that all threads share
constexpr std::size_t segments_of_task = 16;
constexpr std::size_t picked_alone_below = 4096; // segments

template <class Byte>
Byte* advanced(Byte* array, std::size_t elements, std::size_t bytes) {
  return array == nullptr ? nullptr : array + elements * bytes;
}
void* at(void* array, std::size_t i, std::size_t bytes) {
  return advanced(static_cast<std::byte*>(array), i, bytes);
}
const void* at(const void* array, std::size_t i, std::size_t bytes) {
  return advanced(static_cast<const std::byte*>(array), i, bytes);
}

/// At once, where that can be, else as a call on that array alone would be done.
template <class Request>
void select_one(const Request& one, const options& opts, unsigned threads) {
  if (select_small(one, opts, true))
    return;
  if constexpr (requires { select_few(one, opts, true); })
    if (select_few(one, opts, true))
      return;
  select(one, opts, {.threads = threads});
}

// Segment number i, which has a key.

void select_segment(const segmented_partial_sort_request& r, std::size_t, segment_place p, const options& opts,
                    unsigned threads) {
  partial_sort_request one = r.arrays;
  one.n = p.n;
  one.k = std::min(one.k, p.n);
  one.keys = at(one.keys, p.first, key_bytes(one.type));
  one.values = at(one.values, p.first, one.value_bytes);
  select_one(one, opts, threads);
}

void select_segment(const segmented_nth_element_request& r, std::size_t, segment_place p, const options& opts,
                    unsigned threads) {
  if (r.arrays.nth >= p.n)
    return;
  nth_element_request one = r.arrays;
  one.n = p.n;
  one.keys = at(one.keys, p.first, key_bytes(one.type));
  select_one(one, opts, threads);
}

void select_segment(const segmented_ranks_request& r, std::size_t i, segment_place p, const options& opts,
                    unsigned threads) {
  const std::size_t key = key_bytes(r.arrays.type), count = r.arrays.ranks.size();
  ranks_request one = r.arrays;
  one.n = p.n;
  one.keys = at(one.keys, p.first, key);
  one.keys_out = at(one.keys_out, i * count, key);
  const auto has = [&](std::size_t rank) { return rank < p.n; };
  if (std::all_of(one.ranks.begin(), one.ranks.end(), has))
    return select_one(one, opts, threads);
  for (std::size_t which = 0; which < count; ++which)
    if (has(r.arrays.ranks[which])) {
      one.ranks = r.arrays.ranks.subspan(which, 1);
      one.keys_out = at(r.arrays.keys_out, i * count + which, key);
      select_one(one, opts, threads);
    }
}

void select_segment(const segmented_quantiles_request& r, std::size_t i, segment_place p, const options& opts,
                    unsigned threads) {
  quantiles_request one = r.arrays;
  one.n = p.n;
  one.keys = at(one.keys, p.first, key_bytes(one.type));
  one.results += i * one.probabilities.size();
  select_one(one, opts, threads);
}

/// What a segment of no keys has for results.
template <class Request>
void fill_empty(const Request& r, std::size_t i) {
  if constexpr (std::same_as<Request, segmented_quantiles_request>)
    std::fill_n(r.arrays.results + i * r.arrays.probabilities.size(), r.arrays.probabilities.size(),
                std::numeric_limits<double>::quiet_NaN());
}

/// Whether there is nothing to do.
template <class Request>
bool is_idle(const Request& r) {
  if (r.where.count == 0)
    return true;
  if constexpr (requires { r.arrays.k; })
    return r.arrays.n == 0 || r.arrays.k == 0;
  else if constexpr (requires { r.arrays.ranks; })
    return r.arrays.n == 0 || r.arrays.ranks.empty();
  else if constexpr (requires { r.arrays.probabilities; })
    return r.arrays.probabilities.empty();
  else
    return r.arrays.n == 0;
}

template <class Request>
void select_side_by_side(const Request& r, const options& opts, unsigned threads, progress_meter& progress) {
  const options of_one{.order = opts.order, .bits = opts.bits};
  std::atomic<bool> has_long_ones = false;
  const std::size_t count = r.where.count;
  for_each_task(threads, (count + segments_of_task - 1) / segments_of_task, &progress, [&](unsigned, std::size_t task) {
    const std::size_t end = std::min(count, (task + 1) * segments_of_task);
    for (std::size_t i = task * segments_of_task; i < end; ++i) {
      const segment_place p = place_of(r.where, i);
      if (p.n == 0) {
        fill_empty(r, i);
      } else if (p.n < shared_segment) {
        select_segment(r, i, p, of_one, 1);
        progress.add(p.n);
      } else {
        has_long_ones.store(true, std::memory_order_relaxed);
      }
    }
  });
  for (std::size_t i = 0; has_long_ones && i < count; ++i)
    if (const segment_place p = place_of(r.where, i); p.n >= shared_segment) {
      select_segment(r, i, p, of_one, threads);
      progress.add(p.n);
      progress.report();
    }
}

/// Columns, as rows of a copy.
template <class Request>
void select_columns(const Request& r, const options& opts, unsigned threads, progress_meter& progress) {
  constexpr bool in_place = std::same_as<decltype(r.arrays.keys), void*>;
  const std::size_t n = r.where.count * r.where.length, key = key_bytes(r.arrays.type);
  const scratch keys(n * key, "columns as rows");
  Request of_rows = r;
  of_rows.where = segments::rows(r.where.count, r.where.length);
  of_rows.arrays.n = n;
  of_rows.arrays.keys = keys.bytes().data();
  gather_rows(r.where, key, r.arrays.keys, keys.bytes().data(), threads);
  scratch values;
  if constexpr (requires { r.arrays.values; })
    if (const std::size_t width = r.arrays.value_bytes; width > 0) {
      values = scratch(n * width, "columns of values as rows");
      of_rows.arrays.values = values.bytes().data();
      gather_rows(r.where, width, r.arrays.values, values.bytes().data(), threads);
    }
  select_side_by_side(of_rows, opts, threads, progress);
  if constexpr (in_place)
    scatter_rows(r.where, key, keys.bytes().data(), r.arrays.keys, threads);
  if constexpr (requires { r.arrays.values; })
    if (r.arrays.value_bytes > 0)
      scatter_rows(r.where, r.arrays.value_bytes, values.bytes().data(), r.arrays.values, threads);
}

template <class Request>
void select_all(const Request& r, const options& opts, unsigned threads) {
  progress_meter progress(opts.progress ? &opts.progress : nullptr, std::max<std::size_t>(r.arrays.n, 1));
  progress.report();
  if (!is_idle(r)) {
    if (in_one_piece(r.where))
      select_side_by_side(r, opts, threads, progress);
    else
      select_columns(r, opts, threads, progress);
  }
  progress.finish();
}

/// The sorted keys of a segment.
struct lane {
  const std::byte* first;
  std::size_t n, step; ///< bytes from a key to the next one
  const std::byte* operator[](std::size_t rank) const { return first + rank * step; }
};

/// Calls take(i, its keys) of each segment.
template <class Request, class Take>
void pick(const Request& r, const void* sorted, unsigned threads, Take&& take) {
  const std::size_t key = key_bytes(r.arrays.type), step = r.where.form == segment_form::strided ? r.where.step : 1;
  for_each_piece(threads, r.where.count, picked_alone_below, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const segment_place p = place_of(r.where, i);
      take(i, lane{static_cast<const std::byte*>(at(sorted, p.first, key)), p.n, step * key});
    }
  });
}

/// One step that reads the keys, and what it makes of them.
template <class Request>
[[gnu::cold]] void add_steps(const Request& r, const char* name, const std::string& what, std::size_t written,
                             std::vector<plan_step>& steps) {
  if (is_idle(r))
    return;
  const std::size_t keys = r.arrays.n * key_bytes(r.arrays.type);
  if (!in_one_piece(r.where))
    steps.push_back({"transpose", "columns to rows, in scratch memory", keys, keys});
  steps.push_back({name, what + " of each segment, a short one by one thread, a long one by all", keys, written});
}

} // namespace

void select_in_segments(const segmented_partial_sort_request& r, const options& opts, unsigned threads) {
  select_all(r, opts, threads);
}
void select_in_segments(const segmented_nth_element_request& r, const options& opts, unsigned threads) {
  select_all(r, opts, threads);
}
void select_in_segments(const segmented_ranks_request& r, const options& opts, unsigned threads) {
  select_all(r, opts, threads);
}
void select_in_segments(const segmented_quantiles_request& r, const options& opts, unsigned threads) {
  select_all(r, opts, threads);
}

void pick_in_segments(const segmented_ranks_request& r, const void* sorted, unsigned threads) {
  const std::size_t key = key_bytes(r.arrays.type), count = r.arrays.ranks.size();
  pick(r, sorted, threads, [&](std::size_t i, const lane& keys) {
    for (std::size_t which = 0; which < count; ++which)
      if (r.arrays.ranks[which] < keys.n)
        std::memcpy(at(r.arrays.keys_out, i * count + which, key), keys[r.arrays.ranks[which]], key);
  });
}

void pick_in_segments(const segmented_quantiles_request& r, const void* sorted, unsigned threads) {
  const std::size_t count = r.arrays.probabilities.size();
  pick(r, sorted, threads, [&](std::size_t i, const lane& keys) {
    if (keys.n == 0)
      return fill_empty(r, i);
    for (std::size_t which = 0; which < count; ++which) {
      const quantile_place place(r.arrays.probabilities[which], keys.n, r.arrays.method);
      r.arrays.results[i * count + which] = between(number_of(r.arrays.type, keys[place.low]),
                                                    number_of(r.arrays.type, keys[place.high]), place.fraction);
    }
  });
}

[[gnu::cold]] void add_segment_steps(const segmented_partial_sort_request& r, std::vector<plan_step>& steps) {
  const std::size_t n = r.arrays.n, k = r.arrays.k, count = r.where.count;
  const std::size_t first = count == 0 || k > n / count ? n : count * k;
  add_steps(r, "select", "the first " + std::to_string(k) + ", to the front",
            2 * first * (key_bytes(r.arrays.type) + r.arrays.value_bytes), steps);
}
[[gnu::cold]] void add_segment_steps(const segmented_nth_element_request& r, std::vector<plan_step>& steps) {
  add_steps(r, "split", "around the key of rank " + std::to_string(r.arrays.nth), r.arrays.n * key_bytes(r.arrays.type),
            steps);
}
[[gnu::cold]] void add_segment_steps(const segmented_ranks_request& r, std::vector<plan_step>& steps) {
  const std::size_t count = r.arrays.ranks.size();
  add_steps(r, "select", "the keys at " + std::to_string(count) + (count == 1 ? " rank" : " ranks"),
            r.where.count * count * key_bytes(r.arrays.type), steps);
}
[[gnu::cold]] void add_segment_steps(const segmented_quantiles_request& r, std::vector<plan_step>& steps) {
  const std::size_t count = r.arrays.probabilities.size();
  add_steps(r, "select", std::to_string(count) + (count == 1 ? " quantile" : " quantiles"),
            r.where.count * count * sizeof(double), steps);
}

} // namespace sortile::cpu
