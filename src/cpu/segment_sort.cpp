// Many sorts in one call. Idea: segments are independent, so threads take them in tasks of about the same work
// (segment_tasks.hpp), and each sorts its own one after the other (segment_worker.hpp): tiny ones several in a vector
// (tiny_segments.hpp), others as long as a core's L2 cache holds them, longer ones by the radix sort. A segment that is
// so long that it would keep one thread busy while others idle is sorted by all threads, before the tasks.
//
//   one huge, 10^7 tiny    [ huge: all threads ]  then  [ tasks of 16,384 to 2^20 elements each, as threads are free ]
//
// Columns of a 2-D array (step above 1) become rows in the workspace, are sorted there, and go back: two more passes
// over the array; reading a column in place would fetch a cache line for every element.
//
// Cost: no allocation and no barrier for a segment; offsets are read twice, once to check them. The result does not
// depend on the number of threads: each segment's sort is stable.
#include "cpu/segment_sort.hpp"

#include "cpu/segment_tasks.hpp"
#include "cpu/segment_worker.hpp"
#include "cpu/strided_copy.hpp"
#include "cpu/tiny_segments.hpp"

namespace sortile::cpu {

namespace {

constexpr std::uint64_t progress_units = 4; // an element, as the radix sort counts

struct run_context {
  const segmented_request& request;
  const segment_survey& found;
  const segment_layout& layout;
  segment_job job;
  segments where; ///< in one piece
  std::byte* areas = nullptr;
  progress_meter& progress;
};

template <class K, class V>
class segment_run {
 public:
  explicit segment_run(const run_context& c)
      : c_(c), tasks_(cut_tasks(c.where, c.found, c.layout.alone_limit, c.layout.workers)) {}

  void run() {
    sort_together();
    for_each_task(c_.layout.workers, tasks_.alone.size(), &c_.progress,
                  [&](unsigned worker, std::size_t t) { sort_alone(worker, tasks_.alone[t]); });
  }

 private:
  void sort_together() {
    if (tasks_.together.empty())
      return;
    segment_worker<K, V> all(c_.job, c_.layout, c_.layout.shared, c_.areas, c_.layout.workers, &c_.progress);
    for (const std::size_t i : tasks_.together) {
      all.sort(place_of(c_.where, i));
      c_.progress.report();
    }
  }

  void sort_alone(unsigned worker, const segment_task& task) {
    progress_meter* const told = c_.layout.workers == 1 ? &c_.progress : nullptr;
    segment_worker<K, V> one(c_.job, c_.layout, c_.layout.own, c_.areas + worker * c_.layout.own.bytes, 1, told);
    const plain_image<K> image(one.image());
    const tiny_kernels<K>* tiny = nullptr;
    if constexpr (!has_values<V> && (sizeof(K) == 4 || sizeof(K) == 8))
      tiny = sorts_by_vectors(one.image()) ? best_tiny_kernels<K>() : nullptr;
    for (std::size_t i = task.first; i < task.last;) {
      const segment_place p = place_of(c_.where, i);
      if (tiny != nullptr && p.n <= tiny->most) {
        const std::size_t done = tiny->sort(reinterpret_cast<const K*>(c_.job.keys_in),
                                            reinterpret_cast<K*>(c_.job.keys_out), c_.where, i, task.last, image);
        i += done;
        if (done > 0)
          continue;
      }
      if (p.n <= segment_batch<K, V>::longest)
        if (const std::size_t done = one.sort_some(c_.where, i, task.last); done > 0) {
          i += done;
          continue;
        }
      ++i;
      if (p.n > c_.layout.alone_limit)
        continue;
      one.sort(p);
    }
    c_.progress.add(progress_units * (elements_of(task) - one.told()));
  }

  /// Of a task, without those of segments that all threads sort.
  std::size_t elements_of(const segment_task& task) const {
    std::size_t n = 0;
    for (std::size_t i = task.first; c_.progress.is_told() && i < task.last; ++i)
      if (const segment_place p = place_of(c_.where, i); p.n <= c_.layout.alone_limit)
        n += p.n;
    return n;
  }

  const run_context& c_;
  const segment_tasks tasks_;
};

template <class K>
void run_keys(const run_context& c) {
  switch (c.layout.value_width) {
  case 4:
    return segment_run<K, value_bytes<4>>(c).run();
  case 8:
    return segment_run<K, value_bytes<8>>(c).run();
  case 16:
    return segment_run<K, value_bytes<16>>(c).run();
  default:
    return segment_run<K, no_value>(c).run();
  }
}

void run_typed(const run_context& c) {
  switch (key_bytes(c.job.type)) {
  case 1:
    return run_keys<std::uint8_t>(c);
  case 2:
    return run_keys<std::uint16_t>(c);
  case 4:
    return run_keys<std::uint32_t>(c);
  case 8:
    return run_keys<std::uint64_t>(c);
  default:
    return run_keys<uint128>(c);
  }
}

segment_job job_of(const segmented_request& request, const options& opts, const segment_layout& layout) {
  const sort_request& r = request.arrays;
  return {.type = r.type,
          .direction = opts.order,
          .bits = opts.bits,
          .keys_in = static_cast<const std::byte*>(r.keys_in),
          .keys_out = static_cast<std::byte*>(r.keys_out),
          .values_in = static_cast<const std::byte*>(r.values_in),
          .values_out = static_cast<std::byte*>(r.values_out),
          .value_bytes = r.value_bytes,
          .handling = layout.handling};
}

/// Columns as rows in the workspace, and back.
void run_transposed(run_context& c, std::byte* space) {
  const sort_request& r = c.request.arrays;
  const segments& columns = c.request.where;
  const unsigned threads = c.layout.workers;
  const std::size_t key = key_bytes(r.type);
  std::byte* const keys = space + c.layout.keys;
  std::byte* const values = space + (r.carries == payload::indices ? c.layout.values_out : c.layout.values);
  c.where = segments::rows(columns.count, columns.length);
  c.job.keys_in = keys;
  c.job.keys_out = r.keys_out != nullptr ? keys : nullptr;
  c.job.values_in = r.carries == payload::values ? values : nullptr;
  c.job.values_out = r.carries != payload::none ? values : nullptr;
  gather_rows(columns, key, r.keys_in, keys, threads);
  if (r.carries == payload::values)
    gather_rows(columns, r.value_bytes, r.values_in, values, threads);
  run_typed(c);
  if (r.keys_out != nullptr)
    scatter_rows(columns, key, keys, r.keys_out, threads);
  if (r.carries != payload::none)
    scatter_rows(columns, r.value_bytes, values, r.values_out, threads);
}

class segments_on_cpu final : public segment_sorter {
 public:
  std::string_view why_refused(const segmented_request&, const options&) const override { return {}; }

  [[gnu::cold]] plan make_plan(const segmented_request& request, const options&, unsigned threads) const override {
    const segments& w = request.where;
    const bool equal = w.form == segment_form::strided;
    const std::size_t n = request.arrays.n;
    const segment_extent most =
        equal ? segment_extent{w.count == 0 ? 0 : w.length, w.count * w.length, true} : segment_extent{n, n, true};
    const segment_layout layout(request, threads, most);
    plan p;
    p.workspace_bytes = layout.bytes;
    add_steps(request, layout, most, p.steps);
    return p;
  }

  std::size_t workspace_used(const segmented_request& request, const options&, unsigned threads,
                             const segment_survey& found) const override {
    return segment_layout(request, threads, {found.longest, found.elements}).bytes;
  }

  void run(const segmented_request& request, const options& opts, const execution& how,
           const segment_survey& found) const override {
    const segment_layout layout(request, how.threads, {found.longest, found.elements});
    progress_meter progress(how.progress, progress_units * found.elements);
    progress.report();
    run_context c{
        request, found, layout, job_of(request, opts, layout), request.where, how.workspace.data() + layout.areas,
        progress};
    if (found.elements > 0 && in_one_piece(request.where))
      run_typed(c);
    else if (found.elements > 0)
      run_transposed(c, how.workspace.data());
    progress.finish();
  }

 private:
  [[gnu::cold]] static void add_steps(const segmented_request& request, const segment_layout& layout,
                                      const segment_extent& most, std::vector<plan_step>& steps) {
    const sort_request& r = request.arrays;
    const std::size_t n = most.elements, keys = n * key_bytes(r.type);
    const std::size_t values = r.carries == payload::none ? 0 : n * r.value_bytes;
    const std::size_t in = keys + (r.carries == payload::values ? values : 0);
    const std::size_t out = (r.keys_out == nullptr ? 0 : keys) + values;
    const std::string by = "; " + std::to_string(layout.workers) + (layout.workers == 1 ? " thread" : " threads");
    if (request.where.form != segment_form::strided)
      steps.push_back({"offsets", "checked, and segments cut into tasks of about the same work",
                       2 * request.where.count * request.where.offset_bytes, 0});
    if (!in_one_piece(request.where))
      steps.push_back({"transpose", "columns to rows, in the workspace", in, in});
    if (most.longest > layout.local_limit)
      steps.push_back({"partition",
                       "segments of more than " + std::to_string(layout.local_limit) +
                           " elements, as a sort of one array; those of more than " +
                           std::to_string(layout.alone_limit) + " by all threads",
                       0, 0});
    steps.push_back({"local", "each segment within the L2 cache of one thread" + by, in, out});
    if (!in_one_piece(request.where))
      steps.push_back({"transpose", "rows back to columns", out, out});
  }
};

} // namespace

const segment_sorter& cpu_segments() {
  static const segments_on_cpu the_sorter;
  return the_sorter;
}

} // namespace sortile::cpu
