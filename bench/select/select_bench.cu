// Top-k, quantiles and partial sorts in device memory, row by row, beside the time of one read of the keys and, where
// the CUB that is compiled with has it, CUB's DeviceTopK (whose results are not sorted, and differ from run to run);
// partial sorts beside CUB's sort of all keys, which is what there is else. A row is a JSON line.
//
//     sortile_select_bench                all of them
//     sortile_select_bench top-k          these alone
//     sortile_select_bench quantiles      these alone
//     sortile_select_bench quantiles 28   of 2^28 keys and more
//     sortile_select_bench in-place       partial sorts and nth_element alone; 28 likewise
#include <sortile/select.hpp>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#include <cuda/execution>
#define SORTILE_RIVAL_TOPK 1
#else
#define SORTILE_RIVAL_TOPK 0
#endif

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

void check(cudaError_t e, const char* what) {
  if (e == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
  std::exit(1);
}

/// Device memory for a row.
struct buffer {
  void* data = nullptr;
  explicit buffer(std::size_t bytes) { check(cudaMalloc(&data, std::max<std::size_t>(bytes, 256)), "cudaMalloc"); }
  ~buffer() { cudaFree(data); }
  buffer(const buffer&) = delete;
};

enum class law { uniform, equal, half_zeros, squares, sorted };
constexpr const char* law_names[] = {"uniform", "equal", "half zeros", "and-of-3", "sorted"};

template <class K>
__global__ void fill(K* keys, std::uint64_t n, law which) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    const auto random = [i](std::uint64_t stream) {
      std::uint64_t z = (i + stream * 0x632be59bd9b4e019u + 1) * 0x9e3779b97f4a7c15u;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      return z ^ (z >> 31);
    };
    std::uint64_t x = random(0);
    if (which == law::equal)
      x = 42;
    else if (which == law::half_zeros)
      x = random(1) & 1 ? x : 0;
    else if (which == law::squares)
      x &= random(1) & random(2);
    else if (which == law::sorted)
      x = i << 30;
    keys[i] = std::is_floating_point_v<K> ? K(double(x >> 11) * 0x1p-53) : K(x >> (64 - 8 * sizeof(K)));
  }
}

/// The median time of a call in microseconds. Short calls are timed in a queue of several, behind one that keeps the
/// device busy while they are queued.
double microseconds(const std::function<void()>& call, std::size_t bytes) {
  const int calls = bytes < (std::size_t{64} << 20) ? 20 : 1;
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "event");
  check(cudaEventCreate(&end), "event");
  for (int i = 0; i < 3; ++i)
    call();
  std::vector<float> times;
  for (int run = 0; run < 15; ++run) {
    check(cudaEventRecord(begin), "record");
    for (int i = 0; i < calls; ++i)
      call();
    check(cudaEventRecord(end), "record");
    check(cudaEventSynchronize(end), "synchronize");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "elapsed");
    times.push_back(ms / float(calls));
  }
  std::nth_element(times.begin(), times.begin() + 7, times.end());
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return 1000.0 * times[7];
}

/// The median time of a call that changes its arrays, in microseconds: each call has arrays of its own, `call(i)`.
double microseconds_of_each(const std::function<void(unsigned)>& call, unsigned calls) {
  std::vector<cudaEvent_t> events(calls + 1);
  for (cudaEvent_t& event : events)
    check(cudaEventCreate(&event), "event");
  check(cudaEventRecord(events[0]), "record");
  for (unsigned i = 0; i < calls; ++i) {
    call(i);
    check(cudaEventRecord(events[i + 1]), "record");
  }
  check(cudaDeviceSynchronize(), "synchronize");
  std::vector<float> times;
  for (unsigned i = 2; i < calls; ++i) { // the first two warm up
    float ms = 0;
    check(cudaEventElapsedTime(&ms, events[i], events[i + 1]), "elapsed");
    times.push_back(ms);
  }
  for (const cudaEvent_t event : events)
    cudaEventDestroy(event);
  std::nth_element(times.begin(), times.begin() + long(times.size() / 2), times.end());
  return 1000.0 * times[times.size() / 2];
}

/// Replays a captured call: what it takes without the host's part.
double replayed(const std::function<void(cudaStream_t)>& call, std::size_t bytes) {
  cudaStream_t stream;
  check(cudaStreamCreate(&stream), "stream");
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "capture");
  call(stream);
  check(cudaStreamEndCapture(stream, &graph), "capture");
  check(cudaGraphInstantiate(&ready, graph, 0), "graph");
  const double time = microseconds([&] { check(cudaGraphLaunch(ready, nullptr), "launch"); }, bytes);
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  return time;
}

template <class K>
double read_time(const K* keys, std::uint64_t n) {
  buffer out(sizeof(K)), space(std::size_t{64} << 20);
  std::size_t bytes = std::size_t{64} << 20;
  return microseconds(
      [&] {
        check(cub::DeviceReduce::Max(space.data, bytes, keys, static_cast<K*>(out.data), std::int64_t(n)), "max");
      },
      n * sizeof(K));
}

template <class K>
double cub_time([[maybe_unused]] const K* keys, [[maybe_unused]] std::uint64_t n, [[maybe_unused]] std::uint64_t k) {
#if SORTILE_RIVAL_TOPK
  buffer out(k * sizeof(K));
  std::size_t bytes = 0;
  auto requirements = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                               cuda::execution::output_ordering::unsorted);
  const auto call = [&](void* space) {
    return cub::DeviceTopK::MinKeys(space, bytes, keys, static_cast<K*>(out.data), std::int64_t(n), std::int64_t(k),
                                    requirements);
  };
  if (call(nullptr) != cudaSuccess)
    return 0;
  buffer space(bytes);
  return microseconds([&] { check(call(space.data), "cub"); }, n * sizeof(K));
#else
  return 0;
#endif
}

template <class K>
void row(const char* type, std::uint64_t n, std::uint64_t k, std::uint64_t rows, law which) {
  const std::uint64_t all = n * rows;
  buffer keys(all * sizeof(K)), out(rows * k * sizeof(K)), positions(rows * k * 4);
  fill<<<2048, 256>>>(static_cast<K*>(keys.data), all, which);
  sortile::top_k_request request{
      .type = sortile::key_type_of<K>, .n = n, .k = k, .keys_in = keys.data, .keys_out = out.data, .rows = rows};
  sortile::options opts;
  opts.memory = sortile::memory::device;
  double times[2], graph = 0;
  for (const bool with_positions : {false, true}) {
    if (with_positions) {
      request.carries = sortile::payload::indices;
      request.value_bytes = 4;
      request.values_out = positions.data;
    }
    const std::size_t bytes = sortile::workspace_bytes(request, opts);
    buffer space(bytes);
    opts.workspace = {static_cast<std::byte*>(space.data), bytes};
    times[with_positions] = microseconds([&] { sortile::run(request, opts); }, all * sizeof(K));
    if (with_positions)
      graph = replayed(
          [&](cudaStream_t stream) {
            sortile::options captured = opts;
            captured.stream = stream;
            sortile::run(request, captured);
          },
          all * sizeof(K));
  }
  const double rival = rows == 1 ? cub_time(static_cast<const K*>(keys.data), n, k) : 0;
  std::printf("{\"type\": \"%s\", \"n\": %llu, \"k\": %llu, \"rows\": %llu, \"law\": \"%s\", \"keys_us\": %.1f, "
              "\"with_positions_us\": %.1f, \"graph_us\": %.1f, \"read_us\": %.1f, \"cub_unsorted_us\": %.1f}\n",
              type, static_cast<unsigned long long>(n), static_cast<unsigned long long>(k),
              static_cast<unsigned long long>(rows), law_names[int(which)], times[0], times[1], graph,
              read_time(static_cast<const K*>(keys.data), all), rival);
  std::fflush(stdout);
}

/// Quantiles at 1 / (count + 1), …: one is the median. The aim, "one read and a little", is 1.3 times a read for one
/// and twice for nine.
template <class K>
void quantiles_row(const char* type, std::uint64_t n, unsigned count, law which) {
  buffer keys(n * sizeof(K)), results(count * sizeof(double));
  fill<<<2048, 256>>>(static_cast<K*>(keys.data), n, which);
  std::vector<double> at;
  for (unsigned i = 1; i <= count; ++i)
    at.push_back(double(i) / (count + 1));
  const sortile::quantiles_request request{.type = sortile::key_type_of<K>,
                                           .n = n,
                                           .keys = keys.data,
                                           .probabilities = at,
                                           .results = static_cast<double*>(results.data)};
  sortile::options opts;
  opts.memory = sortile::memory::device;
  const std::size_t bytes = sortile::workspace_bytes(request, opts);
  buffer space(bytes);
  opts.workspace = {static_cast<std::byte*>(space.data), bytes};
  const double plain = microseconds([&] { sortile::run(request, opts); }, n * sizeof(K));
  const double graph = replayed(
      [&](cudaStream_t stream) {
        sortile::options captured = opts;
        captured.stream = stream;
        sortile::run(request, captured);
      },
      n * sizeof(K));
  const double read = read_time(static_cast<const K*>(keys.data), n);
  std::printf("{\"type\": \"%s\", \"n\": %llu, \"quantiles\": %u, \"law\": \"%s\", \"us\": %.1f, \"graph_us\": %.1f, "
              "\"read_us\": %.1f, \"aim_us\": %.1f, \"workspace\": %zu}\n",
              type, static_cast<unsigned long long>(n), count, law_names[int(which)], plain, graph, read,
              (count == 1 ? 1.3 : 2) * read, bytes);
  std::fflush(stdout);
}

void quantile_rows(unsigned least_bits) {
  for (const std::uint64_t bits : {20u, 24u, 28u})
    for (const unsigned count : {1u, 9u}) {
      if (bits < least_bits)
        continue;
      const std::uint64_t n = std::uint64_t{1} << bits;
      quantiles_row<std::uint32_t>("u32", n, count, law::uniform);
      quantiles_row<float>("f32", n, count, law::uniform);
      quantiles_row<std::uint64_t>("u64", n, count, law::uniform);
    }
  for (const law which : {law::equal, law::half_zeros, law::squares, law::sorted})
    for (const unsigned count : {1u, 9u})
      quantiles_row<std::uint32_t>("u32", std::uint64_t{1} << 28, count, which);
}

/// CUB's sort of all keys, apart.
template <class K>
double cub_sort_time(const K* keys, std::uint64_t n) {
  buffer out(n * sizeof(K));
  std::size_t bytes = 0;
  const auto call = [&](void* space) {
    return cub::DeviceRadixSort::SortKeys(space, bytes, keys, static_cast<K*>(out.data), std::int64_t(n));
  };
  check(call(nullptr), "cub");
  buffer space(bytes);
  return microseconds([&] { check(call(space.data), "cub"); }, n * sizeof(K));
}

/// The first k keys to the front, with values of 4 bytes and without; the key of rank k, of rank n − k and the middle
/// one to its place. Beside a top-k with positions, which is what the first must cost at least.
template <class K>
void in_place_row(const char* type, std::uint64_t n, std::uint64_t k, law which) {
  constexpr unsigned calls = 13;
  std::vector<std::unique_ptr<buffer>> arrays, values;
  for (unsigned i = 0; i < calls; ++i) {
    arrays.push_back(std::make_unique<buffer>(n * sizeof(K)));
    values.push_back(std::make_unique<buffer>(n * 4));
  }
  sortile::options opts;
  opts.memory = sortile::memory::device;
  const auto time_of = [&](auto request_on) {
    for (const auto& array : arrays)
      fill<<<2048, 256>>>(static_cast<K*>(array->data), n, which);
    const std::size_t bytes = sortile::workspace_bytes(request_on(0), opts);
    buffer space(bytes);
    opts.workspace = {static_cast<std::byte*>(space.data), bytes};
    return microseconds_of_each([&](unsigned i) { sortile::run(request_on(i), opts); }, calls);
  };
  const auto first = [&](std::size_t value_bytes) {
    return time_of([&, value_bytes](unsigned i) {
      return sortile::partial_sort_request{.type = sortile::key_type_of<K>,
                                           .n = n,
                                           .k = k,
                                           .keys = arrays[i]->data,
                                           .value_bytes = value_bytes,
                                           .values = value_bytes == 0 ? nullptr : values[i]->data};
    });
  };
  const auto nth = [&](std::uint64_t place) {
    return time_of([&, place](unsigned i) {
      return sortile::nth_element_request{
          .type = sortile::key_type_of<K>, .n = n, .nth = place, .keys = arrays[i]->data};
    });
  };
  buffer out(k * sizeof(K)), positions(k * 4);
  const double top_k = time_of([&](unsigned i) {
    return sortile::top_k_request{.type = sortile::key_type_of<K>,
                                  .n = n,
                                  .k = k,
                                  .keys_in = arrays[i]->data,
                                  .keys_out = out.data,
                                  .carries = sortile::payload::indices,
                                  .value_bytes = 4,
                                  .values_out = positions.data};
  });
  const auto* const keys = static_cast<const K*>(arrays[0]->data); // the top-k has left them
  const double cub = cub_sort_time(keys, n), read = read_time(keys, n);
  std::printf("{\"type\": \"%s\", \"n\": %llu, \"in_place_k\": %llu, \"law\": \"%s\", \"partial_sort_us\": %.1f, "
              "\"with_values_us\": %.1f, \"nth_us\": %.1f, \"nth_from_end_us\": %.1f, \"nth_middle_us\": %.1f, "
              "\"top_k_us\": %.1f, \"cub_sort_us\": %.1f, \"read_us\": %.1f}\n",
              type, static_cast<unsigned long long>(n), static_cast<unsigned long long>(k), law_names[int(which)],
              first(0), first(4), nth(k), nth(n - k), nth(n / 2), top_k, cub, read);
  std::fflush(stdout);
}

void in_place_rows(unsigned least_bits) {
  for (const std::uint64_t bits : {20u, 24u, 28u})
    for (const std::uint64_t k : {std::uint64_t{1} << 10, std::uint64_t{1} << (bits - 8)}) {
      if (bits < least_bits)
        continue;
      in_place_row<std::uint32_t>("u32", std::uint64_t{1} << bits, k, law::uniform);
      in_place_row<float>("f32", std::uint64_t{1} << bits, k, law::uniform);
    }
}

void top_k_rows() {
  for (const std::uint64_t bits : {20u, 24u, 28u})
    for (const std::uint64_t k : {std::uint64_t{10}, std::uint64_t{1024}, std::uint64_t{1} << (bits - 8)}) {
      row<std::uint32_t>("u32", std::uint64_t{1} << bits, k, 1, law::uniform);
      row<float>("f32", std::uint64_t{1} << bits, k, 1, law::uniform);
    }
  for (const law which : {law::equal, law::half_zeros, law::squares, law::sorted})
    row<std::uint32_t>("u32", std::uint64_t{1} << 28, 1024, 1, which);
  row<std::uint64_t>("u64", std::uint64_t{1} << 27, 1024, 1, law::uniform);
  struct shape {
    std::uint64_t rows, n, k;
  };
  for (const shape s : {shape{256, 262144, 2048}, shape{64, 65536, 64}, shape{64, 65536, 1024}, shape{4, 8192, 64},
                        shape{262144, 1024, 64}, shape{262144, 1024, 32}, shape{262144, 1024, 8},
                        shape{1048576, 256, 64}, shape{1048576, 256, 16}, shape{1048576, 256, 8}})
    row<float>("f32", s.n, s.k, s.rows, law::uniform);
}

} // namespace

int main(int, char** argv) {
  if (argv[1] != nullptr && std::string(argv[1]) == "in-place") {
    in_place_rows(argv[2] != nullptr ? unsigned(std::atoi(argv[2])) : 0);
    return 0;
  }
  if (argv[1] != nullptr && std::string(argv[1]) == "top-k") {
    top_k_rows();
    return 0;
  }
  if (argv[1] != nullptr && std::string(argv[1]) == "quantiles") {
    quantile_rows(argv[2] != nullptr ? unsigned(std::atoi(argv[2])) : 0);
    return 0;
  }
  top_k_rows();
  quantile_rows(0);
  in_place_rows(0);
}
