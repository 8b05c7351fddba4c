// The kernels of cost_kernels.cu by hand, as one would write them without the dialect.
#include <cstdint>

__global__ void __launch_bounds__(256) flip_bits(const std::uint32_t* in, std::uint32_t* out, std::uint32_t mask) {
  constexpr int items = 4;
  const std::uint32_t tile = blockIdx.x * (256 * items * 4);
  uint4 keys[items];
#pragma unroll
  for (int k = 0; k < items; ++k)
    keys[k] = __ldcs(reinterpret_cast<const uint4*>(in + (tile + (k * 256 + threadIdx.x) * 4)));
#pragma unroll
  for (int k = 0; k < items; ++k) {
    keys[k].x ^= mask;
    keys[k].y ^= mask;
    keys[k].z ^= mask;
    keys[k].w ^= mask;
    __stcs(reinterpret_cast<uint4*>(out + (tile + (k * 256 + threadIdx.x) * 4)), keys[k]);
  }
}

__device__ __forceinline__ unsigned lanemask_lt() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

__global__ void __launch_bounds__(128, 8)
    rank_digits(const std::uint32_t* keys, std::uint32_t* ranks, std::uint32_t* bins) {
  constexpr int items = 8;
  __shared__ std::uint32_t counts[4 * 256];
  const std::uint32_t thread = threadIdx.x, lane = threadIdx.x % 32, row = threadIdx.x / 32 * 256;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    counts[k * 128 + thread] = 0;
  __syncthreads();
  const std::uint32_t first = blockIdx.x * (128 * items) + threadIdx.x / 32 * (32 * items) + lane;
  std::uint32_t rank[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const std::uint32_t digit = __ldg(keys + (first + k * 32)) & 255;
    const std::uint32_t peers = __match_any_sync(0xffffffffu, digit);
    const std::uint32_t below = __popc(peers & lanemask_lt());
    const std::uint32_t before = counts[row + digit];
    __syncwarp();
    if (below == 0)
      counts[row + digit] = before + __popc(peers);
    __syncwarp();
    rank[k] = before + below;
  }
#pragma unroll
  for (int k = 0; k < items; ++k)
    ranks[first + k * 32] = rank[k];
  __syncthreads();
#pragma unroll
  for (int d = 0; d < 2; ++d) {
    std::uint32_t sum = 0;
#pragma unroll
    for (int w = 0; w < 4; ++w)
      sum += counts[w * 256 + d * 128 + thread];
    atomicAdd(bins + (d * 128 + thread), sum);
  }
}

__device__ __forceinline__ void store_release(std::uint64_t* p, std::uint64_t v) {
  asm volatile("st.release.gpu.global.b64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "l"(v) : "memory");
}

__device__ __forceinline__ std::uint64_t load_acquire(const std::uint64_t* p) {
  std::uint64_t v;
  asm volatile("ld.acquire.gpu.global.b64 %0, [%1];" : "=l"(v) : "l"(__cvta_generic_to_global(p)) : "memory");
  return v;
}

__global__ void __launch_bounds__(256)
    chained_scan(const std::uint32_t* in, std::uint32_t* out, std::uint32_t* tickets, std::uint64_t* states) {
  __shared__ struct { std::uint32_t warp_sums[8], before, tile; } s;
  const std::uint32_t thread = threadIdx.x, lane = threadIdx.x % 32;
  if (thread == 0)
    s.tile = atomicAdd(tickets, 1u);
  __syncthreads();
  const std::uint32_t tile = s.tile;
  const std::uint32_t at = tile * 256 + thread;
  std::uint32_t sum = in[at];
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    const std::uint32_t left = __shfl_up_sync(0xffffffffu, sum, step);
    if (lane >= step)
      sum += left;
  }
  if (lane == 31)
    s.warp_sums[threadIdx.x / 32] = sum;
  __syncthreads();
  std::uint32_t total = 0, warps_before = 0;
#pragma unroll
  for (unsigned w = 0; w < 8; ++w) {
    if (w == threadIdx.x / 32)
      warps_before = total;
    total += s.warp_sums[w];
  }
  if (thread == 0) {
    store_release(states + tile, std::uint64_t{total} << 32 | 1);
    std::uint32_t before = 0;
    for (std::uint32_t t = tile; t > 0;) {
      const std::uint64_t state = load_acquire(states + (t - 1));
      if (state == 0)
        continue;
      before += std::uint32_t(state >> 32);
      if ((state & 3) == 2)
        break;
      --t;
    }
    store_release(states + tile, std::uint64_t{before + total} << 32 | 2);
    s.before = before;
  }
  __syncthreads();
  out[at] = s.before + warps_before + sum;
}
