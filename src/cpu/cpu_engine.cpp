// The engine called "cpu": requests become radix sorts (arrangement.hpp, radix_sort.hpp), and plans that can be read.
#include "cpu/cpu_engine.hpp"

#include "cpu/arrangement.hpp"
#include "cpu/byte_scatter.hpp"
#include "cpu/gather.hpp"
#include "cpu/segment_sort.hpp"
#include "cpu/vector_quicksort.hpp"
#include "cpu/vector_sort.hpp"

#include <bit>

namespace sortile::cpu {

namespace {

std::string count_of(std::size_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

class engine_on_cpu final : public engine {
 public:
  std::string_view name() const override { return "cpu"; }
  std::string_view description() const override {
    return "stable radix sort on all cores: scan, partition, local sorts in the L2 cache";
  }
  std::string_view why_unusable() const override { return {}; }
  std::string_view why_refused(const sort_request&, const options& opts) const override {
    return opts.memory == memory::device ? "it cannot reach device memory" : "";
  }

  [[gnu::cold]] plan make_plan(const sort_request& request, const options& opts, unsigned threads) const override {
    const arrangement a(request, opts, threads);
    plan p;
    p.engine = name();
    p.workspace_bytes = a.bytes;
    p.result = a.double_buffer ? result_place::input : result_place::output;
    if (counts_bytes(request, opts, a))
      add_steps_of_counting(request, a, p.steps);
    else
      add_steps(request, a, p.steps);
    return p;
  }

  std::size_t workspace_bytes(const sort_request& request, const options& opts, unsigned threads) const override {
    return arrangement(request, opts, threads).bytes;
  }

  result_place run(const sort_request& request, const options& opts, const execution& how) const override {
    const arrangement a(request, opts, how.threads);
    progress_meter progress(how.progress, 4 * std::uint64_t{request.n});
    if (request.n > 0)
      sort(request, opts, how, a, progress);
    progress.finish();
    return a.double_buffer ? result_place::input : result_place::output;
  }

  const segment_sorter* segments() const override { return &cpu_segments(); }

 private:
  /// As radix_sorter decides, by the arrays of the job.
  static bool counts_bytes(const sort_request& request, const options& opts, const arrangement& a) {
    const bool made = a.handling == value_handling::indices || a.handling == value_handling::gathered;
    const bool apart =
        made || (a.handling == value_handling::direct && !a.double_buffer && request.values_in != request.values_out);
    return apart && !a.in_place && scatters_bytes(request.type, request.n, a.value_width, opts.bits);
  }

  [[gnu::cold]] static void add_steps_of_counting(const sort_request& request, const arrangement& a,
                                                  std::vector<plan_step>& steps) {
    const std::size_t keys = request.n, values = request.n * a.value_width;
    steps.push_back({"count", "the keys of each value; " + count_of(a.workers, "thread"), keys, 0});
    steps.push_back({"scatter",
                     "values to their places, and keys from the counts; where the first 1024 keys are in order, a "
                     "scan and a partition",
                     keys + (a.handling == value_handling::direct ? values : 0),
                     (request.keys_out == nullptr ? 0 : keys) + values});
    add_gather(request, a, values, steps);
  }

  static void add_gather(const sort_request& request, const arrangement& a, std::size_t values,
                         std::vector<plan_step>& steps) {
    if (a.handling != value_handling::gathered)
      return;
    const std::size_t raw = request.n * request.value_bytes;
    steps.push_back({"gather", "values by position", values + raw, raw});
    if (request.values_in == request.values_out)
      steps.push_back({"copy", "values back to where they were", raw, raw});
  }

  static std::string local_sort(const sort_request& request) {
    const std::size_t key = key_bytes(request.type);
    if ((key != 4 && key != 8) || best_vector_kernels<std::uint64_t>() == nullptr)
      return "counting sorts by the bits that differ";
    return request.carries == payload::none ? "quicksort by vectors"
                                            : "quicksort by vectors, of words that hold key and position";
  }

  [[gnu::cold]] static void add_steps(const sort_request& request, const arrangement& a,
                                      std::vector<plan_step>& steps) {
    const std::size_t n = request.n, keys = n * key_bytes(request.type), values = n * a.value_width;
    const std::size_t raw = n * request.value_bytes;
    const std::size_t read =
        a.handling == value_handling::indices || a.handling == value_handling::gathered ? 0 : values;
    const std::string by = count_of(a.workers, "thread");
    if (a.quick)
      return add_quick_steps(keys, by, steps);
    if (a.in_place)
      return add_steps_in_place(request, a, keys, values, by, steps);
    if (a.handling == value_handling::widened)
      steps.push_back({"widen", "values to " + std::to_string(a.value_width) + " bytes", raw, values});
    if (n > insertion_limit)
      steps.push_back({"scan", "which bits differ, whether the keys are sorted; " + by, keys, 0});
    if (a.partitions)
      steps.push_back(
          {"partition",
           "by the highest differing bits; again for a bucket of more than " + count_of(a.layout.local_limit, "key"),
           keys + read, keys + values});
    const std::size_t from_partition = a.partitions ? values : read;
    steps.push_back({"local",
                     n <= insertion_limit ? "insertion sort" : local_sort(request) + ", within the L2 cache; " + by,
                     keys + from_partition, (request.keys_out == nullptr ? 0 : keys) + values});
    if (a.handling == value_handling::widened)
      steps.push_back({"narrow", "values to " + count_of(request.value_bytes, "byte"), values, raw});
    add_gather(request, a, values, steps);
  }

  [[gnu::cold]] static void add_quick_steps(std::size_t keys, const std::string& by, std::vector<plan_step>& steps) {
    constexpr std::size_t cache = std::size_t{2} << 20;
    const auto levels = static_cast<std::size_t>(std::bit_width(keys / cache));
    steps.push_back({"split", "around sampled pivots, in place, until parts fit the L2 cache; " + by, levels * keys,
                     levels * keys});
    steps.push_back({"local", "quicksort by vectors, within the L2 cache; " + by, keys, keys});
  }

  [[gnu::cold]] static void add_steps_in_place(const sort_request& request, const arrangement& a, std::size_t keys,
                                               std::size_t values, const std::string& by,
                                               std::vector<plan_step>& steps) {
    const bool makes = a.handling == value_handling::indices;
    if (request.keys_in != request.keys_out || makes)
      steps.push_back({"copy", "to where the result is made", keys + (makes ? 0 : values), keys + values});
    steps.push_back({"scan", "which bits differ, whether the keys are sorted; " + by, keys, 0});
    steps.push_back({"partition",
                     "by the highest differing bits, in place, in blocks that are permuted then; again for "
                     "large buckets",
                     3 * keys + 2 * values, 2 * (keys + values)});
    steps.push_back({"local", local_sort(request) + ", within the L2 cache; " + by, keys + values, keys + values});
  }

  static void sort(const sort_request& request, const options& opts, const execution& how, const arrangement& a,
                   progress_meter& progress) {
    std::byte* const space = how.workspace.data();
    radix_job job;
    job.type = request.type;
    job.direction = opts.order;
    job.bits = opts.bits;
    job.n = request.n;
    job.value_width = a.value_width;
    job.threads = a.in_place ? a.workers : how.threads;
    job.progress = &progress;
    job.scratch = space + a.scratch;
    job.scratch_room = a.in_place ? a.bytes - a.scratch : 0;
    place_keys(request, a, space, job);
    place_values(request, a, space, job);
    if (a.handling == value_handling::widened)
      rewiden(request.values_in, request.value_bytes, request.n, job.values_out, a.value_width, a.layout.workers);
    if (!a.alone || !sort_keys_alone(job))
      a.in_place ? run_in_place(job) : run_radix(job);
    finish_values(request, a, space, job);
  }

  static void place_keys(const sort_request& request, const arrangement& a, std::byte* space, radix_job& job) {
    job.keys_in = request.keys_in;
    job.spare_room = a.in_place ? (a.bytes - a.spare_keys) / key_bytes(request.type) : request.n;
    if (a.double_buffer) {
      job.keys_out = const_cast<void*>(request.keys_in); // the request says that the input is scratch
      job.spare_keys = request.keys_out;
      return;
    }
    job.keys_out = request.keys_out != nullptr ? request.keys_out : space + a.unwanted_keys;
    job.spare_keys = space + a.spare_keys;
  }

  static void place_values(const sort_request& request, const arrangement& a, std::byte* space, radix_job& job) {
    job.spare_values = a.value_width > 0 ? space + a.spare_values : nullptr;
    switch (a.handling) {
    case value_handling::none:
      break;
    case value_handling::direct:
      job.values_in = request.values_in;
      job.values_out = a.double_buffer ? const_cast<void*>(request.values_in) : request.values_out;
      if (a.double_buffer)
        job.spare_values = request.values_out;
      break;
    case value_handling::indices:
      job.values_out = request.values_out;
      break;
    case value_handling::widened:
      job.values_in = job.values_out = space + a.moved_values;
      break;
    case value_handling::gathered:
      job.values_out = space + a.moved_values;
      break;
    }
  }

  static void finish_values(const sort_request& request, const arrangement& a, std::byte* space, const radix_job& job) {
    const std::size_t n = request.n, width = request.value_bytes;
    if (a.handling == value_handling::widened) {
      void* const to = a.double_buffer ? const_cast<void*>(request.values_in) : request.values_out;
      rewiden(job.values_out, a.value_width, n, to, width, a.layout.workers);
    } else if (a.handling == value_handling::gathered) {
      const bool in_place = request.values_in == request.values_out;
      void* const to = in_place ? space + a.gathered : request.values_out;
      gather(request.values_in, job.values_out, a.value_width, n, width, to, job.threads);
      if (in_place)
        copy(to, n * width, request.values_out, job.threads);
    }
  }

  static void run_in_place(const radix_job& job) {
    switch (key_bytes(job.type)) {
    case 1:
      return sort_keys_in_place<std::uint8_t>(job);
    case 2:
      return sort_keys_in_place<std::uint16_t>(job);
    case 4:
      return sort_keys_in_place<std::uint32_t>(job);
    case 8:
      return sort_keys_in_place<std::uint64_t>(job);
    default:
      return sort_keys_in_place<uint128>(job);
    }
  }

  static void run_radix(const radix_job& job) {
    switch (key_bytes(job.type)) {
    case 1:
      radix_sort_keys<std::uint8_t>(job);
      break;
    case 2:
      radix_sort_keys<std::uint16_t>(job);
      break;
    case 4:
      radix_sort_keys<std::uint32_t>(job);
      break;
    case 8:
      radix_sort_keys<std::uint64_t>(job);
      break;
    default:
      radix_sort_keys<uint128>(job);
    }
  }
};

} // namespace

const engine& cpu_engine() {
  static const engine_on_cpu the_engine;
  return the_engine;
}

} // namespace sortile::cpu
