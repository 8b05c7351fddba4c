// See host_sort.hpp.
#include "bench/gpu/host_sort.hpp"

#include "bench/gpu/device_arrays.hpp"
#include "bench/gpu/entrants.hpp"
#include "device/stream.hpp"
#include "testing/race.hpp"

#include <cstring>

namespace sortile::bench {
namespace {

/// Pageable memory, touched when it is first written.
struct pageable_buffer {
  explicit pageable_buffer(std::size_t size) : bytes(size), memory(std::make_unique_for_overwrite<std::byte[]>(size)) {}
  void fetch(const shared_buffer& from) const {
    if (bytes > 0)
      SORTILE_CUDA_CHECK(cudaMemcpy(memory.get(), from->data(), bytes, cudaMemcpyDeviceToHost));
  }
  bool operator==(const pageable_buffer& other) const {
    return bytes == other.bytes && std::memcmp(memory.get(), other.memory.get(), bytes) == 0;
  }

  std::size_t bytes;
  std::unique_ptr<std::byte[]> memory;
};

/// What is sorted, where the result goes, and what it has to be.
class host_arrays {
 public:
  explicit host_arrays(const sort_row& row)
      : row_(row), keys_(row.n * key_bytes(row.kind->type)), keys_out_(keys_.bytes), keys_expected_(keys_.bytes),
        values_(row.n * row.kind->value_bytes), values_out_(values_.bytes), values_expected_(values_.bytes) {
    const auto keys = make_buffer(keys_.bytes), sorted_keys = make_buffer(keys_.bytes);
    const auto values = make_buffer(values_.bytes), sorted_values = make_buffer(values_.bytes);
    const auto queue = simt::queue::cuda(nullptr);
    fill_with_keys(queue, keys->data(), row.workload, {row.kind->type, row.n, seed});
    if (values_.bytes > 0)
      fill_with_positions(queue, values->data(), row.kind->value_bytes, row.n);
    const entrant cub =
        make_cub(row, request_of(keys->data(), sorted_keys->data(), values->data(), sorted_values->data()));
    cub.work.run();
    keys_.fetch(keys);
    values_.fetch(values);
    keys_expected_.fetch(sorted_keys);
    values_expected_.fetch(sorted_values);
  }

  sort_request request() const {
    return request_of(keys_.memory.get(), keys_out_.memory.get(), values_.memory.get(), values_out_.memory.get());
  }
  std::string complaint() const {
    return !(keys_out_ == keys_expected_)       ? "keys differ from CUB's"
           : !(values_out_ == values_expected_) ? "values differ from CUB's"
                                                : "";
  }

 private:
  sort_request request_of(const void* keys, void* keys_out, const void* values, void* values_out) const {
    return {.type = row_.kind->type,
            .n = row_.n,
            .keys_in = keys,
            .keys_out = keys_out,
            .carries = row_.kind->carries,
            .value_bytes = row_.kind->value_bytes,
            .values_in = values_.bytes == 0 ? nullptr : values,
            .values_out = values_.bytes == 0 ? nullptr : values_out};
  }

  sort_row row_;
  pageable_buffer keys_, keys_out_, keys_expected_, values_, values_out_, values_expected_;
};

/// Copies from pinned memory to the device and back.
class pinned_copy {
 public:
  explicit pinned_copy(std::size_t bytes) : device_(make_buffer(bytes)) {
    SORTILE_CUDA_CHECK(cudaStreamSynchronize(nullptr)); // device_ is there
    SORTILE_CUDA_CHECK_ALLOCATION(cudaHostAlloc(&pinned_, bytes, cudaHostAllocDefault), bytes);
    std::memset(pinned_, 1, bytes);
  }
  ~pinned_copy() { static_cast<void>(cudaFreeHost(pinned_)); }
  pinned_copy(const pinned_copy&) = delete;

  void run() const {
    const std::size_t bytes = device_->bytes();
    SORTILE_CUDA_CHECK(cudaMemcpyAsync(device_->data(), pinned_, bytes, cudaMemcpyHostToDevice, stream_.get()));
    SORTILE_CUDA_CHECK(cudaMemcpyAsync(pinned_, device_->data(), bytes, cudaMemcpyDeviceToHost, stream_.get()));
    stream_.synchronize();
  }

 private:
  shared_buffer device_;
  void* pinned_ = nullptr;
  device::stream stream_;
};

void take_times(sort_standing& of, const testing::timing& timing) {
  of.seconds = timing.median();
  of.noise = timing.noise();
  of.runs = timing.seconds;
}

} // namespace

sort_result measure_in_host_memory(const sort_row& row, unsigned rounds) {
  const double bytes = bytes_copied(row);
  sort_result result{
      row, false, {{.name = "pinned copy", .bytes_moved = bytes}, {.name = "sortile", .bytes_moved = bytes}}};
  sort_standing &copied = result.standings[0], &sorted = result.standings[1];
  try {
    const host_arrays data(row);
    const pinned_copy copy(row.n * row.kind->element_bytes());
    const auto sort = [&] { run(data.request(), {.engine = "cuda"}); };
    copy.run();
    sort();
    sorted.complaint = data.complaint();
    std::vector<testing::contender> contenders{{"pinned copy", [] {}, [&] { copy.run(); }}};
    if (sorted.complaint.empty())
      contenders.push_back({"sortile", [] {}, sort});
    const auto timings = testing::race(contenders, {.repetitions = rounds});
    take_times(copied, timings[0]);
    if (timings.size() > 1)
      take_times(sorted, timings[1]);
  } catch (const std::exception& failure) { // no room, a device that failed
    copied.complaint = sorted.complaint = failure.what();
  }
  return result;
}

} // namespace sortile::bench
