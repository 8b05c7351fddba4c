// Device helpers of the rows for pairs: comparison and index arrays.
#include "bench/gpu/pair_rows.hpp"

#include "device/cuda_error.hpp"
#include "simt/simt.hpp"

namespace sortile::bench {
namespace {

struct count_differences {
  static constexpr unsigned block_threads = 256;
  simt::global<const std::uint32_t> a, b;
  simt::global<std::uint64_t> differences;
  std::uint64_t n;
  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < n; i += stride)
      if (a.load(i) != b.load(i))
        differences.fetch_add(0, std::uint64_t{1});
  }
};

template <class T>
struct write_indices {
  static constexpr unsigned block_threads = 256;
  simt::global<T> out;
  std::uint64_t n;
  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < n; i += stride)
      out[i] = T(i);
  }
};

template <class T>
void fill(T* out, std::uint64_t n) {
  simt::launch(simt::queue::cuda(nullptr), {.grid = 1024}, write_indices<T>{{out, n}, n});
}

} // namespace

bool same_on_device(const void* a, const void* b, std::size_t bytes) {
  const auto result = make_buffer(8);
  SORTILE_CUDA_CHECK(cudaMemset(result->data(), 0, 8));
  const std::uint64_t words = bytes / 4;
  simt::launch(simt::queue::cuda(nullptr), {.grid = 1024},
               count_differences{{static_cast<const std::uint32_t*>(a), words},
                                 {static_cast<const std::uint32_t*>(b), words},
                                 {static_cast<std::uint64_t*>(result->data()), 1},
                                 words});
  std::uint64_t differences = 0;
  SORTILE_CUDA_CHECK(cudaMemcpy(&differences, result->data(), 8, cudaMemcpyDeviceToHost));
  return differences == 0;
}

void fill_with_indices(std::uint32_t* out, std::uint64_t n) {
  fill(out, n);
}
void fill_with_indices(std::uint64_t* out, std::uint64_t n) {
  fill(out, n);
}

} // namespace sortile::bench
