// Runs the three kernels of cost_kernels.hpp on real data: under the executor's counters, or on the GPU for a profiler.
//
//   simt_profile executor     prints `kernel counter value` lines
//   simt_profile cuda         launches each kernel once (under ncu; see compare_counters.py)
#include "cost_kernels.hpp"
#include "profile.hpp"

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

#if SORTILE_ON_CUDA
#include <cuda_runtime.h>
#else
#include "simt/executor/device.hpp"
#include <memory>
#endif

namespace sortile::simt_cost {
inline namespace SORTILE_BACKEND {
namespace {

constexpr unsigned flip_blocks = 64, rank_blocks = 128, scan_blocks = 256;
constexpr std::size_t keys = std::size_t{flip_blocks} * 256 * 16;
static_assert(keys >= rank_blocks * 1024 && keys >= scan_blocks * 256);

std::vector<std::uint32_t> noise() {
  std::vector<std::uint32_t> v(keys);
  std::uint64_t state = 1;
  for (std::uint32_t& x : v) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    x = std::uint32_t(state >> 32);
  }
  return v;
}

/// Memory of this backend, zero but for what it is made from.
template <class T>
class memory {
 public:
#if SORTILE_ON_CUDA
  explicit memory(std::size_t n) : n_(n) {
    if (cudaMalloc(&data_, n * sizeof(T)) != cudaSuccess || cudaMemset(data_, 0, n * sizeof(T)) != cudaSuccess)
      throw std::runtime_error("simt_profile: no memory on the device");
  }
  explicit memory(const std::vector<T>& v) : memory(v.size()) {
    cudaMemcpy(data_, v.data(), v.size() * sizeof(T), cudaMemcpyDefault);
  }
  ~memory() {
    cudaFree(data_);
  }
  simt::global<T> view() const {
    return {data_, n_};
  }
#else
  explicit memory(std::size_t n) : n_(n), raw_(n * sizeof(T) + 256) {
    const auto at = reinterpret_cast<std::uintptr_t>(raw_.data());
    data_ = reinterpret_cast<T*>((at + 255) / 256 * 256);
  }
  explicit memory(const std::vector<T>& v) : memory(v.size()) {
    std::memcpy(data_, v.data(), v.size() * sizeof(T));
  }
  simt::global<T> view() const {
    return {data_, n_};
  }
#endif
  memory(const memory&) = delete;

 private:
  std::size_t n_;
#if !SORTILE_ON_CUDA
  std::vector<char> raw_;
#endif
  T* data_ = nullptr;
};

#if SORTILE_ON_CUDA
template <class Launch>
void measured(const char*, Launch&& launch) {
  launch(simt::queue::cuda(nullptr));
  if (const cudaError_t e = cudaDeviceSynchronize(); e != cudaSuccess)
    throw std::runtime_error(cudaGetErrorString(e));
}
#else
void print(const char* kernel, const char* kind, const executor::memory_counters& m) {
  if (m.requests)
    std::printf("%s %s_requests %llu\n%s %s_units %llu\n", kernel, kind, static_cast<unsigned long long>(m.requests),
                kernel, kind, static_cast<unsigned long long>(m.units));
}

template <class Launch>
void measured(const char* kernel, Launch&& launch) {
  executor::device device({.checks = executor::check::counters});
  launch(simt::queue::executor(device));
  const executor::counters& c = device.counted();
  print(kernel, "global_load", c.global_loads);
  print(kernel, "global_store", c.global_stores);
  print(kernel, "global_atomic", c.global_atomics);
  print(kernel, "shared_load", c.shared_loads);
  print(kernel, "shared_store", c.shared_stores);
}
#endif

} // namespace
} // namespace SORTILE_BACKEND

template <>
void profile<simt::this_backend>() {
  const memory<std::uint32_t> in(noise()), out(keys), bins(256), tickets(1);
  const memory<std::uint64_t> states(scan_blocks);
  measured("flip_bits", [&](simt::queue q) {
    simt::launch(q, {.grid = flip_blocks}, flip_bits{in.view(), out.view(), 0xff00ff00u});
  });
  measured("rank_digits", [&](simt::queue q) {
    simt::launch(q, {.grid = rank_blocks}, rank_digits{in.view(), out.view(), bins.view()});
  });
  measured("chained_scan", [&](simt::queue q) {
    simt::launch(q, {.grid = scan_blocks}, chained_scan{in.view(), out.view(), tickets.view(), states.view()});
  });
}

} // namespace sortile::simt_cost
