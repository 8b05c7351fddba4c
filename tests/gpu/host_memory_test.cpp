// Sorts of arrays in host memory on the GPU: staging, pinned arrays, progress, cancelling, running out of memory.
#include "testing/workloads.hpp"
#include "tests/expect_refusal.hpp"
#include "tests/gpu/gpu_fixture.hpp"

#include <sortile/sortile.hpp>

#include <algorithm>

namespace sortile::testing {
namespace {

class host_memory_on_gpu : public gpu {};

std::vector<std::uint64_t> random_keys(std::size_t n) {
  std::vector<std::uint64_t> keys(n);
  workload_named("uniform").fill({key_type::u64, n, 5}, 0, n, reinterpret_cast<std::byte*>(keys.data()));
  return keys;
}

const options on_cuda{.engine = "cuda"};

TEST_F(host_memory_on_gpu, of_several_chunks_comes_back_sorted) {
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{2'097'152}, std::size_t{2'097'153}, std::size_t{30'000'001}}) {
    auto keys = random_keys(n), expected = keys;
    std::sort(expected.begin(), expected.end());
    sortile::sort(keys, on_cuda);
    EXPECT_EQ(keys, expected) << n;
  }
  release_scratch(); // the pinned slots go too, and come again
  auto again = random_keys(1000);
  sortile::sort(again, on_cuda);
  EXPECT_TRUE(std::is_sorted(again.begin(), again.end()));
}

TEST_F(host_memory_on_gpu, that_is_pinned_is_copied_as_it_is) {
  const std::size_t n = 1'000'000;
  std::uint64_t* pinned = nullptr;
  SORTILE_CUDA_CHECK(cudaMallocHost(&pinned, n * 8));
  auto keys = random_keys(n);
  std::copy(keys.begin(), keys.end(), pinned);
  sortile::sort(std::span(pinned, n), on_cuda);
  std::sort(keys.begin(), keys.end());
  EXPECT_TRUE(std::equal(keys.begin(), keys.end(), pinned));
  SORTILE_CUDA_CHECK(cudaFreeHost(pinned));
}

TEST_F(host_memory_on_gpu, cancelled_while_it_is_read_is_left_as_it_was) {
  auto keys = random_keys(30'000'000);
  const auto before = keys;
  int calls = 0;
  options opts = on_cuda;
  opts.progress = [&calls](double) { return ++calls < 3; };
  expect_refusal<cancelled>([&] { sortile::sort(keys, opts); }, status::cancelled, {});
  EXPECT_EQ(keys, before);
}

TEST_F(host_memory_on_gpu, without_room_on_the_device_is_an_error_that_leaves_the_input) {
  std::size_t free = 0, total = 0;
  SORTILE_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  void* hog = nullptr;
  constexpr std::size_t left = std::size_t{256} << 20;
  SORTILE_CUDA_CHECK(cudaMalloc(&hog, free - left));
  auto keys = random_keys(40'000'000);
  const auto before = keys;
  expect_refusal<out_of_memory>([&] { sortile::sort(keys, on_cuda); }, status::out_of_memory, {"bytes wanted", "free"});
  SORTILE_CUDA_CHECK(cudaFree(hog));
  EXPECT_EQ(keys, before);
  sortile::sort(keys, on_cuda);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

} // namespace
} // namespace sortile::testing
