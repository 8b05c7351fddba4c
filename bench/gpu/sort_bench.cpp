// See sort_bench.hpp; the CUDA side, host code alone.
#include "bench/gpu/sort_bench.hpp"

#include "bench/classics/workbench.hpp"
#include "bench/gpu/device_arrays.hpp"
#include "bench/gpu/entrants.hpp"
#include "bench/gpu/host_sort.hpp"
#include "device/stream.hpp"
#include "testing/race.hpp"

#include <algorithm>
#include <cmath>

namespace sortile::bench {
namespace {

void wait_for_device() {
  SORTILE_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

bool same_on_device(const void* a, const void* b, std::size_t bytes) {
  const auto result = make_buffer(sizeof(std::uint64_t));
  SORTILE_CUDA_CHECK(cudaMemset(result->data(), 0, sizeof(std::uint64_t)));
  count_differences(default_queue(), a, b, bytes, static_cast<std::uint64_t*>(result->data()));
  std::uint64_t differences = 0;
  SORTILE_CUDA_CHECK(cudaMemcpy(&differences, result->data(), sizeof differences, cudaMemcpyDeviceToHost));
  return differences == 0;
}

/// Gives back what earlier rows took: the pool keeps it otherwise, in pieces that a larger row cannot use.
void trim_memory() {
  wait_for_device();
  int device = 0;
  cudaMemPool_t pool = nullptr;
  SORTILE_CUDA_CHECK(cudaGetDevice(&device));
  SORTILE_CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
  SORTILE_CUDA_CHECK(cudaMemPoolTrimTo(pool, 0));
}

/// To the nanosecond: the events' clock is no finer.
double time_once(const std::function<void()>& work) {
  const device::event begin(device::event::timing::on), end(device::event::timing::on);
  begin.record(nullptr);
  work();
  end.record(nullptr);
  end.synchronize();
  return std::round(double(end.milliseconds_since(begin)) * 1e6) * 1e-9;
}

/// The arrays of a row: what is sorted, sortile's output, and CUB's.
class arrays {
 public:
  explicit arrays(const sort_row& row)
      : row_(row), key_bytes_(row.n * key_bytes(row.kind->type)), value_bytes_(row.n * row.kind->value_bytes),
        keys_(make_buffer(key_bytes_)), keys_out_(make_buffer(writes_keys() ? key_bytes_ : 0)),
        keys_expected_(make_buffer(key_bytes_)), values_(make_buffer(value_bytes_)),
        values_out_(make_buffer(value_bytes_)), values_expected_(make_buffer(value_bytes_)) {
    fill_with_keys(default_queue(), keys_->data(), row.workload, {row.kind->type, row.n, seed});
    if (value_bytes_ > 0)
      fill_with_positions(default_queue(), values_->data(), row.kind->value_bytes, row.n);
  }

  sort_request request() const {
    return {.type = row_.kind->type,
            .n = row_.n,
            .keys_in = keys_->data(),
            .keys_out = keys_out_->data(),
            .carries = row_.kind->carries,
            .value_bytes = row_.kind->value_bytes,
            .values_in = row_.kind->carries == payload::values ? values_->data() : nullptr,
            .values_out = values_out_->data()};
  }
  sort_request cubs_request() const {
    sort_request r = request();
    r.keys_out = keys_expected_->data();
    r.values_in = values_->data();
    r.values_out = values_expected_->data();
    return r;
  }

  /// So that nothing is right because it was right before.
  void spoil_output() const {
    if (writes_keys())
      SORTILE_CUDA_CHECK(cudaMemset(keys_out_->data(), 0xa5, key_bytes_));
    if (value_bytes_ > 0)
      SORTILE_CUDA_CHECK(cudaMemset(values_out_->data(), 0xa5, value_bytes_));
  }
  std::string complaint() const {
    if (writes_keys() && !same_on_device(keys_out_->data(), keys_expected_->data(), key_bytes_))
      return "keys differ from CUB's";
    if (value_bytes_ > 0 && !same_on_device(values_out_->data(), values_expected_->data(), value_bytes_))
      return "values differ from CUB's";
    return {};
  }

 private:
  bool writes_keys() const { return row_.kind->carries != payload::indices; }

  sort_row row_;
  std::size_t key_bytes_, value_bytes_;
  shared_buffer keys_, keys_out_, keys_expected_, values_, values_out_, values_expected_;
};

} // namespace

struct sort_bench::inside {
  inside() : bench({}), environment(bench.environment()) {
    int device = 0, l2_bytes = 0;
    SORTILE_CUDA_CHECK(cudaGetDevice(&device));
    SORTILE_CUDA_CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
    flushed = make_buffer(2 * std::size_t(std::max(l2_bytes, 1 << 20)));
    environment.add("l2_bytes", l2_bytes);
    environment.add("empty_kernel_seconds", empty_kernel());
  }

  double empty_kernel() const {
    const testing::workload nothing = testing::workload_named("uniform");
    testing::timing empty{"empty", {}};
    for (int round = 0; round < 101; ++round) {
      wait_for_device();
      empty.seconds.push_back(time_once([&] {
        fill_with_keys(default_queue(), flushed->data(), nothing, {key_type::u32, 0, seed});
      }));
    }
    return empty.median();
  }

  void prepare(const sort_row& row, const sort_measuring& how, const contestant& c) const {
    if (how.cold)
      SORTILE_CUDA_CHECK(cudaMemsetAsync(flushed->data(), 0, flushed->bytes(), nullptr));
    else if (fits_a_cache(row))
      c.run();
    wait_for_device();
  }

  experiments::workbench bench;
  testing::facts environment;
  shared_buffer flushed;
};

sort_bench::sort_bench() : inside_(std::make_unique<inside>()) {}
sort_bench::~sort_bench() = default;

const testing::facts& sort_bench::environment() const {
  return inside_->environment;
}

namespace {

/// Makes an entrant and lets it sort once; what goes wrong is its complaint. Who gives the keys away takes no part.
void enter(sort_result& result, std::vector<entrant>& field, const named_entrant& who, const sort_request& request,
           const arrays& data) {
  sort_standing standing{.name = who.name};
  entrant e;
  try {
    data.spoil_output();
    e = who.make(result.row, request);
    standing.workspace_bytes = e.work.workspace_bytes;
    standing.bytes_moved = e.bytes_moved;
    e.work.run();
    wait_for_device();
    if (e.declined && e.declined())
      return;
    if (!field.empty())
      standing.complaint =
          result.standings.front().complaint.empty() ? data.complaint() : "nothing of CUB's to compare with";
  } catch (const std::exception& failure) {
    standing.complaint = failure.what();
  }
  field.push_back(std::move(e));
  result.standings.push_back(std::move(standing));
}

} // namespace

sort_result sort_bench::measure(const sort_row& row, const sort_measuring& how) {
  constexpr std::uint64_t small = std::uint64_t{1} << 22;
  if (row.kind->in_host_memory) {
    trim_memory();
    return measure_in_host_memory(row, how.rounds);
  }
  sort_result result{row, how.cold, {}};
  try {
    trim_memory();
    const arrays data(row);
    std::vector<entrant> field;
    const sort_request request = data.request();
    enter(result, field, {"cub", make_cub}, data.cubs_request(), data);
    enter(result, field, {"sortile", make_sortile}, request, data);
    if (how.with_engine_sorts)
      for (const named_entrant& each : engine_sorts_for(row, request))
        enter(result, field, each, request, data);
    std::vector<testing::contender> contenders;
    for (std::size_t i = 0; i < field.size(); ++i)
      if (result.standings[i].complaint.empty())
        contenders.push_back({.name = result.standings[i].name,
                              .prepare = [&, i] { inside_->prepare(row, how, field[i].work); },
                              .run = field[i].work.run,
                              .timed = [&, i] { return time_once(field[i].work.run); }});
    const auto timings = testing::race(contenders, {.repetitions = row.n <= small ? 7 * how.rounds : how.rounds});
    auto timing = timings.begin();
    for (sort_standing& s : result.standings)
      if (s.complaint.empty()) {
        s.seconds = timing->median();
        s.noise = timing->noise();
        s.runs = timing->seconds;
        ++timing;
      }
  } catch (const std::exception& failure) { // arrays that there is no room for, a device that failed while it was timed
    if (result.standings.empty())
      result.standings.push_back({.name = "sortile"});
    for (sort_standing& s : result.standings)
      s.complaint = failure.what();
  }
  return result;
}

} // namespace sortile::bench
