// From untyped requests to the selections of single rows (select_jobs.hpp): memory, rows shared out to threads,
// progress.
#include "cpu/select.hpp"

#include "cpu/first_keys.hpp"
#include "cpu/gather.hpp"
#include "cpu/key_number.hpp"
#include "cpu/memory_slots.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/ranks_plan.hpp"
#include "cpu/scratch.hpp"
#include "cpu/select_jobs.hpp"
#include "cpu/select_table.hpp"
#include "cpu/small_select.hpp"
#include "cpu/vector_select.hpp"
#include "plan/segment_places.hpp"
#include "primitives/quantile_place.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace sortile::cpu {

extern template const select_functions& select_functions_of<std::uint8_t>();
extern template const select_functions& select_functions_of<std::uint16_t>();
extern template const select_functions& select_functions_of<std::uint32_t>();
extern template const select_functions& select_functions_of<std::uint64_t>();
extern template const select_functions& select_functions_of<uint128>();

const select_functions& functions_of(key_type type) {
  switch (key_bytes(type)) {
  case 1:
    return select_functions_of<std::uint8_t>();
  case 2:
    return select_functions_of<std::uint16_t>();
  case 4:
    return select_functions_of<std::uint32_t>();
  case 8:
    return select_functions_of<std::uint64_t>();
  default:
    return select_functions_of<uint128>();
  }
}

namespace {

template <class Pointer>
Pointer advanced(Pointer array, std::size_t bytes) {
  using byte = std::conditional_t<std::is_same_v<Pointer, const void*>, const std::byte, std::byte>;
  return array == nullptr ? nullptr : static_cast<byte*>(array) + bytes;
}

/// How many results a row of a top-k has.
std::size_t results_of(const top_k_request& r, std::size_t row) {
  if (r.row_k == nullptr)
    return r.k;
  const std::uint64_t wanted = r.row_k_bytes == 4 ? static_cast<const std::uint32_t*>(r.row_k)[row]
                                                  : static_cast<const std::uint64_t*>(r.row_k)[row];
  return static_cast<std::size_t>(std::min<std::uint64_t>(wanted, r.k));
}

top_k_request row_of(const top_k_request& r, std::size_t row) {
  const std::size_t key = key_bytes(r.type), stride = r.stride == 0 ? r.n : r.stride;
  top_k_request one = r;
  one.rows = 1;
  one.keys_in = advanced(r.keys_in, row * stride * key);
  one.keys_out = advanced(r.keys_out, row * r.k * key);
  one.values_in = advanced(r.values_in, row * stride * r.value_bytes);
  one.values_out = advanced(r.values_out, row * r.k * r.value_bytes);
  one.k = results_of(r, row);
  one.row_k = nullptr;
  return one;
}

ranks_request row_of(const ranks_request& r, std::size_t row) {
  const std::size_t key = key_bytes(r.type), stride = r.stride == 0 ? r.n : r.stride;
  ranks_request one = r;
  one.rows = 1;
  one.keys = advanced(r.keys, row * stride * key);
  one.keys_out = advanced(r.keys_out, row * r.ranks.size() * key);
  return one;
}

std::size_t rounded(std::size_t bytes) {
  return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

/// What a selection tells: 0 before it reads, then a little less than 1 at most, and 1 once. That is when the results
/// of an only row are known and not written yet, so that a call that is cancelled has written none of them; of several
/// rows, those that are done are written, and it is told behind the last.
class selection_progress {
 public:
  selection_progress(const options& opts, std::uint64_t keys)
      : of_reads_(progress_of_step(opts.progress, 0, 0.99)), reads(&of_reads_, keys), end(&opts.progress, 0) {
    reads.report();
  }

 private:
  const std::function<bool(double)> of_reads_;

 public:
  progress_meter reads, end;
};

/// There is nothing to do.
void tell_end(const options& opts) {
  progress_meter(&opts.progress, 0).finish();
}

/// Does all rows of a request, each with a piece of the workspace of its own while it is being done.
template <class Request, class Layout, class RowFunction>
void do_rows(const Request& r, const Layout& layout, const row_shares& shares, const options& opts,
             std::span<std::byte> workspace, RowFunction of_row) {
  selection_progress progress(opts, std::uint64_t{r.rows} * r.n);
  progress_meter* const of_reads = shares.workers == 1 ? &progress.reads : nullptr; // by the calling thread alone
  progress_meter* const of_only_row = r.rows == 1 ? &progress.end : nullptr;
  for_each_task(shares.workers, r.rows, nullptr, [&](unsigned worker, std::size_t row) {
    if (of_reads == nullptr && worker == 0)
      progress.reads.report();
    const row_job job{opts, shares.threads, of_reads, workspace.data() + worker * rounded(layout.bytes), of_only_row};
    of_row(row_of(r, row), layout, job);
    if (of_reads == nullptr)
      progress.reads.add(r.n);
  });
  if (of_only_row == nullptr)
    progress.end.finish();
}

/// A top-k of one row with a k of its own, in a workspace for the most that rows have: as that row alone would be done,
/// where there is room for it.
void select_row(const top_k_request& row, const top_k_layout& most, const row_job& job) {
  const auto of_row = functions_of(row.type).top_k_row;
  if (row.k == 0)
    return job.results_are_known();
  if (row.n < top_k_layout::whole_below)
    return of_row(row, most, job);
  const top_k_layout own(row, job.threads);
  of_row(row, own.bytes <= most.bytes ? own : most, job);
}

// Steps of plans.

[[gnu::cold]] void add_vector_steps(key_type type, std::size_t n, std::size_t rows, const few_ranks& ranks,
                                    const std::string& what, std::vector<plan_step>& steps) {
  const std::size_t row = n * key_bytes(type);
  std::size_t read = 0, copied = 0; // of a row
  if (n <= few_ranks::sorted_whole) {
    read = copied = row;
  } else {
    ranks.each_run([&](std::size_t first, std::size_t last) {
      read += row;
      copied += probably_copied(n, first, last) * key_bytes(type);
    });
  }
  steps.push_back({"gather",
                   n <= copied_whole ? "all keys, since n is small"
                                     : "keys between two of a sample, around " + what +
                                           (read > row ? ": a read for each that does not follow another one" : ""),
                   rows * read, rows * copied});
  steps.push_back({"split", "these around keys of further samples, until few are left, which are sorted",
                   rows * (copied + copied / 2), rows * (copied + copied / 2)});
}

/// A top-k by vectors is a search for the first k ranks.
[[gnu::cold]] void add_vector_steps(const top_k_request& r, std::vector<plan_step>& steps) {
  const std::size_t key = key_bytes(r.type), row = r.n * key;
  const std::size_t copied = probably_copied(r.n, 0, r.k - 1) * key;
  steps.push_back({"gather",
                   r.n <= copied_whole
                       ? "all keys, since n is small"
                       : "keys up to one of a sample that is probably behind the key of rank " + std::to_string(r.k),
                   r.rows * row, r.rows * copied});
  steps.push_back({"split", "these around keys of further samples; the first " + std::to_string(r.k) + " are sorted",
                   r.rows * (copied + copied / 2), r.rows * (copied + copied / 2)});
}

/// Of few first keys, before they are written.
[[gnu::cold]] void add_steps_of_few(const top_k_request& r, std::vector<plan_step>& steps) {
  const std::size_t keys = r.rows * r.n * key_bytes(r.type), width = 64 / key_bytes(r.type);
  const first_search_layout::sample sample(key_bytes(r.type), r.n, r.k);
  const std::size_t sampled = sample.blocks * sample.rows * width;
  const std::size_t first = r.rows * r.k * (key_bytes(r.type) + sizeof(std::uint32_t)),
                    full = first_search_layout::full(r.k);
  steps.push_back(
      {"sample", std::to_string(sampled) + " keys, in rows, for a bound", r.rows * sampled * key_bytes(r.type), 0});
  steps.push_back({"collect",
                   "the keys up to the bound; of " + std::to_string(full) + " the first " + std::to_string(r.k) +
                       " stay, and the last of them is the bound",
                   keys, 2 * first});
  steps.push_back({"fallback", "a second read, without a bound at first, where the sample has misled", 0, 0});
  steps.push_back({"sort", "the first " + std::to_string(r.k), first, first});
}

/// Of a top-k that goes the planned way.
[[gnu::cold]] void add_planned_steps(const top_k_request& r, unsigned threads, std::vector<plan_step>& steps) {
  const row_shares shares(r.n, r.rows, threads);
  const top_k_layout layout(r, shares.threads);
  const std::size_t key = key_bytes(r.type), element = key + layout.position_bytes;
  const std::size_t keys = r.rows * r.n * key, candidates = r.rows * layout.capacity * element;
  const std::size_t result = r.rows * r.k * ((r.keys_out == nullptr ? 0 : key) + r.value_bytes);
  if (layout.few) {
    add_steps_of_few(r, steps);
  } else if (layout.whole) {
    steps.push_back({"sort", "all keys, since the first " + std::to_string(r.k) + " are most of them or n is small",
                     keys, candidates});
  } else {
    steps.push_back({"sample",
                     std::to_string(layout.sample) + " keys, for a pivot behind the key of rank " + std::to_string(r.k),
                     r.rows * layout.sample * 64, 0});
    steps.push_back(
        {"filter", "the keys below the pivot, " + std::to_string(layout.capacity) + " at most", keys, candidates});
    steps.push_back({"sort", "these, and keys equal to the pivot behind them", candidates, candidates});
    steps.push_back(
        {"fallback", "digits find the key of that rank, where the sample has misled: a read for 11 bits", 0, 0});
  }
  steps.push_back({"copy",
                   r.row_k == nullptr ? "the first " + std::to_string(r.k)
                                      : "as many as row_k says, " + std::to_string(r.k) + " of a row at most",
                   result, result});
}

} // namespace

std::size_t select_workspace_bytes(const top_k_request& r, unsigned threads) {
  if (r.n == 0 || r.k == 0 || r.rows == 0)
    return 0;
  const row_shares shares(r.n, r.rows, threads);
  return shares.workers * rounded(top_k_layout(r, shares.threads).bytes);
}

[[gnu::cold]] void add_select_steps(const top_k_request& r, const options& opts, unsigned threads,
                                    std::vector<plan_step>& steps) {
  if (r.n == 0 || r.k == 0 || r.rows == 0)
    return;
  if (is_done_at_once(r, opts)) {
    add_vector_steps(r, steps);
    const std::size_t result = r.rows * r.k * key_bytes(r.type);
    steps.push_back({"copy", "the first " + std::to_string(r.k), result, result});
    return;
  }
  add_planned_steps(r, threads, steps);
}

void select(const top_k_request& r, const options& opts, const execution& how) {
  if (r.n == 0 || r.k == 0 || r.rows == 0)
    return tell_end(opts);
  const row_shares shares(r.n, r.rows, how.threads);
  const top_k_layout layout(r, shares.threads);
  if (r.row_k == nullptr)
    do_rows(r, layout, shares, opts, how.workspace, functions_of(r.type).top_k_row);
  else
    do_rows(r, layout, shares, opts, how.workspace, select_row);
}

namespace {

/// Segment `i` of a checked request as a top-k of one row.
top_k_request segment_of(const segmented_top_k_request& r, std::size_t i) {
  const segment_place place = place_of(r.where, i);
  const top_k_request& a = r.arrays;
  top_k_request one = a;
  one.n = place.n;
  one.k = std::min(results_of(a, i), place.n);
  one.row_k = nullptr;
  one.keys_in = advanced(a.keys_in, place.first * key_bytes(a.type));
  one.keys_out = advanced(a.keys_out, i * a.k * key_bytes(a.type));
  one.values_in = advanced(a.values_in, place.first * a.value_bytes);
  one.values_out = advanced(a.values_out, i * a.k * a.value_bytes);
  return one;
}

/// Memory of one thread for one segment after the other: as much as the largest so far has taken.
class growing_scratch {
 public:
  std::byte* of(std::size_t bytes) {
    if (bytes > memory_.bytes().size())
      memory_ = scratch(std::max(bytes, 2 * memory_.bytes().size()), "the workspace of a selection");
    return memory_.bytes().data();
  }

 private:
  scratch memory_;
};

constexpr std::size_t cut_from = std::size_t{1} << 20; // keys of a segment that all threads share
constexpr std::size_t task_segments = 16;

} // namespace

[[gnu::cold]] void add_select_steps(const segmented_top_k_request& r, const options&, unsigned,
                                    std::vector<plan_step>& steps) {
  const top_k_request& a = r.arrays;
  if (a.n == 0 || a.k == 0 || r.where.count == 0)
    return;
  const std::size_t key = key_bytes(a.type), results = r.where.count * a.k;
  steps.push_back({"select",
                   "the first " + std::to_string(a.k) + " of each segment" +
                       (a.row_k == nullptr ? "" : ", or as many as row_k says") +
                       ": a sort of a short one, a sample and a filter of a long one",
                   a.n * key, results * ((a.keys_out == nullptr ? 0 : key) + a.value_bytes)});
}

void select(const segmented_top_k_request& r, const options& opts, const execution& how) {
  if (r.arrays.n == 0 || r.arrays.k == 0 || r.where.count == 0)
    return tell_end(opts);
  const std::size_t count = r.where.count;
  selection_progress progress(opts, r.arrays.n);
  call_vector<growing_scratch> memory(how.threads);
  const auto of_row = functions_of(r.arrays.type).top_k_row;
  top_k_request short_one = r.arrays;
  short_one.n = std::min(r.arrays.n, top_k_layout::whole_below - 1);
  short_one.k = std::min(r.arrays.k, short_one.n);
  const top_k_layout of_short = top_k_layout::of_whole_rows(short_one);
  short_one.k = std::min(short_one.k, most_by_read(short_one.type, short_one.n));
  const top_k_layout of_few(short_one, 1);
  const auto do_segment = [&](const top_k_request& one, growing_scratch& space, unsigned threads,
                              progress_meter* told) {
    if (one.k == 0)
      return;
    if (one.n < top_k_layout::whole_below) {
      const bool few = of_few.few && are_found_by_read(one.type, one.n, one.k);
      const top_k_layout& layout = few ? of_few : of_short;
      return of_row(one, layout, {opts, threads, told, space.of(layout.bytes)});
    }
    const top_k_layout layout(one, threads);
    of_row(one, layout, {opts, threads, told, space.of(layout.bytes)});
  };
  std::atomic<bool> long_ones = false;
  for_each_task(how.threads, (count + task_segments - 1) / task_segments, nullptr,
                [&](unsigned worker, std::size_t task) {
                  if (worker == 0)
                    progress.reads.report();
                  const std::size_t end = std::min(count, (task + 1) * task_segments);
                  for (std::size_t i = task * task_segments; i < end; ++i)
                    if (const top_k_request one = segment_of(r, i); one.n < cut_from) {
                      do_segment(one, memory[worker], 1, nullptr);
                      progress.reads.add(one.n);
                    } else {
                      long_ones.store(true, std::memory_order_relaxed);
                    }
                });
  for (std::size_t i = 0; long_ones && i < count; ++i)
    if (const top_k_request one = segment_of(r, i); one.n >= cut_from)
      do_segment(one, memory.front(), how.threads, &progress.reads);
  progress.end.finish();
}

namespace {

/// The top-k that a partial sort is made of.
top_k_request first_of(const partial_sort_request& r, void* keys, void* values) {
  top_k_request request{.type = r.type, .n = r.n, .k = r.k, .keys_in = r.keys, .keys_out = keys};
  if (r.value_bytes > 0) {
    request.carries = payload::values;
    request.value_bytes = r.value_bytes;
    request.values_in = r.values;
    request.values_out = values;
  }
  return request;
}

} // namespace

[[gnu::cold]] void add_select_steps(const partial_sort_request& r, const options& opts, unsigned threads,
                                    std::vector<plan_step>& steps) {
  if (r.k == 0)
    return;
  std::byte first{};
  const top_k_request of_first = first_of(r, &first, &first);
  if (is_done_at_once(r, opts))
    add_vector_steps(of_first, steps);
  else if (are_found_by_read(r.type, r.n, r.k))
    add_steps_of_few(of_first, steps);
  else
    add_planned_steps(of_first, threads, steps);
  const std::size_t keys = r.n * key_bytes(r.type), result = r.k * (key_bytes(r.type) + r.value_bytes);
  if (r.k < r.n)
    steps.push_back({"displace",
                     "what stands in the first " + std::to_string(r.k) + " places, to where these come from",
                     keys + result, result});
  steps.push_back({"copy", "these to their places", result, result});
}

void select(const partial_sort_request& r, const options& opts, const execution& how) {
  if (r.k == 0)
    return tell_end(opts);
  if (are_found_by_read(r.type, r.n, r.k)) {
    selection_progress progress(opts, r.n);
    return partial_sort_few(r, {opts, how.threads, &progress.reads, nullptr, &progress.end});
  }
  const std::size_t key = key_bytes(r.type);
  const scratch first(rounded(r.k * key) + r.k * r.value_bytes, "the first keys of a partial sort");
  std::byte *const keys = first.bytes().data(), *const values = keys + rounded(r.k * key);
  const top_k_request request = first_of(r, keys, values);
  const scratch space(select_workspace_bytes(request, how.threads), "the workspace of a partial sort");
  select(request, opts, {how.threads, space.bytes(), nullptr});
  if (r.k < r.n) {
    tell_step("displace");
    functions_of(r.type).make_room_for_first(r, keys, opts, how.threads);
  }
  copy(keys, r.k * key, r.keys, how.threads);
  copy(values, r.k * r.value_bytes, r.values, how.threads);
}

void select(const ranks_request& r, const options& opts, const execution& how) {
  if (r.ranks.empty() || r.rows == 0)
    return tell_end(opts);
  const ranks_plan plan(r, opts, how.threads);
  const scratch space(plan.shares.workers * rounded(plan.bytes), "the workspace of a selection");
  do_rows(r, plan, plan.shares, opts, space.bytes(), functions_of(r.type).ranks_row);
}

namespace {

/// Whether keys are split one by one, where no vectors select.
bool is_nth_split(const nth_element_request& r, const options& opts) {
  return key_bytes(r.type) >= 4 && !is_float(r.type) && opts.bits.begin == 0 &&
         (opts.bits.end == bit_window::whole_key || opts.bits.end == key_bits(r.type));
}

/// Whether all keys are sorted, where neither is so: few, and narrow ones, which a sort counts in a third of the
/// time of exchanges. Not where progress is told: a sort in place that is cancelled does not keep its keys.
bool is_nth_sorted(const nth_element_request& r, const options& opts) {
  constexpr std::size_t few = std::size_t{1} << 16;
  const bool is_near_an_end = std::min(r.nth, r.n - r.nth) < r.n / 256; // little is exchanged
  return r.n < few || (key_bytes(r.type) <= 2 && !is_near_an_end && !opts.progress);
}

} // namespace

[[gnu::cold]] void add_select_steps(const nth_element_request& r, const options& opts, unsigned threads,
                                    std::vector<plan_step>& steps) {
  if (r.nth >= r.n)
    return;
  const std::size_t key = key_bytes(r.type), keys = r.n * key;
  if (selects_by_vectors(r.type, opts)) {
    const std::size_t moved = keys + std::min(r.nth, r.n - 1 - r.nth) * key; // the side of more keys is left first
    steps.push_back({"split",
                     "around keys of a sample that are probably near that rank, until few are left between them", moved,
                     moved});
  } else if (is_nth_split(r, opts)) {
    steps.push_back({"split", "around keys of a sample that are probably near that rank, until few are left",
                     keys + keys / 2, keys + keys / 2});
  } else if (is_nth_sorted(r, opts)) {
    steps.push_back({"sort", "all keys, which are few or narrow", keys, keys});
  } else {
    add_select_steps(ranks_request{.type = r.type, .n = r.n, .ranks = {&r.nth, 1}}, opts, threads, steps);
    steps.push_back({"exchange", "keys that stand on the wrong side of it, with each other", 3 * keys, keys / 2});
  }
}

void select(const nth_element_request& r, const options& opts, const execution& how) {
  if (r.nth >= r.n)
    return tell_end(opts);
  const bool by_vectors = selects_by_vectors(r.type, opts), in_pieces = by_vectors && r.n > most_alone,
             by_splits = !by_vectors && is_nth_split(r, opts);
  if (by_vectors || by_splits || is_nth_sorted(r, opts)) {
    progress_meter progress(opts.progress ? &opts.progress : nullptr, in_pieces   ? 2 * std::uint64_t{r.n}
                                                                      : by_splits ? 8 * std::uint64_t{r.n}
                                                                                  : r.n);
    progress.report(); // the last time that nothing has moved
    if (in_pieces) {
      tell_step("split");
      functions_of(r.type).long_nth_element(r, opts, r.n < shared_from ? 1 : how.threads, progress);
    } else if (by_splits) {
      tell_step("split");
      functions_of(r.type).nth_element_by_splits(r, opts, progress);
    } else if (by_vectors) {
      select_by_vectors(r, opts.order);
    } else {
      tell_step("sort");
      sort_by_itself({.type = r.type, .n = r.n, .keys_in = r.keys, .keys_out = r.keys}, opts, how.threads);
    }
    progress.finish();
    return;
  }
  alignas(16) std::byte found[16];
  select(ranks_request{.type = r.type, .n = r.n, .keys = r.keys, .ranks = {&r.nth, 1}, .keys_out = found}, opts, how);
  tell_step("exchange");
  functions_of(r.type).exchange_around(r, found, opts, how.threads);
}

namespace {

[[gnu::cold]] void add_steps_in_pieces(const ranks_request& r, const ranks_plan& plan, const std::string& ranks,
                                       std::vector<plan_step>& steps) {
  const long_ranks_layout& layout = plan.in_pieces;
  const std::size_t key = key_bytes(r.type), copied = r.rows * layout.capacity() * key;
  steps.push_back({"sample", std::to_string(layout.sample) + " keys, for an interval around " + ranks,
                   r.rows * layout.sample * 64, 0});
  steps.push_back({"gather",
                   "the keys of the intervals, " + std::to_string(layout.capacity()) + " at most, from pieces of " +
                       std::to_string(long_ranks_layout::piece) + " keys",
                   r.rows * r.n * key, copied});
  steps.push_back({"split", "these around keys of further samples, until few are left, which are sorted",
                   copied + copied / 2, copied + copied / 2});
  steps.push_back({"fallback", "a filter and digits, where the sample has misled", 0, 0});
}

[[gnu::cold]] void add_steps_of_filter(const ranks_request& r, const ranks_plan& plan, const std::string& ranks,
                                       std::vector<plan_step>& steps) {
  const ranks_layout& layout = plan.filter;
  const std::size_t key = key_bytes(r.type), keys = r.rows * r.n * key, gathered = r.rows * layout.capacity * key;
  if (layout.whole) {
    steps.push_back({"sort", "all keys, since most would be collected or n is small", keys, keys});
    return;
  }
  steps.push_back({"sample", std::to_string(layout.sample) + " keys, for an interval around each of " + ranks,
                   r.rows * layout.sample * 64, 0});
  steps.push_back(
      {"filter", "the keys of the intervals, " + std::to_string(layout.capacity) + " at most", keys, gathered});
  steps.push_back({"sort", "these", gathered, gathered});
  steps.push_back({"fallback", "digits find a rank's key where the sample has misled: a read for 11 bits", 0, 0});
}

} // namespace

[[gnu::cold]] void add_select_steps(const ranks_request& r, const options& opts, unsigned threads,
                                    std::vector<plan_step>& steps) {
  if (r.ranks.empty() || r.rows == 0)
    return;
  const ranks_plan plan(r, opts, threads);
  const std::string ranks = std::to_string(r.ranks.size()) + (r.ranks.size() == 1 ? " rank" : " ranks");
  if (plan.way == ranks_way::vectors)
    add_vector_steps(r.type, r.n, r.rows, plan.few, ranks, steps);
  else if (plan.way == ranks_way::long_vectors)
    add_steps_in_pieces(r, plan, ranks, steps);
  else
    add_steps_of_filter(r, plan, ranks, steps);
  const std::size_t results = r.rows * r.ranks.size() * key_bytes(r.type);
  steps.push_back({"copy", "the keys at " + ranks, results, results});
}

[[gnu::cold]] void add_select_steps(const quantiles_request& r, const options& opts, unsigned threads,
                                    std::vector<plan_step>& steps) {
  if (r.probabilities.empty() || r.rows == 0)
    return;
  call_vector<std::size_t> ranks;
  for (const double probability : r.probabilities) {
    const quantile_place place(probability, r.n, r.method);
    ranks.push_back(place.low);
    if (place.high != place.low)
      ranks.push_back(place.high);
  }
  add_select_steps(ranks_request{.type = r.type, .n = r.n, .ranks = ranks, .rows = r.rows}, opts, threads, steps);
  const std::size_t count = r.rows * r.probabilities.size();
  steps.push_back({"interpolate", "between them", r.rows * ranks.size() * key_bytes(r.type), count * sizeof(double)});
}

void select(const quantiles_request& r, const options& opts, const execution& how) {
  call_vector<quantile_place> places;
  call_vector<std::size_t> ranks;
  for (const double probability : r.probabilities) {
    places.emplace_back(probability, r.n, r.method);
    ranks.push_back(places.back().low);
    ranks.push_back(places.back().high);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  const std::size_t key = key_bytes(r.type), count = places.size();
  const scratch keys(r.rows * ranks.size() * key, "the keys between which quantiles lie");
  select(ranks_request{r.type, r.n, r.keys, ranks, keys.bytes().data(), r.rows, r.stride}, opts, how);
  tell_step("interpolate");
  for (std::size_t row = 0; row < r.rows; ++row)
    for (std::size_t i = 0; i < count; ++i) {
      const auto key_at = [&](std::size_t rank) {
        const auto at = std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin();
        return number_of(r.type, keys.bytes().data() + (row * ranks.size() + static_cast<std::size_t>(at)) * key);
      };
      r.results[row * count + i] = between(key_at(places[i].low), key_at(places[i].high), places[i].fraction);
    }
}

} // namespace sortile::cpu
