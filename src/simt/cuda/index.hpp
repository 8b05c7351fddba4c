// The dialect under nvcc: who a thread is, and bits.
#pragma once

#include "simt/types.hpp"

#include <cuda_runtime.h>

namespace sortile::simt {
inline namespace cuda_backend {

SORTILE_DEVICE unsigned thread_index() {
  return threadIdx.x;
}
SORTILE_DEVICE unsigned block_size() {
  return blockDim.x;
}
SORTILE_DEVICE unsigned lane_index() {
  return threadIdx.x % warp_size;
}
SORTILE_DEVICE unsigned warp_index() {
  return threadIdx.x / warp_size;
}
template <int Axis = 0>
SORTILE_DEVICE unsigned block_index() {
  return Axis == 0 ? blockIdx.x : Axis == 1 ? blockIdx.y : blockIdx.z;
}
template <int Axis = 0>
SORTILE_DEVICE unsigned grid_size() {
  return Axis == 0 ? gridDim.x : Axis == 1 ? gridDim.y : gridDim.z;
}

#define SORTILE_SPECIAL_REGISTER(FUNCTION, REGISTER)                                                                   \
  SORTILE_DEVICE unsigned FUNCTION() {                                                                                 \
    unsigned value;                                                                                                    \
    asm("mov.u32 %0, %%" REGISTER ";" : "=r"(value));                                                                  \
    return value;                                                                                                      \
  }
SORTILE_SPECIAL_REGISTER(lanes_below, "lanemask_lt")
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
SORTILE_SPECIAL_REGISTER(cluster_rank, "cluster_ctarank")
SORTILE_SPECIAL_REGISTER(cluster_size, "cluster_nctarank")
SORTILE_SPECIAL_REGISTER(cluster_index, "clusterid.x")
#else
SORTILE_DEVICE unsigned cluster_rank() {
  return 0;
}
SORTILE_DEVICE unsigned cluster_size() {
  return 1;
}
SORTILE_DEVICE unsigned cluster_index() {
  return blockIdx.x;
}
#endif
#undef SORTILE_SPECIAL_REGISTER

SORTILE_DEVICE unsigned popcount(std::uint32_t v) {
  return unsigned(__popc(v));
}
SORTILE_DEVICE unsigned popcount(std::uint64_t v) {
  return unsigned(__popcll(v));
}
/// The bits of the float nearest to v that is not farther from zero.
SORTILE_DEVICE std::uint32_t float_bits_toward_zero(std::int32_t v) {
  return __float_as_uint(__int2float_rz(v));
}
SORTILE_DEVICE std::uint32_t float_bits_toward_zero(std::int64_t v) {
  return __float_as_uint(__ll2float_rz(v));
}
SORTILE_DEVICE unsigned leading_zeros(std::uint32_t v) {
  return unsigned(__clz(int(v)));
}
SORTILE_DEVICE unsigned leading_zeros(std::uint64_t v) {
  return unsigned(__clzll(static_cast<long long>(v)));
}
SORTILE_DEVICE unsigned leading_zeros(uint128 v) {
  const auto high = std::uint64_t(v >> 64);
  return high != 0 ? leading_zeros(high) : 64 + leading_zeros(std::uint64_t(v));
}
SORTILE_DEVICE unsigned trailing_zeros(std::uint32_t v) {
  return unsigned(__clz(int(__brev(v))));
}
SORTILE_DEVICE unsigned trailing_zeros(std::uint64_t v) {
  return unsigned(__clzll(static_cast<long long>(__brevll(v))));
}
SORTILE_DEVICE std::uint32_t extract_bits(std::uint32_t v, unsigned first, unsigned count) {
  std::uint32_t out;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(out) : "r"(v), "r"(first), "r"(count));
  return out;
}
SORTILE_DEVICE std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  return __byte_perm(a, b, selector);
}
SORTILE_DEVICE std::uint32_t opaque(std::uint32_t v) {
  asm volatile("" : "+r"(v));
  return v;
}
template <class Shared>
SORTILE_DEVICE Shared& pinned(Shared& storage) {
  return *static_cast<Shared*>(__cvta_shared_to_generic(opaque(std::uint32_t(__cvta_generic_to_shared(&storage)))));
}

} // namespace cuda_backend
} // namespace sortile::simt
