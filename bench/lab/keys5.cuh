// Laboratory: the partition of keys4.cuh with a radix known at run time (at most 256).
#pragma once
#include "sort.cuh"
// ---- partition -----------------------------------------------------------------------------------------------------------------------
// Staged buckets begin at multiples of G; a bucket's last, incomplete granule stays where it is and opens the bucket in the next tile.
template <class W, int T, int NV, int G> constexpr int partition5_shared() { return (T * NV * (16 / int(sizeof(W))) + RADIX * 2 * (G - 1) + 16) * int(sizeof(W)); }
template <class W, int T, int NV, int G, class Image>
__device__ __forceinline__ void partition5_body(const W* __restrict__ in, W* __restrict__ out, const u32* seg, const u32* tile_first, u32 segments,
                                                const u32* start, u32* next, u32* left_over, Image image, u32 shift, u32 mask, u32 chunk) {
  constexpr int V = 16 / sizeof(W), I = NV * V, TILE = T * I, SLOTS = RADIX * G / T;
  static_assert(SLOTS * T == RADIX * G && G % V == 0);
  extern __shared__ __align__(128) char raw[];
  W* stage = reinterpret_cast<W*>(raw);
  __shared__ __align__(16) u32 count[RADIX], offset[RADIX], last[RADIX]; // last: count << 16 | place of the incomplete granule
  __shared__ uint4 place[RADIX]; // where staged position 0 would go; end of the bucket; staged end of its whole granules
  __shared__ u32 staged;
  const int t = threadIdx.x;
  const u32 tiles = tile_first[segments];
  u32 tile = blockIdx.x * chunk, in_chunk = 0;
  if (tile >= tiles) return;
  if (t < RADIX) count[t] = last[t] = 0;
  __syncthreads();
  u32 s = 0, first;
  int lo, hi;
  auto locate = [&] {
    while (tile >= tile_first[s + 1]) ++s;
    u32 b = seg[s], e = seg[s + 1];
    first = b / V * V + (tile - tile_first[s]) * TILE;
    lo = first < b ? int(b - first) : 0;
    hi = int(min(e - first, u32(TILE)));
  };
  key_vector<W> k[NV];
  auto load = [&] {
    const key_vector<W>* v = reinterpret_cast<const key_vector<W>*>(in + first) + t;
    if (hi == TILE) {
#pragma unroll
      for (int i = 0; i < NV; i++) k[i] = v[i * T];
    } else {
#pragma unroll
      for (int i = 0; i < NV; i++) if ((i * T + t) * V < hi) k[i] = v[i * T];
    }
  };
  locate();
  load();
  for (;;) {
    const u32 segment = s;
    const bool full = lo == 0 && hi == TILE;
    u32 rank[(I + 1) / 2];
    auto rank_all = [&](auto valid) {
#pragma unroll
      for (int i = 0; i < I; i++) {
        u32 r = 0;
        if (valid((i / V * T + t) * V + i % V)) r = atomicAdd(&count[image.digit(k[i / V].k[i % V], shift, mask)], 1u);
        rank[i / 2] = i % 2 ? __byte_perm(rank[i / 2], r, 0x5410) : r;
      }
    };
    if (full) rank_all([](int) { return true; });
    else rank_all([=](int p) { return p >= lo && p < hi; });
    W old[SLOTS];
    u32 has = 0;
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
      u32 slot = j * T + t, l = last[slot / G];
      if (slot % G < l >> 16) { old[j] = stage[(l & 0xffff) + slot % G]; has |= 1u << j; }
    }
    __syncthreads();
    if (t < 32) { // eight digits a lane
      u32 c[8], sum = 0;
#pragma unroll
      for (int j = 0; j < 8; j += 4) {
        uint4 x = reinterpret_cast<uint4*>(count)[2 * t + j / 4];
        c[j] = x.x; c[j + 1] = x.y; c[j + 2] = x.z; c[j + 3] = x.w;
      }
#pragma unroll
      for (int j = 0; j < 8; j++) sum += (c[j] + G - 1) / G * G;
      u32 inc = warp_inclusive_sum(sum), e = inc - sum, en[8];
#pragma unroll
      for (int j = 0; j < 8; j++) { en[j] = e; e += (c[j] + G - 1) / G * G; }
#pragma unroll
      for (int j = 0; j < 8; j += 4) reinterpret_cast<uint4*>(offset)[2 * t + j / 4] = make_uint4(en[j], en[j + 1], en[j + 2], en[j + 3]);
      if (t == 31) staged = inc;
    }
    __syncthreads();
    u32 reserved = 0, end = 0, off = 0, whole = 0;
    if (t < RADIX && u32(t) <= mask) {
      u32 c = count[t];
      off = offset[t];
      whole = c / G * G;
      end = start[segment * (mask + 1) + t + 1];
      if (whole) reserved = atomicAdd(&next[segment * (mask + 1) + t], whole);
      count[t] = c - whole;
      last[t] = (c - whole) << 16 | (off + whole);
    }
    auto put_all = [&](auto valid) {
#pragma unroll
      for (int i = 0; i < I; i++)
        if (valid((i / V * T + t) * V + i % V))
          stage[offset[image.digit(k[i / V].k[i % V], shift, mask)] + (i % 2 ? rank[i / 2] >> 16 : rank[i / 2] & 0xffff)] = k[i / V].k[i % V];
    };
    if (full) put_all([](int) { return true; });
    else put_all([=](int p) { return p >= lo && p < hi; });
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
      u32 slot = j * T + t;
      if (has >> j & 1) stage[offset[slot / G] + slot % G] = old[j];
    }
    tile++;
    if (++in_chunk == chunk) { in_chunk = 0; tile += (gridDim.x - 1) * chunk; }
    const bool more = tile < tiles;
    if (more) { locate(); load(); }
    if (t < RADIX) place[t] = make_uint4(reserved - off, end, off + whole, 0);
    __syncthreads();
    const u32 vectors = staged / V;
#pragma unroll 4
    for (u32 v = t; v < vectors; v += T) {
      key_vector<W> x = reinterpret_cast<key_vector<W>*>(stage)[v];
      // an incomplete granule's first key names its bucket; the rest of it may be anything
      u32 d = image.digit(G == V ? x.k[0] : stage[v * V / G * G], shift, mask);
      uint4 pl = place[d];
      if (v * V < pl.z) {
        u32 to = pl.x + v * V;
        if (to + V <= pl.y) *reinterpret_cast<key_vector<W>*>(out + to) = x;
        else {
          u32 b = start[segment * (mask + 1) + d];
#pragma unroll
          for (int e = 0; e < V; e++) out[to + e < pl.y ? to + e : b + (to + e - pl.y)] = x.k[e];
        }
      }
    }
    if (!more || s != segment) { // what is left goes to the other end of the ring
      __syncthreads();
      if (t < RADIX && u32(t) <= mask) {
        u32 c = last[t] >> 16, r = 0;
        if (c) r = atomicAdd(&left_over[segment * (mask + 1) + t], c);
        offset[t] = r;
        count[t] = 0;
      }
      __syncthreads();
#pragma unroll
      for (int j = 0; j < SLOTS; j++) {
        u32 slot = j * T + t, d = slot / G, l = last[d];
        if (slot % G < l >> 16) {
          u32 b = start[segment * (mask + 1) + d], e = start[segment * (mask + 1) + d + 1], a = min((b + G - 1) / G * G, e), q = offset[d] + slot % G;
          out[q < a - b ? a - 1 - q : e - 1 - (q - (a - b))] = stage[(l & 0xffff) + slot % G];
        }
      }
      if (!more) break;
      __syncthreads();
      if (t < RADIX) last[t] = 0;
      __syncthreads();
    }
  }
}
template <class W, int T, int NV, int MINB, int G>
__global__ __launch_bounds__(T, MINB) void partition5(const W* __restrict__ in, W* __restrict__ out, const u32* seg, const u32* tile_first, u32 segments,
                                                      const u32* start, u32* next, u32* left_over, key_codec<W> codec, u32 shift, u32 mask, u32 chunk) {
  if (sizeof(W) > 8 || codec.infinity == 0)
    partition5_body<W, T, NV, G>(in, out, seg, tile_first, segments, start, next, left_over, integer_image<W>(codec), shift, mask, chunk);
  else partition5_body<W, T, NV, G>(in, out, seg, tile_first, segments, start, next, left_over, float_image<W>(codec), shift, mask, chunk);
}

// ---- look for few bins: 2^bits counters of 32 bits in shared memory -----------------------------------------------------------------
template <class W, int T> __global__ __launch_bounds__(T) void look_few(const W* __restrict__ in, u32 n, u32* count, W* differ, key_codec<W> codec, u32 shift, u32 bins) {
  extern __shared__ __align__(16) u32 h[];
  for (u32 i = threadIdx.x; i < bins; i += T) h[i] = 0;
  __syncthreads();
  constexpr int V = 16 / sizeof(W);
  integer_image<W> image(codec);
  W any = 0, all = ~W(0);
  u32 vectors = n / V;
  for (u32 i = blockIdx.x * T + threadIdx.x; i < vectors; i += gridDim.x * T) {
    key_vector<W> x = reinterpret_cast<const key_vector<W>*>(in)[i];
#pragma unroll
    for (int e = 0; e < V; e++) { any |= x.k[e]; all &= x.k[e]; atomicAdd(&h[image.digit(x.k[e], shift, bins - 1)], 1u); }
  }
  if (blockIdx.x == 0 && vectors * V + threadIdx.x < n) atomicAdd(&h[image.digit(in[vectors * V + threadIdx.x], shift, bins - 1)], 1u);
  if ((any ^ all) == W(0x123456)) *differ = any;
  __syncthreads();
  for (u32 i = threadIdx.x; i < bins; i += T) if (h[i]) atomicAdd(&count[i], h[i]);
}
// One block: where 2^(bits1 + bits2) buckets start, rings, tiles of the second partition. bins a multiple of 1024 or at most 1024.
__global__ __launch_bounds__(1024) void make_all(u32* count, u32* start, u32* next_fine, u32* left_fine, u32* seg, u32* tile_first, u32* next8, u32* left8, u32* seg1, u32* tile1,
                                                 u32 n, u32 bins, u32 fine, u32 granule, u32 tile, u32 align) {
  __shared__ u32 sums[32], begin[257];
  u32 per = (bins + 1023) / 1024, sum = 0, w = threadIdx.x >> 5;
  for (u32 j = 0; j < per; j++) if (threadIdx.x * per + j < bins) sum += count[threadIdx.x * per + j];
  u32 inc = warp_inclusive_sum(sum);
  if (lane_id() == 31) sums[w] = inc;
  __syncthreads();
  u32 at = inc - sum + __reduce_add_sync(~0u, lane_id() < w ? sums[lane_id()] : 0);
  for (u32 j = 0; j < per; j++) {
    u32 i = threadIdx.x * per + j;
    if (i < bins) {
      u32 c = count[i], ring = (at + granule - 1) / granule * granule;
      start[i] = at; next_fine[i] = ring; left_fine[i] = 0; count[i] = 0; // clean for the next sort
      if (i % fine == 0) { seg[i / fine] = at; begin[i / fine] = at; next8[i / fine] = ring; left8[i / fine] = 0; }
      at += c;
    }
  }
  u32 segments = bins / fine;
  if (threadIdx.x == 0) { start[bins] = n; seg[segments] = n; begin[segments] = n; seg1[0] = 0; seg1[1] = n; tile1[0] = 0; tile1[1] = (n + tile - 1) / tile; }
  __syncthreads();
  u32 tiles = 0;
  if (threadIdx.x < segments && begin[threadIdx.x + 1] > begin[threadIdx.x]) tiles = (begin[threadIdx.x + 1] - begin[threadIdx.x] / align * align + tile - 1) / tile;
  inc = warp_inclusive_sum(tiles);
  if (lane_id() == 31) sums[w] = inc;
  __syncthreads();
  u32 before = __reduce_add_sync(~0u, lane_id() < w ? sums[lane_id()] : 0);
  if (threadIdx.x < segments) tile_first[threadIdx.x + 1] = inc + before;
  if (threadIdx.x == 0) tile_first[0] = 0;
}
