// See sort_bench.hpp; the CUDA side, host code alone.
#include "bench/gpu/sort_bench.hpp"

#include "bench/classics/workbench.hpp"
#include "bench/gpu/contestant.hpp"
#include "bench/gpu/device_arrays.hpp"
#include "device/stream.hpp"
#include "kernels/lsd/lsd_sort.hpp"
#include "testing/race.hpp"

#include <algorithm>
#include <cmath>

namespace sortile::bench {
namespace {

void wait_for_device() {
  SORTILE_CUDA_CHECK(cudaStreamSynchronize(nullptr));
}

simt::queue default_queue() {
  return simt::queue::cuda(nullptr);
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
    fill_with_keys(default_queue(), keys_->data(), key_bytes(row.kind->type), row.n, row.shape);
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

struct entrant {
  contestant work;
  double bytes_moved = 0;
};

/// What the plan's steps move; 0 where the keys decide which steps there are.
double bytes_planned(const sort_row& row, const plan& p) {
  if (row.shape != key_shape::uniform)
    return 0;
  double bytes = 0;
  for (const plan_step& step : p.steps)
    bytes += double(step.bytes_read) + double(step.bytes_written);
  return bytes;
}

entrant make_sortile(const sort_row& row, const sort_request& request) {
  options opts{.engine = "cuda", .memory = memory::device};
  const plan p = explain(request, opts);
  const auto workspace = make_buffer(p.workspace_bytes);
  opts.workspace = {static_cast<std::byte*>(workspace->data()), p.workspace_bytes};
  return {{"sortile", [=] { run(request, opts); }, p.workspace_bytes}, bytes_planned(row, p)};
}

template <class Word>
entrant make_lsd(const sort_row& row, const sort_request& r) {
  kernels::lsd_request<Word> request{.keys_in = static_cast<const Word*>(r.keys_in),
                                     .keys_out = static_cast<Word*>(r.keys_out),
                                     .values_in = r.values_in,
                                     .values_out = r.values_out,
                                     .value_bytes = unsigned(r.value_bytes),
                                     .make_indices = r.carries == payload::indices,
                                     .n = r.n,
                                     .codec = make_key_codec<Word>(r.type, order::ascending, {})};
  const std::size_t bytes = kernels::lsd_workspace_bytes(request);
  const auto workspace = make_buffer(bytes);
  request.workspace = workspace->data();
  request.workspace_bytes = bytes;
  const double moved = row.shape == key_shape::uniform ? bytes_moved_by_cub(*row.kind, row.n) : 0; // of the same design
  return {{"lsd", [=] { kernels::lsd_sort(default_queue(), request); }, bytes}, moved};
}

entrant make_lsd_of_width(const sort_row& row, const sort_request& r) {
  switch (key_bytes(r.type)) {
  case 1:
    return make_lsd<std::uint8_t>(row, r);
  case 2:
    return make_lsd<std::uint16_t>(row, r);
  case 4:
    return make_lsd<std::uint32_t>(row, r);
  case 8:
    return make_lsd<std::uint64_t>(row, r);
  default:
    return make_lsd<uint128>(row, r);
  }
}

entrant make_cub(const sort_row& row, const sort_request& r) {
  return {r.value_bytes == 0 ? cub_sort_keys(r) : cub_sort_pairs(r), bytes_moved_by_cub(*row.kind, row.n)};
}

} // namespace

struct sort_bench::inside {
  inside() : bench({}), environment(bench.environment()) {
    int device = 0, l2_bytes = 0;
    SORTILE_CUDA_CHECK(cudaGetDevice(&device));
    SORTILE_CUDA_CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
    flushed = make_buffer(2 * std::size_t(std::max(l2_bytes, 1 << 20)));
    const experiments::json_value l2{double(l2_bytes)}, empty{empty_kernel()};
    experiments::json_value::object members = environment.members();
    members.emplace_back("l2_bytes", l2);
    members.emplace_back("empty_kernel_seconds", empty);
    environment = experiments::json_value(std::move(members));
  }

  double empty_kernel() const {
    testing::timing empty{"empty", {}};
    for (int round = 0; round < 101; ++round) {
      wait_for_device();
      empty.seconds.push_back(
          time_once([&] { fill_with_keys(default_queue(), flushed->data(), 4, 0, key_shape::uniform); }));
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
  experiments::json_value environment;
  shared_buffer flushed;
};

sort_bench::sort_bench() : inside_(std::make_unique<inside>()) {}
sort_bench::~sort_bench() = default;

const experiments::json_value& sort_bench::environment() const {
  return inside_->environment;
}

namespace {

/// Makes a contestant and lets it sort once; what goes wrong is its complaint.
template <class Make>
void enter(sort_result& result, std::vector<entrant>& field, const char* name, const arrays& data, Make make) {
  sort_standing standing{.name = name};
  try {
    data.spoil_output();
    entrant e = make();
    standing.workspace_bytes = e.work.workspace_bytes;
    standing.bytes_moved = e.bytes_moved;
    e.work.run();
    wait_for_device();
    if (name != std::string_view("cub"))
      standing.complaint =
          result.standings.front().complaint.empty() ? data.complaint() : "nothing of CUB's to compare with";
    field.push_back(std::move(e));
  } catch (const std::exception& failure) {
    standing.complaint = failure.what();
    field.push_back({});
  }
  result.standings.push_back(std::move(standing));
}

} // namespace

sort_result sort_bench::measure(const sort_row& row, const sort_measuring& how) {
  constexpr std::uint64_t small = std::uint64_t{1} << 22;
  sort_result result{row, how.cold, {}};
  try {
    trim_memory();
    const arrays data(row);
    std::vector<entrant> field;
    enter(result, field, "cub", data, [&] { return make_cub(row, data.cubs_request()); });
    enter(result, field, "sortile", data, [&] { return make_sortile(row, data.request()); });
    if (how.with_lsd)
      enter(result, field, "lsd", data, [&] { return make_lsd_of_width(row, data.request()); });
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
