// Laboratory: buckets that stay too large are partitioned again, 8 bits at a time, from lists that the device fills; a fixed list of launches.
#pragma once
#include "keys5.cuh"

struct list { u32 *count, *begin, *end, *rest; };
// A large bucket becomes an entry.
__global__ void collect_large(const u32* start, u32 buckets, u32 cap, list large) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < buckets && start[i + 1] - start[i] > cap) { u32 q = atomicAdd(large.count, 1u); large.begin[q] = start[i]; large.end[q] = start[i + 1]; }
}
// Tiles of the listed segments; histogram rows cleared. One block for the tiles, the others clear.
__global__ __launch_bounds__(1024) void list_tiles(list large, u32* tile_first, u32* histogram, u32 tile, u32 align) {
  u32 n = *large.count;
  if (n == 0) return;
  if (blockIdx.x) {
    for (u32 i = (blockIdx.x - 1) * 1024 + threadIdx.x; i < n * 256; i += (gridDim.x - 1) * 1024) histogram[i] = 0;
    return;
  }
  __shared__ u32 sums[32], carry;
  if (threadIdx.x == 0) { carry = 0; tile_first[0] = 0; }
  __syncthreads();
  for (u32 base = 0; base < n; base += 1024) {
    u32 i = base + threadIdx.x, c = i < n ? (large.end[i] - large.begin[i] / align * align + tile - 1) / tile : 0, inc = warp_inclusive_sum(c), w = threadIdx.x >> 5;
    if (lane_id() == 31) sums[w] = inc;
    __syncthreads();
    u32 all = carry + inc + __reduce_add_sync(~0u, lane_id() < w ? sums[lane_id()] : 0);
    if (i < n) tile_first[i + 1] = all;
    __syncthreads();
    if (threadIdx.x == 1023) carry = all;
    __syncthreads();
  }
}
template <class W> __global__ __launch_bounds__(1024) void list_histogram(const W* __restrict__ in, list large, const u32* tile_first, u32* histogram, key_codec<W> codec, u32 shift, u32 tile, u32 align) {
  u32 n = *large.count;
  if (n == 0) return;
  __shared__ u32 h[4][256];
  integer_image<W> image(codec);
  const u32 tiles = tile_first[n], per = (tiles + gridDim.x - 1) / gridDim.x;
  (&h[0][0])[threadIdx.x] = 0;
  __syncthreads();
  u32 s = 0, t = blockIdx.x * per, stop = min(tiles, t + per);
  if (t >= stop) return;
  for (u32 to = n; to - s > 1;) { u32 mid = (s + to) / 2; if (tile_first[mid] <= t) s = mid; else to = mid; }
  for (; t < stop; t++) {
    while (tile_first[s + 1] <= t) s++;
    u32 b = large.begin[s], first = b / align * align + (t - tile_first[s]) * tile, lo = max(first, b), hi = min(first + tile, large.end[s]);
    constexpr u32 V = 16 / sizeof(W);
    const key_vector<W>* v = reinterpret_cast<const key_vector<W>*>(in + first);
    for (u32 base = 0; base < tile / V; base += 4096) {
      key_vector<W> x[4];
#pragma unroll
      for (u32 j = 0; j < 4; j++) { u32 q = base + j * 1024 + threadIdx.x; if (q < tile / V && first + q * V < hi) x[j] = v[q]; }
#pragma unroll
      for (u32 j = 0; j < 4; j++) {
        u32 q = base + j * 1024 + threadIdx.x;
        if (q >= tile / V || first + q * V >= hi) continue;
        if (first + q * V >= lo && first + q * V + V <= hi) {
          u32 mask = __activemask(), d0 = image.digit(x[j].k[0], shift, 255), differs = d0 ^ __shfl_sync(mask, d0, __ffs(mask) - 1);
#pragma unroll
          for (u32 e = 1; e < V; e++) differs |= d0 ^ image.digit(x[j].k[e], shift, 255);
          if (__all_sync(mask, differs == 0)) { if (int(lane_id()) == __ffs(mask) - 1) atomicAdd(&h[0][d0], __popc(mask) * V); }
          else
#pragma unroll
            for (u32 e = 0; e < V; e++) atomicAdd(&h[threadIdx.x >> 5 & 3][image.digit(x[j].k[e], shift, 255)], 1u);
        } else
#pragma unroll
          for (u32 e = 0; e < V; e++) if (first + q * V + e >= lo && first + q * V + e < hi) atomicAdd(&h[threadIdx.x >> 5 & 3][image.digit(x[j].k[e], shift, 255)], 1u);
      }
    }
    if (t + 1 == stop || tile_first[s + 1] <= t + 1) {
      __syncthreads();
      if (threadIdx.x < 256) {
        u32 c = 0;
        for (int j = 0; j < 4; j++) { c += h[j][threadIdx.x]; h[j][threadIdx.x] = 0; }
        if (c) atomicAdd(&histogram[s * 256 + threadIdx.x], c);
      }
      __syncthreads();
    }
  }
}
// A block of 256 threads a segment: where its sub-buckets start, their rings; neighbours packed into groups of at most cap keys for the local step,
// sub-buckets above cap listed for the next level.
__global__ __launch_bounds__(256) void list_starts(list large, const u32* histogram, u32* start, u32* next, u32* left, u32 granule, u32 cap, u32 shift, list small, list larger) {
  __shared__ u32 sums[8], at[257];
  __shared__ u8 opens[257];
  const u32 t = threadIdx.x, w = t >> 5;
  for (u32 s = blockIdx.x; s < *large.count; s += gridDim.x) {
    u32 c = histogram[s * 256 + t], inc = warp_inclusive_sum(c), lo = large.begin[s];
    __syncthreads();
    if (lane_id() == 31) sums[w] = inc;
    __syncthreads();
    u32 b = lo + inc - c + __reduce_add_sync(~0u, lane_id() < w ? sums[lane_id() & 7] : 0);
    start[s * 257 + t] = b; at[t] = b;
    if (t == 255) { start[s * 257 + 256] = b + c; at[256] = b + c; }
    next[s * 256 + t] = (b + granule - 1) / granule * granule;
    left[s * 256 + t] = 0;
    __syncthreads();
    bool big = c > cap / 2, big_before = t && at[t] - at[t - 1] > cap / 2;
    opens[t] = t == 0 || big || big_before || (b - lo) / (cap / 2) != (at[t - 1] - lo) / (cap / 2);
    if (t == 0) opens[256] = 1;
    __syncthreads();
    if (opens[t]) {
      u32 e = t + 1;
      while (!opens[e]) e++;
      u32 end = at[e];
      if (end > b) {
        list& to = end - b > cap ? larger : small;
        u32 q = atomicAdd(to.count, 1u);
        to.begin[q] = b; to.end[q] = end; to.rest[q] = shift + (32 - __clz(t ^ (e - 1)));
      }
    }
  }
}
template <class W> __global__ void list_copy(const W* __restrict__ in, W* __restrict__ out, list large) { // no bit left to differ
  for (u32 s = blockIdx.y; s < *large.count; s += gridDim.y)
    for (u32 i = large.begin[s] + blockIdx.x * blockDim.x + threadIdx.x; i < large.end[s]; i += gridDim.x * blockDim.x) out[i] = in[i];
}
// ---- partition of listed segments ----
template <class W, int T, int NV, int G> constexpr int partition6_shared() { return (T * NV * (16 / int(sizeof(W))) + RADIX * 2 * (G - 1) + 16) * int(sizeof(W)); }
template <class W, int T, int NV, int G, class Image>
__device__ __forceinline__ void partition6_body(const W* __restrict__ in, W* __restrict__ out, const u32* seg, const u32* seg_end, const u32* tile_first, const u32* segments_at,
                                                const u32* start, u32* next, u32* left_over, Image image, u32 shift, u32 mask, u32 chunk) {
  constexpr int V = 16 / sizeof(W), I = NV * V, TILE = T * I, SLOTS = RADIX * G / T;
  static_assert(SLOTS * T == RADIX * G && G % V == 0);
  extern __shared__ __align__(128) char raw[];
  W* stage = reinterpret_cast<W*>(raw);
  __shared__ __align__(16) u32 count[RADIX], offset[RADIX], last[RADIX]; // last: count << 16 | place of the incomplete granule
  __shared__ uint4 place[RADIX]; // where staged position 0 would go; end of the bucket; staged end of its whole granules
  __shared__ u32 staged;
  const int t = threadIdx.x;
  const u32 segments = *segments_at;
  if (segments == 0) return;
  const u32 tiles = tile_first[segments];
  u32 tile = blockIdx.x * chunk, in_chunk = 0;
  if (tile >= tiles) return;
  if (t < RADIX) count[t] = last[t] = 0;
  __syncthreads();
  u32 s = 0, first;
  int lo, hi;
  auto locate = [&] {
    u32 to = segments; // the last segment that begins at or before this tile
    while (to - s > 1) { u32 mid = (s + to) / 2; if (tile_first[mid] <= tile) s = mid; else to = mid; }
    u32 b = seg[s], e = seg_end[s];
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
      end = start[segment * 257 + t + 1];
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
          u32 b = start[segment * 257 + d];
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
          u32 b = start[segment * 257 + d], e = start[segment * 257 + d + 1], a = min((b + G - 1) / G * G, e), q = offset[d] + slot % G;
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
__global__ __launch_bounds__(T, MINB) void partition6(const W* __restrict__ in, W* __restrict__ out, const u32* seg, const u32* seg_end, const u32* tile_first, const u32* segments_at,
                                                      const u32* start, u32* next, u32* left_over, key_codec<W> codec, u32 shift, u32 mask, u32 chunk) {
  if (sizeof(W) > 8 || codec.infinity == 0)
    partition6_body<W, T, NV, G>(in, out, seg, seg_end, tile_first, segments_at, start, next, left_over, integer_image<W>(codec), shift, mask, chunk);
  else partition6_body<W, T, NV, G>(in, out, seg, seg_end, tile_first, segments_at, start, next, left_over, float_image<W>(codec), shift, mask, chunk);
}

// ---- local sort of listed segments (in place allowed): as local_adapt ----
template <class W, int T, int CAP> __global__ __launch_bounds__(T, 1) void list_local(const W* in, W* out, key_codec<W> codec, list small, const u32* over) {
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
    u32 lo = small.begin[over[1 + q]];
    int m = int(small.end[over[1 + q]] - lo);
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
// ---- fast local sort of listed groups: local3 with a list ----
template <class W, int T, int NV, int WORDS, class Image>
__device__ __forceinline__ void list3_body(const W* in, W* out, u32 bucket, u32 lo, u32 m_of, Image image, u32 rest, u32* over) {
  constexpr int V = 16 / sizeof(W), I = NV * V, CAP = T * I, P = WORDS / T, BITS = __builtin_ctz(WORDS) + 4, LIST = 512, MOST = 16;
  static_assert(I <= 32);
  extern __shared__ __align__(128) char raw[];
  W* keys = reinterpret_cast<W*>(raw);
  u32* word = reinterpret_cast<u32*>(keys + CAP);
  __shared__ u32 sums[T / 32], listed, bad;
  __shared__ W list_key[LIST];
  __shared__ u32 list_at[LIST];
  const int t = threadIdx.x;
  const u32 shift = rest > u32(BITS) ? rest - BITS : 0, mask = rest > u32(BITS) ? 16 * WORDS - 1 : (1u << rest) - 1;
  const int m = int(m_of), a = int(lo % V), end = m + a;
  if (m == 0) return;
  if (end > CAP) { if (t == 0) leave(over, bucket); return; }
  key_vector<W> k[NV];
  const W* from = in + (lo - a);
#pragma unroll
  for (int i = 0; i < NV; i++) if ((i * T + t) * V < end) k[i] = reinterpret_cast<const key_vector<W>*>(from)[i * T + t];
#pragma unroll
  for (int j = 0; j < P; j += 4) *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]) = make_uint4(0, 0, 0, 0);
  if (t == 0) listed = bad = 0;
  __syncthreads();
  auto each_key = [&](auto f) { // f(key, its number in this thread)
#pragma unroll
    for (int i = 0; i < NV; i++) {
      int p = (i * T + t) * V;
      if (p >= a && p + V <= end) {
#pragma unroll
        for (int e = 0; e < V; e++) f(k[i].k[e], i * V + e);
      } else if (p < end) {
#pragma unroll
        for (int e = 0; e < V; e++) if (p + e >= a && p + e < end) f(k[i].k[e], i * V + e);
      }
    }
  };
  u32 taken = 0; // keys that found their bin taken
  each_key([&](W key, int i) {
    u32 b = image.digit(key, shift, mask), bit = 1u << (b & 15);
    if (atomicOr(&word[swizzle<WORDS, P>(b >> 4)], bit) & bit) taken |= 1u << i;
  });
  for (u32 rest_taken = taken; rest_taken; rest_taken &= rest_taken - 1) {
    int i = __ffs(rest_taken) - 1;
    W key = from[(i / V * T + t) * V + i % V];
    u32 w = image.digit(key, shift, mask) >> 4, r = atomicAdd(&word[swizzle<WORDS, P>(w)], 0x10000u) >> 16, q = atomicAdd(&listed, 1u);
    if (r >= MOST || q >= LIST) bad = 1;
    else { list_key[q] = key; list_at[q] = w << 16 | r; }
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
    u32 add = (before + inc - sum + a) << 16;
#pragma unroll
    for (int j = 0; j < P; j += 4)
      *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]) = make_uint4(x[j] + add, x[j + 1] + add, x[j + 2] + add, x[j + 3] + add);
  }
  __syncthreads();
  each_key([&](W key, int i) {
    u32 b = image.digit(key, shift, mask), w = word[swizzle<WORDS, P>(b >> 4)];
    u32 at = (w >> 16) + __popc(w & ((1u << (b & 15)) - 1));
    if (!(taken >> i & 1)) keys[at] = key;
  });
  const u32 many = listed;
  for (u32 q = t; q < many; q += T) {
    u32 w = word[swizzle<WORDS, P>(list_at[q] >> 16)];
    keys[(w >> 16) + __popc(w & 0xffff) + (list_at[q] & 0xffff)] = list_key[q];
  }
  __syncthreads();
  for (u32 q = t; q < many; q += T)
    if ((list_at[q] & 0xffff) == 0) {
      u32 i = list_at[q] >> 16;
      int b = int(word[swizzle<WORDS, P>(i)] >> 16), e = i + 1 < WORDS ? int(word[swizzle<WORDS, P>(i + 1)] >> 16) : end;
      for (int x = b + 1; x < e; x++) {
        W v = keys[x];
        int y = x - 1;
        while (y >= b && image.less(v, keys[y])) { keys[y + 1] = keys[y]; y--; }
        keys[y + 1] = v;
      }
    }
  __syncthreads();
  W* to = out + (lo - a);
#pragma unroll
  for (int i = 0; i < NV; i++) {
    int p = (i * T + t) * V;
    if (p < end) {
      key_vector<W> x = reinterpret_cast<key_vector<W>*>(keys)[i * T + t];
      if (p >= a && p + V <= end) reinterpret_cast<key_vector<W>*>(to)[i * T + t] = x;
      else
#pragma unroll
        for (int e = 0; e < V; e++) if (p + e >= a && p + e < end) to[p + e] = x.k[e];
    }
  }
}

template <class W, int T, int NV, int WORDS, int MINB>
__global__ __launch_bounds__(T, MINB) void list_fast(const W* in, W* out, key_codec<W> codec, list small, u32* over) {
  for (u32 q = blockIdx.x; q < *small.count; q += gridDim.x) {
    u32 lo = small.begin[q];
    list3_body<W, T, NV, WORDS>(in, out, q, lo, small.end[q] - lo, integer_image<W>(codec), small.rest[q], over);
    __syncthreads();
  }
}
