// What other threads and streams may do while calls of the library run: capture a stream, in the mode that forbids
// most, and keep streams busy. No call ends their capture, works on the legacy stream, or waits for the device.
#include "device/memory_resource.hpp"
#include "testing/workloads.hpp"
#include "tests/expect_refusal.hpp"
#include "tests/gpu/gpu_fixture.hpp"

#include <sortile/device.hpp>
#include <sortile/groups.hpp>
#include <sortile/route.hpp>
#include <sortile/scan.hpp>
#include <sortile/select.hpp>
#include <sortile/sortile.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <numeric>
#include <thread>

namespace sortile::testing {
namespace {

class captures : public gpu {};

template <class T>
std::vector<T> random_keys(std::size_t n, std::uint64_t seed) {
  std::vector<T> keys(n);
  workload_named("uniform").fill({key_type_of<T>, n, seed}, 0, n, reinterpret_cast<std::byte*>(keys.data()));
  return keys;
}

/// A stream as most programs make it: the legacy stream waits for it.
class blocking_stream {
 public:
  blocking_stream() { SORTILE_CUDA_CHECK(cudaStreamCreate(&handle_)); }
  ~blocking_stream() { static_cast<void>(cudaStreamDestroy(handle_)); }
  blocking_stream(const blocking_stream&) = delete;
  blocking_stream& operator=(const blocking_stream&) = delete;
  cudaStream_t get() const { return handle_; }

 private:
  cudaStream_t handle_ = nullptr;
};

/// Another thread captures a stream while `work` runs; what its capture ends with.
cudaError_t capture_during(cudaStreamCaptureMode mode, const std::function<void()>& work) {
  std::promise<void> begun, done;
  cudaError_t ended = cudaErrorUnknown;
  std::thread other([&] {
    const blocking_stream stream;
    const device_array<std::uint32_t> array(1000);
    SORTILE_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), mode));
    SORTILE_CUDA_CHECK(cudaMemsetAsync(array.span().data(), 0, 4000, stream.get()));
    begun.set_value();
    done.get_future().wait();
    cudaGraph_t graph = nullptr;
    static_cast<void>(cudaMemsetAsync(array.span().data(), 1, 4000, stream.get()));
    ended = cudaStreamEndCapture(stream.get(), &graph);
    if (graph != nullptr)
      static_cast<void>(cudaGraphDestroy(graph));
    static_cast<void>(cudaGetLastError());
  });
  begun.get_future().wait();
  std::exception_ptr failed;
  try {
    work();
  } catch (...) {
    failed = std::current_exception();
  }
  done.set_value();
  other.join();
  if (failed)
    std::rethrow_exception(failed);
  return ended;
}

/// A blocking stream with work that ends when this is destroyed, or after some seconds.
class busy_stream {
 public:
  busy_stream() {
    SORTILE_CUDA_CHECK(cudaLaunchHostFunc(
        stream_.get(),
        [](void* self) {
          const auto& released = static_cast<busy_stream*>(self)->released_;
          for (int i = 0; i < 5000 && !released.load(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        },
        this));
  }
  ~busy_stream() {
    released_ = true;
    static_cast<void>(cudaStreamSynchronize(stream_.get()));
  }
  bool is_busy() const { return cudaStreamQuery(stream_.get()) == cudaErrorNotReady; }

 private:
  std::atomic<bool> released_{false};
  blocking_stream stream_;
};

struct call {
  const char* name;
  std::function<void()> work;
};

/// Everything that may talk to the device. Arrays are made before anybody captures.
class all_calls {
 public:
  all_calls()
      : keys_(random_keys<std::uint64_t>(n, 3)), copy_(n), values_(n), device_n_(std::vector<std::uint64_t>{n - 5}),
        offsets_(std::vector<std::uint64_t>{0, 7, 40'000, n}), found_(1),
        workspace_(workspace_bytes(pairs(), on_stream())) {}

  std::vector<call> list() {
    const auto checked = [this](options o) {
      o.checked = true;
      return o;
    };
    const auto with_workspace = [this](options o) {
      o.workspace = workspace_.span();
      return o;
    };
    return {
        {"devices", [] { static_cast<void>(devices()); }},
        {"engines", [] { static_cast<void>(engines()); }},
        {"workspace_bytes", [this] { static_cast<void>(workspace_bytes(pairs(), on_stream())); }},
        {"explain", [this] { static_cast<void>(explain(pairs(), on_stream())); }},
        {"a sort", [this] { run(pairs(), on_stream()); }},
        {"a sort with a workspace", [=, this] { run(pairs(), with_workspace(on_stream())); }},
        {"a checked sort", [=, this] { run(pairs(), checked(on_stream())); }},
        {"a checked sort of device_n keys", [=, this] { run(counted(), checked(on_stream())); }},
        {"a sort of host memory", [this] { sort_host_memory(); }},
        {"a sort within segments of one length", [this] { run(rows(), on_stream()); }},
        {"a sort within segments by offsets", [this] { run(by_offsets(), on_stream()); }},
        {"a checked sort within segments", [=, this] { run(by_offsets(), checked(on_stream())); }},
        {"a top-k", [this] { run(top_k(), on_stream()); }},
        {"a partial sort", [this] { run(partial_sort(), on_stream()); }},
        {"nth_element", [this] { run(nth_element(), on_stream()); }},
        {"keys at ranks", [this] { run(ranks(), on_stream()); }},
        {"quantiles", [this] { run(quantiles(), on_stream()); }},
        {"groups", [this] { static_cast<void>(run(groups(), on_stream())); }},
        {"a routing in one launch", [this] { run(routing(100'000), on_stream()); }},
        {"a routing in several", [this] { run(routing(n), on_stream()); }},
        {"a scan", [this] { run(scan(), on_stream()); }},
        {"a histogram", [this] { run(histogram(), on_stream()); }},
        {"release_scratch", [] { release_scratch(); }},
        {"a sort of host memory again", [this] { sort_host_memory(); }},
    };
  }
  void finish() const { stream_.synchronize(); }

 private:
  static constexpr std::size_t n = 3'000'000;

  options on_stream() const { return {.memory = memory::device, .stream = stream_.get()}; }
  sort_request pairs() const {
    return {.type = key_type::u64,
            .n = n,
            .keys_in = keys_.span().data(),
            .keys_out = copy_.span().data(),
            .carries = payload::indices,
            .value_bytes = 8,
            .values_out = values_.span().data()};
  }
  sort_request counted() const {
    sort_request r = pairs();
    r.device_n = device_n_.span().data();
    return r;
  }
  segmented_request rows() const {
    sort_request arrays = pairs();
    arrays.carries = payload::none;
    arrays.value_bytes = 0;
    arrays.values_out = nullptr;
    return {arrays, segments::rows(n / 1000, 1000)};
  }
  segmented_request by_offsets() const {
    return {rows().arrays, segments::by_offsets(std::span<const std::uint64_t>(offsets_.span()))};
  }
  top_k_request top_k() const {
    return {.type = key_type::u64, .n = n, .k = 100, .keys_in = keys_.span().data(), .keys_out = copy_.span().data()};
  }
  partial_sort_request partial_sort() const {
    return {.type = key_type::u64,
            .n = n,
            .k = 100,
            .keys = copy_.span().data(),
            .value_bytes = 8,
            .values = values_.span().data()};
  }
  nth_element_request nth_element() const {
    return {.type = key_type::u64, .n = n, .nth = n - 100, .keys = copy_.span().data()};
  }
  ranks_request ranks() const {
    static constexpr std::array<std::size_t, 2> wanted{0, n / 2};
    return {
        .type = key_type::u64, .n = n, .keys = keys_.span().data(), .ranks = wanted, .keys_out = copy_.span().data()};
  }
  quantiles_request quantiles() const {
    static constexpr std::array wanted{0.25, 0.5};
    return {.type = key_type::u64,
            .n = n,
            .keys = keys_.span().data(),
            .probabilities = wanted,
            .results = reinterpret_cast<double*>(copy_.span().data())};
  }
  groups_request groups() const {
    return {.type = key_type::u64,
            .n = n,
            .keys = keys_.span().data(),
            .keys_out = copy_.span().data(),
            .order = values_.span().data(),
            .device_groups = found_.span().data()};
  }
  route_request routing(std::size_t pairs) const {
    return {.type = key_type::u64, // most numbers are no expert's, and are dropped
            .n = pairs,
            .experts = keys_.span().data(),
            .expert_count = 64,
            .order = copy_.span().data(),
            .inverse = values_.span().data()};
  }
  scan_request scan() const {
    return {.type = key_type::u64, .n = n, .in = keys_.span().data(), .out = copy_.span().data()};
  }
  histogram_request histogram() const {
    return {.type = key_type::u64, .n = n, .keys = keys_.span().data(), .counts = copy_.span().data()};
  }
  void sort_host_memory() const {
    auto keys = random_keys<std::uint32_t>(n, 4);
    sortile::sort(keys, {.engine = "cuda"});
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  }

  device::stream stream_;
  device_array<std::uint64_t> keys_, copy_, values_, device_n_, offsets_, found_;
  device_array<std::byte> workspace_;
};

TEST_F(captures, of_other_threads_outlive_every_call) {
  all_calls calls;
  for (const cudaStreamCaptureMode mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal})
    for (const call& c : calls.list())
      EXPECT_EQ(capture_during(mode, c.work), cudaSuccess) << c.name << ", mode " << int(mode);
  calls.finish();
}

TEST_F(captures, would_end_by_a_plain_copy) { // so the test above can fail
  const device_array<std::uint64_t> n(1);
  const auto copy = [&] {
    try {
      static_cast<void>(n.host());
    } catch (const device_failure&) { // says so, besides
    }
  };
  EXPECT_NE(capture_during(cudaStreamCaptureModeGlobal, copy), cudaSuccess);
}

TEST_F(captures, no_call_waits_for_streams_of_others) {
  all_calls calls;
  for (const call& c : calls.list()) {
    const busy_stream others;
    c.work();
    EXPECT_TRUE(others.is_busy()) << c.name << " has waited for a stream that it was not given";
  }
  calls.finish();
}

TEST_F(captures, no_sort_of_several_waits_for_streams_of_others) { // whose pinned memory is kept, not freed
  const busy_stream others;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([t] {
      auto keys = random_keys<std::uint32_t>(2'000'000, std::uint64_t(t));
      sortile::sort(keys, {.engine = "cuda"});
      EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    });
  for (std::thread& t : threads)
    t.join();
  EXPECT_TRUE(others.is_busy());
}

TEST_F(captures, a_device_pointer_said_to_be_the_hosts_is_refused) {
  const device_array<std::uint32_t> keys(1000), values(1000);
  std::vector<std::uint32_t> here(1000);
  const auto refused = [](const char* what, const std::function<void()>& work) {
    expect_invalid(work, {what, "GPU", "memory::device"});
  };
  refused("keys_in", [&] { sortile::sort(keys.span()); });
  refused("keys_in", [&] { sortile::sort(keys.span().first(3)); });
  refused("keys_out", [&] { sortile::sort(std::span(here).first(100), keys.span().first(100)); });
  refused("keys_in", [&] { sortile::sort_by_key(keys.span().first(50), values.span().first(50)); });
  refused("keys_in", [&] { sortile::sort(keys.span(), std::span(here), {.engine = "cpu"}); });
  refused("keys_out", [&] { sortile::sort(std::span(here), keys.span()); });
  refused("values", [&] { sortile::sort_by_key(std::span(here), values.span()); });
  refused("indices", [&] { sortile::argsort(std::span(here), values.span()); });
  refused("first_disorder", [&] { static_cast<void>(sortile::is_sorted(keys.span())); });
  const device::stream stream;
  const device::device_buffer pooled(4000, stream.get());
  refused("keys_in", [&] { sortile::sort(std::span(static_cast<std::uint32_t*>(pooled.data()), 1000)); });
  std::thread([&] { refused("keys_in", [&] { sortile::sort(keys.span()); }); }).join(); // a thread without a context
}

TEST_F(captures, managed_and_pinned_memory_is_the_hosts) {
  const auto keys = random_keys<std::uint32_t>(5000, 6);
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  const auto check = [&](std::uint32_t* memory, const char* what) {
    std::copy(keys.begin(), keys.end(), memory);
    sortile::sort(std::span(memory, keys.size()));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), memory)) << what;
  };
  const std::size_t bytes = keys.size() * 4;
  void* memory = nullptr;
  SORTILE_CUDA_CHECK(cudaMallocManaged(&memory, bytes));
  check(static_cast<std::uint32_t*>(memory), "managed");
  SORTILE_CUDA_CHECK(cudaFree(memory));
  SORTILE_CUDA_CHECK(cudaMallocHost(&memory, bytes));
  check(static_cast<std::uint32_t*>(memory), "pinned");
  SORTILE_CUDA_CHECK(cudaFreeHost(memory));
  std::vector<std::uint32_t> registered(keys.size());
  SORTILE_CUDA_CHECK(cudaHostRegister(registered.data(), bytes, cudaHostRegisterDefault));
  check(registered.data(), "registered");
  SORTILE_CUDA_CHECK(cudaHostUnregister(registered.data()));
}

} // namespace
} // namespace sortile::testing
