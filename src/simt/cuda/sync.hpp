// The dialect under nvcc: barriers, fences, polling.
//
// What needs sm_90 traps in code built for older architectures; but the launch refuses such a kernel first (feature).
#pragma once

#include "simt/cuda/index.hpp"

#include <cooperative_groups.h>

namespace sortile::simt {
inline namespace cuda_backend {

SORTILE_DEVICE void trap() {
  __trap();
}

SORTILE_DEVICE void block_barrier() {
  __syncthreads();
}
SORTILE_DEVICE bool block_any(bool p) {
  return __syncthreads_or(p) != 0;
}
SORTILE_DEVICE bool block_all(bool p) {
  return __syncthreads_and(p) != 0;
}
SORTILE_DEVICE unsigned block_count(bool p) {
  return unsigned(__syncthreads_count(p));
}
SORTILE_DEVICE void named_barrier_sync(unsigned id, unsigned threads) {
  asm volatile("barrier.cta.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
SORTILE_DEVICE void named_barrier_arrive(unsigned id, unsigned threads) {
  asm volatile("barrier.cta.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
SORTILE_DEVICE void warp_barrier(unsigned mask = full_warp) {
  __syncwarp(mask);
}

SORTILE_DEVICE void cluster_arrive() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#else
  __trap();
#endif
}
SORTILE_DEVICE void cluster_wait() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __trap();
#endif
}
SORTILE_DEVICE void cluster_barrier() {
  cluster_arrive();
  cluster_wait();
}
SORTILE_DEVICE void grid_barrier() {
  cooperative_groups::this_grid().sync();
}

SORTILE_DEVICE void fence(block_scope_type) {
  __threadfence_block();
}
SORTILE_DEVICE void fence(device_scope_type) {
  __threadfence();
}
SORTILE_DEVICE void fence(system_scope_type) {
  __threadfence_system();
}

/// In a loop that polls: sleeps for about so many nanoseconds (0: not at all on the GPU).
SORTILE_DEVICE void spin_hint(unsigned nanoseconds = 0) {
  if (nanoseconds)
    __nanosleep(nanoseconds);
}

SORTILE_DEVICE void wait_for_prerequisites() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
SORTILE_DEVICE void launch_dependents() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

} // namespace cuda_backend
} // namespace sortile::simt
