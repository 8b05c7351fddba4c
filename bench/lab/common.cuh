// What every laboratory prototype shares: thin wrappers around the Hopper instructions, workload, timing, checking.
#pragma once
#include "../src/primitives/key_codec.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#define CK(x)                                                                                                          \
  do {                                                                                                                 \
    cudaError_t e = (x);                                                                                               \
    if (e != cudaSuccess) {                                                                                            \
      printf("CUDA %s line %d\n", cudaGetErrorString(e), __LINE__);                                                    \
      fflush(stdout);                                                                                                  \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

#ifndef LAB_BACKWARD
#define LAB_BACKWARD 1 // the local step takes buckets from the last to the first: what was written last is still in the L2
#endif

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = unsigned long long;
using u128 = unsigned __int128;
using sortile::key_codec;

// ---- instructions ----------------------------------------------------------------------------------------------------------------
__device__ __forceinline__ u32 smem_address(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void mbarrier_init(u64* bar, u32 count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_address(bar)), "r"(count) : "memory");
}
__device__ __forceinline__ void mbarrier_fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void fence_async_shared() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ void mbarrier_expect(u64* bar, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem_address(bar)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void bulk_load(void* to, const void* from, u32 bytes, u64* bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(smem_address(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(smem_address(bar))
               : "memory");
}
__device__ __forceinline__ void mbarrier_wait(u64* bar, u32 parity) {
  asm volatile("{\n.reg .pred p;\nL_wait:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra L_done;\nbra L_wait;\nL_done:\n}"
               ::"r"(smem_address(bar)), "r"(parity)
               : "memory");
}
__device__ __forceinline__ void named_barrier(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
__device__ __forceinline__ u32 lane_id() { return threadIdx.x & 31; }
__device__ __forceinline__ u32 warp_inclusive_sum(u32 x) {
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    u32 y = __shfl_up_sync(~0u, x, d);
    if (lane_id() >= static_cast<u32>(d)) x += y;
  }
  return x;
}

// ---- workload --------------------------------------------------------------------------------------------------------------------
__host__ __device__ inline u64 mix(u64 x) {
  x ^= x >> 33; x *= 0xff51afd7ed558ccdULL; x ^= x >> 33; x *= 0xc4ceb9fe1a85ec53ULL; x ^= x >> 33;
  return x;
}
enum dist { uniform, and3, constant, range8, sorted, zipfish, range16, distinct16, one_big, dist_count };
inline const char* dist_name[] = {"uniform", "and3", "constant", "range8", "sorted", "zipfish", "range16", "distinct16", "onebig"};
template <class K> __global__ void generate(K* p, size_t n, int d, u64 seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    u64 r = mix(i * 3 + seed), lo = mix(i * 3 + 1 + seed), v = r;
    K k;
    switch (d) {
    case and3: v = r & lo & mix(i * 3 + 2 + seed); break;
    case constant: v = 42; break;
    case range8: v = r & 255; break;
    case sorted: v = static_cast<u64>(double(i) / double(n) * 18446744073709549568.0) >> (sizeof(K) < 8 ? 64 - 8 * sizeof(K) : 0); break;
    case zipfish: v = r >> (lo % (8 * std::min<size_t>(8, sizeof(K))) + (sizeof(K) < 8 ? 64 - 8 * sizeof(K) : 0)); break;
    case range16: v = r & 65535; break;
    case distinct16: v = mix(r & 65535); break;
    case one_big: v = (r & 7) ? (lo & 0xffff) | 0x1234560000ull : lo; break;
    default: break;
    }
    k = static_cast<K>(v);
    if constexpr (sizeof(K) == 16) if (d == uniform) k = (K(v) << 64) | lo;
    p[i] = k;
  }
}
template <class K> __global__ void iota_values(K* p, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) p[i] = static_cast<K>(i);
}
template <class K> __global__ void count_mismatches(const K* a, const K* b, size_t n, u64* bad) {
  u64 c = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) c += a[i] != b[i];
  if (c) atomicAdd(bad, c);
}
template <class K> u64 mismatches(const K* a, const K* b, size_t n) {
  static u64* bad = nullptr;
  if (!bad) CK(cudaMalloc(&bad, 8));
  CK(cudaMemset(bad, 0, 8));
  count_mismatches<<<1024, 256>>>(a, b, n, bad);
  u64 h;
  CK(cudaMemcpy(&h, bad, 8, cudaMemcpyDeviceToHost));
  return h;
}

// ---- timing ----------------------------------------------------------------------------------------------------------------------
inline double time_ms(std::function<void()> f, int reps = 7, std::function<void()> setup = [] {}) {
  cudaEvent_t a, b;
  CK(cudaEventCreate(&a));
  CK(cudaEventCreate(&b));
  std::vector<float> t;
  for (int i = 0; i < reps + 1; i++) {
    setup();
    CK(cudaDeviceSynchronize());
    CK(cudaEventRecord(a));
    f();
    CK(cudaEventRecord(b));
    CK(cudaEventSynchronize(b));
    float ms;
    CK(cudaEventElapsedTime(&ms, a, b));
    if (i) t.push_back(ms);
  }
  CK(cudaGetLastError());
  CK(cudaEventDestroy(a));
  CK(cudaEventDestroy(b));
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}
inline int multiprocessors() {
  int n;
  CK(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0));
  return n;
}
template <class F> void allow_shared(F f, int bytes) { CK(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)); }
__device__ __forceinline__ void bulk_store(void* to, const void* from, u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)), "r"(smem_address(from)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ __forceinline__ void bulk_wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ __forceinline__ void prefetch_l2(const void* from, u32 bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from)), "r"(bytes) : "memory");
}
template <int N> __device__ __forceinline__ void async_copy(void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(smem_address(to)), "l"(__cvta_generic_to_global(from)), "n"(N) : "memory");
}
__device__ __forceinline__ void async_wait() { asm volatile("cp.async.wait_all;" ::: "memory"); }
