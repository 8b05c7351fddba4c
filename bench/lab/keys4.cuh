// Laboratory, fourth design. Local: the bucket comes by one bulk copy and stays in shared memory, no key lives in a register between steps.
// Partition: staged buckets keep what is left over in place, so that a key's place is one table look-up and one addition.
#pragma once
#include "keys3.cuh"

enum local_mode { by_order, by_copy, by_bulk }; // a 16-bit permutation; keys moved to a second buffer; that and a bulk copy out
template <class W, int CAP, int WORDS, int MODE> constexpr int local4_shared() {
  return (CAP + 16) * int(sizeof(W)) * (MODE == by_order ? 1 : 2) + (MODE == by_order ? (CAP + 16) * 2 : 0) + WORDS * 4;
}
template <class W, int T, int CAP, int WORDS, int MODE, class Image>
__device__ __forceinline__ void local4_body(const W* __restrict__ in, W* __restrict__ out, const u32* start, Image image, u32 rest, u32* over) {
  constexpr int V = 16 / sizeof(W), I = (CAP + T - 1) / T, P = WORDS / T, BITS = __builtin_ctz(WORDS) + 4, LIST = 512, MOST = 16;
  extern __shared__ __align__(128) char raw[];
  W* keys = reinterpret_cast<W*>(raw);
  W* sorted = keys + CAP + 16;                                        // by_copy, by_bulk
  u32* word = reinterpret_cast<u32*>(MODE == by_order ? sorted : sorted + CAP + 16);
  u16* order = reinterpret_cast<u16*>(word + WORDS);                  // by_order
  __shared__ u32 sums[T / 32], listed, bad, list_at[LIST];
  __shared__ u16 list_key[LIST];
  __shared__ __align__(8) u64 bar;
  const int t = threadIdx.x;
  const u32 shift = rest > u32(BITS) ? rest - BITS : 0, mask = rest > u32(BITS) ? 16 * WORDS - 1 : (1u << rest) - 1;
  const u32 bucket = gridDim.x - 1 - blockIdx.x, lo = start[bucket]; // backward: what was written last is still in the L2
  const int m = int(start[bucket + 1] - lo);
#ifdef LAB_AHEAD
  if (threadIdx.x == blockDim.x - 1 && bucket >= LAB_AHEAD) { // the bucket that a later block will want
    u32 lo2 = start[bucket - LAB_AHEAD] / V * V, hi2 = start[bucket - LAB_AHEAD + 1] / V * V;
    if (hi2 > lo2) prefetch_l2(in + lo2, (hi2 - lo2) * u32(sizeof(W)));
  }
#endif
  if (m == 0) return;
  if (m > CAP) { if (t == 0) leave(over, bucket); return; }
  const u32 a = lo % V;
  if (t == 0) {
    mbarrier_init(&bar, 1);
    mbarrier_fence_init();
    u32 bytes = (a + m + V - 1) / V * 16;
    mbarrier_expect(&bar, bytes);
    bulk_load(keys, in + (lo - a), bytes, &bar);
    listed = bad = 0;
  }
  keys += a;
  sorted += a;
#pragma unroll
  for (int j = 0; j < P; j += 4) *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]) = make_uint4(0, 0, 0, 0);
  __syncthreads();
  mbarrier_wait(&bar, 0);
  u32 taken = 0;
#pragma unroll
  for (int i = 0; i < I; i++)
    if (i * T + t < m) {
      u32 b = image.digit(keys[i * T + t], shift, mask), bit = 1u << (b & 15);
      if (atomicOr(&word[swizzle<WORDS, P>(b >> 4)], bit) & bit) taken |= 1u << i;
    }
  for (u32 r0 = taken; r0; r0 &= r0 - 1) {
    int i = __ffs(r0) - 1;
    u32 w = image.digit(keys[i * T + t], shift, mask) >> 4, r = atomicAdd(&word[swizzle<WORDS, P>(w)], 0x10000u) >> 16, q = atomicAdd(&listed, 1u);
    if (r >= MOST || q >= LIST) bad = 1;
    else { list_key[q] = u16(i * T + t); list_at[q] = w << 16 | r; }
  }
  __syncthreads();
  {
    u32 x[P], sum = 0;
#pragma unroll
    for (int j = 0; j < P; j += 4) {
      uint4 v = *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]);
      x[j] = v.x; x[j + 1] = v.y; x[j + 2] = v.z; x[j + 3] = v.w;
    }
#pragma unroll
    for (int j = 0; j < P; j++) {
      u32 c = __popc(x[j] & 0xffff) + (x[j] >> 16);
      x[j] = __byte_perm(x[j], sum, 0x5410);
      sum += c;
    }
    u32 inc = warp_inclusive_sum(sum);
    if (lane_id() == 31) sums[t >> 5] = inc;
    __syncthreads();
    if (bad) { if (t == 0) leave(over, bucket); return; }
    u32 before = __reduce_add_sync(~0u, lane_id() < u32(t >> 5) ? sums[lane_id()] : 0);
    u32 add = (before + inc - sum) << 16;
#pragma unroll
    for (int j = 0; j < P; j += 4)
      *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]) = make_uint4(x[j] + add, x[j + 1] + add, x[j + 2] + add, x[j + 3] + add);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < I; i++)
    if (i * T + t < m) {
      W key = keys[i * T + t];
      u32 b = image.digit(key, shift, mask), w = word[swizzle<WORDS, P>(b >> 4)];
      u32 at = (w >> 16) + __popc(w & ((1u << (b & 15)) - 1));
      if (!(taken >> i & 1)) { if constexpr (MODE == by_order) order[at] = u16(i * T + t); else sorted[at] = key; }
    }
  const u32 many = listed;
  for (u32 q = t; q < many; q += T) {
    u32 w = word[swizzle<WORDS, P>(list_at[q] >> 16)], at = (w >> 16) + __popc(w & 0xffff) + (list_at[q] & 0xffff);
    if constexpr (MODE == by_order) order[at] = list_key[q]; else sorted[at] = keys[list_key[q]];
  }
  __syncthreads();
  for (u32 q = t; q < many; q += T)
    if ((list_at[q] & 0xffff) == 0) {
      u32 i = list_at[q] >> 16;
      int b = int(word[swizzle<WORDS, P>(i)] >> 16), e = i + 1 < WORDS ? int(word[swizzle<WORDS, P>(i + 1)] >> 16) : m;
      for (int x = b + 1; x < e; x++) {
        if constexpr (MODE == by_order) {
          u16 v = order[x];
          W kv = keys[v];
          int y = x - 1;
          while (y >= b && image.less(kv, keys[order[y]])) { order[y + 1] = order[y]; y--; }
          order[y + 1] = v;
        } else {
          W v = sorted[x];
          int y = x - 1;
          while (y >= b && image.less(v, sorted[y])) { sorted[y + 1] = sorted[y]; y--; }
          sorted[y + 1] = v;
        }
      }
    }
  if constexpr (MODE == by_bulk) fence_async_shared();
  __syncthreads();
  if constexpr (MODE == by_order) {
#pragma unroll
    for (int i = 0; i <= I; i++) {
      int p = i * T + t - int(lo % 32);
      if (p >= 0 && p < m) out[lo + p] = keys[order[p]];
    }
  } else if constexpr (MODE == by_copy) {
#pragma unroll
    for (int i = 0; i <= (CAP + 16) / (T * V); i++) {
      int p = (i * T + t) * V - int(a);
      if (p < m) {
        if (p >= 0 && p + V <= m) *reinterpret_cast<key_vector<W>*>(out + lo + p) = *reinterpret_cast<key_vector<W>*>(sorted + p);
        else
          for (int e = 0; e < V; e++) if (p + e >= 0 && p + e < m) out[lo + p + e] = sorted[p + e];
      }
    }
  } else {
    int head = a ? V - int(a) : 0, body = m > head ? (m - head) / V * V : 0;
    if (t == 0 && body) { bulk_store(out + lo + head, sorted + head, u32(body * sizeof(W))); bulk_commit(); }
    if (t >= 32 && t < 32 + 2 * V) {
      int p = t - 32 < V ? t - 32 : head + body + t - 32 - V;
      if (p < m && (t - 32 >= V || p < head)) out[lo + p] = sorted[p];
    }
    if (t == 0 && body) bulk_wait_read();
  }
}
template <class W, int T, int CAP, int WORDS, int MINB, int MODE>
__global__ __launch_bounds__(T, MINB) void local_sort4(const W* __restrict__ in, W* __restrict__ out, const u32* start, key_codec<W> codec, u32 rest, u32* over) {
  if (sizeof(W) > 8 || codec.infinity == 0) local4_body<W, T, CAP, WORDS, MODE>(in, out, start, integer_image<W>(codec), rest, over);
  else local4_body<W, T, CAP, WORDS, MODE>(in, out, start, float_image<W>(codec), rest, over);
}

// ---- partition -----------------------------------------------------------------------------------------------------------------------
// Staged buckets begin at multiples of G; a bucket's last, incomplete granule stays where it is and opens the bucket in the next tile.
template <class W, int T, int NV, int G> constexpr int partition4_shared() { return (T * NV * (16 / int(sizeof(W))) + RADIX * 2 * (G - 1) + 16) * int(sizeof(W)); }
template <class W, int T, int NV, int G, class Image>
__device__ __forceinline__ void partition4_body(const W* __restrict__ in, W* __restrict__ out, const u32* seg, const u32* tile_first, u32 segments,
                                                const u32* start, u32* next, u32* left_over, Image image, u32 shift, u32 chunk, bool backward) {
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
    first = b / V * V + (backward ? tiles - 1 - tile : tile - tile_first[s]) * TILE; // backward: one segment only
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
        if (valid((i / V * T + t) * V + i % V)) r = atomicAdd(&count[image.digit(k[i / V].k[i % V], shift, RADIX - 1)], 1u);
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
    if (t < RADIX) {
      u32 c = count[t];
      off = offset[t];
      whole = c / G * G;
      end = start[segment * RADIX + t + 1];
      if (whole) reserved = atomicAdd(&next[segment * RADIX + t], whole);
      count[t] = c - whole;
      last[t] = (c - whole) << 16 | (off + whole);
    }
    auto put_all = [&](auto valid) {
#pragma unroll
      for (int i = 0; i < I; i++)
        if (valid((i / V * T + t) * V + i % V))
          stage[offset[image.digit(k[i / V].k[i % V], shift, RADIX - 1)] + (i % 2 ? rank[i / 2] >> 16 : rank[i / 2] & 0xffff)] = k[i / V].k[i % V];
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
      u32 d = image.digit(G == V ? x.k[0] : stage[v * V / G * G], shift, RADIX - 1);
      uint4 pl = place[d];
      if (v * V < pl.z) {
        u32 to = pl.x + v * V;
        if (to + V <= pl.y) *reinterpret_cast<key_vector<W>*>(out + to) = x;
        else {
          u32 b = start[segment * RADIX + d];
#pragma unroll
          for (int e = 0; e < V; e++) out[to + e < pl.y ? to + e : b + (to + e - pl.y)] = x.k[e];
        }
      }
    }
    if (!more || s != segment) { // what is left goes to the other end of the ring
      __syncthreads();
      if (t < RADIX) {
        u32 c = last[t] >> 16, r = 0;
        if (c) r = atomicAdd(&left_over[segment * RADIX + t], c);
        offset[t] = r;
        count[t] = 0;
      }
      __syncthreads();
#pragma unroll
      for (int j = 0; j < SLOTS; j++) {
        u32 slot = j * T + t, d = slot / G, l = last[d];
        if (slot % G < l >> 16) {
          u32 b = start[segment * RADIX + d], e = start[segment * RADIX + d + 1], a = min((b + G - 1) / G * G, e), q = offset[d] + slot % G;
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
__global__ __launch_bounds__(T, MINB) void partition4(const W* __restrict__ in, W* __restrict__ out, const u32* seg, const u32* tile_first, u32 segments,
                                                      const u32* start, u32* next, u32* left_over, key_codec<W> codec, u32 shift, u32 chunk, bool backward) {
  if (sizeof(W) > 8 || codec.infinity == 0)
    partition4_body<W, T, NV, G>(in, out, seg, tile_first, segments, start, next, left_over, integer_image<W>(codec), shift, chunk, backward);
  else partition4_body<W, T, NV, G>(in, out, seg, tile_first, segments, start, next, left_over, float_image<W>(codec), shift, chunk, backward);
}
