// The calls of cub.cuh on the GPU alone: captured graphs, other streams, what one storage serves.
#include "device/stream.hpp"
#include "tests/captured_graph.hpp"
#include "tests/cub/fixture.hpp"

namespace sortile::cub_tests::inline SORTILE_BACKEND {
namespace {

using cub::DeviceMergeSort;
using cub::DeviceRadixSort;
using cub::DeviceSegmentedSort;
using cub::DeviceTopK;
using cub::DoubleBuffer;

constexpr std::size_t n = 300'000;

struct downwards {
  SORTILE_DEVICE bool operator()(int a, int b) const { return b < a; }
};
/// Only callable on the device, as CUB allows.
struct by_upper_half {
  SORTILE_DEVICE cuda::std::tuple<std::uint16_t&> operator()(ushort2& key) const { return {key.y}; }
};

/// Captures the call, with storage of its own, and replays it with other keys. In global mode a call that touched the
/// legacy stream, allocated or waited would break the capture.
template <class T, class Call, class Sorted>
void check_replays(array<T>& in, array<T>& out, const Call& call, const Sorted& sorted) {
  const device::stream stream;
  std::size_t bytes = 0;
  expect_success(call(nullptr, bytes, stream.get()));
  testing::guarded_buffer storage(bytes, 1, 0, where);
  const testing::captured_graph graph(stream.get(), [&] { expect_success(call(storage.data(), bytes, stream.get())); });
  for (const std::uint64_t seed : {1, 2}) {
    const std::vector<T> keys = random_keys<T>(in.span().size(), seed);
    std::memcpy(in.span().data(), keys.data(), keys.size() * sizeof(T));
    storage.poison(seed);
    graph.replay();
    out.expect(sorted(keys), "replayed");
  }
  EXPECT_EQ(storage.damage(), "");
}

std::vector<int> sorted_downwards(const std::vector<int>& keys) {
  return in_order(keys, positions_in_order(keys, {.descending = true}));
}

SIMT_TEST(cub_graphs, radix_sort) {
  array<int> in(n), out(n);
  check_replays(
      in, out,
      [&](void* s, std::size_t& b, cudaStream_t stream) {
        return DeviceRadixSort::SortKeysDescending(s, b, in.span().data(), out.span().data(), n, 0, 32, stream);
      },
      sorted_downwards);
}

SIMT_TEST(cub_graphs, radix_sort_in_two_buffers) {
  array<int> first(n), second(n);
  DoubleBuffer<int> buffers(first.span().data(), second.span().data());
  bool in_second = false;
  const auto call = [&](void* s, std::size_t& b, cudaStream_t stream) {
    const cudaError_t result = DeviceRadixSort::SortKeysDescending(s, b, buffers, n, 0, 32, stream);
    in_second = buffers.selector == 1;
    return result;
  };
  std::size_t bytes = 0;
  expect_success(call(nullptr, bytes, nullptr));
  ASSERT_FALSE(in_second);
  check_replays(first, second, call, sorted_downwards);
  EXPECT_TRUE(in_second);
}

SIMT_TEST(cub_graphs, merge_sort) {
  array<int> in(n), out(n);
  check_replays(
      in, out,
      [&](void* s, std::size_t& b, cudaStream_t stream) {
        return DeviceMergeSort::SortKeysCopy(s, b, in.span().data(), out.span().data(), n, downwards{}, stream);
      },
      sorted_downwards);
}

SIMT_TEST(cub_graphs, segmented_sort) {
  array<int> in(n), out(n);
  array<std::int64_t> offsets(std::vector<std::int64_t>{0, 0, std::int64_t(n)});
  const std::int64_t* const begins = offsets.span().data();
  check_replays(
      in, out,
      [&](void* s, std::size_t& b, cudaStream_t stream) {
        return DeviceSegmentedSort::SortKeysDescending(s, b, in.span().data(), out.span().data(), n, 2, begins,
                                                       begins + 1, stream);
      },
      sorted_downwards);
}

SIMT_TEST(cub_graphs, top_k) {
  array<int> in(n), out(100);
  check_replays(
      in, out,
      [&](void* s, std::size_t& b, cudaStream_t stream) {
        return DeviceTopK::MaxKeys(s, b, in.span().data(), out.span().data(), n, 100, stream);
      },
      [](const std::vector<int>& keys) {
        auto sorted = sorted_downwards(keys);
        sorted.resize(100);
        return sorted;
      });
}

SIMT_TEST(cub_streams, as_the_document_has_it) {
  const device::stream stream_here;
  const cudaStream_t stream = stream_here.get();
  const auto unsorted = random_keys<std::uint32_t>(n, 4);
  array<std::uint32_t> keys_in(unsorted), sorted(n);
  array<float> values_in(n), values_sorted(n);
  const std::uint32_t* const keys = keys_in.span().data();
  std::uint32_t* const keys_out = sorted.span().data();
  const float* const values = values_in.span().data();
  float* const values_out = values_sorted.span().data();

  std::size_t bytes = 0;
  void* storage = nullptr;
  sortile::cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, keys_out, values, values_out, n);
  cudaMalloc(&storage, bytes);
  sortile::cub::DeviceRadixSort::SortPairs(storage, bytes, keys, keys_out, values, values_out, n, 0, 32, stream);

  finish();
  cudaFree(storage);
  sorted.expect(in_order(unsorted, positions_in_order(unsorted)), "keys");
}

SIMT_TEST(cub_streams, functors_and_decomposers_of_the_device_alone) {
  const device::stream stream;
  const auto numbers = random_keys<std::uint32_t>(n, 3);
  std::vector<ushort2> keys(n);
  std::memcpy(keys.data(), numbers.data(), n * sizeof(ushort2));
  array<ushort2> in(keys), out(n);
  in_two_phases([&](void* s, std::size_t& b) {
    return DeviceRadixSort::SortKeys(s, b, in.span().data(), out.span().data(), n, by_upper_half{}, stream.get());
  });
  std::stable_sort(keys.begin(), keys.end(), [](const ushort2& a, const ushort2& b) { return a.y < b.y; });
  out.expect(keys, "keys");
}

SIMT_TEST(cub_streams, one_storage_serves_fewer_items) {
  const auto keys = random_keys<std::uint32_t>(many, 8);
  array<std::uint32_t> in(keys), out(many), values(keys), values_out(many);
  std::uint32_t* const none = nullptr;
  std::size_t bytes = 0;
  expect_success(DeviceRadixSort::SortPairs(nullptr, bytes, none, none, none, none, many));
  testing::guarded_buffer storage(bytes, 1, 0, where);
  for (const std::size_t fewer : {many, many / 2 + 1, many / 5, std::size_t{5000}, std::size_t{100}, std::size_t{1}}) {
    SCOPED_TRACE(fewer);
    expect_success(DeviceRadixSort::SortPairs(storage.data(), bytes, in.span().data(), out.span().data(),
                                              values.span().data() + (many - fewer), values_out.span().data(), fewer));
    finish();
    const std::vector<std::uint32_t> first(keys.begin(), keys.begin() + std::ptrdiff_t(fewer));
    const auto sorted = in_order(first, positions_in_order(first));
    EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), out.span().data()));
  }
  EXPECT_EQ(storage.damage(), "");
}

SIMT_TEST(cub_streams, an_array_of_the_host_is_refused) {
  std::vector<int> keys(1000), sorted(1000);
  int pageable = 0;
  SORTILE_CUDA_CHECK(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
  if (pageable != 0)
    GTEST_SKIP() << "this device reaches all memory of the host";
  std::size_t bytes = 0;
  expect_success(DeviceRadixSort::SortKeys(nullptr, bytes, keys.data(), sorted.data(), 1000));
  testing::guarded_buffer storage(bytes, 0, 0, where);
  EXPECT_EQ(DeviceRadixSort::SortKeys(storage.data(), bytes, keys.data(), sorted.data(), 1000), cudaErrorInvalidValue);
  EXPECT_NE(std::string(cub::last_error_message()).find("pageable host memory"), std::string::npos);
}

} // namespace
} // namespace sortile::cub_tests::inline SORTILE_BACKEND
