// Laboratory: the whole pipeline for keys from the best steps so far.
#pragma once
#include "keys4.cuh"
#ifndef LAB_ADAPT
#define LAB_ADAPT (1 << 30)
#endif

template <class W, int T, int U, bool SHORT> __global__ __launch_bounds__(T, 1) void look5(const W* __restrict__ in, size_t n, u32* count, W* differ, key_codec<W> codec, u32 shift) {
  extern __shared__ __align__(16) char raw[];
  u32* h = reinterpret_cast<u32*>(raw); // 32768 words
  for (int i = threadIdx.x; i < 8192; i += T) reinterpret_cast<uint4*>(h)[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  constexpr int V = 16 / sizeof(W);
  const key_vector<W>* v = reinterpret_cast<const key_vector<W>*>(in);
  size_t vectors = n / V;
  W any = 0, all = ~W(0);
  integer_image<W> image(codec);
  auto add = [&](W k) {
    any |= k; all &= k;
    u32 d = image.digit(k, shift, 0xffff), s = (d & 1) * 16;
    u32 old = atomicAdd(&h[d >> 1], 1u << s);
    if ((old >> s & 0xffff) == 0x7fff) { // whoever crosses 2^15 takes it away; the others add less than 2^15 meanwhile
      atomicSub(&h[d >> 1], 0x8000u << s);
      atomicAdd(&count[d], 0x8000u);
    }
  };
  size_t step = size_t(gridDim.x) * T, i = blockIdx.x * size_t(T) + threadIdx.x;
  for (; (i | 31) + (U - 1) * step < vectors; i += U * step) { // whole warps
    key_vector<W> x[U];
#pragma unroll
    for (int j = 0; j < U; j++) x[j] = v[i + j * step];
#pragma unroll
    for (int j = 0; j < U; j++) {
      if constexpr (SHORT) { // all digits of the warp's vectors alike: one lane counts them
        u32 first = image.digit(x[j].k[0], shift, 0xffff), differs = first ^ __shfl_sync(~0u, first, 0);
#pragma unroll
        for (int e = 1; e < V; e++) differs |= first ^ image.digit(x[j].k[e], shift, 0xffff);
        if (__all_sync(~0u, differs == 0)) {
#pragma unroll
          for (int e = 0; e < V; e++) { any |= x[j].k[e]; all &= x[j].k[e]; }
          if (lane_id() == 0) {
            u32 s = (first & 1) * 16, old = atomicAdd(&h[first >> 1], (32u * V) << s) >> s & 0xffff;
            if (old < 0x8000 && old + 32 * V >= 0x8000) {
              atomicSub(&h[first >> 1], 0x8000u << s);
              atomicAdd(&count[first], 0x8000u);
            }
          }
          continue;
        }
      }
#pragma unroll
      for (int e = 0; e < V; e++) add(x[j].k[e]);
    }
  }
  for (; i < vectors; i += step) {
    key_vector<W> x = v[i];
    for (int e = 0; e < V; e++) add(x.k[e]);
  }
  if (blockIdx.x == 0 && vectors * V + threadIdx.x < n) add(in[vectors * V + threadIdx.x]);
  if ((any ^ all) == W(0x123456)) *differ = any; // the laboratory keeps only the cost of knowing it
  __syncthreads();
  for (int i = threadIdx.x; i < 32768; i += T) {
    u32 x = h[i];
    if (x & 0xffff) atomicAdd(&count[2 * i], x & 0xffff);
    if (x >> 16) atomicAdd(&count[2 * i + 1], x >> 16);
  }
}
// 64 blocks of 1024: block b adds up everything before its 1024 bins by itself.
__global__ __launch_bounds__(1024) void make_starts(const u32* count, tables* t, u32* next8, u32* left8, u32* next16, u32* left16, u32 n, u32 granule) {
  __shared__ u32 sums[32], before;
  u32 sum = 0;
  for (u32 i = threadIdx.x; i < blockIdx.x * 256u; i += 1024) {
    uint4 x = reinterpret_cast<const uint4*>(count)[i];
    sum += x.x + x.y + x.z + x.w;
  }
  sum = __reduce_add_sync(~0u, sum);
  if (lane_id() == 0) sums[threadIdx.x >> 5] = sum;
  __syncthreads();
  if (threadIdx.x < 32) { u32 s = __reduce_add_sync(~0u, sums[threadIdx.x]); if (threadIdx.x == 0) before = s; }
  __syncthreads();
  u32 i = blockIdx.x * 1024 + threadIdx.x, c = count[i], inc = warp_inclusive_sum(c), w = threadIdx.x >> 5;
  if (lane_id() == 31) sums[w] = inc;
  __syncthreads();
  u32 start = before + inc - c + __reduce_add_sync(~0u, lane_id() < w ? sums[lane_id()] : 0), ring = (start + granule - 1) / granule * granule;
  t->start16[i] = start;
  next16[i] = ring;
  left16[i] = 0;
  if (i % 256 == 0) { t->seg2[i / 256] = start; next8[i / 256] = ring; left8[i / 256] = 0; }
  if (i == 65535) { t->start16[65536] = n; t->seg2[256] = n; }
}
__global__ __launch_bounds__(256) void make_tiles(tables* t, u32 n, u32 tile1, u32 tile2, u32 align) {
  __shared__ u32 sums[8];
  u32 lo = t->seg2[threadIdx.x], hi = t->seg2[threadIdx.x + 1], tiles = hi > lo ? (hi - lo / align * align + tile2 - 1) / tile2 : 0;
  u32 inc = warp_inclusive_sum(tiles), w = threadIdx.x >> 5;
  if (lane_id() == 31) sums[w] = inc;
  __syncthreads();
  u32 before = __reduce_add_sync(~0u, lane_id() < w ? sums[lane_id()] : 0);
  t->tile2[threadIdx.x + 1] = inc + before;
  if (threadIdx.x == 0) { t->tile2[0] = 0; t->seg1[0] = 0; t->seg1[1] = n; t->tile1[0] = 0; t->tile1[1] = (n + tile1 - 1) / tile1; }
}
template <class W, int T, int NV, int WORDS, int MINB>
__global__ __launch_bounds__(T, MINB) void local_sort3i(const W* __restrict__ in, W* __restrict__ out, const u32* start, key_codec<W> codec, u32 rest, u32* over) {
  local3_body<W, T, NV, WORDS>(in, out, start, integer_image<W>(codec), rest, over);
}

// ---- what the fast path leaves, up to CAP keys a bucket: the 12 highest bits that differ inside the bucket, counted exactly; then only bins
// whose keys are not all the same are sorted further, a warp a bin.
template <class W, int T, int CAP> constexpr int adapt_shared() { return CAP * 2 * int(sizeof(W)) + 4096 * 4 + 512; }
template <class W, int T, int CAP> __global__ __launch_bounds__(T, 1) void local_adapt(const W* __restrict__ in, W* __restrict__ out, const u32* start, key_codec<W> codec,
                                                                                    const u32* over, u32* too_large) {
  constexpr int I = CAP / T, P = 4096 / T;
  extern __shared__ __align__(128) char raw[];
  W* keys = reinterpret_cast<W*>(raw);
  u32* bin = reinterpret_cast<u32*>(keys + 2 * CAP);
  u32* dirty = bin + 4096; // [128]
  __shared__ W any_of[T / 32], all_of[T / 32];
  __shared__ u32 sums[T / 32];
  const int t = threadIdx.x;
  integer_image<W> image(codec);
  for (u32 q = blockIdx.x; q < over[0]; q += gridDim.x) {
    u32 bucket = over[1 + q], lo = start[bucket];
    int m = int(start[bucket + 1] - lo);
    if (m > LAB_ADAPT || m > CAP) { if (t == 0) { atomicAdd(too_large, 1u); } continue; }
    __syncthreads();
    W k[I], any = 0, all = ~W(0);
#pragma unroll
    for (int i = 0; i < I; i++)
      if (i * T + t < m) { k[i] = in[lo + i * T + t]; any |= k[i]; all &= k[i]; }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) { any |= __shfl_xor_sync(~0u, any, d); all &= __shfl_xor_sync(~0u, all, d); }
    if ((t & 31) == 0) { any_of[t >> 5] = any; all_of[t >> 5] = all; }
    for (int j = t; j < 4096 + 128; j += T) bin[j] = 0;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < T / 32; j++) { any |= any_of[j]; all &= all_of[j]; }
    W differ = any ^ all;
    int top = sizeof(W) == 8 ? 63 - __clzll(u64(differ | 1)) : 31 - __clz(u32(differ | 1));
    u32 shift = top > 11 ? top - 11 : 0;
    u32 rank[I];
#pragma unroll
    for (int i = 0; i < I; i++)
      if (i * T + t < m) rank[i] = atomicAdd(&bin[image.digit(k[i], shift, 4095)], 1u);
    __syncthreads();
    u32 c[P], sum = 0;
#pragma unroll
    for (int j = 0; j < P; j++) { c[j] = bin[t * P + j]; sum += c[j]; }
    u32 inc = warp_inclusive_sum(sum);
    if (lane_id() == 31) sums[t >> 5] = inc;
    __syncthreads();
    u32 at = inc - sum + __reduce_add_sync(~0u, lane_id() < u32(t >> 5) ? sums[lane_id()] : 0);
#pragma unroll
    for (int j = 0; j < P; j++) { bin[t * P + j] = at; at += c[j]; }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < I; i++)
      if (i * T + t < m) keys[bin[image.digit(k[i], shift, 4095)] + rank[i]] = k[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < I; i++)
      if (i * T + t < m) {
        W x = keys[i * T + t];
        u32 d = image.digit(x, shift, 4095);
        if (x != keys[bin[d]]) atomicOr(&dirty[d >> 5], 1u << (d & 31));
      }
    __syncthreads();
    for (int w = t >> 5; w < 128; w += T / 32)
      for (u32 bits = dirty[w]; bits; bits &= bits - 1) {
        int d = w * 32 + __ffs(bits) - 1, b = int(bin[d]), n = (d < 4095 ? int(bin[d + 1]) : m) - b, log = 32 - __clz(n - 1);
        W* a = keys + b;
        for (int s = 1; s <= log; s++)
          for (int j = s - 1; j >= 0; j--) {
            for (int i = lane_id(); i < 1 << (log - 1); i += 32) {
              int x = (i >> j << (j + 1)) | (i & ((1 << j) - 1)), y = j == s - 1 ? x ^ ((1 << s) - 1) : x + (1 << j);
              if (y < n) { W p = a[x], r = a[y]; if (image.less(r, p)) { a[x] = r; a[y] = p; } }
            }
            __syncwarp();
          }
      }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < I; i++) if (i * T + t < m) out[lo + i * T + t] = keys[i * T + t];
  }
}
